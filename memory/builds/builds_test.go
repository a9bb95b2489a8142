package builds_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory/builds"
)

const queue = `# Move the queue to Postgres

Branch: feat/pg-queue

## Brief

Redis loses jobs when it restarts.
Nobody may lose a job.

## Technical context

` + "```sql\n## no heading\n- [ ] no slice\n```" + `

## Phase 1: Schema

### Deliverable: the tables exist

- [x] Write 0001_queue.sql
- [ ] Backfill the old rows (in progress)
- [ ] Index the due column (Blocked: waits for ops (Ann))

### Checks

1. [ ] Load test
   * [ ] with ten workers

<!--
- [ ] not yet
-->

## Switch over

- [ ] Drop the old table
`

func TestParse(t *testing.T) {
	b := builds.Parse([]byte(queue))
	type row struct {
		Phase, Deliverable, Text string
		Status                   builds.Status
		Why                      string
	}
	var rows []row
	for _, p := range b.Phases {
		for _, d := range p.Deliverables {
			for _, s := range d.Slices {
				rows = append(rows, row{p.Title, d.Title, s.Text, s.Status, s.Why})
			}
		}
	}
	want := []row{
		{"Schema", "the tables exist", "Write 0001_queue.sql", builds.Done, ""},
		{"Schema", "the tables exist", "Backfill the old rows", builds.InProgress, ""},
		{"Schema", "the tables exist", "Index the due column", builds.Blocked, "waits for ops (Ann)"},
		{"Schema", "Checks", "Load test", builds.Planned, ""},
		{"Schema", "Checks", "with ten workers", builds.Planned, ""},
		{"Switch over", "", "Drop the old table", builds.Planned, ""},
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
	if b.Title != "Move the queue to Postgres" || b.Branch != "feat/pg-queue" || b.Status() != builds.InProgress {
		t.Errorf("head: %q on %q, %s", b.Title, b.Branch, b.Status())
	}
	if b.Brief != "Redis loses jobs when it restarts.\nNobody may lose a job." || !strings.Contains(b.Technical, "no heading") {
		t.Errorf("brief %q, technical %q", b.Brief, b.Technical)
	}
	if p := b.Phase(); p == nil || p.Title != "Schema" {
		t.Errorf("phase: %+v", p)
	}
}

func TestParseLoose(t *testing.T) {
	for _, tt := range []struct {
		name, text, title string
		status            builds.Status
		slices            int
	}{
		{"empty", "", "", builds.Planned, 0},
		{"a list alone", "- [ ] one\n- [X] two", "", builds.InProgress, 2},
		{"all done", "# T\r\n\r\n- [x] one\r\n", "T", builds.Done, 1},
		{"front matter", "---\ntitle: \"From matter\"\nstatus: in-progress\nother: x\n---\n# Not this\n- [ ] one", "From matter", builds.InProgress, 1},
		{"stated", "# T\nStatus: blocked\n\n- [ ] one (in progress)", "T", builds.Blocked, 1},
		{"a fence that never ends", "# T\n```\n- [ ] one", "T", builds.Planned, 0},
		{"byte order mark", "\ufeff# T\n- [ ] one", "T", builds.Planned, 1},
		{"blocked and done", "- [x] a\n- [ ] b (blocked)", "", builds.Blocked, 2},
		{"a field in the brief is text", "# T\n## Brief\nStatus: done\n## P\n- [ ] a", "T", builds.Planned, 1},
	} {
		b := builds.Parse([]byte(tt.text))
		if b.Title != tt.title || b.Status() != tt.status || len(b.Slices()) != tt.slices {
			t.Errorf("%s: %q, %s, %d slices", tt.name, b.Title, b.Status(), len(b.Slices()))
		}
	}
}

func TestSetStatus(t *testing.T) {
	b := builds.Parse([]byte(queue))
	s, err := b.Find("backfill")
	must.OK(t, err)
	now, err := builds.SetStatus([]byte(queue), s, builds.Blocked, "no\nreplica (yet)")
	must.OK(t, err)
	want := strings.Replace(queue, "rows (in progress)", "rows (blocked: no replica [yet])", 1)
	if d := cmp.Diff(want, string(now)); d != "" {
		t.Error(d)
	}
	again := builds.Parse(now)
	if s := again.Slices()[1]; s.Status != builds.Blocked || s.Why != "no replica [yet]" {
		t.Errorf("read again: %+v", s)
	}
}

func TestFind(t *testing.T) {
	b := builds.Parse([]byte("- [ ] Write the index\n- [ ] Write\n- [ ] Drop 1 table"))
	for name, want := range map[string]any{"1": 1, "write": 2, "the index": 1, "wri": builds.ErrAmbiguous, "none": builds.ErrNoSlice, "": builds.ErrNoSlice} {
		s, err := b.Find(name)
		if n, ok := want.(int); ok && s.Number != n || !ok && !errors.Is(err, want.(error)) {
			t.Errorf("%q: slice %d, %v", name, s.Number, err)
		}
	}
}

func TestAdd(t *testing.T) {
	for _, tt := range []struct{ name, text, phase, deliverable, want string }{
		{"a new build", "# T\n\n## Brief\n\n## Technical context\n", "", "", "# T\n\n## Brief\n\n## Technical context\n\n- [ ] new\n"},
		{"a new phase", "# T\n", "Schema", "", "# T\n\n## Schema\n\n- [ ] new\n"},
		{"a phase's list", "## Phase 1: Schema\n\n- [ ] a\n\n## Two\n", "schema", "", "## Phase 1: Schema\n\n- [ ] a\n- [ ] new\n\n## Two\n"},
		{"before its deliverables", "## S\n- [ ] a\n### D\n- [ ] b\n", "S", "", "## S\n- [ ] a\n- [ ] new\n### D\n- [ ] b\n"},
		{"a deliverable's list", "## S\n### D\n- [ ] b\n### E\n- [ ] c", "S", "D", "## S\n### D\n- [ ] b\n- [ ] new\n### E\n- [ ] c"},
		{"a new deliverable", "## S\n- [ ] a\n\n## T\n- [ ] b\n", "S", "D", "## S\n- [ ] a\n\n### D\n\n- [ ] new\n\n## T\n- [ ] b\n"},
		{"no line end", "- [ ] a", "", "", "- [ ] a\n- [ ] new\n"},
		{"Windows", "## S\r\n\r\n- [ ] a\r\n", "", "", "## S\r\n\r\n- [ ] a\r\n- [ ] new\r\n"},
		{"the phase that is worked on", "## S\n- [x] a\n## T\n- [ ] b\n## U\n- [ ] c\n", "", "", "## S\n- [x] a\n## T\n- [ ] b\n- [ ] new\n## U\n- [ ] c\n"},
	} {
		got := string(builds.Add([]byte(tt.text), tt.phase, tt.deliverable, "new"))
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// TestParts: an indented slice is a part of the one above it, and one is added behind the parts that are there.
func TestParts(t *testing.T) {
	const text = "## S\n- [ ] a\n  - [ ] b\n    - [x] c\n  - [ ] d\n\n- [ ] e\n\t- [ ] f\n## T\n  - [ ] g\n"
	b := builds.Parse([]byte(text))
	got := ""
	for _, s := range b.Slices() {
		got += fmt.Sprint(s.Text, s.Parent, " ")
	}
	if want := "a0 b1 c2 d1 e0 f5 g0 "; got != want {
		t.Errorf("parents: %s, want %s", got, want)
	}
	for _, tt := range []struct{ above, text, want string }{
		{"a", text, strings.Replace(text, "  - [ ] d\n", "  - [ ] d\n  - [ ] new\n", 1)},
		{"b", text, strings.Replace(text, "    - [x] c\n", "    - [x] c\n    - [ ] new\n", 1)},
		{"e", text, strings.Replace(text, "\t- [ ] f\n", "\t- [ ] f\n  - [ ] new\n", 1)},
		{"a", "1. [ ] a", "1. [ ] a\n   - [ ] new\n"},
		{"a", "- [ ] a\r\n", "- [ ] a\r\n  - [ ] new\r\n"},
	} {
		b := builds.Parse([]byte(tt.text))
		s, err := b.Find(tt.above)
		must.OK(t, err)
		out, err := builds.AddBelow([]byte(tt.text), s, "new")
		if d := cmp.Diff(tt.want, string(out)); err != nil || d != "" {
			t.Errorf("below %s: %v %s", tt.above, err, d)
		}
		after := builds.Parse(out)
		if added, err := after.Find("new"); err != nil || added.Parent != s.Number {
			t.Errorf("below %s: parent %d, %v", tt.above, added.Parent, err)
		}
	}
	if _, err := builds.AddBelow([]byte("# no task"), builds.Slice{}, "new"); !errors.Is(err, builds.ErrNoSlice) {
		t.Errorf("no slice: %v", err)
	}
}

func TestCurrent(t *testing.T) {
	at := func(name, text string, day int) builds.Build {
		b := builds.Parse([]byte(text))
		b.Name, b.Modified = name, time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)
		return b
	}
	begun, planned, done := "- [x] a\n- [ ] b", "- [ ] a", "- [x] a"
	for _, tt := range []struct {
		name string
		list []builds.Build
		want string
	}{
		{"none", nil, ""},
		{"not begun", []builds.Build{at("a", planned, 1)}, ""},
		{"finished", []builds.Build{at("a", done, 1)}, ""},
		{"the latest", []builds.Build{at("a", begun, 1), at("b", begun, 3), at("c", begun, 2)}, "b"},
		{"of the branch", []builds.Build{at("a", begun, 3), at("b", "Branch: feat/x\n"+planned, 1)}, "b"},
		{"of another branch", []builds.Build{at("a", "Branch: feat/y\n"+begun, 3)}, ""},
		{"parked by its head", []builds.Build{at("a", "Status: blocked\n"+begun, 3), at("b", begun, 1)}, "b"},
	} {
		if got, _ := builds.Current(tt.list, "feat/x"); got.Name != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got.Name, tt.want)
		}
	}
}

