package observe

import (
	"cmp"
	"path"
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/outcome"
	"manicule/hooks/observe/wording"
	"manicule/indexer/sorting"
	"manicule/memory/episode"
	"manicule/memory/gate/injection"
)

// Limits of an episode.
const (
	maxFurther   = 6
	maxApproach  = 40
	maxEdited    = 40
	maxProblems  = 8
	maxDecisions = 8
	maxServers   = 8
	pause        = 5 * 60 * 1000 // milliseconds: longer ones are no work
)

// episodeOf records what the session did so far, and how it ended. It always returns one.
func episodeOf(ses *fold.Session) episode.Episode {
	e := episode.Episode{Session: ses.ID, Agent: ses.Agent, Kind: string(kindOf(ses)), Started: ses.Started, Ended: ses.Ended, Requests: len(ses.Turns), Tainted: ses.Tainted, TaintedBy: ses.TaintedBy}
	e.Active = active(ses)
	e.Approach = approach(ses)
	e.Tools = toolCounts(ses)
	e.Decisions = commitTitles(ses)
	e.Work, e.Parts = ses.Unit, parts(ses)
	e.Planned, e.Mends, e.Servers = len(ses.Todo.Past), mends(ses), servers(ses)
	for _, u := range ses.Files() {
		if u.Edits > 0 && len(e.Edited) < maxEdited {
			e.Edited = append(e.Edited, u.Path)
		}
	}
	for _, x := range failures.Of(ses) {
		if x.Fix != "" && !x.Generic && x.Kind.Specific() && len(e.Problems) < maxProblems {
			e.Problems = append(e.Problems, episode.Problem{What: wording.OneLine(cmp.Or(x.Key, x.Failed), 90), Line: wording.OneLine(x.Line, 160), Fix: wording.OneLine(x.Fix, 120)})
		}
	}
	for _, s := range ses.Steps {
		if s.Kind == fold.Rejected {
			e.Refusals++
		}
	}
	task(ses, &e)
	outcome.Judge(ses, &e)
	return e
}

// task tells what the session was for: the first request that says something, else what it did.
func task(ses *fold.Session, e *episode.Episode) {
	if injection.Find(ses.Called) == "" {
		e.Task = ses.Called
	}
	routines := "" // the first
	prepared := len(ses.Turns) > 0 && ses.Called == "" && asking.Prepares(ses.Turns[0].Text)
	for i, t := range ses.Turns {
		text := asking.Task(t.Text)
		switch {
		case text == "":
		case i > 0 && e.Task == "" && asking.OnlyRule(t.Text): // said of what was done for a request that only went on
		case asking.Routine(text):
			routines = cmp.Or(routines, text)
		case prepared && asking.Specifies(t.Text):
			if e.Task != "" {
				text = wording.OneLine(e.Task, maxFirst) + " … then: " + wording.OneLine(text, maxMain)
			}
			e.Task, prepared = text, false
		case e.Task == "":
			e.Task = text
		case len(e.Further) < maxFurther && !asking.Complains(t.Text) && !slices.Contains(e.Further, text):
			e.Further = append(e.Further, wording.OneLine(text, 100))
		}
	}
	if main := mainTopic(ses); main != "" && e.Task != "" && ses.Called == "" && injection.Find(main) == "" {
		e.Task = wording.OneLine(e.Task, maxFirst) + " … then: " + wording.OneLine(main, maxMain)
	}
	e.Task = cmp.Or(e.Task, routines)
	if text := asking.Task(ses.Instructed); e.Task == "" && injection.Find(text) == "" {
		e.Task = text // a program's words, not a person's
	}
	if e.Task != "" {
		return
	}
	e.Fallback, e.Confidence = true, episode.FallbackConfidence
	switch {
	case len(e.Decisions) > 0:
		e.Task = e.Decisions[0]
	case len(e.Edited) > 0:
		e.Task = "changes to " + outcome.ListPaths(e.Edited)
	case len(ses.Turns) > 0:
		e.Task = wording.OneLine(ses.Turns[0].Text, asking.MaxTask)
	case len(e.Approach) > 0:
		e.Task = string(e.Approach[0].Act) + " " + e.Approach[0].What
	default:
		e.Task = "unknown"
	}
}

