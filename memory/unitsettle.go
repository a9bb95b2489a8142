package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"manicule/memory/file"
	"manicule/memory/record"
	"manicule/memory/store"
	"manicule/memory/work"
)

// settleUnit moves on what hangs on a unit that is over.
func (w *Workspace) settleUnit(ctx context.Context, out *SettledWork, waited bool) error {
	known, err := w.WorkOutcomes(ctx, out.Unit)
	if err != nil {
		return err
	}
	if out.Unit.Kind == work.Mission {
		if err := w.settleMission(ctx, out, known); err != nil {
			return err
		}
	}
	if waited || out.Unit.State != work.Accepted {
		return w.settleDrafts(ctx, out, known)
	}
	return nil
}

// WorkOutcomes returns what became of the memories of a unit, by their uuids.
func (w *Workspace) WorkOutcomes(ctx context.Context, u work.Unit) (map[string]record.Record, error) {
	rows, err := w.state.Entries(ctx, u.Lineage)
	if err != nil {
		return nil, fmt.Errorf("read what came of %s: %w", u.Key(), err)
	}
	out := map[string]record.Record{}
	for _, r := range rows {
		if r.Kind == record.Outcome {
			out[r.Name] = r
		}
	}
	return out, nil
}

// settleMission promotes the memories of a mission that outlive it, and archives the others.
func (w *Workspace) settleMission(ctx context.Context, out *SettledWork, known map[string]record.Record) error {
	if _, err := w.Sync(ctx); err != nil {
		return err
	}
	method := w.Method()
	for _, h := range w.View().All() {
		m := h.Memory
		if m.Mission() != out.Unit.ID {
			continue
		}
		if r, settled := known[m.UUID]; settled && r.Type == actPromoted {
			continue // somebody gave it back to the mission
		}
		yes, why := method.Outlives(m, out.Unit.State)
		act := actArchived
		if yes {
			var err error
			if act, why, err = w.promote(ctx, m, out.Unit); err != nil {
				return err
			}
		}
		if act == actArchived {
			if err := w.forget(ctx, m.UUID, store.ArchivedReason+why); err != nil {
				if errors.Is(err, ErrNotFound) {
					continue
				}
				return err
			}
		}
		if err := w.noteOutcome(ctx, out, m, act, why); err != nil {
			return err
		}
	}
	return nil
}

// The outcomes of memories and drafts.
const (
	actPromoted = "promoted"
	actArchived = "archived"
	actOffered  = "offered"
	actRetired  = "retired"
)

// leaveMission makes a memory that is accepted late one of the whole project, if its mission was accepted before.
func (w *Workspace) leaveMission(ctx context.Context, m *file.Memory) {
	id := m.Mission()
	if id == "" || work.Find(work.Load(w.place), work.Mission+":"+id) != nil {
		return
	}
	units, err := w.Units(ctx)
	if err != nil {
		w.log.Warn("look what became of a mission", "mission", id, "err", err)
		return
	}
	if u := work.Find(units, work.Mission+":"+id); u != nil && u.State == work.Accepted {
		m.Owner = nil
	}
}

// promote makes the memory of a mission one of the whole project, as its next version. Where the project
// has the same already, that one counts.
func (w *Workspace) promote(ctx context.Context, m *file.Memory, u work.Unit) (act, why string, err error) {
	free := m.Clone()
	free.Owner = nil
	same, ok, err := w.same(ctx, free)
	if err != nil {
		return "", "", err
	}
	if ok {
		if h, err := w.hitOf(same); err == nil && h.Memory.UUID != m.UUID {
			w.countAgain(ctx, h.Memory.UUID)
			return actArchived, "the project has it already: " + h.Memory.ShortID(), nil
		}
	}
	why = fmt.Sprintf("%s was %s", u.Key(), u.State)
	r, err := w.Edit(ctx, m.UUID, func(m *file.Memory) error {
		if m.Mission() != u.ID {
			return errSettled
		}
		m.Owner = nil
		return nil
	}, "promote", why)
	switch {
	case errors.Is(err, errSettled):
		return actPromoted, why, nil
	case err != nil:
		return "", "", err
	case !r.Accepted:
		return actArchived, r.Reason, nil
	}
	return actPromoted, why, nil
}

