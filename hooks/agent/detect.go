package agent

import (
	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
)

// Detect finds the agent that sent a payload. Agents also run hooks that were installed
// for others, so evidence in the payload outweighs id, the word of the command line. An
// unsupported agent's payload gives the zero Agent, which answers nothing.
func (l List) Detect(id string, v event.Value) spec.Agent {
	var found spec.Agent
	most := spec.None
	for _, a := range l {
		if a.Wire.Evidence == nil {
			continue
		}
		if e := a.Wire.Evidence(v); e > most {
			found, most = a, e
		}
	}
	switch {
	case most < spec.Certain && unsupported(v):
		return spec.Agent{}
	case most == spec.None:
		found, _ = l.Lookup(id)
	}
	return found
}

// unsupported reports the payload of a known agent that is not in the list.
func unsupported(v event.Value) bool {
	antigravity := v.Has("conversationId") && (v.Has("stepIdx") || v.Has("toolCall") || v.Has("invocationNum"))
	cline := v.Has("clineVersion") || v.Has("hookName")
	grokBuild := v.Has("sessionId") && v.Has("toolInput") && v.Has("workspaceRoot")
	return antigravity || cline || grokBuild
}
