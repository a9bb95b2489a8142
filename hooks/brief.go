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
)

// sessionStart answers with the brief, unless the conversation already contains one: a
// resumed or forked session replays it.
func (j *job) sessionStart(ctx context.Context, dedupe *eventlog.Dedupe) string {
	switch j.ev.Source {
	case event.Resume, event.Fork:
		return ""
	case event.Clear, event.Compact:
		j.reset(dedupe)
	}
	if !j.ev.Answers {
		return ""
	}
	return j.opening(ctx, dedupe)
}

// opening is what a session is told first: the brief, and what earlier sessions left.
func (j *job) opening(ctx context.Context, dedupe *eventlog.Dedupe) string {
	m, err := j.open(j.opt.OpenReadOnly(j.untilDeadline(ctx), j.opt.projectDir(j.ev)))
	if err != nil {
		j.note("the memories could not be opened", err)
		return ""
	}
	defer j.close(m)
	onBranch := j.branch(ctx)
	hits, total, err := m.Brief(j.untilDeadline(ctx))
	if err != nil {
		j.note("the brief could not be read", err)
		return ""
	}
	early := j.isEarlySession()
	noIndex := ""
	if early && j.opt.Indexed != nil && !j.opt.Indexed(j.opt.projectDir(j.ev)) {
		noIndex = nudge.NoIndex
	}
	news := j.commits(ctx)
	fresh := j.withoutAutoLoaded(m.Root(), slices.Clone(hits)) // who wrote those that are left out counts below
	total -= len(hits) - len(fresh)                            // what the agent has anyway is not left out
	fresh = slices.DeleteFunc(fresh, func(h memory.Hit) bool { return !j.leads(h) })
	here := onBranch()
	first := ""
	if early && total > 0 && j.isEarlier(1) && !j.isAuthor(ctx, m, hits) {
		first = nudge.Newcomer
	}
	ofBranch, core := j.branchHits(ctx, m, here), j.core()
	text, shown := nudge.Brief(fresh, total, ofBranch, core, news, noIndex, first)
	quoted := shownOf(ofBranch.Hits, shown)
	if told := j.holdOut(dedupe, quoted); len(told) < len(quoted) {
		ofBranch.Hits = told
		text, shown = nudge.Brief(fresh, total, ofBranch, core, news, noIndex, first)
	}
	if early && total < fewMemories {
		text = strings.TrimPrefix(text+"\n"+nudge.NewHere, "\n")
	}
	if text != "" && !j.commit() {
		return ""
	}
	j.noteShownLines("", text, shown)
	going := ""
	if j.ev.Source == event.Compact {
		going = j.continued(dedupe)
	}
	work, of := j.unfinished(ctx, dedupe)
	if j.behind && j.beginsAnew() {
		j.claim(dedupe, []string{behindKey})
	}
	starting := joinParts(going, j.wake(ctx, dedupe, joinParts(text, work), of, here.Name, shown), work, j.frequentFailures(ctx, dedupe), j.earlierFacts(ctx, dedupe))
	if text != "" && dedupe != nil {
		j.claim(dedupe, append(shown, projectKey(m.Root()), recallHintKey))
	}
	return joinParts(text, starting)
}

// isAuthor reports whether the person who works here wrote all of the memories, and so is no newcomer to them. Where
// none is about the whole project, which the brief has, those about its code are asked for: once in a repository.
func (j *job) isAuthor(ctx context.Context, m Memories, hits []memory.Hit) bool {
	if j.opt.Author == nil {
		return false
	}
	person := j.opt.Author(j.opt.projectDir(j.ev))
	if len(hits) == 0 && person != "" {
		var err error
		if hits, err = m.ForPath(j.untilDeadline(ctx), "", true, true); err != nil {
			j.note("who wrote the memories could not be read", err)
		}
	}
	hits = withMemory(hits)
	return person != "" && len(hits) > 0 && !slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Memory.Contributor != person })
}

// core returns the core documents of the project and of the session's agent, which lead the brief.
func (j *job) core() string {
	if j.opt.Core == nil {
		return ""
	}
	read := func(agent string) core.Document {
		d, err := j.opt.Core(j.opt.projectDir(j.ev), agent)
		if err != nil {
			j.note("a core document is left out", err)
			return core.Document{}
		}
		return d
	}
	all := read("")
	if j.ev.Agent == "" {
		return nudge.Core(all, core.Document{})
	}
	return nudge.Core(all, read(j.ev.Agent))
}

