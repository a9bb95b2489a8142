package refactor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"manicule/indexer/extract"
	"manicule/indexer/sorting"
)

// Case is two states of the files that a refactoring changed, with places of spots in
// both.
type Case struct {
	Repo   string `json:"repo"`
	Lang   string `json:"lang"`
	Commit string `json:"commit"`
	Next   string `json:"next,omitzero"` // the real commit applied on top
	Kind   string `json:"kind"`          // several steps joined with " + "

	Before map[string]string `json:"before"`
	After  map[string]string `json:"after"`
	Probes []Probe           `json:"probes"`
}

// Probe is one spot before and after.
type Probe struct {
	Before Spot `json:"before"`
	After  Spot `json:"after"`
	Beside bool `json:"beside,omitzero"` // near the refactored code, not part of it
}

// Maker makes the cases of one repository in one language.
type Maker struct {
	Repo, Dir, Lang string
	Rand            *rand.Rand
}

// together lists the refactorings that are applied to the same declaration.
var together = [][]string{
	{"rename function", "move declaration"}, {"rename function", "parameter added"}, {"rename type and its variables", "move file"},
	{"rename type", "move file"}, {"rename field", "rename type and its variables"}, {"parameter added", "move declaration"},
	{"extract function", "rename function"}, {"rename type and its variables", "rename function"}, {"move declaration", "move file"},
	{"type change, rename", "rename type and its variables"},
}

// Commits picks random commits, each with a later one that changed files of the language.
func (m *Maker) Commits(ctx context.Context, n int) ([][2]string, error) {
	args := []string{"-C", m.Dir, "rev-list", "--first-parent", "HEAD", "--"}
	for _, ext := range extensions[m.Lang] {
		args = append(args, "*"+ext)
	}
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("list the commits of %s: %w", m.Repo, err)
	}
	all := strings.Fields(string(out))
	all = all[:len(all)*9/10] // the first ones hold too little
	var picked [][2]string
	for range n {
		i := 1 + m.Rand.IntN(max(1, len(all)-1))
		next := max(0, i-1-m.Rand.IntN(12))
		if i < len(all) {
			picked = append(picked, [2]string{all[i], all[next]})
		}
	}
	return picked, nil
}

var extensions = map[string][]string{"java": {".java"}, "go": {".go"}, "typescript": {".ts"}, "python": {".py"}, "rust": {".rs"}}

// Scripted makes cases at a commit with scripts: each refactoring alone, some combined,
// and half of them with the real commit on top.
func (m *Maker) Scripted(ctx context.Context, commit, next string) ([]Case, error) {
	was, later, err := m.load(ctx, commit, next)
	if err != nil || len(was) < minFiles {
		return nil, err
	}
	words := newVocabulary(was)
	var all []Case
	kinds := slices.Clone(together)
	for k := range scripts {
		kinds = append(kinds, []string{k})
	}
	sorting.Func(kinds, func(a, b []string) int { return strings.Compare(strings.Join(a, "+"), strings.Join(b, "+")) })
	for _, kind := range kinds {
		if c, ok := m.one(ctx, was, words, func(s *script, i int) (Step, bool) {
			if i == len(kind) {
				return Step{}, false
			}
			return scripts[kind[i]](s)
		}, len(kind), later, commit, next); ok {
			all = append(all, c)
		}
	}
	return all, ctx.Err()
}

func (m *Maker) load(ctx context.Context, commit, next string) (was, later State, err error) {
	if was, err = Load(ctx, m.Dir, commit, m.Lang); err != nil {
		return nil, nil, err
	}
	later, err = Load(ctx, m.Dir, next, m.Lang)
	return was, later, err
}

// minFiles is the number of files that a commit needs.
const minFiles = 3

// tries is the number of attempts for a refactoring at one commit.
const tries = 4

