package graph

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// Skipped is a file without symbols, and the reason.
type Skipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// State describes the index.
type State struct {
	Counts
	Commit  string    `json:"commit,omitzero"` // checked out at the last update
	Indexed time.Time `json:"indexed"`         // zero if it never was
	Schema  int       `json:"schema"`
	Bytes   int64     `json:"bytes"` // size of the database
	Chunks  int       `json:"chunks"`
	Errors  []Skipped `json:"errors"`  // files with syntax that the grammar does not understand
	Skipped []Skipped `json:"skipped"` // sorted by path
	Faults  []Skipped `json:"faults"`  // files that triggered a fault in Manicule itself
	Alarms  []string  `json:"alarms"`  // exceeded thresholds

	Slow time.Duration `json:"-"` // 99th percentile of impact queries when Measure last ran
}

// Thresholds above which another kind of store would be due. The number of symbols began as 50,000;
// of a graph with 414,407 (5 million lines) 95 of 100 questions about an impact are answered within
// 0.6 ms (bench graph --scale).
const (
	manyNodes = 500_000
	manyBytes = 500 << 20
	slowQuery = 100 * time.Millisecond // for the 99th percentile
)

// metaSlow is the key of the last measured 99th percentile of impact queries, in
// nanoseconds.
const metaSlow = "impact_p99_ns"

// metaSlowOf is the key of the mark that the store had then: until somebody writes there is nothing new to measure.
const metaSlowOf = "impact_p99_of"

// sampleSize is how many symbols Measure queries.
const sampleSize = 300

// Measure runs impact queries for symbols from the whole workspace, and returns the
// 99th percentile of their time. State reports it. What was measured of the same graph is not measured again.
func (ix *Index) Measure(ctx context.Context) (time.Duration, error) {
	if p99, ok, err := ix.measured(ctx); ok || err != nil {
		return p99, err
	}
	var p99 time.Duration
	var of string
	var failed error
	err := ix.Ask(ctx, func(g *Graph) {
		p99, failed = g.measureP99(ctx, ix.held.o.Now)
		if of = ""; g.part != nil {
			of = g.part.written
		}
	})
	if err = cmp.Or(err, failed); err != nil {
		return 0, err
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	s := ix.held.s
	unlock, err := s.lock()
	if errors.Is(err, ErrBusy) { // an indexing process is measured another time
		return p99, nil
	}
	if err != nil {
		return p99, err
	}
	defer unlock()
	if err := s.open(ctx); err != nil { // it may be closed again: nothing was held while it was measured
		return p99, err
	}
	written, err := s.meta(ctx, metaWritten)
	if err != nil {
		return p99, err
	}
	return p99, s.note(ctx, func(b *batch) error {
		err := b.exec(ctx, qPutMeta, metaSlow, strconv.FormatInt(int64(p99), 10))
		if err == nil && written == cmp.Or(of, s.written) { // else the graph in memory is older than what is stored
			err = b.exec(ctx, qPutMeta, metaSlowOf, written)
		}
		return err
	})
}

// measured returns what was measured of the graph as it is stored, if anything was.
func (ix *Index) measured(ctx context.Context) (p99 time.Duration, ok bool, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.held.s.measured(ctx)
}

// measured returns the time that was measured of the graph as it is stored, if there is one: to load the graph for it again takes
// seconds where it is large.
func (s *store) measured(ctx context.Context) (p99 time.Duration, ok bool, err error) {
	if err := s.open(ctx); err != nil {
		return 0, false, err
	}
	of, err := s.meta(ctx, metaSlowOf)
	if err != nil || of == "" {
		return 0, false, err
	}
	written, err := s.meta(ctx, metaWritten)
	if err != nil || of != written {
		return 0, false, err
	}
	slow, err := s.meta(ctx, metaSlow)
	if err != nil {
		return 0, false, err
	}
	n, err := strconv.ParseInt(slow, 10, 64)
	return time.Duration(n), err == nil, nil
}

// measureP99 times impact queries for evenly spaced symbols. What they need is read before.
func (g *Graph) measureP99(ctx context.Context, now func() time.Time) (time.Duration, error) {
	var times []time.Duration
	for _, s := range sample(g, sampleSize) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if g.part != nil {
			g.Impact([]*Symbol{s}, DefaultDepth)
		}
		start := now()
		g.Impact([]*Symbol{s}, DefaultDepth)
		times = append(times, now().Sub(start))
		if g.part != nil {
			g.part.forgetMany()
		}
	}
	if len(times) == 0 {
		return 0, nil
	}
	slices.Sort(times)
	return times[len(times)*99/100], nil
}

