package retrieval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"manicule/indexer/anchoring"
	"manicule/indexer/graph"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
	"manicule/memory/embed/provider"
	"manicule/memory/file"
	"manicule/memory/rerank"
	rerankers "manicule/memory/rerank/provider"
	"manicule/memory/retrieve"
	"manicule/memory/search"
	"manicule/memory/secret/full"
	"manicule/memory/store"
)

// entry is a text of a set that becomes a memory.
type entry struct {
	id      string
	kind    file.Type
	what    string
	why     string
	path    string
	created time.Time
}

// space is a real workspace with the texts of a set as its memories.
type space struct {
	dir   string
	root  string
	mem   *memory.Workspace
	index *graph.Index
	model *embed.Service
	ids   map[string]string // uuid to the id in the set
	last  time.Time         // time of the youngest text
	now   time.Time         // the workspace's clock; zero for the system clock
}

// newSpace writes memories into a folder of its own. fill, if not nil, adds the code that
// they are about, which is then indexed. cache, if not empty, is a folder of vectors that
// outlives the space.
func newSpace(ctx context.Context, entries []entry, fill func(root string) error, model *embed.Service, cache string) (s *space, err error) {
	s = &space{ids: map[string]string{}, model: model}
	if s.dir, err = os.MkdirTemp("", "eval-retrieval-"); err != nil {
		return nil, err
	}
	s.root = filepath.Join(s.dir, "root")
	if fill != nil {
		if err := fill(s.root); err != nil {
			return nil, fmt.Errorf("copy the code: %w", err)
		}
	}
	folder := filepath.Join(s.root, workspace.Folder, "memories")
	var texts []string
	for i, e := range entries {
		m := &file.Memory{
			Format: 1, UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i), Type: e.kind, What: e.what, Why: e.why, Visibility: file.Project, Confidence: 1,
			CreatedAt: file.Time{Time: e.created}, UpdatedAt: file.Time{Time: e.created}, Contributor: "eval", Source: "import",
		}
		m.Trust.Origin = file.Import
		if e.path != "" {
			m.Scope = file.Scope{e.path}
		}
		m.Layer = m.Type.DefaultLayer(m.Scope != nil)
		if _, err := file.Write(folder, m); err != nil {
			return nil, err
		}
		s.ids[m.UUID] = e.id
		texts = append(texts, embed.MemoryText(m))
		if e.created.After(s.last) {
			s.last = e.created
		}
	}
	s.now = s.last
	if err := s.open(cache); err != nil {
		return nil, err
	}
	if _, err := s.mem.Sync(ctx); err != nil {
		return nil, err
	}
	if fill != nil {
		if _, err := s.index.Sync(ctx, nil); err != nil {
			return nil, err
		}
	}
	if model == nil || len(texts) == 0 {
		return s, nil
	}
	info, err := infoOf(ctx, model)
	if err != nil {
		return nil, err
	}
	db, err := store.OpenVectors(ctx, s.mem.Place().VectorsDir(), time.Now)
	if err != nil {
		return nil, err
	}
	_, err = embed.NewCached(model, db).Fill(ctx, info, texts, reportProgress())
	return s, errors.Join(err, db.Close())
}

// infoOf loads a model and returns the description under which its vectors are stored.
func infoOf(ctx context.Context, model *embed.Service) (embed.Info, error) {
	info, _, err := model.Embed(ctx, embed.Query, []string{"x"}, nil)
	return info, err
}

// copied returns a function that fills a space with a checkout, or nil for "".
func copied(sources string) func(string) error {
	if sources == "" {
		return nil
	}
	return func(root string) error { return os.CopyFS(root, os.DirFS(sources)) }
}

// embedCode makes the keyword index of the space's code, and with a model the vectors of
// its pieces.
func (s *space) embedCode(ctx context.Context) (pieces int, err error) {
	o := search.Options{Workspace: s.mem, Index: s.index, Model: s.model}
	if s.model != nil {
		info, err := infoOf(ctx, s.model)
		if err != nil {
			return 0, err
		}
		o.Expect = func() embed.Info { return info }
	}
	searcher := search.New(o)
	defer func() { err = errors.Join(err, searcher.Close()) }()
	if err := searcher.SyncCode(ctx, nil); err != nil || s.model == nil {
		return 0, err
	}
	report, err := searcher.EmbedCode(ctx, reportProgress())
	return report.Known + report.Made, err
}

