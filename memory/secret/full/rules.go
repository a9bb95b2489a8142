package full

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// rulesJSON are gitleaks' rules for texts. The package's test writes them from the
// gitleaks module: the program needs the rules of it, and not the readers of archives
// and writers of reports that come with them.
//
//go:embed rules.json
var rulesJSON []byte

// ruleData is one of gitleaks' rules, as far as it is about texts.
type ruleData struct {
	ID       string      `json:"id"`
	Pattern  string      `json:"pattern"`
	Keywords []string    `json:"keywords"` // in lower case; a text without any has no secret of the rule
	Group    int         `json:"group,omitzero"`
	Entropy  float64     `json:"entropy,omitzero"`
	Allow    []allowData `json:"allow,omitzero"`
	Reach    reachData   `json:"reach,omitzero"`
}

// reachData says where in a text a rule can match. Each match has a run of at least Run bytes of
// the wide set, or of the narrow one where Narrow is set, begins at most Before bytes before the
// longest such run around it, and ends at most After bytes behind it. Without Run a match may be
// anywhere. It follows from the pattern, see the test that writes the rules.
type reachData struct {
	Run    int  `json:"run,omitzero"`
	Narrow bool `json:"narrow,omitzero"`
	Before int  `json:"before,omitzero"`
	After  int  `json:"after,omitzero"`
}

// allowData says what is no secret although a rule finds it.
type allowData struct {
	Target  string   `json:"target,omitzero"` // match or line; the secret where it is empty
	All     bool     `json:"all,omitzero"`    // pattern and word have to be there
	Pattern string   `json:"pattern,omitzero"`
	Words   []string `json:"words,omitzero"` // in lower case
}

type rulesData struct {
	Rules []ruleData  `json:"rules"`
	Allow []allowData `json:"allow"`
}

// detector finds what gitleaks' rules find in a text.
type detector struct {
	byKeyword [][]int // indexes of rules, by the index of a clue
	rules     []*detectorRule
	allow     []allowance
}

type detectorRule struct {
	ruleData
	compiled func() *compiledRule
	tail     func() *tail
}

// isReached reports whether a text with such runs can have a match.
func (r *detectorRule) isReached(most runs) bool {
	return r.Reach.Run == 0 || most.wide >= r.Reach.Run && (!r.Reach.Narrow || most.narrow >= r.Reach.Run)
}

// compiledRule is made of a rule once a text has one of its keywords: all patterns
// take tens of milliseconds to compile, and a text needs few.
type compiledRule struct {
	pattern *regexp.Regexp
	allow   []allowance
}

type allowance struct {
	allowData
	pattern *regexp.Regexp
}

func newDetector(data []byte) (*detector, error) {
	var all rulesData
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("read the secret rules: %w", err)
	}
	d := &detector{byKeyword: make([][]int, len(clues())), allow: allowances(all.Allow)}
	index := map[string]int{}
	for i, c := range clues() {
		index[c.keyword] = i
	}
	for n, r := range all.Rules {
		rule := &detectorRule{r, sync.OnceValue(func() *compiledRule {
			return &compiledRule{regexp.MustCompile(r.Pattern), allowances(r.Allow)}
		}), sync.OnceValue(func() *tail { return tailOf(r.Pattern, r.Keywords) })}
		d.rules = append(d.rules, rule)
		for _, k := range r.Keywords {
			d.byKeyword[index[k]] = append(d.byKeyword[index[k]], n)
		}
	}
	return d, nil
}

func allowances(list []allowData) []allowance {
	var out []allowance
	for _, a := range list {
		one := allowance{allowData: a}
		if a.Pattern != "" {
			one.pattern = regexp.MustCompile(a.Pattern)
		}
		out = append(out, one)
	}
	return out
}

// findBy lists what the rules take for secrets in a text with these clues, in the order of the rules.
func (d *detector) findBy(text string, f found) []rule {
	apply := make([]bool, len(d.rules))
	for _, o := range f.places {
		for _, n := range d.byKeyword[o.keyword] {
			if apply[n] {
				continue
			}
			if r := d.rules[n]; r.isReached(f.most) {
				t := r.tail()
				apply[n] = t == nil || f.folds || t.in(text, o.at)
			}
		}
	}
	var out []rule
	for n, r := range d.rules {
		if apply[n] {
			out = append(out, d.findNear(r, text, f.long)...)
		}
	}
	return out
}

// context is how many bytes around the reach of a rule are looked at with it: enough for what a
// pattern asks of the characters beside a match.
const context = 8

