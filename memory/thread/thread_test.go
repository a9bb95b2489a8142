package thread

import (
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/memory/file"
)

// TestNest: parts stand behind the thread that they are a part of, where that is listed; a circle loses none.
func TestNest(t *testing.T) {
	part := func(id, of string) Thread {
		m := &file.Memory{UUID: id, Provenance: &file.Provenance{}}
		if of != "" {
			m.Provenance.Work = &file.WorkRef{Kind: PartKind, ID: of, Within: []string{"issue:7"}}
		}
		return Thread{Memory: m}
	}
	list := []Thread{part("b", "a"), part("x", ""), part("a", ""), part("c", "b"), part("d", "gone"), part("p", "q"), part("q", "p")}
	rows, depth := Nest(list)
	got := ""
	for i, r := range rows {
		got += strings.Repeat(">", depth[i]) + r.Memory.UUID + " "
	}
	if want := "x a >b >>c d p >q "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if u := list[0].Unit(); u != "issue:7" {
		t.Errorf("its unit of work is %q", u)
	}
	if u := list[1].Unit(); u != "" || list[1].Parent() != "" {
		t.Errorf("a thread without work has %q", u)
	}
}

// TestMark: a thread whose file is gone says so. One without a place, and one of a worktree that nobody looked at, says nothing.
func TestMark(t *testing.T) {
	there := &file.Memory{UUID: "a", Anchors: []anchor.Anchor{{Path: "src/here.go"}}}
	gone := &file.Memory{UUID: "b", Anchors: []anchor.Anchor{{Path: "src/gone.go", Symbol: "F"}}}
	list := []Thread{{Memory: there, State: StateOpen}, {Memory: gone, State: StateOpen}, {Memory: &file.Memory{UUID: "c"}, State: StateOpen}}
	for name, tc := range map[string]struct {
		from From
		want string
	}{
		"looked at":     {From{Has: func(path string) bool { return path == "src/here.go" }}, "b"},
		"not looked at": {From{}, ""},
	} {
		got := ""
		for _, x := range tc.from.Waiting(list) {
			if x.Gone {
				got += x.Memory.UUID
			}
		}
		if got != tc.want {
			t.Errorf("%s: gone are %q, want %q", name, got, tc.want)
		}
	}
}

// TestWaiting: a session is told of its branch first, then of the project, and never of
// another branch, of what is closed, or of text of strangers.
func TestWaiting(t *testing.T) {
	at := time.UnixMilli(0)
	var list []Thread
	add := func(text, branch, path string, change func(*Thread)) {
		x := Thread{Memory: &file.Memory{UUID: text, What: text}, State: StateOpen, Branch: branch, Updated: at}
		if path != "" {
			x.Memory.Anchors = []anchor.Anchor{{Path: path}}
		}
		if change != nil {
			change(&x)
		}
		list = append(list, x)
		at = at.Add(time.Hour)
	}
	add("old of the folder", "feat", "api/a.go", nil)
	add("old", "feat", "", nil)
	add("new", "feat", "ui/a.ts", nil)
	add("of a folder with a longer name", "feat", "api2/a.go", nil)
	add("of the project", "main", "api/b.go", nil)
	add("of no branch", "", "", nil)
	add("of another branch", "fix", "", nil)
	add("parked", "feat", "", func(x *Thread) { x.State = StateParked })
	add("done", "feat", "", func(x *Thread) { x.State = StateDone })
	add("tainted", "feat", "", func(x *Thread) { x.Memory.Trust.Tainted = true })
	for _, tc := range []struct {
		name string
		from From
		want string
	}{
		{"on a branch", From{Branch: "feat", Default: "main", Dir: "api"}, "old of the folder|of a folder with a longer name|new|old|of the project|of no branch"},
		{"at the root", From{Branch: "feat", Default: "main"}, "of a folder with a longer name|new|old|old of the folder|of no branch|of the project"},
		{"on the default branch", From{Branch: "main", Default: "main"}, "of the project|of no branch"},
		{"on a detached head", From{Default: "main"}, "of no branch|of the project"},
		{"outside of git", From{}, "of no branch"},
	} {
		var got []string
		for _, x := range tc.from.Waiting(list) {
			got = append(got, x.Memory.What)
		}
		if strings.Join(got, "|") != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, strings.Join(got, "|"), tc.want)
		}
	}
}
