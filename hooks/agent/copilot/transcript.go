package copilot

import (
	"strings"

	"github.com/go-json-experiment/json"

	"manicule/hooks/transcript"
)

// format describes the lines of its transcripts.
func format() transcript.Format {
	return transcript.Format{Signs: []string{`"assistant.`, `"tool.execution_start"`, `"user.message"`}, Line: readLine}
}

// readLine reads the events of Copilot CLI.
func readLine(p *transcript.Parser, line []byte) {
	var row struct {
		Type      string `json:"type"`
		Timestamp string `json:"timestamp"`
		Ephemeral bool   `json:"ephemeral"`
		Agent     string `json:"agentId"`
		Data      struct {
			Content   string `json:"content"`
			Reasoning string `json:"reasoningText"`
			Parent    string `json:"parentToolCallId"`
			Tool      string `json:"toolName"`
			Server    string `json:"mcpServerName"`
		} `json:"data"`
	}
	if json.Unmarshal(line, &row) != nil || row.Ephemeral {
		return
	}
	at, d, agent := transcript.Millis(row.Timestamp), row.Data, row.Agent
	if agent == "" {
		agent = d.Parent
	}
	switch row.Type {
	case "user.message":
		if agent == "" {
			p.Tell(transcript.Entry{Kind: transcript.Asked, Time: at})
		}
	case "assistant.message":
		p.Tell(transcript.Entry{Kind: transcript.Thought, Time: at, Agent: agent, Text: d.Reasoning})
		p.Tell(transcript.Entry{Kind: transcript.Said, Time: at, Agent: agent, Text: d.Content})
	case "assistant.reasoning":
		p.Tell(transcript.Entry{Kind: transcript.Thought, Time: at, Agent: agent, Text: d.Content})
	case "tool.execution_start":
		// Tools of an MCP server have its name as prefix. Copilot's own are known.
		if foreign := d.Server != "" && !strings.Contains(strings.ToLower(d.Server), "manicule"); foreign || transcript.IsUntrusted(d.Tool) || d.Server == "" && !copilots(d.Tool) {
			p.Tell(transcript.Entry{Kind: transcript.Fetched, Time: at, Agent: agent, Text: d.Tool})
		}
	}
}

// copilots reports whether Copilot itself provides a tool that stays on this machine. An
// unknown tool counts as a server's.
func copilots(tool string) bool {
	switch tool {
	case "", "view", "create", "edit", "bash", "powershell", "grep", "glob", "rg", "task", "apply_patch", "report_intent", "update_todo", "ask_user", "skill", "sql", "store_memory", "exit_plan_mode",
		"write_bash", "read_bash", "stop_bash", "list_bash", "write_powershell", "read_powershell", "stop_powershell", "list_powershell", "read_agent", "list_agents", "show_file", "lsp":
		return true
	}
	return strings.Contains(strings.ToLower(tool), "manicule")
}
