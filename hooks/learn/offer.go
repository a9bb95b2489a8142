package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"manicule/hooks/event"
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
	least = 0.2
	// unsure is how many sessions without the failure are added to those that
	// were seen: one bad day is no rule.
	unsure = 1.0
	// maxOffers is how many are told for one call.
	maxOffers = 2
)

// Offers looks up what went wrong in earlier sessions with the call at hand:
// the same command, or the same path. paths are relative to the root. It reads
// one indexed query and takes well under 2 ms.
func Offers(ctx context.Context, o *store.Observed, class event.Class, command string, paths []string) ([]Offer, error) {
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

// worth judges one failure.
func worth(f store.KnownFailure, class event.Class, words map[string]bool) (Offer, bool) {
	if f.Tainted >= f.Sessions || f.Generic {
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
	return Offer{ID: f.Tool + "\x00" + f.Subject + "\x00" + f.Fingerprint, Text: offerText(f), Failure: f, Chance: chance}, true
}

func offerText(f store.KnownFailure) string {
	times := "an earlier session"
	if f.Sessions > 1 {
		times = fmt.Sprintf("%d earlier sessions", f.Sessions)
	}
	text := fmt.Sprintf("`%s` failed in %s with “%s”", f.Subject, times, f.Message)
	switch {
	case f.Fix != "" && class(f) == event.Shell:
		return text + fmt.Sprintf("; `%s` then worked.", strings.Join(strings.Fields(f.Fix), " "))
	case f.Fix != "":
		return text + fmt.Sprintf("; `%s` was the right one.", f.Fix)
	}
	return text + "."
}

func class(f store.KnownFailure) event.Class { return event.Class(f.Tool) }
