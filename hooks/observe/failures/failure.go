// Package failures finds what failed in a session and how it was resolved: by another call, by an edit, or by what the
// call had lacked. It also describes a call that has failed just now.
package failures

import (
	"path"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
)

// lookAhead is the number of steps after a failure in which a working call is searched.
const lookAhead = 14

// maxFailures bounds the failures of a session that are kept.
const maxFailures = 200

// Failure is an error with its resolution.
type Failure struct {
	Tool    string        `json:"tool"`              // class of the tool
	Key     string        `json:"key"`               // the command, or the path
	Trigger []string      `json:"trigger,omitempty"` // words that a call must have to fail in this way again
	Print   string        `json:"fingerprint"`
	Line    string        `json:"message"`
	Kind    fold.FailKind `json:"kind"`
	Failed  string        `json:"failed"`           // the failed call
	Fix     string        `json:"fix,omitzero"`     // the command or path that then worked
	Edited  []string      `json:"edited,omitempty"` // files that were edited between
	How     string        `json:"how,omitzero"`     // changed, edited, again, left (no such call worked after it), ""
	Need    Need          `json:"need,omitzero"`    // what the call lacked, if known
	Lacked  string        `json:"lacked,omitzero"`  // its name
	N       int           `json:"n"`                // event number of the failing call
	FixN    int           `json:"fix_n,omitzero"`   // of the one that worked
	Count   int           `json:"count"`            // in this session
	Taint   bool          `json:"tainted,omitzero"` // it followed untrusted text
	Generic bool          `json:"generic,omitzero"` // it says nothing about the project
	Seen    []int         `json:"-"`                // event numbers of the failures and of the working call
	IDs     []string      `json:"-"`                // of the calls
}

// Of lists the errors with their resolutions: the next call of the same agent that
// has the same purpose and works.
func Of(ses *fold.Session) []Failure {
	all := failureList{at: map[string]int{}}
	for _, lane := range ses.ByAgent() {
		for i, s := range lane {
			if !s.Done || s.OK || s.Kind.Unmade() || s.Print == "" || s.Class == event.Shell && ofFolder(s.Command, s.Line) {
				continue
			}
			all.add(failureOf(s, lane[i+1:]))
		}
	}
	return all.list
}

// failureList collects failures, equal ones as one.
type failureList struct {
	list []Failure
	at   map[string]int
}

func (l *failureList) add(x Failure) {
	id := x.Key + "\x00" + x.Print + "\x00" + strings.Join(x.Trigger, " ")
	i, ok := l.at[id]
	if !ok {
		if len(l.list) < maxFailures {
			l.at[id] = len(l.list)
			l.list = append(l.list, x)
		}
		return
	}
	was := &l.list[i]
	was.Count++
	was.IDs = append(was.IDs, x.IDs...)
	was.Seen = append(was.Seen, x.Seen...)
	if was.Fix == "" && was.Need == "" && (x.Fix != "" || x.Need != "") {
		x.Count, x.N, x.IDs, x.Seen = was.Count, was.N, was.IDs, was.Seen
		*was = x
	}
}

// failureOf describes a failed call by the calls of its agent after it.
func failureOf(s fold.Step, after []fold.Step) Failure {
	x := Failure{Tool: string(s.Class), Print: s.Print, Line: wording.OneLine(s.Line, 160), Kind: s.Kind, N: s.N, Count: 1, Taint: s.Tainted, IDs: []string{s.ID},
		Generic: isGeneric(s.Kind, s.Line)}
	switch {
	case s.Class == event.Shell:
		x.Key, x.Failed = s.Key, s.Command
		x.Trigger = cmdline.Trigger(s.Command, s.Key, s.Line)
	case len(s.Paths) > 0:
		x.Key, x.Failed = s.Paths[0], s.Paths[0]
		x.Generic = x.Generic || s.Class == event.Search && s.Kind == fold.FileMissing && !endsIn(s.Line, s.Paths[0])
	default:
		x.Key, x.Failed = strings.ToLower(s.Tool)+" "+wording.OneLine(s.Query, 80), s.Query
	}
	if missing := cmdline.MissingProgram(s.Line); s.Class != event.Shell || missing == "" || !found(&x, missing, after) {
		resolve(&x, s, after[:min(len(after), lookAhead)])
	}
	if x.How == "" && s.Class == event.Shell && cmdline.OfTheMachine(s.Line) && leftSo(s, after) {
		x.How = "left"
	}
	if s.Class == event.Shell && cmdline.Refused(s.Line) {
		x.Trigger = cmdline.RefusedWords(s.Command, x.Fix, s.Key, s.Line)
	}
	x.Seen = []int{s.N}
	if x.FixN > 0 {
		x.Seen = append(x.Seen, x.FixN)
	}
	return x
}

