package exporter

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/memory/file"
)

// many are gotchas about folders, some of them deep, a few with tags alone.
func many() []*file.Memory {
	var out []*file.Memory
	add := func(n int, about string, tags ...string) {
		for range n {
			i := len(out)
			out = append(out, memory(i, file.Gotcha, fmt.Sprintf("Trap %d %s", i, strings.Repeat("x", 60)), func(m *file.Memory) {
				m.Tags = tags
				switch {
				case strings.HasSuffix(about, "**"):
					m.Scope = file.Scope{about}
				case about != "":
					m.Anchors = []anchor.Anchor{{Path: about}}
				}
			}))
		}
	}
	add(30, "src/auth/token.go")
	add(30, "src/queue/**")
	add(4, "src/main.go")
	add(8, "docs/Übersicht.md")
	add(8, "Web/app.ts")
	add(2, "tools/x.sh")
	add(10, "", "redis", "all")
	add(34, "", "css", "all")
	add(3, "", "all")
	return out
}

func bounded() Options { return Options{MaxBytes: 3000, Top: 3} }

// TestSubtopics: a topic that outgrows its file leads to a file for each folder or tag, which are bounded too, and have each
// memory once.
func TestSubtopics(t *testing.T) {
	ms := many()
	files, _ := BootstrapFiles(ms, bounded())
	want := []string{"gotchas--Web-", "gotchas--docs.md", "gotchas--src--auth.md", "gotchas--src--queue.md", "gotchas--src.md", "gotchas-other.md", "gotchas-tag--css.md", "gotchas-tag--redis.md"}
	got := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return !isSubtopic(name) })
	if len(got) != len(want) {
		t.Fatalf("%q, want %q", got, want)
	}
	in := map[string]int{}
	for i, name := range got {
		if !strings.HasPrefix(name, want[i]) {
			t.Errorf("%s, want %s", name, want[i])
		}
		if len(files[name]) > 3000 {
			t.Errorf("%s has %d bytes", name, len(files[name]))
		}
		if !strings.Contains(string(files["gotchas.md"]), "["+name+"]("+name+"), ") {
			t.Errorf("gotchas.md does not lead to %s:\n%s", name, files["gotchas.md"])
		}
		for line := range strings.Lines(string(files[name])) {
			if what, ok := strings.CutPrefix(line, "- Trap "); ok {
				n, _, _ := strings.Cut(what, " ")
				in[n]++
			}
		}
	}
	for n, times := range in {
		if times != 1 {
			t.Errorf("memory %s is in %d subtopics", n, times)
		}
	}
	if len(in) < len(ms)*3/4 {
		t.Errorf("%d of %d memories are in subtopics", len(in), len(ms))
	}
	if n := len(files["gotchas.md"]); n > 3000 || n < 2000 {
		t.Errorf("gotchas.md has %d bytes", n)
	}
	if !strings.Contains(string(files["gotchas.md"]), "- `src/auth/`: [gotchas--src--auth.md](gotchas--src--auth.md), 30\n") {
		t.Errorf("the index:\n%s", files["gotchas.md"])
	}
	if !strings.Contains(string(files["gotchas--src--auth.md"]), "more: `manicule list --type gotcha`") {
		t.Errorf("what a subtopic leaves out is not said:\n%s", files["gotchas--src--auth.md"])
	}
	slices.Reverse(ms)
	again, _ := BootstrapFiles(ms, bounded())
	if !maps.EqualFunc(files, again, slices.Equal) {
		t.Error("another order gives other files")
	}
}

// TestSubtopicsAreStable: a memory that becomes important changes its own line alone, where its folder's file has room.
func TestSubtopicsAreStable(t *testing.T) {
	before, _ := BootstrapFiles(many(), bounded())
	ms := many()
	docs := slices.IndexFunc(ms, func(m *file.Memory) bool { return folderOf(m) == "docs" })
	ms[docs+3].Importance = file.High
	after, _ := BootstrapFiles(ms, bounded())
	for name, text := range before {
		if isSubtopic(name) && string(after[name]) != string(text) && name != "gotchas--docs.md" {
			t.Errorf("%s changed", name)
		}
	}
	a, b := strings.Split(string(before["gotchas--docs.md"]), "\n"), strings.Split(string(after["gotchas--docs.md"]), "\n")
	changed := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			changed++
		}
	}
	if len(a) != len(b) || changed > 1 {
		t.Errorf("%d lines changed", changed)
	}
}

