package unfinished

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
	"manicule/memory/gate/injection"
)

// Wait is something at a session's end that waits for the person: a plan, a question, a request that nobody answered, or an
// act that was refused.
type Wait struct {
	Text  string `json:"text"`
	About string `json:"about"`       // the plan, the question, the request or the act: equal for the same
	At    string `json:"at,omitzero"` // a place, as in Broken
}

// Limits of what is quoted of it, in runes.
const (
	MaxWait         = 140
	maxWithheld     = 3  // files that are named
	minQuestion     = 15 // of a question that says something
	maxBareQuestion = 60 // of a question that needs what it is about beside it
)

// waitsAtEnd returns what waits for the person at the end: the last thing of its kind that happened.
func waitsAtEnd(ses *fold.Session) []Wait {
	for _, find := range [...]func(*fold.Session) (Wait, bool){unheard, waitingPlan, waitingCall, refusedAct, withheldAct, waitingQuestion} {
		if w, ok := find(ses); ok {
			if !wording.UsableItem(w.About) || !wording.UsableItem(w.Text) {
				return nil
			}
			return []Wait{w}
		}
	}
	return nil
}

// waitingPlan returns the plan at which the session ended. A person who wants it carried out without what was said before
// refuses it here and has it carried out in a new session, which then settles it.
func waitingPlan(ses *fold.Session) (w Wait, ok bool) {
	s, ok := ses.LastStep()
	if !ok || event.AskOf(s.Tool) != event.AsksPlan || !ses.NothingAsked(s.N) {
		return w, false
	}
	title := s.Query
	if title == "" && len(ses.Turns) > 0 {
		title = asking.Task(ses.Turns[len(ses.Turns)-1].Text)
	}
	title = wording.OneLine(title, MaxWait)
	return Wait{Text: "Plan that was made and not carried out: " + title, About: title}, title != ""
}

// waitingCall returns the question that the agent put with a tool and that nobody answered.
func waitingCall(ses *fold.Session) (w Wait, ok bool) {
	s, ok := ses.LastStep()
	if !ok || event.AskOf(s.Tool) != event.AsksQuestion || s.OK || s.Query == "" || !ses.NothingAsked(s.N) {
		return w, false
	}
	return question(ses, s.Query), true
}

func question(ses *fold.Session, text string) Wait {
	return waitsFor(ses, asked, text)
}

// asked introduces a question.
const asked = "The agent asked, and nobody answered: "

// asksOn reports whether what waits is a question at the end of a message that itself says what is left: it is about that, unless it offers
// to commit or push, or asks which way to go.
func asksOn(w Wait, words []string) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(w.About, " *_#>")), " ")
	return len(words) > 0 && strings.HasPrefix(w.Text, asked) && !OffersDelivery().MatchString(w.About) &&
		!slices.Contains([]string{"how", "which", "what", "where", "when", "who", "why"}, first)
}

// waitsFor quotes what the agent said last behind words of what it is.
func waitsFor(ses *fold.Session, what, text string) Wait {
	w := Wait{Text: what + wording.OneLine(text, MaxWait), About: wording.OneLine(text, MaxWait), At: ses.EditedLast()}
	if len([]rune(text)) < maxBareQuestion { // "Which one?" says nothing by itself
		for _, t := range slices.Backward(ses.Turns) {
			if task := asking.Task(t.Text); task != "" && wording.UsableItem(task) {
				task = wording.OneLine(task, MaxWait)
				w.Text, w.About = strings.TrimRight(w.Text, ".")+afterQuote(text)+" It was about: "+task, w.About+" "+task
				break
			}
		}
	}
	return w
}

// refusedAct returns the change or the delivery that the person refused at the end, and after which nothing was done.
func refusedAct(ses *fold.Session) (w Wait, ok bool) {
	s, ok := ses.LastStep()
	broken := !s.Done && neverCame(ses, s) // no event tells of a refusal that ends a turn
	if !ok || !broken && (!s.Done || s.Kind != fold.Rejected) || !ses.NothingAsked(s.N) {
		return w, false
	}
	switch {
	case s.Class == event.Shell:
		i := slices.IndexFunc(s.Keys, cmdline.Delivers)
		if i < 0 || broken {
			return w, false
		}
		w.About = wording.OneLine(cmdline.CommandOf(s.Simple, s.Keys[i]), MaxWait)
		w.Text, w.At = "The person refused `"+strings.ReplaceAll(w.About, "`", "'")+"`", ses.EditedLast()
	case s.Edits() && len(s.Paths) > 0:
		w.About, w.At = s.Paths[0], s.Paths[0]
		w.Text = "The person refused a change of " + s.Paths[0]
		if broken {
			w.Text = "A change of " + s.Paths[0] + " was refused or broken off"
		}
	default:
		return w, false
	}
	if s.Said != "" {
		w.Text += ": " + wording.OneLine(s.Said, MaxWait)
	} else if len(ses.Turns) > 0 {
		if task := asking.Task(ses.Turns[len(ses.Turns)-1].Text); task != "" {
			w.Text += ", asked for: " + wording.OneLine(task, MaxWait)
		}
	}
	return w, true
}

