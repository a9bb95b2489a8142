package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"manicule/hooks/nudge"
	"manicule/memory"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// ThreadItem is a thread in an answer.
type ThreadItem struct{ ID, Kind, State, Text, Place, Owner, By string }

func threadItem(t *thread.Thread) ThreadItem {
	return ThreadItem{ID: t.Memory.ShortID(), Kind: nudge.ThreadKind(t.Kind), State: string(t.State), Text: nudge.Clean(t.Memory.What),
		Place: placeText(t.Place()), Owner: nudge.Clean(t.Owner), By: nudge.Clean(t.By())}
}

// writes reports whether the input leaves or changes a thread.
func (in *sessionIn) writes() bool {
	return in.Open != "" || in.Update != "" || in.Close != "" || len(in.Answers) > 0
}

// threadTools keep what a session leaves for later ones.
type threadTools struct{ *toolkit }

// writeThread leaves, changes or closes a thread.
func (x *threadTools) writeThread(ctx context.Context, c *call, in sessionIn) (string, SessionAnswer, error) {
	acts := 0
	for _, is := range []bool{in.Open != "", in.Update != "", in.Close != "", len(in.Answers) > 0} {
		if is {
			acts++
		}
	}
	if acts > 1 {
		return "", SessionAnswer{}, userError("one call does one of open, update, close and answers", "Make a call for each.")
	}
	if len(in.Answers) > 0 {
		return x.answerThreads(ctx, c, in.Answers)
	}
	if err := x.sessions.repeats(strings.Join([]string{in.Open, in.Text, in.Why}, "\n")); err != nil {
		return "", SessionAnswer{}, err
	}
	var at []string
	if in.At != "" {
		at = []string{in.At}
	}
	sp, err := x.spaces.writable(ctx, at)
	if err != nil {
		return "", SessionAnswer{}, err
	}
	session := x.sessions.of(c, sp)
	r, verb, err := threads.Result{}, "left for the next session as", error(nil)
	switch tainted := x.sessions.tainted(ctx, sp, session); {
	case in.Open != "":
		r, err = threads.Of(sp.Memories).Add(ctx, threads.Draft{Kind: thread.Kind(in.Kind), Text: in.Open, Why: in.Why, At: in.At, Owner: in.Owner, Tags: in.Tags, Under: in.Under,
			Tool: c.agent, Agent: true, Session: session, Tainted: tainted})
	case in.Update != "":
		verb = "changed"
		r, err = x.updateThread(ctx, sp, in, tainted)
	default:
		state := thread.StateDone
		if strings.TrimSpace(in.Why) != "" {
			state = thread.StateResolved
		}
		verb = "closed"
		r, err = changeThread(ctx, sp, in.Close, threads.Change{State: state, Resolution: in.Why, Tainted: tainted})
	}
	switch {
	case err != nil:
		return "", SessionAnswer{}, err
	case !r.Accepted:
		return "", SessionAnswer{}, refusedThread(r)
	case r.Same:
		verb = "the same waits already as"
	}
	note := ""
	if r.Thread.Memory.Trust.Tainted {
		note = "; this session has read text from outside, so only a person is shown it: `manicule thread list`"
	}
	a := SessionAnswer{Wrote: true, Said: strings.TrimPrefix(note, "; "), Threads: []ThreadItem{threadItem(&r.Thread)}}
	return fmt.Sprintf("☞ Manicule: %s %s, %s%s", verb, r.Thread.Memory.ShortID(), r.Thread.State, note), a, nil
}

// maxAnswers bounds the threads that one call answers. A session is told of fewer.
const maxAnswers = 24

// answerThreads sets the states of several threads: each answer is "ID STATE WHY". One that can't be
// followed does not keep the others from it.
func (x *threadTools) answerThreads(ctx context.Context, c *call, answers []string) (string, SessionAnswer, error) {
	if len(answers) > maxAnswers {
		return "", SessionAnswer{}, userError(fmt.Sprintf("%d answers in one call, at most %d are read", len(answers), maxAnswers), "Make several calls.")
	}
	if err := x.sessions.repeats(strings.Join(answers, "\n")); err != nil {
		return "", SessionAnswer{}, err
	}
	sp, err := x.spaces.writable(ctx, nil)
	if err != nil {
		return "", SessionAnswer{}, err
	}
	session := x.sessions.of(c, sp)
	tainted := x.sessions.tainted(ctx, sp, session)
	a := SessionAnswer{Wrote: true}
	var lines, refused []string
	for _, answer := range answers {
		t, err := x.answerThread(ctx, sp, answer, tainted)
		var user *memory.UserError
		switch {
		case errors.As(err, &user):
			refused = append(refused, user.Msg)
		case err != nil:
			return "", SessionAnswer{}, err
		default:
			lines = append(lines, t.Memory.ShortID()+" "+string(t.State))
			a.Threads = append(a.Threads, threadItem(&t))
		}
	}
	if len(lines) == 0 {
		return "", SessionAnswer{}, userError("no answer was followed: "+strings.Join(refused, "; "), `Write each as "ID resolved WHY", "ID parked WHY" or "ID open WHY".`)
	}
	text := "☞ Manicule: " + strings.Join(lines, ", ")
	if len(refused) > 0 {
		a.Refused = refused
		text += ". Not followed: " + strings.Join(refused, "; ")
	}
	return text, a, nil
}

