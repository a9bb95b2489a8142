package learn

import (
	"fmt"
	"path"
	"strings"

	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/gate/injection"
)

// failedKind is the kind under which it is proposed what a failed session tried; the key is the session.
const failedKind = "failed_session"

// Limits of what is told of a failed session.
const (
	maxTried  = 4 // files and commands
	maxScoped = 6 // files
)

// failed proposes as a dead end what a session tried in vain: it changed files, and the person said that it does not work, gave it
// up, or the changes were taken back. Other failures (an interruption, a refusal) tell nothing of the code.
func failed(e episode.Episode) []memory.Inferred {
	if !e.InVain || e.Fallback || len(e.Edited) == 0 || injection.Find(e.Task) != "" {
		return nil
	}
	var scope, changed []string
	for _, p := range e.Edited {
		if !path.IsAbs(p) && len(scope) < maxScoped {
			scope = append(scope, p)
		}
	}
	if len(scope) == 0 {
		return nil
	}
	changed = scope[:min(maxTried, len(scope))]
	more := ""
	if n := len(e.Edited) - len(changed); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	why := "In the session that tried it: " + strings.Join(e.Evidence, "; ") + "."
	if failing := failingAtEnd(e); len(failing) > 0 {
		why += " Failed at their last run: " + codeList(failing) + "."
	}
	return []memory.Inferred{{
		Draft: memory.Draft{Type: file.DeadEnd, What: fmt.Sprintf("Tried in vain for %q: changes to %s%s.", e.Task, codeList(changed), more), Why: why, Scope: scope,
			Tags: []string{failedKind}, Details: file.Details{Task: e.Task}, Confidence: .5, Tool: e.Agent, Session: e.Session, Tainted: e.Tainted},
		Kind: failedKind, Key: e.Session, Sessions: []string{e.Session}, Count: 1, Value: .5,
		For: "a session failed that went this way", Against: "only one session tried it",
	}}
}

// failingAtEnd lists the commands whose last step failed, the latest first.
func failingAtEnd(e episode.Episode) []string {
	var out []string
	seen := map[string]bool{}
	for i := len(e.Approach) - 1; i >= 0 && len(out) < maxTried; i-- {
		s := e.Approach[i]
		if s.Act != episode.Run || seen[s.What] {
			continue
		}
		seen[s.What] = true
		if s.Check && s.Fails == s.Times {
			out = append(out, s.What)
		}
	}
	return out
}
