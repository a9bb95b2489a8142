package follow

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/fault"
	"manicule/indexer/must"
)

// TestCurrent: what says that nothing has changed must not say so too early, and
// says it in another process too.
func TestCurrent(t *testing.T) {
	x := newWorld(t)
	current := func(when string, want bool) {
		t.Helper()
		if got, err := x.Current(t.Context()); err != nil || got != want {
			t.Errorf("%s: current is %v (%v), want %v", when, got, err, want)
		}
	}
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	x.remember("auth/token.go#Validate")
	current("before the first look", false)
	x.refresh()
	current("after a look", true)
	x.reopen()
	current("in another process", true)
	x.write("auth/token.go", head+edited()+other)
	x.git("add", "-A")
	current("after a change of the index", false)
	x.refresh()
	current("looked again", true)
	x.commit("edit")
	current("after a commit", false)
	x.refresh()
	x.git("checkout", "-q", "--detach", "HEAD~1")
	current("on another commit", false)
	x.refresh()
	current("looked there", true)
	x.remember("auth/token.go#Refresh")
	current("after another memory", false)
	x.refresh()
	current("looked for it", true)

	must.OK(t, os.RemoveAll(filepath.Join(x.root, ".git")))
	x.open(t.TempDir())
	x.refresh()
	current("outside of git", false)
}

// TestSubscribers are told of each look that found something new, and of no other:
// who is told looks again.
func TestSubscribers(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.refresh()
	var told []string
	subscribe := func(name string) func() {
		return x.Subscribe(func(r Report) {
			if len(r.Changes) != 1 || r.Changes[0].Now.Memory != m.UUID {
				t.Errorf("%s is told of %+v", name, r.Changes)
			}
			told = append(told, name)
		})
	}
	one, two := subscribe("one"), subscribe("two")
	want := func(when string, names ...string) {
		t.Helper()
		told = nil
		x.refresh()
		if !slices.Equal(told, names) {
			t.Errorf("%s: told %v, want %v", when, told, names)
		}
	}
	want("nothing changed")
	x.write("auth/token.go", head+edited()+other)
	want("an edit", "one", "two")
	want("nothing since")
	one()
	x.write("auth/token.go", head+other)
	want("one has left", "two")
	two()
	x.write("auth/token.go", head+validate+other)
	want("both have left")
}

// TestReceiptsOfFollowing: each place that code went to is noted once, and no more
// where it only has other lines there.
func TestReceiptsOfFollowing(t *testing.T) {
	x, now := moved(t)
	uuid := now().Memory
	want := func(when string, n int) {
		t.Helper()
		x.refresh()
		list, err := x.w.State().Receipts().Of(t.Context(), uuid)
		must.OK(t, err)
		if len(list) != n {
			t.Errorf("%s: %d receipts, want %d: %+v", when, len(list), n, list)
		}
	}
	want("it was followed", 1)
	text, err := os.ReadFile(filepath.Join(x.root, "auth/check.go"))
	must.OK(t, err)
	x.write("auth/check.go", strings.Replace(string(text), head, head+"var above = 1\n\n", 1))
	want("code above it", 1)
	renamed := head + strings.ReplaceAll(edited(), "Validate", "CheckToken")
	x.write("auth/check.go", renamed)
	want("another name", 2)
	must.OK(t, os.Remove(filepath.Join(x.root, "auth/check.go")))
	x.write("auth/verify.go", renamed+other)
	want("another file", 3)
	if p := x.All()[0]; p.State != anchor.Followed || p.Path != "auth/verify.go" || p.Symbol != "CheckToken" {
		t.Errorf("%+v", p)
	}
}

// TestFileAnchors hold while there is the file, whatever is in it.
func TestFileAnchors(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go")
	x.refresh()
	x.write("auth/token.go", head)
	if r := x.refresh(); r.Resolved != 0 {
		t.Errorf("it was looked for: %+v", r)
	}
	x.want(m, anchor.Fresh, "auth/token.go", "")
	must.OK(t, os.Remove(filepath.Join(x.root, "auth/token.go")))
	x.refresh()
	x.want(m, anchor.Orphaned, "auth/token.go", "")
	x.write("auth/token.go", head+other)
	x.refresh()
	x.want(m, anchor.Fresh, "auth/token.go", "")
}

// TestMovedFiles: a file anchor goes with its file, if that is the only copy of what was there.
func TestMovedFiles(t *testing.T) {
	for name, tc := range map[string]struct {
		copies []string
		state  anchor.State
		path   string
	}{
		"moved":           {[]string{"doc/design.txt"}, anchor.Followed, "doc/design.txt"},
		"moved and other": {[]string{"doc/design.txt", "doc/x.txt"}, anchor.Orphaned, "notes.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			x := newWorld(t)
			const text = "The queue is drained by one worker.\n"
			x.write("notes.txt", text)
			x.write("copy.txt", text) // was there before
			x.commit("one")
			m := x.remember("notes.txt")
			x.commit("remember")
			must.OK(t, os.Remove(filepath.Join(x.root, "notes.txt")))
			for _, c := range tc.copies {
				x.write(c, text)
			}
			x.write("doc/y.txt", "Another text.\n")
			x.commit("two")
			x.refresh()
			x.want(m, tc.state, tc.path, "")
		})
	}
}

