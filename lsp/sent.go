package lsp

import (
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/feature"
)

// settleTime is how long after diagnostics were sent the client is sure to show them: an editor puts
// a hover together from those that it had when the person asked. On a busy machine that takes longer, and a memory that is told
// twice until then does less harm than one that is not told.
const settleTime = time.Second

// sentDiagnostics keeps which memories the diagnostics of a document have told the client, and where:
// while somebody types, the client may no longer show those that were sent before. The zero value is
// empty.
type sentDiagnostics struct {
	mu    sync.Mutex
	since map[uri.URI]map[feature.Telling]time.Time // guarded by mu
}

// set replaces the diagnostics of a document.
func (s *sentDiagnostics) set(u uri.URI, items []protocol.Diagnostic, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := make(map[feature.Telling]time.Time)
	for _, t := range feature.Tellings(items) {
		since[t] = now
		if before, ok := s.since[u][t]; ok {
			since[t] = before
		}
	}
	if s.since == nil {
		s.since = make(map[uri.URI]map[feature.Telling]time.Time)
	}
	s.since[u] = since
}

// forget drops a document: a client that opens it again has no diagnostics of it.
func (s *sentDiagnostics) forget(u uri.URI) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, u)
}

// settled reports whether the client shows a diagnostic by now.
func (s *sentDiagnostics) settled(u uri.URI, t feature.Telling, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.since[u][t]
	return ok && now.Sub(at) >= settleTime
}
