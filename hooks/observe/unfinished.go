package observe

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/memory/episode"
	"manicule/memory/gate/injection"
)

// Work is what a session left unfinished, in its agent's words.
type Work struct {
	Branch string   `json:"branch,omitzero"` // on which it ended
	Unit   string   `json:"unit,omitzero"`   // the unit of work that it was about, as KIND:ID; "" if nobody named one
	Task   string   `json:"task,omitzero"`   // what it was for, unless it ended well
	Cut    bool     `json:"cut,omitzero"`    // it ended in the middle of its work
	Fails  []Broken `json:"fails,omitempty"` // checks that fail at its end
	Open   []string `json:"open,omitempty"`  // items of its last list
	Said   string   `json:"said,omitzero"`   // the sentence of its last message that says so
	Words  []string `json:"words,omitempty"` // all that its last message says is left
	Waits  []Wait   `json:"waits,omitempty"` // what waits for the person
	// Passed are the checks whose last run worked, as Broken.ID names them, Closed the items that were on its
	// lists and are not open any more. Both settle what earlier sessions left.
	Passed []string `json:"passed,omitempty"`
	Closed []string `json:"closed,omitempty"`
	// Tainted is true after untrusted text: the agent's words may repeat it, and only a person may be shown
	// them. What it said and what it settled are left out.
	Tainted bool `json:"tainted,omitzero"`
}

// Broken is a check that failed, with nothing edited since and no later run that passed on what failed.
type Broken struct {
	ID      string `json:"id"` // equal for runs on the same; see Covers
	Command string `json:"command"`
	Line    string `json:"line,omitzero"` // of its error
	// At is the place that the error names, FILE or FILE:LINE, else the file that was edited last.
	At string `json:"at,omitzero"`
}

// Limits of Work.
const (
	maxBroken    = 2
	maxOpen      = 12
	maxOpenItem  = 120
	maxLastWords = 220
	maxPassed    = 40
	maxLocations = 20
)

// ThreadsFact is the fact of a session's start that names the threads of earlier sessions that it
// was told of.
const ThreadsFact = "threads"

// WorkFact is the fact of a session's start that names the unit of work under way as KIND:ID.
const WorkFact = "work"

// noteWork keeps the branch, the agent's list and its last message.
func (f *Fold) noteWork(r eventlog.Record) {
	if b := r.Facts["branch"]; b != "" {
		f.work.Branch = b
	}
	if u := r.Facts[WorkFact]; u != "" {
		f.work.Unit = u
	}
	for id := range strings.FieldsSeq(r.Facts[ThreadsFact]) {
		if !slices.Contains(f.inherited, id) {
			f.inherited = append(f.inherited, id)
		}
	}
	if r.AgentID != "" {
		if t := r.Facts[AgentTypeFact]; t != "" {
			if f.types == nil {
				f.types = map[string]string{}
			}
			f.types[r.AgentID] = t
		}
		return // a part of the work
	}
	if event.Kind(r.Kind) == event.Stop && r.Text != "" {
		f.work.Said = r.Text
		if ofProgram(r.Text) {
			f.work.Said = ""
		}
	}
	for _, c := range r.Calls {
		f.team = f.team || c.Tool == "TeamCreate" || c.Tool == "TeamDelete"
		if act := event.TodoActOf(c.Tool); act == event.TodoReplaces || act != "" && event.Kind(r.Kind) == event.PostTool && !f.calls.ended[c.ID] && c.Error == "" && (c.OK == nil || *c.OK) {
			f.todo.apply(act, c.Query)
			f.todo.changed = f.n
		}
	}
}

