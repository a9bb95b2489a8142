package extract

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"manicule/grammars"
	"manicule/indexer/fault"
)

// deep are texts that nest n times, by what nests. Not every one means something
// in every language: what a grammar doesn't understand nests, too.
func deep(n int) map[string]string {
	twice := func(head, open, end string) string {
		return head + strings.Repeat(open, n) + strings.Repeat(end, n) + "\n"
	}
	return map[string]string{
		"parentheses":    twice("x = ", "(\n", ")\n"),
		"brackets":       twice("x = ", "[\n", "]\n"),
		"braces":         twice("", "{\n", "}\n"),
		"open":           strings.Repeat("([{\n", n),
		"calls":          twice("x = ", "f(\n", ")\n"),
		"members":        "x = a" + strings.Repeat(".b\n", n),
		"sums":           "x = a" + strings.Repeat(" +\n a", n),
		"classes":        twice("", "class A {\n", "}\n"),
		"functions":      twice("", "function a() {\n", "}\n"),
		"conditions":     twice("", "if (a) {\n", "}\n"),
		"alternatives":   "if (a) {}" + strings.Repeat(" else if (a) {}\n", n),
		"type arguments": twice("var x: ", "A<", ">"),
		"modules":        twice("", "module A\n", "end\n"),
		"quotes":         strings.Repeat("> ", n) + "a\n",
		"bullets":        strings.Repeat("- ", n) + "a\n",
		"numbers":        strings.Repeat("1. ", n) + "a\n",
		"indented":       indented(n),
		"headings":       strings.Repeat("# a\n", n),
		"objects":        twice("x = ", "{a:\n", "}\n"),
	}
}

// indented are lists whose every line lies deeper than the one before.
func indented(n int) string {
	var b strings.Builder
	for i := 0; i < n && b.Len() < MaxSize; i++ {
		b.WriteString(strings.Repeat("  ", i) + "- a:\n")
	}
	return b.String()
}

// TestDeep reads texts that nest 100,000 deep: the stack of a program can't be
// caught when it ends, so that no walk may use a frame for each level. A grammar
// may take too long, and then says so.
func TestDeep(t *testing.T) {
	if testing.Short() {
		t.Skip("parses 100,000 levels")
	}
	defer limit(100*time.Millisecond, 0)()
	for _, id := range []string{"go", "python", "java", "markdown", "json"} {
		l, _ := grammars.ByID(id)
		for name, src := range deep(100_000) {
			if len(src) > MaxSize {
				src = src[:MaxSize]
			}
			start := time.Now()
			f, err := Index(t.Context(), l.ID, []byte(src))
			if fault.Is(err) || err != nil && !errors.Is(err, ErrSlow) {
				t.Errorf("%s, %s: %v", l.ID, name, err)
			}
			if err != nil {
				continue
			}
			for _, s := range f.Symbols {
				if strings.Count(s.Path, ".") > 2*maxNesting {
					t.Fatalf("%s, %s: the path of a symbol has %d bytes", l.ID, name, len(s.Path))
				}
			}
			if _, _, err := Read(t.Context(), l.ID, []byte(src)); fault.Is(err) || err != nil && !errors.Is(err, ErrSlow) && !errors.Is(err, ErrDeep) {
				t.Errorf("%s, %s: %v", l.ID, name, err)
			}
			t.Logf("%s, %s: %s", l.ID, name, time.Since(start).Round(time.Millisecond))
		}
	}
}

// limit sets how long a file may take.
func limit(all, mb time.Duration) (restore func()) {
	a, b := patience, perMB
	patience, perMB = all, mb
	return func() { patience, perMB = a, b }
}

// TestSlow holds that a file ends in time, and that the end of the caller's own
// time is not taken for its.
func TestSlow(t *testing.T) {
	defer limit(time.Nanosecond, 0)()
	src := []byte("package a\n\nfunc F() {}\n")
	if _, err := Index(t.Context(), "go", src); !errors.Is(err, ErrSlow) {
		t.Error(err)
	}
	limit(time.Minute, 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Index(ctx, "go", src); !errors.Is(err, context.Canceled) || errors.Is(err, ErrSlow) {
		t.Error(err)
	}
}
