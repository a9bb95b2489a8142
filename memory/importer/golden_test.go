package importer

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"manicule/memory/file"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// rulesDir holds real rule files of other people; it lies beside the repository.
const rulesDir = "../../../shared/data/agent-rules/dev"

// openRules opens the data folder, or skips the test.
func openRules(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(rulesDir)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the evaluation data is not beside the repository")
	}
	if err != nil {
		t.Fatal(err)
	}
	var repos []string
	for _, e := range entries {
		if e.IsDir() {
			repos = append(repos, e.Name())
		}
	}
	return repos
}

// repoOptions are the options for one repository: all paths of it, as its
// owner had them.
func repoOptions(t *testing.T, repo string) Options {
	t.Helper()
	dir := filepath.Join(rulesDir, repo)
	list, err := os.ReadFile(filepath.Join(dir, "_filelist.txt"))
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(string(list))
	return Options{Root: os.DirFS(dir), Files: files, Now: day, known: fileSet(files)}
}

// present lists the sources of a repository whose text is in the data.
func present(t *testing.T, repo string, opts Options) []Source {
	t.Helper()
	var out []Source
	for _, s := range Find(opts.Files) {
		if _, err := fs.Stat(opts.Root, s.Path); err == nil {
			out = append(out, s)
		}
	}
	return out
}

type mark struct {
	File  string    `json:"file"`
	Line  int       `json:"line"`
	Words string    `json:"words"`
	Keep  bool      `json:"keep"`
	Type  file.Type `json:"type"`
	Scope []string  `json:"scope"`
}

func readMarks(t *testing.T) []mark {
	t.Helper()
	data, err := os.ReadFile("testdata/labels.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []mark
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); {
		var m mark
		if err := json.Unmarshal(sc.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

type score struct{ hit, of int }

func (s score) String() string {
	return fmt.Sprintf("%3d of %3d  %.3f", s.hit, s.of, float64(s.hit)/float64(max(1, s.of)))
}

// TestLabels scores the importer on real rule files that were labelled by
// reading, and pins the figures.
func TestLabels(t *testing.T) {
	openRules(t)
	marks := readMarks(t)
	chunks := map[string][]Chunk{}
	files := map[string]bool{}
	for _, m := range marks {
		files[m.File] = true
		if _, ok := chunks[m.File]; ok {
			continue
		}
		repo, name, _ := strings.Cut(m.File, "/")
		src, ok := sourceOf(name)
		if !ok {
			t.Errorf("%s is not seen as a rule file", m.File)
			continue
		}
		opts := repoOptions(t, repo)
		got, _, err := Read(context.Background(), opts.Root, src, opts)
		if err != nil {
			t.Errorf("read %s: %v", m.File, err)
		}
		chunks[m.File] = got
	}
	var found, clean, typed, scoped score
	confused := map[string]int{}
	var misses []string
	for _, m := range marks {
		c, ok := nearest(chunks[m.File], m.Line, m.Keep)
		if !m.Keep {
			clean.of++
			if !ok {
				clean.hit++
			} else {
				misses = append(misses, fmt.Sprintf("%s:%d kept, should be dropped: %s", m.File, m.Line, clip(c.What, 90)))
			}
			continue
		}
		found.of++
		if !ok {
			misses = append(misses, fmt.Sprintf("%s:%d missed: %s", m.File, m.Line, m.Words))
			continue
		}
		found.hit++
		typed.of++
		scoped.of++
		if c.Type == m.Type {
			typed.hit++
		} else {
			confused[fmt.Sprintf("%s read as %s", m.Type, c.Type)]++
			misses = append(misses, fmt.Sprintf("%s:%d %s read as %s: %s | %s", m.File, m.Line, m.Type, c.Type, clip(c.What, 90), c.Label))
		}
		if slices.Equal(c.Scope, m.Scope) {
			scoped.hit++
		} else {
			misses = append(misses, fmt.Sprintf("%s:%d scope %v, want %v", m.File, m.Line, c.Scope, m.Scope))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "labels in %d files\nfound     %v  labelled rules that are found at their line\nclean     %v  labelled non-rules that are dropped\ntype      %v  of the found\nscope     %v  of the found\n\n", len(files), found, clean, typed, scoped)
	keys := make([]string, 0, len(confused))
	for k := range confused {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, c string) int { return cmp.Or(confused[c]-confused[a], strings.Compare(a, c)) })
	for _, k := range keys {
		fmt.Fprintf(&b, "%3d  %s\n", confused[k], k)
	}
	if testing.Verbose() {
		t.Logf("\n%s\n%s", b.String(), strings.Join(misses, "\n"))
	}
	golden(t, "testdata/scores.txt", b.String())
}

// nearest finds the chunk that begins at a line, or a line beside it for a rule.
func nearest(chunks []Chunk, line int, near bool) (Chunk, bool) {
	for _, d := range []int{0, 1, -1} {
		for _, c := range chunks {
			if c.Origin.Line == line+d && (d == 0 || near) {
				return c, true
			}
		}
	}
	return Chunk{}, false
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update and look at the difference.\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}