// unfinished returns what the session left to do. Of a session that the agent's hooks don't see in full,
// only the branch is known.
func (f *folded) unfinished() Work {
	if f.blind {
		return Work{Branch: f.work.Branch, Unit: f.work.Unit}
	}
	w := f.work
	w.Fails, w.Cut = f.broken(), f.cutShort() || f.brokenByError()
	if b, ok := f.notRun(); ok && len(w.Fails) == 0 {
		w.Fails = []Broken{b}
	}
	if !f.team && !f.forgotList(w.Cut) { // a team's members keep its list in sessions of their own
		w.Open = f.stillOpen()
	}
	w.Words, w.Waits = lastWords(w.Said), f.waits()
	w.Words = slices.DeleteFunc(w.Words, func(text string) bool { return saysItem(text, w.Open) })
	if slices.ContainsFunc(w.Fails, func(b Broken) bool { return strings.HasPrefix(b.ID, "git ") }) {
		w.Waits = slices.DeleteFunc(w.Waits, func(x Wait) bool { return offersDelivery().MatchString(x.About) }) // it asks about what failed
	}
	if w.Cut {
		w.Words = nil // of an earlier turn
		if broke := f.announcedChange(); broke != "" {
			w.Words = []string{broke}
		}
	}
	if len(w.Fails)+len(w.Open)+len(w.Words)+len(w.Waits) == 0 {
		x, ok := f.requestBrokenOff()
		if !ok {
			x, ok = f.inTheMiddle()
		}
		if ok {
			w.Waits = []Wait{x}
		}
	}
	if f.taint {
		return Work{Branch: w.Branch, Unit: w.Unit, Fails: w.Fails, Open: w.Open, Words: w.Words, Waits: w.Waits, Tainted: true}
	}
	w.Said, w.Closed, w.Passed = leftOver(w.Said), f.todo.closed(), f.passed()
	if saysItem(w.Said, w.Open) {
		w.Said = ""
	}
	if len(w.Open)+len(w.Fails)+len(w.Words)+len(w.Waits) == 0 && w.Said == "" && !w.Cut {
		return w
	}
	for _, t := range slices.Backward(f.turns) { // the latest request that says something
		if w.Task = taskOf(t.text); w.Task != "" {
			w.Task = oneLine(w.Task, maxOpenItem)
			break
		}
	}
	return w
}

// saysItem reports whether a sentence says one of the open items of a list again: its words are among those of the item, or the
// item's among its own, which are few more.
func saysItem(text string, open []string) bool {
	words := episode.Words(text)
	return len(words) > 0 && slices.ContainsFunc(open, func(item string) bool {
		of := episode.Words(item)
		in := func(a, b []string) bool {
			return !slices.ContainsFunc(a, func(w string) bool { return !slices.Contains(b, w) })
		}
		return len(of) > 0 && (in(words, of) || in(of, words) && len(words) <= 2*len(of))
	})
}

// forgotList reports whether the agent did not keep its list up to date: it delivered after it changed the list,
// it was asked for something else once its work had passed, or all that was open was to check the work, and
// that passed. cut is whether the session ended in the middle of its work.
func (f *folded) forgotList(cut bool) bool {
	changed := f.todo.changed
	if !cut && f.deliveredAfter(changed) {
		return true
	}
	edit, pass := 0, 0 // numbers of the last edit, and of the first check that passed after an edit
	for _, s := range f.steps {
		switch {
		case s.n <= changed || !s.done || !s.ok || s.agent != "":
		case s.edits():
			edit = s.n
		case s.class == event.Shell && slices.ContainsFunc(s.keys, check):
			if edit > 0 && pass == 0 {
				pass = s.n
			}
			if open := f.todo.open(); !cut && len(open) == 1 && verifies(open[0]) {
				return true
			}
		}
	}
	return pass > 0 && slices.ContainsFunc(f.turns, func(t turn) bool { return t.n > pass })
}

// stillOpen lists the open items. One that is to check the work is left out if a check passed after the list was changed.
func (f *folded) stillOpen() []string {
	open := f.todo.open()
	passed := slices.ContainsFunc(f.steps, func(s step) bool {
		return s.n > f.todo.changed && s.succeeded() && s.agent == "" && s.class == event.Shell && slices.ContainsFunc(s.keys, check)
	})
	if !passed {
		return open
	}
	return slices.DeleteFunc(open, verifies)
}

// verifies reports whether an item of a list is to check the work.
func verifies(item string) bool {
	first, _, _ := strings.Cut(strings.ToLower(item), " ")
	switch strings.TrimRight(first, ":") {
	case "test", "run", "verify", "check", "validate", "lint", "finalize", "finalise", "final":
		return true
	}
	return false
}

