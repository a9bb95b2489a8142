package memory

import (
	"context"

	"manicule/memory/store"
	"manicule/memory/trust"
)

// noteWrong counts that a person called a memory wrong. The count is not worth an error: the memory
// is changed already.
func (e *Edits) noteWrong(ctx context.Context) {
	if err := e.usage.Count(ctx, store.UseWrong); err != nil && ctx.Err() == nil {
		e.log.Warn("count a memory that was called wrong", "err", err)
	}
}

// NeedsLook reports whether a person should read a candidate before it is accepted, whatever the
// trust level: it may repeat text from outside, may be no memory, changes or forgets a memory,
// contradicts one, or is not sure.
func (c Candidate) NeedsLook() bool {
	m := c.Memory
	if m.Trust.Tainted || c.Doubt != "" || proposes(m) != nil || m.Confidence < trust.Least(trust.Relaxed) {
		return true
	}
	for _, r := range m.Relations {
		if r.Type == conflictsWith && !c.settled[r.Memory] {
			return true
		}
	}
	return false
}
