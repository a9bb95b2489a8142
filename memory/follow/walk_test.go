package follow

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/memory"
)

// namesake has the name of validate and some of its code, for another purpose.
const namesake = `package form

func Validate(token string, now int64) (claims Claims, err error) {
	fields := strings.Split(token, ".")
	if len(fields) == 0 {
		return claims, errors.New("empty form")
	}
	for _, f := range fields {
		if !known[f] {
			return claims, fmt.Errorf("unknown field %s at %d", f, now)
		}
	}
	return claims, nil
}
`

// TestNoResurrection has a function that is deleted, and one of the same name that
// comes elsewhere much later.
func TestNoResurrection(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.commit("remember")
	x.write("auth/token.go", head+other)
	x.commit("delete")
	for i := range 3 {
		x.write("auth/other.go", fmt.Sprintf("%s\nvar n = %d\n", head, i))
		x.commit("something else")
	}
	x.write("form/form.go", namesake)
	x.commit("a namesake")
	x.refresh()
	p := x.want(m, anchor.Orphaned, "auth/token.go", "Validate")
	if p.Suggestion == nil || p.Suggestion.Path != "form/form.go" {
		t.Errorf("suggested %+v", p.Suggestion)
	}
}

// TestNamesakeInOneCommit has a function deleted in the same commit in which one of its name comes
// elsewhere: the walk of that one step is as unsure as the jump over it. Another clone, and a
// machine that looks again later, say the same.
func TestNamesakeInOneCommit(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.commit("remember")
	x.write("auth/token.go", head+other)
	x.write("form/form.go", namesake)
	x.commit("delete, and a namesake")
	for _, what := range []string{"at once", "a commit later"} {
		x.refresh()
		p := x.want(m, anchor.Orphaned, "auth/token.go", "Validate")
		if p.Suggestion == nil || p.Suggestion.Path != "form/form.go" || p.Suggestion.Confidence >= sureFollowed {
			t.Errorf("%s: suggested %+v", what, p.Suggestion)
		}
		x.write("auth/z.go", head+"// "+what+"\n")
		x.commit("something else")
	}
}

// TestBackAgain has a deletion that is taken back.
func TestBackAgain(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.commit("remember")
	x.write("auth/token.go", head+other)
	x.commit("delete")
	x.refresh()
	x.want(m, anchor.Orphaned, "auth/token.go", "Validate")
	x.write("auth/token.go", head+edited()+other)
	x.commit("back, and edited")
	x.refresh()
	x.want(m, anchor.Drifted, "auth/token.go", "Validate")
}

// walks rewrites a renamed function step by step, and calls each before every step.
func (x *world) walks(each func(step int)) {
	text := strings.ReplaceAll(validate, "Validate", "Inspect")
	x.write("auth/token.go", head+text+other)
	x.commit("rename")
	each(0)
	lines := strings.Split(text, "\n")
	for i := range len(lines) - 5 {
		lines[i+2] = fmt.Sprintf("\ts.step%d(ctx, store.At(%d), options[%d].Name)", i, i*7, i%3)
		if i%2 == 0 {
			continue
		}
		x.write("auth/token.go", head+"func Inspect(token string, now int64) (claims Claims, err error) {\n"+strings.Join(lines[2:len(lines)-3], "\n")+"\n}\n"+other)
		x.commit("edit")
		each(i + 1)
	}
}

// TestAnyClone has one machine look at every commit and another only at the last:
// both say the same.
func TestAnyClone(t *testing.T) {
	if testing.Short() {
		t.Skip("in the whole form only")
	}
	const at = "auth/token.go"
	lost := func(x *world) {
		x.write(at, head+other)
		x.commit("delete")
		x.refresh()
		x.write("auth/z.go", head)
		x.commit("something else")
		x.refresh()
	}
	for name, tc := range map[string]struct {
		anchor       string
		change       func(x *world)
		state        anchor.State
		path, symbol string
	}{
		"renamed and rewritten": {at + "#Validate", func(x *world) { x.walks(func(int) { x.refresh() }) }, anchor.Followed, at, "Inspect"},
		"moved, then rewritten": {at + "#Validate", func(x *world) {
			x.git("mv", at, "auth/old.go")
			x.commit("move")
			x.refresh()
			x.git("mv", "auth/old.go", at)
			x.commit("move back")
			x.refresh()
			x.walks(func(int) { x.refresh() })
		}, anchor.Followed, at, "Inspect"},
		"lost": {at + "#Validate", lost, anchor.Orphaned, at, "Validate"},
		"lost, and a namesake": {at + "#Validate", func(x *world) {
			lost(x)
			x.write("form/form.go", namesake)
			x.commit("a namesake")
			x.refresh()
		}, anchor.Orphaned, at, "Validate"},
		"lost, and back by other steps": {at + "#Validate", func(x *world) {
			lost(x)
			x.walks(func(int) { x.refresh() })
		}, anchor.Followed, at, "Inspect"},
		"lines of it": {at + ":5-10", func(x *world) { x.walks(func(int) { x.refresh() }) }, anchor.Followed, at, "Inspect"},
	} {
		t.Run(name, func(t *testing.T) {
			x := newWorld(t)
			x.write(at, head+validate+other)
			x.commit("one")
			m := x.remember(tc.anchor)
			x.commit("remember")
			tc.change(x)
			p := x.place(m)
			x.want(m, tc.state, tc.path, tc.symbol)
			if n := p.EndLine - p.Line + 1; strings.HasSuffix(tc.anchor, ":5-10") && n != 6 {
				t.Errorf("of six lines %d: %d to %d", n, p.Line, p.EndLine)
			}
			y := &world{t: t, root: filepath.Join(t.TempDir(), "clone")}
			x.git("clone", "-q", "--no-local", ".", y.root)
			y.open(t.TempDir())
			y.refresh()
			if q := y.place(m); !same(p.Place, q.Place) {
				t.Errorf("here %+v\nin the clone %+v", p.Place, q.Place)
			}
		})
	}
}

// TestAsSureAsItsSteps: a walk is as sure as the least sure step in which the code got another
// place. Edits in place do not count.
func TestAsSureAsItsSteps(t *testing.T) {
	x, m := recordedWorld(t)
	least := 1.0
	x.walks(func(step int) {
		if step == 0 {
			least = x.inHead(m).Confidence
		}
	})
	if r := x.inHead(m); r.Rung != rungHistory || r.Confidence != least || least == 1 {
		t.Errorf("sure %v by %s, the renaming %v", r.Confidence, r.Rung, least)
	}
}

// TestNoWalkInAHurry has a look that leaves history out, and keeps nothing.
func TestNoWalkInAHurry(t *testing.T) {
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.commit("remember")
	x.walks(func(int) {})
	hit, err := x.w.Get(t.Context(), m.UUID)
	must.OK(t, err)
	soon, err := x.LocateFast(t.Context(), []memory.Hit{hit})
	must.OK(t, err)
	if p := soon[0].Places[0]; p.Rung == rungHistory {
		t.Errorf("it went along the commits: %+v", p)
	}
	x.refresh()
	if p := x.want(m, anchor.Followed, "auth/token.go", "Inspect"); p.Rung != rungHistory {
		t.Errorf("found on rung %q", p.Rung)
	}
}
