package likely

import (
	_ "embed"
	"math"
	"regexp"
	"strings"
	"sync"

	"manicule/memory/gate/junk/speech"
)

// linesModel holds the trees that judge a text of several lines by its lines, in the form of the second part of model.bin.
// `go run ./cmd/eval gate lines --to …` makes it.
//
//go:embed lines.bin
var linesModel string

// OfLines judges a text of several lines by the words that it has, read as one line, and by the shape of its lines. The two count
// alike: each alone ranks such texts worse.
func OfLines(text string) Answer {
	m := Model(model)
	a := m.Of(strings.Join(strings.Fields(text), " "))
	if a.Probability == 0 {
		return a
	}
	x := LinesOf(text)
	a.Probability = MeanOfOdds(a.Probability, judge(linesModel, x[:]))
	return a
}

// LinesOf measures the lines of a text with the guesses of this package's model.
func LinesOf(text string) [lineMeasures]float32 { return measureLines(text, Model(model).guess) }

// MeanOfOdds is the probability halfway between two, in log-odds.
func MeanOfOdds(p, q float64) float64 { return 1 / (1 + math.Exp(-(odds(p)+odds(q))/2)) }

func odds(p float64) float64 { return math.Log(p / (1 - p)) }

// lineMeasures is how many numbers are taken of the lines of a text.
const lineMeasures = 2*int(Places) + 38

// lineForms are the regular expressions of what lines are counted by.
type lineForms struct {
	listed  *regexp.Regexp // the mark of an item
	changed *regexp.Regexp // what is not as it was
	state   *regexp.Regexp // how far something is
	ref     *regexp.Regexp // an issue, a commit, a version or a date by its number
	label   *regexp.Regexp // a label in bold or before a colon
	mine    *regexp.Regexp // who did it, or is to do it
	code    *regexp.Regexp // a line of code or of a drawing
	count   *regexp.Regexp // how many of something
}

// A variable with a call would be work of every program that links this package.
var (
	lineFormsOnce sync.Once
	lineFormsOf   *lineForms
)

func ofLines() *lineForms {
	lineFormsOnce.Do(func() {
		lineFormsOf = &lineForms{
			listed:  regexp.MustCompile(`^\s*(?:[-*+•]\s+|\d+[.)]\s+)(?:\[[ xX~]\]\s+)?`),
			changed: regexp.MustCompile(`(?i)\b(?:no longer|now|previously|used to|anymore|has been|have been|was|were|(?:add|fix|remov|chang|updat|improv|refactor|renam|replac|upgrad|extract|mov)(?:ed|es|ing))\b`),
			state:   regexp.MustCompile(`(?i)\b(?:done|complete|completed|pending|planned|backlog|in progress|todo|wip|blocked|shipped|merged|passing|passed|green|next|remaining|outstanding|closed|open|ready|verified|deferred)\b|[✅☑✔✓❌🔄⏳🚧]`),
			ref:     regexp.MustCompile(`#\d+\b|\b[0-9a-f]{7,12}\b|\bv?\d+\.\d+\.\d+|\b20\d\d-\d\d-\d\d\b|\bPRs?\b`),
			label:   regexp.MustCompile(`^\W{0,3}(?:\*\*[^*]+\*\*|[\pL][\pL\d _/-]{1,30}:)`),
			mine:    regexp.MustCompile(`(?i)\b(?:i|we|our|my|session|user|owner|agent)\b`),
			code:    regexp.MustCompile(`[{};│┌└├─▼→]\s*$|^\s*[│┌└├{}<$]|\w\(.*\)|\w=\S`),
			count:   regexp.MustCompile(`\b\d+ (?:of \d+ )?\w+s\b|\b\d+/\d+\b|\d ?%`),
		}
	})
	return lineFormsOf
}

