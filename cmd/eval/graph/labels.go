package graph

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"manicule/cmd/internal/evalkit"
	"manicule/grammars"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
)

// labelFiles are the hand-checked samples, one file a language with one sample or more.
// The first line of a sample is a labelHead. The lines up to the next head are labels.
//
//go:embed labels/*.jsonl
var labelFiles embed.FS

// labelHead describes a sample and how its labels were made.
type labelHead struct {
	Source     string   `json:"source"`     // its name, which is also its folder below EVAL_SAMPLES
	Repository string   `json:"repository"` // its address
	Commit     string   `json:"commit"`
	Folders    []string `json:"folders"`         // folders that were read, and exceptions: answers in other files don't count
	Except     []string `json:"except,omitzero"` // what of them was not
	How        string   `json:"how"`
}

// label is a symbol with all places that use it.
type label struct {
	Symbol string `json:"symbol"` // FILE#Type.Method
	Line   int    `json:"line"`   // line of its declaration, from 1
	Group  string `json:"group"`
	// FILE:LINE of each use: calls, and other mentions. The "may" ones go through something
	// that it implements or overrides.
	Calls    []string `json:"calls"`
	MayCalls []string `json:"may_calls"`
	Uses     []string `json:"uses"`
	MayUses  []string `json:"may_uses"`
}

// file and path are the two sides of the symbol.
func (l label) file() string { f, _, _ := strings.Cut(l.Symbol, "#"); return f }
func (l label) path() string { _, p, _ := strings.Cut(l.Symbol, "#"); return p }

// name is the last part of the path.
func (l label) name() string { return lastPart(l.path()) }

func lastPart(dotted string) string { return dotted[strings.LastIndexByte(dotted, '.')+1:] }

// sample holds the labels of one repository.
type sample struct {
	labelHead
	language grammars.Language
	labels   []label
}

// readSamples reads all labels, by language in the order of grammars.All.
func readSamples(files fs.FS) ([]sample, error) {
	var out []sample
	for _, l := range grammars.All() {
		name := "labels/" + l.ID + ".jsonl"
		data, err := fs.ReadFile(files, name)
		if err != nil {
			continue // no sample of this language
		}
		of, err := parseSamples(data)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		for i := range of {
			of[i].language = l
		}
		out = append(out, of...)
	}
	return out, nil
}

