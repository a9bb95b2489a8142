package lazydfa_test

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"manicule/indexer/must"
	"manicule/memory/lazydfa"
)

// expressions have each kind of instruction and condition.
var expressions = []string{
	`a`, `(?i)ab`, `a|bc|`, `^a`, `a$`, `^$`, `(?m)^a`, `(?m)a$`, `\ba`, `a\b`, `\Ba\B`, `\bab?\b`, `a.c`, `(?s)a.c`, `[^a]b`,
	`(?i)\b(?:a|bc)+\b.*c`, `(?:ab){2,3}c?`, `a*b*c`, `[a-c]{2}\n`, `\W*b`, `(?i)k`, `[é-ü]a`, `^\s*(?:[-*] )?ab\b`, `\A(a|b)*?c\z`, `[[:^alpha:]]a`,
	`x*`, `(?:a|b)*a(?:a|b){5}`, `(?:a|b)*a(?:a|b){12}`, `[^\x00-\x{10FFFF}]`,
}

// alphabet is what texts for them are made of.
var alphabet = []string{"a", "b", "c", "A", "B", "k", "K", "\u212a", " ", "-", "\n", "é", "\xff", "_", "0", "ab", "abc"}

func TestAsRegexp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	sure := 0
	for _, expr := range expressions {
		for range 400 {
			var b strings.Builder
			for range random.IntN(12) {
				b.WriteString(alphabet[random.IntN(len(alphabet))])
			}
			sure += check(t, expr, b.String(), random.IntN(b.Len()+1))
		}
	}
	if sure < len(expressions)*400 {
		t.Errorf("only %d of %d answers are sure", sure, 2*len(expressions)*400)
	}
}

func FuzzAsRegexp(f *testing.F) {
	for _, expr := range expressions {
		f.Add(expr, "a_bc é\nab", uint(3))
	}
	f.Fuzz(func(t *testing.T, expr, text string, at uint) {
		if len(expr) <= 60 && len(text) <= 200 {
			check(t, expr, text, int(at%uint(len(text)+1)))
		}
	})
}

// check holds both kinds of matcher against package regexp, and returns how many answers were sure.
func check(t *testing.T, expr, text string, at int) (sure int) {
	t.Helper()
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return 0
	}
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	for _, anchored := range []bool{false, true} {
		// What stands before the offset counts: the expression is asked about the whole text.
		before := `(?s:.*)`
		if anchored {
			before = `(?s:.{` + strconv.Itoa(utf8.RuneCountInString(text[:at])) + `})`
		} else {
			at = 0
		}
		want, err := regexp.Compile(`\A` + before + `(?:` + expr + `)`)
		if err != nil || anchored && utf8.RuneCountInString(text[:at]) > 1000 {
			return sure
		}
		m, err := lazydfa.New(re)
		if anchored {
			m, err = lazydfa.NewAnchored(re)
		}
		must.OK(t, err)
		for range 2 { // the second time its states are there
			switch got := m.Match(text, at); {
			case got == lazydfa.Maybe:
			case (got == lazydfa.Yes) != want.MatchString(text):
				t.Errorf("%q in %q at %d, anchored %v: %v", expr, text, at, anchored, got)
			default:
				sure++
			}
		}
	}
	return sure / 2
}

func TestManyStates(t *testing.T) {
	const expr = `(?:a|b)*a(?:a|b){12}c`
	re, err := syntax.Parse(expr, syntax.Perl)
	must.OK(t, err)
	m, err := lazydfa.New(re)
	must.OK(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for range 10_000 {
		b.WriteString([]string{"a", "b"}[random.IntN(2)])
	}
	if got := m.Match(b.String(), 0); got != lazydfa.Maybe {
		t.Errorf("more states than are kept: %v", got)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := m.Match("aabbabababababc", 0); got == lazydfa.No {
				t.Error("no match")
			}
		})
	}
	wg.Wait()
}

func BenchmarkMatch(b *testing.B) {
	const expr = `(?i)\b(?:see|refer to|described in)\b[^.]*\.md\b`
	text := strings.Repeat("The queue is flushed before it is closed, as the next reader sees it. ", 4)
	re, err := syntax.Parse(expr, syntax.Perl)
	must.OK(b, err)
	m, err := lazydfa.New(re)
	must.OK(b, err)
	std := regexp.MustCompile(expr)
	b.Run("lazydfa", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			m.Match(text, 0)
		}
	})
	b.Run("regexp", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			std.MatchString(text)
		}
	})
}
