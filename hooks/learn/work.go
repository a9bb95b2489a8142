package learn

import (
	"context"
	"slices"
	"strings"
	"time"

	"manicule/hooks/observe"
	"manicule/memory"
	"manicule/memory/thread"
)

// maxLeft bounds the items of one session that become threads.
const maxLeft = 5

// settle makes threads of what a session left, and closes those that it settled. What a session
// that took in untrusted text says about its work is not believed.
func (o Options) settle(ctx context.Context, r observe.Report) error {
	if r.Tainted || r.Blind {
		return nil
	}
	w := memory.SessionWork{Session: r.Session, Agent: r.Agent, Branch: r.Work.Branch, Ended: time.UnixMilli(r.Ended)}
	for _, b := range r.Work.Fails {
		text := "`" + strings.ReplaceAll(b.Command, "`", "'") + "` fails"
		if b.Line != "" {
			text += ": " + b.Line
		}
		w.Left = append(w.Left, memory.LeftOver{Key: checkPrefix + b.ID, Kind: thread.Open, Text: text, At: b.At})
	}
	for _, item := range r.Work.Open[:min(len(r.Work.Open), maxLeft)] {
		if tellsLittle(item) {
			continue
		}
		w.Left = append(w.Left, memory.LeftOver{Key: itemPrefix + strings.ToLower(item), Kind: thread.NextStep, Text: item})
	}
	w.Settles = func(key string) bool {
		if id, ok := strings.CutPrefix(key, checkPrefix); ok {
			return slices.ContainsFunc(r.Work.Passed, func(passed string) bool { return observe.Covers(passed, id) })
		}
		return slices.ContainsFunc(r.Work.Closed, func(item string) bool { return itemPrefix+strings.ToLower(item) == key })
	}
	return o.Workspace.SettleWork(ctx, w)
}

// The beginnings of the keys of what a session leaves.
const (
	checkPrefix = "check:"
	itemPrefix  = "item:"
)

// tellsLittle reports whether an item is a step that every piece of work ends with. It says nothing
// to a session that does not have the work before it.
func tellsLittle(item string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(item), func(r rune) bool { return !('a' <= r && r <= 'z') && r < 0x80 }) {
		switch w {
		case "run", "rerun", "verify", "check", "checks", "commit", "push", "test", "tests", "testing", "build", "lint", "linting", "format", "formatting", "summarize", "summarise", "report",
			"review", "final", "finalize", "finalise", "verification", "changes", "change", "everything", "all", "and", "the", "full", "ci", "suite", "a", "it", "results", "pr", "open", "create",
			"cleanup", "clean", "up", "done", "task", "step", "update", "unit", "integration", "with", "pass", "passes", "ensure", "make", "sure", "that", "for", "green":
		default:
			return false
		}
	}
	return true
}
