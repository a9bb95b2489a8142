package observe

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/event"
)

// Limits for quotes of a person, in characters.
const (
	minSaid   = 18
	minRule   = 10 // of a sentence worded as a rule
	maxSaid   = 220
	maxPrompt = 700 // a longer text is a plan or a paste, not a correction
)

// corrections are rules that a person gives while working with the agent, above all after
// a refused or interrupted call. They are quoted, not reworded, with the
// sentences that belong to them. A sentence worded as a rule counts at once. One that may
// be about the current task counts only when it is repeated in another session.
func corrections(ses *folded) []Signal {
	var out []Signal
	add := func(n int, text string, strong, tainted bool) {
		for _, r := range rulesIn(text, strong) {
			said := strings.Join(r.sentences, " ")
			s := Signal{Detail: Instruction{said}, Key: strings.Join(sortedWords(r.rule), " "), N: 1, Evidence: []int{n}, Tainted: tainted, Paths: pathsNear(ses, n, said)}
			if slices.ContainsFunc(r.sentences, general) {
				s.Acute = acuteCorrection
			}
			out = append(out, s)
		}
	}
	for _, t := range ses.turns {
		if len(t.text) > maxPrompt || strings.HasPrefix(t.text, "<") || strings.HasPrefix(t.text, "You are ") || pressed(t.text) || strings.Contains(t.text, "```") || strings.Count(t.text, "\n") > 6 {
			continue
		}
		add(t.n, t.text, t.interrupted, t.tainted) // it may be pasted from there
	}
	for _, s := range ses.steps {
		if s.kind == Rejected && s.said != "" && len(s.said) <= maxPrompt {
			add(s.ended, s.said, true, s.tainted)
		}
	}
	return out
}

// pressed reports whether a request is what a button of the agent writes ("Build", in Cursor): what it forbids is no person's rule.
func pressed(text string) bool { return strings.HasPrefix(text, "Implement the plan as specified, ") }

// said is a rule in a text, with the sentences that belong to it.
type said struct {
	rule      string
	sentences []string
}

// rulesIn finds the rules that a person says in a text. strong is set if it is the reason for an interruption.
func rulesIn(text string, strong bool) []said {
	list := sentences(text)
	weights := make([]int, len(list))
	for i, sentence := range list {
		weights[i] = ruleWeight(sentence)
		if strong && weights[i] == 1 && directive(sentence) {
			weights[i]++
		}
	}
	var out []said
	for i := 0; i < len(list); i++ {
		if weights[i] < 2 {
			continue
		}
		from, to := i, i
		for from > 0 && belongs(list[from-1]) {
			from--
		}
		for to+1 < len(list) && (weights[to+1] >= 2 || belongs(list[to+1])) {
			to++
		}
		if len([]rune(strings.Join(list[from:to+1], " "))) > maxSaid {
			from, to = i, i
		}
		out = append(out, said{list[i], list[from : to+1]})
		i = to
	}
	return out
}

// Rules returns the rules that a person says in a text, each with the sentences that belong to it. strong is set
// if something was changed because of it.
func Rules(text string, strong bool) []string {
	var out []string
	for _, r := range rulesIn(text, strong) {
		out = append(out, strings.Join(r.sentences, " "))
	}
	return out
}

// Sentences splits a text that a person wrote. Too short and too long ones are left out.
func Sentences(text string) []string { return sentences(text) }

// belongs reports whether a sentence is part of the correction beside it: it also forbids
// or demands something, or gives the reason.
func belongs(sentence string) bool {
	low := " " + plainHead(sentence) + " "
	if strings.HasSuffix(strings.TrimSpace(low), "?") {
		return false
	}
	return starts(low, " always ", " never ", " don't ", " do not ", " prefer ", " avoid ", " use ", " not ", " no ", " we use ", " we don't ", " we never ", " because ", " otherwise ", " that's because ", " it's because ",
		" the reason ", " instead ", " only ")
}

