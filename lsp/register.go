package lsp

import (
	"context"
	"log/slog"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/client"
	"manicule/lsp/convert"
	"manicule/lsp/settings"
)

// register asks the client to watch the memory folders and to report changes of our
// configuration, if it supports that.
func register(ctx context.Context, c *client.Client, log *slog.Logger) {
	var regs []protocol.Registration
	add := func(id, method string, options any) {
		b, err := protocol.Marshal(options)
		if err != nil {
			log.Error("register", "method", method, "err", err)
			return
		}
		regs = append(regs, protocol.Registration{ID: id, Method: method, RegisterOptions: b})
	}
	if c.Capabilities.DynamicWatch {
		add("manicule-files", protocol.MethodWorkspaceDidChangeWatchedFiles, &protocol.DidChangeWatchedFilesRegistrationOptions{
			Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern("**/.manicule/**")}},
		})
	}
	if c.Capabilities.DynamicConfiguration {
		add("manicule-configuration", protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationRegistrationOptions{
			Section: protocol.String(settings.Section),
		})
	}
	if len(regs) == 0 {
		return
	}
	if err := c.Conn.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: regs}); err != nil {
		log.Warn("client/registerCapability", "err", err)
	}
}

// DidChangeWatchedFiles syncs the memory folders with changes.
func (s *server) DidChangeWatchedFiles(_ context.Context, p *protocol.DidChangeWatchedFilesParams) error {
	for _, c := range p.Changes {
		if path, ok := convert.PathFrom(c.URI); ok && strings.Contains(path, ".manicule") {
			s.files.memorySaved(path)
		}
	}
	return nil
}
