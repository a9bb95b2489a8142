package failures

import (
	"testing"

	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
)

func TestNoFixByPuttingAside(t *testing.T) {
	failed := stepOf("npm run lint", "2:13 error Parsing error")
	if !putsAside(failed, stepOf("git stash && npm run lint; git stash pop", "")) {
		t.Error("a check that passes without the changes is a fix")
	}
	if putsAside(stepOf("git rebase main", "cannot rebase: You have unstaged changes."), stepOf("git stash && git rebase main", "")) {
		t.Error("a rebase that needs a clean tree has no fix")
	}
	if got := cmdline.ServiceStart("ls docker-compose*.yml; docker compose -f dev.yml up -d"); got != "docker compose -f dev.yml up -d" {
		t.Errorf("the service is started by %q", got)
	}
}

// stepOf is a call of a shell with what it printed.
func stepOf(command, text string) fold.Step {
	return fold.Step{Input: fold.Input{Command: command}, Cause: fold.Cause{Text: text}}
}
