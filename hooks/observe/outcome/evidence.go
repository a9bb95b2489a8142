package outcome

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
	"manicule/memory/episode"
)

// Ends is what the last part of a session shows of its outcome.
type Ends struct {
	Edits, LastEdit int
	checks          map[string]bool // result of the last run, by key
	stale           map[string]bool // of those, the ones before the last edit
	when            map[string]int  // index of the last run of each
	committed       bool            // after the last edit, or none followed
	published       bool
	unpushed        bool // the last push failed
	Undone          bool
	reply           string // the person's last words
	replied         bool   // nothing was done after them

	failing, passing, unknown []string // checks, see Sorted
	task                      string   // what it was for
}

// EndsOf collects it.
func EndsOf(ses *fold.Session) Ends {
	x := Ends{LastEdit: -1, checks: map[string]bool{}, stale: map[string]bool{}, when: map[string]int{}}
	for i, s := range ses.Steps {
		if s.Edits() && len(s.Paths) > 0 && (!s.Done || s.OK) {
			x.Edits++
			x.LastEdit = i
		}
	}
	for i, s := range ses.Steps {
		if s.Class != event.Shell || !s.Done || s.Kind.Unmade() {
			continue
		}
		for _, k := range s.Keys {
			act := strings.TrimPrefix(k, "rtk ")
			if cmdline.Pushes(k) { // what fails before it in a chain keeps it from being run
				x.unpushed = !s.OK
			}
			switch {
			case strings.HasPrefix(act, "gh "): // checks of a pull request, not of the work here
				x.published = x.published || s.OK && i > x.LastEdit && (strings.HasPrefix(act, "gh pr create") || strings.HasPrefix(act, "gh pr merge"))
			case cmdline.Checks(k) && !s.OK && (cmdline.Filtered(s.Command, k) || fold.NeverRan(s)): // the filter found nothing, or no check was run
			case cmdline.Checks(k):
				x.when[k] = i
				x.checks[k], x.stale[k] = s.OK || s.Key != k && s.Key != "", i < x.LastEdit
			case !s.OK:
			case act == "git add":
				x.Undone = false // something is left to commit
			case cmdline.Commits(k) && strings.Contains(s.Command, "init"): // of a repository made for a trial
			case cmdline.Commits(k):
				x.committed = x.committed || i > x.LastEdit
			case cmdline.Pushes(k), strings.HasPrefix(act, "glab mr create"):
				x.published = x.published || i > x.LastEdit
			case cmdline.Undoes(s.Command, k):
				x.Undone = i > x.LastEdit
			}
		}
	}
	if n := len(ses.Turns); n > 0 {
		last := ses.Turns[n-1]
		x.reply = last.Text
		x.replied = true
		for _, s := range ses.Steps {
			x.replied = x.replied && s.N < last.N
		}
	}
	return x
}

// Sorted lists the checks by how they stand: those that fail, those that pass, and those that failed before the last edit.
func (x Ends) Sorted() (failing, passing, unknown []string) {
	for _, k := range slices.Sorted(maps.Keys(x.checks)) {
		switch {
		case !x.checks[k] && x.stale[k]:
			unknown = append(unknown, k)
		case !x.checks[k]:
			failing = append(failing, k)
		case !x.stale[k]:
			passing = append(passing, k)
		}
	}
	// The same check, called in another way, tells more than its earlier run.
	again := func(k string) bool {
		return slices.ContainsFunc(passing, func(p string) bool {
			return p != k && cmdline.CheckName(p) == cmdline.CheckName(k) && x.when[p] > x.when[k]
		})
	}
	return slices.DeleteFunc(failing, again), passing, slices.DeleteFunc(unknown, again)
}

// givenUp reports whether the person's last words are that they do themselves what the agent could not.
func givenUp(ses *fold.Session) bool {
	n := len(ses.Turns)
	return n > 0 && len(ses.Turns[n-1].Text) <= wording.MaxPrompt && givesUp().MatchString(strings.ReplaceAll(ses.Turns[n-1].Text, "’", "'"))
}

var givesUp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bi(?:'ll|ll| will|'m going to) (?:just )?(?:do|fix|try|solve|handle|give) (?:it|this|that)\b[^.?!]{0,20}\bmyself\b|\byou (?:won't|wont|can't|cant|cannot) (?:seem to )?(?:fix|solve) (?:it|this|that)\b`)
})

// notAllowed reports whether the last thing that the agent tried was a change that nobody allowed.
func notAllowed(ses *fold.Session) bool {
	n := len(ses.Steps)
	if n == 0 || ses.Steps[n-1].OK || !ses.Steps[n-1].Done || ses.Steps[n-1].Class != event.Edit && ses.Steps[n-1].Class != event.Create {
		return false
	}
	return ungranted().MatchString(ses.Steps[n-1].Line + " " + ses.Steps[n-1].Text)
}

var ungranted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bhaven't granted it\b|\brequires approval\b|\bpermission (?:was )?denied by\b`)
})

