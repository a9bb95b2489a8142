package hooks

import (
	"bytes"
	"context"
	"strconv"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/observe/fold"
)

// Limits for comparing a request with earlier ones.
const (
	// requestTailBytes is the part of a session's log that is searched for the prompt. In a
	// longer request the agent was told long ago.
	requestTailBytes = 1 << 20
	// checkEvery is the number of calls between two comparisons.
	checkEvery = 5
)

// overrun tells the agent once in a request that it has taken more calls than usual.
// It is a fact, not a limit: the call continues. Subagents are not told,
// because their calls belong to no request.
func (o ownWork) overrun(ctx context.Context) string {
	if o.opt.Overrun == nil || !o.claims.kept() || o.stateDir == "" || o.ev.AgentID != "" || o.quotes >= nudge.MaxQuotes || o.degraded() {
		return ""
	}
	lines, err := eventlog.Since(o.stateDir, o.ev.Session, `"kind":"`+string(event.Prompt)+`"`, requestTailBytes, fold.Asks)
	if err != nil {
		o.note("the session's log could not be read", err)
		return ""
	}
	if n := calls(lines); n < minCalls || n%checkEvery != 0 {
		return ""
	}
	var request []eventlog.Record
	for _, line := range lines {
		if r, ok := eventlog.Decode(line); ok {
			request = append(request, r)
		}
	}
	over, ok, err := o.opt.Overrun(ctx, o.dir(), request)
	if err != nil {
		if ctx.Err() == nil {
			o.note("the usual number of calls could not be looked up", err)
		}
		return ""
	}
	key := "steps\x00" + strconv.FormatInt(request[0].Time, 10)
	if !ok || !o.commit() || !o.claims.win(key) {
		return ""
	}
	o.quotes++
	return nudge.Overrun(over)
}

// minCalls is the number of calls of a request before the first comparison.
const minCalls = 20

// calls estimates the calls of the main conversation in the lines of a request. Agents
// have an event before a call, after it, or both. It decodes nothing.
func calls(lines [][]byte) int {
	before, after := 0, 0
	for _, line := range lines {
		switch {
		case bytes.Contains(line, []byte(`"agent_id":"`)):
		case bytes.Contains(line, []byte(`"kind":"`+string(event.PreTool)+`"`)):
			before++
		case bytes.Contains(line, []byte(`"kind":"`+string(event.PostTool)+`"`)), bytes.Contains(line, []byte(`"kind":"`+string(event.PostToolFailure)+`"`)):
			after++
		}
	}
	return max(before, after)
}
