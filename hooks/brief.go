package hooks

import (
	"context"
	"slices"
	"strings"
	"time"

	"manicule/hooks/digest"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/memory"
	"manicule/memory/branch"
	"manicule/memory/core"
	"manicule/memory/file"
	"manicule/memory/secret"
)

// brief is what a session is told at its start.
type brief struct{ *answering }

// sessionStart answers with the brief, unless the conversation already contains one: a
// resumed or forked session replays it.
func (b brief) sessionStart(ctx context.Context) string {
	switch b.ev.Source {
	case event.Resume, event.Fork:
		return ""
	case event.Clear, event.Compact:
		b.claims.reset()
	}
	if !b.ev.Answers {
		return ""
	}
	return b.opening(ctx)
}

// subagentStart answers with the memories of the whole project, which the conversation that asks the subagent has been told and it
// has not. What earlier sessions left is for the one that a person talks with.
func (b brief) subagentStart(ctx context.Context) string {
	if !b.ev.Answers || b.degraded() {
		return ""
	}
	m, err := b.openMemories(b.opt.OpenReadOnly(b.untilDeadline(ctx), b.dir()))
	if err != nil {
		b.note("the memories could not be opened", err)
		return ""
	}
	defer b.closeMemories(m)
	hits, total, err := m.Brief(b.untilDeadline(ctx))
	if err != nil {
		b.note("the brief could not be read", err)
		return ""
	}
	fresh := b.withoutAutoLoaded(m.Root(), slices.Clone(hits))
	total -= len(hits) - len(fresh)
	fresh = slices.DeleteFunc(fresh, func(h memory.Hit) bool { return !b.level().leads(h) })
	text, shown := nudge.Brief(fresh, total, nudge.Branch{}, b.core(), "", "", "")
	if text == "" || !b.commit() {
		return ""
	}
	b.noteShownLines("", text, shown)
	if b.claims.kept() {
		b.claims.claim(append(shown, projectKey(m.Root()))...)
	}
	return text
}

// opening is what a session is told first: the brief, and what earlier sessions left.
func (b brief) opening(ctx context.Context) string {
	m, err := b.openMemories(b.opt.OpenReadOnly(b.untilDeadline(ctx), b.dir()))
	if err != nil {
		b.note("the memories could not be opened", err)
		return ""
	}
	defer b.closeMemories(m)
	onBranch := b.branch(ctx)
	hits, total, err := m.Brief(b.untilDeadline(ctx))
	if err != nil {
		b.note("the brief could not be read", err)
		return ""
	}
	early := b.isEarlySession()
	noIndex := ""
	if early && b.opt.Indexed != nil && !b.opt.Indexed(b.dir()) {
		noIndex = nudge.NoIndex
	}
	news := b.commits(ctx)
	fresh := b.withoutAutoLoaded(m.Root(), slices.Clone(hits)) // who wrote those that are left out counts below
	total -= len(hits) - len(fresh)                            // what the agent has anyway is not left out
	fresh = slices.DeleteFunc(fresh, func(h memory.Hit) bool { return !b.level().leads(h) })
	here := onBranch()
	first := ""
	if early && total > 0 && b.isEarlier(1) && !b.isAuthor(ctx, m, hits) {
		first = nudge.Newcomer
	}
	ofBranch, core := b.branchHits(ctx, m, here), b.core()
	text, shown := nudge.Brief(fresh, total, ofBranch, core, news, noIndex, first)
	quoted := shownOf(ofBranch.Hits, shown)
	if told := experiment(b).holdOut(quoted); len(told) < len(quoted) {
		ofBranch.Hits = told
		text, shown = nudge.Brief(fresh, total, ofBranch, core, news, noIndex, first)
	}
	if early && total < fewMemories {
		text = strings.TrimPrefix(text+"\n"+nudge.NewHere, "\n")
	}
	if b.opt.Unusable != nil {
		if missing := nudge.Unusable(b.opt.Unusable(b.dir())); missing != "" {
			text = strings.TrimPrefix(text+"\n☞ "+missing+".", "\n")
		}
	}
	if text != "" && !b.commit() {
		return ""
	}
	b.noteShownLines("", text, shown)
	going := ""
	if b.ev.Source == event.Compact {
		going = compaction(b).continued()
	}
	before := earlierWork(b)
	woken, unfinished := before.tell(ctx, "", text, here.Name, shown)
	if b.behind && b.beginsAnew() {
		b.claims.claim(behindKey)
	}
	starting := joinParts(going, woken, unfinished, failures(b).frequentFailures(ctx), before.earlierFacts(ctx))
	if text != "" && b.claims.kept() {
		b.claims.claim(append(shown, projectKey(m.Root()), recallHintKey)...)
	}
	return joinParts(text, starting)
}

// bundle is what a session is told at its start beside the list of memories: the core documents, what is kept of the agent, the work
// under way, what earlier sessions left, and lessons.
func (b brief) bundle(ctx context.Context) string {
	here := b.branch(ctx)()
	woken, unfinished := earlierWork(b).tell(ctx, nudge.ShortCore(b.core()), "", here.Name, nil)
	return joinParts(woken, unfinished)
}