func TestFiles(t *testing.T) {
	p := &workspace.Workspace{Root: t.TempDir()}
	if list, err := builds.Load(p); err != nil || list != nil {
		t.Fatalf("no folder: %v, %v", list, err)
	}
	fill := func([]byte, builds.Build) ([]byte, error) { return builds.New("Queue", "", "Why", "How"), nil }
	if _, err := builds.Change(p, "queue", true, fill); err != nil {
		t.Fatal(err)
	}
	if _, err := builds.Change(p, "queue", true, fill); !errors.Is(err, builds.ErrExists) {
		t.Errorf("made twice: %v", err)
	}
	if _, err := builds.Change(p, "other", false, fill); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing one was changed: %v", err)
	}
	dir := filepath.Dir(builds.Path(p, "queue"))
	for name, data := range map[string][]byte{"large.md": bytes.Repeat([]byte("x"), 3<<20), "Not A Name.md": []byte("- [ ] a"), "notes.txt": nil} {
		must.Write(t, filepath.Join(dir, name), data)
	}
	must.OK(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link.md")))
	list, err := builds.Load(p)
	if err == nil || !strings.Contains(err.Error(), "large") {
		t.Errorf("the large file is not named: %v", err)
	}
	if len(list) != 1 || list[0].Title != "Queue" || list[0].Brief != "Why" || list[0].Technical != "How" {
		t.Errorf("builds: %+v", list)
	}
}

