package follow

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/fault"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/store"
)

// edited is validate after a change of its code.
func edited() string {
	return strings.Replace(validate, `errors.New("expired token")`, `fmt.Errorf("token expired %d ago", now-claims.Expiry)`, 1)
}

// moved is a world whose branch "move" has the function renamed, edited and in
// another file.
func moved(t *testing.T) (*world, func() Place) {
	t.Helper()
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.commit("remember")
	x.git("checkout", "-qb", "move")
	x.write("auth/token.go", head+other)
	x.write("auth/check.go", head+strings.ReplaceAll(edited(), "Validate", "ValidateToken"))
	x.commit("move")
	return x, func() Place { x.refresh(); return x.place(m) }
}

// TestBranches has the cache answer for a branch that comes back.
func TestBranches(t *testing.T) {
	x, now := moved(t)
	if p := now(); p.State != anchor.Followed || p.Path != "auth/check.go" {
		t.Fatalf("%+v", p)
	}
	for range 2 {
		x.git("checkout", "-q", "main")
		if r := x.refresh(); r.Resolved != 0 || len(r.Changes) != 1 || r.Changes[0].Now.State != anchor.Fresh {
			t.Fatalf("back: %+v", r)
		}
		x.git("checkout", "-q", "move")
		if r := x.refresh(); r.Resolved != 0 || len(r.Changes) != 1 || r.Changes[0].Now.Path != "auth/check.go" {
			t.Fatalf("there again: %+v", r)
		}
	}
	in := x.In("auth/check.go")
	if len(in) != 1 || in[0].Symbol != "ValidateToken" || len(x.In("auth/token.go")) != 0 {
		t.Errorf("in the file: %+v", in)
	}
	receipts, err := x.w.State().Receipts().Of(t.Context(), in[0].Memory)
	must.OK(t, err)
	if len(receipts) != 1 || receipts[0].Place.Path != "auth/check.go" || receipts[0].Kind != store.ReceiptFollowed {
		t.Errorf("receipts %+v", receipts)
	}
}

// TestRewrittenCommit has the anchor's commit amended away and thrown out.
func TestRewrittenCommit(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.git("commit", "-q", "--amend", "-m", "another message")
	x.git("reflog", "expire", "--expire=now", "--all")
	x.git("prune", "--expire=now")
	x.git("repack", "-adq")
	if _, err := x.tryGit("cat-file", "-e", m.Anchors[0].Commit); err == nil {
		t.Fatal("the commit is still there")
	}
	x.write("auth/token.go", head+other)
	x.write("auth/check.go", head+edited())
	x.commit("move and edit")
	x.refresh()
	x.want(m, anchor.Followed, "auth/check.go", "Validate")
}

