package judge

import (
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
	"manicule/memory/file"
	"manicule/memory/ledger"
	"manicule/memory/scope"
)

// Session is the evidence for judging: the calls of a session and the corrections of its
// person, in order.
type Session struct {
	ID          string
	Calls       []fold.Call
	Corrections []fold.Turn
	Turns       []fold.Turn // all messages of the person
	Over        bool
}

// Entries judges what agents were shown, oldest first. memories holds the existing ones
// by uuid. Showings to a person are not judged. If a conversation was shown a memory
// several times, the first time counts.
func Entries(s Session, entries []ledger.Entry, memories map[string]*file.Memory) []ledger.Judged {
	subjects := map[string]subject{}
	seen := map[[2]string]bool{}
	lines := pipelines(s.Calls)
	out := make([]ledger.Judged, 0, len(entries))
	for _, e := range entries {
		j := ledger.Judged{Entry: e}
		key := [2]string{e.UUID, e.AgentID}
		m := memories[e.UUID]
		if m != nil {
			j.Type = m.Type
		}
		if _, ok := subjects[e.UUID]; !ok && m != nil {
			subjects[e.UUID] = subjectOf(m)
		}
		switch {
		case e.Agent == "":
		case seen[key] && s.ID != "": // without a session, conversations can't be told apart
			j.Verdict = ledger.Again
		default:
			seen[key] = true
			found := collect(s, e, subjects[e.UUID], m, lines)
			j.Verdict, j.Rule = decide(found, s.Over)
			if j.Verdict == ledger.Followed {
				j.Applied = applied(s, found)
			}
		}
		out = append(out, j)
	}
	return out
}

// decide tries the rules. Before the session is over it only gives verdicts that can't
// change any more: that something was done, not that nothing was.
func decide(e *evidence, over bool) (ledger.Verdict, string) {
	for _, r := range Rules() {
		if !r.applies(e.typ) || !r.holds(e) {
			continue
		}
		settled := r.ID == "did what it warns of" || r.ID == "gone"
		if !over && !settled {
			return ledger.Open, r.ID
		}
		return r.Verdict, r.ID
	}
	return ledger.Unknown, ""
}

// evidence is what a conversation did after it was shown a memory.
type evidence struct {
	typ          file.Type
	gone         bool
	noSession    bool
	visible      bool
	calls        int
	touched      bool
	ranTold      bool
	ranWarned    bool
	ranOtherwise bool // the same kind of command as a warned one, in another way
	openedTold   bool
	usedWarned   bool            // changed a path that it warns of, or found it missing
	changedOne   bool            // of the files that it names
	had          map[string]bool // files that it names: the one it was shown for, and those opened later
	saidAgain    bool
	first        int   // index of the first call that followed it, -1 for none
	own          []int // indexes of the calls that ran a command of its way
}

// follows notes that a call follows the memory.
func (ev *evidence) follows(call int) {
	if ev.first < 0 {
		ev.first = call
	}
}

// pipelines returns the commands of each call.
func pipelines(calls []fold.Call) [][][][]string {
	out := make([][][][]string, len(calls))
	for i, c := range calls {
		if c.Class == event.Shell {
			out[i] = event.Pipelines(c.Command)
		}
	}
	return out
}

func collect(s Session, e ledger.Entry, about subject, m *file.Memory, lines [][][][]string) *evidence {
	ev := &evidence{typ: about.typ, gone: m == nil, noSession: s.ID == "", visible: about.visible(), first: -1}
	if ev.gone || ev.noSession {
		return ev
	}
	at := e.At.UnixMilli()
	ev.had = map[string]bool{}
	if about.names(e.Path) {
		ev.had[e.Path] = true
	}
	for i, c := range s.Calls {
		if c.Agent != e.AgentID || c.At <= at {
			continue
		}
		ev.calls++
		ev.commands(about, c, lines[i], i)
		ev.paths(about, c, i)
	}
	for _, t := range s.Corrections {
		if t.At > at && e.AgentID == "" && repeatsMemory(about.text, t.Text) {
			ev.saidAgain = true
		}
	}
	return ev
}

// commands examines the commands of a call. If a command matches several of the memory,
// the longest match counts: `go test -short` is not `go test`, and neither is `go test |
// tail`.
func (ev *evidence) commands(about subject, c fold.Call, line [][][]string, call int) {
	for _, pipeline := range line {
		best, most := about.senses(pipeline)
		for i, words := range pipeline {
			switch {
			case most[i] == 0:
				for _, k := range about.commands {
					ev.touched = ev.touched || k.partly(words)
					if k.sense == warned && k.alternativeTo(c.Keys) {
						ev.ranOtherwise, ev.touched = true, true
						ev.runs(call)
					}
				}
				continue
			case best[i] == told:
				ev.ranTold = true
				ev.runs(call)
			case best[i] == warned:
				ev.ranWarned = true
			}
			ev.touched = true
		}
	}
}

// senses returns, for each command of a pipeline, the sense and the size of the longest match; the size is 0 for none.
func (about subject) senses(pipeline [][]string) (best []sense, most []int) {
	best, most = make([]sense, len(pipeline)), make([]int, len(pipeline))
	for _, k := range about.commands {
		at, ok := k.in(pipeline)
		for i := 0; len(k.parts) == 1 && i < len(pipeline); i++ { // a single command may occur again
			if has(pipeline[i], k.parts[0]) && !slices.Contains(at, i) {
				at = append(at, i)
			}
		}
		for _, i := range at {
			if n := k.size(); ok && n > most[i] {
				best[i], most[i] = k.sense, n
			}
		}
	}
	return best, most
}

// runs notes that a call ran a command of the memory's way.
func (ev *evidence) runs(call int) {
	ev.follows(call)
	if !slices.Contains(ev.own, call) {
		ev.own = append(ev.own, call)
	}
}

// paths examines the files that a call reads or changes.
func (ev *evidence) paths(about subject, c fold.Call, call int) {
	changes := c.Class == event.Edit || c.Class == event.Create
	opened := changes || c.Class == event.Read
	for _, p := range c.Paths {
		for _, x := range about.places {
			switch {
			case !opened || !within(p, x.path):
			case x.sense == told && !ev.had[p]:
				ev.openedTold = true
				ev.follows(call)
			case x.sense == warned && (changes || c.Done && !c.OK):
				ev.usedWarned = true
			}
		}
		if about.names(p) {
			ev.touched = true
			if opened && about.group() {
				if ev.had[p] = true; len(ev.had) > 1 {
					ev.follows(call)
				}
			}
			ev.changedOne = ev.changedOne || changes
		}
		if about.scope != nil && about.scope.Match(p, false) == scope.In {
			ev.touched = true
		}
	}
}

// group reports whether a memory is about files that belong together.
func (s subject) group() bool { return slices.Contains(groupTypes(), s.typ) }

// names reports whether the memory names a path.
func (s subject) names(p string) bool {
	return slices.ContainsFunc(s.anchors, func(a string) bool { return within(p, a) }) || slices.ContainsFunc(s.places, func(x place) bool { return within(p, x.path) })
}

// within reports whether a path is a place or lies below it. A place without a folder
// matches any file of that name.
func within(p, place string) bool {
	switch {
	case p == "" || place == "":
		return false
	case p == place, strings.HasPrefix(p, place+"/"):
		return true
	}
	return strings.HasSuffix(p, "/"+place)
}

// sameWords is the similarity of a correction and a memory, as cosine of their words,
// from which one repeats the other.
const sameWords = 0.6

func repeatsMemory(text, said string) bool { return wording.Similarity(text, said) >= sameWords }
