package anchors

import (
	"context"
	"fmt"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

// healEvery selects the pairs that are taken back to their first state.
const healEvery = 4

// Titles of the tables: external pairs, then mined cases.
const (
	healRecord      = "going back: the record, in the first state with a comment before it"
	healBack        = "going back: from where the anchor was followed to"
	minedHealRecord = "Go, TypeScript and Python, " + healRecord
	minedHealBack   = "Go, TypeScript and Python, " + healBack
)

// heal returns to the first state of a pair, as a revert or another branch does. The
// record, which no resolution changes, must be fresh at its old place in a file that is
// not byte-identical. An anchor that was made again at the new place must be led back.
func (e *evaluation) heal(ctx context.Context, r *repository, p pair, a anchor.Anchor, went anchoring.Resolution, from target, before *anchoring.Source) error {
	comment := []byte("// Back again.\n")
	if before.Lang == "python" {
		comment = []byte("# Back again.\n")
	}
	record, back := healRecord, healBack
	if p.mined {
		record, back = minedHealRecord, minedHealBack
	}
	again := anchoring.TextSource(before.Path, before.Lang, "", append(comment[:len(comment):len(comment)], before.Text()...))
	only := func(s *anchoring.Source) func(string) *anchoring.Source {
		return func(path string) *anchoring.Source {
			if path == s.Path {
				return s
			}
			return nil
		}
	}
	to := from
	to.line++
	if from.symbol != nil {
		moved := *from.symbol
		moved.Start += len(comment)
		to.symbol = &moved
	}
	res := (&anchoring.World{Old: only(before), New: only(again)}).Resolve(a)
	e.heals(record, p, res, res.State == anchor.Fresh && agrees(res, to))
	if lost(went) {
		return nil
	}
	w, err := r.world(ctx, p.Commit, p.Parent)
	if err != nil {
		return err
	}
	res = w.Resolve(reanchored(a, went, r.source(p.Commit, went.Path)))
	e.heals(back, p, res, agrees(res, from))
	return nil
}

// heals records the outcome of a pair that was taken back.
func (e *evaluation) heals(title string, p pair, res anchoring.Resolution, right bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	o := outcome{kind: p.Kind, change: p.Change, state: res.State, right: right}
	o.note = fmt.Sprintf("%s %s %s | %s | %s %s %d %s", p.Repo, p.Commit[:10], title, short(p.Before), res.State, res.Rung, res.Line, res.Reason)
	e.healed[title] = append(e.healed[title], o)
}