// general reports whether a sentence is worded as a rule, not as an instruction for the
// current task.
func general(sentence string) bool {
	low := " " + plainHead(sentence) + " "
	return starts(low, " always ", " never ", " we don't ", " we do not ", " we use ", " we always ", " we never ", " we prefer ", " prefer ", " remember ", " every ", " whenever ") ||
		has(low, " always ", " never ", " from now on", " going forward", " in general", " as a rule", " every time ", " in the future", " wherever ", " whenever ", " everywhere", " by default", " convention",
			" in this repo", " in this project", " in this codebase", " in our ", " we never ", " we always ")
}

// sentences splits a typed text.
func sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "-*•>0123456789.) "))
		start := 0
		for i := 0; i < len(line); i++ {
			end := i+1 == len(line)
			if !end && !(strings.IndexByte(".!?;", line[i]) >= 0 && line[i+1] == ' ') {
				continue
			}
			s := strings.TrimSpace(line[start : i+1])
			start = i + 1
			if n := len([]rune(s)); n <= maxSaid && (n >= minSaid || n >= minRule && general(s)) {
				out = append(out, s)
			}
		}
	}
	return out
}

// plainHead returns a sentence in lower case without introductory words.
func plainHead(sentence string) string {
	low := strings.Trim(strings.ToLower(strings.ReplaceAll(sentence, "’", "'")), "() ")
	low = praised().ReplaceAllString(low, "")
	for again := true; again; { // in whatever order: "and please", "please, also"
		again = false
		for _, head := range []string{"please ", "please, ", "no, ", "no - ", "no. ", "ok, ", "okay, ", "yes, ", "also ", "also, ", "and ", "hmm, ", "hmm ", "hey ", "in general, ", "generally, ", "btw "} {
			if rest, ok := strings.CutPrefix(low, head); ok {
				low, again = rest, true
			}
		}
	}
	return low
}

// praised matches what a person says before a rule about what was done: "good, but always …".
var praised = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:that |it )?(?:looks?|is|'s) )?(?:good|great|nice|fine|perfect|cool|lgtm|thanks|thank you|ok|okay|yes)(?: (?:work|job|so far))?[,.!]? but,? `)
})

// ruleWeight rates how much a sentence reads like a rule for later sessions: 2 or more is
// a rule, 0 is none. A rule says what to do and is understandable without the text before
// it.
func ruleWeight(sentence string) int {
	low := plainHead(sentence)
	if strings.HasSuffix(strings.TrimSpace(low), "?") || strings.ContainsAny(low, "<>|{}•→") {
		return 0
	}
	low = " " + low + " "
	named := low // with the project that it names
	if at := atProject().FindStringIndex(low); at != nil {
		low = " " + low[at[1]:]
	}
	if starts(low, " but ", " for ", " because ", " so ", " it's ", " not ", " as ") || !letterFirst(low) || ofProduct(low) || ofTask(low) {
		return 0
	}
	w := 0
	if starts(low, " if ", " when ") && has(low, " do not ", " don't ", " always ", " never ", " must ", ", use ", ", run ") {
		w++
	}
	if starts(low, " always ", " never ", " don't ", " do not ", " prefer ", " use ", " avoid ", " keep ", " make sure ", " remember ", " we should ", " we shouldn't ", " we don't ", " we use ", " we always ",
		" we never ", " we prefer ", " you should ", " you must ", " before ", " every ", " only ", " run ", " stop ", " whenever ", " from now on", " going forward", " must ", " let's always ", " let's never ") {
		w++
	}
	if has(named, " always ", " never ", " from now on", " going forward", " in general", " as a rule", " every time ", " in the future", " wherever ", " whenever ", " everywhere", " by default", " convention", " in all ", " in this repo", " in this project") {
		w++
		if len(strings.Fields(low)) <= 8 && starts(low, " always ", " never ") {
			w++ // short, and nothing but a rule
		}
	}
	if has(low, " instead of ", " rather than ", " not ", " don't ", " only ", " must ", " should ", " prefer ", " avoid ") {
		w++
	}
	if w > 0 && !has(low, " always ", " never ", " wherever ", " whenever ", " everywhere", " prefer ", " instead of ", " rather than ", " convention", " don't ", " do not ", " avoid ", " in general", " every time ", " from now on", " going forward", " must ", " we use ") {
		w = 1 // a task, not a rule
	}
	if strings.ContainsAny(low, "\"“") || strings.Contains(low, "error:") || has(low, " we should update", " we should add", " we should have", " we should remove", " we should rename", " we should fix") {
		w -= 2
	}
	// What refers to the moment is no rule; the project is no moment.
	low = strings.NewReplacer(" in this repo", " ", " in this project", " ", " in this codebase", " ").Replace(low)
	if has(low, " this ", " that ", " these ", " those ", " it ", " it's ", " its ", " here ", " now ", " there ", " above", " below", " the following", " last ", " let's ", " i ", " i'm ", " i'd ", " i've ", " my ", " me ",
		" looks ", " seems ", " option ", " maybe ", " step ", " the pr", " the plan", " you did", " was ", " were ", " the fix", " the issue", " still ", " current ", " the button", " they ", " them ", " he ", " can we ", " can you ", " stash ", " same ", " for the first", " then ") {
		w -= 2
	}
	return w
}

