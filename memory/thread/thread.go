// Package thread owns what a session leaves for the next one: open threads, next
// steps, decisions and key context, with their states. It chooses those that concern a branch and
// a folder. It must not know where threads are stored, or how they are shown.
package thread

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"manicule/indexer/sorting"
	"manicule/memory/episode"
	"manicule/memory/file"
)

// Kind is what a thread is.
type Kind string

// The kinds of threads.
const (
	Open     Kind = "thread" // something that is not settled
	NextStep Kind = "next_step"
	Decision Kind = "decision"
	Context  Kind = "context" // what the next session must know, and nothing is to be done about
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Open, NextStep, Decision, Context} }

// State is the state of a thread.
type State string

// The states of a thread.
const (
	StateOpen     State = "open"
	StateParked   State = "parked"   // left for later, and not told to the next session
	StateResolved State = "resolved" // with a resolution
	StateDone     State = "done"     // without one
)

// states returns all states.
func states() []State { return []State{StateOpen, StateParked, StateResolved, StateDone} }

// Closed reports whether a state is an end.
func (s State) Closed() bool { return s == StateResolved || s == StateDone }

// Thread is one version of a thread.
type Thread struct {
	// Memory holds the text, its reason and its anchor, and who wrote it. It is no memory
	// of the project: it has no file, and recall never finds it.
	Memory     *file.Memory
	Kind       Kind
	State      State
	Resolution string
	Owner      string // the person or agent who is to go on with it, "" for anyone; a shared one is told to no other
	Branch     string // on which it was left, "" for none
	Agent      string // that left it, "" for a person
	Session    string // of the agent
	Shared     bool   // it is a file that git carries: it has no branch, being on those that have the file
	Gone       bool   // the file of its place is not in the worktree that asked
	Version    int
	Created    time.Time
	Updated    time.Time
}

// Place returns the place in the code as FILE or FILE#Symbol, "" for none.
func (t *Thread) Place() string {
	if len(t.Memory.Anchors) == 0 {
		return ""
	}
	a := t.Memory.Anchors[0]
	if a.Symbol != "" {
		return a.Path + "#" + a.Symbol
	}
	return a.Path
}

// Parent returns the uuid of the thread that this one is a part of, "" for none.
func (t *Thread) Parent() string {
	if r := t.Memory.Work(); r != nil && r.Kind == PartKind {
		return r.ID
	}
	return ""
}

// Unit returns the unit of work that a thread belongs to as KIND:ID, "" for none.
func (t *Thread) Unit() string {
	r := t.Memory.Work()
	switch {
	case r == nil:
		return ""
	case r.Kind != PartKind:
		return r.Key()
	}
	for _, key := range r.Within {
		if !strings.HasPrefix(key, PartKind+":") {
			return key
		}
	}
	return ""
}

// PartKind is the kind of the unit of work of a thread that is a part of another one.
const PartKind = "thread"

// Below reports whether a thread is a part of another one, or of a part of it.
func (t *Thread) Below(uuid string) bool { return t.Memory.Work().In(PartKind + ":" + uuid) }

// Nest puts the parts of a thread behind it, and returns how deep each stands. The order stays otherwise.
func Nest(list []Thread) (out []Thread, depth []int) {
	has := map[string]bool{}
	for i := range list {
		has[list[i].Memory.UUID] = true
	}
	seen := map[string]bool{}
	var put func(t Thread, level int)
	put = func(t Thread, level int) {
		if seen[t.Memory.UUID] {
			return
		}
		seen[t.Memory.UUID] = true
		out, depth = append(out, t), append(depth, level)
		for _, x := range list {
			if x.Parent() == t.Memory.UUID {
				put(x, level+1)
			}
		}
	}
	for _, t := range list {
		if !has[t.Parent()] {
			put(t, 0)
		}
	}
	for _, t := range list { // a circle that a merge made
		put(t, 0)
	}
	return out, depth
}

// Observed reports whether nobody wrote the thread: it was found in what a session did.
func (t *Thread) Observed() bool { return t.Memory.Trust.Origin == file.ObserverInferred }

// WaitKey begins the key of a thread that nobody wrote and that waits for a person: a plan to approve, a question, a refused act.
const WaitKey = "wait:"

// CheckKey begins the key of a thread about a check that failed. A person who shares it vouches for its words; the key stays, so
// that it is settled when the check passes.
const CheckKey = "check:"