// noteOutcome records what became of a memory, so that it is settled once.
func (w *Workspace) noteOutcome(ctx context.Context, out *SettledWork, m *file.Memory, act, why string) error {
	id, err := w.NewID()
	if err != nil {
		return err
	}
	_, err = w.state.PutRecord(ctx, record.Record{Lineage: id, Kind: record.Outcome, Name: m.UUID, Parent: out.Unit.Lineage, Type: act, Author: out.Unit.Author, Content: record.Content(why)})
	if err != nil {
		return fmt.Errorf("note what became of %s: %w", m.UUID, err)
	}
	out.Outcomes = append(out.Outcomes, WorkOutcome{m, act, why})
	return nil
}

// settleDrafts offers the drafts that waited for a unit's acceptance, or retires them. A part of it that waits on its
// own, or was judged before, keeps its drafts.
func (w *Workspace) settleDrafts(ctx context.Context, out *SettledWork, known map[string]record.Record) error {
	rows, err := w.state.Drafts(ctx)
	if err != nil {
		return fmt.Errorf("list what waits for review: %w", err)
	}
	units, _, err := w.unitsAndOpen(ctx)
	if err != nil {
		return err
	}
	for _, d := range rows {
		m := d.Memory
		if !isHeld(m) || !m.Work().In(out.Unit.Key()) {
			continue
		}
		inMission := out.Unit.Kind == work.Mission && m.Mission() == out.Unit.ID // what is left of one is its own rule
		if by := work.Decider(units, m.Work()); by != nil && by.Key() != out.Unit.Key() && (by.Waits() || !inMission) {
			continue
		}
		if r, settled := known[m.UUID]; settled && r.Type == actOffered && out.Unit.State != work.Abandoned {
			continue
		}
		act, why := actOffered, fmt.Sprintf("%s was %s", out.Unit.Key(), out.Unit.State)
		if out.Unit.State == work.Abandoned || out.Unit.State == work.Rejected && !work.IsFailure(m.Type) {
			act = actRetired
			data, err := m.Marshal()
			if err != nil {
				return err
			}
			if err := w.state.Bury(ctx, store.Tombstone{UUID: m.UUID, Path: m.RelPath(), Reason: why, JSON: data}); err != nil {
				return fmt.Errorf("retire draft %s: %w", m.UUID, err)
			}
		}
		if err := w.noteOutcome(ctx, out, m, act, why); err != nil {
			return err
		}
	}
	return nil
}

// isHeld reports whether a draft may wait for the acceptance of its work: it is a new memory.
func isHeld(m *file.Memory) bool { return proposes(m) == nil }

// HeldDrafts lists the drafts that wait for the acceptance of their work, by the unit.
func (w *Workspace) HeldDrafts(ctx context.Context) (map[string][]*file.Memory, error) {
	units, open, err := w.unitsAndOpen(ctx)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	rows, err := w.state.Drafts(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what waits for review: %w", err)
	}
	out := map[string][]*file.Memory{}
	for _, d := range rows {
		if u := work.WaitsFor(units, d.Memory.Work()); u != nil && isHeld(d.Memory) {
			out[u.Key()] = append(out[u.Key()], d.Memory)
		}
	}
	return out, nil
}

// reviewable lists the drafts that a person may judge now: what waits for the acceptance of its work is left
// out.
func (w *Workspace) reviewable(ctx context.Context) ([]store.DraftRow, error) {
	rows, err := w.state.Drafts(ctx)
	if err != nil || len(rows) == 0 {
		return rows, err
	}
	units, open, err := w.unitsAndOpen(ctx)
	if err != nil {
		return nil, err
	}
	if len(open) > 0 {
		rows = slices.DeleteFunc(rows, func(d store.DraftRow) bool { return isHeld(d.Memory) && work.WaitsFor(units, d.Memory.Work()) != nil })
	}
	return rows, nil
}
