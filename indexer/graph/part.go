package graph

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
	"manicule/indexer/sqlfile"
)

// A part is a graph of which only that is read from the database what a question needs: the table
// lookup leads from a name to the files that declare it, and from a symbol to the files that use
// it; the declarations and the edges of a file are decoded when they are asked for. A whole graph of
// 20,000 files takes seconds to load, and most questions need a few hundred of them.
//
// The methods of a [Graph] have no errors, so a part keeps the first one, and [Index.Ask] answers
// from the whole graph then. Nothing keeps others from writing while a question is answered: if
// somebody did, it is asked again.
type part struct {
	*stored
	ctx   context.Context //nolint:containedctx // of one question; the methods of a graph have none
	stmts map[string]*sql.Stmt
	err   error // guarded by stored.mu, as stmts is
}

// stored is what parts have read of the graph that one write left. Questions share it.
type stored struct {
	db      *sqlfile.DB
	written string // the write
	byPath  map[string]int32
	largest int32 // id of a file

	// mu is held while the database is read, which waits for its only connection; who has that
	// connection, in eachRow, needs files and must not wait for mu. So who reads files holds either
	// mutex, and who changes it both.
	filesMu sync.Mutex
	files   map[int32]*fileState

	mu       sync.Mutex // guards what follows, and what files have read
	loaded   bool       // the table lookup
	declared []declaredNames
	start    []int32 // where the uses of a file's symbols begin, by its id
	uses     []use
	sorted   map[int32]bool    // the files whose uses are sorted
	merged   map[int32]bool    // the files that have edges of a SCIP index
	pairs    [][2]resolve.Node // by the first node
	reversed [][2]resolve.Node // the same by the second node; nil until read

	declarations, edges int // of how many files they were decoded
	held                int // how often since all of that was forgotten
}

// errWhole means that a question needs the whole graph.
var errWhole = errors.New("the question needs the whole graph")

// Ask calls f with the graph as of the last synchronization. It reads of the stored graph only what
// the methods that f calls need, unless the graph is loaded already or there are unsaved buffers. f
// may be called again, and then only the last call counts; it must not keep the graph.
func (ix *Index) Ask(ctx context.Context, f func(*Graph)) error {
	const attempts = 2 // while other processes write
	for range attempts {
		g, err := ix.beginPart(ctx)
		if err != nil {
			return err
		}
		if g == nil {
			break
		}
		f(g)
		whole, changed := g.part.finish()
		if !whole && !changed {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if whole {
			break
		}
	}
	g, err := ix.Graph(ctx)
	if err != nil {
		return err
	}
	f(g)
	return nil
}

func (ix *Index) beginPart(ctx context.Context) (*Graph, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.held.beginPart(ctx)
}

func newStored(s *store, rows map[string]*row) *stored {
	out := &stored{db: s.db, written: s.written, byPath: make(map[string]int32, len(rows)), files: make(map[int32]*fileState, len(rows)), sorted: map[int32]bool{}}
	all := make([]fileState, 0, len(rows))
	for p, r := range rows {
		if r.reason != "" {
			continue
		}
		all = append(all, fileState{id: r.id, path: p, stale: r.stale})
		out.byPath[p], out.files[r.id] = r.id, &all[len(all)-1]
		out.largest = max(out.largest, r.id)
	}
	return out
}

// finish ends a question. It reports whether the question needs the whole graph, and whether the
// graph was written meanwhile.
func (p *part) finish() (whole, changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var written string
	err := p.db.QueryRowContext(p.ctx, qMeta, metaWritten).Scan(&written)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	for _, st := range p.stmts {
		_ = st.Close() // it was only read
	}
	changed = err != nil || written != p.written
	return p.err != nil && !changed, changed
}

// fail keeps the first error. The caller has locked mu.
func (p *part) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// failed is fail for who has not locked mu; nil is no error.
func (p *part) failed(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.fail(err)
	}
}

// forgetMany forgets what was decoded of the files if that is much. Symbols that were returned stay,
// but the same ones are others from then on.
func (p *part) forgetMany() {
	const many = 4000 // files
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held < many {
		return
	}
	p.held = 0
	p.filesMu.Lock()
	defer p.filesMu.Unlock()
	for id, st := range p.files {
		p.files[id] = &fileState{id: id, path: st.path, stale: st.stale}
	}
}