// findNear is findOne for a text with known runs: it tries a rule only where it can match. Each
// match in the text lies inside of a part that is tried, and is found there unless the part finds
// another one before it, which then touches the border of the part: only there a pattern sees
// another text. So if a match touches it, the rule is tried on the whole text.
func (d *detector) findNear(r *detectorRule, text string, long []longRun) []rule {
	if r.Reach.Run == 0 {
		return d.findOne(r, text)
	}
	var out []rule
	from, to := -1, -1
	for _, run := range long {
		if length := run.to - run.from; r.Reach.Narrow && run.narrow < r.Reach.Run || length < r.Reach.Run {
			continue
		}
		first, last := partAround(text, run.from-r.Reach.Before-context, run.to+r.Reach.After+context)
		if first <= to {
			to = max(to, last)
			continue
		}
		if to >= 0 {
			some, ok := d.findIn(r, text, from, to)
			if !ok {
				return d.findOne(r, text)
			}
			out = append(out, some...)
		}
		from, to = first, last
	}
	if to >= 0 {
		some, ok := d.findIn(r, text, from, to)
		if !ok {
			return d.findOne(r, text)
		}
		out = append(out, some...)
	}
	return out
}

// partAround moves the borders of a part away from each other to where characters begin.
func partAround(text string, from, to int) (first, last int) {
	first, last = max(from, 0), min(to, len(text))
	for first > 0 && !utf8.RuneStart(text[first]) {
		first--
	}
	for last < len(text) && !utf8.RuneStart(text[last]) {
		last++
	}
	return first, last
}

// findIn is findOne for a part of a text. ok is false if a match touches a border of the part inside of the text.
func (d *detector) findIn(r *detectorRule, text string, from, to int) (out []rule, ok bool) {
	for _, at := range r.compiled().pattern.FindAllStringIndex(text[from:to], -1) {
		if from > 0 && at[0] == 0 || to < len(text) && at[1] == to-from {
			return nil, false
		}
		out = d.judge(out, r, text, from+at[0], from+at[1])
	}
	return out, true
}

// findOne lists what a rule finds in a text.
func (d *detector) findOne(r *detectorRule, text string) []rule {
	out, _ := d.findIn(r, text, 0, len(text))
	return out
}

// judge appends what a rule finds in a match, if that is a secret.
func (d *detector) judge(out []rule, r *detectorRule, text string, from, to int) []rule {
	c := r.compiled()
	match := strings.Trim(text[from:to], "\n")
	secret := c.secretIn(match, r.Group)
	if r.Entropy != 0 && entropy(secret) <= r.Entropy {
		return out
	}
	line := lineAround(text, from, from+len(match))
	if !allowed(d.allow, secret, match, line) && !allowed(c.allow, secret, match, line) {
		out = append(out, rule{r.ID, secret})
	}
	return out
}

// secretIn is the part of a match that is secret: a rule's group, or the first one
// that is not empty.
func (c *compiledRule) secretIn(match string, group int) string {
	groups := c.pattern.FindStringSubmatch(match)
	if len(groups) < 2 {
		return match
	}
	if group > 0 {
		return groups[group]
	}
	for _, g := range groups[1:] {
		if g != "" {
			return g
		}
	}
	return match
}

// lineAround is the line, or the lines, that a match stands in, with the line break
// before it: gitleaks' patterns are written for that.
func lineAround(text string, from, to int) string {
	begin := max(strings.LastIndexByte(text[:from], '\n'), 0)
	end := strings.IndexByte(text[to:], '\n')
	if end < 0 {
		return text[begin:]
	}
	return text[begin : to+end]
}

func allowed(list []allowance, secret, match, line string) bool {
	for _, a := range list {
		target := secret
		switch a.Target {
		case "match":
			target = match
		case "line":
			target = line
		}
		pattern := target != "" && a.pattern != nil && a.pattern.MatchString(target)
		word := hasWord(secret, a.Words)
		if a.All {
			if (a.pattern == nil || pattern) && (len(a.Words) == 0 || word) {
				return true
			}
		} else if pattern || word {
			return true
		}
	}
	return false
}

func hasWord(secret string, words []string) bool {
	secret = strings.ToLower(secret)
	for _, w := range words {
		if strings.Contains(secret, w) {
			return true
		}
	}
	return false
}

// entropy is Shannon's, in bits for each character, as gitleaks' rules count it:
// of a character's share of the bytes.
func entropy(text string) float64 {
	counts := map[rune]int{}
	for _, c := range text {
		counts[c]++
	}
	var bits float64
	for _, n := range counts {
		share := float64(n) / float64(len(text))
		bits -= share * math.Log2(share)
	}
	return bits
}
