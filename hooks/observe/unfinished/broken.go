package unfinished

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
	"manicule/memory/gate/injection"
)

// Broken is a check that failed, with nothing edited since and no later run that passed on what failed.
type Broken struct {
	ID      string `json:"id"` // equal for runs on the same; see Covers
	Command string `json:"command"`
	Line    string `json:"line,omitzero"` // of its error
	// At is the place that the error names, FILE or FILE:LINE, else the file that was edited last.
	At string `json:"at,omitzero"`
}

// Limits of the checks that are told.
const (
	maxBroken = 2
	maxPassed = 40
)

// BrokenChecks lists the checks that failed after the last edit and of which no later run passed on all that failed. A session that changed nothing left nothing
// broken, and one that committed after it has decided about it.
func BrokenChecks(ses *fold.Session) []Broken {
	runs := lastRuns(ses)
	var out []Broken
	for _, k := range slices.Backward(runs.order) {
		if len(out) == maxBroken {
			break
		}
		unanswered := runs.open[k]
		if len(unanswered) == 0 {
			continue
		}
		s := unanswered[len(unanswered)-1]
		if misusedBy(s, k) || passesOtherwise(k, runs.last) || !leftBroken(ses, s, k, runs.edited) {
			continue
		}
		b := Broken{ID: checkID(s, k), Command: wording.OneLine(cmdline.CommandOf(s.Simple, k), fold.MaxOpenItem), At: placeOf(ses, s)}
		if line := wording.OneLine(s.Line, fold.MaxOpenItem); !wording.Injected(line) && injection.Find(line) == "" {
			b.Line = line
		}
		out = append(out, b)
	}
	return out
}

// leftBroken reports whether the failed run of a key is one that the session has to answer for: a check that wanted a network which the
// machine does not have says nothing of the work.
func leftBroken(ses *fold.Session, s fold.Step, key string, edited bool) bool {
	if cmdline.Delivers(key) && !fold.Refused(s.Text) || !cmdline.Delivers(key) && !edited {
		return false
	}
	if cmdline.Checks(key) && !cmdline.Pushes(key) && cmdline.NoNetwork(s.Line) {
		return false
	}
	if cmdline.Commits(key) && foundCommitted(ses, s) {
		return false
	}
	return !(cmdline.Pushes(key) && forbidsPush(ses)) && !excuses(ses, s) && !(cmdline.Checks(key) && disowns(ses, s, key))
}

// foundCommitted reports whether the agent said in its last words, after a commit that a hook refused, that the commit is there all the
// same: some hooks commit themselves.
func foundCommitted(ses *fold.Session, failed fold.Step) bool {
	for _, s := range slices.Backward(ses.Said) {
		if s.Agent == "" {
			return s.N > failed.N && isCommitted().MatchString(s.Text)
		}
	}
	return false
}

var isCommitted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?i)\\bcommit (?:already |has |had )?(?:went through|gone through|succeeded|was (?:made|created|successful))|\\bcommitted (?:successfully|as `?[0-9a-f]{7})|\\bsuccessfully committed\\b")
})

// checkRuns are the runs of checks and deliveries after the last edit, by the keys of their commands.
type checkRuns struct {
	last   map[string]fold.Step
	open   map[string][]fold.Step // that failed, and that no later one answers
	order  []string               // the keys, by their last run
	edited bool                   // the session changed files
}

// lastRuns collects the runs after the last edit or commit.
func lastRuns(ses *fold.Session) checkRuns {
	r := checkRuns{last: map[string]fold.Step{}, open: map[string][]fold.Step{}}
	for _, s := range ses.Steps {
		if s.Edits() && (!s.Done || s.OK) {
			r.forget() // what failed before may be mended
			r.edited = r.edited || len(s.Paths) > 0
			continue
		}
		if s.Succeeded() && !fold.InProgress(s) && (s.Commits() || slices.Contains(s.Keys, "gh pr merge")) {
			r.forget()
		}
		if s.Class == event.Shell && s.Done && !s.Kind.Unmade() {
			r.add(s)
		}
	}
	return r
}

func (r *checkRuns) forget() {
	clear(r.last)
	clear(r.open)
}

// add notes a run under each key of its command that it says something about.
func (r *checkRuns) add(s fold.Step) {
	for _, k := range s.Keys {
		if !cmdline.Checks(k) && !cmdline.Delivers(k) {
			continue
		}
		stopped := cmdline.Pushes(k) && cmdline.Unreachable().MatchString(s.Text) // what comes before it could not reach the remote either
		if !s.OK && (s.Key != k && !stopped || cmdline.Filtered(s.Command, k) || fold.NeverRan(s)) {
			continue
		}
		r.last[k] = s
		r.open[k] = slices.DeleteFunc(r.open[k], func(was fold.Step) bool { return cmdline.Delivers(k) || answers(s, was, k) })
		if !s.OK {
			r.open[k] = append(r.open[k], s)
		}
		r.order = append(slices.DeleteFunc(r.order, func(o string) bool { return o == k }), k)
	}
}

// forbidsPush reports whether the person said not to push.
func forbidsPush(ses *fold.Session) bool {
	return slices.ContainsFunc(ses.Turns, func(t fold.Turn) bool { return noPush().MatchString(strings.ReplaceAll(t.Text, "’", "'")) })
}

var noPush = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:don't|do not|never|without|n[aã]o|sem|no)\b.{0,15}\bpush`)
})