// forgetFile forgets what was decoded of a file.
func (p *part) forgetFile(id int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.filesMu.Lock()
	defer p.filesMu.Unlock()
	if st := p.files[id]; st != nil && st.file != nil {
		p.files[id] = &fileState{id: id, path: st.path, stale: st.stale}
	}
}

// has reports whether a file is in a folder or below it.
func (p *part) has(dir string) bool {
	for path := range p.byPath {
		if within(dir, path) {
			return true
		}
	}
	return false
}

// row returns one row that belongs to a file.
func (p *part) row(query string, id int32, to ...any) bool {
	st := p.stmts[query]
	if st == nil {
		var err error
		if st, err = p.db.PrepareContext(p.ctx, query); err != nil {
			p.fail(err)
			return false
		}
		p.stmts[query] = st
	}
	err := st.QueryRowContext(p.ctx, id).Scan(to...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		p.fail(err)
	}
	return err == nil
}

// file returns a file, perhaps without its declarations.
func (p *part) file(id int32) *fileState {
	p.filesMu.Lock()
	defer p.filesMu.Unlock()
	return p.files[id]
}

// at returns the file of a path with its declarations, nil if there is none.
func (p *part) at(path string) *fileState { return p.withDeclarations(p.byPath[path]) }

// withDeclarations returns a file with its declarations, nil if there is none.
func (p *part) withDeclarations(id int32) *fileState {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := p.files[id]
	if st == nil || st.file != nil {
		return st
	}
	k := storedFile{id: id, path: st.path}
	if !p.row(qDecls, id, &k.blobs[0]) {
		return nil
	}
	if k.decode(); k.err != nil {
		p.fail(k.err)
		return nil
	}
	p.declarations++
	p.held++
	st.file = k.file
	st.byID = st.file.Symbols
	if byID := func(a, b *Symbol) int { return cmp.Compare(a.ID, b.ID) }; !slices.IsSortedFunc(st.byID, byID) {
		st.byID = slices.Clone(st.byID)
		sorting.StableFunc(st.byID, byID)
	}
	return st
}

// node returns a symbol, nil if there is none.
func (p *part) node(n resolve.Node) *Symbol {
	st := p.withDeclarations(n.File())
	if st == nil {
		return nil
	}
	if n.Local() == 0 {
		return st.file.Self
	}
	i, ok := slices.BinarySearchFunc(st.byID, n.Local(), func(s *Symbol, id int32) int { return cmp.Compare(s.ID, id) })
	if !ok {
		return nil
	}
	return st.byID[i]
}

// qEdges reads the edges of a file: its own, and those of a SCIP index that fits it.
const qEdges = `SELECT l.links, (SELECT s.links FROM scip s JOIN files f ON f.id = s.file WHERE s.file = l.file AND s.hash = f.hash) FROM links l WHERE l.file = ?`

// linksOf returns the edges of a file.
func (p *part) linksOf(st *fileState) []link {
	p.mu.Lock()
	defer p.mu.Unlock()
	if st.linked {
		return st.links
	}
	k := storedFile{id: st.id, path: st.path}
	if p.row(qEdges, st.id, &k.blobs[2], &k.blobs[3]) {
		if k.decodeEdges(); k.err != nil {
			p.fail(k.err)
			return nil
		}
		p.edges++
		p.held++
	}
	st.links, st.linked = k.links, p.err == nil
	return st.links
}

// each returns files with their declarations.
func (p *part) each(ids []int32) iter.Seq[*fileState] {
	return func(yield func(*fileState) bool) {
		for _, id := range ids {
			if st := p.withDeclarations(id); st != nil && !yield(st) {
				return
			}
		}
	}
}

// paths returns the paths of all files.
func (p *part) paths() iter.Seq[string] { return maps.Keys(p.byPath) }

// all fails: it is too much for a part.
func (p *part) all() iter.Seq[*fileState] {
	p.failed(errWhole)
	return func(func(*fileState) bool) {}
}

// eachSize calls f with the number of symbols of every file.
func (p *part) eachSize(f func(path string, symbols int)) {
	var strings [][]byte
	err := p.eachRow(qAllDecls, func(rows *sql.Rows) error {
		var id int32
		var decls sql.RawBytes
		if err := rows.Scan(&id, &decls); err != nil {
			return err
		}
		n := 0
		err := eachName(decls, &strings, func([]byte) { n++ })
		if st := p.file(id); st != nil {
			f(st.path, n)
		}
		return err
	})
	p.failed(err)
}

