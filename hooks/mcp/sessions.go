package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"manicule/hooks/agent"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/learn"
	"manicule/hooks/nudge"
	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate/injection"
	"manicule/memory/ledger"
	"manicule/memory/retrieve"
	"manicule/memory/store"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// sessions knows in which session of an agent a call is, what this connection was shown, and which drafts it made.
type sessions struct {
	*background
	spaces *spaces
	getenv func(string) string
	now    func() time.Time
	log    *slog.Logger

	seen  *shownMemories
	wrote sync.Map // uuids of the drafts from this connection
}

// of returns the agent's session, "" if that is not known: the one that the call names, or the agent's environment.
// A server keeps the environment that it was started with, so a session that is over by its log is not the one that asks:
// /clear began another.
func (x *sessions) of(c *call, sp *Space) string {
	id := x.named(c)
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
func (x *sessions) named(c *call) string {
	if c.session != "" {
		return c.session
	}
	_, known := agent.Lookup(c.agent)
	for _, a := range agent.All() {
		if known && a.ID != c.agent || a.Env.Session == "" {
			continue
		}
		if id := x.getenv(a.Env.Session); id != "" {
			return id
		}
	}
	return ""
}

// shown records the memories that an answer shows: for the counts, for the session's
// dedupe file, so that hooks don't repeat them, and for this connection. answer is its
// full text, paths those of the question.
func (x *sessions) shown(c *call, sp *Space, hits []memory.Hit, answer string, paths ...string) {
	if len(hits) == 0 {
		return
	}
	x.seen.add(hits)
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.Memory.UUID
	}
	session := x.of(c, sp)
	showing := ledger.Showing{Surface: ledger.MCP, Agent: c.agent, Session: session, Tool: c.tool, Path: pathOf(sp, paths), Tokens: retrieve.Tokens(answer)}
	for _, h := range hits {
		showing.Memories = append(showing.Memories, ledger.Share{UUID: h.Memory.UUID, Tokens: retrieve.Tokens(h.Memory.What)})
	}
	x.spawn(func() {
		ctx := context.WithoutCancel(x.base)
		place := sp.Memories.Place()
		if err := ledger.NewRecorder(place.StateDir(), place.GitPrefix(), x.now).Shown(ctx, showing); err != nil {
			x.log.Warn("record what was shown", "err", err)
		}
		if err := sp.Memories.Uses().Recalled(ctx, ids); err != nil {
			x.log.Warn("count the recall", "err", err)
		}
		if session == "" {
			return
		}
		l := eventlog.Conversation{StateDir: sp.Memories.Place().StateDir(), Session: session}.Dedupe(fmt.Sprintf("mcp-%d", os.Getpid()))
		if _, err := l.Claim(x.now(), ids); err != nil {
			x.log.Warn("record what the session was shown", "err", err)
		}
	})
}

// unusable tells, once for each root and connection, that memory files can't be used: an answer without them reads as if there
// were none.
func (x *sessions) unusable(w *warnings, spaces ...*Space) {
	for _, sp := range spaces {
		n := 0
		for _, p := range sp.Memories.View().Problems() {
			if p.Held == "" { // in quarantine is what agents are not to know
				n++
			}
		}
		if text := nudge.Unusable(n); text != "" && w.room() && x.seen.saysShort(sp.Memories.Root()) {
			w.add("%s", text)
		}
	}
}

// pathOf returns the first place that names a file or folder, relative to the root.
func pathOf(sp *Space, places []string) string {
	for _, p := range places {
		name, _, _ := anchor.CutSymbol(sp.Memories.Place().Below(p))
		if rel, ok := sp.Memories.Place().Rel(name); ok && rel != "" && rel != "." {
			return filepath.ToSlash(rel)
		}
	}
	return ""
}

// repeats refuses a text that contains what Manicule itself has said.
func (x *sessions) repeats(text string) error {
	if injection.Echo(text) {
		return userError("the text repeats what Manicule said", "Say in your own words what is new.")
	}
	if id, ok := x.seen.echo(text); ok {
		short := id[max(0, len(id)-8):]
		return userError("memory "+short+" says this already, and you were shown it", "`confirm` it if you found it true, `update` it if it should say more.")
	}
	return nil
}

// shownOf is shown for memories of several roots. The text counts once.
func (x *sessions) shownOf(c *call, hits []found, answer string, paths ...string) {
	by := map[*Space][]memory.Hit{}
	var order []*Space
	for _, h := range hits {
		if by[h.in.Space] == nil {
			order = append(order, h.in.Space)
		}
		by[h.in.Space] = append(by[h.in.Space], h.Hit)
	}
	for _, sp := range order {
		x.shown(c, sp, by[sp], answer, paths...)
		answer = ""
	}
}

// keep records a draft of this connection. A draft that was merged into another's is not
// recorded.
func (x *sessions) keep(r memory.Result) {
	if r.Accepted && r.Draft && !r.Deduped && r.Memory != nil {
		x.wrote.Store(r.Memory.UUID, true)
	}
}

// owns reports whether a draft belongs to the caller. Its agent must have the caller's
// name, which any client can claim, and it must come from this connection or from the
// session in the agent's environment.
func (x *sessions) owns(c *call, sp *Space, d store.DraftRow) bool {
	if d.Status != store.StatusDraft || d.Memory.Trust.Origin != file.AgentExplicit || d.Tool != c.agent {
		return false
	}
	if _, here := x.wrote.Load(d.Memory.UUID); here {
		return true
	}
	return d.Session != "" && d.Session == x.named(c) && d.Session == x.of(c, sp)
}

// ownDraft reports whether an id is a draft, which must then be the caller's own.
func (x *sessions) ownDraft(ctx context.Context, sp *Space, id string, c *call) (bool, error) {
	rows, err := sp.Memories.State().Drafts().Find(ctx, id)
	if err != nil || len(rows) != 1 {
		return false, err
	}
	if !x.owns(c, sp, rows[0]) {
		return false, userError("draft "+rows[0].Memory.ShortID()+" is not yours", "A person judges it: `manicule review`.")
	}
	return true, nil
}

// tainted reports whether the session may have taken in untrusted text, according to its
// log. If the agent does not name its session, the newest one counts. An unreadable log
// counts as tainted.
func (x *sessions) tainted(ctx context.Context, sp *Space, session string) bool {
	for _, root := range x.spaces.all(ctx, sp) { // the session may have worked in another root
		suspect, err := learn.Suspect(ctx, root.Memories.Place(), session, x.now())
		if err != nil {
			x.log.Warn("read the session's log", "err", err)
		}
		if suspect {
			return true
		}
	}
	return false
}

// countSearch counts a search in each root that was queried.
func (x *sessions) countSearch(roots []*rooted) {
	x.spawn(func() {
		for _, p := range roots {
			if err := p.Memories.State().Usage().Count(x.base, "search"); err != nil && x.base.Err() == nil {
				x.log.Warn("count a search", "err", err)
			}
		}
	})
}
