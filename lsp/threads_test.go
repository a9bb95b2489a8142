package lsp_test

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"manicule/indexer/anchoring"
	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/lsp/lsptest"
	"manicule/memory"
	"manicule/memory/secret/full"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// TestThreadLenses: an open thread has lenses at its place until it is closed or parked.
func TestThreadLenses(t *testing.T) {
	s := newSandbox(t, small())
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: s.root, Env: s.env, Now: clock, User: "ahmed"})
	must.OK(t, err)
	t.Cleanup(func() { _ = w.Close() }) // a test's workspace
	add := func(d threads.Draft) string {
		t.Helper()
		r, err := threads.Of(w).Add(t.Context(), d)
		if err != nil || !r.Accepted {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Thread.Memory.UUID
	}
	first := add(threads.Draft{Text: "The check is too strict", At: "a.go#Validate"})
	second := add(threads.Draft{Text: "Split the file", Kind: thread.NextStep, At: "a.go", Owner: "ann"})
	add(threads.Draft{Text: "Release notes are missing"})

	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	lenses := func() string {
		t.Helper()
		var out []string
		for line := range strings.Lines(lensText(t, e, "a.go")) {
			if !strings.Contains(line, "manicule.showMemories") {
				out = append(out, strings.TrimSpace(line))
			}
		}
		return strings.Join(out, "\n")
	}
	of := func(id, at, title string, first int) string {
		var out []string // each begins behind the one before it, for editors that sort them
		for i, act := range []string{title + ": manicule.showThread ", "done: manicule.threadDone ", "park: manicule.threadPark ", "hand over: manicule.handThread "} {
			out = append(out, strings.Replace(at, ":0-", ":"+strconv.Itoa(first+i)+"-", 1)+" "+act+quoted(id))
		}
		return strings.Join(out, "\n")
	}
	file := of(second, "0:0-0:9", "☞ next step: Split the file (for ann)", 0)
	want := []string{of(first, "2:0-2:18", "☞ thread: The check is too strict", 1), file}
	got := lenses()
	for _, x := range want {
		if !strings.Contains(got, x) {
			t.Errorf("%q is missing in\n%s", x, got)
		}
	}
	if strings.Contains(got, "Release") {
		t.Errorf("a thread without a place has a lens:\n%s", got)
	}

	if got := execute(t, e, "manicule.threadDone", quoted(first), `"it was right"`); !strings.Contains(got, `"state":"resolved"`) {
		t.Errorf("done: %s", got)
	}
	if got := lenses(); got != file {
		t.Errorf("after the first is closed:\n%s", got)
	}
	if x, err := threads.Of(w).Get(t.Context(), first); err != nil || x.Resolution != "it was right" || x.Version != 2 {
		t.Errorf("%+v, %v", x, err)
	}
	execute(t, e, "manicule.showThread", quoted(second))
	if got := execute(t, e, "manicule.threadPark", quoted(second)); !strings.Contains(got, `"state":"parked"`) {
		t.Errorf("park: %s", got)
	}
	if got := lenses(); got != "" {
		t.Errorf("after both:\n%s", got)
	}
	if got := execute(t, e, "manicule.reopenThread", quoted(second)); !strings.Contains(got, `"state":"open"`) {
		t.Errorf("reopen: %s", got)
	}
	if got := lenses(); got != file {
		t.Errorf("after the second is open again:\n%s", got)
	}
	if _, err := tryExecute(e, "manicule.threadDone", quoted(first)); err == nil || !strings.Contains(err.Error(), "no open thread") {
		t.Errorf("closing a closed one: %v", err)
	}
}

// TestThreadLensesOff: the lenses have a switch of their own.
func TestThreadLensesOff(t *testing.T) {
	s := newSandbox(t, small())
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: s.root, Env: s.env, Now: clock, User: "ahmed"})
	must.OK(t, err)
	t.Cleanup(func() { _ = w.Close() }) // a test's workspace
	if _, err := threads.Of(w).Add(t.Context(), threads.Draft{Text: "The check is too strict", At: "a.go#Validate"}); err != nil {
		t.Fatal(err)
	}
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Options = `{"threads": false}`
	e.Initialize(c)
	e.Open("a.go")
	if got := lensText(t, e, "a.go"); strings.Contains(got, "thread") || !strings.Contains(got, "☞ 1 memory here") {
		t.Errorf("lenses:\n%s", got)
	}
}

