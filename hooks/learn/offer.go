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
	"manicule/memory/store"
)

// Offer is what to tell an agent ahead of a call that has failed before.
type Offer struct {
	ID      string // equal for the same failure: tell it once a session
	Text    string // one line; it quotes commands and what programs printed, as data
	Failure store.KnownFailure
	Chance  float64 // that the call fails so again, as earlier sessions have it
}

// The thresholds of Offers, tuned on the development sessions (docs/observer.md).
const (
	// least is the chance from which a failure is told.
	least = 0.25
	// unsure is how many sessions without the failure are added to those that
	// were seen: one bad day is no rule.
	unsure = 1.0
	// maxOffers is how many are told for one call.
	maxOffers = 2
)

// Offers looks up what went wrong in earlier sessions with the call at hand:
// the same command, or the same path. paths are relative to the root. It reads
// one indexed query and takes well under 2 ms.
func Offers(ctx context.Context, o *store.ObserverReader, class event.Class, command string, paths []string) ([]Offer, error) {
	subjects := paths
	if class == event.Shell {
		subjects = observe.Keys(command)
	}
	known, err := o.FailuresFor(ctx, string(class), subjects)
	if err != nil {
		return nil, fmt.Errorf("look up earlier failures: %w", err)
	}
	words := observe.Words(command)
	var out []Offer
	for _, f := range known {
		if x, ok := worth(f, class, words); ok {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b Offer) int { return cmp.Compare(b.Chance, a.Chance) })
	return out[:min(maxOffers, len(out))], nil
}

// The thresholds of StartOffers, tuned like those of Offers.
const (
	startSince    = 30 * 24 * time.Hour
	startSessions = 3    // that met it
	startLeast    = 0.12 // of all sessions of that time
	maxStart      = 3
)

// StartOffers are the failures that sessions here run into so often that they
// are worth telling when one starts: on most agents this is the only moment at
// which a text is read before the call that it is about. Only those with a way out
// are told; where it is known what was lacking, one session is enough.
func StartOffers(ctx context.Context, o *store.ObserverReader, now time.Time) ([]Offer, error) {
	known, err := o.FrequentFailures(ctx, now.Add(-startSince), 1)
	if err != nil {
		return nil, fmt.Errorf("look up frequent failures: %w", err)
	}
	var out []Offer
	for _, f := range known {
		chance := float64(f.Sessions) / float64(max(1, f.Ran))
		if f.Tainted >= f.Sessions || f.Fix == "" || observe.Risky(f.Fix) || class(f) == event.Shell && observe.Loose(f.Subject) || chance < startLeast ||
			f.Sessions < startSessions && !strings.HasPrefix(f.How, needs) {
			continue
		}
		out = append(out, Offer{ID: offerID(f), Text: offerText(f), Failure: f, Chance: min(1, chance)})
	}
	return out[:min(maxStart, len(out))], nil
}

func offerID(f store.KnownFailure) string {
	return f.Tool + "\x00" + f.Subject + "\x00" + f.Fingerprint
}

// worth judges one failure.
func worth(f store.KnownFailure, class event.Class, words map[string]bool) (Offer, bool) {
	if f.Tainted >= f.Sessions || f.Generic || observe.Risky(f.Fix) {
		return Offer{}, false
	}
	// What a check found in the code of one day is not there the next.
	if class == event.Shell && f.Fix == "" && !observe.Misused(f.Message) && (f.Sessions < 2 || len(f.Trigger) == 0 && (f.How == "edited" || f.How == "again")) {
		return Offer{}, false
	}
	option := func(w string) bool { return strings.HasPrefix(w, "-") }
	if class == event.Shell && observe.Loose(f.Subject) && !slices.ContainsFunc(f.Trigger, option) {
		return Offer{}, false
	}
	for _, t := range f.Trigger {
		if !words[t] {
			return Offer{}, false
		}
	}
	chance := float64(f.Sessions) / (float64(max(f.Sessions, f.Ran)) + unsure)
	if class != event.Shell || len(f.Trigger) > 0 {
		chance = float64(f.Sessions) / (float64(f.Sessions) + unsure/2) // the very same call
	}
	if chance < least {
		return Offer{}, false
	}
	return Offer{ID: offerID(f), Text: offerText(f), Failure: f, Chance: chance}, true
}

func offerText(f store.KnownFailure) string {
	times := "an earlier session"
	if f.Sessions > 1 {
		times = fmt.Sprintf("%d earlier sessions", f.Sessions)
	}
	// What was typed and printed is data: each part is cleaned and cut for
	// itself, so that the fences around it are ours.
	part := func(s string, limit int) string { return nudge.Cut(nudge.Clean(s), limit) }
	text := fmt.Sprintf("`%s` failed in %s with “%s”", part(f.Subject, 120), times, part(f.Message, 160))
	switch {
	case strings.HasPrefix(f.How, needs) && f.Fix != "":
		return text + needed(observe.Need(strings.TrimPrefix(f.How, needs)), part(f.Fix, 120))
	case f.Fix != "" && class(f) == event.Shell:
		return text + fmt.Sprintf("; `%s` then worked.", part(f.Fix, 160))
	case f.Fix != "":
		return text + fmt.Sprintf("; `%s` was the right one.", part(f.Fix, 160))
	}
	return text + "."
}

// needed says what then made a call work.
func needed(need observe.Need, name string) string {
	switch need {
	case observe.NeedsVariable:
		return fmt.Sprintf("; with the variable `%s` set it worked.", name)
	case observe.NeedsService:
		return fmt.Sprintf("; after `%s` it worked.", name)
	case observe.NeedsFolder:
		return fmt.Sprintf("; in the folder `%s` it worked.", name)
	case observe.NeedsManager:
		return fmt.Sprintf("; with `%s` it worked.", name)
	}
	return "."
}

func class(f store.KnownFailure) event.Class { return event.Class(f.Tool) }
