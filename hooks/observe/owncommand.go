package observe

import (
	"strings"

	"manicule/hooks/eventlog"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/wording"
)

// OnlyMemories reports whether nothing happened in the session but that the person kept, looked up or forgot memories: there is
// no work to record.
func (f *Session) OnlyMemories() bool {
	return f.memories > 0 && len(f.Turns) == 0 && f.Called == "" && f.Instructed == "" && len(f.Steps) == 0 && f.Dropped == 0
}

// asksByCommand reports whether a prompt calls a command, behind the session's first request, with what is to be done ("/specify a page that …").
func (f *Session) asksByCommand(r eventlog.Record, text string) bool {
	if len(f.Turns) == 0 || r.AgentID != "" || r.From != "" && r.From != "user" || !asking.OwnCommand(text) || wording.Injected(text) {
		return false
	}
	_, words, _ := strings.Cut(text, " ")
	return len(asking.Words(words)) >= asking.MinFurther
}
