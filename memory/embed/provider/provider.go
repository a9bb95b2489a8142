// Package provider selects the embedders from the settings: which ones to try, in
// which order, with which model. Only services and commands may import it, because it
// links the runtimes. It must not know how an embedder works.
package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shirou/gopsutil/v4/mem"

	"manicule/memory/embed"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
	"manicule/memory/embed/onnx"
	"manicule/memory/embed/remote"
)

// The kinds of provider, as in the settings.
const (
	Local  = "local"
	Ollama = "ollama"
	OpenAI = "openai"
	Off    = "off"
)

// Default addresses and model of servers.
const (
	ollamaURL   = "http://127.0.0.1:11434"
	openAIURL   = "https://api.openai.com/v1"
	openAIModel = "text-embedding-3-small"
	// serverDims is the length of vectors to request from servers, which their usual models
	// support.
	serverDims = 1024
)

// quietPeriod is how long background work pauses after a query. People and agents often search
// several times in a row.
const quietPeriod = 500 * time.Millisecond

// retryAfter is how long a service stays with the local model after a server failed.
const retryAfter = 5 * time.Minute

// Settings are the relevant part of the configuration.
type Settings struct {
	Provider string
	Model    string
	URL      string
	Key      string // the key itself, from the environment
	KeyName  string // the variable it was read from
	Dims     int
	Threads  int
	Idle     time.Duration
	Library  string // replaces the installed one
}

// Provider opens embedders for one set of settings.
type Provider struct {
	s     Settings
	store *models.Store
}

// New returns a provider with the models of a store.
func New(s Settings, store *models.Store) *Provider { return &Provider{s, store} }

// Service starts a service with the embedders in order: a server if the settings name one, then the
// local model.
func (p *Provider) Service(clock embed.Clock) *embed.Service {
	return embed.New(embed.Options{Open: p.openers(), Idle: p.s.Idle, QuietPeriod: quietPeriod, Retry: retryAfter, Clock: clock})
}

// CodeService starts a service for pieces of code. Its model has a single thread: more take more
// processor time for each piece, and nobody waits for it.
func (p *Provider) CodeService(clock embed.Clock) *embed.Service {
	return embed.New(embed.Options{Open: []embed.Opener{p.localForCode, p.local}, Idle: p.s.Idle, QuietPeriod: quietPeriod, Retry: retryAfter, Clock: clock})
}

// ExpectForCode returns the id of the vectors of CodeService without loading its model. It is zero
// if code has no model of its own: then it is embedded as memories are.
func (p *Provider) ExpectForCode() embed.Info {
	m, err := p.codeModel()
	if err != nil {
		return embed.Info{}
	}
	return embed.Info{Model: m.ID, Dims: m.Dims}
}

// codeModel selects the local model for code. It needs onnxruntime: on the Go backend 8-bit weights
// are slower than others.
func (p *Provider) codeModel() (models.ForCode, error) {
	if p.s.Provider != Local {
		return models.ForCode{}, fmt.Errorf("a local model for code is %w", models.ErrAbsent)
	}
	m, err := p.model()
	if err != nil {
		return models.ForCode{}, err
	}
	quick, ok := p.store.ForCode(m)
	if !ok || p.library() == "" {
		return models.ForCode{}, fmt.Errorf("a model for code is %w", models.ErrAbsent)
	}
	return quick, nil
}

// library returns the path of onnxruntime, "" if there is none.
func (p *Provider) library() string { return cmp.Or(p.s.Library, p.store.Library()) }

// localForCode opens the local model for code.
func (p *Provider) localForCode(ctx context.Context) (embed.Embedder, error) {
	m, err := p.codeModel()
	if err != nil {
		return nil, err
	}
	e, _, err := local.Open(ctx, local.Options{
		Model: m.ID, Dims: m.Dims, MaxTokens: m.MaxTokens, Dir: m.Dir, File: m.File,
		Alone: true, Library: p.library(), Threads: 1, Backend: local.ONNXRuntime,
	})
	return e, err
}

func (p *Provider) openers() []embed.Opener {
	switch p.s.Provider {
	case Off:
		return nil
	case Ollama:
		return []embed.Opener{p.ollama, p.local}
	case OpenAI:
		return []embed.Opener{p.openAI, p.local}
	}
	return []embed.Opener{p.local}
}