// open opens the workspace. vectors, if not empty, is a cache of vectors that outlives
// it.
func (s *space) open(vectors string) (err error) {
	home := filepath.Join(s.dir, "home")
	env := workspace.OSEnv()
	env.Getenv = func(name string) string {
		switch {
		case name == "XDG_CACHE_HOME" && vectors != "":
			return vectors
		case strings.HasPrefix(name, "XDG_") || name == "HOME":
			return filepath.Join(home, name)
		}
		return ""
	}
	if s.mem, err = memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: s.root, Env: env, User: "eval", Now: s.clock}); err != nil {
		return err
	}
	s.index = graph.Open(graph.Options{Root: s.mem.Root(), Dir: s.mem.Place().CacheDir()})
	return nil
}

// clock returns the time of the set, or the system's.
func (s *space) clock() time.Time {
	if s.now.IsZero() {
		return time.Now()
	}
	return s.now
}

func (s *space) close() error {
	derived := s.mem.Place().CacheDir() // it may lie in a persistent folder
	return errors.Join(s.index.Close(), s.mem.Close(), os.RemoveAll(derived), os.RemoveAll(s.dir))
}

// variant is the pipeline with a selection of its stages.
type variant struct {
	name    string
	lexical bool
	tune    func(*retrieve.Tuning)
	rerank  func(ctx context.Context, question string, texts []string) ([]float64, error) // by late interaction, or nil
}

// plain is the pipeline with words and meaning only.
func plain(t *retrieve.Tuning) {
	t.Standing, t.Relevance, t.Recency, t.Frequency = false, 1, 0, 0
	t.Boost, t.Seeds, t.Structure = 0, 0, 0
	t.Covered, t.Stretch, t.Distinct = 0, 1, false
	t.MinEvidence, t.MinTerms, t.MinCoverage = 0, 0, 0
}

// oneLeg keeps one leg.
func oneLeg(w retrieve.Weights) func(*retrieve.Tuning) {
	return func(t *retrieve.Tuning) {
		plain(t)
		t.Structure, t.Code = retrieve.Default().Structure, nil
		for k := range t.Weights {
			t.Weights[k] = w
		}
	}
}

// searcher is the product's own, tuned by a variant.
func (s *space) searcher(v variant, withGraph bool) *search.Searcher {
	t := retrieve.Default()
	if v.tune != nil {
		v.tune(&t)
	}
	o := search.Options{Workspace: s.mem, Tuning: &t, Index: s.index}
	if !v.lexical {
		o.Model = s.model
	}
	if v.rerank != nil {
		o.Rerank, o.RerankShare = v.rerank, local.LateShare
	}
	if withGraph {
		o.Graph = s.index.Ask
	}
	return search.New(o)
}

// defaultModel is a service of the default model.
func (o options) defaultModel() *embed.Service {
	open := func(ctx context.Context) (embed.Embedder, error) {
		return o.open(ctx, configuration{model: o.model})
	}
	return embed.New(embed.Options{Open: []embed.Opener{open}, Idle: time.Hour, Clock: embed.System()})
}

// late is the reranker that compares words one by one.
func (o options) late() *rerank.Lazy {
	s := rerankers.Settings{Provider: rerankers.Late, Threads: o.threads, Idle: time.Hour, Embedder: provider.Settings{Provider: provider.Local, Model: o.model, Threads: o.threads}}
	return rerankers.New(s, models.Open(o.models), embed.System())
}

// codeModel is a service of the model that embeds code: the product's own choice beside the default
// model, or the one that --model names.
func (o options) codeModel() *embed.Service {
	if o.model != models.Default {
		return o.defaultModel()
	}
	return provider.New(provider.Settings{Provider: provider.Local, Model: o.model, Idle: time.Hour}, models.Open(o.models)).CodeService(embed.System())
}
