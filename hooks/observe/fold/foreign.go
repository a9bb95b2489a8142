package fold

import (
	"strings"

	"manicule/hooks/agent"
	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
)

// maxTaintSource is the length of the source of a taint.
const maxTaintSource = 80

// sourceOf names a call that brings in text of strangers: its tool or program, and the host that it asks.
func sourceOf(s Step) string {
	name := s.Tool
	if len(s.Keys) > 0 {
		name = s.Keys[0]
	}
	if _, rest, ok := strings.Cut(s.URL, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		name += " " + host
	}
	return name
}

// OfServer reports whether a tool is one of an MCP server.
func OfServer(tool string) bool {
	return strings.HasPrefix(tool, "mcp__") || strings.HasPrefix(tool, "mcp_") || strings.HasPrefix(tool, "MCP:")
}

// foreign reports whether a call brings in untrusted text.
func foreign(s Step) bool {
	switch {
	case s.Class == event.Web:
		return true
	case OfServer(s.Tool):
		return !OwnServer(s.Tool)
	}
	for _, k := range s.Keys {
		switch k {
		case "curl", "wget", "http", "https", "xh", "aria2c", "lynx", "w3m", "links", "elinks", "iwr", "irm", "Invoke-WebRequest", "Invoke-RestMethod", "yt-dlp",
			"git clone", "npm view", "npm info", "npm docs", "pip download", "glab api":
			return true
		}
		for _, head := range []string{"gh api", "gh issue", "gh search", "gh release", "gh gist", "gh discussion", "gh repo clone", "gh repo view",
			"gh pr view", "gh pr diff", "gh pr checkout", "gh pr checks", "gh pr list", "glab issue", "glab mr"} {
			if k == head || strings.HasPrefix(k, head+" ") {
				return true
			}
		}
	}
	// A fetch in a pipe, a here-document or a script counts too.
	if s.Class != event.Shell {
		return false
	}
	for _, sign := range []string{"curl ", "wget ", "gh api", "Invoke-WebRequest", "Invoke-RestMethod"} {
		if strings.Contains(s.Command, sign) {
			return true
		}
	}
	return strings.Contains(s.Command, "://") && wording.Has(s.Command, "requests.get", "requests.post", "urlopen(", "urllib", "fetch(", "http.get(", "https.get(", "httpx.", "WebClient", "net/http")
}

// OwnServer reports whether a tool is our server's, by the server's part of its name
// alone. A tool of another server can have any name.
func OwnServer(tool string) bool {
	const name = "manicule"
	tool = strings.ToLower(tool)
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok {
		server, _, named := strings.Cut(rest, "__")
		return named && (server == name || server == "plugin_"+name+"_"+name)
	}
	if rest, ok := strings.CutPrefix(tool, "mcp:"); ok {
		server, _, named := strings.Cut(rest, " ")
		return named && server == name
	}
	return strings.HasPrefix(tool, "mcp_"+name+"_")
}

// unknownTool reports whether a tool may belong to a foreign server, for agents that don't
// mark those. Every unknown tool of theirs counts as one.
func unknownTool(id string, s Step) bool {
	if s.Class != event.OtherClass || ownTool(s.Tool) {
		return false
	}
	a, _ := agent.Lookup(id)
	return a.Unmarked
}

// ownTool reports whether these agents themselves provide the tool and it brings in
// nothing from outside.
func ownTool(tool string) bool {
	low := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(tool))
	switch low {
	case "", "task", "todowrite", "todoread", "updatetodo", "reportintent", "askuser", "question", "skill", "sql", "storememory", "exitplanmode", "lsp", "showfile", "batch", "invalid",
		"writebash", "readbash", "stopbash", "listbash", "writepowershell", "readpowershell", "stoppowershell", "listpowershell", "readagent", "listagents", "planenter", "planexit":
		return true
	}
	return strings.Contains(low, "manicule")
}
