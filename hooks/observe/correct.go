package observe

import (
	"slices"
	"strings"

	"manicule/hooks/event"
)

// Limits of what a person is quoted with, in characters.
const (
	minSaid   = 18
	maxSaid   = 220
	maxPrompt = 700 // what is longer is a plan or a paste, not a correction
)

// corrections are rules that a person gives while working with the agent, most
// of all where a call was refused or broken off before (ADE-LC-26). They are
// quoted, not reworded.
func (f *Fold) corrections() []Signal {
	var out []Signal
	add := func(n int, text string, strong, tainted bool) {
		for _, sentence := range sentences(text) {
			w := ruleWeight(sentence)
			if strong && w > 0 {
				w++
			}
			if w < 2 {
				continue
			}
			out = append(out, Signal{Kind: UserCorrection, Key: strings.Join(sortedWords(sentence), " "), A: sentence, N: 1, Evidence: []int{n}, Tainted: tainted, Acute: acuteCorrection,
				Paths: f.pathsNear(n, sentence)})
		}
	}
	for _, t := range f.turns {
		if len(t.text) > maxPrompt || strings.Contains(t.text, "```") || strings.Count(t.text, "\n") > 6 {
			continue
		}
		add(t.n, t.text, t.interrupted, false)
	}
	for _, s := range f.steps {
		if s.kind == Rejected && s.said != "" && len(s.said) <= maxPrompt {
			add(s.ended, s.said, true, false)
		}
	}
	return out
}

// sentences splits what a person typed.
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
			if n := len([]rune(s)); n >= minSaid && n <= maxSaid {
				out = append(out, s)
			}
		}
	}
	return out
}

// ruleWeight says how much a sentence reads like a rule for later sessions too:
// 2 and more is one, 0 is none.
func ruleWeight(sentence string) int {
	low := " " + strings.ToLower(strings.ReplaceAll(sentence, "’", "'")) + " "
	if strings.HasSuffix(strings.TrimSpace(low), "?") {
		return 0
	}
	w := 0
	for _, sign := range []string{" always ", " never ", " from now on", " going forward", " in general", " as a rule", " by default ", " every time ", " in the future", " for future"} {
		if strings.Contains(low, sign) {
			w += 2
			break
		}
	}
	for _, sign := range []string{" we don't ", " we do not ", " we use ", " we prefer ", " we want to keep ", " prefer ", " should not ", " shouldn't ", " must not ", " must ", " do not ", " don't use ", " don't add ",
		" don't commit ", " don't check ", " instead of ", " rather than ", " no need to ", " avoid ", " convention", " make sure ", " remember to ", " only use ", " stop using ", " please use "} {
		if strings.Contains(low, sign) {
			w++
		}
	}
	for _, sign := range []string{" this pr", " this commit", " last commit", " the commit", " this branch", " let's ", " right now", " for now", " this time", " i think ", " i'm ", " i am ", " maybe ",
		" can you ", " could you ", " not sure", " above ", " below ", " option ", " i'd ", " seems ", " looks like", " looks ", " i get ", " i got ", " i see ", " error:", " this test", " the plan", " claude ", " but still", " it was "} {
		if strings.Contains(low, sign) {
			w--
		}
	}
	return w
}

func sortedWords(s string) []string {
	var out []string
	for w := range bag(s) {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

// nearEvents is how far before a correction the work that it is about lies.
const nearEvents = 12

// pathsNear is the file that a correction is about: one that it names, else
// the one that was being edited when the call was refused.
func (f *Fold) pathsNear(n int, text string) []string {
	low := strings.ToLower(text)
	for _, u := range f.files() {
		base := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
		if len(base) > 4 && strings.Contains(low, strings.ToLower(base)) {
			return []string{u.Path}
		}
	}
	for _, s := range slices.Backward(f.steps) {
		if s.ended == n && s.kind == Rejected && (s.class == event.Edit || s.class == event.Create) && len(s.paths) == 1 {
			return s.paths
		}
	}
	return nil
}

// corrected are openings by which an agent takes back what it thought (V5-OBS-20).
func corrected() []string {
	return []string{"i was wrong", "my mistake", "that's not right", "i misunderstood", "i misread", "i incorrectly", "i assumed", "turns out", "i see the problem", "i see the issue", "actually, ", "i should have"}
}

// deadEnds are words for a way that leads nowhere (V5-OBS-21).
func deadEnds() []string {
	return []string{"didn't work", "doesn't work", "won't work", "that approach", "different approach", "try another", "dead end", "reverting", "revert this", "not possible", "isn't supported", "not supported"}
}

// selfCorrections are such words right after something has failed or was taken
// back: without that they say little (V5-OBS-11).
func (f *Fold) selfCorrections() []Signal {
	var failed []int
	for _, s := range f.steps {
		if s.done && !s.ok && s.kind.specific() && !(s.kind == CommandFailed && event.Weight(s.line) < 3) {
			failed = append(failed, s.ended)
		}
	}
	var out []Signal
	for _, t := range f.said {
		near := 0
		for _, n := range failed {
			if n <= t.n && t.n-n <= 4 {
				near = n
			}
		}
		if near == 0 {
			continue
		}
		for _, sentence := range sentences(t.text) {
			low := strings.ToLower(sentence)
			dead := slices.ContainsFunc(deadEnds(), func(p string) bool { return strings.Contains(low, p) })
			if !dead && !slices.ContainsFunc(corrected(), func(p string) bool { return strings.Contains(low, p) }) {
				continue
			}
			if !strings.Contains(sentence, "`") || !explains(low) { // names code, and says why
				continue
			}
			out = append(out, Signal{Kind: SelfCorrection, Key: strings.Join(sortedWords(sentence), " "), A: sentence, N: 1, Evidence: []int{near, t.n}, Tainted: f.taint, Acute: acuteCorrection, Rejected: dead})
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