// deliveredAfter reports whether the agent committed, or asked for a merge, after an event.
func (f *folded) deliveredAfter(n int) bool {
	return slices.ContainsFunc(f.steps, func(s step) bool {
		return s.n > n && s.succeeded() && !inProgress(s) && slices.ContainsFunc(s.keys, func(k string) bool {
			return strings.HasSuffix(k, "git commit") || k == "gh pr create" || k == "glab mr create"
		})
	})
}

// inProgress reports whether a call commits work of which the commit itself says that it is not done.
func inProgress(s step) bool {
	return slices.ContainsFunc(s.simple, func(args []string) bool {
		return slices.ContainsFunc(titlesOf(args), func(title string) bool { return wip().MatchString(title) })
	})
}

// wip matches the title of a commit of work in progress: "wip: the parser", "WIP(api)", "feat: parser [wip]".
var wip = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:wip\b|work in progress\b)|[\[(]wip[\])]`) })

// broken lists the checks that failed after the last edit and of which no later run passed on all that failed. A session that changed nothing left nothing
// broken, and one that committed after it has decided about it.
func (f *folded) broken() []Broken {
	runs := f.lastRuns()
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
		if misusedBy(s, k) || passesOtherwise(k, runs.last) || !f.leftBroken(s, k, runs.edited) {
			continue
		}
		b := Broken{ID: checkID(s, k), Command: oneLine(commandOf(s.simple, k), maxOpenItem), At: f.placeOf(s)}
		if line := oneLine(s.line, maxOpenItem); !Injected(line) && injection.Find(line) == "" {
			b.Line = line
		}
		out = append(out, b)
	}
	return out
}

// leftBroken reports whether the failed run of a key is one that the session has to answer for.
func (f *folded) leftBroken(s step, key string, edited bool) bool {
	if delivers(key) && !refused(s.text) || !delivers(key) && !edited {
		return false
	}
	return !(pushes(key) && f.forbidsPush()) && !f.excuses(s) && !(check(key) && f.disowns(s, key))
}

// checkRuns are the runs of checks and deliveries after the last edit, by the keys of their commands.
type checkRuns struct {
	last   map[string]step
	open   map[string][]step // that failed, and that no later one answers
	order  []string          // the keys, by their last run
	edited bool              // the session changed files
}

// lastRuns collects the runs after the last edit or commit.
func (f *folded) lastRuns() checkRuns {
	r := checkRuns{last: map[string]step{}, open: map[string][]step{}}
	for _, s := range f.steps {
		if s.edits() && (!s.done || s.ok) {
			r.forget() // what failed before may be mended
			r.edited = r.edited || len(s.paths) > 0
			continue
		}
		if s.succeeded() && !inProgress(s) && (s.commits() || slices.Contains(s.keys, "gh pr merge")) {
			r.forget()
		}
		if s.class == event.Shell && s.done && !s.kind.Unmade() {
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
func (r *checkRuns) add(s step) {
	for _, k := range s.keys {
		if !check(k) && !delivers(k) {
			continue
		}
		stopped := pushes(k) && unreachable().MatchString(s.text) // what comes before it could not reach the remote either
		if !s.ok && (s.key != k && !stopped || filtered(s.command, k) || neverRan(s)) {
			continue
		}
		r.last[k] = s
		r.open[k] = slices.DeleteFunc(r.open[k], func(was step) bool { return delivers(k) || answers(s, was, k) })
		if !s.ok {
			r.open[k] = append(r.open[k], s)
		}
		r.order = append(slices.DeleteFunc(r.order, func(o string) bool { return o == k }), k)
	}
}

// forbidsPush reports whether the person said not to push.
func (f *folded) forbidsPush() bool {
	return slices.ContainsFunc(f.turns, func(t turn) bool { return noPush().MatchString(strings.ReplaceAll(t.text, "’", "'")) })
}

var noPush = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:don't|do not|never|without|n[aã]o|sem|no)\b.{0,15}\bpush`)
})

// excuses reports whether what the agent said right after a failed check is that it failed before its work, and another check passed
// after it. The words alone don't decide: often the check still fails because of the work.
func (f *folded) excuses(failed step) bool {
	if !slices.ContainsFunc(f.steps, func(s step) bool {
		return s.n > failed.ended && s.succeeded() && s.agent == "" && slices.ContainsFunc(s.keys, check)
	}) {
		return false
	}
	for _, s := range f.said {
		if s.agent == "" && s.n >= failed.ended && failed.ended > 0 {
			next := slices.IndexFunc(f.steps, func(x step) bool { return x.agent == "" && x.n > failed.ended })
			return (next < 0 || s.n < f.steps[next].n) && beforeIt().MatchString(s.text)
		}
	}
	return false
}

