package learn

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"manicule/hooks/eventlog"
	"manicule/memory/episode"
	"manicule/memory/store"
)

// release is a session with the task of a release; ok is whether its check passed.
func (p *place) release(session, version string, ok bool) {
	p.t.Helper()
	id := 0
	call := func(tool, class, command string, ok bool, paths ...string) []eventlog.Record {
		id++
		c := eventlog.Call{Tool: tool, Class: class, ID: fmt.Sprint(session, id), Command: command, Paths: paths}
		after := c
		after.OK = &ok
		kind := "post_tool"
		if !ok {
			kind, after.Error = "post_tool_failure", "Exit code 1\nthe changelog has no entry"
		}
		return []eventlog.Record{{Kind: "pre_tool", Calls: []eventlog.Call{c}}, {Kind: kind, Calls: []eventlog.Call{after}}}
	}
	list := []eventlog.Record{{Kind: "prompt", Prompt: "Please prepare the release of version " + version}}
	list = append(list, call("Read", "read", "", true, p.w.Root()+"/CHANGELOG.md")...)
	list = append(list, call("Edit", "edit", "", true, p.w.Root()+"/CHANGELOG.md")...)
	list = append(list, call("Edit", "edit", "", true, p.w.Root()+"/version.go")...)
	list = append(list, call("Bash", "shell", "make release-check", ok)...)
	p.log(session, append(list, end())...)
}