// naming returns the files that declare a symbol whose name is wanted, with their declarations.
func (p *part) naming(wanted func(name string) bool) iter.Seq[*fileState] {
	p.mu.Lock()
	var ids []int32
	var strings [][]byte
	err := p.eachRow(qAllDecls, func(rows *sql.Rows) error {
		var id int32
		var decls sql.RawBytes
		if err := rows.Scan(&id, &decls); err != nil {
			return err
		}
		found := false
		if err := eachName(decls, &strings, func(name []byte) { found = found || wanted(string(name)) }); err != nil {
			return err
		}
		if found {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		p.fail(err)
	}
	p.mu.Unlock()
	return p.each(ids)
}

// eachEdge calls f for the edges of all files, of which it keeps nothing.
func (p *part) eachEdge(f func(*fileState, link)) {
	err := p.eachRow(qAllEdges, func(rows *sql.Rows) error {
		var id int32
		var links, scip sql.RawBytes
		if err := rows.Scan(&id, &links, &scip); err != nil {
			return err
		}
		st := p.file(id)
		if st == nil {
			return nil
		}
		if len(scip) == 0 {
			return eachLink(links, func(l link) { f(st, l) })
		}
		k := storedFile{id: id, blobs: [4][]byte{2: links, 3: scip}}
		k.decodeEdges()
		for _, l := range k.links {
			f(st, l)
		}
		return k.err
	})
	p.failed(err)
}

const (
	qAllDecls  = `SELECT file, decls FROM data`
	qAllEdges  = `SELECT l.file, l.links, (SELECT s.links FROM scip s JOIN files f ON f.id = s.file WHERE s.file = l.file AND s.hash = f.hash) FROM links l ORDER BY l.file`
	qDeclared  = `SELECT file, declared FROM lookup ORDER BY file`
	qLookup    = `SELECT file, declared, targets FROM lookup ORDER BY file`
	qSCIPLinks = `SELECT s.file, s.links FROM scip s JOIN files f ON f.id = s.file WHERE s.hash = f.hash ORDER BY s.file`
)

func (p *part) eachRow(query string, f func(*sql.Rows) error) error {
	rows, err := p.db.QueryContext(p.ctx, query)
	if err != nil {
		return fmt.Errorf("read graph.db: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err reports it
	for rows.Next() {
		if err := f(rows); err != nil {
			return fmt.Errorf("read graph.db: %w", err)
		}
	}
	return rows.Err()
}

// dispatch reads the dispatch pairs once. The caller has locked mu.
func (p *part) dispatch() {
	if p.reversed != nil || p.err != nil {
		return
	}
	var stored string
	err := p.db.QueryRowContext(p.ctx, qMeta, metaDispatch).Scan(&stored)
	if errors.Is(err, sql.ErrNoRows) { // of an empty graph
		err = nil
	}
	if err == nil {
		p.pairs, err = decodePairs([]byte(stored))
	}
	if err != nil {
		p.fail(err)
		return
	}
	p.reversed = append([][2]resolve.Node{}, p.pairs...)
	sorting.StableFunc(p.pairs, func(a, b [2]resolve.Node) int { return cmp.Compare(a[0], b[0]) })
	sorting.StableFunc(p.reversed, func(a, b [2]resolve.Node) int { return cmp.Compare(a[1], b[1]) })
}

// basesOf returns the methods that a method overrides or implements.
func (p *part) basesOf(n resolve.Node) []resolve.Node {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dispatch()
	return partners(p.pairs, n, 0)
}

// implsOf returns the methods that override or implement a method.
func (p *part) implsOf(n resolve.Node) []resolve.Node {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dispatch()
	return partners(p.reversed, n, 1)
}

// partners returns the other nodes of the pairs, sorted by one side, that have a node on that side.
func partners(sorted [][2]resolve.Node, n resolve.Node, side int) (out []resolve.Node) {
	i, _ := slices.BinarySearchFunc(sorted, n, func(p [2]resolve.Node, n resolve.Node) int { return cmp.Compare(p[side], n) })
	for ; i < len(sorted) && sorted[i][side] == n; i++ {
		out = append(out, sorted[i][1-side])
	}
	return out
}
