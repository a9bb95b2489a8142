package hooks

import (
	"slices"
	"strconv"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/observe"
)

// compactedKey is claimed at a compaction after which the agent sends no start of a session, continuedKey once the
// session was told of it.
const (
	compactedKey = "compacted"
	continuedKey = "continued"
)

// checkpointBytes is the end of a session's log that is searched for the checkpoint.
const checkpointBytes = 256 << 10

// compaction carries what a session is in the middle of over a compaction of its context.
type compaction struct{ *answering }

// checkpoint writes down what the session is in the middle of, before its context is compacted. The
// event's line in the session's log holds it.
func (c compaction) checkpoint() {
	if c.stateDir == "" || c.ev.AgentID != "" || c.degraded() {
		return
	}
	if c.ev.Text = c.inProgress(); c.ev.Text != "" && !c.agent.Restarts && c.claims.kept() {
		c.claims.claim(compactedKey)
	}
}

// inProgress says what the session is in the middle of, by its log.
func (c compaction) inProgress() string {
	records, _, err := eventlog.Read(c.stateDir, c.ev.Session)
	if err != nil {
		c.note("the session's log could not be read", err)
		return ""
	}
	fold := observe.New(c.dir())
	for _, r := range records {
		fold.Add(r)
	}
	if c.agent.Unseen { // nobody knows what it has read
		fold.MarkUnseen()
	}
	p := fold.Progress()
	out := nudge.Checkpoint{Task: p.Task, Edited: p.Edited, Open: p.Open, Asked: c.ev.Facts[event.AskedFact]}
	for _, b := range p.Fails {
		out.Fails = append(out.Fails, [2]string{b.Command, b.Line})
	}
	return nudge.Continue(out)
}

// continued returns the last checkpoint of the session, once. An agent that reports a compaction only afterwards has
// none: what the session is in the middle of is then found in its log.
func (c compaction) continued() string {
	if !c.claims.kept() || c.stateDir == "" || c.degraded() {
		return ""
	}
	records, _, err := eventlog.Tail(c.stateDir, c.ev.Session, checkpointBytes)
	if err != nil {
		c.note("the session's log could not be read", err)
		return ""
	}
	for _, r := range slices.Backward(records) {
		if event.Kind(r.Kind) != event.PreCompact {
			continue
		}
		if r.Text == "" || !c.commit() || !c.claims.win("checkpoint\x00"+strconv.FormatInt(r.Time, 10)) {
			return ""
		}
		return r.Text
	}
	if c.ev.Kind != event.SessionStart {
		return ""
	}
	text := c.inProgress()
	if text == "" || !c.commit() {
		return ""
	}
	return text
}

// afterCompaction returns the checkpoint with the first prompt or call after a compaction, for agents that
// don't start a session anew: most compactions happen in the middle of a turn.
func (c compaction) afterCompaction() string {
	if !c.claims.kept() || c.agent.Restarts || c.ev.AgentID != "" || !c.ev.Answers {
		return ""
	}
	if !c.claims.owes(compactedKey, continuedKey) {
		return ""
	}
	text := c.continued()
	if text != "" {
		c.claims.claim(continuedKey)
	}
	return text
}
