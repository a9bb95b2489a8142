package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/life"
)

// listFilter selects memories by who wrote them, their age and their state.
type listFilter struct {
	author, state    string
	olderRaw, newRaw string

	older, newer time.Duration
}

func (f *listFilter) flags(c *cobra.Command) {
	c.Flags().StringVar(&f.author, "author", "", "only by this person; a part of the name suffices")
	c.Flags().StringVar(&f.state, "state", "", "only in this state: "+strings.Join(listStates(), ", "))
	c.Flags().StringVar(&f.olderRaw, "older", "", "only not used or changed for so long, such as 30d or 12w")
	c.Flags().StringVar(&f.newRaw, "newer", "", "only used or changed within that time")
	complete(c, "state", listStates())
}

// listStates are the states that a filter knows: of anchors, of trust, and the tiers.
func listStates() []string {
	return []string{string(anchor.Fresh), string(anchor.Followed), string(anchor.Drifted), string(anchor.Stale), string(anchor.Orphaned),
		"disputed", "verified", "unreviewed", "needs-review", "conflict", life.Kept.String(), life.Active.String(), life.Fading.String()}
}

// parse checks the values of the flags.
func (f *listFilter) parse() error {
	if f.state != "" && !slices.Contains(listStates(), f.state) {
		return &codeError{exitUsage, &memory.UserError{Msg: fmt.Sprintf("unknown state %q", f.state), Hint: "Use one of: " + strings.Join(listStates(), ", ") + "."}}
	}
	for _, flag := range []struct {
		raw  string
		into *time.Duration
	}{{f.olderRaw, &f.older}, {f.newRaw, &f.newer}} {
		if flag.raw == "" {
			continue
		}
		d, ok := parseAge(flag.raw)
		if !ok {
			return &codeError{exitUsage, &memory.UserError{Msg: fmt.Sprintf("%q is no age", flag.raw), Hint: "Write a number of days or weeks, such as 30d or 12w."}}
		}
		*flag.into = d
	}
	return nil
}

// maxAgeDays is a little less than the longest time.Duration.
const maxAgeDays = 100_000

// parseAge reads a number of days or weeks.
func parseAge(s string) (time.Duration, bool) {
	unit := map[byte]int{'d': 1, 'w': 7}[s[len(s)-1]]
	n, err := strconv.Atoi(s[:len(s)-1])
	if unit == 0 || err != nil || n < 1 || n*unit > maxAgeDays {
		return 0, false
	}
	return time.Duration(n*unit) * 24 * time.Hour, true
}

func (f *listFilter) passes(h memory.Hit, now time.Time) bool {
	idle := now.Sub(life.LastUse(h.Memory, h.Use))
	return (f.author == "" || strings.Contains(strings.ToLower(h.Memory.Contributor), strings.ToLower(f.author))) &&
		(f.older == 0 || idle >= f.older) && (f.newer == 0 || idle < f.newer) && (f.state == "" || inState(h, f.state))
}

func inState(h memory.Hit, state string) bool {
	t := h.Memory.Trust
	switch state {
	case "disputed":
		return t.DisputedBy != ""
	case "verified":
		return t.VerifiedBy != ""
	case "unreviewed":
		return t.Unreviewed && t.VerifiedBy == ""
	case "needs-review":
		return h.NeedsReview()
	case "conflict":
		return len(h.Memory.Conflict) > 0
	}
	return state == string(h.Freshness().State) || state == h.Tier().String()
}
