package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"manicule/memory/file"
	"manicule/memory/gate"
)

// Correction is a person's correction of a wrong memory.
type Correction struct {
	// Change makes the correction; it receives a copy.
	Change func(*file.Memory) error
	// Note says what was wrong. It is kept in the history.
	Note string
	// Insist is as in [Draft].
	Insist bool
	// Version is the version that the person saw; 0 means any.
	Version int
}

// errNotCorrected ends a correction whose result says why.
var errNotCorrected = errors.New("not corrected")

// Correct replaces the text of a wrong memory with a new version. The person vouches for it: it
// counts as verified, and a dispute is resolved. Correct refuses a correction that changes only
// white space, and one of an outdated version.
func (e *Edits) Correct(ctx context.Context, id string, c Correction) (Result, error) {
	var refused Result
	r, err := e.ChangeInsisting(ctx, id, func(m *file.Memory) error {
		if seen := m.Lineage.Version - 1; c.Version > 0 && c.Version != seen {
			refused = Result{Code: "conflict", Reason: fmt.Sprintf(
				"memory %s was changed since: it is at version %d, and this corrects version %d. Look at it again", m.ShortID(), seen, c.Version)}
			return errNotCorrected
		}
		was := m.Clone()
		_ = e.gate.Check(was) // only for the comparison: its fault may be what is corrected
		if err := c.Change(m); err != nil {
			return err
		}
		m.UUID, m.CreatedAt = was.UUID, was.CreatedAt
		if err := e.gate.Check(m); err != nil {
			if refused, err = Refusal(err); err != nil {
				return err
			}
			return errNotCorrected
		}
		same, err := sameButSpace(was, m)
		if err != nil {
			return err
		}
		if same {
			refused = Result{Code: string(gate.Malformed), Reason: "nothing was corrected. Change its text, or dispute it to say only that it is wrong"}
			return errNotCorrected
		}
		e.maker.Verify(m)
		return nil
	}, "correct", c.Note, c.Insist)
	if errors.Is(err, errNotCorrected) {
		return refused, nil
	}
	if err == nil && r.Accepted {
		e.noteWrong(ctx)
	}
	return r, err
}

// sameButSpace reports whether two versions differ only in white space.
func sameButSpace(a, b *file.Memory) (bool, error) {
	var texts [2][]byte
	for i, m := range []*file.Memory{a, b} {
		m = m.Clone()
		m.What, m.Why = strings.Join(strings.Fields(m.What), " "), strings.Join(strings.Fields(m.Why), " ")
		var err error
		if texts[i], err = m.Marshal(); err != nil {
			return false, err
		}
	}
	return bytes.Equal(texts[0], texts[1]), nil
}
