// Package importer measures the import of real rule files: which rules it finds,
// what it finds besides, and which memories they become. testdata/README.md
// describes how the labels were made. The package must not use anything that
// `manicule import` doesn't.
package importer

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/file"
	"manicule/memory/importer"
)

type evaluation struct {
	data   evalkit.Data
	misses int
	set    string
	seed   string
	drawn  int
	all    bool
}

// Command is `eval import`.
func Command() *cobra.Command {
	var e evaluation
	show := func(name string, measure func(context.Context) (string, error)) evalkit.Part {
		return evalkit.Part{Name: name, Run: func(ctx context.Context) error {
			text, err := measure(ctx)
			if err == nil {
				_, err = fmt.Println(text)
			}
			return err
		}}
	}
	parts := []evalkit.Part{show("labels", e.labels), show("kinds", e.kinds), show("judged", e.judged), show("sample", e.sample), show("fit", e.fit), show("traits", e.traits)}
	cmd := evalkit.Command("import", "Measure the import of real rule files", evalkit.Names(parts), func(ctx context.Context, named []string) error {
		_, err := evalkit.RunParts(ctx, parts, named)
		return err
	})
	e.data.Flag(cmd.Flags())
	cmd.Flags().IntVar(&e.misses, "misses", 0, "how many wrong pieces to print")
	cmd.Flags().StringVar(&e.set, "set", "dev", "sample, traits: the folder of agent-rules with the repositories")
	cmd.Flags().StringVar(&e.seed, "seed", "1", "sample: what the draw depends on")
	cmd.Flags().IntVar(&e.drawn, "draw", 100, "sample: how many memories")
	cmd.Flags().BoolVar(&e.all, "all", false, "sample: also memories that are likely to be of little use")
	return cmd
}

// repository returns the view that import has of a repository: all of its historic paths.
func (e *evaluation) repository(name string) (importer.Options, error) {
	dir, err := e.data.Path("agent-rules", "dev", name)
	if err != nil {
		return importer.Options{}, err
	}
	list, err := os.ReadFile(filepath.Join(dir, "_filelist.txt"))
	if err != nil {
		return importer.Options{}, err
	}
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) // a substitute for the missing modification time
	return importer.Options{Root: os.DirFS(dir), Files: strings.Fields(string(list)), Now: day}, nil
}

// The rows for rule files, above those of the memory types.
const (
	ruleFiles = "rule files"
	memories  = "**memories**"
	scoped    = "with a scope"
	dropped   = "dropped"
)

// kinds counts the memories that the rule files of each repository become.
func (e *evaluation) kinds(ctx context.Context) (string, error) {
	dir, err := e.data.Path("agent-rules", "dev")
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	t := evalkit.NewTable("")
	columns, all, why := []map[string]int{}, map[string]int{}, map[string]int{}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		c, err := e.count(ctx, entry.Name(), why)
		if err != nil {
			return "", err
		}
		t.Head, columns = append(t.Head, entry.Name()), append(columns, c)
		for k, n := range c {
			all[k] += n
		}
	}
	t.Head, columns = append(t.Head, "all"), append(columns, all)
	rows := []string{ruleFiles, memories, scoped, dropped}
	for _, k := range file.Types() {
		rows = append(rows, string(k))
	}
	for _, name := range rows {
		row := []any{name}
		for _, c := range columns {
			row = append(row, c[name])
		}
		if all[name] > 0 {
			t.Add(row...)
		}
	}
	var reasons []string
	for _, k := range mostFrequent(why) {
		reasons = append(reasons, fmt.Sprintf("%s %d", k, why[k]))
	}
	return evalkit.Section{Title: "Real rule files: what they become", Notes: []string{"Dropped, by reason: " + strings.Join(reasons, ", ") + "."}, Table: t}.String(), nil
}

