// Package services opens a workspace with the services that its front doors need:
// memories, anchors, the code graph, history, a model, search and leadership. Each
// service opens on first use, and all close together. The command line, the language
// server, the MCP server and hooks share it, so no front door assembles a workspace
// itself. It must not know flags, editors, agents or output.
package services

import (
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"time"

	"manicule/indexer/anchoring"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/graph"
	"manicule/indexer/history"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/embed"
	"manicule/memory/embed/models"
	"manicule/memory/embed/provider"
	"manicule/memory/file"
	"manicule/memory/follow"
	"manicule/memory/search"
	"manicule/memory/secret/full"
)

// Opener opens workspaces. A process has one; its workspaces share models.
type Opener struct {
	Version string // of the program, for other processes
	Getenv  func(string) string
	Now     func() time.Time
	Random  io.Reader
	Log     *slog.Logger
	// Warn tells a person what an answer leaves out; nil discards it.
	Warn func(format string, args ...any)
	// PrepareAfter is how long a folder must have been open before its leader prepares searches;
	// 0 is the usual time.
	PrepareAfter time.Duration

	models sharedModels
}

// Env returns the process's environment for finding a workspace.
func (o *Opener) Env() workspace.Env { return workspace.Env{Getenv: o.Getenv, Random: o.Random} }

// Discover finds the workspace of a folder. It opens nothing.
func (o *Opener) Discover(dir string) (*workspace.Workspace, error) {
	return workspace.Discover(dir, o.Env())
}

// Settings reads the settings of a workspace.
func (o *Opener) Settings(p *workspace.Workspace) (*config.Config, []config.Warning) {
	return config.Load(config.FilesOf(p), o.Getenv)
}

// Graph opens the code graph of a workspace. The caller closes it.
func (o *Opener) Graph(p *workspace.Workspace) *graph.Index {
	return o.graph(p, 0)
}

// GraphOfServer is Graph for a server, which indexes while an editor needs answers. It
// leaves half of the cores to them.
func (o *Opener) GraphOfServer(p *workspace.Workspace) *graph.Index {
	return o.graph(p, max(1, runtime.GOMAXPROCS(0)/2))
}

func (o *Opener) graph(p *workspace.Workspace, workers int) *graph.Index {
	return graph.Open(graph.Options{
		Root: p.Root, Dir: p.CacheDir(), Now: o.Now, Log: o.Log, Workers: workers,
		Commit: func() string {
			if p.GitDir == "" {
				return ""
			}
			return gitinfo.Head(p.GitDir, p.GitCommonDir)
		},
	})
}

// embeddings returns the provider of vectors for some settings.
func (o *Opener) embeddings(p *workspace.Workspace, c *config.Config) *provider.Provider {
	return provider.New(provider.Configured(c, o.Getenv), models.Open(p.ModelsDir()))
}

// Open opens the workspace of a folder and reads its settings. It reads no memory file yet.
// progress, which may be nil, receives the progress of the first read.
func (o *Opener) Open(dir string, progress func(done, total int)) (*Workspace, error) {
	m, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: dir, Env: o.Env(), Now: o.Now, Random: o.Random, Log: o.Log, Progress: progress})
	if err != nil {
		return nil, err
	}
	w := &Workspace{Workspace: m, opener: o}
	w.Config, w.Warnings = o.Settings(m.Place())
	m.Maker().SetDefaults(w.Config.String("user.name"), file.Visibility(w.Config.String("remember.visibility")))
	w.closers = []func() error{m.Close}
	m.SetCosines(cosines(w))
	m.Maker().SetStrict(w.Config.Bool("remember.strict"))
	m.Work().SetMethodology(w.Config.String("hooks.methodology"))
	if unknown := m.Work().SetHanding(w.Config.String("work.hand_on"), w.Config.String("work.hand_to_review")); len(unknown) > 0 {
		w.Warnings = append(w.Warnings, config.Warning{Where: "work.hand_on, work.hand_to_review", Msg: "no type of memory: " + strings.Join(unknown, ", ")})
	}
	m.Recaller().SetLayers(w.Config.LayersOff(), w.Config.Int("recall.diversity"))
	return w, nil
}

