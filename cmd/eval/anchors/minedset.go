package anchors

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/anchor"
)

//go:embed testdata/mined.jsonl
var minedLines string

// minedCases resolves the mined cases of one repository.
func (e *evaluation) minedCases(ctx context.Context, r *repository, cases []mined) ([]outcome, error) {
	var all []outcome
	for _, c := range cases {
		before, after := r.source(c.Parent, c.From.Path), r.source(c.Commit, c.To.Path)
		from, ok := c.From.target(before)
		to, ok2 := c.To.target(after)
		if !ok || !ok2 {
			evalkit.Progress("%s: %v is not there", r.name, c)
			continue
		}
		a := anchored("", from, element{File: c.From.Path}, before)
		var res anchor.Resolution
		w, err := r.world(ctx, c.Parent, c.Commit)
		if err != nil {
			return nil, err
		}
		if e.byVerify {
			a.Commit = c.Parent
			res, err = r.verified(ctx, c.Commit, a)
			if err != nil {
				return nil, err
			}
		} else {
			res = w.Resolve(a)
		}
		o := outcome{kind: c.Lang, change: c.Change, state: res.State, right: agrees(res, to, after), same: from.bare(before) == to.bare(after)}
		o.note = fmt.Sprintf("%s %s %s | %s#%s %v -> %s#%s %v (%s) | %s %s %s#%s %d %.2f %q", c.Repo, c.Commit[:10], c.Change, c.From.Path, c.From.Symbol, c.From.Lines,
			c.To.Path, c.To.Symbol, c.To.Lines, c.Share, res.State, res.Rung, res.Path, res.Symbol, res.Line, res.Confidence, res.Reason)
		if res.Suggestion != nil {
			o.note += fmt.Sprintf(" offers %s#%s", res.Suggestion.Path, res.Suggestion.Symbol)
		}
		all = append(all, o)
		if e.byVerify {
			continue // that is all that it says
		}
		back := pair{Kind: c.Lang, Change: c.Change, Repo: c.Repo, Commit: c.Commit, Parent: c.Parent, Before: element{File: c.From.Path}, mined: true}
		if err := e.heal(ctx, r, back, a, res, from, before); err != nil {
			return nil, err
		}
		if err := e.compare(ctx, minedTitle, r, change{pair: pair{Kind: c.Lang}, from: from, to: to, before: before, after: after,
			fromCommit: c.Parent, toCommit: c.Commit, fromElement: element{File: c.From.Path}, toElement: element{File: c.To.Path}, label: c.Change}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

const minedTitle = "Go, TypeScript and Python, one commit"

// target finds a spot in its file.
func (s spot) target(f *anchor.Source) (target, bool) {
	t := target{path: s.Path}
	if f == nil {
		return t, false
	}
	if len(s.Lines) == 2 {
		t.lines, t.line = anchor.LineRange{Start: s.Lines[0], End: s.Lines[1]}, s.Lines[0]
		return t, true
	}
	for _, sym := range f.Symbols() {
		if sym.Path == s.Symbol && sym.Ordinal == s.Ordinal {
			t.symbol, t.line = &sym, f.Line(sym.Start)
			return t, true
		}
	}
	return t, false
}

// askMined resolves the mined cases of all available repositories.
func (e *evaluation) askMined(ctx context.Context) error {
	var cases []mined
	var err error
	if e.cases == "" {
		cases, err = evalkit.ParseLines[mined](minedLines)
	} else {
		cases, err = evalkit.ReadLines[mined](e.cases)
	}
	if err != nil {
		return err
	}
	of := make(map[string][]mined)
	for _, c := range cases {
		of[c.Repo] = append(of[c.Repo], c)
	}
	var all []outcome
	for _, name := range slices.Sorted(maps.Keys(of)) {
		r, err := e.open(name)
		if err != nil {
			from := name
			if i := slices.IndexFunc(minedSources, func(s minedSource) bool { return s.name == name }); i >= 0 {
				from = minedSources[i].url
			}
			evalkit.Progress("%s is left out: git clone --mirror %s into the folder of repositories (%v)", name, from, err)
			continue
		}
		outcomes, err := e.minedCases(ctx, r, of[name])
		if err != nil {
			return err
		}
		all = append(all, outcomes...)
		r.forget()
	}
	e.report(minedTitle, all)
	for _, title := range []string{minedHealRecord, minedHealBack} {
		e.report(title, e.healed[title])
	}
	return nil
}
