package search

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/memory/embed"
	"manicule/memory/embed/matrix"
	"manicule/memory/retrieve"
	"manicule/memory/store"
)

// CodeSource is the code graph that a search in code needs.
type CodeSource interface {
	code.Source
	Ask(ctx context.Context, f func(*graph.Graph)) error
}

// codeIndex is the keyword index over code, with its cached keys.
type codeIndex struct {
	*code.Index

	mu     sync.Mutex // guards what follows
	writes int64      // to the index when the keys were read
	keys   []string   // of the pieces; nil before they are read
	ids    map[string][]int64
}

// openCode opens the keyword index on first use.
func (s *Searcher) openCode(ctx context.Context) (*codeIndex, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pieces == nil {
		x, err := code.Open(ctx, s.o.Workspace.Place().CacheDir(), s.o.Workspace.Root(), s.o.Workspace.Now)
		if err != nil {
			return nil, err
		}
		s.pieces = &codeIndex{Index: x}
	}
	return s.pieces, nil
}

// SyncCode updates the keyword index from the code graph, which the caller has updated. progress
// may be nil. It waits for another process that does the same; one that has stopped is an error,
// [code.ErrBusy], because the answers of half an index would look like those of a whole one.
func (s *Searcher) SyncCode(ctx context.Context, progress func(done, total int)) error {
	x, err := s.openCode(ctx)
	if err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		_, err = x.Sync(ctx, s.o.Index, progress)
		if attempt == maxRenewals || !x.Unusable(err) {
			return err
		}
		if x, err = s.renewCode(ctx, x); err != nil {
			return err
		}
	}
}

// maxRenewals is how often an update begins with a new index. While somebody deletes the cache folder, the next one may go, too.
const maxRenewals = 3

// renewCode opens a new keyword index in place of a damaged or deleted one, which is derived and so is not repaired.
func (s *Searcher) renewCode(ctx context.Context, damaged *codeIndex) (*codeIndex, error) {
	s.mu.Lock()
	if s.pieces == damaged { // else another question did
		s.pieces = nil
		if err := damaged.Discard(); err != nil && !code.IsDamaged(err) {
			s.mu.Unlock()
			return nil, fmt.Errorf("discard the damaged code.db: %w", err)
		}
	}
	s.mu.Unlock()
	return s.openCode(ctx)
}

// codeModel returns what makes the vectors of code, nil if there is nothing.
func (s *Searcher) codeModel() (*embed.Service, embed.Info) {
	if s.o.Model == nil || s.o.CodeModel == nil {
		return s.o.Model, s.expectedInfo()
	}
	return s.o.CodeModel()
}

// EmbedCode makes the missing vectors of all pieces, with background priority. If the keyword index is replaced meanwhile, it
// goes on with the new one.
func (s *Searcher) EmbedCode(ctx context.Context, progress func(done, total int)) (embed.Report, error) {
	model, expected := s.codeModel()
	if model == nil {
		return embed.Report{}, embed.ErrNone
	}
	for attempt := 0; ; attempt++ {
		x, err := s.openCode(ctx)
		if err != nil {
			return embed.Report{}, err
		}
		r, err := s.embedCode(ctx, x, model, expected, progress)
		if attempt == maxRenewals || !x.Unusable(err) {
			return r, err
		}
		if _, err := s.renewCode(ctx, x); err != nil {
			return r, err
		}
		if err := s.SyncCode(ctx, nil); err != nil {
			return r, err
		}
	}
}

// embedCode is EmbedCode with one keyword index.
func (s *Searcher) embedCode(ctx context.Context, x *codeIndex, model *embed.Service, expected embed.Info, progress func(done, total int)) (embed.Report, error) {
	db, err := s.store(ctx)
	if err != nil {
		return embed.Report{}, err
	}
	files, err := s.o.Index.Files(ctx)
	if err != nil {
		return embed.Report{}, err
	}
	total, err := x.Count(ctx)
	if err != nil {
		return embed.Report{}, err
	}
	fill := codeFill{model: model, db: db, known: s.code.forget, total: total, progress: progress, report: embed.Report{Info: expected}}
	for _, f := range files {
		texts, err := embeddingTexts(ctx, x, f.Path)
		if err != nil {
			return fill.report, err
		}
		if fill.texts = append(fill.texts, texts...); len(fill.texts) >= fillAtOnce {
			if err := fill.run(ctx); err != nil {
				return fill.report, err
			}
		}
	}
	if len(fill.texts) > 0 {
		err = fill.run(ctx)
	}
	return fill.report, err
}

