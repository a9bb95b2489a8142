package observe

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"manicule/hooks/event"
	"manicule/indexer/sorting"
	"manicule/memory/episode"
	"manicule/memory/gate/injection"
)

// Limits of an episode.
const (
	maxTask      = 160
	maxFurther   = 6
	maxApproach  = 40
	maxEdited    = 40
	maxProblems  = 8
	maxDecisions = 8
	maxServers   = 8
	pause        = 5 * 60 * 1000 // milliseconds: longer ones are no work
)

// Episode records what the session did so far, and how it ended. It always returns one.
func (f *Fold) Episode() episode.Episode {
	e := episode.Episode{Session: f.session, Agent: f.agent, Kind: string(f.kind()), Started: f.started, Ended: f.last, Requests: len(f.turns), Tainted: f.taint, TaintedBy: f.taintedBy}
	e.Active = f.active()
	e.Approach = f.approach()
	e.Tools = f.toolCounts()
	e.Decisions = f.commits()
	e.Work, e.Parts = f.work.Unit, f.parts()
	e.Planned, e.Mends, e.Servers = len(f.todo.past), f.mends(), f.servers()
	for _, u := range f.files() {
		if u.Edits > 0 && len(e.Edited) < maxEdited {
			e.Edited = append(e.Edited, u.Path)
		}
	}
	for _, x := range f.failures() {
		if x.Fix != "" && !x.Generic && x.Kind.specific() && len(e.Problems) < maxProblems {
			e.Problems = append(e.Problems, episode.Problem{What: oneLine(cmp.Or(x.Key, x.Failed), 90), Line: oneLine(x.Line, 160), Fix: oneLine(x.Fix, 120)})
		}
	}
	for _, s := range f.steps {
		if s.kind == Rejected {
			e.Refusals++
		}
	}
	f.task(&e)
	f.outcome(&e)
	return e
}

// task tells what the session was for: the first request that says something, else what it did.
func (f *Fold) task(e *episode.Episode) {
	if injection.Find(f.called) == "" {
		e.Task = f.called
	}
	routines := "" // the first
	for _, t := range f.turns {
		text := taskOf(t.text)
		switch {
		case text == "":
		case routine(text):
			routines = cmp.Or(routines, text)
		case e.Task == "":
			e.Task = text
		case len(e.Further) < maxFurther && !complaint(t.text) && !slices.Contains(e.Further, text):
			e.Further = append(e.Further, oneLine(text, 100))
		}
	}
	e.Task = cmp.Or(e.Task, routines)
	if text := taskOf(f.instructed); e.Task == "" && injection.Find(text) == "" {
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
		e.Task = "changes to " + listPaths(e.Edited, 3)
	case len(f.turns) > 0:
		e.Task = oneLine(f.turns[0].text, maxTask)
	case len(e.Approach) > 0:
		e.Task = string(e.Approach[0].Act) + " " + e.Approach[0].What
	default:
		e.Task = "unknown"
	}
}

func listPaths(paths []string, limit int) string {
	shown := strings.Join(paths[:min(len(paths), limit)], ", ")
	if more := len(paths) - limit; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return shown
}

// planHeads are what programs and people write before the text of a plan.
var planHeads = []string{"implement the following plan", "implement this plan", "here is the plan", "execute this plan", "execute the following plan"}

// taskOf returns what a typed text asks for, in one line; "" if it says nothing by itself.
func taskOf(text string) string {
	if Injected(text) {
		return ""
	}
	low := strings.ToLower(text)
	for _, head := range planHeads {
		if !strings.HasPrefix(strings.TrimSpace(low), head) {
			continue
		}
		for line := range strings.Lines(text[min(len(text), len(head)):]) {
			if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#:* ")); len(line) > 8 {
				return oneLine(line, maxTask)
			}
		}
	}
	if log := logText(text); log != "" {
		return log
	}
	text = behindMentions(strings.TrimSpace(text))
	if said := objective(text); said != text {
		text = said
	} else if said := beyondRole(text); said != "" {
		text = said
	} else if end := closing(text); end != "" {
		return behindDocument(text, end)
	}
	return firstLines(text)
}