// endsIn reports whether a line names exactly that path, not one below it.
func endsIn(line, path string) bool {
	for {
		i := strings.Index(line, path)
		if i < 0 {
			return false
		}
		line = line[i+len(path):]
		if line == "" || strings.IndexByte(" <\"':,.)", line[0]) >= 0 {
			return true
		}
	}
}

// resolve searches the call that then worked.
func resolve(fail *Failure, s fold.Step, next []fold.Step) {
	var edited []string
	for i, t := range next {
		if t.Class == event.Edit || t.Class == event.Create {
			for _, p := range t.Paths {
				if !slices.Contains(edited, p) {
					edited = append(edited, p)
				}
			}
		}
		if !t.Done || !t.OK {
			continue
		}
		settled := true
		switch s.Class {
		case event.Shell:
			settled = fail.byCommand(s, t, next[:i], edited)
		case event.Read, event.Edit:
			settled = fail.byPath(s, t)
		}
		if settled {
			return
		}
	}
}

// byCommand reports whether a command that worked settles the failure of another one, and how. edited are the files that were
// edited between them.
func (x *Failure) byCommand(s, worked fold.Step, between []fold.Step, edited []string) bool {
	if worked.Class != event.Shell || !samePurpose(s, worked) || putsAside(s, worked) {
		return false
	}
	x.FixN = worked.N
	if r, ok := remedyOf(s, worked, between); ok {
		x.Need, x.Lacked, x.How = r.need, r.name, "needs"
		x.Taint = x.Taint || worked.Tainted
		return true
	}
	x.Edited = edited
	same := strings.TrimSpace(worked.Command) == strings.TrimSpace(s.Command) || cmdline.PlainCommand(worked.Command) == cmdline.PlainCommand(s.Command)
	switch {
	case len(edited) > 0 && (same || !cmdline.Refused(s.Line)): // an edit doesn't make a program accept an option
		x.How = "edited"
	case same:
		x.How = "again"
	default:
		x.How, x.Fix = "changed", worked.Command
		x.Taint = x.Taint || worked.Tainted // the resolution may come from a web page
	}
	return true
}

// byPath reports whether a call that worked settles the failure of one about a path that is no file, and how.
func (x *Failure) byPath(s, worked fold.Step) bool {
	if s.Kind != fold.FileMissing && s.Kind != fold.IsFolder || len(s.Paths) == 0 || len(worked.Paths) == 0 || worked.Class == event.Search || worked.Class == event.Shell {
		return false
	}
	if worked.Paths[0] == s.Paths[0] {
		return true // it was created
	}
	if !maybeMeant(s.Paths[0], worked.Paths[0]) {
		return false
	}
	x.How, x.Fix, x.FixN = "changed", worked.Paths[0], worked.N
	x.Taint = x.Taint || worked.Tainted
	return true
}

// putsAside reports whether a call only worked because the changes were put away for it. That shows that the changes fail, not how
// to run the check.
func putsAside(failed, worked fold.Step) bool {
	return strings.Contains(worked.Command, "git stash") && !strings.Contains(failed.Command, "git stash") &&
		!wording.Has(strings.ToLower(failed.Text), "unstaged", "stash", "local changes", "uncommitted", "not clean", "dirty")
}

// ofFolder reports whether an error is of the cd at the head of a line, not of its command.
func ofFolder(command, line string) bool {
	return strings.HasPrefix(strings.TrimSpace(command), "cd ") && strings.Contains(line, "cd:") && wording.Has(strings.ToLower(line), "no such file", "not a directory")
}