// fillAtOnce is the number of texts from which vectors are made.
const fillAtOnce = 64

// codeFill makes vectors of pieces of code, some at a time.
type codeFill struct {
	model       *embed.Service
	db          *store.Vectors
	known       func() // is called when there are new vectors
	progress    func(done, total int)
	texts       []string // that wait
	done, total int
	report      embed.Report
}

// run makes the vectors of the texts that wait.
func (f *codeFill) run(ctx context.Context) error {
	r, err := embed.NewCached(f.model, f.db).Fill(ctx, f.report.Info, f.texts, nil)
	f.report.Info, f.report.Known, f.report.Made = r.Info, f.report.Known+r.Known, f.report.Made+r.Made
	f.known()
	f.done += len(f.texts)
	f.texts = f.texts[:0]
	if f.progress != nil {
		f.progress(f.done, f.total)
	}
	return err
}

// embeddingTexts returns the texts of a file's pieces, without those that have changed since they were indexed.
func embeddingTexts(ctx context.Context, x *codeIndex, path string) (out []string, err error) {
	pieces, err := x.InFile(ctx, path)
	if err != nil {
		return nil, err
	}
	text, err := x.Read(path)
	if err != nil {
		return nil, nil //nolint:nilerr // it is gone; the next sync drops it
	}
	for _, p := range pieces {
		t := p.Text(text)
		if t == "" {
			continue
		}
		if t = code.EmbeddingText(p.File, p.Kind, p.Prefix, t); embed.Key(t) == p.Key {
			out = append(out, t)
		}
	}
	return out, nil
}

// Code answers a question from the workspace's code. The ids in the answer refer to the returned
// pieces.
func (s *Searcher) Code(ctx context.Context, q Question) (Answer, []code.Piece, error) {
	x, err := s.openCode(ctx)
	if err != nil {
		return Answer{}, nil, err
	}
	out, pieces, err := s.codeIn(ctx, x, q)
	if !x.Unusable(err) {
		return out, pieces, err
	}
	if _, err := s.renewCode(ctx, x); err != nil {
		return Answer{}, nil, err
	}
	if err := s.SyncCode(ctx, nil); err != nil {
		return Answer{}, nil, err
	}
	if x, err = s.openCode(ctx); err != nil {
		return Answer{}, nil, err
	}
	return s.codeIn(ctx, x, q)
}

func (s *Searcher) codeIn(ctx context.Context, x *codeIndex, q Question) (_ Answer, _ []code.Piece, err error) {
	w := s.o.Workspace
	out := Answer{}
	if out.Index.Pieces, err = x.Count(ctx); err != nil {
		return Answer{}, nil, err
	}
	c := &codeCorpus{ctx: ctx, x: x, filter: q.Filter, all: q.All, named: map[string]bool{}, names: map[string]bool{}, pieces: map[string]code.Piece{}, files: map[string][]byte{}}
	c.structure = structure{about: inView(w.View()), code: newCodeGraph(ctx, s.o.Index.Ask, &out.Index)}
	asked := question(q)
	asked.Code = true
	if asked.Kind == "" {
		asked.Kind = retrieve.DetectInCode(q.Text, func(names []string) bool { return len(c.structure.Mentioned(names)) > 0 })
	}
	c.functions = wantsFunction(asked.Kind, q.Text)
	if c.narrowed() {
		if c.ids, c.keys, err = x.Filter(ctx, c.passes); err != nil {
			return Answer{}, nil, err
		}
		slices.Sort(c.keys)
		c.keys = slices.Compact(c.keys) // files may share a piece
	}
	for _, n := range retrieve.Names(q.Text) {
		if last := lastName(n); last != "" {
			c.names[last] = true
		}
	}
	e := s.engine(q)
	e.Item, e.Words, e.Mentions = c.item, c.words, c.mentions
	if e.RerankShare > 0 {
		e.Reread = c.embedded
	}
	if c.functions {
		e.Association, e.Align = c.association, c.align
	}
	if s.o.Model != nil && !q.Lexical {
		e.Meaning = func(ctx context.Context, text string, limit int) ([]retrieve.Ranked, error) {
			return s.codeMeaning(ctx, c, text, limit, &out.Index)
		}
	}
	e.Structure = c
	if out.Answer, err = e.Search(ctx, asked); err != nil {
		return Answer{}, nil, err
	}
	if !c.all && onlyAssociated(out.Results) { // tests and documents are better than nothing
		c.all = true
		if out.Answer, err = e.Search(ctx, asked); err != nil {
			return Answer{}, nil, err
		}
	}
	if c.err != nil {
		return Answer{}, nil, c.err
	}
	pieces := make([]code.Piece, len(out.Results))
	for i, r := range out.Results {
		pieces[i] = c.pieces[r.ID]
	}
	return out, pieces, nil
}