// behindDocument is the task of a prompt that begins with a document and ends with what to do with it.
func behindDocument(text, end string) string {
	first := strings.TrimRight(oneLine(cmp.Or(firstLines(text), "a text"), maxDocTitle), "…")
	return oneLine(strings.TrimSpace(first)+" … "+end, maxTask)
}

// firstLines returns the task that the beginning of a text tells, in one line.
func firstLines(text string) string {
	var out string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(mark().ReplaceAllString(line, ""))
		if strings.Trim(line, "=-_*#~") == "" && len(line) > 3 {
			continue // a rule of a frame
		}
		if line == "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "<") || strings.HasPrefix(line, "[Image") {
			if strings.HasSuffix(out, ":") || len(strings.Fields(out)) < 4 {
				continue // a heading, or the lead-in of what follows
			}
			if pointsAhead().MatchString(out) { // "it prints this", and then what to do about it
				if last := strings.TrimSpace(text[strings.LastIndexByte(strings.TrimSpace(text), '\n')+1:]); isSentence(last) {
					out += " … " + last
					break
				}
				continue
			}
			break
		}
		out = strings.TrimSpace(out + " " + line)
		if len(out) > 60 && !strings.HasSuffix(out, ":") && !pointsAhead().MatchString(out) {
			break
		}
	}
	if strings.HasPrefix(out, "@") && !strings.ContainsAny(out, " \t") && strings.ContainsAny(out, "./") {
		return oneLine(out, maxTask) // a file that says what to do
	}
	if agrees().MatchString(out) && len(strings.Fields(out)) <= 5 {
		return "" // "yes, the second one"
	}
	if unspaced(out) >= minUnspaced {
		return oneLine(out, maxTask)
	}
	words := len(taskWords(out))
	if (strings.Contains(out, "://") || mentions(out)) && words > 0 {
		words++ // an address is what the words are about
	}
	if words == 0 && len(out) < 60 || words == 1 && (len(strings.Fields(out)) < 4 || atHand().MatchString(out)) {
		return "" // "continue", "yes", "ok do it"
	}
	return oneLine(out, maxTask)
}

// agrees matches the start of an answer; atHand matches a short request about what only its talk shows
// ("can we fix this?").
var (
	agrees = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:yes|yep|yeah|nope?|ok|okay|sure)\b`) })
	atHand = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:can|could|would|will|please)\b(?: (?:we|you|i))?(?: please)? \w+ (?:this|that|it|these|those)\W*$`)
	})
)

// minUnspaced is the number of characters from which a request in a script without spaces says something by itself.
const minUnspaced = 8

// unspaced counts the characters of scripts that put no spaces between words.
func unspaced(text string) int {
	n := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			n++
		}
	}
	return n
}

// pointsAhead matches a line that speaks of what stands below it.
var pointsAhead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:this|these|following|below|like)\W*$`)
})

// isSentence reports whether a line is of somebody's own words: it begins with four.
func isSentence(line string) bool {
	words := strings.Fields(line)
	if len(words) < 4 {
		return false
	}
	for i, w := range words[:4] {
		odd := func(r rune) bool {
			return !unicode.IsLetter(r) && !strings.ContainsRune(`'"`, r) && (i == 0 || !unicode.IsDigit(r) && !strings.ContainsRune("’./_-", r))
		}
		if strings.ContainsFunc(strings.TrimRight(w, ",.!?;:"), odd) {
			return false
		}
	}
	return true
}

var (
	// aboutTheAgent matches the title of instructions that tell an agent what it is.
	aboutTheAgent = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^#+ (?:\w+ )?(?:agent|instructions?|context|prompt|system|role|rules)\b`)
	})
	objectiveHeading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?im)^#{1,4} (?:(?:your|the|my|user) )?(?:objective|goal|tasks?|request|mission):?[ \t]*$`)
	})
)