// neverCame reports whether a call has no result and the session ended with it, of an agent that tells results.
func neverCame(ses *fold.Session, s fold.Step) bool {
	return s.ID != "" && !s.Background && s.N > ses.Rested && slices.ContainsFunc(ses.Steps, func(x fold.Step) bool { return x.Done && x.ID != "" }) &&
		!slices.ContainsFunc(ses.Said, func(x fold.Statement) bool { return x.N > s.N })
}

// withheldAct returns the changes that the agent was not allowed to make since the last request, or else the delivery or the check
// of its changes that it was not allowed to run. What it did later in another way waits for nothing.
func withheldAct(ses *fold.Session) (w Wait, ok bool) {
	var files []string
	command, done := "", map[string]bool{} // files that were changed since, and commands that worked
	for _, s := range slices.Backward(ses.Steps) {
		switch {
		case s.Agent != "" || !s.Done:
		case !ses.NothingAsked(s.N):
			return withheldOf(ses, files, command)
		case s.OK:
			for _, k := range slices.Concat(s.Paths, s.Keys) {
				done[k] = true
			}
		case s.Kind != fold.Withheld:
		case s.Edits() && len(s.Paths) > 0:
			if p := s.Paths[0]; !done[p] {
				files, done[p] = append(files, p), true
			}
		case s.Class == event.Shell && command == "":
			i := slices.IndexFunc(s.Keys, func(k string) bool { return !done[k] && (cmdline.Delivers(k) || cmdline.Checks(k)) })
			if i >= 0 && (cmdline.Delivers(s.Keys[i]) || ses.EditedLast() != "") {
				command = wording.OneLine(cmdline.CommandOf(s.Simple, s.Keys[i]), MaxWait)
			}
		}
	}
	return withheldOf(ses, files, command)
}

// withheldOf says what waits, the changes of files before a command. files has the last one first.
func withheldOf(ses *fold.Session, files []string, command string) (w Wait, ok bool) {
	slices.Reverse(files)
	switch {
	case len(files) > 0:
		w = Wait{Text: "Waits for the person's permission: a change of " + strings.Join(files[:min(len(files), maxWithheld)], ", "), About: files[0], At: files[0]}
		if n := len(files) - maxWithheld; n > 0 {
			w.Text += fmt.Sprintf(" and %d more", n)
		}
	case command != "":
		w = Wait{Text: "Waits for the person's permission: to run `" + strings.ReplaceAll(command, "`", "'") + "`", About: command, At: ses.EditedLast()}
	default:
		return w, false
	}
	if n := len(ses.Turns); n > 0 {
		if task := asking.Task(ses.Turns[n-1].Text); task != "" && wording.UsableItem(task) {
			w.Text += ". Asked for: " + wording.OneLine(task, MaxWait)
		}
	}
	return w, true
}

// unheard returns the last request, if a session that had begun to work ended before anything came of it.
func unheard(ses *fold.Session) (w Wait, ok bool) {
	n := len(ses.Turns)
	if n == 0 || len(ses.Steps)+len(ses.Said) == 0 || ses.Stopped {
		return w, false
	}
	last := ses.Turns[n-1]
	if asking.WantsNothing(last.Text) || asking.IsQuestion(last.Text) || ses.Rested > last.N && endsWithError(ses) != ses.Rested || slices.ContainsFunc(ses.Steps, func(s fold.Step) bool { return s.N > last.N }) ||
		slices.ContainsFunc(ses.Said, func(s fold.Statement) bool { return s.N > last.N && !wording.OfProgram(s.Text) }) {
		return w, false
	}
	task := wording.OneLine(asking.Task(last.Text), MaxWait)
	if asking.SaysLittle(task) || asking.OnlyAsks(last.Text) || asking.OnlyAsks(task) || leaves().MatchString(last.Text) {
		return w, false
	}
	return Wait{Text: "Asked for, and nothing came of it: " + task, About: task}, task != ""
}

