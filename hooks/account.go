package hooks

import (
	"context"
	"strings"

	"manicule/memory/ledger"
	"manicule/memory/retrieve"
)

// shownMemory is a memory whose text is in the answer.
type shownMemory struct {
	uuid, path string
	tokens     int
}

// account is what an answer shows so far.
type account struct {
	shown []shownMemory
	// heldOut are the memories that the answer would have quoted.
	heldOut []string
	// quotes is the number of memories that the answer quotes.
	quotes int
}

// noteShown notes that the answer quotes a memory, for a path of the event or "".
func (a *account) noteShown(path, uuid, text string) {
	a.shown = append(a.shown, shownMemory{uuid, strings.TrimSuffix(path, "/"), retrieve.Tokens(text)})
}

// noteShownLines notes the memories that a text quotes in the lines after its heading.
func (a *account) noteShownLines(path, text string, uuids []string) {
	lines := strings.Split(text, "\n")
	for i, id := range uuids {
		if i+1 < len(lines) {
			a.noteShown(path, id, lines[i+1])
		}
	}
}

// recordShown records what the answer has shown, and what was held out of it, in a single append.
// An answer that missed its deadline was not shown.
func (a *answering) recordShown(ctx context.Context, text string) {
	if a.opt.Shown == nil || a.stateDir == "" || a.ev.Session == "" || text == "" && len(a.heldOut) == 0 || a.isOver() {
		return
	}
	tool := a.ev.Name
	if len(a.ev.Calls) > 0 {
		tool = a.ev.Calls[0].Tool
	}
	s := ledger.Showing{Surface: ledger.Hook, Agent: a.ev.Agent, Session: a.ev.Session, AgentID: a.ev.AgentID, Tool: tool, Tokens: retrieve.Tokens(text), HeldOut: a.heldOut}
	for _, m := range a.shown {
		s.Memories = append(s.Memories, ledger.Share{UUID: m.uuid, Tokens: m.tokens, Path: m.path})
	}
	if err := a.opt.Shown(ctx, a.dir(), s); err != nil {
		a.note("what was shown could not be recorded", err)
	}
}