// approach lists the acts of the session, equal ones in a row as one.
func approach(ses *fold.Session) []episode.Step {
	var a acts
	for _, s := range ses.Steps {
		if s.Done && !s.OK && (s.Kind.Unmade() || s.Kind == fold.BadCall) {
			continue
		}
		a.take(s)
	}
	if len(a) > maxApproach { // what was only looked at says least
		a = slices.DeleteFunc(a, func(s episode.Step) bool { return s.Act == episode.Look })
	}
	if n := len(a); n > maxApproach {
		half := maxApproach / 2
		a = append(a[:half:half], a[n-half:]...)
	}
	return a
}

// acts collects the acts of a session.
type acts []episode.Step

// take adds what a call did.
func (a *acts) take(s fold.Step) {
	failed := s.Done && !s.OK
	act := episode.Step{Times: 1, Tainted: s.Tainted}
	switch s.Class {
	case event.Edit, event.Create:
		if !failed {
			a.takeEdit(s, act)
		}
	case event.Read, event.Search:
		if !failed {
			a.takeLook(s, act)
		}
	case event.Shell:
		if !cmdline.InlineProgram(s.Command) {
			a.takeCommands(s, act)
		}
	case event.Web:
		act.Act, act.What, act.Fails = episode.Fetch, "the web", count(failed)
		a.add(act)
	}
}

// count is 1 for what is so.
func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (a *acts) takeEdit(s fold.Step, act episode.Step) {
	act.Act = episode.Edit
	if s.Class == event.Create {
		act.Act = episode.Create
	}
	if len(s.Paths) == 1 {
		act.Line = s.EditedLine
	}
	for _, p := range s.Paths {
		act.What = p
		a.add(act)
	}
}

func (a *acts) takeLook(s fold.Step, act episode.Step) {
	act.Act, act.What = episode.Look, "."
	if len(s.Paths) > 0 {
		act.What = path.Dir(s.Paths[0])
	}
	if n := len(*a); n > 0 && (*a)[n-1].Act == episode.Look {
		last := &(*a)[n-1]
		last.What = commonFolder(last.What, act.What)
		last.Times++
		return
	}
	a.add(act)
}

func (a *acts) takeCommands(s fold.Step, act episode.Step) {
	for _, k := range s.Keys {
		if cmdline.Trivial(k) || cmdline.Unspecific(k) {
			continue
		}
		act.Act, act.Key, act.Check = episode.Run, k, cmdline.Checks(k)
		act.What = cmdline.CommandOf(s.Simple, k)
		act.Fails = count(s.Done && !s.OK && (s.Key == k || s.Key == ""))
		a.add(act)
	}
}

// add adds an act, to an equal one that is among the last three: what alternates counts as one.
func (a *acts) add(s episode.Step) {
	for i := len(*a) - 1; i >= max(0, len(*a)-3); i-- {
		o := &(*a)[i]
		if o.Act != s.Act || o.What != s.What && (s.Key == "" || o.Key != s.Key) {
			continue
		}
		o.Times += s.Times
		o.Fails += s.Fails
		o.Tainted = o.Tainted && s.Tainted
		if o.Line == 0 {
			o.Line = s.Line
		}
		if s.Fails == 0 {
			o.What = s.What // the form that works
		}
		return
	}
	*a = append(*a, s)
}

func commonFolder(a, b string) string {
	for a != b {
		if len(a) < len(b) {
			a, b = b, a
		}
		a = path.Dir(a)
		if a == "." || a == "/" {
			return "."
		}
	}
	return a
}

