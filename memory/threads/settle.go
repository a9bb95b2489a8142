package threads

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"manicule/indexer/gitinfo"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/store"
	"manicule/memory/thread"
)

// SessionWork is what a session left undone and what it settled, as its log shows.
type SessionWork struct {
	Session string
	Agent   string
	Branch  string // on which it ended
	Work    string // the unit of work that it was about, as in [memory.Draft]
	Ended   time.Time
	Left    []LeftOver
	Tainted bool // it read text from outside: only a person is shown what it left
	// Settles reports whether it did what an earlier session left, by its key.
	Settles func(key string) bool
	// Finishes reports whether it finished the work of its branch, of which what an earlier session left is a part, by its key. It
	// counts on a branch that the work was made for alone.
	Finishes func(key string) bool
	// PassesOver reports whether it was told of what an earlier session left on the branch, by its short id and its key, and worked
	// through something else; nil for no.
	PassesOver func(id, key string) bool
}

// leaves reports whether the session leaves what a thread is about.
func (w *SessionWork) leaves(t *thread.Thread) bool {
	return slices.ContainsFunc(w.Left, func(x LeftOver) bool { return same(x.Key) == same(t.Memory.Source) })
}

// Same reports whether two keys are of the same thing left. Keys may differ in marks, as agents write "Batch 2: the API" once and
// "Batch 2 the API" another time.
func Same(a, b string) bool { return same(a) == same(b) }

// same is equal for keys that are the same. What checks are run on is told by marks, too, and so is C from C++ and C#.
func same(key string) string {
	if strings.HasPrefix(key, thread.CheckKey) {
		return key
	}
	return strings.Join(strings.FieldsFunc(strings.ToLower(key), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("+#<>=", r)
	}), " ")
}

// passesOver is PassesOver of a thread of the session's branch.
func (w *SessionWork) passesOver(t *thread.Thread) bool {
	return t.Branch == w.Branch && w.PassesOver != nil && w.PassesOver(t.Memory.ShortID(), t.Memory.Source)
}

// LeftOver is something that a session left undone.
type LeftOver struct {
	Key  string // equal in sessions that leave or settle the same
	Kind thread.Kind
	Text string
	At   string // a place, as in [memory.Draft], or ""
}

// waitsFor is how long an observed thread waits for a session that goes on with it.
const waitsFor = 14 * 24 * time.Hour

// Settle makes threads of what a session left undone, and closes those of sessions before it
// that it settled. Nobody has to answer: a thread that no session came back to is parked.
func (l *List) Settle(ctx context.Context, work SessionWork) error {
	known, err := l.rows.Observed(ctx, work.Session)
	if err != nil {
		return fmt.Errorf("read the threads of earlier sessions: %w", err)
	}
	base, _ := gitinfo.DefaultBranch(l.place.GitDir, l.place.GitCommonDir, l.getenv)
	made := map[string]bool{}   // what has a thread, by same keys
	goesOn := map[string]bool{} // sessions of whose list it did an item, or left one again: it does not pass over the others
	for _, t := range known {
		if t.Observed() && work.passesOver(&t) && (work.leaves(&t) || work.Settles(t.Memory.Source)) {
			goesOn[t.Session] = true
		}
	}
	// What waits on a branch of its own, the next session there goes on with or lets be. The default branch, and a folder outside of
	// git, are where sessions about other things begin, too: there a second one has to pass over it.
	passedOver := sync.OnceValues(func() (map[string]int, error) { return l.rows.PassedOver(ctx, work.Session) })
	mayPark := func(t *thread.Thread) (bool, error) {
		if t.Branch != "" && t.Branch != base {
			return true, nil
		}
		by, err := passedOver()
		if err != nil {
			return false, fmt.Errorf("read what earlier sessions were told: %w", err)
		}
		return by[t.Memory.ShortID()] > 0, nil
	}
	for _, t := range known {
		if !t.Observed() {
			continue
		}
		key := t.Memory.Source
		if t.Session == work.Session {
			made[same(key)] = true // also if somebody has closed it
		}
		if t.State != thread.StateOpen {
			continue
		}
		state, why := l.answer(&t, work, base)
		if state == thread.StateOpen && !goesOn[t.Session] && work.passesOver(&t) {
			if may, err := mayPark(&t); err != nil {
				return err
			} else if may {
				state, why = thread.StateParked, "session "+work.Session+" was told of it and did the items of another list"
			}
		}
		if state == thread.StateOpen {
			made[same(key)] = made[same(key)] || t.Branch == work.Branch
			continue
		}
		t.State, t.Resolution = state, why
		if _, err := l.rows.Set(ctx, t); err != nil && !errors.Is(err, store.ErrThreadChanged) {
			return fmt.Errorf("close a thread: %w", err)
		}
	}
	if err := l.settleShared(ctx, work, made); err != nil {
		return err
	}
	if l.now().Sub(work.Ended) > waitsFor {
		return nil
	}
	for _, left := range work.Left {
		if made[same(left.Key)] {
			continue
		}
		made[same(left.Key)] = true
		if err := l.addObserved(ctx, work, left); err != nil {
			return fmt.Errorf("keep what session %s left: %w", work.Session, err)
		}
	}
	return nil
}

