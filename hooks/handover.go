package hooks

import (
	"bytes"
	"context"
	"fmt"
)

// takesWriting reports whether this process may have to hand an event over, because the
// event stores, forgets or learns.
func (j *job) takesWriting(ctx context.Context) bool {
	switch {
	case isRemember(j.ev.Prompt), isForgetting(j.ev.Prompt):
		return true
	case j.stateDir == "" || j.ev.Session == "":
		return false
	case j.rests():
		return true
	case j.catchesUp():
		return j.waiting(ctx)
	}
	return false
}

// handOver passes the event to another program, which also logs it. It reports whether
// that succeeded, or the time is up.
func (j *job) handOver(ctx context.Context, answers chan<- []byte) bool {
	if j.opt.HandOver == nil || !j.takesWriting(ctx) {
		return false
	}
	if j.input.over {
		j.note("the event could not be handed over", fmt.Errorf("it has more than %d MB without its texts", maxCopy>>20))
		return false
	}
	j.logsElsewhere(true)
	out, err := j.opt.HandOver(ctx, j.input.bytes())
	switch {
	case err != nil && ctx.Err() != nil: // the time is up, and there is nothing left to do here
		return true
	case err != nil:
		j.logsElsewhere(false)
		j.note("the event could not be handed over", err)
		return false
	}
	answers <- bytes.TrimSpace(out)
	return true
}

// maxCopy bounds the copy of an event, whose strings are cut.
const maxCopy = 8 << 20

// inputCopy keeps what is read of the input until it is clear that the event will not be handed over.
// The events of tools are the large and frequent ones.
type inputCopy struct {
	kept bytes.Buffer
	off  bool
	over bool // there was more than may be kept
}

// Write implements [io.Writer].
func (c *inputCopy) Write(p []byte) (int, error) {
	if c.over = c.over || !c.off && c.kept.Len()+len(p) > maxCopy; c.over {
		c.stop()
	}
	if !c.off {
		c.kept.Write(p)
	}
	return len(p), nil
}

// stop discards the copy.
func (c *inputCopy) stop() { c.off, c.kept = true, bytes.Buffer{} }

func (c *inputCopy) bytes() []byte { return c.kept.Bytes() }
