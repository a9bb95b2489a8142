// Package provider selects the reranker from the settings: a cross-encoder on this
// machine, a server, or none. Only services and commands may import it, because it
// links the runtimes. It must not know how a reranker works.
package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"manicule/memory/config"
	"manicule/memory/embed"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
	embedders "manicule/memory/embed/provider"
	"manicule/memory/rerank"
	"manicule/memory/rerank/remote"
)

// The kinds of provider, as in the settings.
const (
	Local  = "local"
	OpenAI = "openai"
	Late   = "late" // late interaction with the embedding model
	Off    = "off"
)

// errSettings is wrapped, together with rerank.ErrNone, if the configuration of a server is
// incomplete.
var errSettings = errors.New("the reranker's settings are incomplete")

// Settings are the relevant part of the configuration.
type Settings struct {
	Provider string
	Endpoint string
	Model    string
	Key      string // the key itself, from the environment
	KeyName  string // the variable it was read from
	Threads  int
	Idle     time.Duration
	Library  string // replaces the installed one
	Embedder embedders.Settings
}

// configured returns the settings from a configuration and the environment. Threads, idle time and
// library are those of the embedder.
func configured(c *config.Config, getenv func(string) string) Settings {
	name := c.String("rerank.key_variable")
	return Settings{
		Provider: c.String("rerank.provider"), Endpoint: c.String("rerank.endpoint"), Model: c.String("rerank.model"), Key: getenv(name), KeyName: name,
		Threads: c.Int("embedding.threads"), Idle: time.Duration(c.Int("embedding.idle_minutes")) * time.Minute, Library: c.String("embedding.library"), Embedder: embedders.Configured(c, getenv),
	}
}

// Open returns the reranker that a configuration selects, with the models of a folder. It loads on
// first use and is freed when idle. If there is none, calls wrap rerank.ErrNone and Info names no
// model.
func Open(c *config.Config, modelsDir string, getenv func(string) string) *rerank.Lazy {
	return New(configured(c, getenv), models.Open(modelsDir), embed.System())
}

// New is Open with given settings and a clock.
func New(s Settings, store *models.Store, clock embed.Clock) *rerank.Lazy {
	p := &provider{s, store}
	return rerank.NewLazy(p.open, p.expect, s.Idle, clock)
}

type provider struct {
	s     Settings
	store *models.Store
}

func (p *provider) open(ctx context.Context) (rerank.Reranker, error) {
	switch p.s.Provider {
	case Local:
		r, _, err := OpenLocal(ctx, p.s, p.store, local.Auto)
		return r, err
	case OpenAI:
		return p.server()
	case Late:
		return p.late(ctx)
	}
	return nil, fmt.Errorf("%w: switched off by rerank.provider", rerank.ErrNone)
}

// expect names what open would load.
func (p *provider) expect() rerank.Info {
	switch p.s.Provider {
	case Local:
		if m, err := model(p.s, p.store); err == nil {
			return rerank.Info{Model: m.Name}
		}
	case OpenAI:
		if r, err := p.server(); err == nil {
			return r.Info()
		}
	case Late:
		if m, err := p.store.Selected(); err == nil && p.store.Installed(m) {
			return rerank.Info{Model: m.Name, Share: local.LateShare}
		}
	}
	return rerank.Info{}
}

func (p *provider) server() (rerank.Reranker, error) {
	for key, value := range map[string]string{"rerank.endpoint": p.s.Endpoint, "rerank.model": p.s.Model} {
		if value == "" {
			return nil, fmt.Errorf("%w: %w: %s is empty", rerank.ErrNone, errSettings, key)
		}
	}
	return remote.New(remote.Options{URL: p.s.Endpoint, Model: p.s.Model, Key: p.s.Key, KeyName: p.s.KeyName})
}

// late loads the embedding model once more, for the vectors of its tokens.
func (p *provider) late(ctx context.Context) (rerank.Reranker, error) {
	e, _, err := embedders.New(p.s.Embedder, p.store).Open(ctx, local.ONNXRuntime)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", rerank.ErrNone, err)
	}
	r, err := local.Late(e)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", rerank.ErrNone, errors.Join(err, e.Close()))
	}
	return r, nil
}

// model selects the local reranker.
func model(s Settings, store *models.Store) (models.Model, error) {
	if s.Provider != Local || s.Model == "" {
		return store.SelectedReranker()
	}
	m, err := store.Find(s.Model)
	switch {
	case err != nil:
		return m, err
	case m.Kind != models.Reranker:
		return m, fmt.Errorf("%s: %w", m.Name, models.ErrKind)
	case !store.Installed(m):
		return m, fmt.Errorf("%s is %w", m.Name, models.ErrAbsent)
	}
	return m, nil
}

// OpenLocal loads the local reranker on one backend, or on the first that works. The second result
// says why a preferred backend was skipped.
func OpenLocal(ctx context.Context, s Settings, store *models.Store, backend local.Backend) (rerank.Reranker, error, error) {
	m, err := model(s, store)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", rerank.ErrNone, err)
	}
	o := local.Cross{
		Model: m.Name, MaxTokens: m.MaxTokens, Dir: store.ModelDir(m), File: models.ModelFile,
		Library: s.Library, Threads: local.Threads(s.Threads), Backend: backend,
	}
	if o.Library == "" {
		o.Library = store.Library()
	}
	r, passed, err := local.OpenCross(ctx, o)
	if err != nil && ctx.Err() == nil {
		return nil, nil, fmt.Errorf("%w works: %w", rerank.ErrNone, err)
	}
	return r, passed, err
}