func toolCounts(ses *fold.Session) []episode.Count {
	calls := map[event.Class]int{}
	for _, s := range ses.Steps {
		calls[s.Class]++
	}
	var out []episode.Count
	for class, n := range calls {
		out = append(out, episode.Count{Name: string(class), Calls: n})
	}
	sorting.Func(out, func(a, b episode.Count) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// servers counts the calls of MCP servers' tools, and keeps the message of the last failure of each.
func servers(ses *fold.Session) []episode.Call {
	var out []episode.Call
	for _, s := range ses.Steps {
		if !fold.OfServer(s.Tool) || fold.OwnServer(s.Tool) || s.Kind.Unmade() {
			continue
		}
		i := slices.IndexFunc(out, func(c episode.Call) bool { return c.Tool == s.Tool })
		if i < 0 {
			i = len(out)
			out = append(out, episode.Call{Tool: s.Tool})
		}
		out[i].Calls++
		if s.Done && !s.OK {
			out[i].Fails++
			if injection.Find(s.Line) == "" {
				out[i].Line = wording.OneLine(s.Line, 160)
			}
		}
	}
	sorting.StableFunc(out, func(a, b episode.Call) int { return cmp.Compare(b.Calls, a.Calls) })
	return out[:min(len(out), maxServers)]
}

// active is the time of the session without its pauses.
func active(ses *fold.Session) int64 {
	var at []int64
	for _, s := range ses.Steps {
		at = append(at, s.At, s.At+max(0, s.Took))
	}
	for _, t := range ses.Turns {
		at = append(at, t.At)
	}
	at = append(at, ses.Started, ses.Ended)
	slices.Sort(at)
	sum := int64(0)
	for i := 1; i < len(at); i++ {
		if d := at[i] - at[i-1]; d <= pause && at[i-1] > 0 {
			sum += d
		}
	}
	return sum
}

// commitTitles returns the first lines of the messages of the session's commits.
func commitTitles(ses *fold.Session) []string {
	var out []string
	for _, s := range ses.Steps {
		if s.Class != event.Shell || s.Done && !s.OK || !s.Commits() {
			continue
		}
		m := cmdline.CommitMessage().FindStringSubmatch(s.Command)
		if m == nil {
			continue
		}
		text := wording.OneLine(cmp.Or(m[1], m[2], m[3]), 100)
		if len(out) < maxDecisions && !slices.Contains(out, text) && injection.Find(text) == "" {
			out = append(out, text)
		}
	}
	return out
}

// maxMends and maxMended bound the mended checks of an episode, and the files of one.
const (
	maxMends  = 12
	maxMended = 6
)

// mends lists the checks that failed and passed again, with the files that were changed between.
func mends(ses *fold.Session) []episode.Mend {
	m := mending{failed: map[string]bool{}, since: map[string][]string{}}
	for _, s := range ses.Steps {
		switch {
		case s.Edits() && (!s.Done || s.OK):
			m.changed(s.Paths)
		case s.Class == event.Shell && s.Done && !s.Kind.Unmade():
			for _, k := range s.Keys {
				m.ran(k, s.OK || s.Key != k && s.Key != "", s.Command)
			}
		}
	}
	return m.out
}

// mending follows the checks of a session.
type mending struct {
	failed map[string]bool
	since  map[string][]string // files that were changed since a check failed
	out    []episode.Mend
}

// changed notes files that were edited.
func (m *mending) changed(paths []string) {
	for k := range m.failed {
		for _, p := range paths {
			if !slices.Contains(m.since[k], p) {
				m.since[k] = append(m.since[k], p)
			}
		}
	}
}

// ran notes a run of the command with a key.
func (m *mending) ran(key string, ok bool, command string) {
	switch {
	case cmdline.Checks(key) && !ok:
		m.failed[key] = true
	case cmdline.Checks(key) && m.failed[key]:
		if files := m.since[key]; len(files) > 0 && len(files) <= maxMended && len(m.out) < maxMends {
			m.out = append(m.out, episode.Mend{Check: key, Files: files})
		}
		delete(m.failed, key)
		delete(m.since, key)
	case ok && cmdline.Commits(key) && len(m.out) > 0:
		if last := &m.out[len(m.out)-1]; last.Commit == "" {
			last.Commit = cmdline.FixOf(command)
		}
	}
}
