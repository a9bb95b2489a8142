package learn

import (
	"testing"

	"manicule/hooks/event"
	"manicule/memory/store"
)

// What one session met is told only if it is so for all; what is of one day, never.
func TestUntold(t *testing.T) {
	for name, c := range map[string]struct {
		f    store.KnownFailure
		want string
	}{
		"once":          {store.KnownFailure{Message: "Error: service unavailable", Fix: "make deploy SAFE=1", Sessions: 1, Ran: 1}, "one session"},
		"twice":         {store.KnownFailure{Message: "Error: service unavailable", Fix: "make deploy SAFE=1", Sessions: 2, Ran: 2}, ""},
		"refused once":  {store.KnownFailure{Message: "unknown flag: --now", Trigger: []string{"--now"}, Sessions: 1, Ran: 1}, ""},
		"lacked once":   {store.KnownFailure{Message: "TOKEN is required", How: store.Lacked("variable"), Fix: "TOKEN", Sessions: 1, Ran: 1}, ""},
		"of the day":    {store.KnownFailure{Message: "main.go:3:1: syntax error", Fix: "make deploy SAFE=1", Sessions: 3, Ran: 3}, "of the day"},
		"mended since":  {store.KnownFailure{Message: "Error: service unavailable", Fix: "make deploy SAFE=1", Sessions: 3, Ran: 7, Since: 4}, "seldom"},
		"as often not":  {store.KnownFailure{Message: "Error: service unavailable", Fix: "make deploy SAFE=1", Sessions: 2, Ran: 4}, "seldom"},
		"taken once":    {store.KnownFailure{Message: "unknown flag: --now", Trigger: []string{"--now"}, Sessions: 1, Ran: 2, Since: 1}, "seldom"},
		"refused more":  {store.KnownFailure{Message: "unknown flag: --now", Trigger: []string{"--now"}, Sessions: 4, Ran: 22, Since: 3}, ""},
		"mended so":     {store.KnownFailure{Message: "Error: service unavailable", Fix: "make deploy --now", Sessions: 3, Ran: 3}, "the way out itself"},
		"tainted twice": {store.KnownFailure{Message: "unknown flag: --now", Sessions: 2, Tainted: 2}, "tainted"},
	} {
		c.f.Tool, c.f.Subject = string(event.Shell), "make deploy"
		if got := Untold(c.f, event.Shell, "make deploy --now"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := Untold(store.KnownFailure{Tool: string(event.Read), Subject: "plan.md", Message: "no such file", Sessions: 2}, event.Read, ""); got != "no way out" {
		t.Errorf("a missing file without the right path: %q", got)
	}
}

// An offer says of a part of the tests that it failed, if all of them then worked.
func TestOfferNamesWhatFailed(t *testing.T) {
	f := store.KnownFailure{Tool: string(event.Shell), Subject: "npm test", Message: "Timeout of 2000ms exceeded", Failed: "npm test -- --grep probe", Fix: "npm test", Sessions: 3}
	want := "`npm test -- --grep probe` failed in 3 earlier sessions with “Timeout of 2000ms exceeded”; `npm test` then worked."
	if got := offerText(f); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