// waitingQuestion returns the question at the end of the agent's last words, if the work that was asked for waits for the answer, or the
// sentence by which it can be committed or pushed. An offer to do more is none.
func waitingQuestion(ses *fold.Session) (w Wait, ok bool) {
	n := len(ses.Said)
	if n == 0 || ses.Said[n-1].Agent != "" || !ses.NothingAsked(ses.Said[n-1].N) || slices.ContainsFunc(ses.Steps, func(s fold.Step) bool { return s.N > ses.Said[n-1].N }) {
		return w, false
	}
	text := strings.ReplaceAll(ses.Said[n-1].Text, "’", "'")
	if wording.Injected(text) || injection.Find(text) != "" {
		return w, false
	}
	q := lastQuestion(text)
	if h := handedOver(text); h != "" {
		return waitsFor(ses, "It waits for the person: ", h), true
	}
	if q == "" {
		if q = readyAtEnd(text); q != "" {
			return waitsFor(ses, "It waits for the person's word: ", q), undelivered(ses, Pushing().MatchString(q))
		}
	}
	switch {
	case q == "":
		return w, false
	case OffersDelivery().MatchString(q):
		return question(ses, q), undelivered(ses, Pushing().MatchString(q))
	case askedInstead(ses, text) && !idle().MatchString(q) && len([]rune(q)) >= minQuestion:
		return question(ses, q), true
	case asksToGoOn().MatchString(q) && !offersMore().MatchString(q) && !manyOffers().MatchString(text) && !askedOnly(ses):
		return question(ses, q), true
	}
	return w, false
}

// askedInstead reports whether the agent did nothing for the last request, which is no question, but ask, in a session that had done
// something. Words that were asked for are the answer if they stand before the question.
func askedInstead(ses *fold.Session, said string) bool {
	n := len(ses.Turns)
	if n == 0 || askedOnly(ses) {
		return false
	}
	last := ses.Turns[n-1].Text
	if asking.OnlyAsks(last) || greets().MatchString(last) || leaves().MatchString(last) || asking.WantsNothing(last) && (n == 1 || !agrees().MatchString(last)) {
		return false
	}
	if wantsWords().MatchString(last) && len(wording.Prose(said)) > 2 {
		return false
	}
	since := slices.IndexFunc(ses.Steps, func(s fold.Step) bool { return s.N > ses.Turns[n-1].N })
	return len(ses.Steps) > 0 && (since < 0 || questionsAfterLook(ses.Steps[since:], said))
}

// questionsAfterLook reports whether the agent asked several questions and only looked at things before. One question after a look is
// mostly an offer to do more.
func questionsAfterLook(steps []fold.Step, said string) bool {
	n := 0
	for _, line := range wording.Prose(said) {
		if strings.HasSuffix(strings.TrimRight(line, " *_)"), "?") {
			n++
		}
	}
	return n >= severalQuestions && !slices.ContainsFunc(steps, func(s fold.Step) bool {
		return s.Agent != "" || s.Edits() || slices.ContainsFunc(s.Keys, cmdline.Delivers)
	})
}

// severalQuestions is how many questions at a session's end show that the work waits for the answers.
const severalQuestions = 2

// idle matches what an agent asks that has nothing to do, and an offer to explain or to help.
func idle() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:any|some)thing\b|\b(?:what|who|where) else\b|\bwhat(?:'s| is) next\b|\b(?:work on|do|build|tackle) next\b|\bnext (?:task|issue|step|one|thing)\b|\b(?:today|tomorrow)\b|\bcan i do for you\b|\b(?:(?:want|like) me to|should i) (?:also )?(?:adjust|change|shorten|expand|tweak|rephrase)\b|^(?:does|do|is) (?:this|that|it|these|those) (?:look|sound|help|answer|work|make sense|formal|ok|okay|fine|good|right|correct|clear|what you)\b|\banother\b|\badditional\b|\bany (?:other|explanations?|questions?)\b|\b(?:help|explain|show|check (?:which|what|if|whether|how))\b|\bautres?\b`)
}

// leaves matches words with which a person ends the work for now.
func leaves() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:(?:ok(?:ay)?|thanks?|good|great)\b\W*)*(?:that(?:['’]s| is|['’]ll be) (?:all|it|enough)\b|see (?:you|ya)\b|good ?(?:night|bye)\b|i(?:['’]ll| will)\b)[^\n]{0,40}$`)
}

// greets matches a greeting.
func greets() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day))\b[^\n]{0,20}$`)
}

// agrees matches an answer that has nothing to do with thanks.
func agrees() *regexp.Regexp { return regexp.MustCompile(`(?i)^\W*(?:yes|no|ok(?:ay)?)\b`) }

// wantsWords matches a request for a text.
func wantsWords() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:please |can you |could you |now )*(?:write|draft|summari[sz]e|give me|suggest|translate|propose|list|describe|compare|outline|review|rephrase|name)\b`)
}

