package ledger

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/store"
)

// TypeWeight is what the sessions here tell of a type of memory: how often agents that were shown one did what it
// says, against the other types.
type TypeWeight struct {
	Type     file.Type `json:"type"`
	Followed int       `json:"followed"`
	Decided  int       `json:"decided"` // followed, overridden or ignored
	// Weight is a factor of the type's weight in every phase; 1 if too little is known.
	Weight float64 `json:"weight"`
	// Phases are those in which enough was shown, with weights of their own.
	Phases []PhaseWeight `json:"phases"`
}

// PhaseWeight is what the sessions here tell of a type in one phase of work.
type PhaseWeight struct {
	Phase    retrieve.Phase `json:"phase"`
	Followed int            `json:"followed"`
	Decided  int            `json:"decided"`
	// Weight stands in the place of the type's in this phase.
	Weight float64 `json:"weight"`
}

// Limits of learned weights.
const (
	weighFrom    = 30 // sessions that were told something
	weighDecided = 10 // showings of a type, and of a type in a phase
	// weighPrior is the number of usual showings that a type, and a type in a phase, starts with: so many of its own count half.
	weighPrior  = 20.0
	leastWeight = 0.8
	mostWeight  = 1.2
	// keepWeights is how long a change of a weight is kept.
	keepWeights = 2 * 365 * 24 * time.Hour
)

// tally counts the showings with an outcome.
type tally struct{ followed, decided int }

func (t tally) plus(o tally) tally { return tally{t.followed + o.followed, t.decided + o.decided} }
func (t tally) minus(o tally) tally {
	return tally{max(0, t.followed-o.followed), max(0, t.decided-o.decided)}
}

// share is the followed share, smoothed by other showings.
func (t tally) share(by prior) float64 {
	return (float64(t.followed) + by.followed) / (float64(t.decided) + by.decided)
}

// prior is the showings that a share starts with.
type prior struct{ followed, decided float64 }

// cell is a type in a phase; NoPhase is all showings, also those whose phase is unknown.
type cell struct {
	typ   file.Type
	phase retrieve.Phase
}

func cellOf(r store.WeightRow) cell { return cell{file.Type(r.Type), retrieve.Phase(r.Phase)} }

// evidence is what weights are learned from.
type evidence struct {
	cells map[cell]tally
	told  int // sessions that were told something
}

// weights learns from the evidence; none before 30 sessions were told something.
func (e evidence) weights() []TypeWeight {
	out := []TypeWeight{}
	var all tally
	for _, t := range file.Types() {
		all = all.plus(e.cells[cell{t, retrieve.NoPhase}])
	}
	if e.told < weighFrom || all.followed == 0 {
		return out
	}
	usual := float64(all.followed) / float64(all.decided)
	for _, t := range file.Types() {
		of := e.cells[cell{t, retrieve.NoPhase}]
		w := TypeWeight{Type: t, Followed: of.followed, Decided: of.decided, Weight: 1, Phases: []PhaseWeight{}}
		if of.decided >= weighDecided {
			w.Weight = bounded(of.share(prior{weighPrior * usual, weighPrior}) / usual)
		}
		w.Phases = e.inPhases(t, w.Weight)
		if of.decided >= weighDecided || len(w.Phases) > 0 {
			out = append(out, w)
		}
	}
	sorting.Func(out, func(a, b TypeWeight) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Type, b.Type)) })
	return out
}

