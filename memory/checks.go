package memory

import (
	"context"
	"errors"
	"slices"

	"manicule/memory/file"
	"manicule/memory/gate"
)

// checks are what each text passes that is written: the gate, the look for junk, and the words of which no agent may be
// told. It is safe for concurrent use.
type checks struct {
	gate    *gate.Gate
	wording *wording
	strict  bool // only short texts; set before the first write
}

// fresh checks a new memory. insist is true if its writer insists on it.
func (c *checks) fresh(ctx context.Context, m *file.Memory, insist bool) error {
	if err := c.gate.Check(m); err != nil { // first: it normalizes what is compared
		return err
	}
	if err := c.junk(m, nil, insist); err != nil {
		return err
	}
	return c.wording.check(ctx, m, nil, insist)
}

// draft checks a draft. It lets pass what would be refused as one of the tolerated codes.
func (c *checks) draft(ctx context.Context, m *file.Memory, tolerated ...gate.Code) error {
	if err := c.gate.Check(m); err != nil {
		return err
	}
	if err := c.junk(m, nil, false); err != nil {
		if r, ok := errors.AsType[*gate.Rejection](err); !ok || !slices.Contains(tolerated, r.Code) {
			return err
		}
	}
	return c.wording.check(ctx, m, nil, false)
}

// junk refuses a memory whose text is junk, unless the person who writes it insists
// or the text is as it was. was is the version before it, nil for none.
func (c *checks) junk(m, was *file.Memory, insist bool) error {
	if insist || was != nil && was.What == m.What {
		return nil
	}
	return gate.CheckJunk(m, c.strict)
}

// weigh is junk of a new memory. A memory that may be junk, and that nobody has looked at, is not refused: doubt says what it
// reads like.
func (c *checks) weigh(m *file.Memory, insist bool) (doubt *gate.Rejection, err error) {
	if insist {
		return nil, nil
	}
	outcome, r := gate.Weigh(m)
	switch {
	case outcome == gate.Kept, outcome == gate.Doubtful && gate.ByPerson(m):
		return nil, nil
	case outcome == gate.Refused, c.strict:
		return nil, r
	}
	return r, nil
}