// count reads the rule files of a repository and adds the reasons for dropped pieces. The
// dataset holds nearly all texts.
func (e *evaluation) count(ctx context.Context, name string, why map[string]int) (map[string]int, error) {
	opts, err := e.repository(name)
	if err != nil {
		return nil, err
	}
	chunks, rep, err := importer.ReadAll(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := map[string]int{memories: len(chunks), dropped: len(rep.Drops)}
	for _, src := range importer.Find(opts.Files) {
		if _, err := fs.Stat(opts.Root, src.Path); err == nil {
			c[ruleFiles]++
		}
	}
	for _, chunk := range chunks {
		c[string(chunk.Type)]++
		if len(chunk.Scope) > 0 {
			c[scoped]++
		}
	}
	for k, n := range rep.Reasons() {
		why[k] += n
	}
	return c, nil
}

// label is a person's judgement of a piece of a rule file.
type label struct {
	File  string    `json:"file"`
	Line  int       `json:"line"`
	Words string    `json:"words"`
	Keep  bool      `json:"keep"`
	Type  file.Type `json:"type"`
	Scope []string  `json:"scope"`
}

//go:embed testdata/labels.jsonl
var labelLines string

type score struct{ hit, of int }

// String formats the score with its share.
func (s score) String() string {
	return fmt.Sprintf("%3d of %3d  %.3f", s.hit, s.of, evalkit.Share(s.hit, s.of))
}

func (s *score) add(hit bool) bool {
	s.of++
	if hit {
		s.hit++
	}
	return hit
}

// scores holds the scores of all labels.
type scores struct {
	found, kept, clean, typed, scoped score
	confused                          map[string]int
	misses                            []string
}

// labels scores the import on hand-labelled rule files.
func (e *evaluation) labels(ctx context.Context) (string, error) {
	labels, err := evalkit.ParseLines[label](labelLines)
	if err != nil {
		return "", err
	}
	chunks, useful := map[string][]importer.Chunk{}, map[string][]importer.Chunk{}
	s := scores{confused: map[string]int{}}
	for _, l := range labels {
		if _, ok := chunks[l.File]; !ok {
			if chunks[l.File], err = e.chunks(ctx, l.File, true); err != nil {
				return "", err
			}
			if useful[l.File], err = e.chunks(ctx, l.File, false); err != nil {
				return "", err
			}
		}
		s.add(l, chunks[l.File])
		if l.Keep {
			_, ok := nearest(useful[l.File], l.Line, true)
			s.kept.add(ok || within(useful[l.File], l.Words))
		}
	}
	for _, m := range s.misses[:min(e.misses, len(s.misses))] {
		evalkit.Progress("%s", m)
	}
	return fmt.Sprintf("labels in %d files\n%s", len(chunks), s), nil
}

// chunks returns the rules of a file, named by its repository and path: all, or only those that
// are likely to be of use.
func (e *evaluation) chunks(ctx context.Context, name string, all bool) ([]importer.Chunk, error) {
	repo, path, _ := strings.Cut(name, "/")
	opts, err := e.repository(repo)
	if err != nil {
		return nil, err
	}
	opts.All = all
	src := importer.Find([]string{path})
	if len(src) != 1 {
		return nil, fmt.Errorf("%s is not seen as a rule file", name)
	}
	chunks, _, err := importer.Read(ctx, opts.Root, src[0], opts)
	return chunks, err
}

// add scores one label.
func (s *scores) add(l label, chunks []importer.Chunk) {
	miss := func(format string, args ...any) {
		s.misses = append(s.misses, fmt.Sprintf("%s:%d ", l.File, l.Line)+fmt.Sprintf(format, args...))
	}
	c, ok := nearest(chunks, l.Line, l.Keep)
	if !l.Keep {
		if !s.clean.add(!ok) {
			miss("kept, should be dropped: %.90s", c.What)
		}
		return
	}
	if !ok && within(chunks, l.Words) {
		s.found.add(true) // in a list that becomes one memory, type and scope are the list's
		return
	}
	if !s.found.add(ok) {
		miss("missed: %s", l.Words)
		return
	}
	if !s.typed.add(c.Type == l.Type) {
		s.confused[fmt.Sprintf("%s read as %s", l.Type, c.Type)]++
		miss("%s read as %s: %.90s | %s", l.Type, c.Type, c.What, c.Label)
	}
	if !s.scoped.add(slices.Equal(c.Scope, l.Scope)) {
		miss("scope %v, want %v", c.Scope, l.Scope)
	}
}

// String formats the scores and the confused types.
func (s scores) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "found     %v  labelled rules that are found at their line\nkept      %v  labelled rules that are also likely to be of use\nclean     %v  labelled non-rules that are dropped\ntype      %v  of the found\nscope     %v  of the found\n\n",
		s.found, s.kept, s.clean, s.typed, s.scoped)
	for _, k := range mostFrequent(s.confused) {
		fmt.Fprintf(&b, "%3d  %s\n", s.confused[k], k)
	}
	return b.String()
}

func mostFrequent(m map[string]int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(m[b]-m[a], strings.Compare(a, b)) })
}

// within reports whether words stand in a memory of more than one rule.
func within(chunks []importer.Chunk, words string) bool {
	fold := func(s string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }), " ")
	}
	words = fold(words)
	return words != "" && slices.ContainsFunc(chunks, func(c importer.Chunk) bool { return strings.Contains(fold(c.What+" "+c.Why), words) })
}

// nearest finds the rule that begins at a line or at an adjacent one.
func nearest(chunks []importer.Chunk, line int, near bool) (importer.Chunk, bool) {
	for _, d := range []int{0, 1, -1} {
		for _, c := range chunks {
			if c.Origin.Line == line+d && (d == 0 || near) {
				return c, true
			}
		}
	}
	return importer.Chunk{}, false
}
