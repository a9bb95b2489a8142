package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/hooks"
	"manicule/hooks/nudge"
	"manicule/indexer/gitinfo"
	"manicule/memory"
	"manicule/memory/builds"
	"manicule/memory/fastpath"
	"manicule/memory/plans"
	"manicule/memory/record"
	"manicule/memory/search"
	"manicule/memory/services"
	"manicule/memory/thread"
	"manicule/memory/threads"
	"manicule/memory/work"
)

// wakeCommand is `manicule wake`.
type wakeCommand struct {
	*cli
	intent string
}

func newWakeCommand(shared *cli) *cobra.Command {
	wc := &wakeCommand{cli: shared}
	c := &cobra.Command{
		Use:   "wake",
		Short: "Show what a session that starts here is told about earlier ones",
		Long: "Show what a session that starts here is told: the build that is worked on, a line about the\n" +
			"last session, the open threads of this branch and of the whole project, then gotchas, dead\n" +
			"ends, errors and recipes about what is under way, or about what --for says.",
		Example: "  manicule wake --for \"make the retry of the queue faster\"",
		Args:    cobra.NoArgs,
		RunE:    wc.run,
	}
	c.Flags().StringVar(&wc.intent, "for", "", "what the session is for, instead of what is under way")
	return c
}

// lessons returns what was learned the hard way about an intent, within the budget that text has used.
func (wc *wakeCommand) lessons(ctx context.Context, w *services.Workspace, intent, text string) (said string, shown []string, err error) {
	if strings.TrimSpace(intent) == "" {
		return "", nil, nil
	}
	answer, err := wc.answer(ctx, w, search.Question{Text: intent, Limit: maxLessonsFound, Explicit: true})
	if err != nil {
		return "", nil, err
	}
	hits, _, err := search.Hits(ctx, w.Workspace, answer)
	if err != nil {
		return "", nil, err
	}
	index, err := fastpath.At(ctx, w.Place(), w.Now)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	about, _ := workUnderWay(w)
	// Common words weigh as little as they do for a session that starts.
	fits, counts := hooks.OfWork(about, w.Work().Method(), hooks.Lesson(intent)), index.Counts()
	hits = slices.DeleteFunc(hits, func(h memory.Hit) bool { return !fits(h.Memory, counts) || h.Use.Failed > h.Use.Worked })
	said, shown = nudge.Lessons(hits[:min(len(hits), nudge.MaxQuotes)], w.Now(), text)
	hits = slices.DeleteFunc(hits, func(h memory.Hit) bool { return !slices.Contains(shown, h.Memory.UUID) })
	wc.recordShown(ctx, w, "wake", "", hits)
	return said, shown, nil
}

// workUnderWay sums up the unit of work under way.
func workUnderWay(w *services.Workspace) (s work.Summary, ok bool) {
	if r := w.Work().Here(); r != nil {
		return w.Work().Method().Summarize(work.Load(w.Place()), *r)
	}
	return s, false
}

// maxLessonsFound bounds the memories among which lessons are looked for.
const maxLessonsFound = 10

func (wc *wakeCommand) run(cmd *cobra.Command, _ []string) error {
	return wc.with(cmd.Context(), func(w *services.Workspace) error {
		learnEnded(cmd.Context(), wc.cli, w)
		b, err := wc.bundle(cmd.Context(), w)
		if err != nil {
			return err
		}
		kept, err := w.State().Records().Latest(cmd.Context(), record.Identity, wc.caller().ID)
		if err != nil {
			return fmt.Errorf("read what is kept of the agent: %w", err)
		}
		under := nudge.Identity(slices.DeleteFunc(kept, func(r record.Record) bool { return r.Tainted }))
		list, _ := plans.Of(w.Workspace).All() // `manicule build list` names a damaged one
		title := ""
		if s, ok := workUnderWay(w); ok {
			title = s.Title
			under = strings.Trim(under+"\n"+nudge.UnderWay(s), "\n")
		}
		var doing builds.Summary
		if current, ok := builds.Current(list, w.Branch()); ok {
			s, err := builds.Summarize(current)
			if err != nil {
				return err
			}
			doing = s
			under = strings.TrimPrefix(under+"\n"+nudge.Build(s), "\n")
		}
		text, shown := nudge.Wake(b, "", under)
		intent := wc.intent
		if intent == "" {
			branch := w.Branch()
			if main, _ := gitinfo.DefaultBranch(w.Place().GitDir, w.Place().GitCommonDir, wc.getenv); branch == main {
				branch = ""
			}
			intent = hooks.Intent(title, doing, b.Last, branch)
		}
		said, lessons, err := wc.lessons(cmd.Context(), w, intent, text)
		if err != nil {
			return err
		}
		text = strings.Trim(text+"\n"+said, "\n")
		if wc.json {
			out := wakeJSON{Text: text, Threads: threadsOf(b.Threads), Shown: len(shown), More: b.More, Intent: intent, Lessons: append([]string{}, lessons...)}
			if l := b.Last; l != nil {
				out.Last = &lastSessionJSON{l.Session, l.Agent, l.Ended.UTC().Format(time.RFC3339), append([]string{}, l.Edited...), append([]string{}, l.Failed...), l.Task, string(l.Outcome)}
			}
			wc.printJSON("wake", out)
			return nil
		}
		if text == "" {
			text = "nothing is left open here; `manicule thread add` leaves a thread"
		}
		wc.printf("%s\n", text)
		return nil
	})
}

func (wc *wakeCommand) bundle(ctx context.Context, w *services.Workspace) (thread.Bundle, error) {
	session := ""
	if env := wc.caller().Env.Session; env != "" {
		session = wc.getenv(env)
	}
	return threads.Of(w.Workspace).Wake(ctx, wc.here("."), session, wc.caller().ID)
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
