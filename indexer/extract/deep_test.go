package extract

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"manicule/indexer/fault"
)

// deep are texts that nest n times, by language and by what nests. They are those
// whose trees are as deep as the text, and those that are refused for it; what the
// grammar doesn't understand nests, too.
func deep(n int) map[string]map[string]string {
	twice := func(head, open, end string) string {
		return head + strings.Repeat(open, n) + strings.Repeat(end, n) + "\n"
	}
	return map[string]map[string]string{
		"go": {
			"parentheses": twice("package a\n\nvar x = ", "(\n", ")\n"),
			"conditions":  twice("package a\n\nfunc f() {\n", "if a {\n", "}\n") + "}\n",
		},
		"typescript": {
			"braces": twice("", "{\n", "}\n"),
			"open":   strings.Repeat("([{", n/50), // what is broken takes the grammar longer
		},
		"python": {
			"calls": twice("x = ", "f(\n", ")\n"),
		},
		"java": {
			"classes": twice("", "class A {\n", "}\n"),
		},
		"json": {
			"braces":   twice("", "{\n", "}\n"),
			"indented": indented(n),
		},
		"markdown": {
			"quotes":   strings.Repeat("> ", n) + "a\n",
			"bullets":  strings.Repeat("- ", n) + "a\n",
			"indented": indented(n),
			"brackets": twice("", "[\n", "]\n"),
		},
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
// may refuse it, or take too long, and then says so.
func TestDeep(t *testing.T) {
	if testing.Short() {
		t.Skip("parses 100,000 levels")
	}
	refused := func(err error) bool {
		return !fault.Is(err) && (errors.Is(err, ErrSlow) || errors.Is(err, ErrDeep))
	}
	for lang, texts := range deep(100_000) {
		read := 0
		for name, src := range texts {
			src = src[:min(len(src), MaxSize)]
			start := time.Now()
			f, err := ParseFacts(t.Context(), lang, []byte(src))
			switch {
			case refused(err):
			case err != nil:
				t.Errorf("%s, %s: %v", lang, name, err)
			default:
				read++
				for _, s := range f.Symbols {
					if strings.Count(s.Path, ".") > 2*maxNesting {
						t.Fatalf("%s, %s: the path of a symbol has %d bytes", lang, name, len(s.Path))
					}
				}
			}
			if _, _, err := ParseTree(t.Context(), lang, []byte(src)); err != nil && !refused(err) {
				t.Errorf("%s, %s: %v", lang, name, err)
			}
			t.Logf("%s, %s: %s", lang, name, time.Since(start).Round(time.Millisecond))
		}
		if read == 0 {
			t.Errorf("no text of %s came to a tree", lang)
		}
	}
}

// limit sets how long a file may take.
func limit(all, mb time.Duration) (restore func()) {
	a, b := baseTimeout, timeoutPerMB
	baseTimeout, timeoutPerMB = all, mb
	return func() { baseTimeout, timeoutPerMB = a, b }
}

// slow is Go for whose type arguments the grammar takes minutes.
var slow = []byte("package a\n\nvar x " + strings.Repeat("A<", 50_000))

// TestSlow holds that a file ends in time, and that the end of the caller's own
// time is not taken for its.
func TestSlow(t *testing.T) {
	restore := limit(20*time.Millisecond, 0)
	_, err := ParseFacts(t.Context(), "go", slow)
	restore()
	if !errors.Is(err, ErrSlow) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ParseFacts(ctx, "go", []byte("package a\n\nfunc F() {}\n")); !errors.Is(err, context.Canceled) || errors.Is(err, ErrSlow) {
		t.Error(err)
	}
}

// TestBusyMachine holds that a file which waits for the processor is read all the
// same, and one that works too long is not.
func TestBusyMachine(t *testing.T) {
	defer limit(time.Nanosecond, 0)()
	defer func(was func() func() time.Duration) { threadClock = was }(threadClock)
	src := []byte("package a\n" + strings.Repeat("\nfunc F() { g(1, 2) }\n", 10_000))
	threadClock = func() func() time.Duration { return func() time.Duration { return 0 } }
	if f, err := ParseFacts(t.Context(), "go", src); err != nil || len(f.Symbols) != 10_000 {
		t.Errorf("a file that got no time of the processor: %v", err)
	}
	threadClock = func() func() time.Duration { return func() time.Duration { return time.Hour } }
	if _, err := ParseFacts(t.Context(), "go", slow); !errors.Is(err, ErrSlow) {
		t.Errorf("a file that took an hour of it: %v", err)
	}
}

// TestThreadClock holds that the time of a thread is counted, also from another
// one.
func TestThreadClock(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := threadClock()
	before := used()
	for used() < before+10*time.Millisecond { // work is what is counted
	}
	other := make(chan time.Duration)
	go func() { other <- used() }()
	if got := <-other; got < before+10*time.Millisecond {
		t.Errorf("another thread reads %s", got)
	}
}
