package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/convert"
	"manicule/lsp/settings"
)

// register asks the client to watch the memory folders and to report changes of our
// configuration, if it supports that.
func (s *server) register(ctx context.Context) {
	var regs []protocol.Registration
	add := func(id, method string, options any) {
		b, err := protocol.Marshal(options)
		if err != nil {
			s.log.Error("register", "method", method, "err", err)
			return
		}
		regs = append(regs, protocol.Registration{ID: id, Method: method, RegisterOptions: b})
	}
	if s.client.Capabilities.DynamicWatch {
		add("manicule-files", protocol.MethodWorkspaceDidChangeWatchedFiles, &protocol.DidChangeWatchedFilesRegistrationOptions{
			Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern("**/.manicule/**")}},
		})
	}
	if s.client.Capabilities.DynamicConfiguration {
		add("manicule-configuration", protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationRegistrationOptions{
			Section: protocol.String(settings.Section),
		})
	}
	if len(regs) == 0 {
		return
	}
	if err := s.client.Conn.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: regs}); err != nil {
		s.log.Warn("client/registerCapability", "err", err)
	}
}

// DidChangeWatchedFiles syncs the memory folders with changes.
func (s *server) DidChangeWatchedFiles(_ context.Context, p *protocol.DidChangeWatchedFilesParams) error {
	for _, c := range p.Changes {
		if path, ok := convert.PathFrom(c.URI); ok && strings.Contains(path, ".manicule") {
			s.syncOwner(path)
		}
	}
	return nil
}
