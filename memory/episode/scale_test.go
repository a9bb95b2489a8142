package episode

import (
	"fmt"
	"testing"
)

// listed is a session that made a list of some items, with calls and minutes.
func listed(n int, task string, items, calls, minutes int) Episode {
	return Episode{Session: fmt.Sprint("s", n), Task: task, Planned: items, Tools: []Count{{"edit", calls}}, Active: int64(minutes) * 60_000}
}

// TestScale: an estimate is scaled by sessions of its kind of work, or by all if too few are of it.
func TestScale(t *testing.T) {
	var list []Episode
	for i := range 5 {
		list = append(list, listed(i, "Fix the crash of the parser", 4, 20+4*i, 8), listed(10+i, "Write the documentation of the parser", 5, 10, 5))
	}
	for _, tt := range []struct {
		task string
		list []Episode
		work Kind
		n    int
		want [3]int
		min  int
	}{
		{"Fix the flaky test", list, Fix, 5, [3]int{36, 42, 48}, 12},
		{"Release the next version", list, "", 10, [3]int{12, 12, 36}, 9},
		{"Fix the flaky test", list[:4], "", 0, [3]int{}, 0},
		{"", nil, "", 0, [3]int{}, 0},
	} {
		s, ok := ScaleOf(tt.task, tt.list)
		calls, minutes := s.Of(6)
		if ok != (tt.n > 0) || s.Work != tt.work || s.Sessions != tt.n || calls != tt.want || minutes != tt.min {
			t.Errorf("%q: %+v %v: %v calls, %d min; want %v, %d", tt.task, s, ok, calls, minutes, tt.want, tt.min)
		}
	}
}

// TestAlong: what sessions like the task changed, those first that nearly all did.
func TestAlong(t *testing.T) {
	session := func(n int, task string, files ...string) Episode {
		return Episode{Session: fmt.Sprint("s", n), Task: task, Edited: files}
	}
	list := []Episode{
		session(1, "Add a kind of token", "auth/token.go", "auth/kinds.go", "docs/auth.md"),
		session(2, "Add another kind of token", "auth/token.go", "auth/kinds.go"),
		session(3, "Refuse expired tokens", "auth/token.go", "auth/kinds.go", "auth/clock.go"),
		session(4, "Translate the page of prices", "web/prices.ts"),
	}
	poisoned := session(5, "Add a kind of token", "evil.go")
	poisoned.Tainted = true
	list = append(list, poisoned)
	got := Along("Add a kind of token", []string{"auth/token.go"}, list)
	if len(got) != 1 || got[0] != (Share{"auth/kinds.go", 3, 3}) || !got[0].Always() {
		t.Errorf("%+v", got)
	}
	if got := Along("Sing a song", []string{"auth"}, list); len(got) != 2 || got[0].File != "auth/kinds.go" {
		t.Errorf("of a folder: %+v", got)
	}
	if got := Along("Sing a song", nil, list); got != nil {
		t.Errorf("of nothing: %+v", got)
	}
}
