package units

import (
	"context"
	"errors"
	"fmt"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/record"
	"manicule/memory/store"
	"manicule/memory/work"
)

// settle moves on what hangs on a unit that is over.
func (l *List) settle(ctx context.Context, out *Settled, waited bool) error {
	known, err := l.Outcomes(ctx, out.Unit)
	if err != nil {
		return err
	}
	if out.Unit.Kind == work.Mission {
		if err := l.settleMission(ctx, out, known); err != nil {
			return err
		}
	}
	if waited || out.Unit.State != work.Accepted {
		return l.settleDrafts(ctx, out, known)
	}
	return nil
}

// Outcomes returns what became of the memories of a unit, by their uuids.
func (l *List) Outcomes(ctx context.Context, u work.Unit) (map[string]record.Record, error) {
	rows, err := l.records.Entries(ctx, u.Lineage)
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
func (l *List) settleMission(ctx context.Context, out *Settled, known map[string]record.Record) error {
	if _, err := l.memories.Sync(ctx); err != nil {
		return err
	}
	method := l.register.Method()
	for _, h := range l.memories.Views().Current().All() {
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
			if act, why, err = l.promote(ctx, m, out.Unit); err != nil {
				return err
			}
		}
		if act == actArchived {
			if err := l.memories.Forgotten().ForgetBecause(ctx, m.UUID, store.ArchivedReason+why); err != nil {
				if errors.Is(err, memory.ErrNotFound) {
					continue
				}
				return err
			}
		}
		if err := l.noteOutcome(ctx, out, m, act, why); err != nil {
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
	actLearned  = "learned" // proposed as what the unit came to
)

// errSettled is returned for a memory that another process has settled meanwhile.
var errSettled = errors.New("the memory is settled")

// promote makes the memory of a mission one of the whole project, as its next version. Where the project
// has the same already, that one counts.
func (l *List) promote(ctx context.Context, m *file.Memory, u work.Unit) (act, why string, err error) {
	free := m.Clone()
	free.Owner = nil
	same, err := l.memories.SayAgain(ctx, free)
	if err != nil {
		return "", "", err
	}
	if same != nil {
		return actArchived, "the project has it already: " + same.ShortID(), nil
	}
	why = fmt.Sprintf("%s was %s", u.Key(), u.State)
	r, err := l.memories.Edits().Change(ctx, m.UUID, func(m *file.Memory) error {
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
func (l *List) noteOutcome(ctx context.Context, out *Settled, m *file.Memory, act, why string) error {
	id, err := l.newID()
	if err != nil {
		return err
	}
	_, err = l.records.Put(ctx, record.Record{Lineage: id, Kind: record.Outcome, Name: m.UUID, Parent: out.Unit.Lineage, Type: act, Author: out.Unit.Author, Content: record.Content(why)})
	if err != nil {
		return fmt.Errorf("note what became of %s: %w", m.UUID, err)
	}
	out.Outcomes = append(out.Outcomes, Outcome{m, act, why})
	return nil
}

// settleDrafts offers the drafts that waited for a unit's acceptance, or retires them. A part of it that waits on its
// own, or was judged before, keeps its drafts.
func (l *List) settleDrafts(ctx context.Context, out *Settled, known map[string]record.Record) error {
	rows, err := l.drafts.All(ctx)
	if err != nil {
		return fmt.Errorf("list what waits for review: %w", err)
	}
	units, _, err := l.register.Open(ctx)
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
		if r, settled := known[m.UUID]; settled && (r.Type == actOffered || r.Type == actLearned) && out.Unit.State != work.Abandoned {
			continue
		}
		act, why := actOffered, fmt.Sprintf("%s was %s", out.Unit.Key(), out.Unit.State)
		if out.Unit.State == work.Abandoned || out.Unit.State == work.Rejected && !work.IsFailure(m.Type) {
			act = actRetired
			data, err := m.Marshal()
			if err != nil {
				return err
			}
			if err := l.tombstones.Put(ctx, store.Tombstone{UUID: m.UUID, Path: m.RelPath(), Reason: why, JSON: data}); err != nil {
				return fmt.Errorf("retire draft %s: %w", m.UUID, err)
			}
		}
		if err := l.noteOutcome(ctx, out, m, act, why); err != nil {
			return err
		}
	}
	return nil
}

// isHeld reports whether a draft may wait for the acceptance of its work: it is a new memory.
func isHeld(m *file.Memory) bool {
	_, target := memory.Proposal(m)
	return target == ""
}

// Held lists the drafts that wait for the acceptance of their work, by the unit.
func (l *List) Held(ctx context.Context) (map[string][]*file.Memory, error) {
	units, open, err := l.register.Open(ctx)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	rows, err := l.drafts.All(ctx)
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
