package observer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/learn"
	"manicule/hooks/observe/failures"
	"manicule/memory/store"
)

// Reasons for which a failure of an earlier session was not told, beside those of learn.Untold.
const (
	notKept      = "not kept"        // no session that had ended kept it
	otherCommand = "another command" // it was kept of one
	crowdedOut   = "crowded out"     // by other offers
)

// explain notes why a failure that an earlier session may have met is not offered.
func (r *replayed) explain(ctx context.Context, b *replica, look *store.ObserverReader, res *result, it item) error {
	f, ok := r.truth[it.id]
	if !ok {
		return nil
	}
	c := it.record.Calls[0]
	class := event.Class(c.Class)
	known, err := look.FailuresFor(ctx, string(class), learn.Subjects(class, c.Command, below(c.Paths)))
	if err != nil {
		return err
	}
	why := notKept
	for _, prints := range b.prints {
		if prints[f.Fingerprint] {
			why = otherCommand
		}
	}
	for _, k := range known {
		if b.prints[failureID(k)][f.Fingerprint] {
			why = cmp.Or(learn.Untold(k, class, c.Command), crowdedOut)
		}
	}
	met, ok := failures.Met(c)
	if !ok {
		res.why[it.id] = why + " | not met"
		return nil
	}
	like, err := look.FailuresLike(ctx, met.Tool, met.Print)
	if err != nil {
		return err
	}
	if len(like) == 0 {
		why += " | nothing like it"
	}
	for _, k := range like {
		why += fmt.Sprintf(" | %s how=%q %s taint %d/%d", learn.Unreminded(k, met, c), k.How, k.Subject, k.Tainted, k.Sessions)
	}
	res.why[it.id] = why + " | print " + met.Print
	return nil
}

// printReasons says how many were missed for which reason.
func printReasons(reasons map[string]int) {
	names := sortedReasons(reasons)
	fmt.Print("  missed, by reason:")
	for _, n := range names {
		fmt.Printf(" %s %d;", n, reasons[n])
	}
	fmt.Println()
}

func sortedReasons(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b)) })
	return out
}
