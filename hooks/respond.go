package hooks

import (
	"context"
	"slices"
	"strings"
	"time"

	"manicule/hooks/event"
	"manicule/memory"
	"manicule/memory/secret"
)

// dedupeWindow is the period in which equal events count as one that several installed
// hooks delivered.
const dedupeWindow = 5 * time.Second

// responder composes the answer to an event from its parts.
type responder struct{ *answering }

// respond composes the answer to an event. Faults are logged, never returned.
func (r responder) respond(ctx context.Context) string {
	if r.answersCopies() && !r.claims.isFirst(r.copyKey(), dedupeWindow) {
		r.setOutcome(outcomeDuplicate)
		return ""
	}
	compaction(r).hear(ctx)
	// A memory that the gate has not checked, such as a handwritten one, may contain a
	// secret.
	return secret.Mask(joinParts(r.answer(ctx), r.selfTest()))
}

// answer composes the answer for the kind of the event.
func (r responder) answer(ctx context.Context) string {
	if experiment(r).withheld() {
		return ""
	}
	switch r.ev.Kind {
	case event.SessionStart:
		return brief(r).sessionStart(ctx)
	case event.SubagentStart:
		return brief(r).subagentStart(ctx)
	case event.PreCompact:
		r.claims.reset()
		compaction(r).checkpoint()
	case event.Prompt:
		return r.promptAnswer(ctx)
	case event.Stop:
		return ownWork(r).flush()
	case event.PostToolFailure:
		if r.ev.Answers && !r.degraded() {
			return joinParts(compaction(r).afterCompaction(), failures(r).reminders(ctx))
		}
	case event.PreTool, event.PostTool, event.PostBatch:
		return r.toolAnswer(ctx)
	}
	return ""
}

// promptAnswer answers a prompt: a command to Manicule, or whatever a person asks the agent.
func (r responder) promptAnswer(ctx context.Context) string {
	if id, ok := isForget(r.ev.Prompt); ok {
		return commands(r).forget(ctx, id)
	}
	if isRemember(r.ev.Prompt) {
		return commands(r).rememberPrompt(ctx)
	}
	text := joinParts(compaction(r).afterCompaction(), brief(r).missedStart(ctx), earlierWork(r).learnedLate(ctx))
	r.setFallback(text)
	return joinParts(text, searcher(r).searchPrompt(ctx))
}

// toolAnswer answers a call of a tool, part by part: what there is when the time is up is told.
func (r responder) toolAnswer(ctx context.Context) string {
	switch {
	case !r.ev.Answers:
		return ""
	case r.degraded():
		return nudger(r).nudge(ctx)
	}
	text := compaction(r).afterCompaction()
	failed, own := failures(r), ownWork(r)
	for _, part := range []func(context.Context) string{nudger(r).nudge, failed.reminders, failed.warnings, searcher(r).searchQuery, own.drafts, own.overrun} {
		text = joinParts(text, part(ctx))
		r.setFallback(text)
	}
	return text
}

// answersCopies reports whether a second copy of the event would be answered too. A second
// copy of a tool's event finds that the first has claimed everything.
func (r responder) answersCopies() bool {
	return r.ev.Kind == event.SessionStart || r.ev.Kind == event.SubagentStart || r.ev.Kind == event.Prompt && (isForgetting(r.ev.Prompt) || isRemember(r.ev.Prompt))
}

// copyKey is equal for copies of one event. A prompt may come as several events.
func (r responder) copyKey() string {
	if r.ev.Kind == event.Prompt {
		return "prompt\x00" + r.ev.Prompt
	}
	return r.ev.Name + "\x00" + string(r.ev.Source)
}

// withMemory drops hits without a memory, in place.
func withMemory(hits []memory.Hit) []memory.Hit {
	return slices.DeleteFunc(hits, func(h memory.Hit) bool { return h.Memory == nil })
}

// joinParts joins the non-empty parts of an answer.
func joinParts(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}
