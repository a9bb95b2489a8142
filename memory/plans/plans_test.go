package plans_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/builds"
	"manicule/memory/gate"
	"manicule/memory/memorytest"
	"manicule/memory/plans"
)

// key is a secret as the rules know them.
const key = "ghp" + "_wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"

func newList(t *testing.T, files map[string]string) (list *plans.List, dir string) {
	t.Helper()
	dir = memorytest.Folder(t, files)
	w, _ := memorytest.Open(t, dir)
	return plans.Of(w), dir
}

// hinted fails unless an error says something and what to do about it.
func hinted(t *testing.T, err error, says string) {
	t.Helper()
	hint := ""
	if u, ok := errors.AsType[*memory.UserError](err); ok {
		hint = u.Hint
	} else if r, ok := errors.AsType[*gate.Rejection](err); ok {
		hint = r.Hint
	}
	if err == nil || !strings.Contains(err.Error(), says) || hint == "" {
		t.Errorf("%v, with the hint %q; want %q", err, hint, says)
	}
}

// TestDamagedBeside: a file that can't be read hides no build that is open, unless it may be the one that is meant.
func TestDamagedBeside(t *testing.T) {
	list, dir := newList(t, map[string]string{".manicule/builds/queue.md": "# Queue\n\n- [ ] Backfill\n", ".manicule/builds/broken.md": "# B\x00\n\n- [ ] x\n"})
	if b, err := list.Get(""); err != nil || b.Name != "queue" {
		t.Errorf("%q, %v", b.Name, err)
	}
	if _, _, err := list.SetSlice(t.Context(), "", "1", builds.Done, ""); err != nil {
		t.Error(err)
	}
	if _, err := list.Get(""); err == nil || !strings.Contains(err.Error(), "broken.md: it is no text") {
		t.Errorf("with nothing else to do: %v", err)
	}
	must.OK(t, os.Remove(filepath.Join(dir, ".manicule/builds/broken.md")))
	if _, err := list.Get(""); !errors.Is(err, memory.ErrNotFound) {
		t.Errorf("with all done: %v", err)
	}
}

