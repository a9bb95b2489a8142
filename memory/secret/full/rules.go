package full

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"

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
	byKeyword map[string][]*detectorRule
	rules     []*detectorRule
	allow     []allowance
}

type detectorRule struct {
	ruleData
	compiled func() *compiledRule
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
	d := &detector{byKeyword: map[string][]*detectorRule{}, allow: allowances(all.Allow)}
	for _, r := range all.Rules {
		rule := &detectorRule{r, sync.OnceValue(func() *compiledRule {
			return &compiledRule{regexp.MustCompile(r.Pattern), allowances(r.Allow)}
		})}
		d.rules = append(d.rules, rule)
		for _, k := range r.Keywords {
			d.byKeyword[k] = append(d.byKeyword[k], rule)
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

// find lists what the rules take for secrets in a text, in the order of the rules.
func (d *detector) find(text string) []rule {
	apply := map[*detectorRule]bool{}
	all := clues()
	keywords().Each(strings.ToLower(text), func(keyword int) bool {
		for _, r := range d.byKeyword[all[keyword].keyword] {
			apply[r] = true
		}
		return true
	})
	var out []rule
	for _, r := range d.rules {
		if apply[r] {
			out = append(out, d.findOne(r, text)...)
		}
	}
	return out
}

func (d *detector) findOne(r *detectorRule, text string) []rule {
	c := r.compiled()
	var out []rule
	for _, at := range c.pattern.FindAllStringIndex(text, -1) {
		match := strings.Trim(text[at[0]:at[1]], "\n")
		secret, ok := c.secretIn(match, r.Group)
		if !ok || r.Entropy != 0 && entropy(secret) <= r.Entropy {
			continue
		}
		line := lineAround(text, at[0], at[0]+len(match))
		if !allowed(d.allow, secret, match, line) && !allowed(c.allow, secret, match, line) {
			out = append(out, rule{r.ID, secret})
		}
	}
	return out
}

// secretIn is the part of a match that is secret: a rule's group, or the first one
// that is not empty.
func (c *compiledRule) secretIn(match string, group int) (string, bool) {
	groups := c.pattern.FindStringSubmatch(match)
	if len(groups) < 2 {
		return match, true
	}
	if group > 0 {
		return groups[group], true
	}
	for _, g := range groups[1:] {
		if g != "" {
			return g, true
		}
	}
	return match, true
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