// FuzzWrite changes texts of any kind: the slices before stay what they were.
func FuzzWrite(f *testing.F) {
	f.Add([]byte(queue), 1, "why", "Schema", "")
	f.Add([]byte("---\ntitle: x\n---\r\n- [ ] a (blocked: (b)) (in progress)\n~~~\n"), 0, ")", "", "D")
	f.Add([]byte("\ufeff# \n## \n### \n- [x] \n"), 0, "", "P", "D")
	f.Fuzz(func(t *testing.T, data []byte, n int, why, phase, deliverable string) {
		was := builds.Parse(data)
		list := was.Slices()
		if len(list) > 0 {
			i := max(n, -n) % len(list)
			if n == -n {
				i = 0
			}
			for _, to := range []builds.Status{builds.Planned, builds.InProgress, builds.Blocked, builds.Done} {
				now, err := builds.SetStatus(data, list[i], to, why)
				must.OK(t, err)
				after := builds.Parse(now)
				want := slices.Clone(list)
				want[i].Status, want[i].Why = to, after.Slices()[i].Why
				if d := cmp.Diff(want, after.Slices()); d != "" {
					t.Fatalf("%s: %s", to, d)
				}
			}
		}
		now := builds.Parse(builds.Add(data, phase, deliverable, "one more"))
		if len(now.Slices()) < len(list) {
			t.Fatalf("%d slices before, %d after", len(list), len(now.Slices()))
		}
	})
}
