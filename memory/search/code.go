package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/indexer/sorting"
	"manicule/indexer/words"
	"manicule/memory/embed"
	"manicule/memory/embed/matrix"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/store"
)

// CodeSource is the code graph that a search in code needs.
type CodeSource interface {
	code.Source
	Graph(ctx context.Context) (*graph.Graph, error)
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
		x, err := code.Open(ctx, s.o.Workspace.Place().CacheDir(), s.o.Workspace.Root())
		if err != nil {
			return nil, err
		}
		s.pieces = &codeIndex{Index: x}
	}
	return s.pieces, nil
}

// SyncCode updates the keyword index from the code graph, which the caller has updated. progress
// may be nil.
func (s *Searcher) SyncCode(ctx context.Context, progress func(done, total int)) error {
	x, err := s.openCode(ctx)
	if err != nil {
		return err
	}
	_, err = x.Sync(ctx, s.o.Index, progress)
	if !code.IsDamaged(err) {
		return err
	}
	if x, err = s.renewCode(ctx, x); err != nil {
		return err
	}
	_, err = x.Sync(ctx, s.o.Index, progress)
	return err
}

// renewCode opens a new keyword index in place of a damaged one, which is derived and so is not repaired.
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

// EmbedCode makes the missing vectors of all pieces, with background priority.
func (s *Searcher) EmbedCode(ctx context.Context, progress func(done, total int)) (embed.Report, error) {
	model, expected := s.codeModel()
	if model == nil {
		return embed.Report{}, embed.ErrNone
	}
	x, err := s.openCode(ctx)
	if err != nil {
		return embed.Report{}, err
	}
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
	if !code.IsDamaged(err) {
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
	c := &codeCorpus{ctx: ctx, x: x, filter: q.Filter, all: q.All, functions: wantsFunction(q.Text), named: map[string]bool{}, names: map[string]bool{}, pieces: map[string]code.Piece{}, files: map[string][]byte{}}
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
	c.structure = structure{about: inView(w.View()), load: graphOf(ctx, s.o.Index.Graph, &out.Index)}
	e.Structure = c
	asked := question(q)
	asked.Code = true
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

// codeCorpus is the code that one question may find.
type codeCorpus struct {
	structure
	ctx       context.Context // of the question: the pipeline's functions take none
	x         *codeIndex
	filter    Filter
	names     map[string]bool // of symbols in the question
	all       bool            // include tests and documents
	functions bool            // prefer functions
	ids       []int64         // of the pieces that pass the filter, if there is one
	keys      []string        // theirs, each once

	mu     sync.Mutex // guards what follows: words and meaning run concurrently
	pieces map[string]code.Piece
	files  map[string][]byte // read for the question
	named  map[string]bool   // files that the question names
	found  []code.Ranked     // by mentions in what words found
	err    error             // the first error of a function that returns none
}

func pieceID(id int64) string { return strconv.FormatInt(id, 10) }

// narrowed reports whether a filter excludes files.
func (c *codeCorpus) narrowed() bool { return len(c.filter.Files)+len(c.filter.Modules) > 0 }

func (c *codeCorpus) passes(path string) bool {
	one := []string{path}
	return within(one, c.filter.Modules) && (len(c.filter.Files) == 0 || within(one, c.filter.Files))
}

// widened is the number of candidates to request, because in some repositories most candidates are
// tests and documents.
func (c *codeCorpus) widened(limit int) int {
	if c.all {
		return limit
	}
	return candidatesPerCode * limit
}

// candidatesPerCode is the number of candidates requested for each piece of code.
const candidatesPerCode = 6

func (c *codeCorpus) words(ctx context.Context, text string, limit int) ([]retrieve.Ranked, error) {
	var found code.Found
	var err error
	if c.narrowed() {
		found, err = c.x.SearchAmong(ctx, text, c.widened(limit), c.ids)
	} else {
		found, err = c.x.Search(ctx, text, c.widened(limit))
	}
	if err != nil {
		return nil, c.damaged(err)
	}
	var ids []int64
	for _, list := range [][]code.Ranked{found.Words, found.Mentions} {
		for _, r := range list {
			ids = append(ids, r.ID)
		}
	}
	if err := c.load(ctx, ids); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.found = found.Mentions
	c.mu.Unlock()
	return c.allowedOf(c.preferred(found.Words, func(score float64) float64 { return otherWords * score }), limit), nil
}

// damaged notes that the index is damaged: what the other ways found is not enough then.
func (c *codeCorpus) damaged(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && code.IsDamaged(err) {
		c.err = err
	}
	return err
}

// association ranks functions by what people call such code.
func (c *codeCorpus) association(ctx context.Context, text string, limit int) ([]retrieve.Ranked, error) {
	var among []int64
	if c.narrowed() {
		among = append([]int64{}, c.ids...) // none is not all
	}
	found, err := c.x.Associated(ctx, text, c.widened(limit), among)
	if err != nil {
		return nil, c.damaged(err)
	}
	ids := make([]int64, len(found))
	for i, r := range found {
		ids[i] = r.ID
	}
	if err := c.load(ctx, ids); err != nil {
		return nil, err
	}
	return c.allowedOf(found, limit), nil
}

// align ranks loaded pieces by how near their first words are to those of a question.
func (c *codeCorpus) align(ctx context.Context, text string, ids []string) ([]retrieve.Ranked, error) {
	question, err := c.x.Align(ctx, text)
	if err != nil {
		return nil, err
	}
	var out []retrieve.Ranked
	for _, id := range ids {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if p, body, ok := c.piece(id); ok {
			out = append(out, retrieve.Ranked{ID: id, Score: question.Share(p.Symbol, body)})
		}
	}
	sorting.StableFunc(out, func(a, b retrieve.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return out, nil
}

// preferred lowers the scores of loaded pieces that are no functions if the question wants one, and sorts
// again.
func (c *codeCorpus) preferred(list []code.Ranked, lower func(score float64) float64) []code.Ranked {
	if !c.functions {
		return list
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, r := range list {
		if !code.IsFunction(c.pieces[pieceID(r.ID)].Kind) {
			list[i].Score = lower(r.Score)
		}
	}
	sorting.StableFunc(list, func(a, b code.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return list
}

// What a piece that is no function keeps of its score if the question wants a function. A type says of
// itself in few words what all its members do, and text between functions is about many things.
const (
	otherWords  = .8  // of its score by words
	otherCosine = .07 // what its cosine loses
)

// wantsFunction reports whether a question asks for what does something, and not by name, nor first of all for
// a type or a value: "struct of a retry's options".
func wantsFunction(text string) bool {
	if retrieve.Detect(text) != retrieve.Semantic {
		return false
	}
	for _, w := range words.Fields(text) {
		if words.IsStopWord(w) {
			continue
		}
		switch strings.TrimSuffix(strings.ToLower(w), "s") {
		case "type", "clas", "classe", "struct", "structure", "interface", "trait", "enum", "constant", "variable", "field", "setting":
			return false
		}
		return true
	}
	return true
}

// mentions ranks the functions that the last results by words mention.
func (c *codeCorpus) mentions(limit int) []retrieve.Ranked {
	c.mu.Lock()
	found := c.found
	c.mu.Unlock()
	return c.allowedOf(found, limit)
}

// allowedOf returns the first pieces that may be in the answer.
func (c *codeCorpus) allowedOf(list []code.Ranked, limit int) []retrieve.Ranked {
	var out []retrieve.Ranked
	for _, r := range list {
		if len(out) < limit && c.allowed(r.ID) {
			out = append(out, retrieve.Ranked{ID: pieceID(r.ID), Score: r.Score})
		}
	}
	return out
}

// allowed reports whether a loaded piece may be in the answer.
func (c *codeCorpus) allowed(id int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.pieces[pieceID(id)]
	return ok && c.wanted(p)
}

// wanted reports whether a piece is code, or tests and documents are wanted too.
func (c *codeCorpus) wanted(p code.Piece) bool {
	return c.all || c.named[p.File] || !IsTestOrDoc(p.File) && !isTestInCode(p.Symbol)
}

// load reads the pieces with some ids.
func (c *codeCorpus) load(ctx context.Context, ids []int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ask []int64
	for _, id := range ids {
		if _, ok := c.pieces[pieceID(id)]; !ok {
			ask = append(ask, id)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	list, err := c.x.Pieces(ctx, ask)
	for _, p := range list {
		if c.passes(p.File) {
			c.pieces[pieceID(p.ID)] = p
		}
	}
	return err
}

func (c *codeCorpus) item(id string) (retrieve.Item, bool) {
	p, text, ok := c.piece(id)
	if !ok {
		return retrieve.Item{}, false
	}
	return retrieve.Item{Text: p.Prefix + "\n" + text, Files: []string{p.File}, Volatility: 0}, true
}

// embedded returns what is embedded of a piece, which late interaction reads: it fits the model's length, and splits identifiers.
func (c *codeCorpus) embedded(id string) string {
	p, text, ok := c.piece(id)
	if !ok {
		return ""
	}
	return code.EmbeddingText(p.File, p.Kind, p.Prefix, text)
}

// piece returns a loaded piece with its text, if it may be in the answer.
func (c *codeCorpus) piece(id string) (code.Piece, string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.pieces[id]
	if !ok || !c.wanted(p) {
		return code.Piece{}, "", false
	}
	text, ok := c.files[p.File]
	if !ok {
		text, _ = c.x.Read(p.File) // a removed file has no text
		c.files[p.File] = text
	}
	return p, p.Text(text), true
}

// Mentioned returns the files that names refer to. If a name is that of a test or a document, tests
// and documents are wanted.
func (c *codeCorpus) Mentioned(names []string) []string {
	out := c.structure.Mentioned(names)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range out {
		c.named[f] = true
	}
	return out
}

// At lists the pieces of a file, first those that the question names.
func (c *codeCorpus) At(path string) []string {
	list, err := c.x.InFile(c.ctx, path)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.err == nil {
		c.err = err
	}
	sorting.StableFunc(list, func(a, b code.Piece) int {
		return file.TrueFirst(c.names[lastName(a.Symbol)], c.names[lastName(b.Symbol)])
	})
	var out []string
	for _, p := range list {
		if c.passes(p.File) {
			id := pieceID(p.ID)
			c.pieces[id] = p
			out = append(out, id)
		}
	}
	return out
}

// lastName returns the last part of a symbol's path or of a name in a question.
func lastName(s string) string { return s[strings.LastIndexAny(s, ".:#/")+1:] }

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
		return nil, err
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
