package recipe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"manicule/memory/episode"
)

// project builds a history: each commit has the files that it writes, and their content.
type project struct {
	commits []Commit // oldest first
	state   []map[string]string
}

func (p *project) commit(subject string, files ...string) {
	now, c := map[string]string{}, Commit{ID: fmt.Sprint(len(p.commits)), At: int64(len(p.commits)+1) * day, Subject: subject}
	if n := len(p.state); n > 0 {
		for name, text := range p.state[n-1] {
			now[name] = text
		}
	}
	for _, f := range files {
		name, text, _ := strings.Cut(f, "=")
		if _, known := now[name]; known {
			c.Changed = append(c.Changed, name)
		} else {
			c.Added = append(c.Added, name)
		}
		now[name] += text
	}
	p.commits, p.state = append(p.commits, c), append(p.state, now)
}

func (p *project) find(sessions ...episode.Episode) []episode.Procedure {
	at := func(c *Commit, back int) map[string]string {
		i := slices.IndexFunc(p.commits, func(x Commit) bool { return x.ID == c.ID }) - back
		if i < 0 {
			return nil
		}
		return p.state[i]
	}
	h := History{Commits: slices.Clone(p.commits), Before: func(c *Commit, f string) string { return at(c, 1)[f] }, After: func(c *Commit, f string) string { return at(c, 0)[f] },
		Exists: func(f string) bool { _, ok := p.state[len(p.state)-1][f]; return ok }}
	slices.Reverse(h.Commits)
	return Find(h, sessions)
}

func whats(p episode.Procedure) string {
	var out []string
	for _, s := range p.Steps {
		out = append(out, s.Line())
	}
	return strings.Join(out, " ")
}

// commands is a history in which new commands are registered, and all but one documented.
func commands() *project {
	p := &project{}
	p.commit("Begin", "app/registry.go=", "README.md=", "other/x.go=")
	for i, name := range []string{"list-all", "show-one", "remove-it", "import-data", "export-data"} {
		files := []string{"app/commands/" + name + ".go=", "app/registry.go=" + strings.ReplaceAll(name, "-", "_"), "README.md=more", "other/x.go=y"}
		if i != 2 {
			files = append(files, "docs/cli/"+name+".md=")
		}
		p.commit("Add the command "+name, files...)
		p.commit("Say more", "README.md=more")
	}
	return p
}

// TestAddition: what names each new file is a step, what only changes with it is none; sessions that did so count, with their check.
func TestAddition(t *testing.T) {
	did := func(id string, outcome episode.Outcome, files ...string) episode.Episode {
		e := episode.Episode{Session: id, Task: "add it", Outcome: outcome}
		for _, f := range files {
			act := episode.Edit
			if strings.Contains(f, "commands/") {
				act = episode.Create
			}
			e.Approach = append(e.Approach, episode.Step{Act: act, What: f, Times: 1})
		}
		e.Approach = append(e.Approach, episode.Step{Act: episode.Run, What: "go test ./...", Key: "go test", Check: true, Times: 1})
		return e
	}
	list := commands().find(did("a", episode.Success, "app/commands/new.go", "app/registry.go"), did("b", episode.Failure, "app/commands/newer.go", "app/registry.go"), did("c", episode.Success, "app/commands/alone.go"))
	if len(list) != 1 {
		t.Fatalf("%d recipes: %+v", len(list), list)
	}
	p := list[0]
	if want := "Add `app/commands/NAME.go`. Edit `app/registry.go`. Add `docs/cli/NAME.md` (4 of 5). Run `go test`."; whats(p) != want {
		t.Errorf("got  %s\nwant %s", whats(p), want)
	}
	if p.Trigger != "Add a command: `app/commands/NAME.go`" || p.Commits != 5 || !slices.Contains(p.Words, "command") {
		t.Errorf("%+v", p)
	}
	if p.Successes != 1 || p.Failures != 1 || len(p.Sessions) != 2 {
		t.Errorf("%d worked, %d failed in %v", p.Successes, p.Failures, p.Sessions)
	}
}

// TestNoRecipe: histories that show nothing a person would write down.
func TestNoRecipe(t *testing.T) {
	for name, build := range map[string]func(p *project, i int, word string){
		"on one day": func(p *project, _ int, w string) {
			p.commit("Add "+w, "cmd/"+w+".go=", "list.txt="+w)
			p.commits[len(p.commits)-1].At = day
		},
		"a test alone":              func(p *project, _ int, w string) { p.commit("Add "+w, "src/"+w+".ts=", "src/"+w+".test.ts=") },
		"a module that Rust wants":  func(p *project, _ int, w string) { p.commit("Add "+w, "src/"+w+".rs=", "src/main.rs="+w) },
		"a user in the same folder": func(p *project, _ int, w string) { p.commit("Add "+w, "ui/"+w+".tsx=", "ui/Panel.tsx="+w) },
		"the log of changes":        func(p *project, _ int, w string) { p.commit("Add "+w, "src/"+w+".go=", "CHANGELOG.md="+w) },
		"names that are not told":   func(p *project, _ int, w string) { p.commit("Add "+w, "cmd/"+w+".go=", "list.txt=another line") },
		"a bulk": func(p *project, _ int, w string) {
			files := []string{"cmd/" + w + ".go=", "list.txt=" + w}
			for n := range maxTouched {
				files = append(files, fmt.Sprint("bulk/", w, n, "="))
			}
			p.commit("Add "+w, files...)
		},
	} {
		p := &project{}
		p.commit("Begin", "list.txt=", "src/main.rs=", "ui/Panel.tsx=", "CHANGELOG.md=")
		for i, w := range []string{"alpha", "bravo", "charlie", "delta", "echoes"} {
			build(p, i, w)
			p.commit("Something else", "x.md=")
		}
		if list := p.find(); len(list) > 0 {
			t.Errorf("%s: %s", name, list[0].Text())
		}
	}
}

// TestSpread: a name that a schema gets goes to what is generated from it; the schema is where it begins.
func TestSpread(t *testing.T) {
	p := &project{}
	p.commit("Begin", "api/schema.graphql=", "gen/models.go=// Code generated by x. DO NOT EDIT.\n", "notes.txt=")
	for _, w := range []string{"alphaField", "bravoField", "charlieField", "deltaField", "echoField"} {
		p.commit("Add "+w, "api/schema.graphql="+w+"\n", "gen/models.go="+w+"\n", "notes.txt=more ")
		p.commit("Something else", "notes.txt=more ")
	}
	list := p.find()
	if len(list) != 1 || list[0].On != "api/schema.graphql" {
		t.Fatalf("%+v", list)
	}
	if want := "Edit `api/schema.graphql`. Generate `gen/models.go` again."; whats(list[0]) != want {
		t.Errorf("got  %s\nwant %s", whats(list[0]), want)
	}
}

// TestPatterns: what stands for the star.
func TestPatterns(t *testing.T) {
	for file, want := range map[string]string{
		"a/b.test.ts":     "a/*.test.ts b, */b.test.ts a",
		"tests/test_x.py": "tests/test_*.py x, */test_x.py tests",
		"Makefile":        "* Makefile",
		"db/001_a.up.sql": "db/*.up.sql 001_a, */001_a.up.sql db",
	} {
		var got []string
		for _, p := range patterns(file) {
			got = append(got, p.path+" "+p.star)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %v, want %s", file, got, want)
		}
	}
	if plain("0012_Add-User.Table") != "addusertable" {
		t.Error(plain("0012_Add-User.Table"))
	}
}