// askedOnly reports whether the last request is a question, which was answered.
func askedOnly(ses *fold.Session) bool {
	n := len(ses.Turns)
	return n > 0 && (asking.Asks().MatchString(ses.Turns[n-1].Text) || asking.IsQuestion(ses.Turns[n-1].Text))
}

// undelivered reports whether files were changed after the last commit, or for a push, whether something was committed or changed after the last one.
func undelivered(ses *fold.Session, push bool) bool {
	waits := false
	for _, s := range ses.Steps {
		switch {
		case !s.Done || !s.OK:
		case s.Edits() && len(s.Paths) > 0:
			waits = true
		case slices.ContainsFunc(s.Keys, cmdline.Commits):
			waits = push
		}
		if s.Succeeded() && slices.ContainsFunc(s.Keys, cmdline.Pushes) {
			waits = false
		}
	}
	return waits
}

// afterQuote ends a quoted sentence that has no mark of its own.
func afterQuote(text string) string {
	if strings.HasSuffix(text, "?") {
		return ""
	}
	return "."
}

// readyAtEnd returns the last sentence of a message if it says that the work can be committed, pushed or merged.
func readyAtEnd(text string) string {
	lines := wording.Prose(text)
	if len(lines) == 0 {
		return ""
	}
	parts := wording.Clauses(lines[len(lines)-1])
	if len(parts) == 0 || !readyFor().MatchString(parts[len(parts)-1]) {
		return ""
	}
	return strings.TrimRight(parts[len(parts)-1], ".!")
}

// handedOver returns the sentence near the end of a message by which the agent goes on once the person has done something, or sent what
// a command of theirs printed; "" for none.
func handedOver(text string) string {
	lines, hands, later, needs, again := wording.Prose(text), hands(), handsLater(), asksForIt(), ifAgain()
	for _, line := range slices.Backward(lines[max(0, len(lines)-handsWithin):]) {
		for _, s := range slices.Backward(wording.Clauses(line)) {
			if needs.MatchString(s) && !again.MatchString(s) || hands.MatchString(s) && !later.MatchString(s) && !tries(s) && !(ofItself().MatchString(s) && goesOnAlone().MatchString(text)) {
				return strings.TrimRight(s, ".!")
			}
		}
	}
	return ""
}

// ifAgain matches what the person may send if something goes wrong once more.
func ifAgain() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bif (?:it|that|this|the [\w ]{1,30}?|you) .*\b(?:again|back|fails?|happens?|occurs?|persists?|recurs?|still)\b`)
}

// asksForIt matches what the agent asks the person for because it can't go on without.
func asksForIt() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*please (?:tell me|provide|share|send|specify|confirm|clarify|paste)\b[^?!]{5,200}\b(?:so (?:that )?I can|before I (?:can|go|continue|proceed|start|write|change|update))\b`)
}

// handsWithin is how many of a message's last lines may say what the person has to do.
const handsWithin = 8

// hands matches what the agent goes on after: that the person sends what was printed, by an order of its own or at the end of one, or has
// done something. It is compiled once a session, which costs the hook nothing before main.
func hands() *regexp.Regexp {
	const send = `(?:(?:copy|come back) and )?(?:paste|send|share|post)(?: back)?(?: me| us)? (?:the|your|its|that|their|any|what|whatever|here)\b(?: [^\s.?!]+){0,5}? (?:output|logs?|traceback|stack trace|errors?(?: message)?|results?|screenshots?)\b`
	const acts = `(?:run|rerun|execute|open|try|retry|restart|start|check|do|go|reproduce|click|reload|launch|type|use|trigger|enable|set|add|install|look|press|visit|deploy|push|pull|test)`
	return regexp.MustCompile(`(?i)^\W*(?:(?:now|then|so|just|first)\b\W*)*` + send + `|\b(?:please|need you to|could you|can you)\s+(?:just )?` + send +
		`|(?:^\W*(?:(?:please|now|then|so|just|first)\b\W*)*|\b(?:please|need you to|could you|can you)\s+)` + acts + `\b.{0,100}\b(?:and|then)\s+(?:then )?` + send +
		`|\b(?:let me know|tell me|come back|ping me|say "?done"?)\b[^.?!]{0,30}\b(?:once|after|as soon as)\b` +
		`|(?:^\W*|[,;:(–—] ?|\b(?:and|then) )(?:once|after|as soon as) (?:you(?:'ve| have)?|that's|that is|it's)\b(?:[^.?!]|\.\w){0,80}\bI(?:'ll| can| will)\b|\bcome back\b[^.?!]{0,40}\bI(?:'ll| will| can)\b`)
}

