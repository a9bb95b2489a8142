package thread

import (
	"slices"
	"testing"

	"manicule/memory/file"
)

// TestOwner: a shared thread that is for somebody is told to their sessions alone; what is on this machine to whoever works here.
func TestOwner(t *testing.T) {
	me := []string{"", "", "Ahmed Masri", "ahmed.masri@example.org"}
	for owner, want := range map[string]bool{
		"": true, "ahmed": true, "@Ahmed": true, "ahmed masri": true, "Masri, Ahmed": true, "Ahmed Masri (core)": true, "ahmed.masri@example.org": true, "ahmed.masri": true,
		"ahmed.other@example.org": false, "sara": false, "Ahmed Khan": false, "ahm": false, "example": false, "@example": false, "@org": false, "?": false,
	} {
		x := Thread{Memory: &file.Memory{UUID: "a"}, State: StateOpen, Shared: true, Owner: owner}
		if got := len(From{Names: func() []string { return me }}.Waiting([]Thread{x})) == 1; got != want {
			t.Errorf("for %q: told %v, want %v", owner, got, want)
		}
		x.Shared = false
		if len(From{}.Waiting([]Thread{x})) != 1 {
			t.Errorf("for %q on this machine: not told", owner)
		}
	}
	of := func(owner string) []Thread {
		return []Thread{{Memory: &file.Memory{}, State: StateOpen, Shared: true, Owner: owner}}
	}
	if asked := slices.Collect(func(yield func(int) bool) {
		From{Names: func() []string { yield(1); return nil }}.Waiting(of(""))
	}); len(asked) > 0 {
		t.Error("the names were asked for without an owner")
	}
	if len(From{Names: func() []string { return []string{"claude-code", "Sara"} }}.Waiting(of("claude"))) != 1 {
		t.Error("an agent is not told of what is for it")
	}
	if len(From{Names: func() []string { return []string{"", "ahmed"} }}.Waiting(of("Ahmed M."))) != 1 {
		t.Error("whom git knows by one name is not told")
	}
	if len(From{}.Waiting(of("ahmed"))) != 0 {
		t.Error("told to somebody without a name")
	}
}