// inPhases learns what a type weighs in single phases: how often it was followed there, against its other phases, as far
// as the other types don't differ from theirs in the same way. All four must have been shown often enough.
func (e evidence) inPhases(t file.Type, weight float64) []PhaseWeight {
	out, half := []PhaseWeight{}, prior{.5, 1} // so that no share is 0
	for _, p := range retrieve.Phases() {
		here, elsewhere := e.cells[cell{t, p}], e.elsewhere(t, p)
		least := min(here.decided, elsewhere.decided)
		others, known := tally{}, 0
		expected := .5 // of the others, by their own other phases; as share smooths
		for _, o := range file.Types() {
			its, itsElsewhere := e.cells[cell{o, p}], e.elsewhere(o, p)
			if both := min(its.decided, itsElsewhere.decided); o != t && both >= weighDecided {
				others = others.plus(its)
				known += both
				expected += float64(its.decided) * itsElsewhere.share(half)
			}
		}
		if least = min(least, known); least < weighDecided {
			continue
		}
		more := here.share(half) / elsewhere.share(half) / ((float64(others.followed) + .5) / expected)
		sure := float64(least) / (float64(least) + weighPrior)
		out = append(out, PhaseWeight{Phase: p, Followed: here.followed, Decided: here.decided, Weight: bounded(weight * math.Pow(more, sure))})
	}
	return out
}

// elsewhere adds up the showings of a type in the other phases.
func (e evidence) elsewhere(t file.Type, p retrieve.Phase) (sum tally) {
	for c, n := range e.cells {
		if c.typ == t && c.phase != p && c.phase != retrieve.NoPhase {
			sum = sum.plus(n)
		}
	}
	return sum
}

// Weigh learns weights from judged showings of so many sessions.
func Weigh(judged []Judged, told int) []TypeWeight {
	e := evidence{cells: map[cell]tally{}, told: told}
	for _, j := range judged {
		n := tally{decided: 1}
		switch j.Verdict {
		case Followed:
			n.followed = 1
		case Overridden, Ignored:
		case Unknown, Open, Again, ToPerson:
			continue
		}
		e.cells[cell{j.Type, retrieve.NoPhase}] = e.cells[cell{j.Type, retrieve.NoPhase}].plus(n)
		if j.Phase != retrieve.NoPhase {
			e.cells[cell{j.Type, j.Phase}] = e.cells[cell{j.Type, j.Phase}].plus(n)
		}
	}
	return e.weights()
}

func bounded(w float64) float64 { return min(mostWeight, max(leastWeight, w)) }

// evidenceOf reads the evidence of a workspace, without what a person left out by a reset.
func evidenceOf(ctx context.Context, w *memory.Workspace) (evidence, error) {
	e, err := allEvidence(ctx, w)
	if err != nil {
		return e, err
	}
	reset, err := w.State().Weights().Discarded(ctx)
	if err != nil {
		return e, fmt.Errorf("look up what counts no more: %w", err)
	}
	for _, r := range reset {
		if r.Type == "" {
			e.told = max(0, e.told-r.Decided)
			continue
		}
		c := cellOf(r)
		e.cells[c] = e.cells[c].minus(tally{r.Followed, r.Decided})
	}
	return e, nil
}

func allEvidence(ctx context.Context, w *memory.Workspace) (evidence, error) {
	e := evidence{cells: map[cell]tally{}}
	sessions, err := w.State().Shown().Sessions(ctx)
	if err != nil {
		return e, fmt.Errorf("list what sessions were told: %w", err)
	}
	e.told = sum(sessions).Told
	totals, err := TotalsOf(ctx, w.State())
	if err != nil {
		return e, err
	}
	uuids := make([]string, 0, len(totals.Memories))
	for id := range totals.Memories {
		uuids = append(uuids, id)
	}
	rows, err := w.Store().Of(ctx, uuids)
	if err != nil {
		return e, fmt.Errorf("read the memories that were shown: %w", err)
	}
	for _, r := range rows {
		m, err := r.Memory()
		if err != nil {
			continue // it is reported elsewhere
		}
		s := totals.Memories[m.UUID]
		if s != nil {
			c := cell{m.Type, retrieve.NoPhase}
			e.cells[c] = e.cells[c].plus(tally{s.Followed, s.Followed + s.Overridden + s.Ignored})
		}
	}
	phases, err := w.State().Shown().Phases(ctx)
	if err != nil {
		return e, fmt.Errorf("count what was shown by phases: %w", err)
	}
	for _, p := range phases {
		n := tally{decided: p.Count}
		if Verdict(p.Verdict) == Followed {
			n.followed = p.Count
		}
		c := cell{file.Type(p.Type), retrieve.Phase(p.Phase)}
		e.cells[c] = e.cells[c].plus(n)
	}
	return e, nil
}

