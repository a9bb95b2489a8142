package hooks

import (
	"context"
	"fmt"
	"strings"
	"time"

	"manicule/hooks/digest"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/memory"
	"manicule/memory/branch"
	"manicule/memory/secret"
)

// twice is the time within which the same event is taken for one that several
// installed hooks passed on.
const twice = 5 * time.Second

// respond decides what to say to an event. Faults are noted, never returned.
func (j *job) respond(ctx context.Context) string {
	ledger := j.ledger()
	if ledger != nil && j.answerable() {
		first, err := ledger.Once(j.opt.Now(), j.identity(), twice)
		if err != nil {
			j.note("the session's ledger could not be kept", err)
			ledger = nil
		} else if !first {
			j.setOutcome(outcomeDuplicate)
			return ""
		}
	}
	// A memory that no gate has seen, such as one that a hand wrote, may hold a secret.
	return secret.Mask(joined(j.answer(ctx, ledger), j.selfTest(ledger)))
}

// answer is what there is to say to an event of its kind.
func (j *job) answer(ctx context.Context, ledger *eventlog.Ledger) string {
	switch j.ev.Kind {
	case event.SessionStart:
		return j.sessionStart(ctx, ledger)
	case event.PreCompact:
		j.reset(ledger)
	case event.Prompt:
		if id, ok := isForget(j.ev.Prompt); ok {
			return j.forget(ctx, id)
		}
		if !isRemember(j.ev.Prompt) {
			return j.bearing(ctx, ledger)
		}
		return j.prompt(ctx)
	case event.Stop:
		return j.flush(ledger)
	case event.PreTool, event.PostTool, event.PostBatch:
		switch {
		case !j.ev.Answers:
		case j.less():
			return j.nudge(ctx, ledger)
		default:
			text := ""
			for _, part := range []func(context.Context, *eventlog.Ledger) string{j.nudge, j.warned, j.searched, j.reflected, j.overrun} {
				text = joined(text, part(ctx, ledger))
				j.sofar(text)
			}
			return text
		}
	}
	return ""
}

// answerable reports whether the event must be told from a doubled one here.
// A doubled tool event needs no telling: the first has claimed what there was to say.
func (j *job) answerable() bool {
	_, forget := isForget(j.ev.Prompt)
	return j.ev.Kind == event.SessionStart || j.ev.Kind == event.Prompt && (forget || isRemember(j.ev.Prompt))
}

// identity tells an event from the next one of its kind. A prompt may come
// under several events' names.
func (j *job) identity() string {
	if j.ev.Kind == event.Prompt {
		return "prompt\x00" + j.ev.Prompt
	}
	return j.ev.Name + "\x00" + string(j.ev.Source)
}

func (j *job) reset(ledger *eventlog.Ledger) {
	if ledger == nil {
		return
	}
	if err := ledger.Reset(j.opt.Now()); err != nil {
		j.note("the session's ledger could not be reset", err)
	}
}

