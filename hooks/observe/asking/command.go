package asking

import "strings"

// OwnCommand reports whether a prompt calls a command that is no setting of the agent, such as
// "/review 12", also with a text below it: it says what the session is for.
func OwnCommand(text string) bool {
	name, ok := strings.CutPrefix(text, "/")
	if !ok {
		return false
	}
	if i := strings.IndexAny(name, " \n"); i >= 0 {
		name = name[:i]
	}
	switch name {
	case "", "clear", "compact", "model", "help", "exit", "quit", "resume", "config", "login", "logout", "mcp", "agents", "hooks", "permissions", "status", "cost", "usage", "context", "memory", "doctor", "ide", "vim", "theme",
		"rewind", "plugin", "fast", "effort", "terminal-setup", "add-dir", "export", "rename", "tasks", "todos", "stats", "upgrade", "feedback", "bug":
		return false
	}
	return !OfMemories(text) && !strings.Contains(name, "/") // a path
}

// OfMemories reports whether a prompt is a command to Manicule itself, which keeps or forgets a memory beside the work.
func OfMemories(text string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch name {
	case "/remember", "/manicule:remember", "/forget", "/manicule:forget", "/recall", "/manicule:recall", "/manicule:review":
		return true
	}
	return false
}
