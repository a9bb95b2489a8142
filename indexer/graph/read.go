package graph

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"manicule/indexer/extract"
)

// parsed is a file that was read again.
type parsed struct {
	row    *row
	rec    *record // nil where it can't be indexed
	decls  []byte
	uses   []byte
	names  []uint32
	chunks []Chunk
	same   bool // the content is what it was
}

// hashName is the hash by which a mentioned name is kept.
func hashName(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // never fails
	return h.Sum32()
}

// mentions are the hashes of all names in a file that a declaration elsewhere
// could change the meaning of.
func mentions(f *extract.Facts) []uint32 {
	set := make(map[string]bool, len(f.Refs)/2)
	word := func(s string) {
		start := -1
		for i := 0; i <= len(s); i++ {
			in := i < len(s) && (s[i] == '_' || s[i] == '$' || s[i] >= 0x80 || s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z')
			switch {
			case in && start < 0:
				start = i
			case !in && start >= 0:
				set[s[start:i]] = true
				start = -1
			}
		}
	}
	for _, r := range f.Refs {
		set[r.Name] = true
		if r.Recv != "" {
			word(r.Recv)
		}
	}
	for _, b := range f.Binds {
		word(b.Type)
		word(b.Value)
	}
	for _, s := range f.Symbols {
		word(s.Type)
		word(s.Value)
	}
	for _, i := range f.Uses {
		word(i.Module)
		word(i.Name)
	}
	out := make([]uint32, 0, len(set))
	for name := range set {
		out = append(out, hashName(name))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// read reads and parses one file.
func (ix *Index) read(ctx context.Context, f found, old *row, seen int64) (*parsed, error) {
	p := &parsed{row: &row{path: f.path, lang: f.lang, stat: f.stat, seen: seen, stale: true}}
	if f.stat.size > extract.MaxSize {
		p.row.reason = fmt.Sprintf("larger than %d MB", extract.MaxSize>>20)
		p.row.hash = []byte{}
		return p, nil
	}
	src, err := os.ReadFile(filepath.Join(ix.o.Root, filepath.FromSlash(f.path)))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		p.row.reason, p.row.hash = "can't be read", []byte{}
		return p, nil
	}
	sum := sha256.Sum256(src)
	p.row.hash = sum[:16]
	if old != nil && bytes.Equal(old.hash, p.row.hash) && old.lang == f.lang {
		p.same = true
		return p, nil
	}
	if f.lang == "" {
		p.row.reason = "build file"
		return p, nil
	}
	if p.row.reason = unfit(f.path, src); p.row.reason != "" {
		return p, nil
	}
	facts, err := extract.Index(ctx, f.lang, src)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.row.reason = err.Error()
		return p, nil
	}
	p.row.errors = len(facts.Errors)
	p.rec = &record{facts: facts}
	p.uses, p.names, p.chunks = encodeUses(facts), mentions(facts), chunks(f.path, facts, src)
	return p, nil
}

// number gives the symbols of a file their stable ids: those that they had,
// where one of the same path is there already.
func number(rec *record, old *record) {
	rec.next = 1
	ids := map[string][]int32{}
	if old != nil {
		rec.next = old.next
		for i, s := range old.facts.Symbols {
			ids[s.Path] = append(ids[s.Path], old.locals[i])
		}
	}
	rec.locals = make([]int32, len(rec.facts.Symbols))
	for i, s := range rec.facts.Symbols {
		if was := ids[s.Path]; len(was) > 0 {
			rec.locals[i], ids[s.Path] = was[0], was[1:]
			continue
		}
		rec.locals[i] = rec.next
		rec.next++
	}
}

// ahead is how many files may be parsed while a batch is being written.
const ahead = 64

// parseAll reads files in parallel, with a bounded queue. take is called in
// this goroutine, flush after every batch.
func (ix *Index) parseAll(ctx context.Context, files []found, seen int64, progress func(Progress), take func(*parsed) error, flush func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type item struct {
		file found
		old  *row // as it was before this synchronisation
	}
	items := make([]item, 0, len(files))
	for _, f := range files {
		items = append(items, item{f, ix.rows[f.path]})
	}
	work := make(chan item)
	results := make(chan *parsed, ahead)
	faults := make(chan error, ix.o.Workers+1)
	var wg sync.WaitGroup
	for range ix.o.Workers {
		wg.Go(func() {
			for i := range work {
				p, err := ix.read(ctx, i.file, i.old, seen)
				if err != nil {
					faults <- err
					cancel()
					return
				}
				select {
				case results <- p:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		defer close(work)
		for _, i := range items {
			select {
			case work <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		wg.Wait()
		close(results)
	}()
	n := 0
	var err error
	for p := range results {
		n++
		if p == nil || err != nil {
			continue
		}
		if err = take(p); err == nil && n%batchFiles == 0 {
			err = flush()
		}
		if err != nil {
			cancel()
		}
		progress(Progress{Phase: "read", Done: n, Total: len(files)})
	}
	select {
	case e := <-faults:
		err = errors.Join(err, e)
	default:
	}
	if err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return flush()
}