// objective returns the part of an agent's instructions that says what it is to do, or the text.
func objective(text string) string {
	text = strings.TrimSpace(text)
	if !aboutTheAgent().MatchString(text) {
		return text
	}
	if at := objectiveHeading().FindStringIndex(text); at != nil && strings.TrimSpace(text[at[1]:]) != "" {
		return text[at[1]:]
	}
	return text
}

// role matches a first line that tells an agent what it is; ofRole matches a line that says what it is to do.
var (
	role   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^you(?: are|'re) (?:an?|the) `) })
	ofRole = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:your (?:task|job|goal) is to |(?:please )?(?:analy[sz]e|review|implement|fix|write|add|investigate|find|check|create|update|evaluate|assess|summari[sz]e|resolve|refactor|test|debug|extract|generate|decide|determine|compare|translate|answer|given)\b)`)
	})
)

// beyondRole returns what a text asks for that begins by telling an agent what it is, from there on; "" if it
// does not begin so, or nothing of that form follows.
func beyondRole(text string) string {
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || !role().MatchString(first) {
		return ""
	}
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		switch line = strings.TrimSpace(line); {
		case strings.EqualFold(strings.Trim(line, "#* "), "task:"):
			return strings.TrimSpace(after)
		case ofRole().MatchString(line):
			return rest
		}
		rest = after
	}
	return ""
}

// behindMentions leaves out the files that a person handed to an agent before a request, unless the request is them.
// A single file on the request's own line is what it speaks of.
func behindMentions(text string) string {
	rest, files, lines := text, 0, false
	for strings.HasPrefix(rest, "@") {
		i := strings.IndexAny(rest, " \t\n")
		if i < 0 {
			return text
		}
		after := strings.TrimLeft(rest[i:], " \t\n")
		lines = strings.Contains(rest[:len(rest)-len(after)], "\n")
		rest = after
		files++
	}
	if files < 2 && !lines || len(taskWords(rest)) == 0 {
		return text
	}
	return rest
}

// mentions reports whether a text names a file as agents' prompts do, with an @ before it.
func mentions(text string) bool {
	for w := range strings.FieldsSeq(text) {
		if strings.HasPrefix(w, "@") && strings.ContainsAny(w, "./") {
			return true
		}
	}
	return false
}

// whatNext matches the question what there is to do, in languages whose words for it are not told by [taskWords].
var whatNext = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:다음(?:에|으로)?|次(?:は|に|の)|下一步|接下来).{0,24}(?:무엇|뭐|뭘|何|なに|什么|做什么|怎么).{0,10}$`)
})

// leftOff matches a request to go on with what an earlier session did.
var leftOff = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bwhere (?:did )?(?:we|you|i) (?:last |had )?(?:left|leave|stopped|stop)\b|\bpick(?:ing)? (?:this |it )?(?:back )?up where\b`)
})

// lookAround matches a request to get to know the project.
var lookAround = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:learn about|get to know|familiari[sz]e yourself with|check out|look (?:at|around)|read through|understand|explore) (?:this |the |our |my )?(?:current |whole |entire )?(?:project|repo|repository|codebase|code base|it)\b`)
})

// gitWords are what a request for nothing but an act of git is made of.
var gitWords = sync.OnceValue(func() []string {
	return episode.Words("commit commits push pushed pull merge merged rebase fetch stage staged git checkout check switch main master dev branch latest changes change file files origin remote status clean message everything all yeah yep worktree guess")
})

