// Package search owns the search of one workspace. It supplies package retrieve with
// memories, vectors, code, usage and history, and keeps them warm for a long-lived
// process. It must not know its callers, or how the answer is shown.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/store"
)

// Options configure a searcher. Workspace is required; other nil fields are not available.
type Options struct {
	Workspace *memory.Workspace
	// Model makes vectors. The searcher does not close it.
	Model *embed.Service
	// Expect returns the id of the model's vectors, if it is known without loading the model.
	Expect func() embed.Info
	// CodeModel returns what makes the vectors of code, and their id if it is known; nil for the same
	// as Model and Expect.
	CodeModel func() (*embed.Service, embed.Info)
	// Graph asks the current code graph.
	Graph AskGraph
	// Index is the source of the graph, for searches in code.
	Index CodeSource
	// Rerank and Imagine are stages that need a model of their own.
	Rerank func(ctx context.Context, question string, texts []string) ([]float64, error)
	// RerankShare is how much of a score Rerank decides, 0 for all.
	RerankShare float64
	Imagine     func(ctx context.Context, question string) (string, error)
	// History knows how often files change; nil if unknown.
	History History
	Tuning  *retrieve.Tuning
	// Learned is the factor of a type's weight in a phase; nil for 1.
	Learned func(retrieve.Phase, file.Type) float64
	// Trust is how long the memory files count as unchanged if their folders are: a second when 0,
	// longer for a process that watches the files.
	Trust time.Duration
}

// History is what git's history says about files.
type History interface {
	// Volatility is the number of changes a day, negative if unknown.
	Volatility(path string) float64
	// ChangedSince reports whether a file differs from its version in a commit.
	ChangedSince(commit, path string) bool
	// Modified is the time of the last change, zero if unknown.
	Modified(path string) time.Time
}

