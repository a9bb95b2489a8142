package follow

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/file"
)

// act proposes one act, shows what it would change, and applies it.
func (x *world) act(q Request) (*file.Memory, []string, error) {
	x.t.Helper()
	t := x.t.(*testing.T)
	p, err := x.Propose(t.Context(), q)
	if err != nil {
		return nil, nil, err
	}
	var diff []string
	for _, c := range p.Changes {
		diff = append(diff, c.Diff()...)
	}
	r, err := x.Apply(t.Context(), p)
	if err != nil || !r.Accepted {
		return nil, diff, errors.Join(err, errors.New(r.Reason))
	}
	hit, err := x.w.Get(t.Context(), q.Memory)
	must.OK(t, err)
	return hit.Memory, diff, nil
}

// TestAccept ties an anchor to where its code went, and says who verified it.
func TestAccept(t *testing.T) {
	x, now := moved(t)
	uuid := now().Memory
	m, diff, err := x.act(Request{Memory: uuid, Act: Accept, Index: -1})
	must.OK(t, err)
	if a := m.Anchors[0]; a.Path != "auth/check.go" || a.Symbol != "ValidateToken" || m.Trust.VerifiedBy == "" || m.Lineage.Version != 2 {
		t.Errorf("%+v verified by %q", a, m.Trust.VerifiedBy)
	}
	shown := strings.Join(diff, "\n")
	for _, want := range []string{`- path: auth/token.go`, `+ path: auth/check.go`, `- symbol: Validate`, `+ symbol: ValidateToken`} {
		if !strings.Contains(shown, want) {
			t.Errorf("%s is not shown in\n%s", want, shown)
		}
	}
	for _, line := range diff {
		if name, _, _ := strings.Cut(line, ": "); strings.Contains(name, "hash") || strings.HasSuffix(name, "blob") || strings.HasPrefix(line, "+ kind") {
			t.Errorf("shown: %s", line)
		}
	}
	x.want(m, anchor.Fresh, "auth/check.go", "ValidateToken")
	if _, _, err := x.act(Request{Memory: uuid, Act: Accept, Index: -1}); !errors.Is(err, errNothing) {
		t.Errorf("again: %v", err)
	}
}