// symbolsNamed returns the symbols, ordered by file, of all files that have one whose name is wanted.
func (g *Graph) symbolsNamed(wanted func(name string) bool) []*Symbol {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var all []*Symbol
	for _, st := range slices.SortedFunc(g.naming(wanted), func(a, b *fileState) int { return strings.Compare(a.path, b.path) }) {
		all = append(all, st.file.Symbols...)
	}
	return all
}

// sample returns up to n symbols, spread evenly over all files.
func sample(g *Graph, n int) (out []*Symbol) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	size := map[string]int{}
	g.eachSize(func(p string, symbols int) { size[p] = symbols })
	paths := slices.Sorted(maps.Keys(size))
	before := make([]int, len(paths)+1) // how many symbols the files before one have
	for i, p := range paths {
		before[i+1] = before[i] + size[p]
	}
	total := before[len(paths)]
	n = min(n, total)
	for i := range n {
		at := i * total / n
		file, exact := slices.BinarySearch(before, at)
		for ; exact && before[file+1] == at; file++ { // without symbols
		}
		if !exact {
			file--
		}
		if st := g.at(paths[file]); st != nil && at-before[file] < len(st.file.Symbols) {
			out = append(out, st.file.Symbols[at-before[file]])
		}
	}
	return out
}

// exceededThresholds names the exceeded thresholds.
func exceededThresholds(symbols int, bytes int64, p99 time.Duration) (out []string) {
	if symbols > manyNodes {
		out = append(out, fmt.Sprintf("the graph has %d symbols, more than the %d it was measured to be quick with", symbols, manyNodes))
	}
	if bytes > manyBytes {
		out = append(out, fmt.Sprintf("graph.db has %d MB, more than %d", bytes>>20, manyBytes>>20))
	}
	if p99 > slowQuery {
		out = append(out, fmt.Sprintf("one of a hundred questions takes %d ms, more than %d", p99.Milliseconds(), slowQuery.Milliseconds()))
	}
	return out
}

// State describes the index.
func (ix *Index) State(ctx context.Context) (State, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	h := ix.held
	if err := h.s.open(ctx); err != nil {
		return State{}, err
	}
	if err := h.tree.readRows(ctx); err != nil {
		return State{}, err
	}
	st := State{Schema: schema}
	if h.g != nil {
		st.Counts = h.g.Counts()
	} else if err := h.tree.counts(ctx, &st.Counts); err != nil { // loading the graph takes longer than counting in the database
		return st, err
	}
	for p, r := range h.tree.rows {
		st.Chunks += r.chunks
		switch {
		case r.reason != "":
			st.Skipped = append(st.Skipped, Skipped{p, r.reason})
		case r.errors > 0:
			st.Errors = append(st.Errors, Skipped{p, fmt.Sprintf("%d places that the grammar does not understand", r.errors)})
		}
	}
	for p, what := range h.tree.faults.byPath {
		st.Faults = append(st.Faults, Skipped{p, what})
	}
	byFile := func(a, b Skipped) int { return strings.Compare(a.File, b.File) }
	sorting.Func(st.Skipped, byFile)
	sorting.Func(st.Errors, byFile)
	sorting.Func(st.Faults, byFile)
	var err error
	if st.Commit, err = h.s.meta(ctx, "commit"); err != nil {
		return st, err
	}
	ns, err := h.s.meta(ctx, metaIndexed)
	if err != nil {
		return st, err
	}
	if n, err := strconv.ParseInt(ns, 10, 64); err == nil {
		st.Indexed = time.Unix(0, n).UTC()
	}
	if info, err := os.Stat(filepath.Join(h.s.dir, h.s.name)); err == nil {
		st.Bytes = info.Size()
	}
	slow, err := h.s.meta(ctx, metaSlow)
	if err != nil {
		return st, err
	}
	p99, _ := strconv.ParseInt(slow, 10, 64) // 0 if it was never measured
	st.Slow = time.Duration(p99)
	st.Alarms = exceededThresholds(st.Symbols, st.Bytes, st.Slow)
	return st, nil
}