// atProject matches the words before a rule that say where it holds: "in this repository we always …".
var atProject = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ in (?:this|our) (?:repo|repository|project|code ?base),? `)
})

// ofProduct reports whether a sentence says what the program that is worked on does or shall do ("the list should always be sorted"):
// a wish or a bug, not how to work on it.
func ofProduct(low string) bool {
	if starts(low, " only the ", " only a ") {
		return true
	}
	if starts(low, " always ", " never ", " don't ", " do not ", " prefer ", " use ", " avoid ", " keep ", " make sure ", " remember ", " we ", " you ", " let's ") || has(low, " you should ", " we should ", " agents should ", " tests should ", " commits should ",
		" in this repo", " in this project", " in this codebase", " convention", " from now on", " going forward") {
		return false
	}
	return has(low, " should always ", " should never ", " should only ", " never loads", " never shows", " never works", " always shows", " is always ", " is never ", " are always ", " are never ")
}

// ofTask reports whether a sentence bounds one request, which is said again with the next request of its kind: that it only reads, or
// what it need not do.
func ofTask(low string) bool {
	return starts(low, " we don't need to ", " we do not need to ", " we don't have time", " we don't have a lot of time", " we don't have much time") ||
		starts(low, " do not ", " don't ") && len(strings.Fields(low)) <= 10 && has(low, " edit files", " edit any", " modify files", " modify any", " change files", " change any", " make changes", " make any changes", " write code", " edit or ")
}

// directive reports whether a sentence begins by telling what to do.
func directive(sentence string) bool {
	return starts(" "+strings.ToLower(strings.ReplaceAll(sentence, "’", "'"))+" ", " always ", " never ", " don't ", " do not ", " prefer ", " use ", " avoid ", " keep ", " make sure ", " please don't ", " no, don't ", " we don't ", " we use ")
}

func letterFirst(low string) bool {
	low = strings.TrimSpace(low)
	return low != "" && low[0] >= 'a' && low[0] <= 'z'
}

func starts(low string, heads ...string) bool {
	return slices.ContainsFunc(heads, func(h string) bool { return strings.HasPrefix(low, h) })
}

func has(low string, signs ...string) bool {
	return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(low, s) })
}

// refusals are commands that a person does not let the agent run.
func refusals(ses *folded) []Signal {
	var out []Signal
	for _, s := range ses.steps {
		if s.kind != Rejected || s.class != event.Shell || len(s.keys) == 0 {
			continue
		}
		key := s.keys[len(s.keys)-1]
		if trivial(key) || key == "find" || key == "rm" {
			continue
		}
		out = append(out, Signal{Detail: RefusedCommand{key}, Key: "refused\x00" + key, N: 1, Evidence: []int{s.n, s.ended}, Tainted: s.tainted})
	}
	return out
}

func sortedWords(s string) []string {
	return slices.Sorted(maps.Keys(bag(s)))
}

// pathsNear returns the file that a correction is about: one that it names, else the one
// that was edited when the call was refused.
func pathsNear(ses *folded, n int, text string) []string {
	low := strings.ToLower(text)
	for _, u := range ses.files() {
		base := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
		if len(base) > 4 && strings.Contains(low, strings.ToLower(base)) {
			return []string{u.Path}
		}
	}
	for _, s := range slices.Backward(ses.steps) {
		if s.ended == n && s.kind == Rejected && s.edits() && len(s.paths) == 1 {
			return s.paths
		}
	}
	return nil
}

// corrected are phrases with which an agent corrects itself.
func corrected() []string {
	return []string{"i was wrong", "my mistake", "that's not right", "i misunderstood", "i misread", "i incorrectly", "i assumed", "turns out", "i see the problem", "i see the issue", "actually, ", "i should have"}
}

// deadEnds are phrases for a failed approach.
func deadEnds() []string {
	return []string{"didn't work", "doesn't work", "won't work", "that approach", "different approach", "try another", "dead end", "reverting", "revert this", "not possible", "isn't supported", "not supported"}
}

// WeakSentences returns the sentences of an agent that correct itself or note a dead end,
// name code and give a reason. They are weak evidence: they count only
// right after a failed call.
func WeakSentences(text string) []string {
	var out []string
	if !strings.Contains(text, "`") || Injected(text) {
		return nil
	}
	for _, sentence := range sentences(text) {
		if weak, _ := weakRule(sentence); weak {
			out = append(out, sentence)
		}
	}
	return out
}

