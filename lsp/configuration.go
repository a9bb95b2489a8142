package lsp

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"manicule/lsp/client"
	"manicule/lsp/settings"
)

// Settings are what a person can configure about what the editor shows.
type Settings = settings.Settings

// DefaultSettings returns the default settings.
func DefaultSettings() *Settings { return settings.Default() }

// configuration holds the settings: those of the user and the repository, overlaid with
// the client's.
type configuration struct {
	client   *client.Client
	log      *slog.Logger
	reader   settings.Reader
	defaults func(dir string) *Settings
	override func(*Settings)
	changed  func() // called after the client has changed them

	base    *Settings                // set by initialize: the client's later configuration overlays it
	current atomic.Pointer[Settings] // never nil
}

func newConfiguration(c *client.Client, log *slog.Logger, opts Options, changed func()) *configuration {
	out := &configuration{
		client: c, log: log, reader: settings.Reader{Log: log, SuggestKey: opts.SuggestKey},
		defaults: opts.Settings, override: opts.Override, changed: changed,
	}
	out.current.Store(opts.Settings(""))
	return out
}

// initialize overlays the client's initializationOptions on the configuration of the
// user and the repository.
func (c *configuration) initialize(raw protocol.LSPAny, dirs []string) {
	dir := ""
	if len(dirs) > 0 {
		dir = dirs[0]
	}
	c.base = c.overlay(c.defaults(dir), raw.Clone(), "initializationOptions")
}

// pull asks the client for our section.
func (c *configuration) pull(ctx context.Context) {
	if !c.client.Capabilities.Configuration {
		return
	}
	got, err := c.client.Conn.Configuration(ctx, &protocol.ConfigurationParams{
		Items: []protocol.ConfigurationItem{{Section: new(settings.Section)}},
	})
	if err != nil {
		c.log.Warn("workspace/configuration", "err", err)
		return
	}
	if len(got) > 0 {
		c.set(got[0], "workspace/configuration")
	}
}

// set applies our section of the client's configuration.
func (c *configuration) set(raw jsontext.Value, from string) {
	c.overlay(c.base, raw, from)
	c.changed()
}

// overlay makes base with raw the current settings.
func (c *configuration) overlay(base *Settings, raw jsontext.Value, from string) *Settings {
	next := c.reader.Overlay(base, raw, from)
	c.override(next)
	c.current.Store(next)
	return next
}

// DidChangeConfiguration applies pushed settings. If the client only says that they
// changed, it pulls them.
func (s *server) DidChangeConfiguration(_ context.Context, p *protocol.DidChangeConfigurationParams) error {
	var all map[string]jsontext.Value
	if err := json.Unmarshal(p.Settings, &all); err == nil && len(all[settings.Section]) > 0 {
		s.config.set(all[settings.Section], "didChangeConfiguration")
		return nil
	}
	s.spawn(s.config.pull)
	return nil
}
