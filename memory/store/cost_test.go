package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"manicule/memory/file"
)

// quickest is the shortest of some runs.
func quickest(t testing.TB, runs int, f func() error) time.Duration {
	t.Helper()
	var all []time.Duration
	for range runs {
		start := time.Now()
		if err := f(); err != nil {
			t.Fatal(err)
		}
		all = append(all, time.Since(start))
	}
	return slices.Min(all)
}

// TestCosts holds what reading costs as memories grow, as parts of what else is
// measured in the same run: a slow machine slows both. Measured were a two-hundredth
// of a whole look for a glance and of reading all for a count, and a fortieth for a
// folder's outlines.
func TestCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes some thousand files")
	}
	s, memories, _ := glancing(t, 0)
	const n = 4000
	var list []*file.Memory
	for i := range n {
		list = append(list, sample(i))
	}
	if _, err := file.WriteAll(memories, list); err != nil {
		t.Fatal(err)
	}
	sync := func() error { _, err := s.Sync(t.Context()); return err }
	if err := sync(); err != nil {
		t.Fatal(err)
	}
	whole := quickest(t, 10, sync)
	look := quickest(t, 10, func() error { _, err := s.SyncIfStale(t.Context()); return err })
	if look > whole/2 {
		t.Errorf("a glance takes %v, a look at all files %v", look, whole)
	}
	all := quickest(t, 3, func() error { _, err := s.All(t.Context()); return err })
	total := quickest(t, 10, func() error { _, err := s.Total(t.Context()); return err })
	if total > all/4 {
		t.Errorf("to count takes %v, to read all %v", total, all)
	}
	outlines := quickest(t, 5, func() error { _, err := s.OutlinesReaching(t.Context(), "src/m7", true); return err })
	if outlines > all {
		t.Errorf("outlines of a hundredth take %v, to read all %v", outlines, all)
	}
	t.Logf("%d memories: whole look %v, glance %v, all rows %v, count %v, outlines of a folder %v", n, whole, look, all, total, outlines)
}

// stored is a store with n memories.
func stored(b *testing.B, n int) (*Memories, string) {
	b.Helper()
	s, dir := fixture(b, 0)
	var list []*file.Memory
	for i := range n {
		list = append(list, sample(i))
	}
	if _, err := file.WriteAll(filepath.Join(dir, "memories"), list); err != nil {
		b.Fatal(err)
	}
	for range 2 {
		if _, err := s.Sync(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	return s, dir
}

// BenchmarkGrowth is what each command does first, and asks, as memories grow.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{1000, 10_000, 30_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, _ := stored(b, n)
			s.trust = func(int) time.Duration { return time.Hour }
			for name, f := range map[string]func() error{
				"whole look": func() error { _, err := s.Sync(b.Context()); return err },
				"glance":     func() error { _, err := s.SyncIfStale(b.Context()); return err },
				"count":      func() error { _, err := s.Total(b.Context()); return err },
				"search":     func() error { _, err := s.Search(b.Context(), "pitfalls number 77", 20); return err },
				"reaching":   func() error { _, err := s.OutlinesReaching(b.Context(), "src/m7/x.go", false); return err },
			} {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						if err := f(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// BenchmarkFirstSync is the database made from the files.
func BenchmarkFirstSync(b *testing.B) {
	const n = 5000
	s, _ := stored(b, n)
	for b.Loop() {
		if err := s.Rebuild(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/n, "µs/memory")
}