// weakRule rates one sentence. dead is set if it is about a dead end.
func weakRule(sentence string) (weak, dead bool) {
	low := strings.ToLower(sentence)
	dead = has(low, deadEnds()...)
	return (dead || has(low, corrected()...)) && strings.Contains(sentence, "`") && explains(low), dead
}

// selfCorrections are such sentences right after a failure or an undone edit, because
// without one they say little. They are compared only with the agent's own
// failures.
func selfCorrections(ses *folded) []Signal {
	failed := map[string][]int{}
	for _, s := range ses.steps {
		if s.done && !s.ok && s.kind.specific() && !(s.kind == CommandFailed && event.LineWeight(s.line) < 3) {
			failed[s.agent] = append(failed[s.agent], s.ended)
		}
	}
	var out []Signal
	type once struct {
		near  int
		agent string
		text  string
	}
	seen := map[once]bool{}
	for _, t := range ses.said {
		near := 0
		for _, n := range failed[t.agent] {
			if n <= t.n && t.n-n <= 4 {
				near = n
			}
		}
		if near == 0 {
			continue
		}
		for _, sentence := range sentences(t.text) {
			weak, dead := weakRule(sentence)
			id := once{near, t.agent, sentence}
			if !weak || seen[id] { // a hook and the transcript both report the last message of a turn
				continue
			}
			seen[id] = true
			out = append(out, Signal{Detail: Noted{sentence}, Key: strings.Join(sortedWords(sentence), " "), N: 1, Evidence: []int{near, t.n}, Tainted: t.taint, Acute: acuteCorrection, Rejected: dead})
		}
	}
	return out
}

func explains(low string) bool {
	for _, sign := range []string{"because", "since ", "needs ", "requires ", "only ", "instead", "doesn't ", "not ", "must ", "expects", "already"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}
