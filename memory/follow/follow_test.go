package follow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/secret/full"
)

// world is a repository with a workspace in it.
type world struct {
	t    testing.TB
	root string
	w    *memory.Workspace
	*Tracker
	now     *time.Time
	options memory.Options
}

func newWorld(t testing.TB, env ...string) *world {
	t.Helper()
	x := &world{t: t, root: filepath.Join(t.TempDir(), "repo")}
	must.OK(t, os.MkdirAll(x.root, 0o755))
	x.git("init", "-q", "-b", "main")
	x.open(t.TempDir())
	return x
}

// open opens the workspace with these homes.
func (x *world) open(home string) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	x.now = &now
	getenv := func(k string) string {
		switch k {
		case "HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR":
			return home
		}
		return ""
	}
	x.options = memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: x.root, Env: workspace.Env{Getenv: getenv, Random: strings.NewReader(strings.Repeat("0123456789abcdef", 99))},
		Now: func() time.Time { return *x.now }, User: "ada", Scopes: &scope.Options{}}
	w, err := memory.Open(x.options)
	must.OK(x.t, err)
	x.w, x.Tracker = w, Open(w)
	x.t.Cleanup(func() {
		must.OK(x.t, x.Tracker.Close())
		must.OK(x.t, w.Close())
	})
}

// reopen is another process.
func (x *world) reopen() {
	x.t.Helper()
	must.OK(x.t, x.Tracker.Close())
	must.OK(x.t, x.w.Close())
	w, err := memory.Open(x.options)
	must.OK(x.t, err)
	x.w, x.Tracker = w, Open(w)
	x.t.Cleanup(func() { must.OK(x.t, w.Close()) })
}

func (x *world) git(args ...string) string {
	x.t.Helper()
	return gittest.Git(x.t, x.root, args...)
}

func (x *world) tryGit(args ...string) (string, error) {
	return gittest.Try(x.t, x.root, args...)
}

func (x *world) write(path, text string) {
	x.t.Helper()
	must.Write(x.t, filepath.Join(x.root, filepath.FromSlash(path)), text)
}

func (x *world) commit(msg string) {
	x.t.Helper()
	x.git("add", "-A")
	x.git("commit", "-qm", msg)
}

// head is the commit that is checked out.
func (x *world) head() string { return x.git("rev-parse", "HEAD") }

func (x *world) remember(at ...string) *file.Memory {
	x.t.Helper()
	for i, a := range at {
		at[i] = filepath.Join(x.root, filepath.FromSlash(a))
	}
	r, err := x.w.Remember(x.t.(interface{ Context() context.Context }).Context(), memory.Draft{What: "what holds at " + fmt.Sprint(at), At: at})
	must.OK(x.t, err)
	if !r.Accepted {
		x.t.Fatal(r.Reason)
	}
	return r.Memory
}

func (x *world) refresh() Report {
	x.t.Helper()
	r, err := x.Refresh(x.t.(interface{ Context() context.Context }).Context())
	must.OK(x.t, err)
	return r
}

// place is the only anchor of a memory.
func (x *world) place(m *file.Memory) Place {
	x.t.Helper()
	of := x.Of(m.UUID)
	if len(of) != 1 {
		x.t.Fatalf("%d anchors", len(of))
	}
	return of[0]
}

func (x *world) want(m *file.Memory, state anchor.State, path, symbol string) Place {
	x.t.Helper()
	p := x.place(m)
	if p.State != state || p.Path != path || p.Symbol != symbol {
		x.t.Errorf("%s %s#%s (%s), want %s %s#%s", p.State, p.Path, p.Symbol, p.Reason, state, path, symbol)
	}
	return p
}

// validate is a function with enough in it to be known again.
const validate = `// Validate checks a token.
func Validate(token string, now int64) (claims Claims, err error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return claims, errors.New("malformed token")
	}
	if err := json.Unmarshal([]byte(parts[1]), &claims); err != nil {
		return claims, err
	}
	if claims.Expiry < now {
		return claims, errors.New("expired token")
	}
	return claims, nil
}
`

const head = "package auth\n\n"

const other = `
func Refresh(token string) string {
	for i := range 10 {
		token = rotate(token, i)
	}
	return token
}
`

