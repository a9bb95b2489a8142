package anchors

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

//go:embed testdata/mined.jsonl
var minedLines string

// minedQuestion is a mined case with the code that it is about.
type minedQuestion struct {
	mined
	anchor        anchor.Anchor
	from, to      target
	before, after *anchoring.Source
}

// minedCases resolves the mined cases of one repository.
func (e *evaluation) minedCases(ctx context.Context, r *repository, cases []mined) ([]outcome, error) {
	var questions []minedQuestion
	for _, c := range cases {
		q := minedQuestion{mined: c, before: r.source(c.Parent, c.From.Path), after: r.source(c.Commit, c.To.Path)}
		var ok, ok2 bool
		q.from, ok = c.From.target(q.before)
		q.to, ok2 = c.To.target(q.after)
		if !ok || !ok2 {
			evalkit.Progress("%s: %v is not there", r.name, c)
			continue
		}
		q.anchor = anchored("", q.from, element{File: c.From.Path}, q.before)
		questions = append(questions, q)
	}
	if e.byVerify { // that is all that it says
		return r.minedByVerify(ctx, questions)
	}
	var all []outcome
	for _, q := range questions {
		w, err := r.world(ctx, q.Parent, q.Commit)
		if err != nil {
			return nil, err
		}
		res := w.Resolve(q.anchor)
		all = append(all, q.outcome(res))
		back := pair{Kind: q.Lang, Change: q.Change, Repo: q.Repo, Commit: q.Commit, Parent: q.Parent, Before: element{File: q.From.Path}, mined: true}
		if err := e.heal(ctx, r, back, q.anchor, res, q.from, q.before); err != nil {
			return nil, err
		}
		if err := e.compare(ctx, minedTitle, r, change{pair: pair{Kind: q.Lang}, from: q.from, to: q.to, before: q.before, after: q.after,
			fromCommit: q.Parent, toCommit: q.Commit, fromElement: element{File: q.From.Path}, toElement: element{File: q.To.Path}, label: q.Change}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// minedByVerify resolves the cases that end at one commit together, as verify does.
func (r *repository) minedByVerify(ctx context.Context, questions []minedQuestion) ([]outcome, error) {
	at := make(map[string][]int)
	for i, q := range questions {
		at[q.Commit] = append(at[q.Commit], i)
	}
	all := make([]outcome, len(questions))
	for _, commit := range slices.Sorted(maps.Keys(at)) {
		var anchors []anchor.Anchor
		for _, i := range at[commit] {
			a := questions[i].anchor
			a.Commit = questions[i].Parent
			anchors = append(anchors, a)
		}
		found, err := r.verified(ctx, commit, anchors)
		if err != nil {
			return nil, err
		}
		for k, i := range at[commit] {
			all[i] = questions[i].outcome(found[k])
		}
		evalkit.Progress("%s at %.10s: %d cases as verify says", r.name, commit, len(anchors))
	}
	return all, nil
}

// outcome judges an answer.
func (q minedQuestion) outcome(res anchoring.Resolution) outcome {
	o := outcome{kind: q.Lang, change: q.Change, state: res.State, right: agrees(res, q.to), same: q.from.bare(q.before) == q.to.bare(q.after)}
	o.note = fmt.Sprintf("%s %s %s | %s#%s %v -> %s#%s %v (%s) | %s %s %s#%s %d %.2f %q", q.Repo, q.Commit[:10], q.Change, q.From.Path, q.From.Symbol, q.From.Lines,
		q.To.Path, q.To.Symbol, q.To.Lines, q.Share, res.State, res.Rung, res.Path, res.Symbol, res.Line, res.Confidence, res.Reason)
	if res.Suggestion != nil {
		o.note += fmt.Sprintf(" offers %s#%s", res.Suggestion.Path, res.Suggestion.Symbol)
	}
	return o
}

const minedTitle = "Go, TypeScript and Python, one commit"

// target finds a spot in its file.
func (s spot) target(f *anchoring.Source) (target, bool) {
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