// measureLines returns the numbers that a text of several lines is judged by: what share of its lines has which form, and where lines
// like them stand. What goes on in the next line counts once.
func measureLines(text string, guess func(line string) [Places]float64) (out [lineMeasures]float32) {
	i := 0
	add := func(xs ...float32) {
		for _, x := range xs {
			out[i] = x
			i++
		}
	}
	f := ofLines()
	t := strings.TrimSpace(text)
	first, rest, _ := strings.Cut(t, "\n")
	whole := pageOf(t, f)
	n := float32(max(len(whole.units), 1))
	var mean, most [Places]float32
	var ends, changed, state, refs, labels, mine, code, counts, modals, verbs, words, short, lower float32
	var base, finite, third, past, ing, noun float32
	for _, u := range whole.units {
		p := Probability(guess(u))
		for k, x := range p {
			mean[k] += float32(x) / n
			most[k] = max(most[k], float32(x))
		}
		end := strings.TrimRight(u, "*_`\" )")
		ends += yes(strings.HasSuffix(end, ".")) / n
		changed += yes(f.changed.MatchString(u)) / n
		state += yes(f.state.MatchString(u)) / n
		refs += yes(f.ref.MatchString(u)) / n
		labels += yes(f.label.MatchString(u)) / n
		mine += yes(f.mine.MatchString(u)) / n
		code += yes(f.code.MatchString(u)) / n
		counts += yes(f.count.MatchString(u)) / n
		c := countWords(u)
		modals += yes(c.modals > 0) / n
		verbs += yes(c.verbs > 0) / n
		words += c.words / n
		short += yes(c.words < 4) / n
		start, _ := unmarked(u)
		lower += yes(start != "" && isLower(start[0])) / n
		g := speech.Of(u)
		base += float32(max(g.FirstBase, g.Order)) / n
		finite += float32(g.Finite) / n
		third += float32(g.First[speech.Third]) / n
		past += float32(g.First[speech.Past]) / n
		ing += float32(g.First[speech.Ing]) / n
		noun += float32(g.First[speech.Noun]) / n
	}
	add(mean[:]...)
	add(most[:]...)
	all := float32(max(whole.lines, 1))
	add(log(n), log(all), log(float32(len(t))), part(whole.heads, all), part(whole.rows, all), part(whole.items, all), part(whole.fences, all), part(whole.blanks, all))
	add(ends, changed, state, refs, labels, mine, code, counts, modals, verbs, words, short, lower)
	add(base, finite, third, past, ing, noun)
	g, c := speech.Of(first), countWords(first)
	head := strings.HasPrefix(first, "#")
	add(yes(head), yes(strings.HasPrefix(rest, "\n")), yes(head && f.state.MatchString(first)), yes(f.ref.MatchString(first)), float32(g.Finite), float32(max(g.FirstBase, g.Order)), float32(g.First[speech.Past]), c.words,
		yes(strings.HasSuffix(first, ".")), yes(strings.HasSuffix(strings.TrimRight(t, "*_ "), ":")), yes(strings.HasPrefix(t, "---")))
	return out
}

// page is a text of several lines.
type page struct {
	units                              []string // its items and paragraphs
	lines                              int
	heads, rows, items, fences, blanks float32 // its lines by their marks
}

func pageOf(text string, f *lineForms) (p page) {
	goesOn := false
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, " \t\r\n")
		t := strings.TrimSpace(l)
		p.lines++
		switch {
		case t == "":
			p.blanks++
			goesOn = false
		case strings.HasPrefix(t, "#"):
			p.heads++
			goesOn = false
		case strings.HasPrefix(t, "|"):
			p.rows++
			goesOn = false
		case strings.HasPrefix(t, "```"):
			p.fences++
			goesOn = false
		case f.listed.MatchString(l):
			p.items++
			p.units = append(p.units, f.listed.ReplaceAllString(l, ""))
			goesOn = true
		case goesOn:
			p.units[len(p.units)-1] += " " + t
		default:
			p.units = append(p.units, t)
			goesOn = true
		}
	}
	return p
}
