package hooks

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

// Probe is a harmless event as an agent would send it at the start of a session
// in a folder, for trying an installed command line. It names no session, so
// that nothing is kept of it.
func Probe(agent, dir string) ([]byte, error) {
	base := map[string]any{"hook_event_name": "SessionStart", "source": "startup", "cwd": dir}
	switch agent {
	case "claude-code", "codex", "gemini", "vscode":
	case "cursor":
		base = map[string]any{"hook_event_name": "sessionStart", "cursor_version": "0", "workspace_roots": []string{dir}, "cwd": dir}
	case "copilot":
		base = map[string]any{"cwd": dir, "source": "new", "timestamp": 0}
	case "opencode":
		base = map[string]any{"client": "opencode", "hook_event_name": "session.start", "source": "startup", "cwd": dir}
	case "crush":
		base = map[string]any{"event": "PreToolUse", "cwd": dir, "tool_name": "view", "tool_input": map[string]any{"file_path": dir + "/manicule-probe"}}
	case "windsurf":
		base = map[string]any{"agent_action_name": "pre_read_code", "tool_info": map[string]any{"file_path": dir + "/manicule-probe"}}
	default:
		return nil, fmt.Errorf("there is no agent %q", agent)
	}
	data, err := json.Marshal(base, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write a probe: %w", err)
	}
	return data, nil
}
