package memory

import (
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
)

func TestStillSays(t *testing.T) {
	for _, c := range []struct{ what, was, now, want string }{
		{"Dial must be given a deadline", "Dial", "DialTimeout", "Dial"},
		{"DialTimeout must be given a deadline", "Dial", "DialTimeout", ""},
		{"Redial must be given a deadline", "Dial", "Connect", ""},
		{"Store.Validate is called once", "Store.Validate", "Store.Check", "Validate"},
		{"Store.Validate is called once", "Store.Validate", "Vault.Validate", "Store"},
		{"the queue must close first", "close", "shutdown", ""},
		{"`close` comes first", "close", "shutdown", "close"},
		{"close() comes first", "close", "shutdown", "close"},
		{"read_all comes first", "read_all", "readAll", "read_all"},
		{"Nothing of it", "Dial", "Dial", ""},
		{"Nothing of it", "", "", ""},
	} {
		if got := StillSays(&file.Memory{What: c.what}, c.was, c.now); got != c.want {
			t.Errorf("%q, %s to %s: %q, want %q", c.what, c.was, c.now, got, c.want)
		}
	}
	m := &file.Memory{What: "Add a driver", Type: file.WorkflowRecipe}
	must.OK(t, m.SetDetails(file.Details{Steps: []file.Step{{Do: "call Register for it", File: "drivers.go"}}}))
	if got := StillSays(m, "Register", "Add"); got != "Register" {
		t.Errorf("a step: %q", got)
	}
}
