package mcp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"manicule/hooks/agent"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe"
	"manicule/memory"
	"manicule/memory/gate/injection"
	"manicule/memory/ledger"
	"manicule/memory/retrieve"
)

// shownMemories is the set of memories that this connection was shown.
type shownMemories struct {
	mu    sync.Mutex
	order []string          // uuids in order of their first showing
	texts map[string]string // their texts
}

func newShownMemories() *shownMemories { return &shownMemories{texts: map[string]string{}} }

// maxShownMemories bounds the set. A session shows tens.
const maxShownMemories = 2000

func (x *shownMemories) add(hits []memory.Hit) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, h := range hits {
		if _, ok := x.texts[h.Memory.UUID]; !ok && len(x.order) < maxShownMemories {
			x.order = append(x.order, h.Memory.UUID)
			x.texts[h.Memory.UUID] = h.Memory.What
		}
	}
}

func (x *shownMemories) list() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]string{}, x.order...)
}

// echoes is the similarity from which one text repeats another.
const echoes = 0.9

// echo finds a memory that a text repeats, because a recalled memory is nothing new.
func (x *shownMemories) echo(text string) (uuid string, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range x.order {
		if observe.Similarity(text, x.texts[id]) >= echoes {
			return id, true
		}
	}
	return "", false
}

// shown records the memories that an answer shows: for the counts, for the session's
// dedupe file, so that hooks don't repeat them, and for this connection. answer is its
// full text, paths those of the question.
func (s *server) shown(c *call, sp *Space, hits []memory.Hit, answer string, paths ...string) {
	if len(hits) == 0 {
		return
	}
	s.seen.add(hits)
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.Memory.UUID
	}
	session := s.session(c, sp)
	showing := ledger.Showing{Surface: ledger.MCP, Agent: c.agent, Session: session, Tool: c.tool, Path: pathOf(sp, paths), Tokens: retrieve.Tokens(answer)}
	for _, h := range hits {
		showing.Memories = append(showing.Memories, ledger.Share{UUID: h.Memory.UUID, Tokens: retrieve.Tokens(h.Memory.What)})
	}
	s.spawn(func() {
		ctx := context.WithoutCancel(s.base)
		place := sp.Memories.Place()
		if err := ledger.NewRecorder(place.StateDir(), place.GitPrefix(), s.opts.Now).Shown(ctx, showing); err != nil {
			s.log.Warn("record what was shown", "err", err)
		}
		if err := sp.Memories.Recalled(ctx, ids); err != nil {
			s.log.Warn("count the recall", "err", err)
		}
		if session == "" {
			return
		}
		l := eventlog.OpenDedupe(sp.Memories.Place().StateDir(), session, "", fmt.Sprintf("mcp-%d", os.Getpid()))
		if _, err := l.Claim(s.opts.Now(), ids); err != nil {
			s.log.Warn("record what the session was shown", "err", err)
		}
	})
}

// pathOf returns the first place that names a file or folder, relative to the root.
func pathOf(sp *Space, places []string) string {
	for _, p := range places {
		name, _, _ := strings.Cut(p, "#")
		if rel, ok := sp.Memories.Place().Rel(name); ok && rel != "" && rel != "." {
			return filepath.ToSlash(rel)
		}
	}
	return ""
}

// session returns the agent's session, "" if that is not known: the one that the call names, or the agent's environment.
// A server keeps the environment that it was started with, so a session that is over by its log is not the one that asks:
// /clear began another.
func (s *server) session(c *call, sp *Space) string {
	id := s.named(c)
	if id == "" || c.session != "" {
		return id
	}
	if last, ok := eventlog.Last(sp.Memories.Place().StateDir(), eventlog.SafeName(id)); ok && last.Kind == string(event.SessionEnd) {
		return ""
	}
	return id
}

// named returns the session that the call or the agent's environment names. The variable of another agent than the client is
// inherited: this agent was started from a shell of that one.
func (s *server) named(c *call) string {
	if c.session != "" {
		return c.session
	}
	_, known := agent.Lookup(c.agent)
	for _, a := range agent.All() {
		if known && a.ID != c.agent || a.Env.Session == "" {
			continue
		}
		if id := s.opts.Getenv(a.Env.Session); id != "" {
			return id
		}
	}
	return ""
}

// repeats refuses a text that contains what Manicule itself has said.
func (s *server) repeats(text string) error {
	if injection.Echo(text) {
		return userError("the text repeats what Manicule said", "Say in your own words what is new.")
	}
	if id, ok := s.seen.echo(text); ok {
		short := id[max(0, len(id)-8):]
		return userError("memory "+short+" says this already, and you were shown it", "`confirm` it if you found it true, `update` it if it should say more.")
	}
	return nil
}
