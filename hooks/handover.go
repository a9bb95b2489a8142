package hooks

import (
	"bytes"
	"context"
	"io"
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

// inputCopy copies the input until it is clear that the event will not be handed over.
// The events of tools are the large and frequent ones.
type inputCopy struct {
	io.Reader
	kept bytes.Buffer
	off  bool
}

func (c *inputCopy) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if !c.off {
		c.kept.Write(p[:n])
	}
	return n, err
}

// stop discards the copy.
func (c *inputCopy) stop() { c.off, c.kept = true, bytes.Buffer{} }

func (c *inputCopy) bytes() []byte { return c.kept.Bytes() }
