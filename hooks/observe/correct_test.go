package observe

import (
	"testing"

	"manicule/hooks/observe/detect"
)

// TestPressed: what a button of the agent writes holds no rule of a person; the same words, typed, do.
func TestPressed(t *testing.T) {
	const rules = "Do NOT edit the plan file itself.||Mark them as in_progress as you work, starting with the first one. Don't stop until you have completed all the to-dos."
	work := []string{"ask Show the owners of a unit", "edit /repo/a.go"}
	if got := detect.Corrections(&played(append(work, "ask Implement the plan as specified, it is attached for your reference. "+rules)...).Session); len(got) > 0 {
		t.Errorf("rules of a button: %v", got)
	}
	if got := detect.Corrections(&played(append(work, "ask "+rules)...).Session); len(got) == 0 {
		t.Error("no rule in what a person typed")
	}
}