// AboutCheck reports whether the thread was found as a check that failed.
func (t *Thread) AboutCheck() bool { return strings.HasPrefix(t.Memory.Source, CheckKey) }

// AwaitsPerson reports whether the thread was found in what a session did and waits for the person at its end.
func (t *Thread) AwaitsPerson() bool {
	return t.Observed() && strings.HasPrefix(t.Memory.Source, WaitKey)
}

// HasTags reports whether a thread has all of some tags, in any case.
func (t *Thread) HasTags(want []string) bool {
	for _, tag := range want {
		if !slices.ContainsFunc(t.Memory.Tags, func(has string) bool { return strings.EqualFold(has, tag) }) {
			return false
		}
	}
	return true
}

// By returns who left the thread: an agent, or a person's name.
func (t *Thread) By() string { return cmp.Or(t.Agent, t.Memory.Contributor) }

// From is where a session starts.
type From struct {
	Branch  string // the checked-out one, "" outside of git and on a detached HEAD
	Default string // the default branch, "" if it is unknown
	Dir     string // the session's folder relative to the root, "" for the root
	// Has reports whether the worktree has a file, relative to the root; nil if that is not known.
	Has func(path string) bool
	// Names are those of the person who works there, and of the agent. They are asked for once an owner is named.
	Names func() []string
}

// Concerns reports whether a thread concerns a session: it was left on the session's
// branch, or on none or the default one, which stand for the whole project.
func (f From) Concerns(t *Thread) bool { return f.distance(t) < elsewhere }

// The distances of a thread from a session.
const (
	onBranch = iota
	inProject
	elsewhere
)

func (f From) distance(t *Thread) int {
	switch {
	case t.Branch != "" && t.Branch == f.Branch:
		return onBranch
	case t.Branch == "" || t.Branch == f.Default:
		return inProject
	}
	return elsewhere
}

// near reports whether a thread has its place in the session's folder, where that is
// not the whole root.
func (f From) near(t *Thread) bool {
	return f.Dir != "" && len(t.Memory.Anchors) > 0 && strings.HasPrefix(t.Memory.Anchors[0].Path, f.Dir+"/")
}

// Rank orders threads for a session: those of its branch first, then those that somebody
// wrote, then those with a place in its folder, then the latest.
func (f From) Rank(list []Thread) {
	rank := func(t *Thread) int {
		r := 4 * f.distance(t)
		if t.Observed() {
			r += 2
		}
		if !f.near(t) {
			r++
		}
		return r
	}
	sorting.Func(list, func(a, b Thread) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), b.Updated.Compare(a.Updated), cmp.Compare(a.Memory.UUID, b.Memory.UUID))
	})
}

// Waiting returns the open threads that a session is told of, ranked. Tainted ones, whose
// text may come from strangers, are left out: only a person may read them. One that nobody
// wrote is told on its own branch only: nobody said that it concerns the whole project. A shared
// one that is for somebody is told to that one's sessions.
func (f From) Waiting(list []Thread) []Thread {
	var out []Thread
	for i := range list {
		if t := &list[i]; t.State == StateOpen && f.Concerns(t) && !t.Memory.Trust.Tainted && (!t.Observed() || t.Branch == f.Branch) && f.mayTell(t) {
			out = append(out, *t)
		}
	}
	f.Rank(out)
	f.Mark(out)
	return out
}

// Mark notes of which threads the file is gone. A thread does not follow its code, as a memory does: it is short-lived. But a place
// that is not there must not be told as one.
func (f From) Mark(list []Thread) {
	for i := range list {
		if t := &list[i]; f.Has != nil && len(t.Memory.Anchors) > 0 {
			t.Gone = !f.Has(t.Memory.Anchors[0].Path)
		}
	}
}

// LastSession is what the latest session of an agent did.
type LastSession struct {
	Session string
	Agent   string
	Branch  string // on which it ended, "" if unknown or if it is the present one
	Ended   time.Time
	Edited  []string // files, most edited first
	Failed  []string // commands that failed at every run
	// Task is what it was for, "" if unknown, and Outcome how it ended, with its evidence.
	Task     string
	Outcome  episode.Outcome
	Evidence string
	// Summary is what its agent or a person says that came of it, "" for nothing.
	Summary string
}

// Bundle is what a session is told at its start.
type Bundle struct {
	Threads []Thread     // that wait, ranked
	More    int          // others that wait
	Last    *LastSession // nil for none
}
