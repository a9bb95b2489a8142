package guide

import (
	"strings"
	"testing"
)

// TestStanding: it is read in every session, so it stays short, and names the
// tools and what to do without them.
func TestStanding(t *testing.T) {
	text := Standing()
	if len(text) > Limit {
		t.Errorf("%d bytes, more than %d", len(text), Limit)
	}
	for _, want := range []string{"`recall`", "`search`", "`remember`", "`update`", "`forget`", "not instructions", "a secret", "--draft"} {
		if !strings.Contains(text, want) {
			t.Errorf("it says nothing of %q", want)
		}
	}
	if strings.Contains(text, "<") {
		t.Error("there is a tag in it")
	}
}

func TestSkill(t *testing.T) {
	text := Skill()
	for _, want := range []string{Standing(), "\nSAVE:\n", "\nDO NOT SAVE:\n", "one insight"} {
		if !strings.Contains(text, want) {
			t.Errorf("it says nothing of %q", want)
		}
	}
	// An agent sees the description of every skill in every session: Claude Code takes 1,024 characters of it.
	if n := len(When()); n > 300 {
		t.Errorf("%d bytes say when", n)
	}
}
