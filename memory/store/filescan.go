package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"manicule/indexer/sorting"
	"manicule/memory/file"
)

// fileScan reads the memory files if there is no usable database, as before the first index. A hook
// has a tenth of a second, too little to parse ten thousand files, so it selects files that mention
// the query.
type fileScan struct {
	paths []string // newest first, by id

	mu    sync.Mutex
	rows  map[string]Row  // parsed files; guarded by mu
	tried map[string]bool // including damaged files; guarded by mu
}

// useFiles lists the memory files.
func (q *FastReader) useFiles() error {
	if err := q.Close(); err != nil {
		return fmt.Errorf("close the hooks' file: %w", err)
	}
	q.fresh = nil
	l := listing{files: map[string]diskFile{}}
	for _, rel := range file.Folders() {
		_, ok, err := l.folder(q.config.Dir, rel)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := l.names(filepath.Join(q.config.Dir, filepath.FromSlash(rel)), rel); err != nil {
			return err
		}
	}
	q.files = &fileScan{paths: slices.Collect(maps.Keys(l.files)), rows: map[string]Row{}, tried: map[string]bool{}}
	sorting.Func(q.files.paths, func(a, b string) int {
		return cmp.Or(strings.Compare(path.Base(b), path.Base(a)), strings.Compare(a, b))
	})
	return nil
}

// searchTexts returns what a memory about a path usually contains: the path's name or its folder.
func searchTexts(rel string, isDir bool) []string {
	if rel == "" {
		return nil
	}
	if isDir {
		return []string{rel + "/"}
	}
	if dir := path.Dir(rel); dir != "." {
		return []string{path.Base(rel), dir + "/"}
	}
	return []string{rel}
}

// containing returns what could be read in half of the remaining time: first files that contain one
// of the texts, then the others, newest first.
func (l *fileScan) containing(ctx context.Context, q *FastReader, texts []string) []Row {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	if len(texts) > 0 {
		l.each(ctx, q, func(path string, buf []byte) bool {
			data := endsOf(filepath.Join(q.config.Dir, filepath.FromSlash(path)), buf)
			return slices.ContainsFunc(texts, func(t string) bool { return bytes.Contains(data, []byte(t)) })
		})
	}
	l.each(ctx, q, func(string, []byte) bool { return true })
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.SortedFunc(maps.Values(l.rows), func(a, b Row) int { return strings.Compare(a.Path, b.Path) })
}

// byPath returns the memories with some paths.
func (l *fileScan) byPath(ctx context.Context, q *FastReader, paths []string) []Row {
	var out []Row
	for _, p := range paths {
		if ctx.Err() != nil || !file.IsMemoryPath(p) {
			continue
		}
		if r, ok := q.readRow(p); ok {
			out = append(out, r)
		}
	}
	return out
}

// A file of up to scannedWhole bytes is searched as a whole, of a larger one the first scannedHead
// and the last scannedTail bytes: scope and anchors follow the text, and a gigabyte of large files
// can't be read in the time of a hook.
const (
	scannedWhole = 64 << 10
	scannedHead  = 2 << 10
	scannedTail  = 14 << 10
)

// each reads the wanted files that were not read yet, until the context ends. It does not wait for the files that are
// being read then: beside a process that fills the database, a large one alone can take the rest of a hook's time.
func (l *fileScan) each(ctx context.Context, q *FastReader, wanted func(path string, buf []byte) bool) {
	var left []string
	l.mu.Lock()
	for _, p := range l.paths {
		if !l.tried[p] {
			left = append(left, p)
		}
	}
	l.mu.Unlock()
	workers := min(max(2, runtime.GOMAXPROCS(0)), 4)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			buf := make([]byte, scannedWhole)
			for i := w; i < len(left) && ctx.Err() == nil; i += workers {
				if wanted(left[i], buf) {
					l.read(q, left[i])
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// read parses a file, and keeps what is in it.
func (l *fileScan) read(q *FastReader, path string) {
	r, ok := q.readRow(path)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tried[path] = true; ok {
		l.rows[path] = r
	}
}