// gitUnspaced matches the same in Japanese and Chinese.
var gitUnspaced = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:git|コミット|プッシュ|マージ|プル|提交|推送|合并|commit|push|main|に|を|と|まで|して|ください|下さい|お願いします|请|并|代码|[\s。、,.!！])+$`)
})

// onlyGoesOn reports whether a request is to go on with what an earlier session did, and says nothing else.
func onlyGoesOn(task string) bool {
	at := leftOff().FindStringIndex(task)
	if at == nil {
		return false
	}
	_, further, _ := strings.Cut(task[at[1]:], ". ") // the next sentence
	return len(taskWords(further)) < minFurther
}

// minFurther is the number of telling words with which another sentence is a request of its own.
const minFurther = 3

// routine reports whether a task only goes on with an earlier session's, gets to know the project, or asks git for
// something: what else a session was asked for says more.
func routine(task string) bool {
	if gitUnspaced().MatchString(task) || whatNext().MatchString(task) {
		return true
	}
	words := taskWords(task)
	if onlyGoesOn(task) && len(words) <= 8 || lookAround().MatchString(task) && len(words) <= 4 {
		return true
	}
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(gitWords(), w) }) && !strings.Contains(task, "`")
}

// taskWords are the words of a request that are not courtesy.
func taskWords(text string) []string {
	var out []string
	for _, w := range episode.Words(text) {
		switch w {
		case "continu", "go", "ahead", "yes", "ok", "okay", "proceed", "resum", "next", "step", "do", "keep", "sure", "thank", "great", "good", "hi", "hello", "try", "again", "no", "start", "finish", "perfect", "nice", "work", "look", "now":
		default:
			out = append(out, w)
		}
	}
	return out
}

