package detect

import (
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
	"manicule/hooks/observe/wording"
)

// selfCorrections are such sentences right after a failure or an undone edit, because
// without one they say little. They are compared only with the agent's own
// failures.
func selfCorrections(ses *fold.Session) []signal.Signal {
	failed := map[string][]int{}
	for _, s := range ses.Steps {
		if s.Done && !s.OK && s.Kind.Specific() && !(s.Kind == fold.CommandFailed && event.LineWeight(s.Line) < 3) {
			failed[s.Agent] = append(failed[s.Agent], s.Ended)
		}
	}
	var out []signal.Signal
	type once struct {
		near  int
		agent string
		text  string
	}
	seen := map[once]bool{}
	for _, t := range ses.Said {
		near := 0
		for _, n := range failed[t.Agent] {
			if n <= t.N && t.N-n <= 4 {
				near = n
			}
		}
		if near == 0 {
			continue
		}
		for _, sentence := range wording.Sentences(t.Text) {
			weak, dead := wording.WeakRule(sentence)
			id := once{near, t.Agent, sentence}
			if !weak || seen[id] { // a hook and the transcript both report the last message of a turn
				continue
			}
			seen[id] = true
			out = append(out, signal.Signal{Detail: signal.Noted{Text: sentence}, Key: strings.Join(wording.SortedWords(sentence), " "), N: 1, Evidence: []int{near, t.N}, Tainted: t.Tainted, Acute: acuteCorrection, Rejected: dead})
		}
	}
	return out
}
