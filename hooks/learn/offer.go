package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/nudge"
	"manicule/hooks/observe"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/failures"
	"manicule/indexer/sorting"
	"manicule/memory/store"
)

// Offer is a warning to an agent before a call that has failed in earlier sessions.
type Offer struct {
	ID      string // equal for the same failure, to offer it once a session
	Text    string // one line; it quotes commands and program output as data
	Covers  string // the id of an offer that says no more than this one; "" for none
	Failure store.KnownFailure
	Chance  float64 // probability that the call fails again, from earlier sessions
}

// Plain reports whether a program refuses the call and nothing is known that worked, so that its error says as much.
func (o Offer) Plain() bool { return o.Failure.Fix == "" && cmdline.Misused(o.Failure.Message) }

// The thresholds of Offers, tuned on the development sessions (cmd/eval/observer/FIGURES.md).
const (
	// minChance is the chance from which a failure is offered at the start of a session.
	minChance = 0.35
	// minAtCall is the chance from which one is offered before a call. Of the sessions on which rules are made five offers
	// were below it, and all wrong.
	minAtCall = 0.5
	// priorSessions is the number of sessions without the failure that are added to the observed
	// ones, because one bad day is no rule.
	priorSessions = 1.0
	// oldSessions bounds the sessions that met a failure when they are weighed against those
	// since then that did not.
	oldSessions = 2
	// maxOffers bounds the offers for one call.
	maxOffers = 2
)

// Offers looks up earlier failures of a call by the same command or path. paths are
// relative to the root. It runs one indexed query in well under 2 ms.
func Offers(ctx context.Context, o *store.ObserverReader, class event.Class, command string, paths []string) ([]Offer, error) {
	subjects := Subjects(class, command, paths)
	known, err := o.FailuresFor(ctx, string(class), subjects)
	if err != nil {
		return nil, fmt.Errorf("look up earlier failures: %w", err)
	}
	c := callOf(class, command)
	var out []Offer
	for _, f := range known {
		x, ok := isWorthOffering(f, c)
		if ok && !slices.ContainsFunc(out, func(o Offer) bool { return o.ID == x.ID }) {
			told := f
			told.Trigger = spelled(f.Trigger, command)
			x.Text = offerText(told)
			out = append(out, x)
		}
	}
	sorting.StableFunc(out, func(a, b Offer) int { return cmp.Compare(b.Chance, a.Chance) })
	return out[:min(maxOffers, len(out))], nil
}

// Subjects returns what earlier failures of a call are stored under: the commands of its line, or its
// paths.
func Subjects(class event.Class, command string, paths []string) []string {
	if class == event.Shell {
		return cmdline.Subjects(command)
	}
	return paths
}

// The thresholds of StartOffers, tuned like those of Offers.
const (
	startSince    = 30 * 24 * time.Hour
	startSessions = 3    // that met it
	startLeast    = 0.12 // of all sessions of that period
	startNeeded   = 2    // if a service or the folder was lacking
	maxStart      = 3
)

// StartOffers returns the failures that are frequent enough to mention at the start of a
// session, which on most agents is the only time at which a text precedes the call. Only
// failures with a resolution are offered.
func StartOffers(ctx context.Context, o *store.ObserverReader, now time.Time) ([]Offer, error) {
	known, err := o.FrequentFailures(ctx, now.Add(-startSince), 1)
	if err != nil {
		return nil, fmt.Errorf("look up frequent failures: %w", err)
	}
	var out []Offer
	for _, f := range known {
		chance := float64(f.Sessions) / float64(max(1, f.Ran))
		if len(f.Trigger) > 0 && chance < minChance { // most sessions run it without these words
			continue
		}
		if f.Tainted >= f.Sessions || f.Fix == "" || cmdline.Denied(f.Message) || // what a hook denies depends on a call's text, which may differ
			observe.Risky(f.Fix) || ofTheDay(f) || class(f) == event.Shell && cmdline.Unspecific(f.Subject) || chance < startLeast ||
			lately(f) < minChance || f.Sessions < enough(f) {
			continue
		}
		out = append(out, Offer{ID: offerID(f), Text: offerText(f), Failure: f, Chance: min(1, chance)})
	}
	return out[:min(maxStart, len(out))], nil
}

