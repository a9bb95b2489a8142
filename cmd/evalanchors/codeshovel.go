package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
)

// methodHistory is an oracle of CodeShovel (F. Grund and others, CodeShovel:
// Constructing Method-Level Source Code Histories, ICSE 2021): where a method is
// at a commit, and the commits before it that changed it.
type methodHistory struct {
	Repository string            `json:"repositoryName"`
	Path       string            `json:"filePath"`
	Name       string            `json:"functionName"`
	Line       int               `json:"functionStartLine"`
	Commit     string            `json:"startCommitName"`
	Changes    map[string]string `json:"expectedResult"`
}

// The repositories of the development half, and those that are in neither half.
var methodRepositories = []string{"commons-io", "commons-lang", "checkstyle", "javaparser", "mockito", "flask", "httpie"}

// Titles of the tables of CodeShovel's methods.
const (
	methodsEvery = "CodeShovel's methods, every commit"
	methodsEnds  = "CodeShovel's methods, only the ends"
)

// askMethods follows each method from the commit that brought it to the end.
func (e *evaluation) askMethods(ctx context.Context) error {
	dir := filepath.Join(e.options.repos, "codeshovel")
	if _, err := os.Stat(dir); err != nil {
		progress("CodeShovel's methods are left out: %v", err)
		return nil
	}
	oracle, err := e.opened("codeshovel")
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
		if slices.Contains(methodRepositories, m.Repository) {
			of[m.Repository] = append(of[m.Repository], m)
		}
	}
	var every, ends []outcome
	for _, name := range slices.Sorted(maps.Keys(of)) {
		r, err := e.opened(name)
		if err != nil {
			return err
		}
		for _, m := range of[name] {
			o, o2, ok, err := r.method(ctx, m)
			if err != nil {
				return err
			}
			if !ok {
				progress("%s: not located: %s of %s", name, m.Name, m.Path)
				continue
			}
			every, ends = append(every, o), append(ends, o2)
		}
		r.forget()
	}
	e.report(methodsEvery, every)
	e.report(methodsEnds, ends)
	return nil
}

// opened is a repository by its name.
func (e *evaluation) opened(name string) (*repository, error) {
	if e.repos[name] == nil {
		r, err := openRepository(name, filepath.Join(e.options.repos, name))
		if err != nil {
			return nil, err
		}
		e.repos[name] = r
	}
	return e.repos[name], nil
}

// method follows one method, at every commit and by the two ends. ok is false
// when it can't be told which method of the first commit it was.
func (r *repository) method(ctx context.Context, m methodHistory) (every, ends outcome, ok bool, err error) {
	after := r.source(m.Commit, m.Path)
	to, ok := methodAt(after, m)
	if !ok {
		return every, ends, false, nil
	}
	start, before, from, ok, err := r.introduced(ctx, m, *to.symbol)
	if err != nil || !ok {
		return every, ends, false, err
	}
	h, err := r.history(ctx, m.Commit)
	if err != nil {
		return every, ends, false, err
	}
	chain := h.chain(start, m.Commit)
	if chain == nil {
		return every, ends, false, nil
	}
	a := anchor.Anchor{Kind: anchor.KindSymbol, Path: before.Path, Language: before.Lang, Symbol: from.Path, Ordinal: from.Ordinal, Blob: before.Blob}
	w, err := r.world(ctx, start, m.Commit)
	if err != nil {
		return every, ends, false, err
	}
	byEnds := w.Resolve(a)
	walk := &walker{repository: r, history: h, worlds: make(map[string]*anchor.World), visit: func(string, string, anchor.Resolution) {}}
	is, err := walk.follow(ctx, chain, a)
	if err != nil {
		return every, ends, false, err
	}
	res := is.last
	if lost(res) && !lost(byEnds) {
		res = byEnds
	}
	return m.judged(res, start, before, from, to, after), m.judged(byEnds, start, before, from, to, after), true, nil
}

func (m methodHistory) judged(res anchor.Resolution, start string, before *anchor.Source, from extract.Symbol, to target, after *anchor.Source) outcome {
	o := outcome{kind: after.Lang, change: "same file", state: res.State, right: agrees(res, to, after)}
	if before.Path != after.Path {
		o.change = "other file"
	}
	if from.Name != m.Name {
		o.change += ", renamed"
	}
	o.same = target{symbol: &from}.bare(before) == to.bare(after)
	o.note = fmt.Sprintf("%s %s..%s %s of %s:%d, %d changes | %s %s %s %s:%d %s", m.Repository, start[:10], m.Commit[:10], m.Name, m.Path, m.Line, len(m.Changes), res.State, res.Rung, res.Symbol, res.Path, res.Line, res.Reason)
	return o
}

// methodAt is the method of an oracle at its end.
func methodAt(s *anchor.Source, m methodHistory) (target, bool) {
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

// introduced finds the method in the commit that brought it: of those of its name
// that came in that commit the only one, else the only one with the parameters of the end.
func (r *repository) introduced(ctx context.Context, m methodHistory, end extract.Symbol) (commit string, s *anchor.Source, sym extract.Symbol, ok bool, err error) {
	for c, change := range m.Changes {
		if change == "Yintroduced" {
			commit = c
		}
	}
	if commit == "" {
		return "", nil, sym, false, nil
	}
	h, err := r.history(ctx, m.Commit)
	if err != nil {
		return "", nil, sym, false, err
	}
	if _, known := h.parents[commit]; !known {
		return commit, nil, sym, false, nil
	}
	parent := emptyTree
	if p := h.parents[commit]; len(p) > 0 {
		parent = p[0]
	}
	diffs, err := r.differences(ctx, parent, commit)
	if err != nil {
		return "", nil, sym, false, err
	}
	type found struct {
		source *anchor.Source
		symbol extract.Symbol
	}
	var all, alike []found
	for _, d := range diffs {
		n := r.blobAt(d.newBlob, d.path)
		if n == nil || n.Lang != language(m.Path) {
			continue
		}
		for _, t := range n.Symbols() {
			if t.Name != m.Name || !kindFits("method", t.Kind) || declares(r.blobAt(d.oldBlob, d.path), t) {
				continue
			}
			all = append(all, found{n, t})
			if sameTypes(types(between(t), true), types(between(end), true)) {
				alike = append(alike, found{n, t})
			}
		}
	}
	if len(all) != 1 {
		all = alike
	}
	if len(all) != 1 {
		return commit, nil, sym, false, nil
	}
	return commit, all[0].source, all[0].symbol, true, nil
}

// emptyTree is git's id of a tree with nothing in it.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// declares says whether a file has a declaration of the same path and signature.
func declares(s *anchor.Source, t extract.Symbol) bool {
	return s != nil && slices.ContainsFunc(s.Symbols(), func(u extract.Symbol) bool { return u.Path == t.Path && u.Signature == t.Signature })
}