// isAuthor reports whether the person who works here wrote all of the memories, and so is no newcomer to them. Where
// none is about the whole project, which the brief has, those about its code are asked for: once in a repository.
func (b brief) isAuthor(ctx context.Context, m Memories, hits []memory.Hit) bool {
	if b.opt.Author == nil {
		return false
	}
	person := b.opt.Author(b.dir())
	if len(hits) == 0 && person != "" {
		var err error
		if hits, err = m.ForPath(b.untilDeadline(ctx), memory.PathQuery{Dir: true, Project: true}); err != nil {
			b.note("who wrote the memories could not be read", err)
		}
	}
	hits = withMemory(hits)
	return person != "" && len(hits) > 0 && !slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Memory.Contributor != person })
}

// core returns the core documents of the project and of the session's agent, which lead the brief.
func (b brief) core() string {
	if b.opt.Core == nil {
		return ""
	}
	read := func(agent string) core.Document {
		d, err := b.opt.Core(b.dir(), agent)
		if err != nil {
			b.note("a core document is left out", err)
			return core.Document{}
		}
		return d
	}
	all := read("")
	if b.ev.Agent == "" {
		return nudge.Core(all, core.Document{})
	}
	return nudge.Core(all, read(b.ev.Agent))
}

// firstSessions is the number of sessions that are told that the workspace is new to
// Manicule. A workspace with fewMemories is not new, such as one set up on
// another machine.
const (
	firstSessions = 3
	fewMemories   = 10
)

// isEarlySession reports whether a session is one of the first in its workspace.
func (b brief) isEarlySession() bool {
	return b.ev.Source == event.Startup && b.isEarlier(firstSessions)
}

// isEarlier reports whether there were fewer than n other sessions.
func (b brief) isEarlier(n int) bool {
	if b.stateDir == "" {
		return false
	}
	others, err := eventlog.CountOthers(b.stateDir, b.ev.Session, n)
	if err != nil {
		b.note("the sessions could not be counted", err)
		return false
	}
	return others < n
}

// commitsTimeout bounds reading the commits: git's packs can be large, and the brief must
// not be late.
const commitsTimeout = 120 * time.Millisecond

// commits lists what people committed since the last session here.
func (b brief) commits(ctx context.Context) string {
	if b.opt.Commits == nil || b.ev.Source != event.Startup || b.degraded() {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, b.opt.part(commitsTimeout))
	defer cancel()
	type found struct {
		digest.Changes
		error
	}
	done := make(chan found, 1)
	go func() {
		n, err := b.opt.Commits(ctx, b.dir())
		done <- found{n, err}
	}()
	select {
	case <-ctx.Done():
		return "" // the next session reports it
	case f := <-done:
		if f.error != nil {
			if ctx.Err() == nil {
				b.note("what people committed could not be read", f.error)
			}
			return ""
		}
		var list []nudge.Change
		for _, c := range f.Commits {
			list = append(list, nudge.Change{Subject: secret.Mask(c.Subject), Author: c.Author})
		}
		b.commitsRead = true
		return nudge.Changes(list, f.More)
	}
}

// branchTimeout bounds the search for memories of the branch, which runs in parallel to
// commits.
const branchTimeout = 60 * time.Millisecond

// branch starts to find the memories of the checked-out branch, in parallel to other
// reads. The returned function waits for the result.
func (b brief) branch(ctx context.Context) (wait func() branch.Memories) {
	if b.opt.Branch == nil || b.degraded() {
		return func() branch.Memories { return branch.Memories{} }
	}
	ctx, cancel := context.WithTimeout(ctx, b.opt.part(branchTimeout))
	type found struct {
		branch.Memories
		error
	}
	done := make(chan found, 1)
	dir := b.dir()
	go func() {
		m, err := b.opt.Branch(ctx, dir)
		done <- found{m, err}
	}()
	return func() branch.Memories {
		defer cancel()
		var f found
		select {
		case f = <-done: // a finished result is used, however long the other parts took
		default:
			select {
			case <-ctx.Done():
				return b.lastBranch() // a late result is left out
			case f = <-done:
			}
		}
		if f.error != nil {
			if ctx.Err() == nil {
				b.note("the memories of the branch could not be found", f.error)
			}
			return branch.Memories{}
		}
		return f.Memories
	}
}

// lastBranch returns what was found last of the branch, for a start that can't wait for git.
func (b brief) lastBranch() branch.Memories {
	if b.opt.LastBranch == nil {
		return branch.Memories{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), b.opt.part(branchTimeout/4))
	defer cancel()
	m, err := b.opt.LastBranch(ctx, b.dir())
	if err != nil {
		b.note("what was last found of the branch could not be read", err)
		return branch.Memories{}
	}
	return m
}

// maxVerified bounds the memories of an answer that are verified in their files.
const maxVerified = 12

// branchHits reads the memories of a branch. It counts all and quotes those that are sure
// enough and were not imported.
func (b brief) branchHits(ctx context.Context, m Memories, here branch.Memories) nudge.Branch {
	if here.Name == "" || len(here.Files) == 0 {
		return nudge.Branch{}
	}
	hits, err := m.Files(ctx, here.Files)
	if err != nil {
		b.note("the memories of the branch could not be read", err)
		return nudge.Branch{}
	}
	out := nudge.Branch{Name: here.Name, Default: here.Default, More: here.More, Old: here.Old}
	for i, h := range b.withoutAutoLoaded(m.Root(), hits) {
		out.Total++
		// The rest is known by its outline, which lacks some details that count.
		if i < maxVerified && b.level().quotable(h) && (h.Memory.Trust.Origin != file.Import || b.level().leads(h)) {
			out.Hits = append(out.Hits, h)
		}
	}
	return out
}