// Expect returns the id of the local model's vectors without loading it. It is zero if there is
// none, or if a server comes first.
func (p *Provider) Expect() embed.Info {
	if p.s.Provider != Local {
		return embed.Info{}
	}
	m, err := p.model()
	if errors.Is(err, models.ErrAbsent) && models.IsBundled() {
		m, err = models.Find(models.Default)
	}
	if err != nil {
		return embed.Info{}
	}
	return embed.Info{Model: m.ID, Dims: m.Dims}
}

// model selects the local model.
func (p *Provider) model() (models.Model, error) {
	if p.s.Provider == Local && p.s.Model != "" {
		m, err := models.Find(p.s.Model)
		if err == nil && !p.store.Installed(m) {
			err = fmt.Errorf("%s is %w", m.Name, models.ErrAbsent)
		}
		return m, err
	}
	return p.store.Selected()
}

// local opens the local model. A program with a bundled model unpacks it first.
func (p *Provider) local(ctx context.Context) (embed.Embedder, error) {
	e, _, err := p.Open(ctx, local.Auto)
	return e, err
}

// Open loads the local model on one backend, or on the first that works. The second result says why
// a preferred backend was skipped.
func (p *Provider) Open(ctx context.Context, backend local.Backend) (embed.Embedder, error, error) {
	m, err := p.model()
	if errors.Is(err, models.ErrAbsent) {
		if m, err = p.unbundle(ctx, err); err != nil {
			return nil, nil, err
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", embed.ErrNone, err)
	}
	o := local.Options{
		Model: m.ID, Dims: m.Dims, MaxTokens: m.MaxTokens, Dir: p.store.ModelDir(m), File: models.ModelFile,
		Alone: m.Precision == onnx.Int8, Library: p.library(), Threads: local.Threads(p.s.Threads), Backend: backend,
	}
	if full, ok := m.Full(); ok && p.store.Installed(full) {
		o.GoDir = p.store.ModelDir(full)
	}
	e, passed, err := local.Open(ctx, o)
	if err != nil && ctx.Err() == nil {
		return nil, nil, fmt.Errorf("%w works: %w", embed.ErrNone, err)
	}
	return e, passed, err
}

// unbundle installs the bundled model, if there is one.
func (p *Provider) unbundle(ctx context.Context, absent error) (models.Model, error) {
	source, err := models.Bundled()
	if errors.Is(err, errors.ErrUnsupported) {
		return models.Model{}, fmt.Errorf("%w: %w", embed.ErrNone, absent)
	}
	if err != nil {
		return models.Model{}, err
	}
	m, err := models.Find(models.Default)
	if err != nil {
		return m, err
	}
	if _, err := p.store.Install(ctx, m, source); err != nil {
		return m, err
	}
	if _, err := p.store.InstallLibrary(ctx, source); err != nil && !errors.Is(err, models.ErrAbsent) {
		return m, err
	}
	return m, nil
}

func (p *Provider) ollama(ctx context.Context) (embed.Embedder, error) {
	o := remote.Options{URL: p.s.URL, Model: p.s.Model, Dims: p.s.Dims}
	if o.URL == "" {
		o.URL = ollamaURL
	}
	if o.Model == "" {
		o.Model = remote.OllamaModel(memory(ctx))
		o.Dims = orServer(o.Dims)
	}
	return remote.Ollama(ctx, o)
}

func (p *Provider) openAI(ctx context.Context) (embed.Embedder, error) {
	o := remote.Options{URL: p.s.URL, Model: p.s.Model, Dims: p.s.Dims, Key: p.s.Key}
	if o.URL == "" {
		o.URL = openAIURL
		if o.Key == "" {
			return nil, fmt.Errorf("the environment has no %s", p.s.KeyName)
		}
	}
	if o.Model == "" {
		o.Model = openAIModel
		o.Dims = orServer(o.Dims)
	}
	return remote.OpenAI(ctx, o)
}

func orServer(dims int) int {
	if dims == 0 {
		return serverDims
	}
	return dims
}

// memory returns this machine's memory in bytes, 0 if unknown, which selects the smallest model.
func memory(ctx context.Context) uint64 {
	v, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return 0
	}
	return v.Total
}
