package windsurf

import (
	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
)

// parse reads a payload.
func parse(o event.Value) event.Event {
	info := o.Get("tool_info")
	e := event.Event{
		Agent: id, Kind: event.Other, Name: o.Str("agent_action_name"),
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

// render writes the answer, which is always empty.
func render(event.Event, string) []byte { return nil }

func evidence(v event.Value) spec.Evidence {
	return spec.When(v.Has("agent_action_name"), spec.Certain)
}

func probe(dir string) map[string]any {
	return map[string]any{"agent_action_name": "pre_read_code", "tool_info": map[string]any{"file_path": dir + "/manicule-probe"}}
}
