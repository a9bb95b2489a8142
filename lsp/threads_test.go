package lsp_test

import (
	"strings"
	"testing"

	"manicule/lsp/lsptest"
	"manicule/memory"
	"manicule/memory/secret/full"
	"manicule/memory/thread"
)

// TestThreadLenses: an open thread has lenses at its place until it is closed or parked.
func TestThreadLenses(t *testing.T) {
	s := newSandbox(t, small())
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, Dir: s.root, Env: s.env, Now: clock, User: "ahmed"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() }) // a test's workspace
	add := func(d memory.ThreadDraft) string {
		t.Helper()
		r, err := w.AddThread(t.Context(), d)
		if err != nil || !r.Accepted {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Thread.Memory.UUID
	}
	first := add(memory.ThreadDraft{Text: "The check is too strict", At: "a.go#Validate"})
	second := add(memory.ThreadDraft{Text: "Split the file", Kind: thread.NextStep, At: "a.go", Owner: "ann"})
	add(memory.ThreadDraft{Text: "Release notes are missing"})

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
	of := func(id, at, title string) string {
		return at + " " + title + ": manicule.showThread " + quoted(id) + "\n" + at + " done: manicule.threadDone " + quoted(id) + "\n" + at + " park: manicule.threadPark " + quoted(id)
	}
	file := of(second, "0:0-0:9", "☞ next step: Split the file (for ann)")
	want := []string{of(first, "2:0-2:18", "☞ thread: The check is too strict"), file}
	got := lenses()
	for _, x := range want {
		if !strings.Contains(got, x) {
			t.Errorf("%q is missing in\n%s", x, got)
		}
	}
	if strings.Contains(got, "Release") {
		t.Errorf("a thread without a place has a lens:\n%s", got)
	}

	if got := execute(t, e, "manicule.threadDone", quoted(first), `"it was right"`); !strings.Contains(got, `"accepted":true,"state":"resolved"`) {
		t.Errorf("done: %s", got)
	}
	if got := lenses(); got != file {
		t.Errorf("after the first is closed:\n%s", got)
	}
	if x, err := w.Thread(t.Context(), first); err != nil || x.Resolution != "it was right" || x.Version != 2 {
		t.Errorf("%+v, %v", x, err)
	}
	execute(t, e, "manicule.showThread", quoted(second))
	if got := execute(t, e, "manicule.threadPark", quoted(second)); !strings.Contains(got, `"state":"parked"`) {
		t.Errorf("park: %s", got)
	}
	if got := lenses(); got != "" {
		t.Errorf("after both:\n%s", got)
	}
	if _, err := tryExecute(e, "manicule.threadDone", quoted(first)); err == nil || !strings.Contains(err.Error(), "no open thread") {
		t.Errorf("closing a closed one: %v", err)
	}
}

// TestThreadLensesOff: the lenses have a switch of their own.
func TestThreadLensesOff(t *testing.T) {
	s := newSandbox(t, small())
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, Dir: s.root, Env: s.env, Now: clock, User: "ahmed"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() }) // a test's workspace
	if _, err := w.AddThread(t.Context(), memory.ThreadDraft{Text: "The check is too strict", At: "a.go#Validate"}); err != nil {
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