// WeightsOf returns the learned weights of a workspace.
func WeightsOf(ctx context.Context, w *memory.Workspace) ([]TypeWeight, error) {
	e, err := evidenceOf(ctx, w)
	if err != nil {
		return nil, err
	}
	return e.weights(), nil
}

// WeightChange is a learned weight and the one before it, 1 if there was none. NoPhase is every phase.
type WeightChange struct {
	At       time.Time      `json:"at"`
	Type     file.Type      `json:"type"`
	Phase    retrieve.Phase `json:"phase"`
	Was      float64        `json:"was"`
	Weight   float64        `json:"weight"`
	Followed int            `json:"followed"`
	Decided  int            `json:"decided"`
}

// NoteWeights learns the weights of a workspace, and keeps those that differ from the ones before in hundredths.
func NoteWeights(ctx context.Context, w *memory.Workspace) error {
	if n, err := w.State().Shown().SessionsTold(ctx); err != nil || n < weighFrom {
		return err // the end of every session asks
	}
	list, err := WeightsOf(ctx, w)
	if err != nil || len(list) == 0 {
		return err
	}
	log, err := w.State().Weights().Log(ctx)
	if err != nil {
		return fmt.Errorf("look up the learned weights: %w", err)
	}
	last := map[cell]float64{}
	for _, r := range log {
		if _, ok := last[cellOf(r)]; !ok {
			last[cellOf(r)] = r.Weight
		}
	}
	var changes []store.WeightRow
	note := func(t file.Type, p retrieve.Phase, weight float64, followed, decided int) {
		weight = math.Round(100*weight) / 100
		if weight == cmp.Or(last[cell{t, p}], 1) {
			return
		}
		changes = append(changes, store.WeightRow{Type: string(t), Phase: string(p), At: w.Now(), Weight: weight, Followed: followed, Decided: decided})
	}
	for _, x := range list {
		note(x.Type, retrieve.NoPhase, x.Weight, x.Followed, x.Decided)
		for _, p := range x.Phases {
			note(x.Type, p.Phase, p.Weight, p.Followed, p.Decided)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	if err := w.State().Weights().Put(ctx, changes, w.Now().Add(-keepWeights)); err != nil {
		return fmt.Errorf("keep the learned weights: %w", err)
	}
	return nil
}

// WeightChanges lists how the learned weights changed, newest first.
func WeightChanges(ctx context.Context, rows store.Weights) ([]WeightChange, error) {
	log, err := rows.Log(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up the learned weights: %w", err)
	}
	out := make([]WeightChange, len(log))
	was := map[cell]float64{}
	for i := len(log) - 1; i >= 0; i-- {
		r := log[i]
		c := cellOf(r)
		out[i] = WeightChange{r.At, c.typ, c.phase, cmp.Or(was[c], 1), r.Weight, r.Followed, r.Decided}
		was[c] = r.Weight
	}
	return out, nil
}

// ResetWeights begins to learn the weights anew: what was shown until now counts no more for them. The rest of the ledger stays.
func ResetWeights(ctx context.Context, w *memory.Workspace) error {
	e, err := allEvidence(ctx, w)
	if err != nil {
		return err
	}
	rows := []store.WeightRow{{At: w.Now(), Decided: e.told}}
	for c, t := range e.cells {
		rows = append(rows, store.WeightRow{Type: string(c.typ), Phase: string(c.phase), At: w.Now(), Followed: t.followed, Decided: t.decided})
	}
	return w.State().Weights().Reset(ctx, rows)
}