// answerThread follows one answer.
func (x *threadTools) answerThread(ctx context.Context, sp *Space, answer string, tainted bool) (t thread.Thread, err error) {
	id, rest, _ := strings.Cut(strings.TrimSpace(answer), " ")
	state, why, _ := strings.Cut(strings.TrimSpace(rest), " ")
	why = strings.TrimSpace(why)
	change := threads.Change{State: thread.State(strings.TrimSuffix(state, ":")), Resolution: why, Tainted: tainted}
	switch change.State {
	case thread.StateOpen, thread.StateParked:
	case thread.StateDone, thread.StateResolved:
		if change.State = thread.StateDone; why != "" {
			change.State = thread.StateResolved
		}
	default:
		return t, userError(fmt.Sprintf("%q names no state", nudge.Cut(nudge.Clean(answer), 60)), "Use resolved, parked or open.")
	}
	r, err := changeThread(ctx, sp, id, change)
	if err == nil && !r.Accepted {
		err = refusedThread(r)
	}
	return r.Thread, err
}

// refusedThread says why a thread was not accepted, and what to do: most reasons do.
func refusedThread(r threads.Result) error {
	return userError("not accepted: "+nudge.Clean(inTools(r.Reason)), "")
}

// updateThread changes the text, the owner or the state of a thread. An agent may not put words
// into a person's.
func (x *threadTools) updateThread(ctx context.Context, sp *Space, in sessionIn, tainted bool) (threads.Result, error) {
	change := threads.Change{State: thread.State(in.State), Text: in.Text, Owner: in.Owner, Tags: in.Tags, Tainted: tainted}
	switch change.State {
	case thread.StateOpen, thread.StateParked:
		change.Resolution = in.Why
	case "":
		change.Why = in.Why
	case thread.StateDone, thread.StateResolved:
		return threads.Result{}, userError("`update` closes nothing", "Use `close` with the id, and say in `why` how it was settled.")
	default:
		return threads.Result{}, userError(fmt.Sprintf("unknown state %q", nudge.Cut(nudge.Clean(in.State), 40)), "Use open or parked.")
	}
	change.Allowed = func(t thread.Thread) error {
		if t.Agent == "" && change.Text+change.Why != "" {
			return userError("thread "+t.Memory.ShortID()+" is a person's, whose words you can't change", "Leave one of your own with `open`.")
		}
		return nil
	}
	return changeThread(ctx, sp, in.Update, change)
}

func changeThread(ctx context.Context, sp *Space, id string, change threads.Change) (threads.Result, error) {
	id, err := checkID(id)
	if err != nil {
		return threads.Result{}, err
	}
	allowed := change.Allowed
	change.Allowed = func(t thread.Thread) error {
		if t.Memory.Trust.Tainted {
			return userError("thread "+t.Memory.ShortID()+" may come from outside, so a person decides about it", "Leave it.")
		}
		if allowed != nil {
			return allowed(t)
		}
		return nil
	}
	return threads.Of(sp.Memories).Change(ctx, id, change)
}

// threadsIn adds the threads that wait and have some tags to the answer, and returns their text.
func threadsIn(ctx context.Context, sp *Space, agent string, tags []string, a *SessionAnswer) (string, error) {
	b, err := threads.Of(sp.Memories).Wake(ctx, sp.Memories.Root(), a.Session, agent)
	if err != nil {
		return "", errors.Join(errors.New("read the threads"), err)
	}
	b.Threads = slices.DeleteFunc(b.Threads, func(t thread.Thread) bool { return !t.HasTags(tags) })
	text, shown := nudge.Wake(thread.Bundle{Threads: b.Threads, More: b.More}, "", nudge.Beside{})
	for i := range b.Threads[:len(shown)] {
		a.Threads = append(a.Threads, threadItem(&b.Threads[i]))
	}
	if n := len(b.Threads) - len(shown) + b.More; n > 0 {
		a.omit("threads", n)
	}
	if text != "" {
		text = "\n" + text
	}
	return text, nil
}