// settleShared closes the shared threads about checks that passed in a session. Their files are those of the branch that is
// checked out, so nothing is said of a session on another one. made gets the keys of those that stay open and that the next
// session here is told of: one that is for somebody else would hide that the check fails here.
func (l *List) settleShared(ctx context.Context, work SessionWork, made map[string]bool) error {
	from := l.from(l.place.Root, work.Agent)
	here := from.Branch == work.Branch
	for _, t := range l.shared() {
		key := t.Memory.Source
		if !t.AboutCheck() || t.State != thread.StateOpen || t.Memory.Trust.Tainted || len(t.Memory.Conflict) > 0 {
			continue
		}
		left := slices.ContainsFunc(work.Left, func(x LeftOver) bool { return x.Key == key })
		if left || !here || work.Ended.Before(t.Updated) || !work.Settles(key) {
			made[same(key)] = made[same(key)] || len(from.Waiting([]thread.Thread{t})) > 0
			continue
		}
		t.State, t.Resolution = thread.StateResolved, "the check passed in session "+work.Session
		if _, err := l.changeShared(ctx, t); err != nil {
			return fmt.Errorf("close a shared thread: %w", err)
		}
	}
	return nil
}

// answer returns the state of an observed thread after a session. What waited on the default branch base, such as a plan, is often
// carried out on a branch that is made for it.
func (l *List) answer(t *thread.Thread, work SessionWork, base string) (state thread.State, why string) {
	left := work.leaves(t)
	here := t.Branch == work.Branch || t.Branch == "" || work.Branch == "" || t.AwaitsPerson() && t.Branch == base
	switch {
	case t.Session == work.Session && !left:
		return thread.StateDone, "the session went on and did not leave it"
	case here && !left && work.Settles(t.Memory.Source) && !work.Ended.Before(t.Memory.CreatedAt.Time):
		return thread.StateResolved, "settled in session " + work.Session
	case !left && work.Branch != "" && work.Branch != base && t.Branch == work.Branch && work.Finishes != nil && work.Finishes(t.Memory.Source) && !work.Ended.Before(t.Memory.CreatedAt.Time):
		return thread.StateResolved, "finished in session " + work.Session
	case l.now().Sub(t.Updated) > waitsFor:
		return thread.StateParked, "no session came back to it in two weeks"
	}
	return thread.StateOpen, ""
}

// addObserved stores a thread that nobody wrote. What the gate refuses is left out.
func (l *List) addObserved(ctx context.Context, work SessionWork, left LeftOver) error {
	d := Draft{Kind: left.Kind, Text: left.Text, At: left.At, Tool: work.Agent, Agent: true, Session: work.Session, Tainted: work.Tainted, Work: work.Work}
	t, err := l.build(ctx, d)
	if err != nil && d.At != "" { // the file may be gone
		d.At = ""
		t, err = l.build(ctx, d)
	}
	if err != nil {
		_, err = memory.Refusal(err)
		return err
	}
	t.Branch, t.Memory.Source, t.Memory.Trust.Origin, t.Memory.CreatedAt = work.Branch, left.Key, file.ObserverInferred, file.At(work.Ended)
	_, err = l.put(ctx, t) // too many are no fault
	return err
}

// Inherited returns the states of the threads that a session was told of, by their short ids, and
// whether somebody wrote about them since it began.
func (l *List) Inherited(ctx context.Context, ids []string, began time.Time) ([]store.InheritedThread, error) {
	var out []store.InheritedThread
	for _, id := range ids {
		list, err := l.withID(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("look up thread %s: %w", id, err)
		}
		x := store.InheritedThread{ID: id}
		if len(list) == 1 {
			t := list[0]
			x.State, x.Answered = string(t.State), t.Version > 1 && !t.Updated.Before(began)
		}
		out = append(out, x)
	}
	return out, nil
}