// excuses reports whether what the agent said right after a failed check is that it failed before its work, and another check passed
// after it. The words alone don't decide: often the check still fails because of the work.
func excuses(ses *fold.Session, failed fold.Step) bool {
	if !slices.ContainsFunc(ses.Steps, func(s fold.Step) bool {
		return s.N > failed.Ended && s.Succeeded() && s.Agent == "" && slices.ContainsFunc(s.Keys, cmdline.Checks)
	}) {
		return false
	}
	for _, s := range ses.Said {
		if s.Agent == "" && s.N >= failed.Ended && failed.Ended > 0 {
			next := slices.IndexFunc(ses.Steps, func(x fold.Step) bool { return x.Agent == "" && x.N > failed.Ended })
			return (next < 0 || s.N < ses.Steps[next].N) && wording.BeforeIt().MatchString(s.Text)
		}
	}
	return false
}

// disowns reports whether the agent's last words say of what a check names that it has nothing to do with its work. A sentence that
// says so of something else excuses nothing.
func disowns(ses *fold.Session, failed fold.Step, key string) bool {
	if len(ses.Said) == 0 || ses.Said[len(ses.Said)-1].Agent != "" || ses.Said[len(ses.Said)-1].N < failed.N {
		return false
	}
	named := map[string]bool{}
	for _, w := range nameWords(failed.Line + " " + strings.TrimPrefix(cmdline.CommandOf(failed.Simple, key), key)) {
		named[w] = true
	}
	for _, line := range wording.Prose(ses.Said[len(ses.Said)-1].Text) {
		for _, s := range wording.Clauses(line) {
			if disowned().MatchString(s) && slices.ContainsFunc(nameWords(s), func(w string) bool { return named[w] }) {
				return true
			}
		}
	}
	return false
}

// nameWords lists the words of a text that may name something of a project, in lower case.
func nameWords(text string) (out []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && r < 0x80 }) {
		switch w {
		case "error", "errors", "failed", "failure", "failures", "fails", "failing", "warning", "warnings", "tests", "testing", "check", "checks", "because", "which", "these", "there", "still", "changes", "existing", "unrelated", "expected", "found", "cannot", "could", "https", "github":
		default:
			if len(w) > 4 {
				out = append(out, w)
			}
		}
	}
	return out
}

