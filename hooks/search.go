package hooks

import (
	"context"
	"slices"
	"strings"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/phase"
	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/retrieve"
)

// Query is a hook's search by words and meaning.
type Query struct {
	Text  string
	Phase retrieve.Phase
	Limit int
	// Timeout bounds the search. Later results are dropped.
	Timeout time.Duration
	// Relevant reports whether a memory is about the question; nil for all. The search applies
	// it, as only that can count memories.
	Relevant func(*file.Memory, Counts) bool
	// Skip excludes memories of a root, such as those that the agent has anyway.
	Skip func(root string) func(*file.Memory) bool
	// Agent and Session are who asks: what belongs to another agent or session is left out.
	Agent, Session string
}

// Limits of unasked searches and their quotes.
const (
	// warmupEvents is the number of events in a session before an agent's own search is
	// answered with memories too. Before, the agent has just read the brief.
	warmupEvents = 5
	// logTailBytes is the part of the session's log that is read for its recent steps.
	logTailBytes = 6 << 10
	// promptSearchTimeout and agentSearchTimeout bound a search. The rest of the budget is
	// for reading, claiming and writing.
	promptSearchTimeout = 120 * time.Millisecond
	agentSearchTimeout  = 40 * time.Millisecond
	// maxSearchResults is the number of memories for an agent's own search.
	maxSearchResults = 2
)

// recentSteps returns the last steps of the session. warm is true after the warm-up
// events.
func (a *answering) recentSteps() (list []phase.Step, warm bool) {
	if a.stateDir == "" || a.ev.Session == "" {
		return nil, false
	}
	records, more, err := eventlog.Tail(a.stateDir, a.ev.Session, logTailBytes)
	if err != nil {
		a.note("the session's log could not be read", err)
		return nil, false
	}
	var steps stepList
	for _, r := range records {
		if r.AgentID != a.ev.AgentID {
			continue
		}
		plan := r.Facts["permission_mode"] == "plan"
		if r.Prompt != "" {
			steps.add(phase.Step{Prompt: r.Prompt, Plan: plan}, eventlog.Call{})
		}
		for _, c := range r.Calls {
			steps.add(phase.Step{Class: event.Class(c.Class), Command: c.Command, Failed: c.OK != nil && !*c.OK, Paths: c.Paths, Plan: plan}, c)
		}
	}
	return steps.list, more || len(records) >= warmupEvents
}

// stepList collects steps. The events before and after a call are one step: they have its
// id, or, where an agent gives none, follow one another.
type stepList struct {
	list []phase.Step
	byID map[string]int
	last eventlog.Call // of the last step; zero for a prompt
}

func (l *stepList) add(s phase.Step, c eventlog.Call) {
	at, known := l.byID[c.ID]
	if c.ID == "" {
		at = len(l.list) - 1
		known = at >= 0 && c.OK != nil && l.last.OK == nil && l.last.Class == c.Class && l.last.Command == c.Command && slices.Equal(l.last.Paths, c.Paths)
	}
	l.last = c
	if known {
		l.list[at].Failed = l.list[at].Failed || s.Failed
		return
	}
	if c.ID != "" {
		if l.byID == nil {
			l.byID = map[string]int{}
		}
		l.byID[c.ID] = len(l.list)
	}
	l.list = append(l.list, s)
}

// searcher finds memories for a prompt, or for what the agent searches.
type searcher struct{ *answering }

// searchPrompt answers a prompt with relevant memories, and with earlier failures of the
// commands that it names.
func (s searcher) searchPrompt(ctx context.Context) string {
	text, _ := event.Typed(s.ev.Prompt)
	if !s.ev.Answers || s.degraded() || strings.HasPrefix(text, "/") || ofProgram(text) {
		return ""
	}
	if s.ev.PromptFrom != "" && s.ev.PromptFrom != "user" && s.ev.PromptFrom != "sdk" {
		return "" // a wake-up or a poll
	}
	failed := failures(s).promptFailures(ctx, text)
	failed = joinParts(s.branchFiles(ctx, text), failed)
	check, checks := asksForCheck(text)
	if s.opt.Search == nil || !checks && !hasSubject(text) {
		return failed
	}
	steps, _ := s.recentSteps()
	q := Query{Text: text[:min(len(text), 4000)], Phase: s.opt.Methodology.Phase(append(steps, phase.Step{Prompt: text})), Limit: 2 * nudge.MaxQuotes, Timeout: s.opt.part(promptSearchTimeout)}
	q.Relevant = relevantAnywhere(q.Text)
	if (checks || episode.KindOf(text) == episode.Tests) && !called(steps) {
		about, told := q.Relevant, relevant(q.Text)
		q.Phase, q.Relevant = retrieve.Validate, func(m *file.Memory, counts Counts) bool {
			return about(m, counts) || ofChecks(m) && told(m, counts) || checks && check.about(m)
		}
		if checks {
			q.Text = check.question()
		}
	}
	found := s.search(ctx, q, nudge.MaxQuotes, func(hits []memory.Hit) (string, []string) {
		quoted, shown := nudge.Quotes(nudge.PromptHead, hits, s.opt.Now())
		return joinParts(quoted, needed(shownOf(hits, shown), text+quoted, steps)), shown
	})
	return joinParts(found, failed)
}

