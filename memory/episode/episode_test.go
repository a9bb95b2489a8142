package episode

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"Please prepare the release of version 1.3.0", "prepar releas version"},
		{"Can you fix the failing tests in src/a/b.go?", "fix fail test"},
		{"see https://example.com/x and commit", "commit"},
		{"RUNNING the committed stories", "run commit story"},
		{"", ""},
		{"Füge eine Prüfung für Größen hinzu", "füg eine prüfung für größen hinzu"},
	} {
		if got := strings.Join(Words(tt.in), " "); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

const day = 24 * 60 * 60 * 1000

func made(n int, task string, outcome Outcome, steps ...Step) Episode {
	return Episode{Session: fmt.Sprintf("s%05d", n), Task: task, Outcome: outcome, Confidence: .8, Approach: steps, Started: int64(n) * day, Ended: int64(n)*day + 1}
}

func run(key string) Step   { return Step{Act: Run, What: key + " -v", Key: key, Times: 1} }
func edit(path string) Step { return Step{Act: Edit, What: path, Times: 1} }

// noise is sessions with tasks of their own.
func noise(n int) []Episode {
	var out []Episode
	for i := range n {
		out = append(out, made(i, fmt.Sprintf("subject%c%c%c matter%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/3%26, 'a'+i/78%26), Success,
			edit(fmt.Sprintf("src/dir%c/file%c%c.go", 'a'+i%17, 'a'+i%26, 'a'+i/26%26)), run(fmt.Sprintf("tool%c%c go", 'a'+i%26, 'a'+i/26%26))))
	}
	return out
}

func TestProcedures(t *testing.T) {
	migration := func(n int, outcome Outcome, extra ...Step) Episode {
		steps := append([]Step{edit(fmt.Sprintf("db/%04d_x.sql", n)), edit("db/schema.go"), run("make migrate"), run("git commit")}, extra...)
		return made(n, fmt.Sprintf("Add a migration for table number %d", n), outcome, steps...)
	}
	for _, tt := range []struct {
		name string
		add  []Episode
		want []string // steps
	}{
		{"three alike", []Episode{migration(31, Success), migration(32, Success), migration(33, Success)}, []string{"edit db/####_x.sql", "edit db/schema.go", "run make migrate"}},
		{"two alike", []Episode{migration(31, Success), migration(32, Success)}, nil},
		{"the ways differ", []Episode{migration(31, Success), migration(32, Success), made(33, "Add a migration for the table", Success, run("git commit"))}, nil},
		{"most failed", []Episode{migration(31, Success), migration(32, Success), migration(33, Failure), migration(34, Failure)}, nil},
		{"one failed", []Episode{migration(31, Success), migration(32, Success), migration(33, Failure), migration(34, Success)}, []string{"edit db/####_x.sql", "edit db/schema.go", "run make migrate"}},
		{"the same request again", []Episode{
			made(31, "Add the migration now", Success, edit("db/schema.go"), run("make migrate")), made(32, "Add the migration now", Success, edit("db/schema.go"), run("make migrate")),
			made(33, "Add the migration now", Success, edit("db/schema.go"), run("make migrate"))}, nil},
		{"an edit and a check", []Episode{
			made(31, "Add the first migration", Success, edit("db/schema.go"), run("make migrate"), Step{Act: Run, What: "make lint", Key: "make lint", Times: 1, Check: true}),
			made(32, "Add the second migration", Success, edit("db/schema.go"), Step{Act: Run, What: "make lint", Key: "make lint", Times: 1, Check: true}),
			made(33, "Add the third migration", Success, edit("db/schema.go"), Step{Act: Run, What: "make lint", Key: "make lint", Times: 1, Check: true})}, nil},
		{"a step once", []Episode{migration(31, Success, run("make graph")), migration(32, Success), migration(33, Success)}, []string{"edit db/####_x.sql", "edit db/schema.go", "run make migrate"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Procedures(append(noise(30), tt.add...))
			if len(tt.want) == 0 {
				if len(got) > 0 {
					t.Fatalf("%+v", got)
				}
				return
			}
			if len(got) != 1 {
				t.Fatalf("%d procedures: %+v", len(got), got)
			}
			var steps []string
			for _, s := range got[0].Steps {
				steps = append(steps, s.ID)
			}
			if !slices.Equal(steps, tt.want) {
				t.Errorf("steps %q, want %q", steps, tt.want)
			}
			if !slices.Contains(got[0].Words, "migration") {
				t.Errorf("words %q", got[0].Words)
			}
			again := Procedures(append(noise(30), tt.add...))
			if fmt.Sprint(got) != fmt.Sprint(again) {
				t.Errorf("not the same again: %v, %v", got, again)
			}
		})
	}
}

// TestProcedureLines: a step names the line where most sessions change the file, if that is one place.
func TestProcedureLines(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines [3]int
		want  int
	}{
		{"one place", [3]int{40, 44, 47}, 44},
		{"one elsewhere", [3]int{40, 44, 400}, 44},
		{"unknown", [3]int{}, 0},
		{"known of one", [3]int{40}, 0},
		{"all elsewhere", [3]int{1, 100, 200}, 0},
	} {
		var list []Episode
		for i, l := range tt.lines {
			schema := edit("db/schema.go")
			schema.Line = l
			list = append(list, made(31+i, fmt.Sprintf("Add a migration for table number %d", i), Success, edit(fmt.Sprintf("db/%04d_x.sql", i)), schema, run("make migrate")))
		}
		found := Procedures(append(noise(30), list...))
		if len(found) != 1 || found[0].LastWorked != list[2].Ended {
			t.Errorf("%s: %+v", tt.name, found)
			continue
		}
		for _, s := range found[0].Steps {
			if want := map[string]int{"db/schema.go": tt.want}[s.What]; s.At != want {
				t.Errorf("%s: %s at line %d, want %d", tt.name, s.What, s.At, want)
			}
		}
	}
}

func TestUsed(t *testing.T) {
	p := Procedure{Words: []string{"migration", "tabl"}, Steps: []ProcedureStep{{ID: "edit db/schema.go"}, {ID: "run make migrate"}}}
	for _, tt := range []struct {
		e    Episode
		want bool
	}{
		{made(1, "a migration of a table", Success, run("make migrate")), true},
		{made(1, "a migration of a table", Success, run("make test")), false},
		{made(1, "a table of contents", Success, run("make migrate")), false},
		{Episode{Task: "a migration of a table", Fallback: true, Approach: []Step{run("make migrate")}}, false},
	} {
		if got := p.Used(tt.e); got != tt.want {
			t.Errorf("%q: %t", tt.e.Task, got)
		}
	}
	if p.CoveredBy("Add tables by migrations") != true || p.CoveredBy("Write documentation") {
		t.Error("what a skill covers")
	}
}

// TestManyEpisodes: of ten thousand episodes each is compared with few clusters.
func TestManyEpisodes(t *testing.T) {
	const n = 10_000
	if _, compared := procedures(noise(n)); compared < n/2 || compared > 20*n {
		t.Errorf("%d episodes are compared %d times", n, compared)
	}
}

func BenchmarkProcedures(b *testing.B) {
	list := noise(10_000)
	for b.Loop() {
		Procedures(list)
	}
}

func TestHousekeeping(t *testing.T) {
	for key, want := range map[string]bool{
		"git status": true, "rtk git diff": true, "git bisect": false, "gh run view": true, "gh auth status": true, "gh api repos/x": true, "gh pr create": false, "glab mr list": true, "make gen": false,
	} {
		if got := Housekeeping(Step{Act: Run, Key: key}); got != want {
			t.Errorf("%s: %t", key, got)
		}
	}
	if Housekeeping(Step{Act: Edit, Key: "git status"}) {
		t.Error("an edit is none")
	}
}
