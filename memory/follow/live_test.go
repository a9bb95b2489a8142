package follow

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
)

// inText resolves the anchors of a file in a text of it.
func (x *world) inText(t *testing.T, path, text string) []LiveAnchor {
	t.Helper()
	live, err := x.ResolveText(t.Context(), Text(path, []byte(text), nil))
	must.OK(t, err)
	return live
}

// TestLiveBeforeALook: an editor's first text is answered before any look at the tree, in the file
// into which an earlier process followed an anchor too.
func TestLiveBeforeALook(t *testing.T) {
	x, m := recordedWorld(t)
	x.git("mv", "auth/token.go", "auth/claims.go")
	x.refresh()
	x.want(m, anchor.Followed, "auth/claims.go", "Validate")
	x.reopen()
	_, err := x.w.Sync(t.Context())
	must.OK(t, err)
	if live := x.inText(t, "auth/claims.go", head+validate+other); len(live) != 1 || live[0].State != anchor.Followed || live[0].Memory != m.UUID {
		t.Errorf("%+v", live)
	}
	if live := x.inText(t, "auth/other.go", head+validate+other); len(live) != 0 {
		t.Errorf("of another file: %+v", live)
	}
}

// TestLiveBackAgain: what an editor saw move counts no more once the code is back where the record
// says, and the file that it had gone to has no anchor then.
func TestLiveBackAgain(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.refresh()
	text := head + "func Wholly() string {\n\treturn \"different\"\n}\n"
	x.write("auth/token.go", head+other)
	x.write("auth/new.go", text)
	must.OK(t, x.Moved(t.Context(), EditorMove{Memory: m.UUID, Path: "auth/new.go", Text: []byte(text), Lines: anchor.LineRange{Start: 3, End: 5}, Symbol: "Wholly"}))
	x.refresh()
	if live := x.inText(t, "auth/new.go", text); len(live) != 1 || live[0].State != anchor.Followed {
		t.Errorf("moved: %+v", live)
	}
	x.write("auth/token.go", head+validate+other)
	x.refresh()
	x.want(m, anchor.Fresh, "auth/token.go", "Validate")
	if live := x.inText(t, "auth/new.go", text); len(live) != 0 {
		t.Errorf("back again, in the file it had gone to: %+v", live)
	}
	if live := x.inText(t, "auth/token.go", head+validate+other); len(live) != 1 || live[0].State != anchor.Fresh {
		t.Errorf("back again: %+v", live)
	}
}

// TestMovedIntoNothing: a move of an anchor that a memory does not have is refused, and one of a
// memory that is forgotten says nothing.
func TestMovedIntoNothing(t *testing.T) {
	x, m := recordedWorld(t)
	x.refresh()
	text := head + "func Wholly() string { return \"different\" }\n"
	x.write("auth/new.go", text)
	move := EditorMove{Memory: m.UUID, Path: "auth/new.go", Text: []byte(text), Lines: anchor.LineRange{Start: 3, End: 3}, Symbol: "Wholly"}
	for _, index := range []int{-1, 1} {
		odd := move
		odd.Index = index
		if err := x.Moved(t.Context(), odd); err == nil {
			t.Errorf("anchor %d is moved", index)
		}
	}
	must.OK(t, x.Moved(t.Context(), move))
	must.OK(t, x.w.Forgotten().Forget(t.Context(), m.UUID))
	x.refresh()
	if live := x.inText(t, "auth/new.go", text); len(live) != 0 {
		t.Errorf("of a forgotten memory: %+v", live)
	}
	if err := x.Moved(t.Context(), move); err == nil {
		t.Error("a forgotten memory is moved")
	}
}

// TestLiveAgainstHistory: a text is compared with the code as it was recorded, not with the record
// alone, also if that was only staged.
func TestLiveAgainstHistory(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+other)
	x.commit("one")
	x.write("auth/token.go", head+validate+other)
	x.git("add", "-A")
	m := x.remember("auth/token.go#Validate")
	x.write("auth/token.go", head+strings.ReplaceAll(edited(), "Validate", "Check")+other)
	x.refresh()
	p := x.want(m, anchor.Followed, "auth/token.go", "Check")
	y, m2 := recordedWorld(t)
	y.write("auth/token.go", head+strings.ReplaceAll(edited(), "Validate", "Check")+other)
	y.refresh()
	if q := y.want(m2, anchor.Followed, "auth/token.go", "Check"); q.Confidence != p.Confidence || q.Rung != p.Rung {
		t.Errorf("staged: %+v\ncommitted: %+v", p, q)
	}
}
