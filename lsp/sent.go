package lsp

import (
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/feature"
)

// settleTime is how long after diagnostics were sent the client is sure to show them: an editor puts
// a hover together from those that it had when the person asked.
const settleTime = 300 * time.Millisecond

// sentDiagnostics keeps which memories the diagnostics of a document have told the client. The zero
// value is empty.
type sentDiagnostics struct {
	mu    sync.Mutex
	since map[uri.URI]map[string]time.Time // guarded by mu; by document and uuid
}

// set replaces the diagnostics of a document.
func (s *sentDiagnostics) set(u uri.URI, items []protocol.Diagnostic, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := make(map[string]time.Time)
	for _, uuid := range feature.Told(items) {
		since[uuid] = now
		if before, ok := s.since[u][uuid]; ok {
			since[uuid] = before
		}
	}
	if s.since == nil {
		s.since = make(map[uri.URI]map[string]time.Time)
	}
	s.since[u] = since
}

// forget drops a document: a client that opens it again has no diagnostics of it.
func (s *sentDiagnostics) forget(u uri.URI) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, u)
}

// settled reports whether the client shows a diagnostic of a memory by now.
func (s *sentDiagnostics) settled(u uri.URI, uuid string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.since[u][uuid]
	return ok && now.Sub(at) >= settleTime
}