// disowns reports whether the agent's last words say of what a check names that it has nothing to do with its work. A sentence that
// says so of something else excuses nothing.
func (f *folded) disowns(failed step, key string) bool {
	if len(f.said) == 0 || f.said[len(f.said)-1].agent != "" || f.said[len(f.said)-1].n < failed.n {
		return false
	}
	named := map[string]bool{}
	for _, w := range nameWords(failed.line + " " + strings.TrimPrefix(commandOf(failed.simple, key), key)) {
		named[w] = true
	}
	for _, line := range prose(f.said[len(f.said)-1].text) {
		for _, s := range clauses(line) {
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

// passed lists the checks whose last run worked, as Broken.ID names them.
func (f *folded) passed() []string {
	last := map[string]bool{}
	for _, s := range f.steps {
		if s.class != event.Shell || !s.done || s.kind.Unmade() {
			continue
		}
		for _, k := range s.keys {
			if check(k) && (s.ok || s.key == k) {
				last[checkID(s, k)] = s.ok
			}
		}
	}
	maps.DeleteFunc(last, func(_ string, ok bool) bool { return !ok })
	ids := slices.Sorted(maps.Keys(last))
	return ids[:min(len(ids), maxPassed)]
}

// checkID names the check of a key in a call by its command, in full but without options, and its
// folder: what it is run on counts.
func checkID(s step, key string) string {
	words, dir := strings.Fields(key), s.dir
	for _, args := range s.simple {
		if len(args) > 1 && args[0] == "cd" {
			dir = path.Join(dir, args[1])
		}
		if keyOf(args) == key {
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
func (f *folded) placeOf(failed step) string {
	var used []string // latest first
	edited := ""
	for _, s := range slices.Backward(f.steps) {
		if s.n > failed.n {
			continue
		}
		used = append(used, s.paths...)
		if edited == "" && s.edits() && s.succeeded() && len(s.paths) > 0 {
			edited = s.paths[0]
		}
	}
	for _, text := range []string{failed.line, failed.text} {
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
func passesOtherwise(key string, last map[string]step) bool {
	for k, s := range last {
		if s.ok && k != key && (strings.HasSuffix(k, " "+key) || strings.HasSuffix(key, " "+k) || lints(key) && lints(k)) {
			return true
		}
	}
	return false
}

// lints reports whether a command is a linter or runs one.
func lints(key string) bool {
	return strings.Contains(strings.ToLower(key), "lint") || strings.HasPrefix(key, "ruff ") || strings.Contains(key, "clippy")
}

// delivers reports whether a command commits or pushes.
func delivers(key string) bool {
	return strings.HasSuffix(key, "git commit") || strings.HasSuffix(key, "git push")
}

// pushes reports whether a command pushes.
func pushes(key string) bool { return strings.HasSuffix(key, "git push") }

// unreachable matches what git says of a remote that it does not reach, or may not write to.
var unreachable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)could not resolve host|operation timed out|connection (?:timed out|refused)|could not read from remote repository|permission to \S+ denied|unable to access '|authentication failed for`)
})

// misusedBy reports whether a command was called wrongly. A push says of a remote that it does not reach what others say of a
// name that they do not know, and is none.
func misusedBy(s step, key string) bool {
	return Misused(s.line) && (Refused(s.line) || !pushes(key) || !unreachable().MatchString(s.text))
}

// filtered reports whether the outcome of a command is not its own but that of a filter behind it, which fails if it
// finds nothing.
func filtered(line, key string) bool {
	for _, pipe := range event.Pipelines(line) {
		if n := len(pipe) - 1; n > 0 && slices.ContainsFunc(pipe[:n], func(args []string) bool { return keyOf(args) == key }) {
			switch path.Base(pipe[n][0]) {
			case "grep", "egrep", "fgrep", "rg":
				return true
			}
		}
	}
	return false
}

// neverRan reports whether a check failed before it looked at anything, as there is no such program, it has no such
// option, or there is no test where it looked: that says nothing of the work.
func neverRan(s step) bool {
	if s.ok {
		return false
	}
	text := strings.ToLower(s.line + "\n" + s.text)
	return strings.Contains(text, "command not found") || strings.Contains(text, "unknown option") || strings.Contains(text, "unrecognized option") || noModule().MatchString(text) ||
		noCommand().MatchString(text) || noTests(text)
}

// noCommand matches what pnpm and yarn say of a program that a package does not have.
var noCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bcommand "[^"\n]+" not found`) })

// noTests reports whether a runner found no test where it looked: it was called with a wrong path or filter, or in a wrong folder.
func noTests(text string) bool {
	return has(strings.ToLower(text), "no test files found", "no tests found, exiting", "no tests ran in", "matched no packages\nno packages to test", "no test files matched")
}

// noModule matches what Python says of a module that it was to run (-m) and does not have.
var noModule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`python[\d.]*(?:\.exe)?: no module named`) })

// refused reports whether a commit or a push was refused by a hook or by the remote's rules, for which the work
// must change, or did not reach the remote. Its error then says more than git says of itself.
func refused(text string) bool {
	return unreachable().MatchString(text) || strings.Contains(text, "[remote rejected]") || strings.Count(strings.TrimSpace(text), "\n") > 3 && !strings.Contains(text, "nothing to commit") && !strings.Contains(text, "no changes added")
}

// leftSign is narrow: of the four sentences that a wider one found in 221 sessions none was
// about unfinished work.
var leftSign = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(next steps?|remaining (work|steps|tasks|items)|left to do|still (open|to do|failing|missing)|not (yet )?done|to-?do|unfinished)\b|` +
		`\b(still (fails?|failing|broken)|not (yet )?(implemented|done|finished)|(has|have) not been \w+ yet|haven't \w+ yet)\b`)
})

