// Package windsurf owns the hook payloads of Windsurf's Cascade, now Devin
// Desktop. Its hooks only observe: nothing on stdout reaches the model. It is
// pure. It must not know memories, files or other agents.
package windsurf

import "manicule/hooks/event"

// Agent is the positional word of this agent.
const Agent = "windsurf"

// Parse reads a payload.
func Parse(o event.Value) event.Event {
	info := o.Get("tool_info")
	e := event.Event{
		Agent: Agent, Kind: event.Other, Name: o.Str("agent_action_name"),
		Session: o.Str("trajectory_id"), Turn: o.Str("execution_id"),
		CWD: info.Str("cwd"), Transcript: info.Str("transcript_path"),
	}
	e.Fact("model", o.Small("model_name"))
	switch e.Name {
	case "pre_user_prompt":
		e.Kind, e.Prompt = event.Prompt, info.Str("user_prompt")
	case "pre_read_code", "post_read_code":
		called(&e, "read", info)
	case "pre_write_code", "post_write_code":
		called(&e, "edit", info)
	case "pre_run_command", "post_run_command":
		called(&e, "run_command", info)
	case "pre_mcp_tool_use", "post_mcp_tool_use":
		called(&e, "mcp__"+info.Str("mcp_server_name")+"__"+info.Str("mcp_tool_name"), info.Get("mcp_tool_arguments"))
	case "post_cascade_response", "post_cascade_response_with_transcript":
		e.Kind = event.Stop
	}
	return e
}

func called(e *event.Event, tool string, input event.Value) {
	c := event.NewCall(tool, "", input)
	if e.Kind = event.PreTool; len(e.Name) > 5 && e.Name[:5] == "post_" {
		e.Kind, c.Outcome = event.PostTool, event.Succeeded
	}
	e.Calls = []event.Call{c}
}

// Render writes the answer, which is always empty.
func Render(event.Event, string) []byte { return nil }