// other is a session with a task of its own.
func (p *place) other(session, task, file string) {
	p.t.Helper()
	p.log(session, eventlog.Record{Kind: "prompt", Prompt: task},
		eventlog.Record{Kind: "pre_tool", Calls: []eventlog.Call{{Tool: "Edit", Class: "edit", ID: session, Paths: []string{p.w.Root() + "/" + file}}}},
		eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Edit", Class: "edit", ID: session, Paths: []string{p.w.Root() + "/" + file}}}}, end())
}

// TestProcedureOfEpisodes: of ten sessions four release a version in the same way. One procedure is proposed, once; what a
// person accepted is counted by later sessions; a way that failed is no success.
func TestProcedureOfEpisodes(t *testing.T) {
	p := newPlace(t)
	learned := func() []Outcome {
		t.Helper()
		out := must(Pending(t.Context(), p.options(), 0))(t)
		p.now = p.now.Add(25 * time.Hour)
		return out
	}
	tasks := []string{"Explain how the parser reads numbers", "Add a flag for colours to the printer", "The login page is blank in Safari", "Rename the cache package", "Make the index faster on Windows", "Translate the manual into German"}
	for i, task := range tasks {
		p.other(fmt.Sprintf("other-%d", i), task, fmt.Sprintf("src/%c.go", 'a'+i))
		learned()
	}
	var last []Outcome
	for i := range 4 {
		p.release(fmt.Sprintf("release-%d", i), fmt.Sprintf("1.%d.0", i), true)
		last = learned()
	}
	if n := must(p.w.State().Episodes().Count(t.Context()))(t); n.All != 10 || n.Fallbacks != 0 || n.Checked != 4 || n.FirstPass != 4 {
		t.Fatalf("counts %+v of %+v", n, must(p.w.State().Episodes().Latest(t.Context(), 10))(t))
	}
	if len(last) != 1 || len(last[0].Procedures) != 1 || !last[0].Procedures[0].Accepted {
		t.Fatalf("proposed %+v", last)
	}
	m := last[0].Procedures[0].Memory
	for _, want := range []string{"prepare the release", "Edit `CHANGELOG.md`", "Edit `version.go`", "Run `make release-check`"} {
		if !strings.Contains(m.What, want) {
			t.Errorf("%q is not in %q", want, m.What)
		}
	}
	if d, err := m.ReadDetails(); err != nil || len(d.Steps) != 3 || d.Steps[0].File != "CHANGELOG.md" || d.Steps[2].Do != "Run `make release-check`." {
		t.Errorf("steps %+v, %v", d.Steps, err)
	}
	if !strings.Contains(string(m.Details), `"recipe"`) {
		t.Errorf("no recipe in %s", m.Details)
	}
	row := func() store.ProcedureRow {
		t.Helper()
		rows := must(p.w.State().Episodes().Procedures(t.Context()))(t)
		if len(rows) != 1 {
			t.Fatalf("%d procedures", len(rows))
		}
		return rows[0]
	}
	if r := row(); r.UUID != m.UUID || r.Successes != 4 || r.Failures != 0 || r.Verdict != "" {
		t.Fatalf("%+v", r)
	}
	must(p.w.Decisions().Accept(t.Context(), m.UUID))(t)
	// The next ones count, and the same session again counts once.
	p.release("release-4", "1.4.0", true)
	learned()
	p.release("release-5", "1.5.0", false)
	learned()
	if n := must(p.w.State().Episodes().Count(t.Context()))(t); n.Checked != 6 || n.FirstPass != 5 {
		t.Errorf("of %d sessions with checks %d passed at once, want 5 of 6", n.Checked, n.FirstPass)
	}
	if r := row(); r.Successes != 5 || r.Verdict != store.VerdictAccepted {
		t.Errorf("after a success and a failure: %+v", r)
	}
	p.log("release-4", eventlog.Record{Kind: "prompt", Prompt: "Anything else?"}, end())
	learned()
	uses := must(p.w.State().Episodes().ProcedureUses(t.Context(), m.UUID))(t)
	if len(uses) != 6 {
		t.Errorf("uses %+v", uses)
	}
	if r := row(); r.Successes != 5 {
		t.Errorf("the same session counted twice: %+v", r)
	}
	// Ten more sessions don't propose it again.
	for i := range 10 {
		p.release(fmt.Sprintf("more-%d", i), fmt.Sprintf("2.%d.0", i), true)
		for _, o := range learned() {
			if len(o.Procedures) > 0 {
				t.Errorf("proposed again: %s", o.Procedures[0].Memory.What)
			}
		}
	}
	if r := row(); r.Successes != 15 || !episode.Sustained(r.Successes, r.Failures) {
		t.Errorf("%+v", r)
	}
}

// TestEpisodeHasNoSecret: what looks like a secret is in no episode.
func TestEpisodeHasNoSecret(t *testing.T) {
	p := newPlace(t)
	token := "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	p.log("s", eventlog.Record{Kind: "prompt", Prompt: "Set the token " + token + " in the deploy script"},
		eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Bash", Class: "shell", ID: "1", Command: "deploy set " + token}}}, end())
	must(Pending(t.Context(), p.options(), 0))(t)
	list := must(p.w.State().Episodes().Latest(t.Context(), 10))(t)
	if len(list) != 1 || strings.Contains(fmt.Sprintf("%+v", list), token) {
		t.Fatalf("%+v", list)
	}
}

// TestWayOfThisSession: the tenth session proposes the way that it went itself, if sessions had it in common, and what commits show
// otherwise.
func TestWayOfThisSession(t *testing.T) {
	for name, last := range map[string]bool{"a release": true, "something else": false} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			shown := episode.Procedure{Key: "commits", Trigger: "add a command", On: "src/*.go", Commits: 6,
				Steps: []episode.ProcedureStep{{ID: "add src/*.go", Act: episode.Create, What: "src/*.go", In: 6}, {ID: "edit docs/cli.md", Act: episode.Edit, What: "docs/cli.md", In: 6}}}
			o := p.options()
			o.Recipes = func(context.Context, []episode.Episode) []episode.Procedure { return []episode.Procedure{shown} }
			var proposed []string
			learned := func() {
				t.Helper()
				for _, out := range must(Pending(t.Context(), o, 0))(t) {
					for _, r := range out.Procedures {
						proposed = append(proposed, r.Memory.What)
					}
				}
				p.now = p.now.Add(25 * time.Hour)
				o.Now = p.options().Now
			}
			releases := func() {
				for i := range 4 {
					p.release(fmt.Sprintf("release-%d", i), fmt.Sprintf("1.%d.0", i), true)
					learned()
				}
			}
			if !last {
				releases()
			}
			for i, task := range []string{"Explain how the parser reads numbers", "Add a flag for colours to the printer", "The login page is blank in Safari", "Rename the cache package", "Make the index faster on Windows", "Translate the manual into German"} {
				p.other(fmt.Sprintf("other-%d", i), task, fmt.Sprintf("src/%c.go", 'a'+i))
				learned()
			}
			if last {
				releases()
			}
			if len(proposed) != 1 || strings.Contains(proposed[0], "release") != last {
				t.Errorf("proposed %q", proposed)
			}
		})
	}
}