// ofProgram reports whether a prompt is one that a program wrote: it is in tags, gives the agent a part to play, or hands over what
// another agent did. It is about whatever it quotes, and most of what was told at such prompts was about something else.
func ofProgram(text string) bool {
	for _, head := range []string{"<", "You are a ", "You are an ", "You are the ", "You are performing ", "You are reviewing ", "You are judging ", "The following is the ", "Another Claude session ",
		"This session is being continued "} {
		if strings.HasPrefix(text, head) {
			return true
		}
	}
	return false
}

// ofChecks reports whether a memory says how checks go. A session that is to check something hears of these before its first call,
// wherever they belong.
func ofChecks(m *file.Memory) bool {
	return m.Type == file.ErrorPattern || m.Type == file.E2EObservation || m.Trust.Origin == file.QAAuto
}

// searchQuery answers a search of the agent with memories too.
func (s searcher) searchQuery(ctx context.Context) string {
	if s.opt.Search == nil {
		return ""
	}
	var text []string
	for _, c := range s.ev.Calls {
		if c.Class == event.Search && c.Query != "" && len(c.Query) < 200 {
			text = append(text, c.Query)
		}
	}
	if len(text) == 0 {
		return ""
	}
	steps, warm := s.recentSteps()
	if !warm {
		return ""
	}
	q := Query{Text: strings.Join(text, " "), Phase: s.opt.Methodology.Phase(steps), Limit: 2 * maxSearchResults, Timeout: s.opt.part(agentSearchTimeout)}
	q.Relevant = sought(q.Text)
	if request, _ := s.request(); request.text != "" { // a search goes through much that the work is not about
		named, asked := q.Relevant, relevant(request.text)
		q.Relevant = func(m *file.Memory, counts Counts) bool { return named(m, counts) && asked(m, counts) }
	}
	return s.search(ctx, q, min(maxSearchResults, nudge.MaxQuotes-s.quotes), func(hits []memory.Hit) (string, []string) {
		return nudge.Quotes(nudge.SearchHead, hits, s.opt.Now())
	})
}

// shownOf returns the hits whose ids were shown.
func shownOf(hits []memory.Hit, shown []string) []memory.Hit {
	return slices.DeleteFunc(slices.Clone(hits), func(h memory.Hit) bool { return !slices.Contains(shown, h.Memory.UUID) })
}

// search finds memories and quotes those that were not quoted yet.
func (s searcher) search(ctx context.Context, q Query, most int, write func([]memory.Hit) (text string, shown []string)) string {
	q.Skip, q.Agent, q.Session = s.autoLoaded, s.ev.Agent, s.ev.Session
	hits, err := s.opt.Search(s.untilDeadline(ctx), s.dir(), q)
	if err != nil {
		if ctx.Err() == nil {
			s.note("the memories could not be searched", err)
		}
		return ""
	}
	hits = slices.DeleteFunc(withMemory(hits), func(h memory.Hit) bool { return !s.level().quotable(h) })
	text, _ := s.quote("", hits, most, write)
	return text
}

// quote writes the first hits that were not quoted in this conversation, within the
// budget, and claims exactly those. Hits that another process claims meanwhile are
// dropped, and those that do not fit stay for the next time. What is held out is claimed as if
// it was told. It returns the number of those that are told.
// path is the path that they are quoted for, or "".
func (a *answering) quote(path string, hits []memory.Hit, most int, write func([]memory.Hit) (text string, shown []string)) (string, int) {
	if len(hits) == 0 || most <= 0 || !a.commit() {
		return "", 0
	}
	told := a.claims.digests()
	var some []memory.Hit
	for _, h := range hits {
		same := func(x memory.Hit) bool { return x.Memory.UUID == h.Memory.UUID }
		if len(some) < most && !told[eventlog.Digest(eventlog.QuotedKey(h.Memory.UUID))] && !slices.ContainsFunc(some, same) {
			some = append(some, h)
		}
	}
	text, shown := write(some)
	some = experiment{a}.holdOut(shownOf(some, shown))
	var keys []string
	for _, h := range some {
		keys = append(keys, eventlog.QuotedKey(h.Memory.UUID), h.Memory.UUID) // a quoted memory need not be counted
	}
	won := a.claims.claim(keys...)
	some = slices.DeleteFunc(some, func(h memory.Hit) bool { return !won[eventlog.QuotedKey(h.Memory.UUID)] })
	if len(some) < len(shown) {
		text, shown = write(some)
	}
	a.noteShownLines(path, text, shown)
	a.quotes += len(shown)
	return text, len(shown)
}