// onlyAssociated reports whether nothing but associations found something: they find the nearest functions to any question.
// Heads only rank what others found.
func onlyAssociated(results []retrieve.Result) bool {
	for _, r := range results {
		for _, by := range r.By {
			if by.Leg != retrieve.ByAssociation && by.Leg != retrieve.ByHead {
				return false
			}
		}
	}
	return true
}

// minVectorShare is the share of pieces that must have vectors. Among few, the nearest need not be
// near.
const minVectorShare = .8

// codeMeaning ranks the pieces by their vectors.
func (s *Searcher) codeMeaning(ctx context.Context, c *codeCorpus, text string, limit int, st *State) ([]retrieve.Ranked, error) {
	model, _ := s.codeModel()
	info, query, err := vectorOf(ctx, model, text)
	if err != nil {
		return nil, err
	}
	db, err := s.store(ctx)
	if err != nil {
		return nil, err
	}
	keys, ids, err := c.x.all(ctx)
	if err != nil {
		return nil, c.damaged(err)
	}
	m, missing, err := s.code.matrix(ctx, db, info, keys, true)
	if err != nil {
		return nil, err
	}
	st.Unread, st.Vectors, st.Model, st.Backend = len(missing), len(keys)-len(missing), info.Model, info.Backend
	if float64(st.Vectors) < minVectorShare*float64(len(keys)) || st.Vectors == 0 {
		return nil, fmt.Errorf("%w: %d of %d pieces of code have a vector yet; `manicule index --embed` makes them", retrieve.ErrNoMeaning, st.Vectors, len(keys))
	}
	var hits []matrix.Hit
	switch {
	case c.narrowed():
		hits, err = m.SearchAmong(query, c.widened(limit), c.keys)
	case m.Len() == st.Vectors:
		hits, err = m.Search(query, c.widened(limit))
	default: // some vectors belong to removed pieces
		hits, err = m.SearchAmong(query, c.widened(limit), keys)
	}
	if err != nil {
		return nil, fmt.Errorf("compare the vectors of code: %w", err)
	}
	var found []int64
	for _, h := range hits {
		found = append(found, ids[h.Key]...)
	}
	if err := c.load(ctx, found); err != nil {
		return nil, err
	}
	var list []code.Ranked
	for _, h := range hits {
		for _, n := range ids[h.Key] {
			list = append(list, code.Ranked{ID: n, Score: float64(h.Score)})
		}
	}
	return c.allowedOf(c.preferred(list, func(score float64) float64 { return score - otherCosine }), limit), nil
}

// all returns the hashes of all pieces, and the pieces of each hash.
func (x *codeIndex) all(ctx context.Context) ([]string, map[string][]int64, error) {
	writes, err := x.Renew(ctx) // this process and others write
	if err != nil {
		return nil, nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.keys == nil || x.writes != writes {
		x.writes, x.keys, x.ids = writes, nil, map[string][]int64{}
		err := x.Keys(ctx, func(id int64, key string) {
			if x.ids[key] == nil {
				x.keys = append(x.keys, key)
			}
			x.ids[key] = append(x.ids[key], id)
		})
		if err != nil {
			x.keys, x.ids = nil, nil
			return nil, nil, err
		}
	}
	return x.keys, x.ids, nil
}
