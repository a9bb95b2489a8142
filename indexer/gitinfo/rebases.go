package gitinfo

import (
	"slices"
	"strings"
	"time"
)

// Rebase is one that ended, as this clone's reflog tells of it.
type Rebase struct {
	Tip    string // the commit that was rebased
	Onto   string // what it was rebased onto
	Result string // where it ended
}

// Rebases lists the rebases of a worktree that began after a moment, newest first.
func Rebases(gitDir string, since time.Time) []Rebase {
	var out []Rebase
	var under Rebase // the one that has begun
	end := func() {
		if under.Tip != "" && under.Result != "" {
			out = append(out, under)
		}
		under = Rebase{}
	}
	for _, s := range reflog(gitDir) {
		switch {
		case strings.Contains(s.act, " (start): checkout "): // of rebase and of pull --rebase
			end()
			if !s.at.Before(since) {
				under = Rebase{Tip: s.was, Onto: s.is}
			}
		case strings.Contains(s.act, " (abort): "):
			under = Rebase{}
		case strings.Contains(s.act, " (finish): returning to "):
			under.Result = s.is
			end()
		case rebases(s.act):
			under.Result = s.is
		case strings.HasPrefix(s.act, "checkout: "):
			end() // where no branch is checked out, nothing tells of the end
		}
	}
	if Operation(gitDir) != "rebase" {
		end()
	}
	slices.Reverse(out)
	return out
}

// rebases reports whether a rebase made a commit.
func rebases(act string) bool {
	what, _, _ := strings.Cut(act, ": ")
	return strings.HasPrefix(what, "rebase") || strings.HasPrefix(what, "pull") && strings.Contains(what, "(")
}
