package importer

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

func TestNeeded(t *testing.T) {
	for expr, want := range map[string]string{
		`(?i)\b(?:never|do not|don't)\b`: "never  not n't",
		`^run (\w+) before`:              " before",
		`a+`:                             "",
		`(?:foo)?bar`:                    "bar",
		`foo|b`:                          "",
		`(?:foo){2,}x`:                   "foo",
		`[a-z]+`:                         "",
		`größe`:                          "",
	} {
		re, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(needed(re.Simplify()), " ")
		if got != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}

// FuzzNeeded compares with the expression alone.
func FuzzNeeded(f *testing.F) {
	for _, expr := range []string{`(?i)\b(?:never|do not|don't)\b`, `^(?:run|use) `, `(?:foo)?bar`, `(?i)k(?:s|t)x`, `x{2,3}yz|ab`, `(?s).*ab$`, `(?m)^- \[[ x]\]`} {
		for _, text := range []string{"Never do", "DON'T", "use it", "foobar", "\u212aSx", "xxyz", "a\nab", "- [ ] x", ""} {
			f.Add(expr, text)
		}
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		re, err := regexp.Compile(expr)
		if err != nil || len(expr) > 200 {
			return
		}
		if re.MatchString(text) && !mayMatch(neededBy(expr), text) {
			t.Errorf("%q matches %q, which has none of what it needs", expr, text)
		}
	})
}