// brokeOff reports whether the agent's last words are an error of its service.
func brokeOff(ses *fold.Session) bool {
	for _, s := range slices.Backward(ses.Said) {
		if s.Agent == "" {
			return strings.Contains(s.Text, "API Error:") || strings.HasSuffix("\n"+strings.TrimSpace(s.Text), "\nCancelled") || len(s.Text) < 300 && usedUp().MatchString(strings.ReplaceAll(s.Text, "’", "'"))
		}
	}
	return false
}

// usedUp matches what agents say when the person's share of their service is used up.
var usedUp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:you've|you have) (?:hit|reached) your\b.*\blimit|\busage limit reached\b|^\W*credit balance is too low\b`)
})

// proposes matches what an agent offers to do, or advises, after its work.
var proposes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:suggested |recommended |possible )?next steps?\b`)
})

// unanswered reports whether the person asked for something to be done at the end, and the agent neither did nor said
// anything. The answer to a question may be missing in the log.
func unanswered(ses *fold.Session) bool {
	n := len(ses.Turns)
	if n < 2 || asking.WantsNothing(ses.Turns[n-1].Text) {
		return false
	}
	last := ses.Turns[n-1].N
	if (asking.Asks().MatchString(ses.Turns[n-1].Text) || strings.HasSuffix(strings.TrimSpace(ses.Turns[n-1].Text), "?")) && !answered(ses, n-1) {
		return false
	}
	return ses.Rested < last && !slices.ContainsFunc(ses.Steps, func(s fold.Step) bool { return s.N > last }) && !slices.ContainsFunc(ses.Said, func(s fold.Statement) bool { return s.N > last })
}

// answered reports whether the log has what the agent said at the end of each of the first n turns.
func answered(ses *fold.Session, n int) bool {
	for i, t := range ses.Turns[:n] {
		if !slices.ContainsFunc(ses.Said, func(s fold.Statement) bool { return s.Agent == "" && s.N >= t.N && s.N < ses.Turns[i+1].N }) {
			return false
		}
	}
	return true
}

// wasDone reports whether the agent had ended its turn with words that announce nothing when the person interrupted it.
func wasDone(ses *fold.Session) bool {
	last := 0
	if n := len(ses.Turns); n > 0 {
		last = ses.Turns[n-1].N
	}
	if n := len(ses.Steps); n > 0 {
		last = max(last, ses.Steps[n-1].N)
	}
	return ses.Rested > last && !slices.ContainsFunc(ses.Said, func(s fold.Statement) bool { return s.N > last && wording.Announces(s.Text) })
}

// askedInVain returns the command that the only request names in backquotes and that failed at its last
// run, else "".
func askedInVain(ses *fold.Session) string {
	if len(ses.Turns) != 1 {
		return ""
	}
	for _, m := range quotedCommand().FindAllStringSubmatch(ses.Turns[0].Text, 3) {
		failed := false
		for _, s := range ses.Steps {
			if s.Class == event.Shell && s.Done && s.Runs(m[1]) {
				failed = !s.OK
			}
		}
		if failed {
			return m[1]
		}
	}
	return ""
}

var quotedCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`\n]{3,80})`") })

// deniedAtLast reports whether the last request says that something does not work, and no file was changed,
// nothing committed and no command of a check run after it.
func deniedAtLast(ses *fold.Session) bool {
	n := len(ses.Turns)
	if n < 2 || !asking.Complains(ses.Turns[n-1].Text) && !denies().MatchString(ses.Turns[n-1].Text) || asking.Asks().MatchString(ses.Turns[n-1].Text) {
		return false
	}
	if text := strings.TrimSpace(ses.Turns[n-1].Text); ses.AnsweredLast() && asking.Asks().MatchString(asking.LastSentence(text)) {
		return false // it tells how it went, and asks something
	}
	return !slices.ContainsFunc(ses.Steps, func(s fold.Step) bool {
		return s.N > ses.Turns[n-1].N && s.Succeeded() && (s.Edits() || slices.ContainsFunc(s.Keys, func(k string) bool { return cmdline.Commits(k) || cmdline.Checks(k) || k == "git push" }))
	})
}

// denies matches an answer that what was to come is not there.
var denies = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*nope\b|^.{0,80}\bi (?:don['’]?t|can['’]?t|do not|cannot) see (?:it|the|any|them)\b`)
})

