package lazyregexp

import (
	"regexp"
	"testing"
)

// FuzzMatch compares with the expression alone.
func FuzzMatch(f *testing.F) {
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
			t.Errorf("%q matches %q, which cannot have a match", expr, text)
		}
	})
}
