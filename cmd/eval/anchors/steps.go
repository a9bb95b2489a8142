package anchors

import (
	"context"
	"fmt"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

// outcome is the result of one method for one pair.
type outcome struct {
	kind, change string
	state        anchor.State
	right        bool
	same         bool // whether the tokens of the cited code are unchanged
	note         string
}

// anchored makes the anchor of an element.
func anchored(kind string, t target, e element, s *anchoring.Source) anchor.Anchor {
	a := anchor.Anchor{Kind: anchor.KindLines, Path: e.File, Language: s.Lang, Blob: s.Blob}
	if t.symbol != nil {
		a.Kind, a.Symbol, a.Ordinal = anchor.KindSymbol, t.symbol.Path, t.symbol.Ordinal
		return a
	}
	lines := t.lines
	a.Lines = &lines
	if kind == "variable" {
		a.Focus = variable(e.Element)
	}
	return a
}

func (e *evaluation) steps(ctx context.Context, r *repository, pairs []pair) ([]outcome, error) {
	var all []outcome
	skipped := map[string]int{}
	for i, p := range pairs {
		before, after := r.blobAt(p.Before.Blob, p.Before.File), r.blobAt(p.After.Blob, p.After.File)
		from, ok := locate(p.Kind, p.Before, before)
		to, ok2 := locate(p.Kind, p.After, after)
		if !ok || !ok2 {
			skipped[p.Kind]++
			if e.misses > 0 && skipped[p.Kind] < 5 {
				evalkit.Progress("not found: %v %v %s -> %s", ok, ok2, p.Before.Element, p.After.Element)
			}
			continue
		}
		w, err := r.world(ctx, p.Parent, p.Commit)
		if err != nil {
			return nil, err
		}
		a := anchored(p.Kind, from, p.Before, before)
		res := w.Resolve(a)
		o := outcome{kind: p.Kind, change: p.Change, state: res.State, right: agrees(res, to), same: from.bare(before) == to.bare(after)}
		o.note = fmt.Sprintf("%s %s %s %s | %s -> %s | %s %s %d %s %.2f %q", p.name(), p.Repo, p.Commit[:10], p.Change, short(p.Before), short(p.After), res.State, res.Rung, res.Line, res.Symbol, res.Confidence, res.Reason)
		if res.Path != p.After.File {
			o.note += " in " + res.Path
		}
		all = append(all, o)
		if i%healEvery == 0 {
			if err := e.heal(ctx, r, p, a, res, from, before); err != nil {
				return nil, err
			}
		}
		if err := e.compare(ctx, "one commit", r, change{pair: p, from: from, to: to, before: before, after: after,
			fromCommit: p.Parent, toCommit: p.Commit, fromElement: p.Before, toElement: p.After, label: p.Change}); err != nil {
			return nil, err
		}
	}
	if len(skipped) > 0 {
		evalkit.Progress("%s: not located: %v", r.name, skipped)
	}
	return all, nil
}

// compare runs the baselines unless they are switched off.
func (e *evaluation) compare(ctx context.Context, set string, r *repository, c change) error {
	if e.quick {
		return nil
	}
	answers, err := r.baselines(ctx, c)
	if err != nil {
		return err
	}
	for name, o := range answers {
		e.note(set, name, o)
	}
	return nil
}

// note records the result of a baseline.
func (e *evaluation) note(set, name string, o outcome) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := set + "\x00" + name
	e.baselines[key] = append(e.baselines[key], o)
}

func short(e element) string { return fmt.Sprintf("%s %v", e.Element, e.Lines) }

// agrees reports whether a resolution is at an element.
func agrees(r anchoring.Resolution, t target) bool {
	if r.Path != t.path || r.State == anchor.Orphaned {
		return false
	}
	if t.symbol != nil {
		return r.Start == t.symbol.Start && r.Symbol == t.symbol.Path
	}
	return r.Line == t.line
}
