package lazyregexp

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"manicule/indexer/must"
)

func TestNeeded(t *testing.T) {
	for expr, want := range map[string]string{
		`(?i)\b(?:never|do not|don't)\b`: "do not|don't|never",
		`^run (\w+) before`:              " before",
		`a+`:                             "",
		`(?:foo)?bar`:                    "bar|foobar",
		`foo|b`:                          "",
		`(?:foo){2,}x`:                   "foo",
		`[a-z]+`:                         "",
		`größe`:                          "größe",
		`(?i)größe`:                      "",
		`x['’]s \d`:                      "x's |x’s ",
	} {
		re, err := syntax.Parse(expr, syntax.Perl)
		must.OK(t, err)
		re = re.Simplify()
		var got []string
		if list, _, ok := wordsOf(re); ok {
			got = searchable(list)
		} else {
			got = needed(re)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%s: %q, want %q", expr, s, want)
		}
	}
}

// TestMatcherParts: what is only words is looked up, and runs no expression.
func TestMatcherParts(t *testing.T) {
	for expr, want := range map[string]struct{ words, parts, always int }{
		`(?i)\b(?:never|always)\b`:                    {2, 0, 0},
		`(?i)^\W*(?:use|do|don['’]t|fall back)\b`:     {5, 0, 0},
		`(?i)\b(?:never|is \w+ed|always)\b|✅`:         {4, 1, 0},
		`(?i)\b(?:fails?\b|broken|crash(?:es)?)|a\d+`: {5, 1, 1},
		`\bI\b|x`: {0, 2, 2},
	} {
		m := newMatcher(expr, nil)
		always := 0
		for i := range m.parts {
			if m.always&(1<<i) != 0 {
				always++
			}
		}
		if len(m.words) != want.words || len(m.parts)-1 != want.parts || always != want.always {
			t.Errorf("%s: words %q, %d parts, %d always; want %+v", expr, m.words, len(m.parts)-1, always, want)
		}
	}
}

// FuzzMatcher compares with the expression alone.
func FuzzMatcher(f *testing.F) {
	for _, expr := range []string{
		`(?i)\b(?:never|do not|don't)\b`, `^(?:run|use) `, `(?:foo)?bar`, `(?i)k(?:s|t)x`, `x{2,3}yz|ab`, `(?s).*ab$`, `(?m)^- \[[ x]\]`,
		`(?i)^\W*(?:use|do|don['’]t|fall back|re-run)\b`, `\b(?:NEVER|DO NOT)\b|❌`, `(?i)\b(?:fails?\b|trap\b|broken)`, `(?i)(?:\bif|^so)(?: it| they)?$`, `^(?:ab|a|-x)\b`,
	} {
		for _, text := range []string{"Never do", "DON'T", "use it", "foobar", "\u212aSx", "xxyz", "a\nab", "- [ ] x", "", "  Don’t x", "re-runs", "- fall back", "it fails", "if they", "so it is", "do nots", "NEVER ❌", "never❌", "a-x", "-x"} {
			f.Add(expr, text)
		}
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil || len(expr) > 200 {
			return
		}
		p := New(expr)
		if got, want := p.MatchString(text), re.MatchString(text); got != want {
			t.Errorf("%q in %q: %v, want %v", expr, text, got, want)
		}
		if re.MatchString(text) && !p.mayMatch(text) {
			t.Errorf("%q matches %q, which has none of what it needs", expr, text)
		}
	})
}