func parseSamples(data []byte) ([]sample, error) {
	var out []sample
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var line struct {
			labelHead
			label
		}
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		switch {
		case line.Source != "":
			out = append(out, sample{labelHead: line.labelHead})
		case len(out) == 0:
			return nil, fmt.Errorf("line %d: a label comes before what it was taken from", n)
		case line.file() == "" || line.path() == "":
			return nil, fmt.Errorf("line %d: the symbol %q is not of the form FILE#Symbol", n, line.Symbol)
		default:
			last := &out[len(out)-1]
			last.labels = append(last.labels, line.label)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	return out, nil
}

// parsePlaces parses and joins lists of FILE:LINE.
func parsePlaces(lists ...[]string) (places, error) {
	out := places{}
	for _, text := range slices.Concat(lists...) {
		i := strings.LastIndexByte(text, ':')
		line, err := strconv.Atoi(text[i+1:])
		if i < 1 || err != nil || line < 1 {
			return nil, fmt.Errorf("the place %q is not of the form FILE:LINE", text)
		}
		out[place{text[:i], line}] = true
	}
	return out, nil
}

// labelScore sums the comparisons of one language or group.
type labelScore struct {
	symbols                              int
	calls, wide, refs, grep, finds, sure score // wide: with the possible ones; grep and finds: all uses, and calls
}

func (s *labelScore) sum(o labelScore) {
	s.symbols += o.symbols
	s.calls.sum(o.calls)
	s.wide.sum(o.wide)
	s.finds.sum(o.finds)
	s.refs.sum(o.refs)
	s.grep.sum(o.grep)
	s.sure.sum(o.sure)
}

func (s *labelScore) row(t *evalkit.Table, name, from string) {
	t.Add(name, from, s.symbols, s.calls.oracle, s.calls.precision(), s.calls.recall(), s.wide.precision(), s.wide.recall(),
		s.refs.oracle, s.refs.precision(), s.refs.recall(), s.sure.precision(), s.grep.precision(), s.finds.precision())
}

// askSamples compares with the hand-checked samples.
func (e *evaluation) askSamples(ctx context.Context) error {
	samples, err := readSamples(labelFiles)
	if err != nil {
		return err
	}
	if e.samples == "" {
		return evalkit.Missing("the sources of the hand-checked samples are not there: put checkouts of the repositories that cmd/eval/graph/FIGURES.md names into one folder and name it with -samples")
	}
	t := evalkit.NewTable("language", "source", "symbols", "calls", "precision", "recall", "with possible ones: precision", "recall", "references", "precision", "recall", "precision of must", "grep precision", "grep for calls: precision")
	diff := &differences{e.misses}
	byGroup := map[string]*labelScore{}
	var all labelScore
	for _, s := range samples {
		if len(e.languages) > 0 && !slices.Contains(e.languages, s.language.ID) {
			continue
		}
		one, err := e.compareSample(ctx, s, byGroup, diff)
		if err != nil {
			return err
		}
		one.row(t, s.language.Name, fmt.Sprintf("%s %.9s", s.Source, s.Commit))
		all.sum(one)
	}
	for _, g := range slices.Sorted(maps.Keys(byGroup)) {
		byGroup[g].row(t, "*"+g+"*", "all")
	}
	all.row(t, "**all**", "")
	e.sections = append(e.sections, evalkit.Section{Title: "Other languages: samples checked by hand", Notes: []string{"The files of labels name the repositories and their commits."}, Table: t})
	return nil
}

// compareSample compares the graph of a repository with its labels.
func (e *evaluation) compareSample(ctx context.Context, s sample, byGroup map[string]*labelScore, diff *differences) (labelScore, error) {
	from := source{s.Source, s.Repository, s.Commit}
	root, err := from.at(filepath.Join(e.samples, s.Source))
	if err != nil {
		return labelScore{}, err
	}
	read, err := s.files(root)
	if err != nil {
		return labelScore{}, err
	}
	ix, g, err := e.indexed(ctx, root)
	if err != nil {
		return labelScore{}, err
	}
	grep := grepWords(root, read, s.names())
	var total labelScore
	for _, l := range s.labels {
		one, err := compareLabel(ctx, ix, g, l, read, grep[l.name()], diff)
		if err != nil {
			return labelScore{}, fmt.Errorf("%s: %s: %w", s.Source, l.Symbol, err)
		}
		total.sum(one)
		if byGroup[l.Group] == nil {
			byGroup[l.Group] = &labelScore{}
		}
		byGroup[l.Group].sum(one)
	}
	return total, nil
}

// compareLabel compares one symbol. Overloads are one symbol.
func compareLabel(ctx context.Context, ix *graph.Index, g *graph.Graph, l label, read map[string]bool, grep places, diff *differences) (labelScore, error) {
	calls, err := parsePlaces(l.Calls, l.MayCalls)
	if err != nil {
		return labelScore{}, err
	}
	refs, err := parsePlaces(l.Calls, l.MayCalls, l.Uses, l.MayUses)
	if err != nil {
		return labelScore{}, err
	}
	found := labelled(g, l)
	what := l.Group
	if len(found) == 0 {
		what += " (not found)"
	}
	one := labelScore{symbols: 1}
	missed, wrong := one.calls.add(calls, relations(through(g.Callers(found)), read))
	diff.show("call "+what, l.Symbol, missed, wrong)
	possible, err := ix.Possible(ctx, found)
	if err != nil {
		return one, err
	}
	missed, _ = one.wide.add(calls, relations(append(through(g.Callers(found)), possible...), read))
	diff.show("possible "+what, l.Symbol, missed, nil)
	all := through(g.References(found))
	missed, wrong = one.refs.add(refs, relations(all, read))
	diff.show("ref "+what, l.Symbol, missed, wrong)
	must := slices.DeleteFunc(slices.Clone(all), func(r graph.Relation) bool { return r.Kind != graph.Must })
	one.sure.add(refs, relations(must, read))
	lines := places{}
	for at := range grep {
		if at != (place{l.file(), l.Line}) {
			lines[at] = true
		}
	}
	one.grep.add(refs, lines)
	one.finds.add(calls, lines)
	return one, nil
}

// labelled finds the symbol of a label with its overloads, which are one symbol to a
// caller. A field of the same name is a different symbol. An Elixir module is declared
// under its full name.
func labelled(g *graph.Graph, l label) []*resolve.Symbol {
	all := slices.DeleteFunc(slices.Clone(g.Find(l.file(), l.path())), func(s *resolve.Symbol) bool { return lastPart(s.Name) != l.name() })
	i := slices.IndexFunc(all, func(s *resolve.Symbol) bool { return s.Line <= l.Line && l.Line <= s.EndLine })
	if i < 0 {
		return nil
	}
	kind := all[i].Kind
	return slices.DeleteFunc(all, func(s *resolve.Symbol) bool { return s.Kind != kind })
}

// names returns the names of all labels.
func (s sample) names() map[string]bool {
	out := map[string]bool{}
	for _, l := range s.labels {
		out[l.name()] = true
	}
	return out
}

// files lists the files of the language in the sample's folders.
func (s sample) files(root string) (map[string]bool, error) {
	out := map[string]bool{}
	for _, folder := range s.Folders {
		err := fs.WalkDir(os.DirFS(root), folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if slices.Contains(s.Except, name) {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if l, ok := grammars.ForPath(name); ok && d.Type().IsRegular() && path.Base(name) != ".git" && s.reads(l.ID) {
				out[name] = true
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("list %s of %s: %w", folder, s.Source, err)
		}
	}
	return out, nil
}

// reads reports whether files of a language belong to the sample. C++ headers often look
// like C headers.
func (s sample) reads(id string) bool {
	return id == s.language.ID || s.language.ID == "cpp" && id == "c"
}

// grepWords returns the lines on which a name stands as a word, as grep -w finds them.
func grepWords(root string, files, names map[string]bool) map[string]places {
	out := map[string]places{}
	for file := range files {
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			continue // the graph has read it a moment ago
		}
		for i, line := range strings.Split(string(src), "\n") {
			for _, w := range strings.FieldsFunc(line, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
				if !names[w] {
					continue
				}
				if out[w] == nil {
					out[w] = places{}
				}
				out[w][place{file, i + 1}] = true
			}
		}
	}
	return out
}