// one makes a case of some steps.
func (m *Maker) one(ctx context.Context, was State, words *vocabulary, step func(*script, int) (Step, bool), n int, later State, commit, next string) (Case, bool) {
	for range tries {
		s := &script{lang: m.Lang, state: was, words: words, rand: m.Rand}
		var steps []Step
		for i := range n {
			st, ok := step(s, i)
			if !ok {
				break
			}
			steps = append(steps, st)
			s = &script{lang: m.Lang, state: st.After, words: words, rand: m.Rand}
			if to, ok := st.at(st.Targets[0]); ok {
				s.on = &to
			}
		}
		if len(steps) < n || ctx.Err() != nil {
			continue
		}
		c := Case{Repo: m.Repo, Lang: m.Lang, Commit: commit}
		if m.Rand.IntN(2) == 0 {
			if last, ok := mergeCommit(ctx, was, steps, later); ok {
				steps = append(steps, last)
				c.Next = next
			}
		}
		if m.finish(&c, was, steps) {
			return c, true
		}
	}
	return Case{}, false
}

// mergeCommit merges the changes of real commits into the result of the steps.
func mergeCommit(ctx context.Context, was State, steps []Step, later State) (Step, bool) {
	is := steps[len(steps)-1].After
	moved := map[string]string{}
	for _, s := range steps {
		if r, ok := s.mapping.(renames); ok {
			for p, q := range r.files {
				moved[p] = q
			}
		}
	}
	changed := map[string]string{}
	shared := false
	for _, p := range was.Differing(later) {
		q := p
		if moved[p] != "" {
			q = moved[p]
		}
		if is[q] == was[p] {
			changed[q] = later[p]
			continue
		}
		text, ok := mergeTexts(ctx, was[p], is[q], later[p])
		if !ok {
			return Step{}, false
		}
		changed[q] = text
		shared = true
	}
	after := is.with(changed)
	return Step{"", after, nil, newTexts(is, after)}, shared && len(changed) <= 2*maxFiles
}

// mergeTexts merges two changes of a text with git. ok is false on a conflict.
func mergeTexts(ctx context.Context, base, ours, theirs string) (text string, ok bool) {
	if base == "" || ours == "" || theirs == "" {
		return "", false
	}
	dir, err := os.MkdirTemp("", "merge")
	if err != nil {
		return "", false
	}
	defer func() { _ = os.RemoveAll(dir) }() // scratch
	for name, content := range map[string]string{"base": base, "ours": ours, "theirs": theirs} {
		if os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600) != nil {
			return "", false
		}
	}
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "merge-file", "-p", "ours", "base", "theirs").Output()
	return string(out), err == nil
}

// Numbers of spots beside the refactored code.
const (
	besideSymbols = 2
	besideLines   = 2
)

// finish maps the spots through all steps.
func (m *Maker) finish(c *Case, was State, steps []Step) bool {
	is := steps[len(steps)-1].After
	differ := was.Differing(is)
	if len(differ) == 0 || len(differ) > 3*maxFiles {
		return false
	}
	var kinds []string
	for _, s := range steps {
		if s.Kind != "" {
			kinds = append(kinds, s.Kind)
		}
	}
	c.Kind = strings.Join(kinds, " + ")
	seen := map[Spot]bool{}
	add := func(s Spot, beside bool) {
		if to, ok := through(s, steps); ok && !seen[s] && (was[s.Path] != is[to.Path] || s.Path != to.Path) {
			seen[s] = true
			c.Probes = append(c.Probes, Probe{s, to, beside})
		}
	}
	for _, s := range steps[0].Targets {
		add(s, false)
	}
	if len(c.Probes) == 0 {
		return false
	}
	first := changedFiles(was, steps[0].After)
	for range besideSymbols + besideLines {
		p := first[m.Rand.IntN(len(first))]
		syms := was.symbols(p)
		if len(syms) == 0 {
			continue
		}
		t := syms[m.Rand.IntN(len(syms))]
		if m.Rand.IntN(2) == 0 {
			add(spotOf(was, p, t), true)
			continue
		}
		line := spotOf(was, p, t).Line + m.Rand.IntN(1+strings.Count(was[p][t.Start:t.End], "\n"))
		if len(strings.TrimSpace(was.lines(p)[line-1])) >= shortLine {
			add(Spot{Path: p, Line: line}, true)
		}
	}
	c.Before, c.After = map[string]string{}, map[string]string{}
	for _, p := range differ {
		if text, ok := was[p]; ok {
			c.Before[p] = text
		}
		if text, ok := is[p]; ok {
			c.After[p] = text
		}
	}
	return true
}