// counts reads the counts that the last update stored.
func (t *tree) counts(ctx context.Context, c *Counts) error {
	for _, r := range t.rows {
		if r.reason == "" {
			c.Files++
		}
		if r.stale {
			c.Stale++
		}
	}
	for key, to := range map[string]*int{"symbols": &c.Symbols, "edges": &c.Edges} {
		v, err := t.s.meta(ctx, key)
		if err != nil {
			return err
		}
		if v == "" {
			continue
		}
		if *to, err = strconv.Atoi(v); err != nil {
			return fmt.Errorf("read graph.db: %w", errDamaged)
		}
	}
	return nil
}

// StoredSize is the size of the stored graph in bytes, 0 if there is none.
func (ix *Index) StoredSize() int64 {
	s := ix.held.s
	name, err := s.current()
	if err != nil {
		return 0
	}
	info, err := os.Stat(filepath.Join(s.dir, name))
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// Outline returns the symbols of one file as [Graph.Outline] does, and whether it changed since its edges were resolved. It reads
// that file alone, where the graph is not loaded. ok is false if the index does not have the file.
func (ix *Index) Outline(ctx context.Context, file string) (symbols []Ref, stale, ok bool, err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	h := ix.held
	if h.g != nil {
		return h.g.Outline(file), h.g.Stale(file), h.g.Has(file), nil
	}
	if err := h.s.open(ctx); err != nil {
		return nil, false, false, err
	}
	if err := h.tree.readRows(ctx); err != nil {
		return nil, false, false, err
	}
	r := h.tree.rows[file]
	if r == nil || r.reason != "" {
		return nil, false, false, nil
	}
	rec, err := h.s.record(ctx, r.id)
	if err != nil || rec == nil {
		return nil, false, false, err
	}
	table := resolve.NewTable(resolve.NewProject(nil, func(string) ([]byte, error) { return nil, fs.ErrNotExist }))
	alone := newGraph(table)
	alone.setFile(table.Add(file, r.id, rec.facts, rec.locals), nil)
	return alone.Outline(file), r.stale, true, nil
}

// Chunks returns the chunks of a file for retrieval.
func (ix *Index) Chunks(ctx context.Context, file string) ([]Chunk, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err := ix.held.s.open(ctx); err != nil {
		return nil, err
	}
	var data []byte
	err := ix.held.s.db.QueryRowContext(ctx, qChunksOf, file).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the chunks of %s: %w", file, err)
	}
	out, err := decodeChunks(data, file)
	if err != nil {
		return nil, fmt.Errorf("read the chunks of %s: %w", file, err)
	}
	return out, nil
}

// SymbolsAt returns the innermost symbols at ranges of lines (inclusive, from 1), and
// the file itself for lines outside of all symbols. A range that ends before it begins
// is the gap between the two lines: it touches the symbols around both.
func (g *Graph) SymbolsAt(file string, ranges [][2]int) []*resolve.Symbol {
	g.mu.RLock()
	defer g.mu.RUnlock()
	st := g.at(file)
	if st == nil {
		return nil
	}
	var out []*resolve.Symbol
	add := func(s *resolve.Symbol) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, r := range ranges {
		hit := false
		for _, s := range st.file.Symbols {
			if s.Line > r[1] || s.EndLine < r[0] {
				continue
			}
			inner := false
			for _, o := range st.file.Symbols {
				if o.Parent == s && o.Line <= min(r[0], r[1]) && o.EndLine >= max(r[0], r[1]) {
					inner = true
				}
			}
			if !inner {
				add(s)
				hit = true
			}
		}
		if !hit {
			add(st.file.Self)
		}
	}
	return out
}
