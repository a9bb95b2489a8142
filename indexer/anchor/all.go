package anchor

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
)

// ResolveAll finds many anchors in the new state of the tree, as after a switch
// of branches: the same as Resolve for each, in their order, on all processors.
// The functions of the world must be safe for concurrent use.
func (w *World) ResolveAll(anchors []Anchor) []Resolution {
	out := make([]Resolution, len(anchors))
	files := byFile(anchors)
	workers := min(runtime.GOMAXPROCS(0), len(files))
	if workers < 2 {
		for i, a := range anchors {
			out[i] = w.Resolve(a)
		}
		return out
	}
	ask := make(chan []int)
	var wg sync.WaitGroup
	changed := sync.OnceValue(w.allChanged)
	for range workers {
		// Each has its own memory of what it compared: what anchors of one file
		// need is seldom what those of another one do, and waiting costs more.
		fork := &World{New: w.New, Old: w.Old, Blob: w.Blob, Changed: changed, Renamed: w.Renamed, Paths: w.Paths}
		wg.Go(func() {
			for file := range ask {
				for _, i := range file {
					out[i] = fork.Resolve(anchors[i])
				}
			}
		})
	}
	for _, file := range files {
		ask <- file
	}
	close(ask)
	wg.Wait()
	return out
}

// allChanged asks for the files that changed, as differ does.
func (w *World) allChanged() []Change {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.differ()
}

// byFile groups anchors by their file, by their indices; those with the most
// come first, so that the workers end together.
func byFile(anchors []Anchor) [][]int {
	at := make(map[string]int)
	var files [][]int
	for i, a := range anchors {
		k, ok := at[a.Path]
		if !ok {
			k = len(files)
			at[a.Path] = k
			files = append(files, nil)
		}
		files[k] = append(files[k], i)
	}
	slices.SortStableFunc(files, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	return files
}
