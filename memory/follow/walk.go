package follow

import (
	"context"
	"path"
	"slices"

	"manicule/indexer/anchor"
	"manicule/indexer/gittree"
)

// rungHistory is the step of the ladder on which only small steps helped.
const rungHistory anchor.Rung = "history"

// lost says whether the two ends alone don't show where an anchor is.
func lost(r anchor.Resolution) bool {
	return r.State == anchor.Orphaned || r.State == anchor.Stale
}

// walk follows an anchor through each commit since its own that changed its
// file: what was renamed in one and rewritten in another is like itself in each.
// Where it is lost on the way, ended is that commit. Nothing is followed further
// than it is settled, so that a wrong step can't be hidden by later ones.
func (s *solver) walk(a anchor.Anchor) (r anchor.Resolution, ended string, ok bool) {
	a.Path = path.Clean(a.Path)
	b := s.base(a)
	line := s.line()
	from := slices.Index(line, b.commit)
	if s.repo == nil || b.commit == "" || b.blob != "" || from <= 0 || a.Kind == anchor.KindGlob || a.Kind == anchor.KindFile {
		return r, "", false
	}
	cur, sure, steps := a, 1.0, 0
	for i := from - 1; i >= 0; i-- {
		tree, readable := s.repo.Tree(line[i])
		if !readable {
			return r, "", false
		}
		if tree.Blob(cur.Path) == cur.Blob {
			continue
		}
		if steps++; steps > maxSteps {
			return r, "", false
		}
		cur.Commit = line[i+1]
		next := s.step(line[i], tree).resolve(cur)
		if lost(next) {
			return r, line[i], false
		}
		if next.State == anchor.Followed {
			sure = min(sure, next.Confidence)
		}
		if cur, readable = s.stand(cur, next, tree); !readable {
			return r, "", false
		}
	}
	cur.Commit = line[0]
	r = s.resolve(cur)
	if steps == 0 || lost(r) {
		return r, "", false
	}
	return stepped(a, r, sure), "", true
}

// step is what looks for anchors in a commit. It shares what was parsed.
func (s *solver) step(commit string, tree gittree.Tree) *solver {
	if t, ok := s.steps[commit]; ok {
		return t
	}
	t := newSolver(s.at, s.repo, s.head, committed{tree, s.repo})
	t.sources = s.sources
	s.steps[commit] = t
	return t
}

// stand makes a new record of an anchor in a commit.
func (s *solver) stand(a anchor.Anchor, r anchor.Resolution, tree gittree.Tree) (anchor.Anchor, bool) {
	text, err := s.repo.Blob(tree.Blob(r.Path))
	if err != nil {
		return a, false
	}
	next, err := remake(context.Background(), a, placeOf("", r), text)
	if err != nil {
		return a, false
	}
	next.Blob = tree.Blob(r.Path)
	if r.Focus != "" {
		next.Focus = r.Focus
	}
	return next, true
}

// stepped is the last step's resolution as one of the first record.
func stepped(a anchor.Anchor, r anchor.Resolution, sure float64) anchor.Resolution {
	r.Confidence, r.Rung = min(sure, r.Confidence), rungHistory
	moved := r.Path != a.Path || r.Symbol != a.Symbol && a.Symbol != ""
	switch {
	case moved:
		to := anchor.Place{Path: r.Path, Symbol: r.Symbol}
		r.State, r.Reason = anchor.Followed, placeOfRecord(a)+" became "+to.String()+" commit by commit, and its code changed"
	case r.State != anchor.Drifted:
		r.State, r.Reason = anchor.Drifted, "the code of "+placeOfRecord(a)+" changed commit by commit"
	}
	return r
}

func placeOfRecord(a anchor.Anchor) string {
	return anchor.Place{Path: a.Path, Symbol: a.Symbol}.String()
}