// approach lists the acts of the session, equal ones in a row as one.
func (f *Fold) approach() []episode.Step {
	var out []episode.Step
	add := func(s episode.Step) {
		for i := len(out) - 1; i >= max(0, len(out)-3); i-- { // what alternates counts as one
			o := &out[i]
			if o.Act == s.Act && (o.What == s.What || s.Key != "" && o.Key == s.Key) {
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
		}
		out = append(out, s)
	}
	for _, s := range f.steps {
		fails := 0
		if s.done && !s.ok {
			if s.kind == Rejected || s.kind == Cancelled || s.kind == BadCall {
				continue
			}
			fails = 1
		}
		step := episode.Step{Times: 1, Fails: fails, Tainted: s.tainted}
		switch s.class {
		case event.Edit, event.Create:
			if fails > 0 || len(s.paths) == 0 {
				continue
			}
			step.Act = episode.Edit
			if s.class == event.Create {
				step.Act = episode.Create
			}
			if len(s.paths) == 1 {
				step.Line = s.edited
			}
			for _, p := range s.paths {
				step.What = p
				add(step)
			}
		case event.Read, event.Search:
			if fails > 0 {
				continue
			}
			step.Act, step.What = episode.Look, "."
			if len(s.paths) > 0 {
				step.What = path.Dir(s.paths[0])
			}
			if n := len(out); n > 0 && out[n-1].Act == episode.Look {
				out[n-1].What = commonFolder(out[n-1].What, step.What)
				out[n-1].Times++
				continue
			}
			add(step)
		case event.Shell:
			if inlineProgram(s.command) {
				continue
			}
			for _, k := range s.keys {
				if trivial(k) || Unspecific(k) {
					continue
				}
				step.Act, step.Key, step.Check = episode.Run, k, check(k)
				step.What = commandOf(s.simple, k)
				step.Fails = 0
				if fails > 0 && (s.key == k || s.key == "") {
					step.Fails = 1
				}
				add(step)
			}
		case event.Web:
			step.Act, step.What = episode.Fetch, "the web"
			add(step)
		}
	}
	if len(out) > maxApproach { // what was only looked at says least
		out = slices.DeleteFunc(out, func(s episode.Step) bool { return s.Act == episode.Look })
	}
	if n := len(out); n > maxApproach {
		half := maxApproach / 2
		out = append(out[:half:half], out[n-half:]...)
	}
	return out
}

// commandOf returns the part of a command line that runs the command of a key.
func commandOf(commands [][]string, key string) string {
	for _, args := range commands {
		if keyOf(args) != key {
			continue
		}
		if text := strings.Join(args, " "); !strings.ContainsAny(text, "\n") && len(text) <= 90 && !strings.HasPrefix(key, "git commit") {
			return text
		}
		return key
	}
	return key
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

func (f *Fold) toolCounts() []episode.Count {
	calls := map[event.Class]int{}
	for _, s := range f.steps {
		calls[s.class]++
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
func (f *Fold) servers() []episode.Call {
	var out []episode.Call
	for _, s := range f.steps {
		if !ofServer(s.tool) || ownServer(s.tool) || s.kind == Rejected || s.kind == Cancelled {
			continue
		}
		i := slices.IndexFunc(out, func(c episode.Call) bool { return c.Tool == s.tool })
		if i < 0 {
			i = len(out)
			out = append(out, episode.Call{Tool: s.tool})
		}
		out[i].Calls++
		if s.done && !s.ok {
			out[i].Fails++
			if injection.Find(s.line) == "" {
				out[i].Line = oneLine(s.line, 160)
			}
		}
	}
	sorting.StableFunc(out, func(a, b episode.Call) int { return cmp.Compare(b.Calls, a.Calls) })
	return out[:min(len(out), maxServers)]
}

// active is the time of the session without its pauses.
func (f *Fold) active() int64 {
	var at []int64
	for _, s := range f.steps {
		at = append(at, s.at, s.at+max(0, s.took))
	}
	for _, t := range f.turns {
		at = append(at, t.at)
	}
	at = append(at, f.started, f.last)
	slices.Sort(at)
	sum := int64(0)
	for i := 1; i < len(at); i++ {
		if d := at[i] - at[i-1]; d <= pause && at[i-1] > 0 {
			sum += d
		}
	}
	return sum
}

var commitMessage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)git\b[^&|;\n]*\bcommit\b.*?(?:-[a-zA-Z]*m|--message)[ =]*(?:"\$\(cat <<-?\\?['"]?\w+['"]?\n\s*([^\n]+)|"([^"\n]+)|'([^'\n]+))`)
})

// commits returns the first lines of the messages of the session's commits.
func (f *Fold) commits() []string {
	var out []string
	for _, s := range f.steps {
		if s.class != event.Shell || s.done && !s.ok || !slices.ContainsFunc(s.keys, func(k string) bool { return strings.HasSuffix(k, "git commit") }) {
			continue
		}
		m := commitMessage().FindStringSubmatch(s.command)
		if m == nil {
			continue
		}
		text := oneLine(cmp.Or(m[1], m[2], m[3]), 100)
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
func (f *Fold) mends() []episode.Mend {
	var out []episode.Mend
	failed := map[string]bool{}
	since := map[string][]string{} // files that were changed since a check failed
	for _, s := range f.steps {
		switch {
		case (s.class == event.Edit || s.class == event.Create) && (!s.done || s.ok):
			for k := range failed {
				for _, p := range s.paths {
					if !slices.Contains(since[k], p) {
						since[k] = append(since[k], p)
					}
				}
			}
		case s.class == event.Shell && s.done && s.kind != Rejected && s.kind != Cancelled:
			for _, k := range s.keys {
				ok := s.ok || s.key != k && s.key != ""
				switch {
				case check(k) && !ok:
					failed[k] = true
				case check(k) && failed[k]:
					if files := since[k]; len(files) > 0 && len(files) <= maxMended && len(out) < maxMends {
						out = append(out, episode.Mend{Check: k, Files: files})
					}
					delete(failed, k)
					delete(since, k)
				case ok && Commits(k) && len(out) > 0 && out[len(out)-1].Commit == "":
					if m := commitMessage().FindStringSubmatch(s.command); m != nil {
						if text := oneLine(cmp.Or(m[1], m[2], m[3]), 100); strings.HasPrefix(strings.ToLower(text), "fix") && injection.Find(text) == "" {
							out[len(out)-1].Commit = text
						}
					}
				}
			}
		}
	}
	return out
}