// changedFiles lists the files that a step changed and that existed before.
func changedFiles(was, is State) []string {
	return slices.DeleteFunc(was.Differing(is), func(p string) bool { _, ok := was[p]; return !ok })
}

func through(s Spot, steps []Step) (Spot, bool) {
	for _, st := range steps {
		to, ok := st.at(s)
		if !ok {
			return Spot{}, false
		}
		s = to
	}
	return s, true
}

// onTop lists what is applied to a declaration that a tool refactored: another tool's step,
// or a scripted one.
var onTop = []string{"rename function", "rename type and its variables", "parameter added", "tool: rename function", "tool: move", "tool: extract function",
	"tool: change signature"}

// Tooled makes cases at a commit with the language's tool, which works in a work tree
// below scratch. Each refactoring is applied alone, and each third with another one on
// top. What the tool answers is counted in answers. Cases that were made before an error
// are returned with it.
func (m *Maker) Tooled(ctx context.Context, command ToolCommand, commit, next, scratch string, each int, answers *Answers) (all []Case, err error) {
	was, later, err := m.load(ctx, commit, next)
	if err != nil {
		return nil, err
	}
	if len(was) < minFiles {
		return nil, fmt.Errorf("%s has %d files of %s, fewer than %d", commit, len(was), m.Lang, minFiles)
	}
	root := filepath.Join(scratch, m.Repo+"-"+commit[:10])
	if err := m.checkout(ctx, root, commit); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	t, err := startTool(ctx, root, was, command)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	words := newVocabulary(was)
	for _, k := range slices.Sorted(maps.Keys(tools)) {
		for i := range each {
			kinds := []string{k}
			if i%3 == 2 {
				kinds = append(kinds, onTop[m.Rand.IntN(len(onTop))])
			}
			c, ok := m.one(ctx, was, words, func(s *script, i int) (Step, bool) {
				if do, ok := tools[kinds[i]]; ok {
					return do(&toolScript{s, t, answers, ctx})
				}
				return scripts[kinds[i]](s)
			}, len(kinds), later, commit, next)
			if ok {
				all = append(all, c)
			}
			if err := t.ended(); err != nil {
				return all, err
			}
		}
	}
	return all, ctx.Err()
}

// checkout writes the files of a commit.
func (m *Maker) checkout(ctx context.Context, root, commit string) error {
	if err := os.MkdirAll(root, 0o750); err != nil {
		return err
	}
	archive := exec.CommandContext(ctx, "git", "-C", m.Dir, "archive", commit)
	out, err := archive.StdoutPipe()
	if err != nil {
		return err
	}
	tar := exec.CommandContext(ctx, "tar", "-x", "-C", root)
	tar.Stdin = out
	if err := archive.Start(); err != nil {
		return err
	}
	if err := tar.Run(); err != nil {
		return fmt.Errorf("lay out %s of %s: %w", commit, m.Repo, err)
	}
	return archive.Wait()
}

// wanted returns the declaration that a step should refactor, if it fits.
func (s *script) wanted(fits func(t extract.Symbol) bool) (string, extract.Symbol, bool) {
	if s.on == nil || s.on.Symbol == "" {
		return "", extract.Symbol{}, false
	}
	for _, t := range s.state.symbols(s.on.Path) {
		if t.Path == s.on.Symbol && t.Ordinal == s.on.Ordinal && fits(t) {
			return s.on.Path, t, true
		}
	}
	return "", extract.Symbol{}, false
}
