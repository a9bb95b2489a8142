//go:build unix

package follow

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/gitinfo"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/file"
)

// The size that issue 4 names.
const (
	benchFiles   = 2000
	benchTouched = 200
	benchPerFile = 5 // anchors
)

// benchFile is a file of some functions; changed has another body in each.
func benchFile(n int, changed bool) string {
	text := fmt.Sprintf("package p%d\n", n)
	for i := range benchPerFile {
		extra := ""
		if changed {
			extra = "\tlog.Println(\"changed\", sum)\n"
		}
		text += fmt.Sprintf("\n// Sum%d adds.\nfunc Sum%d(values []int, from, to int) (sum int) {\n\tfor i := from; i < to; i++ {\n\t\tif values[i] > %d {\n\t\t\tsum += values[i] * %d\n\t\t}\n\t}\n%s\treturn sum\n}\n", i, i, n, n+i, extra)
	}
	return text
}

// benchWorld has 10,000 anchors in 2,000 files, and a branch that touches 200.
func benchWorld(b *testing.B) *world {
	b.Helper()
	x := newWorld(b)
	for n := range benchFiles {
		x.write(fmt.Sprintf("d%d/f%d.go", n%40, n), benchFile(n, false))
	}
	x.commit("one")
	commit := x.head()
	for n := range benchFiles {
		path := fmt.Sprintf("d%d/f%d.go", n%40, n)
		text := []byte(benchFile(n, false))
		for i := range benchPerFile {
			a, err := anchoring.Make(b.Context(), anchor.Place{Path: path, Symbol: fmt.Sprintf("Sum%d", i)}, "go", text)
			must.OK(b, err)
			a.Blob, a.Commit = gitinfo.BlobID(text), commit
			m := &file.Memory{Format: file.Format, UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", n*benchPerFile+i), Type: file.Gotcha, Layer: file.AreaContext,
				What: fmt.Sprintf("what holds for %d of %d", i, n), Anchors: []anchor.Anchor{a}, Visibility: file.Project, Importance: file.Medium, Confidence: 1,
				Trust: file.Trust{Origin: file.UserTaught}, Lineage: file.Lineage{Version: 1, ChangeKind: "create"}, CreatedAt: file.At(*x.now), UpdatedAt: file.At(*x.now)}
			data, err := m.Marshal()
			must.OK(b, err)
			name := filepath.Join(x.w.Place().MemoriesDir(), filepath.FromSlash(m.RelPath()))
			must.OK(b, os.MkdirAll(filepath.Dir(name), 0o755))
			must.OK(b, os.WriteFile(name, data, 0o644))
		}
	}
	x.commit("memories")
	x.git("checkout", "-qb", "touched")
	for n := range benchTouched {
		x.write(fmt.Sprintf("d%d/f%d.go", n%40, n), benchFile(n, true))
	}
	x.commit("touch")
	x.git("checkout", "-q", "main")
	if r := x.refresh(); r.Anchors != benchFiles*benchPerFile {
		b.Fatalf("%+v", r)
	}
	return x
}

// spent is the processor time that this process used, in milliseconds. On a
// machine that others use it says more than the clock.
func spent(b *testing.B) float64 {
	var u syscall.Rusage
	must.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

// timed refreshes with the clock running and adds the processor time.
func (x *world) timed(b *testing.B, total *float64) Report {
	b.StartTimer()
	before := spent(b)
	r := x.refresh()
	*total += spent(b) - before
	b.StopTimer()
	return r
}

// BenchmarkSwitch is a Refresh after a branch switch: the first time the 1,000
// anchors in the 200 files are looked for, after that they are looked up.
func BenchmarkSwitch(b *testing.B) {
	x := benchWorld(b)
	b.Run("first", func(b *testing.B) {
		cpu := 0.0
		for b.Loop() {
			b.StopTimer()
			x.git("checkout", "-q", "main")
			*x.now = x.now.Add(time.Second) // a database of another name
			must.OK(b, x.w.Store().Rebuild(b.Context()))
			x.refresh()
			x.git("checkout", "-q", "touched")
			if r := x.timed(b, &cpu); r.Resolved != benchTouched*benchPerFile || len(r.Changes) != benchTouched*benchPerFile {
				b.Fatalf("%d resolved, %d changes", r.Resolved, len(r.Changes))
			}
			b.StartTimer()
		}
		b.ReportMetric(cpu/float64(b.N), "cpu-ms/op")
	})
	b.Run("again", func(b *testing.B) {
		cpu := 0.0
		branch := []string{"main", "touched"}
		for i := range 2 {
			x.git("checkout", "-q", branch[i])
			x.refresh()
		}
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			x.git("checkout", "-q", branch[i%2])
			if r := x.timed(b, &cpu); r.Resolved != 0 {
				b.Fatalf("%d resolved", r.Resolved)
			}
			b.StartTimer()
		}
		b.ReportMetric(cpu/float64(b.N), "cpu-ms/op")
	})
	b.Run("nothing", func(b *testing.B) {
		for b.Loop() {
			if r := x.refresh(); len(r.Changes) != 0 {
				b.Fatalf("%d changes", len(r.Changes))
			}
		}
	})
	b.Run("look", func(b *testing.B) {
		r, err := x.w.Recaller().Recall(b.Context(), memory.Query{Paths: []string{"d1/f1.go"}})
		must.OK(b, err)
		for b.Loop() {
			if _, err := x.Locate(b.Context(), r.Hits); err != nil {
				b.Fatal(err)
			}
		}
	})
}
