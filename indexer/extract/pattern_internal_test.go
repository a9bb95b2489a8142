package extract

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"manicule/grammars"
	"manicule/indexer/must"
)

// TestPattern holds that a pattern finds what package regexp finds.
func TestPattern(t *testing.T) {
	sources := randomSources()
	texts := []string{`(?m)^(a+)b?$`, `\b(a)\b`, `(?m)^a[^;]*?(x+)[ \t]*\n`, `\A(a)`, `(a*)`, `(?i)(k)`, `([^a])z`}
	for _, l := range grammars.All() {
		texts = append(texts, l.Recovery.Blank...)
		for _, d := range l.Dialects {
			texts = append(texts, d.Pattern)
		}
	}
	for _, text := range texts {
		p, err := compilePattern(text)
		must.OK(t, err)
		found := 0
		for _, src := range sources {
			want := p.re.FindAllSubmatchIndex(src, -1)
			if got := p.findAll(src); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s in %q: %v, regexp says %v", text, src, got, want)
			}
			if got := p.matches(src); got != p.re.Match(src) {
				t.Fatalf("%s in %q: %v", text, src, got)
			}
			found += len(want)
		}
		if found == 0 {
			t.Errorf("nothing matches %s", text)
		}
	}
}

// TestSeveralPatterns holds that several patterns find together what each finds alone.
func TestSeveralPatterns(t *testing.T) {
	sources := randomSources()
	sets := [][]string{nil, {`(a*)`, `(b)a`}, {`\A(a)`}}
	for _, l := range grammars.All() {
		if len(l.Recovery.Blank) > 0 {
			sets = append(sets, l.Recovery.Blank)
		}
	}
	for _, texts := range sets {
		ps, err := compilePatterns(texts)
		must.OK(t, err)
		passed := 0 // how often a pattern was not looked for
		for _, src := range sources {
			var want [][]int
			for _, p := range ps.all {
				found := p.re.FindAllSubmatchIndex(src, -1)
				want = append(want, found...)
				if found == nil {
					passed++
				}
			}
			if got := slices.Collect(ps.findAll(src)); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q in %q: %v, regexp says %v", texts, src, got, want)
			}
		}
		if passed == 0 && len(texts) > 2 {
			t.Errorf("all of %q are in each text", texts)
		}
	}
	if _, err := compilePatterns(slices.Repeat([]string{"a"}, maxPatterns+1)); err == nil {
		t.Error("more patterns than a set of marks can hold")
	}
}

// randomSources makes texts of the pieces that the languages' patterns are about.
func randomSources() [][]byte {
	pieces := strings.Split(`class |struct |union|API_EXPORT |API_EXPORT|FOO_BAR|FOO_BAR(x, 1)|extern "C" {|extern |static |inline |#ifdef __cplusplus|`+
		`#if defined(__cplusplus)|#endif|}|{|(|)|;|,| |  |	|*|int |void f|x1|é|日本|__attribute__((packed))|__THROW|__nonnull ((1))|GUARDED_BY(mu_)|`+
		`ABSL_GUARDED_BY(mu_)|NO_THREAD_SAFETY_ANALYSIS|LOCKS_EXCLUDED|namespace a|namespace|template <|public:|using x = |using namespace |#include <map>|#include <a.h>|`+
		`final|:|::|=|"a"|fun interface |value class |@file:|--- |%YAML|- |key: |A|_|0|#|//`, "|")
	pieces = append(pieces, "\n", "\n", "\n", "\r\n", "\n}", "\xff", "|")
	pieces = append(pieces, `#ifdef __cplusplus
extern "C" {
#endif
`, "MY_INT(8) f(", "FOO_API int x_y(", "\nint f(a) FOO_BAR ;", ") __attribute__((packed)) __wur;", "actual val ", "expect fun ", "/* a */", "\n/* b\n */", "\na.b:c(d)(e)\n", "\n---@type a[]\n")
	random := rand.New(rand.NewPCG(1, 2))
	var sources [][]byte
	for range 400 {
		var b strings.Builder
		for range 1 + random.IntN(60) {
			if random.IntN(4) == 0 {
				b.WriteString([]string{"a", "b", "ab", "x", "aax", "k", "K", "z"}[random.IntN(8)])
			} else {
				b.WriteString(pieces[random.IntN(len(pieces))])
			}
		}
		sources = append(sources, []byte(b.String()))
	}
	return sources
}

// TestPatternForgets holds that the states of a pattern stay few, whatever the text.
func TestPatternForgets(t *testing.T) {
	p, err := compilePattern(`a[ab]{12}c`)
	must.OK(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	src := make([]byte, 1<<16)
	for i := range src {
		src[i] = "aabbbbbbbbbc"[random.IntN(12)]
	}
	src = append(src, "abbbbbbbbbbbbc"...)
	if got, want := p.findAll(src), p.re.FindAllSubmatchIndex(src, -1); !reflect.DeepEqual(got, want) || want == nil {
		t.Errorf("%d matches, regexp finds %d", len(got), len(want))
	}
	a := newAutomaton(p.prog)
	for at := 0; at >= 0; at = a.candidate(src, at+1) {
		if len(a.states) > maxStates+1 {
			t.Fatalf("%d states", len(a.states))
		}
	}
}
