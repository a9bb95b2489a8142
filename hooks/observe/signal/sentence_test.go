package signal

import "testing"

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
		"No, don't use npm here. Always use pnpm":            "Don't use npm here. Always use pnpm.",
		"Wait - and please never edit gen/ by hand":          "Never edit gen/ by hand.",
		"No pull request goes in without a test":             "No pull request goes in without a test.",
		"Well-formed commits only, always":                   "Well-formed commits only, always.",
	} {
		if got := quoted(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestSentencesKeepDetails: telling a signal does not change what is told of it the next time.
func TestSentencesKeepDetails(t *testing.T) {
	for _, d := range []Detail{CheckSequence{[]string{"make vet", "make test"}}, EditedTogether{"a.go", []Partner{{"b.go", 4, 5}, {"c.go", 3, 5}}}, RecurringError{[]string{"psql", "make seed"}, "no"}} {
		first, _, _ := d.Sentence(Extent{1, 3, 3})
		subject := d.Subject()
		if again, _, _ := d.Sentence(Extent{1, 3, 3}); again != first || d.Subject() != subject {
			t.Errorf("%q, then %q", first, again)
		}
	}
	if got := (CheckSequence{[]string{"make vet", "make test"}}).Subject(); got != "make vet, make test" {
		t.Errorf("%q", got)
	}
}

// TestSentenceOfWhatIsNotThere: that a program or a subcommand is not installed is worth a sentence once three sessions met it, also
// where no call is known that works. Other errors without a way out are not.
func TestSentenceOfWhatIsNotThere(t *testing.T) {
	for _, tt := range []struct {
		message  string
		sessions int
		want     string
	}{
		{"error: no such command: `nextest`", 3, "`cargo nextest` fails here with “error: no such command: `nextest`”, and no call of it that works is known."},
		{"error: no such command: `nextest`", 2, ""},
		{"bash: cargo: command not found", 3, "`cargo nextest` fails here with “bash: cargo: command not found”, and no call of it that works is known."},
		{"error: unknown flag --x", 3, ""},
	} {
		d := FailedCall{Key: "cargo nextest", Failed: "cargo nextest run topn", Message: tt.message}
		if what, _, _ := d.Sentence(Extent{Sessions: tt.sessions}); what != tt.want {
			t.Errorf("%s in %d sessions: %q, want %q", tt.message, tt.sessions, what, tt.want)
		}
	}
}

func TestRefusalSentence(t *testing.T) {
	d := FailedCall{"cargo test", "cargo test parse --lib", "cargo test parse", "no library targets found in package `tool`"}
	if what, _ := d.refusal(Extent{Sessions: 2}); what != "`cargo test` with `--lib` is refused here: leave it out." {
		t.Errorf("%q", what)
	}
	d = FailedCall{"git push", "git push origin main --tags", "git push origin release/1", "remote: error: GH006: Protected branch update failed for refs/heads/main."}
	if what, _ := d.refusal(Extent{Sessions: 2}); what != "`git push` with `main` is refused here: leave it out." {
		t.Errorf("an option is blamed for what a protected branch refuses: %q", what)
	}
	d = FailedCall{"gh pr diff", "gh pr diff 1 -- docs", "gh pr diff 1 --color=never", "accepts at most 1 arg(s), received 2"}
	if what, _ := d.refusal(Extent{Sessions: 2}); what != "" {
		t.Errorf("a candidate without a refused word: %q", what)
	}
}