// blamesOthers reports whether the agent's last words say that what fails is none of its work, or words that ended an earlier turn
// after the last change and the last command that failed.
func blamesOthers(ses *fold.Session) bool {
	since, last := 0, true
	for _, s := range ses.Steps {
		if s.Edits() || s.Done && !s.OK {
			since = s.N
		}
	}
	for _, s := range slices.Backward(ses.Said) {
		switch {
		case s.Agent != "":
		case !last && s.N <= since:
			return false
		case wording.BeforeIt().MatchString(s.Text):
			return true
		default:
			last = false
		}
	}
	return false
}

// reported reports whether the agent said something after the last thing that it did.
func reported(ses *fold.Session) bool {
	for _, s := range slices.Backward(ses.Said) {
		if s.Agent == "" {
			return !slices.ContainsFunc(ses.Steps, func(t fold.Step) bool { return t.N > s.N && t.Agent == "" })
		}
	}
	return false
}

// asksForChange reports whether a task asks for work that a failing check shows to be missing. A review, a question or a run of
// the checks is done once what fails is reported.
func asksForChange(task string) bool {
	if asking.Wonders().MatchString(task) {
		return false
	}
	switch episode.KindOf(task) {
	case episode.Fix, episode.Feature, episode.Refactor, episode.Release:
		return true
	}
	return false
}

// saysDone reports whether the agent's last words begin with that all is done.
func saysDone(ses *fold.Session) bool {
	for _, s := range slices.Backward(ses.Said) {
		if s.Agent == "" {
			return allDone().MatchString(s.Text)
		}
	}
	return false
}

var allDone = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:all (?:done|clean|good|complete|tasks|tests|checks)|done|everything(?:'s| is| looks| works)?|complete[d.!:]|finished|implementation complete)\b`)
})

// doneBefore reports whether files were changed for an earlier request than the last one.
func doneBefore(ses *fold.Session) bool {
	n := len(ses.Turns)
	return n > 1 && slices.ContainsFunc(ses.Steps, func(s fold.Step) bool {
		return s.N < ses.Turns[n-1].N && s.Edits() && len(s.Paths) > 0 && s.Succeeded()
	})
}

// answeredBefore reports whether the agent did something for an earlier request than the last one, and ended that turn with words:
// what was done by commands changes no file that the log knows.
func answeredBefore(ses *fold.Session) bool {
	n := len(ses.Turns)
	return n > 1 && slices.ContainsFunc(ses.Said, func(said fold.Statement) bool {
		return said.Agent == "" && said.N < ses.Turns[n-1].N && slices.ContainsFunc(ses.Steps, func(s fold.Step) bool { return s.N < said.N && s.Succeeded() })
	})
}

// wentOn reports whether something was done after the last refusal or interruption: the person let the
// agent go on without a word.
func wentOn(ses *fold.Session) bool {
	return slices.ContainsFunc(ses.Steps, func(s fold.Step) bool { return s.N > ses.StoppedAt && s.Succeeded() })
}

// neverRested reports whether the agent did something, and never told the end of a turn. The hooks of all agents tell it; a turn that
// the person or a crash broke off has none. A session that was closed may be of an agent whose hooks are old.
func neverRested(ses *fold.Session) bool {
	return ses.Rested == 0 && !ses.Closed && len(ses.Steps) > 0 && !slices.ContainsFunc(ses.Said, func(s fold.Statement) bool { return s.Agent == "" }) &&
		slices.ContainsFunc(ses.Steps, func(s fold.Step) bool { return s.Agent == "" }) && ses.Steps[len(ses.Steps)-1].Tool != "SendMessage" // to the agent that it works for
}

// refuses reports whether the agent's last words begin with that it cannot do what was asked for.
func refuses(ses *fold.Session) bool {
	for _, s := range slices.Backward(ses.Said) {
		if s.Agent == "" {
			return cannot().MatchString(strings.ReplaceAll(s.Text, "’", "'"))
		}
	}
	return false
}

// cannot matches an excuse, not a result that is negative ("I couldn't find any").
var cannot = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:(?:i'm |i am )?(?:very )?sorry,? (?:but )?|unfortunately,? |i apologi[sz]e,? (?:but )?)(?:i|we) (?:can't|cannot|can not|am unable to|don't have (?:access|the ability|enough \w+))\b|^(?:很)?(?:抱歉|对不起)[，,]?我?(?:无法|不能)`)
})
