package branch

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/workspace"
	"manicule/memory/file"
)

// State is what became of a branch.
type State string

// The states of a branch.
const (
	Live    State = "live"
	Reached State = "reached" // its work is on the default branch
	Gone    State = "gone"    // it was deleted before
)

// Seen is a branch as it was last seen.
type Seen struct {
	Name string
	Tip  string // the commit
	// Ahead reports whether it was seen with commits that the default branch did not have. One
	// without is new, and not merged.
	Ahead bool
	State State
	How   gittree.Reach
	// RenamedTo is the branch that goes on with one that is gone, "" for none.
	RenamedTo string
	Looked    string    // the tips of the default branch that it was compared with
	Since     time.Time // of the state
}

// Elsewhere reports whether a memory belongs to another branch than the checked-out one: a
// person wrote it for themselves on a branch whose work has not reached the default one.
func Elsewhere(m *file.Memory, checkedOut func() string) bool {
	return m.Visibility == file.Personal && m.Provenance != nil && m.Provenance.Branch != "" && m.Provenance.Branch != checkedOut()
}

// maxCompared is how many branches one look compares with the default one. The others wait for the
// next.
const maxCompared = 20

// Look compares the local branches of a repository, and those that hold something, with how they were
// last seen, and returns those that are seen differently now. A branch that the remote still has is not
// gone. Only branches that hold something, and those that are newly gone, are compared with the default
// branch; without one nothing is known.
func Look(ctx context.Context, p *workspace.Workspace, getenv func(string) string, known []Seen, held []string, now time.Time) (note []Seen, err error) {
	base, tips := gitinfo.DefaultBranch(p.GitDir, p.GitCommonDir, getenv)
	if base == "" {
		return nil, nil
	}
	local, live, err := gitinfo.Branches(p.GitDir, p.GitCommonDir)
	if err != nil {
		return nil, err
	}
	maps.Copy(live, local)
	delete(live, base)
	// The whole repository: a branch may change nothing below the workspace.
	repo := gittree.Open(p.GitDir, p.GitCommonDir, "")
	defer func() { err = errors.Join(err, repo.Close()) }()
	l := looker{repo: repo, tips: tips, looked: strings.Join(tips, " "), now: now, stop: func(looked int) bool { return looked >= maxCommits || ctx.Err() != nil }}
	byName := map[string]Seen{}
	for _, s := range known {
		byName[s.Name] = s
	}
	for _, name := range slices.Sorted(maps.Keys(live)) {
		was, holds := byName[name], slices.Contains(held, name)
		if _, here := local[name]; !here && !holds {
			continue // somebody else's
		}
		if s := l.live(was, name, live[name], holds); s != was {
			note = append(note, s)
		}
	}
	renamedTo := sync.OnceValue(func() map[string]string { return renames(p.GitCommonDir, local) })
	compared := 0
	for _, was := range slices.Concat(known, unseen(p.GitDir, held, live, byName, base, renamedTo)) {
		if _, ok := live[was.Name]; ok || was.Name == base || was.State == Reached {
			continue
		}
		if was.State == Gone && (was.Looked == l.looked || !slices.Contains(held, was.Name)) {
			continue // nothing could come of it
		}
		if compared++; compared > maxCompared {
			break
		}
		s, known := l.gone(was)
		if !known || ctx.Err() != nil {
			continue
		}
		if was.State == Live && s.State == Gone {
			if s.RenamedTo = renamedTo()[was.Name]; s.RenamedTo == "" {
				s.RenamedTo = renamed(was, live, byName)
			}
		}
		note = append(note, s)
	}
	return note, ctx.Err()
}

// unseen returns the branches that hold something, and were deleted or renamed before anybody looked at them.
func unseen(gitDir string, held []string, live map[string]string, known map[string]Seen, base string, renamedTo func() map[string]string) (out []Seen) {
	var tips map[string]string
	for _, name := range held {
		_, there := live[name]
		if _, seen := known[name]; there || seen || name == base {
			continue
		}
		if tips == nil {
			tips = left(gitDir)
		}
		tip := live[renamedTo()[name]]
		if tip == "" {
			tip = tips[name]
		}
		if tip != "" {
			out = append(out, Seen{Name: name, Tip: tip, State: Live})
		}
	}
	return out
}

// looker compares branches with the default one.
type looker struct {
	repo   *gittree.Repo
	tips   []string // of the default branch
	looked string
	now    time.Time
	stop   func(looked int) bool
}

// live looks at a branch that is there. One that holds nothing is not compared: it takes long, and
// only its tip matters.
func (l looker) live(was Seen, name, tip string, holds bool) Seen {
	if !holds {
		if was.Tip == tip && was.State == Live {
			return was
		}
		return Seen{Name: name, Tip: tip, Ahead: was.Ahead, State: Live, Since: l.since(was, Live)}
	}
	if was.Tip == tip && was.Looked == l.looked {
		return was
	}
	// One that was settled and goes on is a new one.
	s := Seen{Name: name, Tip: tip, Ahead: was.Ahead && (was.State == Live || was.Tip == tip), State: Live, Looked: l.looked}
	how, ahead, ok := l.repo.Reached(tip, l.tips, l.stop)
	if !ok {
		s.Looked = "" // it is compared again
	}
	s.Ahead = s.Ahead || ahead > 0
	if ok && how != gittree.NotReached && s.Ahead {
		s.State, s.How = Reached, how
	}
	s.Since = l.since(was, s.State)
	return s
}

// gone looks at a branch that is not there any more; ok is false if it is not known what became of it.
func (l looker) gone(was Seen) (s Seen, ok bool) {
	s = was
	s.State, s.How, s.Looked = Gone, gittree.NotReached, l.looked
	how, ahead, ok := l.repo.Reached(was.Tip, l.tips, l.stop)
	switch {
	case ok && how != gittree.NotReached:
		s.State, s.How, s.Ahead = Reached, how, s.Ahead || ahead > 0
	case !ok && l.repo.HasCommit(was.Tip):
		return was, false
	}
	s.Since = l.since(was, s.State)
	return s, true
}

// since returns when a branch came to a state.
func (l looker) since(was Seen, now State) time.Time {
	if was.State == now {
		return was.Since
	}
	return l.now
}

// renamed returns the branch that goes on with one that is gone: a new one with its tip.
func renamed(was Seen, live map[string]string, known map[string]Seen) string {
	for _, name := range slices.Sorted(maps.Keys(live)) {
		if _, old := known[name]; !old && live[name] == was.Tip {
			return name
		}
	}
	return ""
}
