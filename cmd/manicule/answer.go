package main

import (
	"context"
	"time"

	"manicule/memory/retrieve"
	"manicule/memory/search"
	"manicule/memory/services"
)

// answer answers a question about the memories and warns about the limits of the answer.
func (c *cli) answer(ctx context.Context, w *services.Workspace, q search.Question) (search.Answer, error) {
	q.Filter.Agent, q.Filter.Session = c.agent(), c.sessionID()
	out, err := w.Answer(ctx, q)
	if err == nil {
		c.warnLimits(out)
	}
	return out, err
}

// warnLimits warns about everything that an answer could not take into account.
func (c *console) warnLimits(out search.Answer) {
	if out.Fault != "" {
		c.warn("only words were searched: %s", out.Fault)
	}
	if n := out.Index.Unread; n > 0 && out.Index.Pieces == 0 {
		c.warn("%s no vector yet and can only be found by words: `manicule sync` makes them", count(n, "memory has", "memories have"))
	}
}

// account prints how an answer came about.
func (c *console) account(answer search.Answer) {
	c.printf("%s\n", c.paint(faint, string(answer.Kind)+" question"+phrase(answer)+", "+count(answer.Matched, "candidate", "candidates")+" in "+took(answer.Millis)))
	for _, l := range answer.Legs {
		line := l.Name + ": " + count(l.Found, "candidate", "candidates") + ", " + took(l.Millis)
		if l.Fault != "" {
			line = l.Name + ": " + l.Fault
		}
		c.printf("  %s\n", c.paint(faint, line))
	}
	for _, o := range answer.Omitted {
		c.printf("  %s\n", c.paint(faint, "left out: "+count(o.Count, "candidate", "candidates")+", "+omission(o.Reason)))
	}
}

func phrase(answer search.Answer) string {
	if answer.Phase == retrieve.NoPhase {
		return ""
	}
	return " while you " + string(answer.Phase)
}

func took(ms float64) string {
	return time.Duration(ms * float64(time.Millisecond)).Round(100 * time.Microsecond).String()
}

// omission describes why memories were left out.
func omission(reason string) string {
	switch reason {
	case retrieve.OmitIrrelevant:
		return "too little to do with the question"
	case retrieve.OmitUntrusted:
		return "below the confidence that was asked for"
	case retrieve.OmitDuplicate:
		return "a better one says the same"
	case retrieve.OmitBudget:
		return "the budget is used up"
	default:
		return "beyond the limit"
	}
}
