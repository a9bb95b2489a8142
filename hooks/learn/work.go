package learn

import (
	"context"
	"slices"
	"strings"
	"time"

	"manicule/hooks/observe"
	"manicule/hooks/observe/unfinished"
	"manicule/memory"
	"manicule/memory/branches"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// maxLeft bounds the items of one session that become threads.
const maxLeft = 5

// settle makes threads of what a session left, and closes those that it settled. Of a session that took
// in untrusted text only a person is shown what it left, and what it settled is not believed.
func (o learner) settle(ctx context.Context, r observe.Report) error {
	if r.Blind {
		return nil
	}
	w := threads.SessionWork{Session: r.Session, Agent: r.Agent, Branch: r.Work.Branch, Work: o.unit(r), Ended: time.UnixMilli(r.Ended), Left: LeftOvers(r.Work), Tainted: r.Work.Tainted}
	w.Settles = func(key string) bool {
		if id, ok := strings.CutPrefix(key, thread.CheckKey); ok {
			delivery := strings.HasPrefix(id, "git commit") || strings.HasPrefix(id, "git push")
			return delivery && r.Done.Answers(id) || slices.ContainsFunc(r.Work.Passed, func(passed string) bool { return unfinished.Covers(passed, id) })
		}
		if slices.ContainsFunc(r.Work.Closed, func(item string) bool { return threads.Same(itemPrefix+item, key) }) {
			return true
		}
		if about, ok := strings.CutPrefix(key, thread.WaitKey); ok && r.Done.Answers(about) {
			return true
		}
		_, text, ok := strings.Cut(key, ":") // an item's, or words
		return ok && r.Done.Settles(text)
	}
	w.Finishes = func(key string) bool { // of what its agents said, not of checks and questions, which are settled by themselves
		said := strings.HasPrefix(key, itemPrefix) || strings.HasPrefix(key, wordsPrefix)
		return said && len(w.Left) == 0 && r.Work.Said == "" && !r.Work.Cut && r.Done.Finished()
	}
	w.PassesOver = func(id, key string) bool {
		return strings.HasPrefix(key, itemPrefix) && len(r.Work.Closed) > 0 && slices.Contains(r.Inherited, id)
	}
	return threads.Of(o.Workspace).Settle(ctx, w)
}

// SettleBranches settles what was written on branches that have reached the default one, or are gone.
func SettleBranches(ctx context.Context, w *memory.Workspace) error {
	_, err := branches.Of(w).Settle(ctx)
	return err
}

// LeftOvers lists what becomes threads of a session's work: the checks that fail, and the items of its list that
// say something to a session without the work before them.
func LeftOvers(w unfinished.Work) (out []threads.LeftOver) {
	for _, b := range w.Fails {
		text := "`" + strings.ReplaceAll(b.Command, "`", "'") + "` fails"
		if b.Line != "" {
			text += ": " + b.Line
		}
		out = append(out, threads.LeftOver{Key: thread.CheckKey + b.ID, Kind: thread.Open, Text: text, At: b.At})
	}
	for _, item := range w.Open[:min(len(w.Open), maxLeft)] {
		if !tellsLittle(item) {
			out = append(out, threads.LeftOver{Key: itemPrefix + strings.ToLower(item), Kind: thread.NextStep, Text: item})
		}
	}
	for _, wait := range w.Waits {
		out = append(out, threads.LeftOver{Key: thread.WaitKey + strings.ToLower(wait.About), Kind: thread.Open, Text: wait.Text, At: wait.At})
	}
	for _, text := range w.Words[:min(len(w.Words), max(0, maxLeft-len(out)))] {
		out = append(out, threads.LeftOver{Key: wordsPrefix + strings.ToLower(text), Kind: thread.NextStep, Text: text})
	}
	return out
}

// The beginnings of the keys of what a session leaves.
const (
	itemPrefix  = "item:"
	wordsPrefix = "words:" // of its last message
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
