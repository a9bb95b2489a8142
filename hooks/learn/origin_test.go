package learn

import (
	"testing"

	"manicule/memory/episode"
	"manicule/memory/file"
)

// TestOriginOfRecipes: what commits alone show is from them, not from the agent at the end of whose session they were read.
func TestOriginOfRecipes(t *testing.T) {
	e := episode.Episode{Session: "s", Agent: "copilot"}
	p := episode.Procedure{On: "app/*.go", Trigger: "add a command", Commits: 5}
	if d := inferredProcedure(p, e).Draft; d.Origin != file.CommitAuto || d.Tool != file.OwnTool {
		t.Errorf("of commits alone: %s by %s", d.Origin, d.Tool)
	}
	p.Sessions = []string{"a", "s"}
	if d := inferredProcedure(p, e).Draft; d.Origin == file.CommitAuto || d.Tool != "copilot" {
		t.Errorf("of sessions, too: %s by %s", d.Origin, d.Tool)
	}
}
