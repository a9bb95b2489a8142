// Package unfinished says what a session left to do: checks that fail, items of its list, what its last message says is
// left, and what waits for the person.
package unfinished

import (
	"regexp"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
	"manicule/memory/episode"
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

// Of returns what the session left to do. Of a session that the agent's hooks don't see in full,
// only the branch is known.
func Of(ses *fold.Session) Work {
	if ses.Blind {
		return Work{Branch: ses.Branch, Unit: ses.Unit}
	}
	w := Work{Branch: ses.Branch, Unit: ses.Unit, Said: ses.LastMessage}
	w.Fails, w.Cut = BrokenChecks(ses), CutShort(ses) || brokenByError(ses)
	if b, ok := notRun(ses); ok && len(w.Fails) == 0 {
		w.Fails = []Broken{b}
	}
	if !ses.LeadsTeam && !forgotList(ses, w.Cut) { // a team's members keep its list in sessions of their own
		w.Open = stillOpen(ses)
	}
	w.Words, w.Waits = lastWords(w.Said), waitsAtEnd(ses)
	w.Words = slices.DeleteFunc(w.Words, func(text string) bool { return saysItem(text, w.Open) || saysFails(text, w.Fails) })
	if slices.ContainsFunc(w.Fails, func(b Broken) bool { return strings.HasPrefix(b.ID, "git ") }) {
		w.Waits = slices.DeleteFunc(w.Waits, func(x Wait) bool { return OffersDelivery().MatchString(x.About) }) // it asks about what failed
	}
	words := w.Words
	if w.Cut || answeredSince(ses) {
		w.Words = nil // of an earlier turn
	}
	w.Waits = slices.DeleteFunc(w.Waits, func(x Wait) bool { return asksOn(x, w.Words) })
	if w.Cut {
		if broke := announcedChange(ses); broke != "" {
			w.Words = []string{broke}
		}
	}
	if len(w.Fails)+len(w.Open)+len(w.Words)+len(w.Waits) == 0 {
		x, ok := requestBrokenOff(ses)
		if !ok {
			x, ok = inTheMiddle(ses)
		}
		switch {
		case ok:
			w.Waits = []Wait{x}
		case !w.Cut && !editedSince(ses): // nothing stands in their place
			w.Words = words
		}
	}
	if ses.Tainted {
		return Work{Branch: w.Branch, Unit: w.Unit, Fails: w.Fails, Open: w.Open, Words: w.Words, Waits: w.Waits, Tainted: true}
	}
	w.Said, w.Closed, w.Passed = leftOver(w.Said), ses.Todo.Closed(), passedChecks(ses)
	if saysItem(w.Said, w.Open) {
		w.Said = ""
	}
	if len(w.Open)+len(w.Fails)+len(w.Words)+len(w.Waits) == 0 && w.Said == "" && !w.Cut {
		return w
	}
	for _, t := range slices.Backward(ses.Turns) { // the latest request that says something
		if w.Task = asking.Task(t.Text); w.Task != "" {
			w.Task = wording.OneLine(w.Task, fold.MaxOpenItem)
			break
		}
	}
	return w
}

// answeredSince reports whether the person asked for something after the agent's last message: what that says is left was answered.
func answeredSince(ses *fold.Session) bool {
	n := len(ses.Turns)
	if n == 0 || ses.Rested == 0 || ses.Turns[n-1].N <= ses.Rested {
		return false
	}
	text := ses.Turns[n-1].Text
	return !asking.WantsNothing(text) && !asking.IsQuestion(text) && !asking.OnlyAsks(text) && !leaves().MatchString(text)
}

// editedSince reports whether the agent changed files since the last request.
func editedSince(ses *fold.Session) bool {
	n := len(ses.Turns)
	return n > 0 && slices.ContainsFunc(ses.Steps, func(s fold.Step) bool { return s.N > ses.Turns[n-1].N && s.Edits() && s.Succeeded() })
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

// saysFails reports whether a sentence says of one of the failing checks that it fails: a word of what it says that of is in the
// command or in its error.
func saysFails(text string, fails []Broken) bool {
	said := saysFailing().FindStringSubmatch(text)
	if said == nil {
		return false
	}
	const telling = 4 // characters of a word
	return slices.ContainsFunc(fails, func(b Broken) bool {
		of := strings.ToLower(b.Command + " " + b.Line)
		return slices.ContainsFunc(episode.Words(said[1]), func(w string) bool { return len(w) >= telling && w != "test" && strings.Contains(of, w) })
	})
}

// saysFailing matches a statement that a check fails; its group is which one. What is to be done begins with a verb.
func saysFailing() *regexp.Regexp {
	return regexp.MustCompile("(?i)^\\W*((?:(?:the|this|that|one|two|three|some|all|my|our)\\b|`|\\w*test\\w*\\b|ci\\b|lint\\w*\\b|\\d+\\b)[^,;:]*?)\\s(?:(?:still|currently|now|again|also)\\s)*" +
		"(?:fails?|failed|(?:do|does|did)(?: not|n['’]t) pass|(?:is|are|was|were)\\s(?:still\\s)?(?:failing|broken|red))(?:\\W|$)")
}

// forgotList reports whether the agent did not keep its list up to date: it delivered after it changed the list,
// it was asked for something else once its work had passed, or all that was open was to check the work, and
// that passed. cut is whether the session ended in the middle of its work.
func forgotList(ses *fold.Session, cut bool) bool {
	changed := ses.Todo.Changed
	if !cut && deliveredAfter(ses, changed) {
		return true
	}
	if !cut && (reportedAfter(ses, changed) || leftOneOut(ses)) {
		return true
	}
	edit, pass := 0, 0 // numbers of the last edit, and of the first check that passed after an edit
	for _, s := range ses.Steps {
		switch {
		case s.N <= changed || !s.Done || !s.OK || s.Agent != "":
		case s.Edits():
			edit = s.N
		case s.Class == event.Shell && slices.ContainsFunc(s.Keys, cmdline.Checks):
			if edit > 0 && pass == 0 {
				pass = s.N
			}
			if open := ses.Todo.Open(); !cut && len(open) == 1 && verifies(open[0]) {
				return true
			}
		}
	}
	return pass > 0 && slices.ContainsFunc(ses.Turns, func(t fold.Turn) bool { return t.N > pass })
}

// fewestDone is the number of items of a list that were done if one that is open was only not ticked off.
const fewestDone = 4

// leftOneOut reports whether all items of the list but one were done, and the agent then ended its turn with a statement: who keeps such
// a list and says nothing of its last item did not tick it off.
func leftOneOut(ses *fold.Session) bool {
	open := ses.Todo.Open()
	if len(open) != 1 || ses.Todo.Done() < fewestDone || ses.Rested <= ses.Todo.Changed {
		return false
	}
	last := ses.LastMessage
	return last != "" && !wording.Announces(last) && lastQuestion(last) == "" && len(lastWords(last)) == 0
}

// reportedAfter reports whether files were changed after an event, the agent ended its turn without a question, and the person then asked
// for something else: not to go on, and for nothing of the list.
func reportedAfter(ses *fold.Session, n int) bool {
	edit := slices.IndexFunc(ses.Steps, func(s fold.Step) bool { return s.N > n && s.Edits() && s.Succeeded() && s.Agent == "" })
	if edit < 0 {
		return false
	}
	edited, goesWith, leaves, open := ses.Steps[edit].N, goesWith(), leaves(), ses.Todo.Open()
	return slices.ContainsFunc(ses.Turns, func(t fold.Turn) bool {
		if t.N < edited || t.Interrupted || asking.SaysLittle(t.Text) || asking.WantsNothing(t.Text) || asking.IsQuestion(t.Text) || asking.OnlyAsks(t.Text) ||
			leaves.MatchString(t.Text) || goesWith.MatchString(t.Text) || ofList(t.Text, open) {
			return false
		}
		said := slices.DeleteFunc(slices.Clone(ses.Said), func(s fold.Statement) bool { return s.Agent != "" || s.N < edited || s.N >= t.N })
		if n := len(said); n > 0 {
			return !wording.Announces(said[n-1].Text) && lastQuestion(said[n-1].Text) == ""
		}
		return ses.Rested >= edited && ses.Rested < t.N
	})
}

// goesWith matches a request to go on with what is under way.
func goesWith() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:(?:ok(?:ay)?|yes|great|good|please|now|and|then|so|thanks|let['’]?s)\b\W*)*(?:go (?:on|ahead)|continue|keep (?:going|on)|proceed|carry on|move on|resume|finish|complete|next\b|(?:do )?the (?:rest|remaining|others?|next)\b|(?:do|start|work on|implement) (?:the )?(?:rest|remaining|next))`)
}

// ofList reports whether a text shares more than half of the words of an item.
func ofList(text string, open []string) bool {
	words := episode.Words(text)
	return slices.ContainsFunc(open, func(item string) bool {
		shared, of := 0, episode.Words(item)
		for _, w := range of {
			if slices.Contains(words, w) {
				shared++
			}
		}
		return 2*shared > len(of)
	})
}

// stillOpen lists the open items. One that is to check the work is left out if a check passed after the list was changed, and
// one in progress if its work was committed and others are open: what follows, such as a review, the list does not say.
func stillOpen(ses *fold.Session) []string {
	open, going := ses.Todo.Open(), ses.Todo.Going()
	committed := func(item string) bool { n, ok := going[item]; return ok && deliveredAfter(ses, n) }
	if slices.ContainsFunc(open, func(item string) bool { return !committed(item) }) {
		open = slices.DeleteFunc(open, committed)
	}
	passed := slices.ContainsFunc(ses.Steps, func(s fold.Step) bool {
		return s.N > ses.Todo.Changed && s.Succeeded() && s.Agent == "" && s.Class == event.Shell && slices.ContainsFunc(s.Keys, cmdline.Checks)
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
func deliveredAfter(ses *fold.Session, n int) bool {
	return slices.ContainsFunc(ses.Steps, func(s fold.Step) bool {
		return s.N > n && s.Succeeded() && !fold.InProgress(s) && slices.ContainsFunc(s.Keys, func(k string) bool {
			return strings.HasSuffix(k, "git commit") || k == "gh pr create" || k == "glab mr create"
		})
	})
}