// disowned matches a sentence about a failure that the work did not cause.
var disowned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bpre-?existing\b|\bunrelated\b|\bnot (?:caused by|related to|from) (?:this|these|my|our|the)\b|\b(?:failed|failing|fails|broken) (?:already |even )?before\b`)
})

// passedChecks lists the checks whose last run worked, as Broken.ID names them.
func passedChecks(ses *fold.Session) []string {
	last := map[string]bool{}
	for _, s := range ses.Steps {
		if s.Class != event.Shell || !s.Done || s.Kind.Unmade() {
			continue
		}
		for _, k := range s.Keys {
			if cmdline.Checks(k) && (s.OK || s.Key == k) {
				last[checkID(s, k)] = s.OK
			}
		}
	}
	maps.DeleteFunc(last, func(_ string, ok bool) bool { return !ok })
	ids := slices.Sorted(maps.Keys(last))
	return ids[:min(len(ids), maxPassed)]
}

// checkID names the check of a key in a call by its command, in full but without options, and its
// folder: what it is run on counts.
func checkID(s fold.Step, key string) string {
	words, dir := strings.Fields(key), s.Dir
	for _, args := range s.Simple {
		if len(args) > 1 && args[0] == "cd" {
			dir = path.Join(dir, args[1])
		}
		if cmdline.KeyOf(args) == key {
			words = args
			break
		}
	}
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") })
	if dir != "" && dir != "." {
		words = append(words, "in", dir)
	}
	return strings.Join(words, " ")
}

// Covers reports whether a check is run on all that another one is run on, as far as their names
// tell: it names nothing else.
func Covers(id, other string) bool {
	all := strings.Fields(other)
	for _, w := range strings.Fields(id) {
		if w != "." && w != "./..." && !slices.Contains(all, w) {
			return false
		}
	}
	return id != ""
}

// location is a file with a line in a line of an error.
var location = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\w@.+/-]+\.\w+)(?::(\d+)|\((\d+),\d+\))`)
})

// placeOf returns the place in the session's files at which a call failed: the first one that its
// error names, else the file that was edited last before it.
func placeOf(ses *fold.Session, failed fold.Step) string {
	var used []string // latest first
	edited := ""
	for _, s := range slices.Backward(ses.Steps) {
		if s.N > failed.N {
			continue
		}
		used = append(used, s.Paths...)
		if edited == "" && s.Edits() && s.Succeeded() && len(s.Paths) > 0 {
			edited = s.Paths[0]
		}
	}
	for _, text := range []string{failed.Line, failed.Text} {
		for _, m := range location().FindAllStringSubmatch(text, maxLocations) {
			name := strings.TrimPrefix(m[1], "./")
			if i := slices.IndexFunc(used, func(p string) bool { return p == name || strings.HasSuffix(p, "/"+name) }); i >= 0 {
				return used[i] + ":" + m[2] + m[3]
			}
		}
	}
	return edited
}

// passesOtherwise reports whether a check worked when it was called in another way: through a wrapper or without
// it, or by the project's own command for the same, as `mise run lint` beside `golangci-lint run`.
func passesOtherwise(key string, last map[string]fold.Step) bool {
	for k, s := range last {
		if s.OK && k != key && (strings.HasSuffix(k, " "+key) || strings.HasSuffix(key, " "+k) || cmdline.Lints(key) && cmdline.Lints(k)) {
			return true
		}
	}
	return false
}

// misusedBy reports whether a command was called wrongly. A push says of a remote that it does not reach what others say of a
// name that they do not know, and is none.
func misusedBy(s fold.Step, key string) bool {
	return cmdline.Misused(s.Line) && (cmdline.Refused(s.Line) || !cmdline.Pushes(key) || !cmdline.Unreachable().MatchString(s.Text))
}

// notRun returns the last check that could not run as its program is not on the machine, if no check passed after it: the session's
// changes are not checked, whichever files they are in: it belongs to none. One that committed after it has decided about it.
func notRun(ses *fold.Session) (b Broken, ok bool) {
	if ses.EditedLast() == "" {
		return b, false
	}
	for _, s := range slices.Backward(ses.Steps) {
		if s.Class != event.Shell || !s.Done || s.Agent != "" {
			continue
		}
		if s.OK && slices.ContainsFunc(s.Keys, func(k string) bool { return cmdline.Checks(k) || cmdline.Delivers(k) || k == "gh pr merge" }) {
			return b, false
		}
		line := missingLine(s)
		if s.OK || line == "" || !cmdline.Checks(s.Key) || cmdline.Formats(s.Key) || wording.Injected(line) || injection.Find(line) != "" {
			continue
		}
		return Broken{ID: checkID(s, s.Key), Command: wording.OneLine(cmdline.CommandOf(s.Simple, s.Key), fold.MaxOpenItem), Line: wording.OneLine(line, fold.MaxOpenItem)}, true
	}
	return b, false
}

// missingLine returns the line of a call's error by which the shell did not find a program, "" for none.
func missingLine(s fold.Step) string {
	for line := range strings.Lines(s.Line + "\n" + s.Text) {
		if cmdline.MissingProgram(line) != "" {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