// firstSessions is the number of sessions that are told that the workspace is new to
// Manicule. A workspace with fewMemories is not new, such as one set up on
// another machine.
const (
	firstSessions = 3
	fewMemories   = 10
)

// isEarlySession reports whether a session is one of the first in its workspace.
func (j *job) isEarlySession() bool {
	return j.ev.Source == event.Startup && j.isEarlier(firstSessions)
}

// isEarlier reports whether there were fewer than n other sessions.
func (j *job) isEarlier(n int) bool {
	if j.stateDir == "" {
		return false
	}
	others, err := eventlog.CountOthers(j.stateDir, j.ev.Session, n)
	if err != nil {
		j.note("the sessions could not be counted", err)
		return false
	}
	return others < n
}

// commitsTimeout bounds reading the commits: git's packs can be large, and the brief must
// not be late.
const commitsTimeout = 120 * time.Millisecond

// commits lists what people committed since the last session here.
func (j *job) commits(ctx context.Context) string {
	if j.opt.Commits == nil || j.ev.Source != event.Startup || j.degraded() {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, commitsTimeout)
	defer cancel()
	type found struct {
		digest.Changes
		error
	}
	done := make(chan found, 1)
	go func() {
		n, err := j.opt.Commits(ctx, j.opt.projectDir(j.ev))
		done <- found{n, err}
	}()
	select {
	case <-ctx.Done():
		return "" // the next session reports it
	case f := <-done:
		if f.error != nil {
			if ctx.Err() == nil {
				j.note("what people committed could not be read", f.error)
			}
			return ""
		}
		var list []nudge.Change
		for _, c := range f.Commits {
			list = append(list, nudge.Change{Subject: eventlog.Mask(c.Subject), Author: c.Author})
		}
		j.commitsRead = true
		return nudge.Changes(list, f.More)
	}
}

// branchTimeout bounds the search for memories of the branch, which runs in parallel to
// commits.
const branchTimeout = 60 * time.Millisecond

// branch starts to find the memories of the checked-out branch, in parallel to other
// reads. The returned function waits for the result.
func (j *job) branch(ctx context.Context) (wait func() branch.Memories) {
	if j.opt.Branch == nil || j.degraded() {
		return func() branch.Memories { return branch.Memories{} }
	}
	ctx, cancel := context.WithTimeout(ctx, branchTimeout)
	type found struct {
		branch.Memories
		error
	}
	done := make(chan found, 1)
	dir := j.opt.projectDir(j.ev)
	go func() {
		m, err := j.opt.Branch(ctx, dir)
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
				return j.lastBranch() // a late result is left out
			case f = <-done:
			}
		}
		if f.error != nil {
			if ctx.Err() == nil {
				j.note("the memories of the branch could not be found", f.error)
			}
			return branch.Memories{}
		}
		return f.Memories
	}
}

// lastBranch returns what was found last of the branch, for a start that can't wait for git.
func (j *job) lastBranch() branch.Memories {
	if j.opt.LastBranch == nil {
		return branch.Memories{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), branchTimeout/4)
	defer cancel()
	m, err := j.opt.LastBranch(ctx, j.opt.projectDir(j.ev))
	if err != nil {
		j.note("what was last found of the branch could not be read", err)
		return branch.Memories{}
	}
	return m
}

// maxVerified bounds the memories of an answer that are verified in their files.
const maxVerified = 12

// branchHits reads the memories of a branch. It counts all and quotes those that are sure
// enough and were not imported.
func (j *job) branchHits(ctx context.Context, m Memories, b branch.Memories) nudge.Branch {
	if b.Name == "" || len(b.Files) == 0 {
		return nudge.Branch{}
	}
	hits, err := m.Files(ctx, b.Files)
	if err != nil {
		j.note("the memories of the branch could not be read", err)
		return nudge.Branch{}
	}
	out := nudge.Branch{Name: b.Name, Default: b.Default, More: b.More, Old: b.Old}
	for i, h := range j.withoutAutoLoaded(m.Root(), hits) {
		out.Total++
		// The rest is known by its outline, which lacks some details that count.
		if i < maxVerified && j.quotable(h) && (h.Memory.Trust.Origin != file.Import || j.leads(h)) {
			out.Hits = append(out.Hits, h)
		}
	}
	return out
}