// TestThreadList: the list of an editor has the open and parked threads of the branch, with their places.
func TestThreadList(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	list := func() string {
		t.Helper()
		got := askOwn[struct {
			Threads []struct {
				Kind, State, Text, Owner, Path string
				Location                       *protocol.Location
			}
		}](t, e, "manicule/threads", `{}`)
		var out []string
		for _, x := range got.Threads {
			at := x.Path
			if x.Location != nil {
				at = fmt.Sprintf("%s:%d:%d", path.Base(string(x.Location.URI)), x.Location.Range.Start.Line, x.Location.Range.Start.Character)
			}
			// Of the same time, so in the order of their ids.
			out = append(out, strings.Join([]string{x.Kind, x.State, x.Text, x.Owner, at}, "|"))
		}
		slices.Sort(out)
		return strings.Join(out, "\n")
	}
	if got := list(); got != "" {
		t.Errorf("before: %s", got)
	}
	leave := func(at, text, more string) string {
		t.Helper()
		var a struct {
			Accepted bool
			UUID     string
		}
		got := execute(t, e, "manicule.leaveThread", quoted(string(e.URI("a.go"))), quoted(at), quoted(text), more)
		if err := json.Unmarshal([]byte(got), &a); err != nil || !a.Accepted {
			t.Fatalf("%s, %v", got, err)
		}
		return a.UUID
	}
	first := leave("a.go#Validate", "The check is too strict", "{}")
	second := leave("", "Release notes are missing", `{"kind": "next_step", "owner": "ann"}`)
	if got := execute(t, e, "manicule.leaveThread", quoted(string(e.URI("a.go"))), quoted("a.go"), quoted(" ")); !strings.Contains(got, "needsText") {
		t.Errorf("without a text: %s", got)
	}
	if got, want := list(), "next_step|open|Release notes are missing|ann|\nthread|open|The check is too strict||a.go:2:5"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := execute(t, e, "manicule.handThread", quoted(first)); !strings.Contains(got, "needsOwner") {
		t.Errorf("without a name: %s", got)
	}
	execute(t, e, "manicule.handThread", quoted(first), quoted("ben"))
	execute(t, e, "manicule.threadPark", quoted(second))
	if got, want := list(), "next_step|parked|Release notes are missing|ann|\nthread|open|The check is too strict|ben|a.go:2:5"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := askOwn[struct {
		Threads     []any
		Total, Open int
	}](t, e, "manicule/threads", `{"limit": 1}`); len(got.Threads) != 1 || got.Total != 2 || got.Open != 1 {
		t.Errorf("the first: %+v", got)
	}
	execute(t, e, "manicule.threadDone", quoted(second))
	execute(t, e, "manicule.threadDone", quoted(first))
	if got := list(); got != "" {
		t.Errorf("after all are done: %s", got)
	}
}

// TestBranchOfAMemory: a panel says to which branch a personal memory belongs.
func TestBranchOfAMemory(t *testing.T) {
	s := newSandbox(t, small())
	gittest.Git(t, s.root, "init", "-q", "-b", "main")
	gittest.Git(t, s.root, "commit", "-q", "--allow-empty", "-m", "one")
	gittest.Git(t, s.root, "checkout", "-q", "-b", "feat")
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: s.root, Env: s.env, Now: clock, User: "ahmed"})
	must.OK(t, err)
	t.Cleanup(func() { _ = w.Close() }) // a test's workspace
	r, err := w.Remember(t.Context(), memory.Draft{What: "Only with my proxy", At: []string{"a.go#Validate"}, Personal: true})
	if err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	found := ""
	for _, g := range askOwn[theTree](t, e, "manicule/tree", `{"by": "file"}`).Groups {
		for _, i := range g.Items {
			if i.What == "Only with my proxy" {
				found = i.Branch
			}
		}
	}
	if found != "feat" {
		t.Errorf("the tree says %q", found)
	}
}
