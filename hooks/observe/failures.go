package observe

import (
	"path"
	"slices"
	"strings"

	"manicule/hooks/event"
)

// lookAhead is the number of steps after a failure in which a working call is searched.
const lookAhead = 14

// failures lists the errors with their resolutions: the next call of the same agent that
// has the same purpose and works.
func (f *folded) failures() []Failure {
	var out []Failure
	at := map[string]int{}
	for _, lane := range f.stepsByAgent() {
		for i, s := range lane {
			if !s.done || s.ok || s.kind.Unmade() || s.print == "" || s.class == event.Shell && ofFolder(s.command, s.line) {
				continue
			}
			fail := Failure{Tool: string(s.class), Print: s.print, Line: oneLine(s.line, 160), Kind: s.kind, N: s.n, Count: 1, Taint: s.tainted, IDs: []string{s.id},
				Generic: isGeneric(s.kind, s.line)}
			switch {
			case s.class == event.Shell:
				fail.Key, fail.Failed = s.key, s.command
				fail.Trigger = trigger(s.command, s.key, s.line)
			case len(s.paths) > 0 && s.class == event.Search:
				fail.Key, fail.Failed = s.paths[0], s.paths[0]
				fail.Generic = fail.Generic || s.kind == FileMissing && !endsIn(s.line, s.paths[0])
			case len(s.paths) > 0:
				fail.Key, fail.Failed = s.paths[0], s.paths[0]
			default:
				fail.Key, fail.Failed = strings.ToLower(s.tool)+" "+oneLine(s.query, 80), s.query
			}
			if missing := MissingProgram(s.line); s.class != event.Shell || missing == "" || !found(&fail, missing, lane[i+1:]) {
				resolve(&fail, s, lane[i+1:min(len(lane), i+1+lookAhead)])
			}
			if fail.How == "" && s.class == event.Shell && OfTheMachine(s.line) && leftSo(s, lane[i+1:]) {
				fail.How = "left"
			}
			if s.class == event.Shell && Refused(s.line) {
				fail.Trigger = refusedWords(s.command, fail.Fix, s.key, s.line)
			}
			fail.Seen = []int{s.n}
			if fail.FixN > 0 {
				fail.Seen = append(fail.Seen, fail.FixN)
			}
			id := fail.Key + "\x00" + fail.Print + "\x00" + strings.Join(fail.Trigger, " ")
			if j, ok := at[id]; ok {
				out[j].Count++
				out[j].IDs = append(out[j].IDs, s.id)
				out[j].Seen = append(out[j].Seen, fail.Seen...)
				if out[j].Fix == "" && out[j].Need == "" && (fail.Fix != "" || fail.Need != "") {
					fail.Count, fail.N, fail.IDs, fail.Seen = out[j].Count, out[j].N, out[j].IDs, out[j].Seen
					out[j] = fail
				}
				continue
			}
			if len(out) < maxFailures {
				at[id] = len(out)
				out = append(out, fail)
			}
		}
	}
	return out
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
func resolve(fail *Failure, s step, next []step) {
	var edited []string
	for i, t := range next {
		if t.class == event.Edit || t.class == event.Create {
			for _, p := range t.paths {
				if !slices.Contains(edited, p) {
					edited = append(edited, p)
				}
			}
		}
		if !t.done || !t.ok {
			continue
		}
		switch s.class {
		case event.Shell:
			if t.class != event.Shell || !samePurpose(s, t) || putsAside(s, t) {
				continue
			}
			if r, ok := remedyOf(s, t, next[:i]); ok {
				fail.Need, fail.Lacked, fail.How, fail.FixN = r.need, r.name, "needs", t.n
				fail.Taint = fail.Taint || t.tainted
				return
			}
			fail.FixN, fail.Edited = t.n, edited
			same := strings.TrimSpace(t.command) == strings.TrimSpace(s.command) || plainCommand(t.command) == plainCommand(s.command)
			switch {
			case len(edited) > 0 && (same || !Refused(s.line)): // an edit doesn't make a program accept an option
				fail.How = "edited"
			case same:
				fail.How = "again"
			default:
				fail.How, fail.Fix = "changed", t.command
				fail.Taint = fail.Taint || t.tainted // the resolution may come from a web page
			}
			return
		case event.Read, event.Edit:
			if s.kind != FileMissing && s.kind != IsFolder || len(s.paths) == 0 || len(t.paths) == 0 || t.class == event.Search || t.class == event.Shell {
				continue
			}
			if t.paths[0] == s.paths[0] {
				return // it was created
			}
			if maybeMeant(s.paths[0], t.paths[0]) {
				fail.How, fail.Fix, fail.FixN = "changed", t.paths[0], t.n
				fail.Taint = fail.Taint || t.tainted
				return
			}
		default:
			return
		}
	}
}

// putsAside reports whether a call only worked because the changes were put away for it. That shows that the changes fail, not how
// to run the check.
func putsAside(failed, worked step) bool {
	return strings.Contains(worked.command, "git stash") && !strings.Contains(failed.command, "git stash") &&
		!has(strings.ToLower(failed.text), "unstaged", "stash", "local changes", "uncommitted", "not clean", "dirty")
}

// ofFolder reports whether an error is of the cd at the head of a line, not of its command.
func ofFolder(command, line string) bool {
	return strings.HasPrefix(strings.TrimSpace(command), "cd ") && strings.Contains(line, "cd:") && has(strings.ToLower(line), "no such file", "not a directory")
}

// samePurpose reports whether two commands have the same purpose: the same program and
// act, or one is the other in a wrapper.
func samePurpose(a, b step) bool {
	if manager(a.command) != "" && manager(b.command) != "" && managed(a.command) == managed(b.command) {
		return true
	}
	if u := unassigned(a.command); u != "" && u == unassigned(b.command) {
		return true
	}
	if strings.HasPrefix(a.key, "ssh ") && slices.Contains(b.keys, a.key) && signsIn(a.line) { // whatever is run there
		return true
	}
	for _, k := range b.keys {
		if k == a.key || strings.HasSuffix(a.key, " "+k) || strings.HasSuffix(k, " "+a.key) {
			return shared(a.command, b.command) >= 0.3
		}
	}
	return shared(a.command, b.command) >= 0.7
}

// signsIn reports whether ssh itself failed, before anything was run on the other machine.
func signsIn(line string) bool {
	return has(strings.ToLower(line), "ssh_askpass", "permission denied (", "host key verification failed", "ssh: connect to host", "ssh: could not resolve hostname")
}

// shared returns the share of words that two commands have in common.
func shared(a, b string) float64 {
	x, y := bag(plainCommand(a)), bag(plainCommand(b))
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