// TestSubtopicFiles: they are written once, removed when nobody needs them, and never in the place of a person's.
func TestSubtopicFiles(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "gotchas--mine.md")
	must.Write(t, mine, "# my own\n")
	done, err := Bootstrap(dir, many(), bounded())
	if err != nil || len(done.Written) != 11 { // with the index, CURRENT.md and gotchas.md
		t.Fatalf("%+v, %v", done, err)
	}
	if done, err = Bootstrap(dir, many(), bounded()); err != nil || len(done.Unchanged) != 11 || len(done.Written)+len(done.Removed) != 0 {
		t.Errorf("the second time: %+v, %v", done, err)
	}
	if done, err = Bootstrap(dir, many()[:5], bounded()); err != nil || len(done.Removed) != 8 {
		t.Errorf("with fewer memories: %+v, %v", done, err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 4 {
		t.Errorf("left %v, %v", left, err)
	}
	theirs := filepath.Join(dir, "gotchas--src--auth.md")
	must.Write(t, theirs, "# a person's\n")
	if done, err = Bootstrap(dir, many(), bounded()); err == nil || len(done.Written) != 0 {
		t.Errorf("over a person's file: %+v, %v", done, err)
	}
	for name, want := range map[string]string{mine: "# my own\n", theirs: "# a person's\n"} {
		if data, err := os.ReadFile(name); err != nil || string(data) != want {
			t.Errorf("%s is now %q, %v", name, data, err)
		}
	}
}

// TestSubtopicNames: two folders never share a file, on no file system.
func TestSubtopicNames(t *testing.T) {
	seen := map[string]string{}
	for _, folder := range []string{"src/auth", "src--auth", "src", "Src", "SRC", "a b", "a_b", "ü", "ö", "a/b", "a--b", "tag", "other", strings.Repeat("x/", 100) + "y", strings.Repeat("x/", 100) + "z"} {
		name := fileOf("gotchas.md", "--"+strings.ReplaceAll(folder, "/", "--"), folder)
		if other, ok := seen[strings.ToLower(name)]; ok {
			t.Errorf("%q and %q are both %s", folder, other, name)
		}
		seen[strings.ToLower(name)] = folder
		if !isSubtopic(name) || strings.ContainsAny(name, `/\ `) || len(name) > 100 {
			t.Errorf("%q: %s", folder, name)
		}
	}
	for _, name := range []string{"gotchas.md", "gotchas-about-auth.md", "MEMORY.md", "notes--x.md", "gotchas--x.txt"} {
		if isSubtopic(name) {
			t.Errorf("%s is no subtopic", name)
		}
	}
}

// TestSubtopicsOfSlashedTags: no two tags share a file, so that none hides the memories of the other.
func TestSubtopicsOfSlashedTags(t *testing.T) {
	var ms []*file.Memory
	for i := range 60 {
		ms = append(ms, memory(i, file.Gotcha, fmt.Sprintf("Trap %d %s", i, strings.Repeat("x", 60)), func(m *file.Memory) { m.Tags = []string{[]string{"web/css", "web_css"}[i%2]} }))
	}
	files, _ := BootstrapFiles(ms, Options{MaxBytes: 3500, Top: 3})
	all := ""
	for name, text := range files {
		if isSubtopic(name) {
			all += string(text)
		}
	}
	for i := range 60 {
		if n := strings.Count(all, fmt.Sprintf("Trap %d ", i)); n != 1 {
			t.Errorf("trap %d is in %d subtopics of %q", i, n, slices.Sorted(maps.Keys(files)))
		}
	}
}
