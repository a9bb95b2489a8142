package named

import (
	"slices"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	if len(weights) != Buckets {
		t.Fatalf("%d weights", len(weights))
	}
	names, statements := []string{"Existing campaigns", "- Ambient sounds", "## Code of conduct", "Carrier-specific settings"},
		[]string{"Use `pnpm` for every package, because the lock file is its own", "Never edit the generated files: change the template instead, since they are made again", "The cache is per user, so flush it after a sign-out."}
	for _, x := range names {
		if p := Of(x); p < .6 {
			t.Errorf("%q is a name with %.2f: %q", x, p, heaviest(x, 4))
		}
	}
	for _, x := range statements {
		if p := Of(x); p > .4 {
			t.Errorf("%q is a name with %.2f: %q", x, p, heaviest(x, 4))
		}
	}
}

func TestForms(t *testing.T) {
	got := Forms("- [ ] Use `make lint` in [the docs](https://example.com/a)")
	for _, want := range []string{"first use", "pair use code", "second code", "word docs", "last docs", "pair docs $"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if n := len(Forms(strings.Repeat("word ", 10000))); n > 10*mostWords {
		t.Errorf("%d forms of a long text", n)
	}
	if h := heaviest("Existing campaigns", 2); len(h) != 2 {
		t.Errorf("heaviest: %q", h)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("Existing campaigns")
	f.Add("\xff`[](\x00")
	f.Fuzz(func(t *testing.T, s string) {
		if p := Of(s); p < 0 || p > 1 {
			t.Errorf("%q: %v", s, p)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	text := strings.Repeat("The cache is per user: flush `sessions/` after a sign-out. ", 17)
	for b.Loop() {
		Of(text)
	}
}

// heaviest returns up to n forms of a text that have the largest weights, for either answer, the largest first.
func heaviest(text string, n int) []string {
	forms := Forms(text)
	slices.Sort(forms)
	forms = slices.Compact(forms)
	size := func(f string) int { return max(int(int8(weights[bucket(f)])), -int(int8(weights[bucket(f)]))) }
	slices.SortStableFunc(forms, func(a, b string) int { return size(b) - size(a) })
	return forms[:min(n, len(forms))]
}