// ofTheDay reports whether a command's failure is gone the next day. What a module that was not built or installed breaks is no finding
// in the code, though it has a place there.
func ofTheDay(f store.KnownFailure) bool {
	need, _ := f.How.Need()
	return class(f) == event.Shell && cmdline.OfTheDay(f.Message) && failures.Need(need) != failures.NeedsBefore
}

// enough is the number of sessions that must have met a failure before it is told at the start. A variable or another package manager
// that was lacking is a fact of the project; a service that did not run, or the folder that a session was in, may be of that day.
func enough(f store.KnownFailure) int {
	switch need, known := f.How.Need(); {
	case !known:
		return startSessions
	case failures.Need(need) == failures.NeedsService || failures.Need(need) == failures.NeedsFolder || failures.Need(need) == failures.NeedsBefore:
		return startNeeded
	}
	return 1
}

// offerID is equal for the same failure. A program refuses the same words in whatever sentence.
func offerID(f store.KnownFailure) string {
	if class(f) == event.Shell && len(f.Trigger) > 0 && cmdline.Refused(f.Message) {
		return f.Tool + "\x00" + f.Subject + "\x00refused\x00" + strings.Join(f.Trigger, " ")
	}
	return f.Tool + "\x00" + f.Subject + "\x00" + f.Fingerprint
}

// isWorthOffering rates one failure.
func isWorthOffering(f store.KnownFailure, c call) (Offer, bool) {
	chance := chanceOf(f, c.class)
	if untold(f, c, chance) != "" {
		return Offer{}, false
	}
	return Offer{ID: offerID(f), Failure: f, Chance: chance}, true
}

// Untold says why a failure that is known of a call is not offered before it, or "" if it is. It is for measurements.
func Untold(f store.KnownFailure, class event.Class, command string) string {
	return untold(f, callOf(class, command), chanceOf(f, class))
}

// call is the call that is about to be made. Only a command has words.
type call struct {
	class   event.Class
	command string
	words   map[string]bool
}

func callOf(class event.Class, command string) call {
	return call{class, command, cmdline.Words(command)}
}

func untold(f store.KnownFailure, c call, chance float64) string {
	shell, option := c.class == event.Shell, func(w string) bool { return strings.HasPrefix(w, "-") }
	switch {
	case f.Tainted >= f.Sessions:
		return "tainted"
	case f.Generic, observe.Risky(f.Fix):
		return "generic"
	case ofTheDay(f):
		return "of the day"
	case !shell && f.Fix == "": // that it is not there, the agent sees by itself
		return "no way out"
	// Findings of a check in one day's code are gone the next.
	case shell && f.Fix == "" && !cmdline.Misused(f.Message):
		return "no way out"
	case shell && cmdline.Unspecific(f.Subject) && !slices.ContainsFunc(f.Trigger, option):
		return "unspecific command"
	// What is run on another machine is seldom the same again. That a session cannot get there is told with the error.
	case shell && len(f.Trigger) == 0 && strings.HasPrefix(f.Subject, "ssh "):
		return "unspecific command"
	case shell && f.Sessions < atLeast(f):
		return "one session"
	case slices.ContainsFunc(f.Trigger, func(t string) bool { return !c.words[strings.ToLower(t)] }):
		return "other words"
	case shell && cmdline.SameCall(c.command, f.Fix):
		return "the way out itself"
	case chance < minAtCall:
		return "seldom"
	}
	return ""
}

// atLeast is the number of sessions that must have met a failure of a command before it is offered. What a program refuses, or what a
// variable or another package manager mends, is so from the first time on; of other failures met once, one of four came true.
func atLeast(f store.KnownFailure) int {
	if cmdline.Refused(f.Message) || enough(f) == 1 {
		return 1
	}
	return 2
}

