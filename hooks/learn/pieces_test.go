package learn

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"manicule/hooks/eventlog"
)

// edit is the nth edit of a file below the root of a workspace.
func (p *place) edit(n int) eventlog.Record {
	return eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Edit", Class: "edit", ID: fmt.Sprint("edit ", n), Paths: []string{filepath.Join(p.w.Root(), "a.go")}}}}
}

// fill are so many calls that a log grows by enough to be read again.
func fill() (out []eventlog.Record) {
	for i := range 150 {
		out = append(out, sh(fmt.Sprintf("cat some/long/folder/of/many/files/number%d/and/a/file/below/it.txt", i), ""))
	}
	return out
}

// TestMidway: a session that never pauses is learned from after its sixth piece of work, and again after a later one. What
// it is in the middle of is not.
func TestMidway(t *testing.T) {
	p := newPlace(t)
	ctx := t.Context()
	p.log("first", append(retried(), end())...)
	must(Pending(ctx, p.options(), 0))(t)
	now := func() []Outcome {
		t.Helper()
		return must(Midway(ctx, p.options()))(t)
	}
	p.log("long", retried()...)
	p.log("long", fill()...)
	for i := range leastPieces - 1 {
		p.log("long", p.edit(i), sh(fmt.Sprintf("go test ./p%d", i), ""), sh(fmt.Sprintf("git commit -m x%d", i), "")) // one piece: nothing is edited between
	}
	if got := now(); len(got) != 0 {
		t.Errorf("after %d pieces: %+v", leastPieces-1, got)
	}
	p.log("long", p.edit(10), sh("git commit -m last", ""), p.edit(11), sh("go vet ./unfinished", "a.go:1: undefined: x"))
	got := now()
	if len(got) != 1 || got[0].Report.Session != "long" || len(got[0].Results) != 1 {
		t.Fatalf("after the last piece: %+v", got)
	}
	for _, f := range got[0].Report.Failures {
		if strings.Contains(f.Failed, "unfinished") {
			t.Errorf("learned from what is not finished: %+v", f)
		}
	}
	if rows := must(p.w.State().Sessions().Latest(ctx, 10))(t); len(rows) != 2 {
		t.Errorf("%d sessions", len(rows))
	}
	if got := now(); len(got) != 0 {
		t.Errorf("the same again: %+v", got)
	}
	p.log("long", fill()...)
	if got := now(); len(got) != 0 {
		t.Errorf("nothing was finished since: %+v", got)
	}
	p.log("long", sh("go vet ./all", ""))
	if got := now(); len(got) != 1 {
		t.Errorf("another piece: %+v", got)
	}
	p.log("long", end())
	if got := now(); len(got) != 0 {
		t.Errorf("after its end: %+v", got)
	}
	if got := must(Pending(ctx, p.options(), 0))(t); len(got) != 1 {
		t.Errorf("its end: %+v", got)
	}
	if rows := must(p.w.State().Sessions().Latest(ctx, 10))(t); len(rows) != 2 {
		t.Errorf("%d sessions at the end", len(rows))
	}
}

// TestMidwayOnlyLong: six pieces of work in a short log are learned at its end.
func TestMidwayOnlyLong(t *testing.T) {
	p := newPlace(t)
	for i := range leastPieces {
		p.log("short", p.edit(i), sh(fmt.Sprintf("go test ./p%d", i), ""))
	}
	if got := must(Midway(t.Context(), p.options()))(t); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