// Workspace is an open workspace with its services.
type Workspace struct {
	*memory.Workspace
	Config   *config.Config
	Warnings []config.Warning // about the settings
	opener   *Opener

	tracker  lazy[*follow.Tracker]
	graph    lazy[*graph.Index]
	history  lazy[*history.History]
	embedder lazy[*embed.Service]
	coder    lazy[*embed.Service]
	searcher lazy[*search.Searcher]
	words    lazy[*search.Searcher]

	mu      sync.Mutex
	closers []func() error // guarded by mu; in the order of opening
}

// lazy is a value that is opened on first use.
type lazy[T any] struct {
	once sync.Once
	part T
}

func (l *lazy[T]) get(open func() T) T {
	l.once.Do(func() { l.part = open() })
	return l.part
}

// onClose registers f; Close calls the functions in reverse order.
func (w *Workspace) onClose(f func() error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closers = append(w.closers, f)
}

// Close closes what was opened, in reverse order.
func (w *Workspace) Close() error {
	w.mu.Lock()
	closers := w.closers
	w.closers = nil
	w.mu.Unlock()
	var errs []error
	for i := len(closers) - 1; i >= 0; i-- {
		errs = append(errs, closers[i]())
	}
	return errors.Join(errs...)
}

// Tracker resolves the current places of the memories' anchors.
func (w *Workspace) Tracker() *follow.Tracker {
	return w.tracker.get(func() *follow.Tracker {
		t := follow.Open(w.Workspace)
		w.onClose(t.Close)
		return t
	})
}

// Graph returns the code graph as it was stored. Its Sync updates it from the files.
func (w *Workspace) Graph() *graph.Index {
	return w.graph.get(func() *graph.Index {
		ix := w.opener.Graph(w.Place())
		w.onClose(ix.Close)
		return ix
	})
}

// GitHistory returns the stored history of the files, nil outside of git.
func (w *Workspace) GitHistory() *history.History {
	return w.history.get(func() *history.History {
		p := w.Place()
		if p.GitDir == "" {
			return nil
		}
		repo := gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
		w.onClose(repo.Close)
		return history.Open(p.CacheDir(), repo, w.opener.Now)
	})
}

// Embeddings returns the provider of vectors that the settings select.
func (w *Workspace) Embeddings() *provider.Provider { return w.opener.embeddings(w.Place(), w.Config) }

// EmbedderState describes what would make vectors. It loads nothing.
func (w *Workspace) EmbedderState() provider.State {
	return provider.StateOf(provider.Configured(w.Config, w.opener.Getenv), models.Open(w.Place().ModelsDir()))
}

// Embedder makes vectors with the model that the settings select, which it loads on first use. It
// is nil if embeddings are switched off.
func (w *Workspace) Embedder() *embed.Service {
	return w.embedder.get(func() *embed.Service {
		settings := provider.Configured(w.Config, w.opener.Getenv)
		if settings.Provider == provider.Off {
			return nil
		}
		key := modelKey{settings: settings, dir: w.Place().ModelsDir()}
		s, release := w.opener.models.acquire(key, func() *embed.Service { return w.Embeddings().Service(embed.System()) })
		w.onClose(release)
		return s
	})
}

// codeModel returns what makes the vectors of a workspace's code: a service of its own if a model for
// code is installed, else that of the memories. A person may install a model meanwhile.
func codeModel(w *Workspace) (*embed.Service, embed.Info) {
	own := w.Embeddings().ExpectForCode()
	if own.Model == "" {
		return w.Embedder(), w.Embeddings().Expect()
	}
	return w.coder.get(func() *embed.Service {
		key := modelKey{settings: provider.Configured(w.Config, w.opener.Getenv), dir: w.Place().ModelsDir(), code: true}
		s, release := w.opener.models.acquire(key, func() *embed.Service { return w.Embeddings().CodeService(embed.System()) })
		w.onClose(release)
		if main := w.Embedder(); main != nil {
			remove := main.OnQuery(s.Pause)
			w.onClose(func() error {
				remove()
				return nil
			})
		}
		return s
	}), own
}

// hasModel reports whether the settings select a server or an installed model.
func (o *Opener) hasModel(p *workspace.Workspace, c *config.Config) bool {
	return c.String("embedding.provider") != provider.Local || o.embeddings(p, c).Expect().Model != ""
}
