package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"manicule/memory/file"
	"manicule/memory/gate"
)

// Remember is the only way to write a new memory. A person's memory becomes a file at once; an
// agent's becomes a draft that waits for review. A refused memory is not an error: the result says
// why.
func (w *Workspace) Remember(ctx context.Context, d Draft) (Result, error) {
	m, err := w.maker.NewMemory(ctx, d)
	if err != nil {
		return Refusal(err)
	}
	var r Result
	if d.Agent {
		if err := w.checks.draft(ctx, m); err != nil {
			return Refusal(err)
		}
		if err := checkRelations(ctx, w.rows, m, nil); err != nil {
			return Refusal(err)
		}
		r, err = w.drafts.put(ctx, m, d)
	} else {
		r, err = w.saver.save(ctx, m, d.Insist, d.Again)
	}
	if d.Agent || !d.Insist {
		r, err = advised(r, err)
	}
	if err == nil && r.Accepted && !r.Deduped && r.Memory != nil && d.Type != "" && r.Memory.Type != d.Type {
		r.Reason = strings.TrimPrefix(r.Reason+"; "+Retyped(d.Type, r.Memory.Type), "; ")
	}
	return r, err
}

// Retyped says that a memory has another type than was asked for.
func Retyped(asked, got file.Type) string {
	return fmt.Sprintf("its type is %s and not %s: the setting remember.strict keeps four types", got.Label(), asked.Label())
}

// advised adds to the result of a write what its text reads like.
func advised(r Result, err error) (Result, error) {
	if err == nil && r.Accepted && !r.Deduped && r.Memory != nil {
		r.Advice = gate.Advise(r.Memory)
	}
	return r, err
}

// Refusal turns a refusal into a result. Other errors stay errors.
func Refusal(err error) (Result, error) {
	if r, ok := errors.AsType[*gate.Rejection](err); ok {
		return Result{Code: string(r.Code), Reason: r.Reason + ". " + r.Hint}, nil
	}
	if u, ok := errors.AsType[*UserError](err); ok && errors.Is(err, errMalformed) {
		return Result{Code: string(gate.Malformed), Reason: u.Msg + ". " + u.Hint}, nil
	}
	return Result{}, err
}

// noText refuses a memory without words.
func noText() error {
	return &UserError{Msg: "there is no text to remember", Err: errMalformed, Hint: "Say in a sentence what was learned."}
}

var errMalformed = errors.New("malformed")

// save stores a memory as active, unless another says the same.
func (s *saver) save(ctx context.Context, m *file.Memory, insist bool, how Again) (Result, error) {
	if err := s.checks.fresh(ctx, m, insist); err != nil {
		return Refusal(err)
	}
	if err := checkRelations(ctx, s.dedupe.rows, m, nil); err != nil {
		return Refusal(err)
	}
	found, done, err := s.again(ctx, m, how)
	if err != nil || done {
		return found, err
	}
	s.wording.noteAuthored(ctx, m)
	r, err := s.writer.store(ctx, m, "")
	r.Contradicts, r.AlsoMine = found.Contradicts, found.AlsoMine
	if r.Accepted && r.AlsoMine != "" {
		r.Reason = fmt.Sprintf("memory %s says the same to you alone", r.AlsoMine)
	}
	return r, err
}

// How long a write waits for a busy database to find a duplicate, and to record what was written.
// Neither is worth losing the memory for. Until it is recorded, a hook counts it and can't quote it.
const (
	noteTimeout   = 500 * time.Millisecond
	recordTimeout = time.Second
)

// Adopt imports a whole memory with its uuid and times. If a memory with that uuid exists, a
// descendant replaces it; if neither version descends from the other, both stay and the result is
// "conflict".
func (w *Workspace) Adopt(ctx context.Context, m *file.Memory) (Result, error) {
	if err := w.gate.Check(m); err != nil {
		return Refusal(err)
	}
	rows, err := w.rows.ByUUID(ctx, m.UUID)
	if err != nil {
		return Result{}, err
	}
	if len(rows) == 0 {
		return w.saver.save(ctx, m, false, onlyExact)
	}
	if err := w.wording.check(ctx, m, nil, false); err != nil {
		return Refusal(err)
	}
	unlock, err := LockEdits(ctx, w.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	old, err := w.Get(ctx, m.UUID) // as its file is now
	if err != nil {
		return Result{}, err
	}
	mine := old.Memory
	here := Result{Accepted: true, Memory: mine, Deduped: true, MergedInto: mine.UUID, Code: "duplicate", Reason: "it is already here"}
	mineHash, err := mine.Hash()
	if err != nil {
		return Result{}, err
	}
	theirs, err := m.Hash()
	if err != nil {
		return Result{}, err
	}
	if theirs == mineHash {
		return here, nil
	}
	if older, err := w.state.Versions().Descends(ctx, mine.Lineage.Parent, theirs); err != nil || older {
		return here, err
	}
	if newer, err := w.state.Versions().Descends(ctx, m.Lineage.Parent, mineHash); err != nil {
		return Result{}, err
	} else if newer {
		return w.writer.replace(ctx, old, m)
	}
	if mine.DedupeKey() == m.DedupeKey() && mine.Why == m.Why {
		return here, nil
	}
	return Result{Memory: mine, Code: "conflict", Reason: fmt.Sprintf(
		"memory %s was changed here and there, and neither version descends from the other; `manicule show %s` shows yours", m.UUID, m.ShortID())}, nil
}