// sessionStart answers with the brief, where the conversation doesn't already
// hold one: a resumed or forked session replays what it was told.
func (j *job) sessionStart(ctx context.Context, ledger *eventlog.Ledger) string {
	switch j.ev.Source {
	case event.Resume, event.Fork:
		return ""
	case event.Clear, event.Compact:
		j.reset(ledger)
	}
	if !j.ev.Answers {
		return ""
	}
	m, err := j.opt.OpenQuick(ctx, j.opt.projectDir(j.ev))
	if err != nil {
		j.note("the memories could not be opened", err)
		return ""
	}
	defer j.close(m)
	onBranch := j.branch(ctx)
	hits, total, err := m.Brief(j.timely(ctx))
	if err != nil {
		j.note("the brief could not be read", err)
		return ""
	}
	early := j.early()
	noIndex := ""
	if early && j.opt.Indexed != nil && !j.opt.Indexed(j.opt.projectDir(j.ev)) {
		noIndex = nudge.NoIndex
	}
	news := j.news(ctx)
	text, shown := nudge.Brief(known(hits), total, j.ofBranch(ctx, m, onBranch()), news, noIndex)
	if early && total < fewMemories {
		text = strings.TrimPrefix(text+"\n"+nudge.NewHere, "\n")
	}
	if text != "" && !j.claiming() {
		return ""
	}
	j.showedLines("", text, shown)
	starting := j.starting(ctx, ledger)
	if text != "" && ledger != nil {
		keys := append(shown, projectKey(m.Root()), folderKey(m.Root(), ""), howKey)
		if _, err := ledger.Claim(j.opt.Now(), keys); err != nil {
			j.note("the session's ledger could not be kept", err)
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

// newsWait is how long looking at what people committed may take: git's packs
// can be large, and the brief must not be late for it.
const newsWait = 60 * time.Millisecond

// news says what people committed since the last session here (ADE-LC-36).
func (j *job) news(ctx context.Context) string {
	if j.opt.News == nil || j.ev.Source != event.Startup || j.less() {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, newsWait)
	defer cancel()
	type found struct {
		digest.News
		error
	}
	done := make(chan found, 1)
	go func() {
		n, err := j.opt.News(ctx, j.opt.projectDir(j.ev))
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
		j.heard = true
		return nudge.Changes(list, f.More)
	}
}

// branchWait is how long looking for the memories of the branch may take. It goes
// on beside the news.
const branchWait = 60 * time.Millisecond

// branch looks which memories are of the branch that is checked out, beside what
// else is to be read. The function that it returns waits for that.
func (j *job) branch(ctx context.Context) (wait func() branch.Memories) {
	if j.opt.Branch == nil || j.less() {
		return func() branch.Memories { return branch.Memories{} }
	}
	ctx, cancel := context.WithTimeout(ctx, branchWait)
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

// readWhole is how many memories of an answer are read from their files.
const readWhole = 12

// ofBranch reads the memories of a branch: all count, and those that are sure
// enough are quoted.
func (j *job) ofBranch(ctx context.Context, m Memories, b branch.Memories) nudge.Branch {
	if b.Name == "" || len(b.Files) == 0 {
		return nudge.Branch{}
	}
	hits, err := m.Files(ctx, b.Files)
	if err != nil {
		j.note("the memories of the branch could not be read", err)
		return nudge.Branch{}
	}
	out := nudge.Branch{Name: b.Name, Default: b.Default, More: b.More}
	for i, h := range known(hits) {
		out.Total++
		// What follows is known by an outline, which does not say all that counts.
		if i < readWhole && j.tellable(h) {
			out.Hits = append(out.Hits, h)
		}
	}
	return out
}

func (j *job) close(m Memories) {
	if err := m.Close(); err != nil {
		j.note("the memories could not be closed", err)
	}
}

// known leaves out hits without a memory.
func known(hits []memory.Hit) []memory.Hit {
	out := hits[:0:0]
	for _, h := range hits {
		if h.Memory != nil {
			out = append(out, h)
		}
	}
	return out
}

// The keys under which a ledger holds what is not one memory.
func projectKey(root string) string     { return "project\x00" + root }
func folderKey(root, rel string) string { return "folder\x00" + root + "\x00" + rel }

// howKey is the key of the command that shows the memories: a nudge names it
// only where neither the brief nor another nudge has.
const howKey = "how"

// manyBelow is how many memories below a folder are named as the folder's:
// beyond it a search through the folder must not use up what each of its
// files has to say.
const manyBelow = 5

// finding is what a target of the event has come to.
type finding struct {
	place   nudge.Place
	root    string
	rel     string
	below   []memory.Hit // scoped below the folder
	project []memory.Hit
	// changing is true for what is written to, not only looked at.
	changing bool
}

func (f finding) keys() []string {
	var out []string
	for _, h := range f.place.Hits {
		out = append(out, h.Memory.UUID)
	}
	switch {
	case len(f.below) > manyBelow:
		out = append(out, folderKey(f.root, f.rel))
	default:
		for _, h := range f.below {
			out = append(out, h.Memory.UUID)
		}
	}
	if len(f.project) > 0 {
		out = append(out, projectKey(f.root))
	}
	return out
}

// nudge names the memories for the files of the event's calls that were not
// named before in this conversation.
func (j *job) nudge(ctx context.Context, ledger *eventlog.Ledger) string {
	l := &lookup{job: j}
	defer l.close()
	var found []finding
	var keys []string
	for _, c := range j.ev.Calls {
		for _, t := range c.Targets {
			if f, ok := l.find(ctx, t); ok {
				f.changing = c.Class == event.Edit || c.Class == event.Create || t.Class == event.Edit || t.Class == event.Create
				found = append(found, f)
				keys = append(keys, f.keys()...)
			}
		}
	}
	if len(keys) == 0 || ctx.Err() != nil || !j.claiming() {
		return ""
	}
	quotes := j.pressing(ledger, found)
	fresh := j.claim(ledger, append(keys, howKey))
	how := fresh[howKey]
	var places []nudge.Place
	var project []memory.Hit
	var whole []string
	for _, f := range found {
		p, general := f.fresh(fresh)
		places = append(places, p)
		for _, id := range p.Whole() {
			whole = append(whole, fullKey(id))
		}
		project = append(project, general...)
	}
	if len(whole) > 0 {
		j.claim(ledger, whole)
	}
	text, shown := nudge.Places(places, project, how)
	for _, q := range shown {
		j.showed(q.Path, q.UUID, q.Text)
	}
	return joined(quotes, text)
}

// claim takes the keys for this process; without a ledger everything is fresh.
func (j *job) claim(ledger *eventlog.Ledger, keys []string) map[string]bool {
	won := keys
	if ledger != nil {
		var err error
		if won, err = ledger.Claim(j.opt.Now(), keys); err != nil {
			j.note("the session's ledger could not be kept", err)
			won = keys
		}
	}
	fresh := make(map[string]bool, len(won))
	for _, k := range won {
		fresh[k] = true
	}
	return fresh
}

// fresh is what is left to say of a finding; it is taken out of the fresh keys
// so that the next one doesn't say it again.
func (f finding) fresh(keys map[string]bool) (p nudge.Place, project []memory.Hit) {
	p = nudge.Place{Path: f.place.Path, Dir: f.place.Dir}
	take := func(key string) bool {
		ok := keys[key]
		delete(keys, key)
		return ok
	}
	for _, h := range f.place.Hits {
		if take(h.Memory.UUID) {
			p.Hits = append(p.Hits, h)
		}
	}
	if len(f.below) > manyBelow {
		if take(folderKey(f.root, f.rel)) {
			p.Hits = append(p.Hits, f.below...)
		}
	} else {
		for _, h := range f.below {
			if take(h.Memory.UUID) {
				p.Hits = append(p.Hits, h)
			}
		}
	}
	if len(f.project) > 0 && take(projectKey(f.root)) {
		project = f.project
	}
	return p, project
}

// prompt stores what a person asks to remember.
func (j *job) prompt(ctx context.Context) string {
	if !isRemember(j.ev.Prompt) || j.ev.AgentID != "" || j.opt.Remember == nil {
		return ""
	}
	byPerson := j.ev.PromptFrom == "" || j.ev.PromptFrom == "user"
	if !byPerson && j.ev.PromptFrom != "sdk" {
		return "" // a wake-up or a poll, which nobody typed
	}
	d, err := parseRemember(j.ev.Prompt)
	if err != nil {
		return fmt.Sprintf("Manicule stored nothing for /remember: %s.", nudge.Clean(err.Error()))
	}
	dir := j.ev.CWD
	if dir == "" {
		dir = j.opt.projectDir(j.ev)
	}
	d.At = placesFrom(dir, d.At)
	d.Tool, d.Session = j.ev.Agent, j.ev.Session
	d.Origin, d.Agent = originOf(byPerson)
	res, err := j.opt.Remember(ctx, dir, d)
	if err != nil {
		j.note("/remember failed", err)
		return fmt.Sprintf("Manicule could not store what /remember says: %s.", nudge.Cut(nudge.Clean(err.Error()), 300))
	}
	return remembered(res)
}
