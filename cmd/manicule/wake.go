package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/hookcmd"
	"manicule/hooks"
	"manicule/hooks/agent"
	"manicule/memory"
	"manicule/memory/fastpath"
	"manicule/memory/search"
	"manicule/memory/services"
)

// wakeCommand is `manicule wake`.
type wakeCommand struct {
	*cli
	intent, whose string
}

func newWakeCommand(shared *cli) *cobra.Command {
	wc := &wakeCommand{cli: shared}
	c := &cobra.Command{
		Use:   "wake",
		Short: "Show what a session that starts here is told",
		Long: "Show what a session that starts here is told after the list of memories: the core documents,\n" +
			"what is kept of the agent, the build that is worked on, the open threads of this branch and of\n" +
			"the whole project, gotchas, dead ends, errors and recipes about what is under way, or about\n" +
			"what --for says, and what the last session left. The one that starts is told all of it still.",
		Example: "  manicule wake --for \"make the retry of the queue faster\"\n  manicule wake --agent codex",
		Args:    cobra.NoArgs,
		RunE:    wc.run,
	}
	c.Flags().StringVar(&wc.intent, "for", "", "what the session is for, instead of what is under way")
	c.Flags().StringVar(&wc.whose, "agent", "", "what a session of this agent is told, such as claude-code; the one that asks when not given")
	complete(c, "agent", agent.All().IDs())
	return c
}

// maxLessonsFound bounds the memories among which lessons are looked for.
const maxLessonsFound = 10

func (wc *wakeCommand) run(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	return wc.with(ctx, func(w *services.Workspace) error {
		learnEnded(ctx, wc.cli, w)
		id := wc.caller().ID
		if wc.whose != "" {
			a, ok := agent.Lookup(wc.whose)
			if !ok {
				return &memory.UserError{Msg: "unknown agent " + strconv.Quote(wc.whose), Hint: "One of: " + strings.Join(agent.All().IDs(), ", ") + "."}
			}
			id = a.ID
		}
		opening, err := wc.opening(ctx, w, hooks.Start{Dir: wc.rooted(w, "."), Agent: id, Session: wc.sessionID(), Purpose: strings.TrimSpace(wc.intent)})
		if err != nil {
			return err
		}
		if wc.json {
			wc.printJSON("wake", wakeOf(opening))
			return nil
		}
		text := opening.Text
		if text == "" {
			text = "nothing is left open here; `manicule thread add` leaves a thread"
		}
		wc.printf("%s\n", text)
		return nil
	})
}

// opening composes what a session that starts is told, and records that its memories were shown.
func (wc *wakeCommand) opening(ctx context.Context, w *services.Workspace, s hooks.Start) (out hooks.Opening, err error) {
	var lessons lessonSearch
	if s.Purpose != "" {
		lessons = func(ctx context.Context, _ string, q hooks.Query) ([]memory.Hit, error) { return wc.lessons(ctx, w, q) }
	}
	if out, err = preview(ctx, wc.cli, s, lessons); err != nil {
		return out, err
	}
	found, err := w.GetEach(ctx, out.Memories)
	if err != nil {
		return out, err
	}
	var hits []memory.Hit
	for _, id := range out.Memories {
		if h, ok := found[id]; ok {
			hits = append(hits, h)
		}
	}
	wc.recordShown(ctx, w, "wake", "", hits)
	return out, nil
}

// lessonSearch is as [hooks.Options.Search].
type lessonSearch = func(ctx context.Context, dir string, q hooks.Query) ([]memory.Hit, error)

// preview composes what a session that starts is told, and warns of what is left out of it. lessons finds its lessons, in another way than a hook does unless it is nil.
func preview(ctx context.Context, c *cli, s hooks.Start, lessons lessonSearch) (out hooks.Opening, err error) {
	p := hookcmd.Process{Getenv: c.getenv, Now: c.now, Random: c.random, Start: c.now(), Asked: true}
	o, done := p.Options(s.Agent)
	defer func() { err = errors.Join(err, done()) }()
	if lessons != nil {
		o.Search = lessons
	}
	out, err = hooks.Preview(ctx, o, s)
	if err != nil && out.Text != "" && ctx.Err() == nil { // a damaged file hides nothing else
		c.warn("%v", err)
		err = nil
	}
	return out, err
}

// lessons finds memories about what a person or an agent names, by all that the search has: who asks waits for it.
func (wc *wakeCommand) lessons(ctx context.Context, w *services.Workspace, q hooks.Query) (hits []memory.Hit, err error) {
	answer, err := wc.answer(ctx, w, search.Question{Text: q.Text, Limit: maxLessonsFound, Explicit: true})
	if err != nil {
		return nil, err
	}
	if hits, _, err = search.Hits(ctx, w.Workspace, answer); err != nil {
		return nil, err
	}
	index, err := fastpath.At(ctx, w.Place(), w.Now)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	counts := index.Counts() // common words weigh as little as they do for a session that starts
	return slices.DeleteFunc(hits, func(h memory.Hit) bool { return h.Memory == nil || !q.Relevant(h.Memory, counts) }), nil
}

func wakeOf(o hooks.Opening) wakeJSON {
	out := wakeJSON{Text: o.Text, Threads: threadsOf(o.Waiting.Threads), Shown: len(o.Threads), More: o.Waiting.More, Intent: o.Intent, Lessons: append([]string{}, o.Lessons...)}
	if l := o.Waiting.Last; l != nil {
		out.Last = &lastSessionJSON{l.Session, l.Agent, l.Ended.UTC().Format(time.RFC3339), append([]string{}, l.Edited...), append([]string{}, l.Failed...), l.Task, string(l.Outcome)}
	}
	return out
}

type wakeJSON struct {
	Text    string           `json:"text"`
	Threads []threadJSON     `json:"threads"`
	Shown   int              `json:"shown"`
	More    int              `json:"more"`
	Intent  string           `json:"intent"`  // what lessons were looked for
	Lessons []string         `json:"lessons"` // ids of the memories that are quoted as lessons
	Last    *lastSessionJSON `json:"last_session,omitempty"`
}

type lastSessionJSON struct {
	Session string   `json:"session"`
	Agent   string   `json:"agent"`
	Ended   string   `json:"ended_at"`
	Edited  []string `json:"edited"`
	Failed  []string `json:"failed"`
	Task    string   `json:"task,omitzero"`
	Outcome string   `json:"outcome,omitzero"`
}
