package observe

import (
	"strings"

	"manicule/hooks/eventlog"
	"manicule/hooks/observe/wording"
)

// ownCommand reports whether a prompt calls a command that is no setting of the agent, such as
// "/review 12", also with a text below it: it says what the session is for.
func ownCommand(text string) bool {
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
	return !ofMemories(text) && !strings.Contains(name, "/") // a path
}

// ofMemories reports whether a prompt is a command to Manicule itself, which keeps or forgets a memory beside the work.
func ofMemories(text string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch name {
	case "/remember", "/manicule:remember", "/forget", "/manicule:forget", "/recall", "/manicule:recall", "/manicule:review":
		return true
	}
	return false
}

// OnlyMemories reports whether nothing happened in the session but that the person kept, looked up or forgot memories: there is
// no work to record.
func (f *folded) OnlyMemories() bool {
	return f.memories > 0 && len(f.turns) == 0 && f.called == "" && f.instructed == "" && len(f.steps) == 0 && f.dropped == 0
}

// asksByCommand reports whether a prompt calls a command, behind the session's first request, with what is to be done ("/specify a page that …").
func (f *folded) asksByCommand(r eventlog.Record, text string) bool {
	if len(f.turns) == 0 || r.AgentID != "" || r.From != "" && r.From != "user" || !ownCommand(text) || wording.Injected(text) {
		return false
	}
	_, words, _ := strings.Cut(text, " ")
	return len(taskWords(words)) >= minFurther
}
