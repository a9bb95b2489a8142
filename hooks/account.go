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

// noteShown notes that the answer quotes a memory, for a path of the event or "".
func (j *job) noteShown(path, uuid, text string) {
	j.shown = append(j.shown, shownMemory{uuid, strings.TrimSuffix(path, "/"), retrieve.Tokens(text)})
}

// noteShownLines notes the memories that a text quotes in the lines after its heading.
func (j *job) noteShownLines(path, text string, uuids []string) {
	lines := strings.Split(text, "\n")
	for i, id := range uuids {
		if i+1 < len(lines) {
			j.noteShown(path, id, lines[i+1])
		}
	}
}

// recordShown records what the answer has shown, and what was held out of it, in a single append.
// An answer that missed its deadline was not shown.
func (j *job) recordShown(ctx context.Context, text string) {
	j.mu.Lock()
	over := j.expired
	j.mu.Unlock()
	if j.opt.Shown == nil || j.stateDir == "" || j.ev.Session == "" || text == "" && len(j.heldOut) == 0 || over {
		return
	}
	tool := j.ev.Name
	if len(j.ev.Calls) > 0 {
		tool = j.ev.Calls[0].Tool
	}
	s := ledger.Showing{Surface: ledger.Hook, Agent: j.ev.Agent, Session: j.ev.Session, AgentID: j.ev.AgentID, Tool: tool, Tokens: retrieve.Tokens(text), HeldOut: j.heldOut}
	for _, m := range j.shown {
		s.Memories = append(s.Memories, ledger.Share{UUID: m.uuid, Tokens: m.tokens, Path: m.path})
	}
	if err := j.opt.Shown(ctx, j.opt.projectDir(j.ev), s); err != nil {
		j.note("what was shown could not be recorded", err)
	}
}