func TestStates(t *testing.T) {
	edited := strings.Replace(validate, `errors.New("expired token")`, `fmt.Errorf("token expired %d ago", now-claims.Expiry)`, 1)
	renamed := strings.ReplaceAll(validate, "Validate", "CheckToken")
	for name, c := range map[string]struct {
		change       func(x *world)
		state        anchor.State
		path, symbol string
	}{
		"nothing":          {func(*world) {}, anchor.Fresh, "auth/token.go", "Validate"},
		"code above":       {func(x *world) { x.write("auth/token.go", head+other+"\n"+validate) }, anchor.Fresh, "auth/token.go", "Validate"},
		"edit":             {func(x *world) { x.write("auth/token.go", head+edited+other) }, anchor.Drifted, "auth/token.go", "Validate"},
		"rename":           {func(x *world) { x.write("auth/token.go", head+renamed+other) }, anchor.Followed, "auth/token.go", "CheckToken"},
		"move":             {func(x *world) { x.git("mv", "auth/token.go", "auth/claims.go") }, anchor.Followed, "auth/claims.go", "Validate"},
		"move without git": {func(x *world) { must.OK(x.t, os.Rename(x.root+"/auth/token.go", x.root+"/auth/claims.go")) }, anchor.Followed, "auth/claims.go", "Validate"},
		"to another file":  {func(x *world) { x.write("auth/token.go", head+other); x.write("auth/check.go", head+validate) }, anchor.Followed, "auth/check.go", "Validate"},
		"rename and edit": {func(x *world) {
			x.write("auth/token.go", head+strings.ReplaceAll(edited, "Validate", "ValidateToken")+other)
		}, anchor.Followed, "auth/token.go", "ValidateToken"},
		"delete":          {func(x *world) { x.write("auth/token.go", head+other) }, anchor.Orphaned, "auth/token.go", "Validate"},
		"delete the file": {func(x *world) { must.OK(x.t, os.Remove(x.root+"/auth/token.go")) }, anchor.Orphaned, "auth/token.go", "Validate"},
		"to an ignored file": {func(x *world) {
			x.write(".gitignore", "gen/\n")
			x.write("auth/token.go", head+other)
			x.write("gen/check.go", head+validate)
		}, anchor.Orphaned, "auth/token.go", "Validate"},
		"to a file of the editor": {func(x *world) { x.write("auth/token.go", head+other); x.write(".manicule/x.go", head+validate) }, anchor.Orphaned, "auth/token.go", "Validate"},
	} {
		for _, commit := range []bool{false, true} {
			if commit && testing.Short() && c.state != anchor.Followed {
				continue // what git tells is of use only where code is followed
			}
			t.Run(fmt.Sprintf("%s/committed=%v", name, commit), func(t *testing.T) {
				x := newWorld(t)
				x.write("auth/token.go", head+validate+other)
				x.commit("one")
				m := x.remember("auth/token.go#Validate")
				x.commit("remember")
				before, err := os.ReadFile(filepath.Join(x.w.Place().MemoriesDir(), filepath.FromSlash(m.RelPath())))
				must.OK(t, err)
				c.change(x)
				if commit {
					x.git("add", "-A")
					x.git("commit", "--allow-empty", "-qm", "two")
				}
				x.refresh()
				x.want(m, c.state, c.path, c.symbol)
				if r := x.refresh(); len(r.Changes) != 0 || r.Resolved != 0 {
					t.Errorf("the second time: %+v", r)
				}
				after, err := os.ReadFile(filepath.Join(x.w.Place().MemoriesDir(), filepath.FromSlash(m.RelPath())))
				must.OK(t, err)
				if string(before) != string(after) {
					t.Error("resolving wrote the memory's file")
				}
			})
		}
	}
}

// TestSettles holds that a look finds nothing new where nothing changed: who is
// told of changes looks again, and would do so for ever.
func TestSettles(t *testing.T) {
	const jobs = "name: build\njobs:\n  lock:\n    runs-on: ubuntu\n    steps:\n      - run: make\n"
	for name, c := range map[string]struct {
		path, text, at, changed string
		record                  func(*anchor.Anchor)
	}{
		"the end of a declaration moves":      {path: "ci.yml", text: jobs, at: "ci.yml#jobs.lock", changed: jobs + "# at the end\n"},
		"a record without lines":              {path: "token.go", text: head + validate, at: "token.go#Validate", changed: head + other + validate, record: func(a *anchor.Anchor) { a.Lines = nil }},
		"a record without lines, as it was":   {path: "token.go", text: head + validate, at: "token.go#Validate", changed: head + validate, record: func(a *anchor.Anchor) { a.Lines = nil }},
		"lines below another function":        {path: "token.go", text: head + validate, at: "token.go:4-6", changed: head + other + validate},
		"lines, and a function around longer": {path: "token.go", text: head + validate, at: "token.go:4-6", changed: head + strings.Replace(validate, "\treturn claims, nil\n", "\tnow++\n\treturn claims, nil\n", 1)},
		"a file":                              {path: "token.go", text: head + validate, at: "token.go", changed: head + other},
	} {
		t.Run(name, func(t *testing.T) {
			x := newWorld(t)
			x.write(c.path, c.text)
			x.commit("one")
			m := x.remember(c.at)
			if c.record != nil {
				c.record(&m.Anchors[0])
				_, err := file.Write(x.w.Place().MemoriesDir(), m)
				must.OK(t, err)
			}
			x.refresh()
			x.write(c.path, c.changed)
			x.refresh()
			for range 2 {
				if r := x.refresh(); len(r.Changes) != 0 {
					t.Errorf("nothing changed: %+v", r.Changes)
				}
			}
			x.reopen()
			if r := x.refresh(); len(r.Changes) != 0 {
				t.Errorf("in another process: %+v", r.Changes)
			}
		})
	}
}
