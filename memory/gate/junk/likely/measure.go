package likely

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"manicule/memory/gate/junk/named"
	"manicule/memory/gate/junk/speech"
)

// Measures is how many numbers the second stage sees of a text.
const Measures = int(Places) + 1 + 48 + 16

// counts are what is counted of a text's words.
type counts struct {
	words, modals, verbs, capitals, code, past, ing, plural, paths, small float32
}

// characters are what is counted of a text's characters.
type characters struct {
	all, digits, letters, upper, marks float32
}

// Measure returns the numbers that the second stage judges a text by.
func Measure(text string, places [Places]float64) (out [Measures]float32) {
	i := 0
	add := func(xs ...float32) {
		for _, x := range xs {
			out[i] = x
			i++
		}
	}
	most, sum := slices.Max(places[:]), 0.
	for _, x := range places {
		sum += math.Exp(x - most)
	}
	for _, x := range places {
		add(float32(x - most - math.Log(sum)))
	}
	add(float32(named.Of(text)))
	t := strings.TrimSpace(text)
	lines := strings.Count(t, "\n") + 1
	first, _, _ := strings.Cut(t, "\n")
	start, box := unmarked(strings.TrimSpace(first))
	clean := strings.NewReplacer("**", "", "__", "", "’", "'").Replace(t)
	n, c := countWords(clean), countCharacters(t)
	one, two := firstWords(start)
	add(yes(strings.HasPrefix(t, "#")), box, log(n.words+1), min(n.words, 12), float32(lines), log(c.all),
		n.modals, n.verbs, yes(n.modals+n.verbs > 0), part(n.capitals, n.words), n.code, part(n.code, n.words), n.past, n.ing, part(n.plural, n.words), part(n.paths, n.words),
		part(n.small, n.words), n.small)
	add(yes(isCommand(one)), yes(strings.HasSuffix(one, "ed")), yes(strings.HasSuffix(one, "ing")), yes(isVerb(one)), yes(isVerb(two) || isModal(two)), yes(one == "the" || one == "a" || one == "an"))
	add(yes(strings.HasPrefix(start, "`")), yes(strings.HasPrefix(t, "**")), yes(start != "" && isLower(start[0])), yes(start != "" && isDigit(start[0])),
		part(c.digits, c.all), part(c.upper, c.letters), part(c.marks, c.all))
	last := byte(' ')
	if end := strings.TrimRight(t, "*_`\" )"); end != "" {
		last = end[len(end)-1]
	}
	add(yes(last == '.'), yes(last == ':'), yes(isDigit(last)), float32(strings.Count(t, ". ")), float32(strings.Count(t, ",")))
	label, said, labelled := strings.Cut(clean, ":")
	name := fieldsOf(label, labelled)
	value := fieldsOf(said, labelled)
	_, remark, dashed := strings.Cut(clean, " — ")
	if !dashed {
		_, remark, dashed = strings.Cut(clean, " - ")
	}
	words := fieldsOf(remark, dashed)
	add(min(name, 8), min(value, 20), yes(dashed), min(words, 20),
		yes(strings.Contains(t, "→") || strings.Contains(t, "->")), yes(strings.Contains(t, "(")), yes(strings.HasSuffix(t, ")")), yes(strings.Contains(t, "](")), yes(strings.HasPrefix(t, "|")),
		yes(strings.Contains(t, "(#") || strings.Contains(t, "commit/")), yes(strings.Contains(t, "✅")), yes(strings.Contains(t, "%")))
	g := speech.Of(t)
	for _, x := range []float64{g.FirstBase, g.Finite, g.Verbs, g.Order, g.Tail, max(g.FirstBase, g.Finite, g.Order),
		g.First[speech.Noun], g.First[speech.Third], g.First[speech.Past], g.First[speech.Ing], g.First[speech.Determiner],
		g.Last[speech.Noun], g.Last[speech.Determiner] + g.Last[speech.Joiner] + g.Last[speech.To],
		g.Share[speech.Noun], g.Share[speech.Adjective], g.Share[speech.Third] + g.Share[speech.Modal]} {
		add(float32(x))
	}
	return out
}

// fieldsOf counts the words of a part of a text, -1 if there is no such part.
func fieldsOf(s string, there bool) float32 {
	if !there {
		return -1
	}
	return float32(len(strings.Fields(s)))
}

func yes(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

func log(x float32) float32 { return float32(math.Log(float64(max(x, 1)))) }

func part(n, of float32) float32 { return n / max(of, 1) }

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// unmarked returns a line without the marks before its first word, and which box it has: 1 for an open one, 2 for a ticked one, 3
// for a tick alone.
func unmarked(line string) (rest string, box float32) {
	u := strings.TrimLeft(line, "#>-*+ \t")
	switch {
	case strings.HasPrefix(u, "[ ]"):
		box = 1
	case strings.HasPrefix(u, "[x]"), strings.HasPrefix(u, "[X]"):
		box = 2
	case strings.HasPrefix(u, "✅"), strings.HasPrefix(u, "✓"), strings.HasPrefix(u, "☑"), strings.HasPrefix(u, "✔"):
		return strings.TrimLeft(u, "*_ "), 3
	}
	if box > 0 {
		u = u[3:]
	}
	return strings.TrimLeft(u, "*_ "), box
}

// bare returns a word in lower case without the marks around it.
func bare(word string) string { return strings.ToLower(strings.Trim(word, ".,;:!?()\"'`*_")) }

func firstWords(s string) (one, two string) {
	f := strings.Fields(s)
	if len(f) > 0 {
		one = bare(f[0])
	}
	if len(f) > 1 {
		two = bare(f[1])
	}
	return one, two
}

func countWords(text string) (n counts) {
	for i, w := range strings.Fields(text) {
		lower := bare(w)
		if lower == "" {
			continue
		}
		n.words++
		n.modals += yes(isModal(lower) || strings.HasSuffix(lower, "n't"))
		n.verbs += yes(isVerb(lower))
		n.code += yes(strings.Contains(w, "`") || strings.ContainsAny(lower, "_(){}=<>"))
		n.paths += yes(strings.ContainsAny(lower, "/."))
		n.capitals += yes(i > 0 && w[0] >= 'A' && w[0] <= 'Z')
		n.past += yes(strings.HasSuffix(lower, "ed"))
		n.ing += yes(strings.HasSuffix(lower, "ing"))
		n.plural += yes(i > 0 && strings.HasSuffix(lower, "s") && !strings.HasSuffix(lower, "ss"))
		n.small += yes(isSmall(lower))
	}
	return n
}

func countCharacters(text string) (c characters) {
	for _, r := range text {
		c.all++
		switch {
		case unicode.IsDigit(r):
			c.digits++
		case unicode.IsLetter(r):
			c.letters++
			c.upper += yes(unicode.IsUpper(r))
		case !unicode.IsSpace(r):
			c.marks++
		}
	}
	return c
}
