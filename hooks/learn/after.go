package learn

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/observe"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/failures"
	"manicule/memory/store"
)

// Reminders returns, of the error that a call has just met, what became of it in earlier sessions: at most one line. With the error at
// hand there is no guess whether the call will fail, and it may be another command than theirs.
func Reminders(ctx context.Context, o *store.ObserverReader, c eventlog.Call) ([]Offer, error) {
	met, ok := failures.Met(c)
	if !ok {
		return nil, nil
	}
	known, err := o.FailuresLike(ctx, met.Tool, met.Print)
	if err != nil {
		return nil, fmt.Errorf("look up earlier failures: %w", err)
	}
	known = slices.DeleteFunc(known, func(f store.KnownFailure) bool { return Unreminded(f, met, c) != "" })
	if len(known) == 0 {
		return nil, nil
	}
	best, total := known[0], 0 // the newest
	for _, f := range known {
		total += f.Sessions - f.Tainted
		if rank(f, met) > rank(best, met) {
			best = f
		}
	}
	if best.Fix == "" {
		best.Sessions = total
	}
	id, covers := offerID(best), "" // a way out is not told again that was offered before the call
	if best.Fix == "" {
		id, covers = "met\x00"+met.Tool+"\x00"+met.Print, id
	}
	return []Offer{{ID: id, Covers: covers, Text: reminderText(best), Failure: best, Chance: 1}}, nil
}

// ErrorSubject returns the tool and the subject by which [store.MayHaveFailed] knows the error that a call has just met. ok is
// false if there is none that [Reminders] has something to say about.
func ErrorSubject(c eventlog.Call) (tool, subject string, ok bool) {
	met, ok := failures.Met(c)
	if !ok {
		return "", "", false
	}
	return met.Tool, store.PrintSubject(met.Print), true
}

// rank orders failures of one error by what they tell: a way out, best that of the same command.
func rank(f store.KnownFailure, met failures.Failure) int {
	n := 0
	if f.Fix != "" {
		n += 4
	}
	if f.Subject == met.Key {
		n += 2
	}
	if f.How == store.ResolvedAgain {
		n++
	}
	return n
}

// Unreminded says why a failure of earlier sessions is not told with one of the same error, or "" if it is. It is for measurements.
func Unreminded(f store.KnownFailure, met failures.Failure, c eventlog.Call) string {
	_, lacked := f.How.Need()
	switch {
	case f.Tainted >= f.Sessions:
		return "tainted"
	case cmdline.OfTheDay(f.Message), strings.Contains(f.Fingerprint, "<id>"):
		return "of the day"
	case f.Fix == "" && (!cmdline.OfTheMachine(f.Message) || f.How != store.ResolvedAgain && f.How != store.ResolvedLeft):
		return "no way out"
	case f.Fix == "":
		return ""
	case observe.Risky(f.Fix):
		return "risky"
	case !cmdline.Misused(f.Message) && !cmdline.OfTheMachine(f.Message) && !lacked:
		return "a finding"
	case cmdline.Unspecific(f.Subject) && cmdline.MissingProgram(f.Message) == "" && !lacked:
		return "unspecific command"
	case slices.ContainsFunc(f.Trigger, func(t string) bool { return !cmdline.Words(c.Command)[strings.ToLower(t)] }):
		return "other words"
	case cmdline.MissingProgram(f.Message) == "" && !lacked && !sameProgram(f.Subject, met.Key):
		return "another program"
	}
	return ""
}

func sameProgram(a, b string) bool {
	first := func(key string) string { w, _, _ := strings.Cut(key, " "); return path.Base(w) }
	return first(a) == first(b)
}

func reminderText(f store.KnownFailure) string {
	part := func(s string, limit int) string { return nudge.Cut(nudge.Clean(s), limit) }
	text := "the same error came in " + sessions(f.Sessions)
	need, lacked := f.How.Need()
	switch {
	case f.Fix == "" && f.How == store.ResolvedAgain && cmdline.Denied(f.Message): // the branch, or what the hook asked for, had changed
		return text + "; there the same call was let through later."
	case f.Fix == "" && f.How == store.ResolvedAgain:
		return text + "; there the same call worked when it was run again."
	case f.Fix == "":
		where := "there"
		if f.Sessions > 1 {
			where = "in the last of them"
		}
		return text + fmt.Sprintf("; %s no `%s` worked after it.", where, part(f.Subject, 100))
	case lacked:
		return text + needed(failures.Need(need), part(f.Fix, 120))
	}
	return text + fmt.Sprintf(" with `%s`; `%s` then worked.", part(f.Failed, 100), part(f.Fix, 160))
}
