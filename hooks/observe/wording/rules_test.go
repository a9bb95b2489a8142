package wording

import "testing"

// TestIntroduced: a rule is one whatever words introduce it.
func TestIntroduced(t *testing.T) {
	for _, text := range []string{"never use testify in this repository", "and please never use testify in this repository", "no, and also never use testify in this repository", "In this project, we never use testify"} {
		if got := Rules(text, false); len(got) != 1 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// What a program shall do is no rule for those who work on it.
func TestRulesOfTheProduct(t *testing.T) {
	for text, want := range map[string]bool{
		"Refresh should always make sure the checkpoint repo is synced with remote":                           false,
		"Only the sessions first selected checkpoint within a date group is loading and the rest never loads": false,
		"The sessions view should always be hidden when there is no active session":                           false,
		"We don't need to restore the server now":                                                             false,
		"Do not edit files.":                              false,
		"We don't have a user entity in entire.":          true,
		"never make draft prs":                            true,
		"Always use pnpm, never npm, for scripts":         true,
		"We should always run the linter before a commit": true,
	} {
		if got := len(RulesIn(text, false)) > 0; got != want {
			t.Errorf("%q is a rule: %t, want %t", text, got, want)
		}
	}
}

// TestRuleAfterPraise: a rule may follow what a person thinks of the work.
func TestRuleAfterPraise(t *testing.T) {
	for text, want := range map[string]bool{
		"good, but always run clippy with --tests before a commit": true,
		"thanks, but we always add a changelog entry":              true,
		"good, but the second test still fails":                    false,
		"but never mind":                                           false,
	} {
		if got := len(RulesIn(text, false)) > 0; got != want {
			t.Errorf("%q is a rule: %t, want %t", text, got, want)
		}
	}
}
