package anchors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
)

// methodHistory is an oracle of CodeShovel (F. Grund and others, CodeShovel: Constructing
// Method-Level Source Code Histories, ICSE 2021): the place of a method at a commit, and
// the earlier commits that changed it.
type methodHistory struct {
	Repository string            `json:"repositoryName"`
	Path       string            `json:"filePath"`
	Name       string            `json:"functionName"`
	Line       int               `json:"functionStartLine"`
	Commit     string            `json:"startCommitName"`
	Changes    map[string]string `json:"expectedResult"`
}

// methodSet is a subset of CodeShovel's methods with its own tables.
type methodSet struct {
	name         string
	repositories []string
}

// The first set is the development half together with the Python repositories of no half.
// The second is in no half and was never used for a choice.
var methodSets = []methodSet{
	{"CodeShovel's methods", []string{"checkstyle", "commons-io", "commons-lang", "flask", "httpie", "javaparser", "mockito"}},
	{"CodeShovel's methods in further repositories", []string{"asciinema", "hibernate-orm", "jetty.project", "keras", "pmd", "rebound", "spring-boot", "spring-framework"}},
}

// askMethods follows each method from the commit that introduced it to the end.
func (e *evaluation) askMethods(ctx context.Context) error {
	oracle, err := e.open("codeshovel")
	if err != nil {
		return err
	}
	list, err := oracle.git(ctx, "ls-tree", "-r", "--name-only", "HEAD", "src/test/resources/oracles/java", "src/test/resources/oracles/python")
	if err != nil {
		return err
	}
	of := make(map[string][]methodHistory)
	for path := range strings.Lines(string(list)) {
		_, data, ok, err := oracle.object("HEAD:" + strings.TrimSpace(path))
		if err != nil {
			return err
		}
		var m methodHistory
		if !ok {
			continue
		}
		if err := json.Unmarshal(data, &m); err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		of[m.Repository] = append(of[m.Repository], m)
	}
	for _, set := range methodSets {
		if err := e.askMethodSet(ctx, set, of); err != nil {
			return err
		}
	}
	return nil
}

// askMethodSet follows the methods of the available repositories of one set.
func (e *evaluation) askMethodSet(ctx context.Context, set methodSet, of map[string][]methodHistory) error {
	var every, ends []outcome
	for _, name := range set.repositories {
		r, err := e.open(name)
		if errors.Is(err, fs.ErrNotExist) {
			evalkit.Progress("%d of CodeShovel's methods are left out: %v", len(of[name]), err)
			continue
		}
		if err != nil {
			return err
		}
		for _, m := range of[name] {
			o, o2, err := r.method(ctx, m)
			switch {
			case errors.Is(err, errLineage):
				evalkit.Progress("%s: %s of %s is left out: %v", name, m.Name, m.Path, err)
				continue
			case err != nil:
				return err
			}
			every, ends = append(every, o), append(ends, o2)
		}
		r.forget()
		clear(r.diffs)
		clear(r.histories)
	}
	e.report(set.name+", every commit", every)
	e.report(set.name+", only the ends", ends)
	return nil
}

// method follows one method, both at every commit and from the two ends alone. It returns
// errLineage if the method of the first commit is ambiguous.
func (r *repository) method(ctx context.Context, m methodHistory) (every, ends outcome, err error) {
	after := r.source(m.Commit, m.Path)
	to, ok := methodAt(after, m)
	if !ok {
		return every, ends, fmt.Errorf("it is not at line %d of %s: %w", m.Line, m.Commit, errLineage)
	}
	start, first, err := r.lineage(ctx, m, to, after)
	if err != nil {
		return every, ends, err
	}
	before, from := first.source, first.symbol
	h, err := r.history(ctx, m.Commit)
	if err != nil {
		return every, ends, err
	}
	chain := h.Path(start, m.Commit)
	if chain == nil {
		return every, ends, fmt.Errorf("no way leads from %s to %s: %w", start, m.Commit, errLineage)
	}
	a := anchor.Anchor{Kind: anchor.KindSymbol, Path: before.Path, Language: before.Lang, Symbol: from.Path, Ordinal: from.Ordinal, Blob: before.Blob}
	w, err := r.world(ctx, start, m.Commit)
	if err != nil {
		return every, ends, err
	}
	byEnds := w.Resolve(a)
	walk := &walker{repository: r, history: h, worlds: make(map[string]*anchoring.World), visit: func(string, string, anchoring.Resolution) {}}
	is, err := walk.follow(ctx, chain, a)
	if err != nil {
		return every, ends, err
	}
	res := is.last
	if lost(res) && !lost(byEnds) {
		res = byEnds
	}
	return m.judged(res, start, first, to, after), m.judged(byEnds, start, first, to, after), nil
}

func (m methodHistory) judged(res anchoring.Resolution, start string, from declaredAt, to target, after *anchoring.Source) outcome {
	o := outcome{kind: after.Lang, change: "same file", state: res.State, right: agrees(res, to)}
	if from.source.Path != after.Path {
		o.change = "other file"
	}
	if from.symbol.Name != m.Name {
		o.change += ", renamed"
	}
	if from.stayed {
		o.change = "its code went to a new method"
	}
	o.same = target{symbol: &from.symbol}.bare(from.source) == to.bare(after)
	o.note = fmt.Sprintf("%s %s..%s %s of %s:%d, %d changes | %s %s %s %s:%d %s", m.Repository, start[:10], m.Commit[:10], m.Name, m.Path, m.Line, len(m.Changes), res.State, res.Rung, res.Symbol, res.Path, res.Line, res.Reason)
	return o
}

// methodAt finds the method of an oracle at the end of its history.
func methodAt(s *anchoring.Source, m methodHistory) (target, bool) {
	if s == nil {
		return target{}, false
	}
	for _, sym := range s.Symbols() {
		if sym.Name == m.Name && kindFits("method", sym.Kind) && s.Line(sym.Start) <= m.Line && m.Line <= s.Line(sym.NameEnd) {
			return target{path: m.Path, symbol: &sym, line: s.Line(sym.Start)}, true
		}
	}
	return target{}, false
}

// declares reports whether a file has a declaration with the same path and signature.
func declares(s *anchoring.Source, t extract.Symbol) bool {
	return s != nil && slices.ContainsFunc(s.Symbols(), func(u extract.Symbol) bool { return u.Path == t.Path && u.Signature == t.Signature })
}
