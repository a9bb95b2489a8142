package speech

import (
	"math"
	"testing"
)

// TestOf: what says or orders something is told from what names something.
func TestOf(t *testing.T) {
	for text, want := range map[string]bool{
		"Token refresh fails silently when Redis is unreachable": true,
		"Receive dependencies via constructor":                   true,
		"Engineers consume the component library in their apps":  true,
		"Validate and sanitize input before passing it on":       true,
		"Secrets must not be logged":                             true,
		"Section sequence, especially the second fold":           false,
		"Vercel account and project access.":                     false,
		"Inconsistent JSON output":                               false,
		"Service account authentication":                         false,
		"Exact chart palette and motion":                         false,
		"Pre-configured templates for water and battery":         false,
	} {
		g := Of(text)
		if p := max(g.FirstBase, g.Finite); p > .5 != want {
			t.Errorf("%q: %.2f %.2f", text, g.FirstBase, g.Finite)
		}
	}
}

// TestTail: what follows a mark is looked at by itself.
func TestTail(t *testing.T) {
	if g := Of("Commands: CLI patterns"); g.Tail < 0 || g.Tail > .5 {
		t.Errorf("a name behind a mark: %.2f", g.Tail)
	}
	if g := Of("Sessions: they live in Redis"); g.Tail < .5 {
		t.Errorf("a statement behind a mark: %.2f", g.Tail)
	}
	if g := Of("Sessions live in Redis"); g.Tail != -1 {
		t.Errorf("without a mark: %.2f", g.Tail)
	}
}

// TestLexicon: the lexicon has whole entries in the order of their hashes.
func TestLexicon(t *testing.T) {
	body := lexicon[int(Classes)*int(Classes):]
	if len(body)%entrySize != 0 || len(body) == 0 || len(lexicon) > 72<<10 {
		t.Fatalf("%d bytes", len(lexicon))
	}
	for i := entrySize; i < len(body); i += entrySize {
		if body[i-entrySize:i-entrySize+hashSize] >= body[i:i+hashSize] {
			t.Fatalf("entry %d is out of order", i/entrySize)
		}
	}
	if find("use") < 0 || find("no-such-word") >= 0 {
		t.Error("find")
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{"", "`", "](", "a](b", "é É", "(", ". .", "\x00\xff", "[x] a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g := Of(text)
		for _, x := range []float64{g.FirstBase, g.Finite, g.Verbs, g.Order, g.Tail, g.Share[Noun], g.Last[Noun]} {
			if math.IsNaN(x) || math.IsInf(x, 0) || x < -1 {
				t.Errorf("%q: %+v", text, g)
			}
		}
	})
}

func BenchmarkOf(b *testing.B) {
	for b.Loop() {
		Of("The cache is per user: flush `sessions/` after a sign-out, because old clients keep it until they are restarted.")
	}
}