// TestReject takes an anchor away from where it was followed to, for good; no file
// is written.
func TestReject(t *testing.T) {
	x, now := moved(t)
	p := now()
	hit, err := x.w.Get(t.Context(), p.Memory)
	must.OK(t, err)
	name := filepath.Join(x.w.Place().MemoriesDir(), filepath.FromSlash(hit.Memory.RelPath()))
	before, err := os.ReadFile(name)
	must.OK(t, err)
	_, _, err = x.act(Request{Memory: p.Memory, Act: Reject, Index: -1})
	must.OK(t, err)
	rejected := func(when string) {
		t.Helper()
		x.refresh()
		if is := x.place(hit.Memory); is.State != anchor.Orphaned || is.Path != "auth/token.go" || !strings.Contains(is.Reason, "somebody said") {
			t.Errorf("%s: %+v", when, is.Place)
		}
	}
	rejected("at once")
	if after, err := os.ReadFile(name); err != nil || string(after) != string(before) {
		t.Errorf("the file was written: %v", err)
	}
	x.reopen()
	rejected("in another process")
	if _, _, err := x.act(Request{Memory: p.Memory, Act: Reject, Index: -1}); !errors.Is(err, errNothing) {
		t.Errorf("again: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(x.root, "auth/check.go"))
	must.OK(t, err)
	live, err := x.ResolveText(t.Context(), Text("auth/check.go", text, nil))
	must.OK(t, err)
	for _, l := range live {
		if l.State != anchor.Orphaned {
			t.Errorf("in the editor: %+v", l)
		}
	}
}

// TestDetachAndReanchor write what a person said, to the anchor that they named and
// to no other.
func TestDetachAndReanchor(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.write("lib/x.go", head+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate", "lib/x.go#Refresh")
	want := func(when string, m *file.Memory, places ...string) {
		t.Helper()
		var got []string
		for _, a := range m.Anchors {
			got = append(got, string(a.Kind)+" "+a.Path+"#"+a.Symbol)
		}
		if strings.Join(got, ", ") != strings.Join(places, ", ") {
			t.Errorf("%s: %v, want %v", when, got, places)
		}
	}
	is, _, err := x.act(Request{Memory: m.UUID, Act: Detach, Index: 1})
	must.OK(t, err)
	want("the second detached", is, "symbol auth/token.go#Validate", "file lib/x.go#")
	if is.Trust.VerifiedBy != "" {
		t.Errorf("verified by %q", is.Trust.VerifiedBy)
	}
	place := func(at string) string { return filepath.Join(x.root, filepath.FromSlash(at)) }
	is, _, err = x.act(Request{Memory: m.UUID, Act: Reanchor, Index: 1, At: place("lib/x.go#Refresh")})
	must.OK(t, err)
	want("tied again", is, "symbol auth/token.go#Validate", "symbol lib/x.go#Refresh")
	is, _, err = x.act(Request{Memory: m.UUID, Act: Detach, Index: 0})
	must.OK(t, err)
	want("the first detached", is, "file auth/token.go#", "symbol lib/x.go#Refresh")
	x.write("lib/x.go", head) // the second one is in doubt now
	is, _, err = x.act(Request{Memory: m.UUID, Act: Reanchor, Index: -1, At: place("auth/token.go#Refresh")})
	must.OK(t, err)
	want("the worst one tied", is, "file auth/token.go#", "symbol auth/token.go#Refresh")
	for _, index := range []int{2, 3} {
		var e *memory.UserError
		if _, _, err := x.act(Request{Memory: m.UUID, Act: Detach, Index: index}); !errors.As(err, &e) || e.Hint == "" {
			t.Errorf("anchor %d of two: %v", index, err)
		}
	}
	none := x.w
	r, err := none.Remember(t.Context(), memory.Draft{What: "of the whole project"})
	must.OK(t, err)
	is, _, err = x.act(Request{Memory: r.Memory.UUID, Act: Reanchor, Index: -1, At: place("auth/token.go#Refresh")})
	if err == nil {
		want("its first anchor", is, "symbol auth/token.go#Refresh")
	} else {
		t.Errorf("its first anchor: %v", err)
	}
}

// TestDisputed holds that who says where a disputed memory's code is decides nothing about its words, unlike who says that it
// still holds.
func TestDisputed(t *testing.T) {
	x, now := moved(t)
	uuid := now().Memory
	_, err := x.w.Edits().Dispute(t.Context(), uuid, "it returns an error")
	must.OK(t, err)
	m, _, err := x.act(Request{Memory: uuid, Act: Accept, Index: -1})
	must.OK(t, err)
	if a := m.Anchors[0]; a.Path != "auth/check.go" || !m.Trust.Disputed() || m.Trust.VerifiedBy != "" {
		t.Errorf("at %s, disputed %v, verified by %q", a.Path, m.Trust.Disputed(), m.Trust.VerifiedBy)
	}
	if m, _, err = x.act(Request{Memory: uuid, Act: StillTrue, Index: -1}); err != nil || m.Trust.Disputed() || m.Trust.VerifiedBy == "" {
		t.Errorf("%v: disputed %v, verified by %q", err, m.Trust.Disputed(), m.Trust.VerifiedBy)
	}
}

// TestStillTrue ties an anchor to the code as it is, and not to code that is gone.
func TestStillTrue(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.write("auth/token.go", head+edited()+other)
	x.refresh()
	x.want(m, anchor.Drifted, "auth/token.go", "Validate")
	is, _, err := x.act(Request{Memory: m.UUID, Act: StillTrue, Index: -1})
	must.OK(t, err)
	if is.Trust.VerifiedBy == "" {
		t.Error("nobody verified it")
	}
	x.want(m, anchor.Fresh, "auth/token.go", "Validate")
	if is, _, err = x.act(Request{Memory: m.UUID, Act: StillTrue, Index: -1}); err != nil || is.Lineage.Version != 3 {
		t.Errorf("verified again without a change: %+v, %v", is, err)
	}
	for name, gone := range map[string]func(){
		"the code": func() { x.write("auth/token.go", head+other) },
		"the file": func() { must.OK(t, os.Remove(filepath.Join(x.root, "auth/token.go"))) },
	} {
		gone()
		var e *memory.UserError
		if _, _, err := x.act(Request{Memory: m.UUID, Act: StillTrue, Index: -1}); !errors.As(err, &e) || e.Hint == "" {
			t.Errorf("%s is gone: %v", name, err)
		}
		x.write("auth/token.go", head+edited()+other)
	}
}

// TestAcceptSuggestion ties a lost anchor to where it may have gone; once that is
// rejected nothing is suggested any more.
func TestAcceptSuggestion(t *testing.T) {
	for _, act := range []Act{Accept, Reject} {
		x := newWorld(t)
		x.write("auth/token.go", head+validate+other)
		x.commit("one")
		m := x.remember("auth/token.go#Validate")
		x.commit("remember")
		x.write("auth/token.go", head+other)
		x.commit("delete")
		x.write("form/form.go", namesake)
		x.commit("a namesake")
		x.refresh()
		if p := x.want(m, anchor.Orphaned, "auth/token.go", "Validate"); p.Suggestion == nil || p.Suggestion.Path != "form/form.go" {
			t.Fatalf("suggested %+v", p.Suggestion)
		}
		is, _, err := x.act(Request{Memory: m.UUID, Act: act, Index: -1})
		must.OK(t, err)
		if act == Accept {
			if a := is.Anchors[0]; a.Path != "form/form.go" || a.Symbol != "Validate" {
				t.Errorf("accepted: %+v", a)
			}
			x.want(m, anchor.Fresh, "form/form.go", "Validate")
			continue
		}
		if p := x.want(m, anchor.Orphaned, "auth/token.go", "Validate"); p.Suggestion != nil {
			t.Errorf("still suggested: %+v", p.Suggestion)
		}
	}
}

// TestRejectedInTheEditor: what a person rejected is not found in an open text either.
func TestRejectedInTheEditor(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	text := head + strings.ReplaceAll(validate, "Validate", "CheckToken") + other
	x.write("auth/token.go", text)
	x.refresh()
	x.want(m, anchor.Followed, "auth/token.go", "CheckToken")
	want := func(when, text string, state anchor.State) {
		t.Helper()
		live, err := x.ResolveText(t.Context(), Text("auth/token.go", []byte(text), nil))
		must.OK(t, err)
		if len(live) != 1 || live[0].State != state {
			t.Errorf("%s: %+v, want %s", when, live, state)
		}
	}
	want("before", text, anchor.Followed)
	_, _, err := x.act(Request{Memory: m.UUID, Act: Reject, Index: -1})
	must.OK(t, err)
	want("rejected", text, anchor.Orphaned)
	want("another name", strings.ReplaceAll(text, "CheckToken", "Inspect"), anchor.Followed)
	want("the old name", head+validate+other, anchor.Fresh)
}