// TestBrokenWhereFollowed has a file that does not parse while it is typed in: the
// anchor stays where it was found last, and its line goes with the code.
func TestBrokenWhereFollowed(t *testing.T) {
	x, now := moved(t)
	was := now()
	text, err := os.ReadFile(filepath.Join(x.root, "auth/check.go"))
	must.OK(t, err)
	broken := strings.Replace(string(text), "claims Claims, err error) {", "claims Claims, err error {{ (", 1)
	for _, c := range []struct {
		name, text string
		line       int
	}{
		{"broken", broken, was.Line},
		{"broken, with code above", strings.Replace(broken, head, head+"var above = 1\n\n", 1), was.Line + 2},
	} {
		x.write("auth/check.go", c.text)
		x.refresh()
		p := x.All()[0]
		if p.State != anchor.Followed || p.Path != "auth/check.go" || p.Symbol != "ValidateToken" || p.Line != c.line || p.Reason != was.Reason {
			t.Errorf("%s: %+v, was %+v", c.name, p.Place, was.Place)
		}
	}
}

// TestFaultOfALook is one in Manicule itself: the anchor keeps its state, and the
// fault is told with its memory and file.
func TestFaultOfALook(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	if r := x.refresh(); len(r.Faults) != 0 {
		t.Errorf("without a fault: %+v", r.Faults)
	}
	x.write("auth/token.go", head+edited()+other)
	r, err := x.Refresh(fault.WithProbe(t.Context(), func(stage, _ string) {
		if stage == fault.Anchor {
			panic("a bug")
		}
	}))
	must.OK(t, err)
	if len(r.Faults) != 1 || r.Faults[0].Memory != m.UUID || r.Faults[0].Path != "auth/token.go" || r.Held != 1 {
		t.Errorf("%+v", r)
	}
	x.want(m, anchor.Fresh, "auth/token.go", "Validate")
	if r := x.refresh(); len(r.Faults) != 0 {
		t.Errorf("afterwards: %+v", r.Faults)
	}
	x.want(m, anchor.Drifted, "auth/token.go", "Validate")
}

// TestFollowedIsNoted: only a look that found every anchor lets a server answer before its own.
func TestFollowedIsNoted(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	x.remember("auth/token.go#Validate")
	noted := filepath.Join(x.w.Place().CacheDir(), "followed")
	look := func(when string, ctx context.Context, want bool) {
		t.Helper()
		if err := os.Remove(noted); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		_, err := x.Refresh(ctx)
		must.OK(t, err)
		if _, err := os.Stat(noted); (err == nil) != want {
			t.Errorf("%s: noted is %v, want %v", when, err == nil, want)
		}
	}
	look("all is found", t.Context(), true)
	x.write("auth/token.go", head+edited()+other)
	look("a fault", fault.WithProbe(t.Context(), func(stage, _ string) {
		if stage == fault.Anchor {
			panic("a bug")
		}
	}), false)
	x.write("auth/token.go", "func Validate( {\n")
	look("half-written", t.Context(), false)
	x.write("auth/token.go", head+edited()+other)
	merging := filepath.Join(x.root, ".git", "MERGE_HEAD")
	must.OK(t, os.WriteFile(merging, []byte(x.git("rev-parse", "HEAD")+"\n"), 0o600))
	look("in a merge", t.Context(), false)
	must.OK(t, os.Remove(merging))
	look("found again", t.Context(), true)
}

// TestWalkIsKept: how far a look went along the commits is known to the next one, also
// where an earlier one had gone a part of the way.
func TestWalkIsKept(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	x.remember("auth/token.go#Validate")
	x.commit("remember")
	x.walks(func(int) { x.refresh() })
	kept, err := x.w.Store().CachedResolutions(t.Context())
	must.OK(t, err)
	here := 0
	for _, list := range kept {
		for _, f := range list {
			if m, ok := memoOf(f); ok && m.to == x.head() {
				here++
			}
		}
	}
	if here != 1 {
		t.Errorf("%d notes of the way to the last commit", here)
	}
}

// TestUnsteady: an anchor is not in doubt because of a file that was looked at while git wrote it. The next look, of the files as they
// are then, finds it.
func TestUnsteady(t *testing.T) {
	x := newWorld(t)
	x.write("a/token.go", head+validate+other)
	x.write("b/token.go", head+validate+other)
	x.commit("one")
	first := x.remember("a/token.go#Validate")
	x.remember("b/token.go#Validate")
	x.refresh()
	whole := head + "// Package auth.\n\n" + validate + other
	for name, half := range map[string]func(){
		"half of a file": func() { x.write("a/token.go", head) },
		"no file":        func() { must.OK(t, os.Remove(filepath.Join(x.root, "a/token.go"))) },
	} {
		half()
		x.write("b/token.go", whole)
		looked := 0
		r, err := x.Refresh(fault.WithProbe(t.Context(), func(_, path string) {
			if path == "b/token.go" { // the other was looked at
				looked++
				x.write("a/token.go", whole)
			}
		}))
		must.OK(t, err)
		if looked == 0 || r.Unsteady || slices.ContainsFunc(r.Changes, func(c Transition) bool { return c.Now.Doubtful() }) {
			t.Errorf("%s: %d looks, %+v", name, looked, r)
		}
		x.want(first, anchor.Fresh, "a/token.go", "Validate")
	}

	// One that is written all the time keeps its state, and what says that nothing has changed does not say so.
	x.write("a/token.go", head)
	lock := filepath.Join(x.root, ".git", "index.lock")
	must.OK(t, os.WriteFile(lock, nil, 0o600))
	if r := x.refresh(); !r.Unsteady || r.Held != r.Anchors {
		t.Errorf("git writes: %+v", r)
	}
	x.want(first, anchor.Fresh, "a/token.go", "Validate")
	old := time.Now().Add(-time.Hour)
	must.OK(t, os.Chtimes(lock, old, old)) // left by a process that was killed
	if r := x.refresh(); r.Unsteady {
		t.Errorf("an old lock: %+v", r)
	}
	if is := x.place(first).State; is != anchor.Orphaned {
		t.Errorf("it is %s", is)
	}
}
