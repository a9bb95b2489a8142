package lsp

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"manicule/lsp/settings"
)

// Settings are what a person can configure about what the editor shows.
type Settings = settings.Settings

// DefaultSettings returns the default settings.
func DefaultSettings() *Settings { return settings.Default() }

func (s *server) settingsReader() settings.Reader {
	return settings.Reader{Log: s.log, SuggestKey: s.opts.SuggestKey}
}

// initOptions overlays the client's initializationOptions on the configuration of the
// user and the repository.
func (s *server) initOptions(raw protocol.LSPAny, dirs []string) {
	raw = raw.Clone()
	dir := ""
	if len(dirs) > 0 {
		dir = dirs[0]
	}
	s.baseSettings = s.settingsReader().Overlay(s.opts.Settings(dir), raw, "initializationOptions")
	s.opts.Override(s.baseSettings)
	s.settings.Store(s.baseSettings)
}

// DidChangeConfiguration applies pushed settings. If the client only says that they
// changed, it pulls them.
func (s *server) DidChangeConfiguration(_ context.Context, p *protocol.DidChangeConfigurationParams) error {
	var all map[string]jsontext.Value
	if err := json.Unmarshal(p.Settings, &all); err == nil && len(all[settings.Section]) > 0 {
		s.configure(all[settings.Section], "didChangeConfiguration")
		return nil
	}
	s.spawn(s.pullConfiguration)
	return nil
}

// pullConfiguration asks the client for our section.
func (s *server) pullConfiguration(ctx context.Context) {
	if !s.client.Capabilities.Configuration {
		return
	}
	got, err := s.client.Conn.Configuration(ctx, &protocol.ConfigurationParams{
		Items: []protocol.ConfigurationItem{{Section: new(settings.Section)}},
	})
	if err != nil {
		s.log.Warn("workspace/configuration", "err", err)
		return
	}
	if len(got) > 0 {
		s.configure(got[0], "workspace/configuration")
	}
}

func (s *server) configure(raw jsontext.Value, from string) {
	next := s.settingsReader().Overlay(s.baseSettings, raw, from)
	s.opts.Override(next)
	s.settings.Store(next)
	s.markStale()
}