var noneLeft = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(no|nothing|none|zero|without any|not any|all)\b[^.]{0,40}\b(remain|left|todo|open|pending|blocked|next steps?)`)
})

// mark is the Markdown at the start of a line, and emphasis.
var mark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\s>#*+-]*(?:\d+[.)]\s+)?|[*_]{2,}`) })

// checkbox matches an item of a list with boxes, and what its box has: a space or a dash is open, all else was done or given up.
var checkbox = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*[-*+] \[(.)\]\s+(.*\S)`) })

// uncheckedBelow returns the first open item of the list with boxes that lines begin with, "" if there is none, and whether there is such a list.
func uncheckedBelow(lines []string) (item string, isList bool) {
	for _, line := range lines {
		m := checkbox().FindStringSubmatch(line)
		switch {
		case m == nil && strings.TrimSpace(line) == "" && !isList:
		case m == nil:
			return "", isList
		case m[1] == " " || m[1] == "-":
			return m[2], true
		default:
			isList = true
		}
	}
	return "", isList
}

// leftOver returns the sentence of a message that says what is left to do, or "".
func leftOver(text string) string {
	if text == "" || Injected(text) || injection.Find(text) != "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(mark().ReplaceAllString(line, ""))
		if strings.HasPrefix(line, "```") {
			return ""
		}
		for sentence := range strings.SplitSeq(line, ". ") {
			if !leftSign().MatchString(sentence) || noneLeft().MatchString(sentence) || strings.HasSuffix(sentence, "?") || strings.HasPrefix(sentence, "If ") { // an offer
				continue
			}
			if strings.HasSuffix(sentence, ":") || len(sentence) < 20 { // a heading: what follows says it
				if item, isList := uncheckedBelow(lines[i+1:]); isList {
					if item != "" {
						return oneLine(strings.TrimRight(sentence, ":")+": "+item, maxLastWords)
					}
					continue
				}
				for _, next := range lines[i+1 : min(len(lines), i+4)] {
					if next = strings.TrimSpace(mark().ReplaceAllString(next, "")); next != "" {
						return oneLine(strings.TrimRight(sentence, ":")+": "+next, maxLastWords)
					}
				}
				continue
			}
			return oneLine(strings.TrimRight(sentence, "."), maxLastWords)
		}
	}
	return ""
}
