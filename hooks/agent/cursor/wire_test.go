package cursor

import (
	"encoding/json"
	"testing"

	"manicule/hooks/event"
	"manicule/indexer/must"
)

// TestServer: our server is known by its program, or by its name where nothing
// else is said; an address is never ours, and no argument makes a program ours.
func TestServer(t *testing.T) {
	for name, tc := range map[string]struct {
		payload map[string]string
		want    string
	}{
		"our program":              {map[string]string{"command": "manicule mcp"}, "MCP:manicule recall"},
		"in a folder":              {map[string]string{"command": "/opt/bin/manicule mcp"}, "MCP:manicule recall"},
		"on Windows":               {map[string]string{"command": `"C:\Program Files\Manicule.EXE" mcp`}, "MCP:manicule recall"},
		"our program, renamed":     {map[string]string{"command": "manicule mcp", "server": "notes"}, "MCP:manicule recall"},
		"our name":                 {map[string]string{"mcp_server_name": "manicule"}, "MCP:manicule recall"},
		"our name, the other key":  {map[string]string{"server": "Manicule"}, "MCP:manicule recall"},
		"a name":                   {map[string]string{"mcp_server_name": "manicule notes"}, "MCP:manicule_notes recall"},
		"our name, another's":      {map[string]string{"mcp_server_name": "manicule", "command": "npx tickets"}, "MCP:npx recall"},
		"an argument":              {map[string]string{"command": "npx tickets --key manicule"}, "MCP:npx recall"},
		"a folder of our name":     {map[string]string{"command": "/home/a/manicule/tickets.sh"}, "MCP:tickets.sh recall"},
		"a shell":                  {map[string]string{"command": "sh -c 'manicule mcp; tickets'"}, "MCP:sh recall"},
		"an address":               {map[string]string{"url": "https://mcp.example.org/manicule?key=abc"}, "MCP:mcp.example.org recall"},
		"an address of our name":   {map[string]string{"url": "http://manicule:80/", "server": "manicule"}, "MCP:not-manicule recall"},
		"an address as a command":  {map[string]string{"command": "https://manicule/mcp"}, "MCP:not-manicule recall"},
		"an address beside it":     {map[string]string{"command": "manicule mcp", "url": "https://h/"}, "MCP:h recall"},
		"an address that is none":  {map[string]string{"url": "manicule", "server": "manicule"}, "MCP:not-manicule recall"},
		"a program with our name ": {map[string]string{"command": "'manicule x' mcp"}, "MCP:manicule_x recall"},
		"nothing":                  {nil, "MCP: recall"},
	} {
		payload := map[string]string{"hook_event_name": "afterMCPExecution", "tool_name": "recall"}
		for k, v := range tc.payload {
			payload[k] = v
		}
		text, err := json.Marshal(payload)
		must.OK(t, err)
		v, err := event.ScanString(string(text))
		must.OK(t, err)
		if got := parse(v).Calls[0].Tool; got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