// TestOtherRepositories has the old state in places where git keeps it.
func TestOtherRepositories(t *testing.T) {
	origin, _ := moved(t)
	origin.git("checkout", "-q", "main")
	origin.git("branch", "side")
	for name, c := range map[string]struct {
		clone []string
		state anchor.State
	}{
		"worktree":   {[]string{"worktree", "add", "-q", "DIR", "side"}, anchor.Followed},
		"alternates": {[]string{"clone", "-q", "--shared", ".", "DIR"}, anchor.Followed},
		"shallow":    {[]string{"clone", "-q", "--depth", "1", "file://" + origin.root, "DIR"}, anchor.Followed},
		"packed":     {[]string{"clone", "-q", "--no-local", ".", "DIR"}, anchor.Followed},
	} {
		t.Run(name, func(t *testing.T) {
			x := &world{t: t, root: filepath.Join(t.TempDir(), "clone")}
			for i, a := range c.clone {
				if a == "DIR" {
					c.clone[i] = x.root
				}
			}
			origin.git(c.clone...)
			x.open(t.TempDir())
			x.write("auth/token.go", head+other)
			x.write("auth/check.go", head+strings.ReplaceAll(edited(), "Validate", "ValidateToken"))
			r := x.refresh()
			if len(r.Changes) != 1 || r.Changes[0].Now.State != c.state || r.Changes[0].Now.Path != "auth/check.go" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestNoGit has the record alone.
func TestNoGit(t *testing.T) {
	x := newWorld(t)
	must.OK(t, os.RemoveAll(filepath.Join(x.root, ".git")))
	x.open(t.TempDir())
	x.write("auth/token.go", head+validate+other)
	m := x.remember("auth/token.go#Validate")
	x.refresh()
	renamed := head + strings.ReplaceAll(validate, "Validate", "CheckToken") + other
	if live, err := x.ResolveText(t.Context(), Text("auth/token.go", []byte(renamed), nil)); err != nil || len(live) != 1 || live[0].Symbol != "CheckToken" {
		t.Errorf("in an editor: %+v, %v", live, err)
	}
	x.write("auth/token.go", renamed)
	x.refresh()
	x.want(m, anchor.Followed, "auth/token.go", "CheckToken")
	x.write("auth/token.go", head+edited()+other)
	x.refresh()
	x.want(m, anchor.Drifted, "auth/token.go", "Validate")
	x.write("auth/token.go", head+other)
	x.write("auth/check.go", head+validate)
	x.refresh()
	x.want(m, anchor.Followed, "auth/check.go", "Validate")
}

// TestBroken has a file that does not parse where the anchor is: the state that
// was known stays.
func TestBroken(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.refresh()
	x.write("auth/token.go", head+strings.Replace(validate, "claims Claims, err error) {", "claims Claims, err error {{ (", 1)+other)
	if r := x.refresh(); r.Held != 1 {
		t.Errorf("%+v", r)
	}
	x.want(m, anchor.Fresh, "auth/token.go", "Validate")
	x.write("auth/token.go", head+other)
	x.refresh()
	x.want(m, anchor.Orphaned, "auth/token.go", "Validate")
}

// TestOperations has git in the middle of something.
func TestOperations(t *testing.T) {
	for name, c := range map[string]struct{ begin, end []string }{
		"rebase":      {[]string{"rebase", "side"}, []string{"rebase", "--abort"}},
		"merge":       {[]string{"merge", "side"}, []string{"merge", "--abort"}},
		"cherry-pick": {[]string{"cherry-pick", "side"}, []string{"cherry-pick", "--abort"}},
		"revert":      {[]string{"revert", "HEAD~1"}, []string{"revert", "--abort"}},
		"bisect":      {[]string{"bisect", "start"}, []string{"bisect", "reset"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := newWorld(t)
			x.write("auth/token.go", head+validate+other)
			x.commit("one")
			m := x.remember("auth/token.go#Validate")
			x.commit("remember")
			x.git("checkout", "-qb", "side")
			x.write("auth/token.go", head+edited()+other)
			x.commit("side")
			x.git("checkout", "-q", "main")
			x.write("auth/token.go", head+strings.Replace(validate, "expired token", "old", 1)+other)
			x.commit("main")
			x.write("auth/token.go", head+strings.Replace(validate, "expired token", "older", 1)+other)
			x.commit("main again")
			x.refresh()
			x.want(m, anchor.Drifted, "auth/token.go", "Validate")
			_, _ = x.tryGit(c.begin...) // it stops at a conflict, as it should
			x.write("auth/token.go", head+other)
			if r := x.refresh(); r.Busy != name || r.Held != 1 || len(r.Changes) != 0 {
				t.Errorf("%+v", r)
			}
			x.want(m, anchor.Drifted, "auth/token.go", "Validate")
			x.git("checkout", "-qf", "HEAD", "--", ".")
			x.git(c.end...)
			if r := x.refresh(); r.Busy != "" {
				t.Errorf("after: %+v", r)
			}
		})
	}
}

// TestStaleAt has the time at which an anchor went out of order noted once, and
// taken back when it heals.
func TestStaleAt(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.write("auth/token.go", head+other)
	x.refresh()
	first := x.place(m).Since
	if !first.Equal(*x.now) {
		t.Errorf("since %v", first)
	}
	*x.now = x.now.AddDate(0, 0, 3)
	x.write("auth/token.go", head+other+"\n// more\n")
	x.refresh()
	if got := x.place(m).Since; !got.Equal(first) {
		t.Errorf("looked again: since %v, want %v", got, first)
	}
	must.OK(t, x.w.Store().Rebuild(t.Context())) // what is derived is lost
	x.reopen()
	x.refresh()
	if got := x.place(m).Since; !got.Equal(first) {
		t.Errorf("after a rebuild: since %v, want %v", got, first)
	}
	hit := func() memory.Hit { h, _ := x.w.View().Get(m.UUID); return h }
	if c := hit().Confidence(); c != m.Confidence*0.5 {
		t.Errorf("confidence %v", c)
	}
	x.git("checkout", "-q", "auth/token.go")
	x.refresh()
	if p := x.place(m); p.State != anchor.Fresh || !p.Since.IsZero() {
		t.Errorf("healed: %+v", p)
	}
	if c := hit().Confidence(); c != m.Confidence {
		t.Errorf("confidence %v after it healed", c)
	}
	if left, err := x.w.State().Receipts().Stale(t.Context(), x.w.Place().WorktreeID); err != nil || len(left) != 0 {
		t.Errorf("notes left: %v %v", left, err)
	}
}

// TestRecall finds a memory under the path that its code went to, in a process
// of its own that resolves nothing.
func TestRecall(t *testing.T) {
	x, now := moved(t)
	p := now()
	for path, want := range map[string]int{"auth/check.go": 1, "auth/token.go": 1, "auth/": 1, "cmd/main.go": 0} {
		r, err := x.w.Recaller().Recall(t.Context(), memory.Query{Paths: []string{path}})
		must.OK(t, err)
		if len(r.Hits) != want {
			t.Errorf("%s: %d hits, want %d", path, len(r.Hits), want)
		}
		for _, h := range r.Hits {
			if s := h.Freshness(); s.State != anchor.Followed {
				t.Errorf("%s: %+v", path, s)
			}
		}
	}
	if hits := x.w.View().Anchored("auth/check.go"); len(hits) != 1 || hits[0].Memory.UUID != p.Memory {
		t.Errorf("the view: %+v", hits)
	}
}

// TestLive has texts that are not saved.
func TestLive(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	x.remember("auth/token.go#Validate")
	x.refresh()
	for name, c := range map[string]struct {
		text  string
		state anchor.State
	}{
		"saved":   {head + validate + other, anchor.Fresh},
		"moved":   {head + other + validate, anchor.Fresh},
		"edited":  {head + edited() + other, anchor.Drifted},
		"renamed": {head + strings.ReplaceAll(validate, "Validate", "Check") + other, anchor.Followed},
		"deleted": {head + other, anchor.Orphaned},
	} {
		live, err := x.ResolveText(t.Context(), Text("auth/token.go", []byte(c.text), nil))
		must.OK(t, err)
		if len(live) != 1 || live[0].State != c.state {
			t.Errorf("%s: %+v", name, live)
			continue
		}
		if c.state != anchor.Orphaned && !strings.HasPrefix(c.text[live[0].Start:live[0].End], "func ") {
			t.Errorf("%s: at %q", name, c.text[live[0].Start:live[0].End])
		}
	}
	if p := x.All(); len(p) != 1 || p[0].State != anchor.Fresh {
		t.Errorf("a text changed what is kept: %+v", p)
	}
}

// TestLiveFollowed has an open file that an anchor was followed into.
func TestLiveFollowed(t *testing.T) {
	x, now := moved(t)
	now()
	text := head + "var x = 1\n\n" + strings.ReplaceAll(edited(), "Validate", "ValidateToken")
	live, err := x.ResolveText(t.Context(), Text("auth/check.go", []byte(text), nil))
	must.OK(t, err)
	if len(live) != 1 || live[0].State != anchor.Followed || !strings.HasPrefix(text[live[0].Start:], "func ValidateToken") {
		t.Errorf("%+v", live)
	}
}

// TestMoved has what only an editor can know.
func TestMoved(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.refresh()
	text := head + "func Wholly() string { return \"different\" }\n"
	x.write("auth/token.go", head+other)
	x.write("auth/new.go", text)
	must.OK(t, x.Moved(t.Context(), EditorMove{Memory: m.UUID, Path: "auth/new.go", Text: []byte(text), Lines: anchor.LineRange{Start: 3, End: 3}, Symbol: "Wholly"}))
	x.refresh()
	if p := x.want(m, anchor.Followed, "auth/new.go", "Wholly"); p.Line != 3 {
		t.Errorf("line %d", p.Line)
	}
	x.write("auth/new.go", head) // the file is another one: the receipt says nothing
	x.refresh()
	x.want(m, anchor.Orphaned, "auth/token.go", "Validate")
}

// TestMovedLive holds that what an editor saw counts for the texts in editors too:
// at once, for what is typed later, and no more when the file is another one.
func TestMovedLive(t *testing.T) {
	const wholly = "func Wholly() string {\n\treturn \"different\"\n}\n"
	for _, path := range []string{"auth/token.go", "auth/new.go"} {
		t.Run(path, func(t *testing.T) {
			x := newWorld(t)
			x.write("auth/token.go", head+validate+other)
			x.commit("one")
			m := x.remember("auth/token.go#Validate")
			x.refresh()
			text := head + wholly
			x.write("auth/token.go", head)
			x.write(path, text)
			resolve := func(text string) []LiveAnchor {
				live, err := x.ResolveText(t.Context(), Text(path, []byte(text), nil))
				must.OK(t, err)
				return live
			}
			for _, l := range resolve(text) {
				if l.State != anchor.Orphaned {
					t.Fatalf("before: %+v", l)
				}
			}
			must.OK(t, x.Moved(t.Context(), EditorMove{Memory: m.UUID, Path: path, Text: []byte(text), Lines: anchor.LineRange{Start: 3, End: 5}, Symbol: "Wholly"}))
			typed := head + "// Typed later.\nvar x = 1\n\n" + strings.Replace(wholly, "different", "another", 1)
			for _, c := range []struct {
				text string
				want anchor.State
			}{{text, anchor.Followed}, {typed, anchor.Drifted}} {
				live := resolve(c.text)
				if len(live) != 1 || live[0].State != c.want || live[0].Memory != m.UUID || !strings.HasPrefix(c.text[live[0].Start:], "func Wholly") {
					t.Errorf("%s: %+v", c.want, live)
				}
			}
			x.refresh()
			if live := resolve(text); len(live) != 1 || live[0].State != anchor.Followed {
				t.Errorf("after a refresh: %+v", live)
			}
			x.write(path, head)
			x.refresh()
			for _, l := range resolve(head) {
				if l.State != anchor.Orphaned {
					t.Errorf("in another text: %+v", l)
				}
			}
		})
	}
}

// TestSince compares a revision with the files as they are.
func TestSince(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.write("other.go", head+other)
	x.commit("one")
	first := x.head()
	m := x.remember("auth/token.go#Validate")
	x.remember("other.go#Refresh")
	x.commit("remember")
	x.write("auth/token.go", head+other)
	x.commit("delete")
	second := x.head()
	x.refresh()
	turns, err := x.Since(t.Context(), first)
	must.OK(t, err)
	if len(turns) != 1 || turns[0].Now.Memory != m.UUID || !turns[0].Worse() || turns[0].Was.State != anchor.Fresh {
		t.Errorf("since the first: %+v", turns)
	}
	if turns, err = x.Since(t.Context(), second); err != nil || len(turns) != 0 {
		t.Errorf("since the second: %+v %v", turns, err)
	}
	then, places, err := x.At(t.Context(), m, first)
	must.OK(t, err)
	if then.UUID != m.UUID || len(places) != 1 || places[0].State != anchor.Fresh || places[0].Line != 4 {
		t.Errorf("at the first: %+v", places)
	}
}

// TestSinceReadsWhatDiffers: a comparison with a revision looks into the files that differ from it, however many have anchors and
// were edited since those were recorded.
func TestSinceReadsWhatDiffers(t *testing.T) {
	x := newWorld(t)
	name := func(i int) string { return fmt.Sprintf("auth/token%d.go", i) }
	write := func(from int, text string) {
		for i := from; i < 12; i++ {
			x.write(name(i), head+text+other)
		}
	}
	write(0, validate)
	x.commit("one")
	for i := range 12 {
		x.remember(name(i) + "#Validate")
	}
	write(0, "// More.\n\n"+validate)
	x.commit("edit all")
	second := x.head()
	write(11, "")
	x.commit("delete one")
	x.refresh()
	read := map[string]bool{}
	turns, err := x.Since(fault.WithProbe(t.Context(), func(_, path string) { read[path] = true }), second)
	must.OK(t, err)
	if len(turns) != 1 || turns[0].Was.Path != name(11) || !turns[0].Worse() {
		t.Errorf("since the second: %+v", turns)
	}
	if len(read) != 1 || !read[name(11)] {
		t.Errorf("read were %v", slices.Sorted(maps.Keys(read)))
	}
}

// TestSettledMeanwhile has two people settle one memory.
func TestSettledMeanwhile(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.write("auth/token.go", head+edited()+other)
	one, err := x.Propose(t.Context(), Request{Memory: m.UUID, Act: StillTrue, Index: -1})
	must.OK(t, err)
	two, err := x.Propose(t.Context(), Request{Memory: m.UUID, Act: Detach, Index: -1})
	must.OK(t, err)
	if r, err := x.Apply(t.Context(), one); err != nil || !r.Accepted || r.Memory.Lineage.Version != 2 {
		t.Fatalf("%+v %v", r, err)
	}
	x.want(m, anchor.Fresh, "auth/token.go", "Validate")
	if r, err := x.Apply(t.Context(), two); err == nil {
		t.Errorf("the second was written: %+v", r)
	}
}

// TestHistory has a function that is renamed in one commit and rewritten in
// others: the ends have little in common.
func TestHistory(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.commit("remember")
	text := strings.ReplaceAll(validate, "Validate", "Inspect")
	x.write("auth/token.go", head+text+other)
	x.commit("rename")
	for _, change := range [][2]string{
		{"\tparts := strings.Split(token, \".\")\n\tif len(parts) != 3 {\n", "\tparts, ok := fields(token)\n\tif !ok {\n"},
		{"json.Unmarshal([]byte(parts[1]), &claims); err != nil", "s.codec.Decode(parts.Payload, &claims); err != nil"},
		{"\tif claims.Expiry < now {\n\t\treturn claims, errors.New(\"expired token\")\n\t}\n", "\tif !s.window.Holds(claims, now) {\n\t\ts.metrics.Expired.Inc()\n\t\treturn Claims{}, ErrExpired\n\t}\n"},
		{"errors.New(\"malformed token\")", "ErrMalformed"},
		{"(token string, now int64) (claims Claims, err error)", "(ctx context.Context, s *Store, token Token) (claims Claims, err error)"},
		{"\treturn claims, nil\n", "\ts.log.Info(ctx, claims.Subject)\n\ts.seen.Add(claims.ID)\n\tfor _, hook := range s.hooks {\n\t\thook.Inspected(ctx, claims)\n\t}\n\treturn claims, nil\n"},
		{"\tparts, ok := fields(token)\n\tif !ok {\n\t\treturn claims, ErrMalformed\n", "\tparts, err := token.Parts()\n\tif err != nil {\n\t\ts.metrics.Malformed.Inc()\n\t\treturn Claims{}, err\n"},
	} {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("%q is not in the code", change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
		x.write("auth/token.go", head+text+other)
		x.commit("edit")
	}
	x.refresh()
	p := x.want(m, anchor.Followed, "auth/token.go", "Inspect")
	if p.Rung != rungHistory {
		t.Errorf("found on rung %q", p.Rung)
	}
	x.write("auth/token.go", head+other)
	x.commit("delete")
	x.refresh()
	x.want(m, anchor.Orphaned, "auth/token.go", "Validate")
	x.write("auth/z.go", head)
	x.commit("something else")
	if r := x.refresh(); r.Resolved != 1 {
		t.Errorf("%+v", r)
	}
}

// TestLineEnds has git turn the ends of lines round in the working tree.
func TestLineEnds(t *testing.T) {
	x := newWorld(t)
	x.git("config", "core.autocrlf", "true")
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	x.write("auth/token.go", crlf(head+validate+other))
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	cited := x.remember("auth/token.go:6-8")
	x.refresh()
	x.want(m, anchor.Fresh, "auth/token.go", "Validate")
	x.write("auth/token.go", crlf(head+other))
	x.write("auth/check.go", crlf(head+strings.ReplaceAll(edited(), "Validate", "ValidateToken")))
	x.refresh()
	x.want(m, anchor.Followed, "auth/check.go", "ValidateToken") // too little like it for the record alone
	if p := x.place(cited); p.Path != "auth/check.go" || p.State != anchor.Followed {
		t.Errorf("cited lines: %+v", p)
	}
}
