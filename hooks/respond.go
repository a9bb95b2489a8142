package hooks

import (
	"context"
	"slices"
	"strings"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/memory"
	"manicule/memory/secret"
)

// dedupeWindow is the period in which equal events count as one that several installed
// hooks delivered.
const dedupeWindow = 5 * time.Second

// respond composes the answer to an event. Faults are logged, never returned.
func (j *job) respond(ctx context.Context) string {
	dedupe := j.dedupe()
	if dedupe != nil && j.needsDedupe() {
		first, err := dedupe.First(j.opt.Now(), j.dedupeKey(), dedupeWindow)
		if err != nil {
			j.note("what the session was shown could not be recorded", err)
			dedupe = nil
		} else if !first {
			j.setOutcome(outcomeDuplicate)
			return ""
		}
	}
	j.hear(ctx, dedupe)
	// A memory that the gate has not checked, such as a handwritten one, may contain a
	// secret.
	return secret.Mask(joinParts(j.answer(ctx, dedupe), j.selfTest(dedupe)))
}

// answer composes the answer for the kind of the event.
func (j *job) answer(ctx context.Context, dedupe *eventlog.Dedupe) string {
	if j.withheld() {
		return ""
	}
	switch j.ev.Kind {
	case event.SessionStart:
		return j.sessionStart(ctx, dedupe)
	case event.PreCompact:
		j.reset(dedupe)
		j.checkpoint(dedupe)
	case event.Prompt:
		if id, ok := isForget(j.ev.Prompt); ok {
			return j.forget(ctx, id)
		}
		if !isRemember(j.ev.Prompt) {
			text := joinParts(j.afterCompaction(dedupe), j.missedStart(ctx, dedupe), j.learnedLate(ctx, dedupe))
			j.setFallback(text)
			return joinParts(text, j.searchPrompt(ctx, dedupe))
		}
		return j.rememberPrompt(ctx)
	case event.Stop:
		return j.flush(dedupe)
	case event.PostToolFailure:
		if j.ev.Answers && !j.degraded() {
			return joinParts(j.afterCompaction(dedupe), j.reminders(ctx, dedupe))
		}
	case event.PreTool, event.PostTool, event.PostBatch:
		switch {
		case !j.ev.Answers:
		case j.degraded():
			return j.nudge(ctx, dedupe)
		default:
			text := j.afterCompaction(dedupe)
			for _, part := range []func(context.Context, *eventlog.Dedupe) string{j.nudge, j.reminders, j.warnings, j.searchQuery, j.drafts, j.overrun} {
				text = joinParts(text, part(ctx, dedupe))
				j.setFallback(text)
			}
			return text
		}
	}
	return ""
}

// needsDedupe reports whether a second copy of the event would be answered too. A second
// copy of a tool's event finds that the first has claimed everything.
func (j *job) needsDedupe() bool {
	_, forget := isForget(j.ev.Prompt)
	return j.ev.Kind == event.SessionStart || j.ev.Kind == event.Prompt && (forget || isRemember(j.ev.Prompt))
}

// dedupeKey is equal for copies of one event. A prompt may come as several events.
func (j *job) dedupeKey() string {
	if j.ev.Kind == event.Prompt {
		return "prompt\x00" + j.ev.Prompt
	}
	return j.ev.Name + "\x00" + string(j.ev.Source)
}

func (j *job) reset(dedupe *eventlog.Dedupe) {
	if dedupe == nil {
		return
	}
	if err := dedupe.Reset(j.opt.Now()); err != nil {
		j.note("what the session was shown could not be reset", err)
	}
}

func (j *job) close(m Memories) {
	if err := m.Close(); err != nil {
		j.note("the memories could not be closed", err)
	}
}

// withMemory drops hits without a memory, in place.
func withMemory(hits []memory.Hit) []memory.Hit {
	return slices.DeleteFunc(hits, func(h memory.Hit) bool { return h.Memory == nil })
}

// joinParts joins the non-empty parts of an answer.
func joinParts(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}
