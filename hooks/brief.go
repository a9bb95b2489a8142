package hooks

import (
	"context"
	"strings"
	"time"

	"manicule/hooks/digest"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/memory/branch"
)

// sessionStart answers with the brief, where the conversation doesn't already
// hold one: a resumed or forked session replays what it was told.
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
	m, err := j.open(j.opt.OpenQuick(ctx, j.opt.projectDir(j.ev)))
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
	early := j.early()
	noIndex := ""
	if early && j.opt.Indexed != nil && !j.opt.Indexed(j.opt.projectDir(j.ev)) {
		noIndex = nudge.NoIndex
	}
	news := j.commits(ctx)
	text, shown := nudge.Brief(j.unloaded(m.Root(), hits), total, j.branchHits(ctx, m, onBranch()), news, noIndex)
	if early && total < fewMemories {
		text = strings.TrimPrefix(text+"\n"+nudge.NewHere, "\n")
	}
	if text != "" && !j.commit() {
		return ""
	}
	j.noteShownLines("", text, shown)
	starting := joined(j.frequentFailures(ctx, dedupe), j.earlier(ctx, dedupe))
	if text != "" && dedupe != nil {
		keys := append(shown, projectKey(m.Root()), folderKey(m.Root(), ""), recallHintKey)
		if _, err := dedupe.Claim(j.opt.Now(), keys); err != nil {
			j.note("what the session was shown could not be kept", err)
		}
	}
	return joined(text, starting)
}

// firstSessions is how many sessions of a workspace are told that it is new to
// Manicule (V5-KG-16), unless it has fewMemories already, as a project has that
// was set up on another machine.
const (
	firstSessions = 3
	fewMemories   = 10
)

// early says whether a session is one of the first in its workspace.
func (j *job) early() bool {
	if j.ev.Source != event.Startup || j.stateDir == "" {
		return false
	}
	others, err := eventlog.Others(j.stateDir, j.ev.Session, firstSessions)
	if err != nil {
		j.note("the sessions could not be counted", err)
		return false
	}
	return others < firstSessions
}

// commitsTimeout bounds reading what people committed: git's packs can be large,
// and the brief must not be late for it.
const commitsTimeout = 60 * time.Millisecond

// commits says what people committed since the last session here (ADE-LC-36).
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
		return "" // the next session hears of it
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

// branchTimeout bounds looking for the memories of the branch, which runs beside
// the commits.
const branchTimeout = 60 * time.Millisecond

// branch looks which memories are of the branch that is checked out, beside what
// else is to be read. The function that it returns waits for that.
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
		case f = <-done: // what is there is told, however long the other parts took
		default:
			select {
			case <-ctx.Done():
				return branch.Memories{} // what is late is not said
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

// maxVerified is how many memories of an answer are verified in their files.
const maxVerified = 12

// branchHits reads the memories of a branch. All are counted; those that are sure
// enough are quoted.
func (j *job) branchHits(ctx context.Context, m Memories, b branch.Memories) nudge.Branch {
	if b.Name == "" || len(b.Files) == 0 {
		return nudge.Branch{}
	}
	hits, err := m.Files(ctx, b.Files)
	if err != nil {
		j.note("the memories of the branch could not be read", err)
		return nudge.Branch{}
	}
	out := nudge.Branch{Name: b.Name, Default: b.Default, More: b.More}
	for i, h := range j.unloaded(m.Root(), hits) {
		out.Total++
		// What follows is known by an outline, which does not say all that counts.
		if i < maxVerified && j.quotable(h) {
			out.Hits = append(out.Hits, h)
		}
	}
	return out
}