// chanceOf is the probability that a call fails again.
func chanceOf(f store.KnownFailure, class event.Class) float64 {
	if class != event.Shell || len(f.Trigger) > 0 && !worksWith(f) {
		return float64(f.Sessions) / (float64(f.Sessions+f.Since) + priorSessions/2) // the very same call
	}
	return min(float64(f.Sessions)/(float64(max(f.Sessions, f.Ran))+priorSessions), lately(f))
}

// worksWith reports whether the words that the error of a failure names are options that its way out has, too: then it was not they that
// failed, but where they stood, and calls with them mostly work.
func worksWith(f store.KnownFailure) bool {
	if _, lacked := f.How.Need(); lacked || f.Fix == "" {
		return false
	}
	words := cmdline.Words(f.Fix)
	return !slices.ContainsFunc(f.Trigger, func(t string) bool { return !strings.HasPrefix(t, "-") || !words[strings.ToLower(t)] })
}

// spelled writes words as a command does.
func spelled(words []string, command string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		if at := strings.Index(strings.ToLower(command), w); at >= 0 && at+len(w) <= len(command) && strings.EqualFold(command[at:at+len(w)], w) {
			out[i] = command[at : at+len(w)]
		}
	}
	return out
}

// quoted writes words as code.
func quoted(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, "`"+nudge.Cut(nudge.Clean(w), 60)+"`")
	}
	return strings.Join(out, " and ")
}

func sessions(n int) string {
	if n > 1 {
		return fmt.Sprintf("%d earlier sessions", n)
	}
	return "an earlier session"
}

// lately is the chance by what happened since the failure was last met: a cause that was removed
// shows in sessions that ran the command and did not meet it. Old failures count for little.
func lately(f store.KnownFailure) float64 {
	met := float64(min(f.Sessions, oldSessions))
	return met / (met + float64(f.Since) + priorSessions/2)
}

func offerText(f store.KnownFailure) string {
	// What was typed and printed is data: each part is cleaned and cut separately, so that
	// the fences around it are ours.
	part := func(s string, limit int) string { return nudge.Cut(nudge.Clean(s), limit) }
	failed := f.Subject
	if class(f) == event.Shell && cmdline.SameCall(f.Subject, f.Fix) && f.Failed != "" {
		failed = f.Failed // its key alone is what then worked
	}
	subject := "`" + part(failed, 120) + "`"
	if class(f) == event.Shell && len(f.Trigger) > 0 && cmdline.Refused(f.Message) {
		subject += " with " + quoted(f.Trigger)
	}
	text := fmt.Sprintf("%s failed in %s with “%s”", subject, sessions(f.Sessions), part(f.Message, 160))
	need, lacked := f.How.Need()
	switch {
	case lacked && f.Fix != "":
		return text + needed(failures.Need(need), part(f.Fix, 120))
	case f.Fix != "" && class(f) == event.Shell:
		return text + fmt.Sprintf("; `%s` then worked.", part(f.Fix, 160))
	case f.Fix != "":
		return text + fmt.Sprintf("; `%s` was the right one.", part(f.Fix, 160))
	}
	return text + "."
}

// needed describes the need that made a call work.
func needed(need failures.Need, name string) string {
	switch need {
	case failures.NeedsVariable:
		return fmt.Sprintf("; with the variable `%s` set it worked.", name)
	case failures.NeedsService, failures.NeedsBefore:
		return fmt.Sprintf("; after `%s` it worked.", name)
	case failures.NeedsFolder:
		return fmt.Sprintf("; in the folder `%s` it worked.", name)
	case failures.NeedsManager:
		return fmt.Sprintf("; with `%s` it worked.", name)
	}
	return "."
}

func class(f store.KnownFailure) event.Class { return event.Class(f.Tool) }
