package gitinfo

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"manicule/indexer/treefile"
)

// Pick is a commit that may be made of another one, as this clone's reflog tells of it: by cherry-pick, by revert, of a
// mailed patch, or by a squashed merge.
type Pick struct {
	Was    string // what HEAD was before it
	Result string
	// By is "cherry-pick" or "am" where the reflog says so. For "" only the commit's message may tell.
	By string
}

// Picks lists at most max of the commits of a worktree since a moment that may be made of others, newest first.
func Picks(gitDir string, since time.Time, max int) []Pick {
	var out []Pick
	for _, s := range slices.Backward(reflog(gitDir)) {
		if len(out) == max {
			break
		}
		what, _, _ := strings.Cut(s.act, ": ")
		by, ok := map[string]string{"cherry-pick": "cherry-pick", "commit (cherry-pick)": "cherry-pick", "am": "am", "revert": "", "commit": ""}[what]
		if ok && !s.at.Before(since) && s.act != "cherry-pick: fast-forward" { // which makes no commit
			out = append(out, Pick{s.was, s.is, by})
		}
	}
	return out
}

// maxTips is how many references and how many lines of the reflog [Tips] reads.
const maxTips = 2_000

// Tips lists commits from which a clone's others can be reached: where HEAD was, what was fetched last, and what references
// name, in this order and each once.
func Tips(gitDir, commonDir string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(id string) {
		if plumbing.IsHash(id) && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	log := reflog(gitDir)
	for _, s := range slices.Backward(log[max(0, len(log)-maxTips):]) {
		add(s.is)
		add(s.was)
	}
	if data, err := treefile.Read(filepath.Join(gitDir, "FETCH_HEAD"), maxSmall); err == nil {
		for line := range strings.Lines(string(data)) {
			id, _, _ := strings.Cut(line, "\t")
			add(id)
		}
	}
	for _, id := range RefTips(gitDir, commonDir) {
		add(id)
	}
	return out
}

// RefTips lists the commits that references name.
func RefTips(gitDir, commonDir string) (out []string) {
	refs, err := open(gitDir, commonDir).Refs()
	if err != nil {
		return nil
	}
	for _, ref := range refs[:min(len(refs), maxTips)] {
		if ref.Type() == plumbing.HashReference && plumbing.IsHash(ref.Hash().String()) {
			out = append(out, ref.Hash().String())
		}
	}
	return out
}