// TestItems: a slice that is given as an item of a list is written with one mark.
func TestItems(t *testing.T) {
	list, _ := newList(t, map[string]string{".manicule/builds/queue.md": "# Queue\n"})
	for text, want := range map[string]string{"- [ ] one": "one", "* two": "two", "[ ] three": "three", "-4 degrees": "-4 degrees", "[x] five": "[x] five"} {
		if _, s, err := list.AddSlice(t.Context(), "", "", "", text); err != nil || s.Text != want || s.Status != builds.Planned {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
	_, _, err := list.AddSlice(t.Context(), "", "", "", "- [ ]")
	hinted(t, err, "needs a text")
}

func TestBegin(t *testing.T) {
	list, dir := newList(t, nil)
	for _, tt := range []struct {
		n    plans.New
		name string // "" if it is refused
		says string
	}{
		{plans.New{Title: "Move  the queue\nto Redis"}, "move-the-queue-to-redis", ""},
		{plans.New{Title: "Move the queue to Redis!"}, "", "already"},
		{plans.New{Title: "Move the queue to Redis", Name: "again", Branch: "feat", Brief: "Jobs get lost.", Technical: "One stream a tenant."}, "again", ""},
		{plans.New{Title: "A title that is longer than the name of a file may be"}, "a-title-that-is-longer-than-the-name-of", ""},
		{plans.New{}, "", "needs a title"},
		{plans.New{Title: "☞"}, "", "can't be the name"},
		{plans.New{Title: "x", Name: "../x"}, "", "can't be the name"},
		{plans.New{Title: strings.Repeat("long ", 61)}, "", "at most 300"},
		{plans.New{Title: "x", Brief: strings.Repeat("long ", 801)}, "", "more than 4000"},
		{plans.New{Title: "the key is " + key}, "", "secret"},
		{plans.New{Title: "x", Technical: "the key is " + key}, "", "secret"},
	} {
		b, err := list.Begin(t.Context(), tt.n)
		if tt.name == "" {
			hinted(t, err, tt.says)
			continue
		}
		if err != nil || b.Name != tt.name {
			t.Errorf("%+v: %q, %v", tt.n, b.Name, err)
			continue
		}
		got, err := list.Get(tt.name)
		if err != nil || got.Title != strings.Join(strings.Fields(tt.n.Title), " ") || got.Branch != tt.n.Branch || got.Brief != tt.n.Brief || got.Technical != tt.n.Technical {
			t.Errorf("%+v is read again as %+v, %v", tt.n, got, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, ".manicule", builds.Folder, "*"))
	if err != nil || len(files) != 3 {
		t.Errorf("the files are %q, %v", files, err)
	}
}

func TestBeginNeedsSetUp(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo")
	must.Mkdir(t, dir)
	w, _ := memorytest.Open(t, dir)
	_, err := plans.Of(w).Begin(t.Context(), plans.New{Title: "x"})
	hinted(t, err, "no memories")
	if _, err := os.Stat(filepath.Join(dir, ".manicule")); err == nil {
		t.Error("the folder was made")
	}
}

func TestGet(t *testing.T) {
	build := func(slices ...string) string { return "# Title\n\n## Phase\n\n" + strings.Join(slices, "\n") + "\n" }
	for _, tt := range []struct {
		why   string
		files map[string]string
		name  string
		want  string // "" for an error
		says  string
	}{
		{"there is none", nil, "", "", "no build is under way"},
		{"it is named", map[string]string{"a": build("- [ ] one"), "b": build("- [ ] two")}, "b", "b", ""},
		{"it is named as a file", map[string]string{"a": build("- [ ] one")}, ".manicule/builds/a.md", "a", ""},
		{"the name is unknown", map[string]string{"a": build("- [ ] one")}, "z", "", `no build "z"`},
		{"the name can't be one", map[string]string{"a": build("- [ ] one")}, "A B", "", "can't be the name"},
		{"it is the only open one", map[string]string{"a": build("- [x] one"), "b": build("- [ ] two")}, "", "b", ""},
		{"none is begun of several", map[string]string{"a": build("- [ ] one"), "b": build("- [ ] two")}, "", "", "of 2 open builds none"},
		{"it is of another branch", map[string]string{"a": "# Title\n\nBranch: feat\n\n## Phase\n\n- [ ] one\n"}, "", "", "of 1 open builds none"},
		{"all are done", map[string]string{"a": build("- [x] one")}, "", "", "no build is under way"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			files := map[string]string{}
			for name, text := range tt.files {
				files[".manicule/builds/"+name+".md"] = text
			}
			list, _ := newList(t, files)
			b, err := list.Get(tt.name)
			if tt.want == "" {
				hinted(t, err, tt.says)
				if u, ok := errors.AsType[*memory.UserError](err); ok && tt.why == "all are done" && !strings.Contains(u.Hint, "build list") {
					t.Errorf("the hint %q does not lead to those that are done", u.Hint)
				}
				if !errors.Is(err, memory.ErrNotFound) {
					t.Errorf("%v is no missing build", err)
				}
				return
			}
			if err != nil || b.Name != tt.want {
				t.Errorf("%q, %v", b.Name, err)
			}
		})
	}
}

// TestSlices changes one build by all ways and looks at what stands in its file in the end.
func TestSlices(t *testing.T) {
	list, dir := newList(t, nil)
	ctx := t.Context()
	if _, err := list.Begin(ctx, plans.New{Title: "Queue"}); err != nil {
		t.Fatal(err)
	}
	add := func(slice string) error {
		_, s, err := list.AddSlice(ctx, "queue", "Writing", "Streams", slice)
		if err == nil && s.Text != strings.Join(strings.Fields(slice), " ") {
			t.Errorf("%q was added as %q", slice, s.Text)
		}
		return err
	}
	for _, text := range []string{"write  to the stream", "read from the stream", "drop the table"} {
		must.OK(t, add(text))
	}
	hinted(t, add(""), "needs a text")
	hinted(t, add("Write to the stream"), "says so already")
	hinted(t, add(strings.Repeat("long ", 61)), "at most 300")
	hinted(t, add("log in with "+key), "secret")
	if _, s, err := list.AddPart(ctx, "queue", "1", "retry a write"); err != nil || s.Text != "retry a write" {
		t.Errorf("%+v, %v", s, err)
	}
	_, _, err := list.AddPart(ctx, "queue", "the moon", "x")
	hinted(t, err, `no slice "the moon"`)

	set := func(slice string, to builds.Status, why string) (builds.Slice, error) {
		_, s, err := list.SetSlice(ctx, "queue", slice, to, why)
		return s, err
	}
	for _, tt := range []struct {
		slice string
		to    builds.Status
		why   string
		says  string
	}{
		{"retry a write", builds.Done, "", ""},
		{"read", builds.Blocked, "the client is too old", ""},
		{"drop the table", builds.InProgress, "", ""},
		{"the stream", builds.Done, "", "several slices"},
		{"nine", builds.Done, "", "no slice"},
		{"read", builds.Blocked, key, "secret"},
	} {
		s, err := set(tt.slice, tt.to, tt.why)
		if tt.says != "" {
			hinted(t, err, tt.says)
			continue
		}
		if err != nil || s.Status != tt.to || s.Why != tt.why {
			t.Errorf("%q: %+v, %v", tt.slice, s, err)
		}
	}
	_, _, err = list.SetSlice(ctx, "nothing", "1", builds.Done, "")
	hinted(t, err, `no build "nothing"`)

	b, err := list.Get("queue")
	must.OK(t, err)
	var got []string
	for _, s := range b.Slices() {
		got = append(got, fmt.Sprintf("%d %s: %s", s.Number, s.Text, s.Status))
	}
	want := []string{"1 write to the stream: planned", "2 retry a write: done", "3 read from the stream: blocked", "4 drop the table: in progress"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	text, err := os.ReadFile(filepath.Join(dir, ".manicule", builds.Folder, "queue.md"))
	if err != nil || strings.Contains(string(text), key) {
		t.Errorf("%v, %s", err, text)
	}
}

// TestHistory: what each commit changed of the slices, newest first, and before it what is not committed.
func TestHistory(t *testing.T) {
	dir := memorytest.Folder(t, nil)
	at := 0
	commit := func(subject string) {
		t.Helper()
		at++
		gittest.Git(t, dir, "add", "-A")
		gittest.GitAt(t, dir, time.Date(2026, 1, at, 12, 0, 0, 0, time.UTC), "commit", "-qm", subject)
	}
	gittest.Git(t, dir, "init", "-q", "-b", "main")
	w, _ := memorytest.Open(t, dir)
	list, ctx := plans.Of(w), t.Context()
	if _, err := list.Begin(ctx, plans.New{Title: "Queue"}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"write to the stream", "drop the table"} {
		if _, _, err := list.AddSlice(ctx, "queue", "", "", text); err != nil {
			t.Fatal(err)
		}
	}
	commit("plan the queue")
	set := func(slice string, to builds.Status) {
		t.Helper()
		if _, _, err := list.SetSlice(ctx, "queue", slice, to, ""); err != nil {
			t.Fatal(err)
		}
	}
	set("write", builds.Done)
	commit("write")
	set("drop", builds.InProgress)
	b, err := list.Get("queue")
	must.OK(t, err)
	var got []string
	for _, c := range list.History(b) {
		if (c.Commit == "") != (c.Author == "") {
			t.Errorf("%+v has a commit or an author alone", c)
		}
		got = append(got, fmt.Sprintf("%s: %s → %s (%s)", c.Slice, c.From, c.To, c.CommitMsg))
	}
	want := []string{
		"drop the table: planned → in progress ()",
		"write to the stream: planned → done (write)",
		"write to the stream:  → planned (plan the queue)", "drop the table:  → planned (plan the queue)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
