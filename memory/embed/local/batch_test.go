package local

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	tests := []struct {
		in    string
		limit int
		want  string
	}{
		{"a\u200bb\ufeffc\u00add", 100, "abcd"},
		{"bad \xff\xfe bytes", 100, "bad  bytes"},
		{"日本語", 7, "日本"},
		{"日本語", 2, ""},
		{"tab\tand\nline stay", 100, "tab\tand\nline stay"},
	}
	for _, tt := range tests {
		if got := clean(tt.in, tt.limit); got != tt.want {
			t.Errorf("clean(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\u200bb", 3)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if limit < 0 {
			return
		}
		if got := clean(text, limit); len(got) > limit || !utf8.ValidString(got) {
			t.Errorf("clean(%q, %d) = %q", text, limit, got)
		}
	})
}

func TestBuckets(t *testing.T) {
	if got := buckets(256); !slices.Equal(got, []int{16, 32, 64, 96, 128, 192, 256}) {
		t.Errorf("%v", got)
	}
	for n, want := range map[int]int{1: 16, 16: 16, 17: 32, 256: 256, 300: 256} {
		if got := bucket(n, buckets(256)); got != want {
			t.Errorf("bucket(%d) = %d, want %d", n, got, want)
		}
	}
}

// TestBatches: every text is in one batch that is wide enough, and no batch is
// larger than asked for.
func TestBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	widths := buckets(256)
	for range 200 {
		lengths := make([]int, r.IntN(60))
		for i := range lengths {
			lengths[i] = 2 + r.IntN(255)
		}
		seen := make([]int, len(lengths))
		for _, b := range batches(lengths, widths, 512, 8) {
			if len(b.at) == 0 || len(b.at) > 8 || (len(b.at) > 1 && len(b.at)*b.width > 512) {
				t.Fatalf("a batch of %d texts of %d tokens", len(b.at), b.width)
			}
			for _, i := range b.at {
				seen[i]++
				if lengths[i] > b.width {
					t.Fatalf("%d tokens in a width of %d", lengths[i], b.width)
				}
			}
		}
		if slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
			t.Fatalf("texts are in so many batches: %v", seen)
		}
	}
}

// TestPadding holds how many tokens are computed for those that texts have: alone exactly these,
// together at most a quarter more.
func TestPadding(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	widths := buckets(96)
	lengths := make([]int, 2000)
	needed := 0
	for i := range lengths {
		lengths[i] = min(96, 10+int(r.ExpFloat64()*120)) // of code: a third is cut, few are short
		needed += lengths[i]
	}
	for _, tt := range []struct {
		texts        int
		most         float64
		runs, atMost int
	}{
		{1, 1, 2000, 2000},
		{runtimeTexts, 1.25, 200, 500},
	} {
		computed := 0
		list := unpadded(lengths, widths, runtimeCells, tt.texts)
		for _, b := range list {
			computed += b.cells()
		}
		if share := float64(computed) / float64(needed); share < 1 || share > tt.most || len(list) < tt.runs || len(list) > tt.atMost {
			t.Errorf("up to %d texts: %.3f tokens computed for one needed, in %d runs", tt.texts, share, len(list))
		}
	}
}

// TestOpenFails: what is missing or is something else is an error and no crash.
func TestOpenFails(t *testing.T) {
	_, _, err := Open(t.Context(), Options{Dir: t.TempDir(), File: "model.onnx", MaxTokens: 256, Dims: 384})
	if err == nil || !strings.Contains(err.Error(), "tokenizer") {
		t.Errorf("an empty folder: %v", err)
	}
	if err := load(filepath.Join(t.TempDir(), "absent.so")); err == nil {
		t.Error("a library that is not there was loaded")
	}
	var failed error
	func() {
		defer recovered(&failed)
		panic("can't compile")
	}()
	if failed == nil || !strings.Contains(failed.Error(), "can't compile") {
		t.Errorf("%v", failed)
	}
}