// Filter restricts the results. The zero value accepts all.
type Filter struct {
	Types []file.Type `json:"types,omitempty"`
	// Files are paths as in [memory.Query]. A result must apply to one of them.
	Files []string `json:"files,omitempty"`
	// Modules are folders. A result must lie below one of them.
	Modules []string `json:"modules,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	// Author is a part of the name of the person who wrote it, in any case.
	Author string `json:"author,omitzero"`
	State  string `json:"state,omitzero"` // one of [States]
	// Work is a unit of work as KIND:ID; its parts count.
	Work string `json:"work,omitzero"`
	// Methodology is the way of working in which it was learned.
	Methodology string `json:"methodology,omitzero"`
	// Owner is the id of the agent or the mission that it belongs to.
	Owner string `json:"owner,omitzero"`
	// Agent is the agent that asks, "" for a person: what belongs to another one is left out.
	Agent string `json:"agent,omitzero"`
	// Session is the session in which the agent asks, "" if that is unknown.
	Session string `json:"session,omitzero"`
	// Older and Newer bound the time since it was last used or changed.
	Older time.Duration `json:"older,omitzero"`
	Newer time.Duration `json:"newer,omitzero"`
	// Allow is an additional condition.
	Allow func(*file.Memory) bool `json:"-"`
}

// Question is a question to a workspace.
type Question struct {
	Text   string         `json:"text"`
	Phase  retrieve.Phase `json:"phase,omitzero"`
	Filter Filter         `json:"filter,omitzero"`
	Limit  int            `json:"limit"`
	Budget int            `json:"budget,omitzero"`
	// Recent are the files below the root that the asker used last, the latest first.
	Recent        []string `json:"recent,omitempty"`
	MinConfidence float64  `json:"min_confidence,omitzero"`
	Newest        bool     `json:"newest,omitzero"`
	// Lexical searches words and structure only, and loads no model.
	Lexical bool `json:"lexical,omitzero"`
	// Explicit is true if a person or an agent asked directly.
	Explicit bool `json:"explicit,omitzero"`
	// All includes tests and documents in a search for code.
	All bool `json:"all,omitzero"`
	// Structural is true if the previous questions were about dependencies.
	Structural bool `json:"structural,omitzero"`
}

// State says how complete the searched data is.
type State struct {
	Memories int    `json:"memories,omitzero"` // or pieces of code
	Pieces   int    `json:"pieces,omitzero"`
	Vectors  int    `json:"vectors"`
	Unread   int    `json:"unread"` // without a vector: found by words only
	Model    string `json:"model,omitzero"`
	Backend  string `json:"backend,omitzero"`
	// Graph is "ready", "not asked" if the question did not need it, or says why structure took no
	// part.
	Graph string `json:"graph"`
	// By is the role of the leader that searched, or "" for this process.
	By string `json:"by,omitzero"`
}

// Readiness is what the answers about a workspace rest on, and which process keeps it warm.
type Readiness struct {
	Leader  string // "this process", "lsp 4711", "none"
	Graph   string // "built", "building", or why there is none
	Files   int    // of the code graph
	Symbols int
	Model   string // the embedding model, "" if search uses words only
}

// Answer is the result of a search, with the state of the searched data.
type Answer struct {
	retrieve.Answer
	Index State `json:"index"`
}

// Searcher searches one workspace. It is safe for concurrent use.
type Searcher struct {
	o        Options
	memories vectorCache
	code     vectorCache // of pieces of code

	warming atomic.Bool

	mu      sync.Mutex // guards what follows
	vectors *store.Vectors
	pieces  *codeIndex
	list    *viewIndex
}

// New makes a searcher. It opens nothing yet.
func New(o Options) *Searcher {
	w := o.Workspace.Place()
	return &Searcher{o: o,
		memories: vectorCache{file: path.Join(w.CacheDir(), "memories.vectors")},
		code:     vectorCache{file: path.Join(w.CacheDir(), "code.vectors"), lasts: true},
	}
}

// Close closes what was opened.
func (s *Searcher) Close() error {
	s.memories.close()
	s.code.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.vectors != nil {
		err = s.vectors.Close()
		s.vectors = nil
	}
	if s.pieces != nil {
		err = errors.Join(err, s.pieces.Close())
		s.pieces = nil
	}
	return err
}

// store opens the database of vectors on first use.
func (s *Searcher) store(ctx context.Context) (*store.Vectors, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vectors == nil {
		v, err := store.OpenVectors(ctx, s.o.Workspace.Place().VectorsDir(), s.o.Workspace.Now)
		if err != nil {
			return nil, err
		}
		s.vectors = v
	}
	return s.vectors, nil
}

// defaultTrust is how long a frequently asked searcher takes memory files for unchanged if their
// folders are. An edit in place is noticed within a second. Checking ten
// thousand files takes a third of a search.
const defaultTrust = time.Second

// Memories answers a question from the workspace's memories.
func (s *Searcher) Memories(ctx context.Context, q Question) (Answer, error) {
	w := s.o.Workspace
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var asked func() queryVector
	if s.o.Model != nil && !q.Lexical && s.warm(q) {
		asked = s.embedAhead(ctx, q.Text)
	}
	if asked == nil && !q.Filter.any() && !w.Views().Loaded() && !slices.ContainsFunc(file.Layers(), func(l file.Layer) bool { return !w.Recaller().Recalls(l) }) {
		return s.searchOutlines(ctx, q)
	}
	if _, err := w.SyncWithin(ctx, cmp.Or(s.o.Trust, defaultTrust)); err != nil {
		return Answer{}, err
	}
	c, err := s.corpus(ctx, q.Filter)
	if err != nil {
		return Answer{}, err
	}
	c.canWait = q.Explicit
	out := Answer{Index: State{Memories: len(c.hits)}}
	e := s.engine(q)
	e.Item = c.item
	e.Words = func(ctx context.Context, text string, limit int) ([]retrieve.Ranked, error) {
		return c.words(ctx, w, text, limit)
	}
	if asked != nil {
		e.Meaning = func(ctx context.Context, text string, limit int) ([]retrieve.Ranked, error) {
			if text != q.Text { // a hypothetical answer
				return s.meaning(ctx, c, s.embedAhead(ctx, text), limit, &out.Index)
			}
			return s.meaning(ctx, c, asked, limit, &out.Index)
		}
	}
	about := inView(c.list.view)
	e.Structure = &structure{about: about, code: newCodeGraph(ctx, s.o.Graph, &out.Index)}
	e.Recent = recent(q, about)
	out.Answer, err = e.Search(ctx, question(q))
	return out, err
}

// searchOutlines answers one question by words and structure without a view, because loading all
// memories takes longer than finding a few.
func (s *Searcher) searchOutlines(ctx context.Context, q Question) (Answer, error) {
	w := s.o.Workspace
	if err := w.RefreshWithin(ctx, defaultTrust); err != nil {
		return Answer{}, err
	}
	var fault error // the first error of a function that returns none
	c := &corpus{hits: map[string]memory.Hit{}, history: s.o.History}
	c.fetch = func(id string) (memory.Hit, bool) {
		h, err := w.Get(ctx, id)
		if err != nil && !memory.Unreadable(err) && fault == nil {
			fault = err
		}
		return h, err == nil
	}
	var err error
	if c.uses, err = w.State().Usage().Accesses(ctx); err != nil {
		return Answer{}, fmt.Errorf("read how often memories were used: %w", err)
	}
	out := Answer{}
	if out.Index.Memories, err = w.Store().Total(ctx); err != nil {
		return Answer{}, err
	}
	e := s.engine(q)
	e.Item = c.item
	e.Words = func(ctx context.Context, text string, limit int) ([]retrieve.Ranked, error) {
		return c.wordsInIndex(ctx, w, text, limit)
	}
	about := func(file string) []memory.Hit {
		r, err := w.Recaller().Recall(ctx, memory.Query{Paths: []string{filepath.Join(w.Root(), filepath.FromSlash(file))}, Limit: -1})
		if err != nil && fault == nil {
			fault = err
		}
		return r.Hits
	}
	e.Structure = &structure{about: about, code: newCodeGraph(ctx, s.o.Graph, &out.Index)}
	e.Recent = recent(q, about)
	out.Answer, err = e.Search(ctx, question(q))
	return out, errors.Join(err, fault)
}

// warm reports whether vectors can be compared at once. Only an explicit question waits for the
// model to load; otherwise warm starts loading it for the next question.
func (s *Searcher) warm(q Question) bool {
	if q.Explicit || s.o.Model.State().Loaded {
		return true
	}
	if s.warming.CompareAndSwap(false, true) {
		go func() {
			defer s.warming.Store(false)
			_, _, _ = s.o.Model.Embed(context.Background(), embed.Background, []string{"warm"}, nil) // the next search reports the error
		}()
	}
	return false
}

// engine returns the pipeline with the stages that the question may use.
func (s *Searcher) engine(q Question) *retrieve.Engine {
	e := &retrieve.Engine{Now: s.o.Workspace.Now, Tuning: s.o.Tuning, Learned: s.o.Learned}
	if q.Explicit && !q.Lexical {
		e.Rerank, e.RerankShare, e.Imagine = s.o.Rerank, s.o.RerankShare, s.o.Imagine
	}
	return e
}

func question(q Question) retrieve.Question {
	out := retrieve.Question{
		Text: q.Text, Phase: q.Phase, Limit: q.Limit, Budget: q.Budget, MinConfidence: q.MinConfidence, Newest: q.Newest, Explicit: q.Explicit,
	}
	if q.Structural {
		out.Kind = retrieve.Structural
	}
	return out
}

// Hits reads the memories of an answer from their files, with the results. It loads no view, which
// would take longer. It omits memories that were removed since.
func Hits(ctx context.Context, w *memory.Workspace, answer Answer) ([]memory.Hit, []retrieve.Result, error) {
	ids := make([]string, len(answer.Results))
	for i, r := range answer.Results {
		ids[i] = r.ID
	}
	found, err := w.GetEach(ctx, ids)
	if err != nil {
		return nil, nil, fmt.Errorf("read what was found: %w", err)
	}
	var hits []memory.Hit
	var results []retrieve.Result
	for _, r := range answer.Results {
		h, ok := found[r.ID]
		if !ok {
			continue // removed since, or damaged, which doctor reports
		}
		h.Score = r.Score
		hits, results = append(hits, h), append(results, r)
	}
	return hits, results, nil
}
