package resolve

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"manicule/grammars"
	"manicule/indexer/extract"
)

func TestScratch(t *testing.T) {
	root := os.Getenv("SCRATCH")
	if root == "" {
		t.Skip()
	}
	var paths []string
	filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "testdata" && false) {
			return filepath.SkipDir
		}
		if !d.IsDir() {
			rel, _ := filepath.Rel(root, p)
			paths = append(paths, rel)
		}
		return nil
	})
	start := time.Now()
	facts := make([]*extract.Facts, len(paths))
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.NumCPU() {
		wg.Go(func() {
			for i := range next {
				l, ok := grammars.ForPath(paths[i])
				if !ok {
					continue
				}
				src, _ := os.ReadFile(filepath.Join(root, paths[i]))
				f, err := extract.Index(t.Context(), l.ID, src)
				if err == nil {
					facts[i] = f
				}
			}
		})
	}
	for i := range paths {
		next <- i
	}
	close(next)
	wg.Wait()
	fmt.Println("extract", time.Since(start))
	var refs, binds, syms, bytes int
	for _, f := range facts {
		if f != nil {
			refs += len(f.Refs)
			binds += len(f.Binds)
			syms += len(f.Symbols)
		}
	}
	_ = bytes
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println("refs", refs, "binds", binds, "symbols", syms, "heap MB", m.HeapAlloc>>20, m.Sys>>20)
	start = time.Now()
	p := NewProject(paths, func(s string) ([]byte, error) { return os.ReadFile(filepath.Join(root, s)) })
	table := NewTable(p)
	files := make([]*File, len(paths))
	for i, f := range facts {
		if f != nil {
			files[i] = table.Add(paths[i], int32(i+1), f)
		}
	}
	fmt.Println("table", time.Since(start))
	start = time.Now()
	all := make([][]Edge, len(paths))
	next = make(chan int)
	for range runtime.NumCPU() {
		wg.Go(func() {
			r := NewResolver(table)
			for i := range next {
				if files[i] != nil {
					all[i] = r.Edges(files[i], facts[i])
				}
			}
		})
	}
	for i := range paths {
		next <- i
	}
	close(next)
	wg.Wait()
	fmt.Println("resolve", time.Since(start))
	local, ext, may, calls, callsLocal := 0, 0, 0, 0, 0
	for _, es := range all {
		for _, e := range es {
			switch {
			case e.To == nil:
				ext++
			case e.May:
				may++
			default:
				local++
				if e.Kind == "call" {
					callsLocal++
				}
			}
		}
	}
	for i, f := range facts {
		if f == nil {
			continue
		}
		got := map[int]bool{}
		for _, e := range all[i] {
			got[e.Offset] = true
		}
		n := 0
		src, _ := os.ReadFile(filepath.Join(root, paths[i]))
		for _, r := range f.Refs {
			if r.Kind == "call" {
				calls++
				if !got[r.Start] && !goBuiltins[r.Name] && i%97 == 0 && n < 12 && os.Getenv("MISS") != "" {
					n++
					line := 1
					for _, c := range src[:r.Start] {
						if c == '\n' {
							line++
						}
					}
					fmt.Printf("MISS %s:%d %s of %q\n", paths[i], line, r.Name, r.Recv)
				}
			}
		}
	}
	fmt.Println("edges local", local, "calls", callsLocal, "may", may, "external", ext, "of calls", calls)
}
