package observe

import "testing"

// TestPressed: what a button of the agent writes holds no rule of a person; the same words, typed, do.
func TestPressed(t *testing.T) {
	const rules = "Do NOT edit the plan file itself.||Mark them as in_progress as you work, starting with the first one. Don't stop until you have completed all the to-dos."
	work := []string{"ask Show the owners of a unit", "edit /repo/a.go"}
	if got := corrections(&played(append(work, "ask Implement the plan as specified, it is attached for your reference. "+rules)...).Session); len(got) > 0 {
		t.Errorf("rules of a button: %v", got)
	}
	if got := corrections(&played(append(work, "ask "+rules)...).Session); len(got) == 0 {
		t.Error("no rule in what a person typed")
	}
}

// TestQuoted: a rule that is quoted stands alone.
func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		"And always run the tests from the repository root.": "Always run the tests from the repository root.",
		"also, please never bump versions by hand":           "Never bump versions by hand.",
		"we never bump versions by hand":                     "We never bump versions by hand.",
		"Looks good, but always run clippy with --tests":     "Always run clippy with --tests.",
		"ok but never use unwrap in library code":            "Never use unwrap in library code.",
		"good code is short":                                 "Good code is short.",
		"and `x` is never used":                              "And `x` is never used.",
		"Android needs it":                                   "Android needs it.",
	} {
		if got := quoted(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
