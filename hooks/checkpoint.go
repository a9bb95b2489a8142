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

// checkpoint writes down what the session is in the middle of, before its context is compacted. The
// event's line in the session's log holds it.
func (j *job) checkpoint(dedupe *eventlog.Dedupe) {
	if j.stateDir == "" || j.ev.AgentID != "" || j.degraded() {
		return
	}
	if j.ev.Text = j.inProgress(); j.ev.Text != "" && !j.agent.Restarts && dedupe != nil {
		j.claim(dedupe, []string{compactedKey})
	}
}

// inProgress says what the session is in the middle of, by its log.
func (j *job) inProgress() string {
	records, _, err := eventlog.Read(j.stateDir, j.ev.Session)
	if err != nil {
		j.note("the session's log could not be read", err)
		return ""
	}
	fold := observe.New(j.opt.projectDir(j.ev))
	for _, r := range records {
		fold.Add(r)
	}
	if j.agent.Unseen { // nobody knows what it has read
		fold.MarkUnseen()
	}
	p := fold.Progress()
	c := nudge.Checkpoint{Task: p.Task, Edited: p.Edited, Open: p.Open, Asked: j.ev.Facts[event.AskedFact]}
	for _, b := range p.Fails {
		c.Fails = append(c.Fails, [2]string{b.Command, b.Line})
	}
	return nudge.Continue(c)
}

// continued returns the last checkpoint of the session, once. An agent that reports a compaction only afterwards has
// none: what the session is in the middle of is then found in its log.
func (j *job) continued(dedupe *eventlog.Dedupe) string {
	if dedupe == nil || j.stateDir == "" || j.degraded() {
		return ""
	}
	records, _, err := eventlog.Tail(j.stateDir, j.ev.Session, checkpointBytes)
	if err != nil {
		j.note("the session's log could not be read", err)
		return ""
	}
	for _, r := range slices.Backward(records) {
		if event.Kind(r.Kind) != event.PreCompact {
			continue
		}
		if r.Text == "" || !j.commit() || len(j.claim(dedupe, []string{"checkpoint\x00" + strconv.FormatInt(r.Time, 10)})) == 0 {
			return ""
		}
		return r.Text
	}
	if j.ev.Kind != event.SessionStart {
		return ""
	}
	text := j.inProgress()
	if text == "" || !j.commit() {
		return ""
	}
	return text
}

// afterCompaction returns the checkpoint with the first prompt or call after a compaction, for agents that
// don't start a session anew: most compactions happen in the middle of a turn.
func (j *job) afterCompaction(dedupe *eventlog.Dedupe) string {
	if dedupe == nil || j.agent.Restarts || j.ev.AgentID != "" || !j.ev.Answers {
		return ""
	}
	claimed, err := dedupe.Claimed()
	if err != nil || !claimed[eventlog.Digest(compactedKey)] || claimed[eventlog.Digest(continuedKey)] {
		return ""
	}
	text := j.continued(dedupe)
	if text != "" {
		j.claim(dedupe, []string{continuedKey})
	}
	return text
}