// handsLater matches an offer, what is to be done if something goes wrong, and what is sent to somebody else.
func handsLater() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bif\b|\bwhen(?:ever)? you\b[^.?!]{0,10}\b(?:want|like|need|ready)|\bonce you(?:'re|'ve| are| have)? (?:ready|happy|decide)` +
		`|\bI(?:'ll| can| will) (?:also|help|be)\b|, so I\b|\b(?:with|to) (?:your|the|other|every|users?|clients?)\b[^.?!]*\b(?:teams?|clients?|users?|customers?|issue|server|channel)\b|\binto \S+\.\w`)
}

// tries reports whether a person is only invited to say how the result works.
func tries(s string) bool {
	return regexp.MustCompile(`(?i)\b(?:once|after|as soon as) you(?:'ve| have)?(?: had)? (?:tested|tried|reviewed|checked|looked|verified|test|try|review|check|look|verify|a (?:chance|look))\b`).MatchString(s) &&
		!regexp.MustCompile(`(?i)\bI(?:'ll| can| will)\b`).MatchString(s)
}

// ofItself matches what ends without the person, if it is the agent's own doing.
func ofItself() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:once|after|as soon as) (?:that's|that is|it's)\b`)
}

// goesOnAlone matches what the agent has running.
func goesOnAlone() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bin the background\b|\b(?:still|now|currently|is|are) (?:running|building|compiling|in progress)\b`)
}

// lastQuestion returns the question with which a message ends, "" for none. A list of answers may follow it.
func lastQuestion(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	n := len(lines)
	for n > 1 && wording.ListItem().MatchString(lines[n-1]) {
		n--
	}
	line := strings.Trim(wording.Mark().ReplaceAllString(lines[n-1], ""), " *_")
	switch head, ok := strings.CutSuffix(line, ":"); {
	case n == len(lines):
	case ok && asksToGoOn().MatchString(head):
		line = head + ": " + strings.TrimSuffix(strings.TrimSpace(wording.Mark().ReplaceAllString(lines[n], "")), "?") + "?"
	case !strings.HasSuffix(line, "?"): // the items are no answers
		line = strings.Trim(wording.Mark().ReplaceAllString(lines[len(lines)-1], ""), " *_")
	}
	parts := wording.Clauses(line)
	if len(parts) == 0 || !strings.HasSuffix(line, "?") {
		return ""
	}
	last := parts[len(parts)-1]
	if i := strings.LastIndex(strings.TrimSuffix(last, "?"), "? "); i >= 0 { // the last of several
		if more := last[i+2:]; asksToGoOn().MatchString(more) || OffersDelivery().MatchString(more) {
			last = more
		}
	}
	return last
}

var (
	// OffersDelivery matches a question whether to commit, to push or to ask for a merge.
	OffersDelivery = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:want|like|shall|should|ready)\b.{0,40}\b(?:commit|push|merge|(?:open|create|make|raise) (?:\w+ ){0,3}(?:commit|pr|pull request|mr|merge request))\b`)
	})
	// readyFor matches a sentence that says that the work can be delivered.
	readyFor = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:\w+ ){0,4}ready (?:to|for a?) ?(?:be )?(?:commit|push|merge)`)
	})
	Pushing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:push|pr|pull request|mr|merge)\b`) })
	// asksToGoOn matches a question how or whether to go on.
	asksToGoOn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:which|what) (?:\w+ ){0,3}?(?:approach|option|direction|path|strategy|way|solution|fix)\b|\bwhich (?:one )?(?:do|would|should) (?:you|we|i)\b|\bhow (?:would|do|should|shall) (?:you|we|i)\b.{0,60}\b(?:proceed|go on|continue|handle|resolve)\b` +
			`|\b(?:want|like|shall i|should i|should we|ready|do you want|is it ok|may i|can i)\b(?: me| us)?(?: to)?(?: (?:go ahead and|now|just))? (?:proceed|continue|start|begin|implement|go ahead|go with|restore|revert|carry|apply|make (?:that|this|the|these) (?:change|edit|fix)|resume|move on)\b` +
			`|\bback to\b|\b(?:do you want|would you like|should i|shall i)(?: me)?(?: to)?(?::|\??$)`)
	})
	// offersMore matches an offer beside the work.
	offersMore = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:additional|another|anything else|if you|explain|spin up|next step would)\b`)
	})
	// manyOffers matches a list of what the agent could do as well.
	manyOffers = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bif you(?:'d like| want| wish| prefer)\b[^.\n]{0,20}\bi can\b`)
	})
)
