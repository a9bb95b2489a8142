package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"manicule/lsp/settings"

	"go.lsp.dev/protocol"

	"manicule/indexer/watch"
	"manicule/lsp/convert"
)

// register asks the client to watch the memory folders and to tell when our
// configuration changes, where it can be asked.
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

// DidChangeWatchedFiles reads the memory folders again that the client saw
// change.
func (s *server) DidChangeWatchedFiles(_ context.Context, p *protocol.DidChangeWatchedFilesParams) error {
	for _, c := range p.Changes {
		if path, ok := convert.PathFrom(c.URI); ok && strings.Contains(path, ".manicule") {
			s.syncOwner(path)
		}
	}
	return nil
}

// watch follows an opened folder's memory files: itself where the client
// can't, or where they don't lie in what the client has open and watches.
func (s *server) watch(ctx context.Context, f *folder) {
	s.spawn(func(context.Context) { s.syncLoop(ctx, f) })
	if s.client.Capabilities.DynamicWatch && s.folders.named(f.root) {
		return
	}
	s.spawn(func(context.Context) {
		if err := s.opts.Watch(ctx, f.mem.Root(), f.wantSync); err != nil && ctx.Err() == nil {
			s.log.Warn("watch memories", "root", f.root, "err", err)
		}
	})
}

// watchMemories watches the memory folder of a root with the system's own
// means.
func watchMemories(ctx context.Context, root string, changed func()) error {
	w, err := watch.Open([]string{filepath.Join(root, ".manicule")}, watch.Options{
		Changed: func([]string) { changed() },
		Rescan:  func(error) { changed() },
	})
	if err != nil {
		return fmt.Errorf("watch %s: %w", root, err)
	}
	changed() // what happened before anyone watched
	<-ctx.Done()
	return w.Close()
}

// syncOwner has the folder of a memory file read again.
func (s *server) syncOwner(path string) {
	s.spawn(func(ctx context.Context) {
		if f, _, ok := s.folders.owner(ctx, path); ok {
			f.wantSync()
		}
	})
}

// wantSync has the folder read again, once for all that ask before it starts.
func (f *folder) wantSync() {
	select {
	case f.sync <- struct{}{}:
	default:
	}
}

func (s *server) syncLoop(ctx context.Context, f *folder) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.sync:
		}
		// A change is told to all who subscribed, this server among them.
		if _, err := f.mem.Sync(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("read memories", "root", f.root, "err", err)
		}
	}
}
