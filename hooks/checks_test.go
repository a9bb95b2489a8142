package hooks

import (
	"slices"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/memory/file"
)

// TestAsksForCheck: only a prompt that is to run a check, and nothing else, begins a session of checks.
func TestAsksForCheck(t *testing.T) {
	for _, tt := range []struct {
		text    string
		kind    checkKind
		subject string
	}{
		{"run the end-to-end tests and tell me", endToEnd, ""},
		{"Run the end-to-end tests and tell me what fails", endToEnd, ""},
		{"Can you please run the e2e tests of the checkout?", endToEnd, "checkout"},
		{"now rerun the integration tests", integration, ""},
		{"let's run all tests locally", anyCheck, ""},
		{"check that lint passes", linting, ""},
		{"fix the login and run the e2e tests", "", ""},
		{"add an end-to-end test for the login", "", ""},
		{"why do the end-to-end tests fail?", "", ""},
		{"verify that the login works", "", ""},
		{"test the backend end to end", endToEnd, "backend"},
		{"run the migration", "", ""},
		{"test", "", ""},
		{"test the prompt", "", ""},
		{"check if the unit tests are duplicated", "", ""},
		{"run the tests. " + strings.Repeat("Then read the next part of the plan. ", 8), "", ""},
	} {
		c, ok := asksForCheck(tt.text)
		var subject []string
		for w := range c.subject {
			subject = append(subject, w)
		}
		slices.Sort(subject)
		if got := strings.Join(subject, " "); ok != (tt.kind != "") || ok && (c.kind != tt.kind || got != tt.subject) {
			t.Errorf("%q: %q, %q, %v", tt.text, c.kind, got, ok)
		}
	}
}

// TestCheckRequest: a memory must say how such a check goes, and be about the subject if there is one.
func TestCheckRequest(t *testing.T) {
	gotcha := func(what, path string) *file.Memory {
		m := &file.Memory{Type: file.Gotcha, What: what}
		if path != "" {
			m.Anchors = []anchor.Anchor{{Path: path}}
		}
		return m
	}
	imported := gotcha("End-to-end tests need a browser", "")
	imported.Trust.Origin = file.Import
	for _, tt := range []struct {
		text string
		m    *file.Memory
		want bool
	}{
		{"run the end-to-end tests and tell me", gotcha("End-to-end tests need PORT 4010 to be free", ""), true},
		{"run the e2e tests", gotcha("End-to-end tests need PORT 4010 to be free", ""), true},
		{"run the unit tests", gotcha("End-to-end tests need PORT 4010 to be free", ""), false},
		{"run the tests", gotcha("End-to-end tests need PORT 4010 to be free", ""), false}, // a gotcha of one kind
		{"run the tests", &file.Memory{Type: file.ErrorPattern, What: "The unit tests fail with EADDRINUSE when the old worker runs"}, true},
		{"run the e2e tests", &file.Memory{Type: file.E2EObservation, What: "The payment page shows a blank frame"}, true},
		{"run the e2e tests", &file.Memory{Type: file.Convention, What: "End-to-end tests are named after pages"}, false},
		{"run the e2e tests", imported, false},
		{"run the e2e tests of the checkout", gotcha("End-to-end tests of the login time out", "web/login.ts"), false},
		{"run the e2e tests of the checkout", gotcha("End-to-end tests time out", "web/checkout.ts"), true},
	} {
		c, ok := asksForCheck(tt.text)
		if !ok || c.about(tt.m) != tt.want {
			t.Errorf("%q with %q: want %v", tt.text, tt.m.What, tt.want)
		}
	}
}
