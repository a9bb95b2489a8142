package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/memory/file"
	"manicule/memory/search"
	"manicule/memory/work"
)

// listFilter are the flags that select memories by who wrote them, their tags, state and age.
type listFilter struct {
	author, state    string
	work, owner      string
	methodology      string
	tags             []string
	olderRaw, newRaw string
}

// listFilterFlags are the names of the flags.
var listFilterFlags = []string{"author", "owner", "tag", "state", "older", "newer", "work", "methodology"}

func (f *listFilter) flags(c *cobra.Command, of *workspaces) {
	c.Flags().StringVar(&f.author, "author", "", "only by this person; a part of the name suffices")
	c.Flags().StringVar(&f.owner, "owner", "", "only what belongs to this agent or mission")
	c.Flags().StringArrayVar(&f.tags, "tag", nil, "only with this tag; repeat for several")
	c.Flags().StringVar(&f.state, "state", "", "only in this state: "+strings.Join(search.States(), ", "))
	c.Flags().StringVar(&f.work, "work", "", "only what was learned in this unit of work, such as 42, ABC-123 or mission:payments, and in its parts")
	c.Flags().StringVar(&f.methodology, "methodology", "", "only what was learned in this way of working: "+strings.Join(file.Methodologies(), ", "))
	c.Flags().StringVar(&f.olderRaw, "older", "", "only not used or changed for so long, such as 30d or 12w")
	c.Flags().StringVar(&f.newRaw, "newer", "", "only used or changed within that time")
	complete(c, "state", search.States())
	complete(c, "methodology", file.Methodologies())
	completeWords(c, of, "author", authorOf)
	completeWords(c, of, "tag", tagsOf)
}

// any reports whether one of the flags was given.
func (f *listFilter) any() bool {
	return f.author+f.owner+f.state+f.olderRaw+f.newRaw+f.work+f.methodology != "" || len(f.tags) > 0
}

// narrow adds what the flags ask for to a filter.
func (f *listFilter) narrow(to *search.Filter) error {
	if f.state != "" && !slices.Contains(search.States(), f.state) {
		return usageError(fmt.Sprintf("unknown state %q", f.state), oneOf(f.state, search.States()))
	}
	for _, flag := range []struct {
		raw  string
		into *time.Duration
	}{{f.olderRaw, &to.Older}, {f.newRaw, &to.Newer}} {
		if flag.raw == "" {
			continue
		}
		d, ok := parseAge(flag.raw)
		if !ok {
			return usageError(fmt.Sprintf("%q is no age", flag.raw), "Write a number of days or weeks, such as 30d or 12w.")
		}
		*flag.into = d
	}
	if f.work != "" {
		r, ok := work.Parse(f.work)
		if !ok {
			return usageError(fmt.Sprintf("%q names no unit of work", f.work), "Write 42, ABC-123 or KIND:ID, such as mission:payments.")
		}
		to.Work = r.Key()
	}
	if f.methodology != "" && !slices.Contains(file.Methodologies(), f.methodology) {
		return usageError(fmt.Sprintf("unknown methodology %q", f.methodology), oneOf(f.methodology, file.Methodologies()))
	}
	to.Owner, to.Methodology = f.owner, f.methodology
	to.Author, to.Tags, to.State = f.author, f.tags, f.state
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