// samePurpose reports whether two commands have the same purpose: the same program and
// act, or one is the other in a wrapper.
func samePurpose(a, b fold.Step) bool {
	if cmdline.Manager(a.Command) != "" && cmdline.Manager(b.Command) != "" && cmdline.Managed(a.Command) == cmdline.Managed(b.Command) {
		return true
	}
	if u := cmdline.Unassigned(a.Command); u != "" && u == cmdline.Unassigned(b.Command) {
		return true
	}
	if strings.HasPrefix(a.Key, "ssh ") && slices.Contains(b.Keys, a.Key) && cmdline.SignsIn(a.Line) { // whatever is run there
		return true
	}
	if program := lacksProgram(a.Line); program != "" && cmdline.Manager(a.Command) == cmdline.Manager(b.Command) && slices.ContainsFunc(b.Keys, func(k string) bool {
		script := k[strings.LastIndexByte(k, ' ')+1:]
		return len(script) >= shortestScript && strings.Contains(program, script)
	}) {
		return true
	}
	if cmdline.NoTests(a.Line) && cmdline.Checks(a.Key) && slices.ContainsFunc(b.Keys, cmdline.Checks) && sameTests(a.Simple, b.Simple) {
		return true
	}
	for _, k := range b.Keys {
		if k == a.Key || strings.HasSuffix(a.Key, " "+k) || strings.HasSuffix(k, " "+a.Key) {
			return shared(a.Command, b.Command) >= 0.3
		}
	}
	return shared(a.Command, b.Command) >= 0.7
}

// shortestScript is the length of the name of a script that a program's name contains not by chance: lint of eslint, test of vitest.
const shortestScript = 4

// lacksProgram returns the program that a package does not have, by what its manager says, or "".
func lacksProgram(line string) string {
	m := cmdline.NoCommand().FindString(strings.ToLower(line))
	if m == "" {
		return ""
	}
	_, rest, _ := strings.Cut(m, `"`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

// sameTests reports whether two runs are of the same tests: one names a path that ends in one of the other's, as it was called
// in another folder.
func sameTests(a, b [][]string) bool {
	for _, x := range cmdline.OperandPaths(a) {
		for _, y := range cmdline.OperandPaths(b) {
			if x == y || strings.HasSuffix(x, "/"+y) || strings.HasSuffix(y, "/"+x) {
				return true
			}
		}
	}
	return false
}

// shared returns the share of words that two commands have in common.
func shared(a, b string) float64 {
	x, y := wording.Bag(cmdline.PlainCommand(a)), wording.Bag(cmdline.PlainCommand(b))
	n, all := 0, 0
	for w := range x {
		if y[w] > 0 {
			n++
		}
	}
	all = len(x) + len(y) - n
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}

// maybeMeant reports whether one path may have been meant by another: the same name
// elsewhere, or a similar name in the same folder.
func maybeMeant(missing, found string) bool {
	a, b := path.Base(missing), path.Base(found)
	if a == b {
		return true
	}
	stem := func(s string) string { return strings.TrimSuffix(s, path.Ext(s)) }
	x, y := stem(a), stem(b)
	if x == y && len(x) > 2 {
		return true
	}
	return path.Dir(missing) == path.Dir(found) && len(x) > 4 && len(y) > 4 && (strings.HasPrefix(x, y) || strings.HasPrefix(y, x))
}

// found searches the first later call that runs a program which a call did not find: by its folder, below a wrapper, under a newer
// name, after the search path or the environment was set. There may be many calls between, in which the agent looks for it.
func found(fail *Failure, program string, next []fold.Step) bool {
	for _, t := range next {
		if t.Class != event.Shell || !t.Done || !t.OK || !cmdline.Runs(t.Command, program) {
			continue
		}
		fail.FixN = t.N
		fail.How, fail.Fix = "changed", t.Command
		if cmdline.Plainly(t.Command, program) {
			fail.How, fail.Fix = "again", ""
		}
		fail.Taint = fail.Taint || t.Tainted
		return true
	}
	return false
}

// leftSo reports whether no later call of a session ran the command that failed, and worked.
func leftSo(s fold.Step, next []fold.Step) bool {
	return !slices.ContainsFunc(next, func(t fold.Step) bool {
		return t.Class == event.Shell && t.Done && t.OK && slices.Contains(t.Keys, s.Key)
	})
}
