package detect

import (
	"slices"
	"strings"

	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
	"manicule/hooks/observe/wording"
)

// Corrections are rules that a person gives while working with the agent, above all after
// a refused or interrupted call. They are quoted, not reworded, with the
// sentences that belong to them. A sentence worded as a rule counts at once. One that may
// be about the current task counts only when it is repeated in another session.
func Corrections(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	add := func(n int, text string, strong, tainted bool) {
		for _, r := range wording.RulesIn(text, strong) {
			said := strings.Join(r.Sentences, " ")
			s := signal.Signal{Detail: signal.Instruction{Text: said}, Key: strings.Join(wording.SortedWords(r.Rule), " "), N: 1, Evidence: []int{n}, Tainted: tainted, Paths: pathsNear(ses, n, said)}
			if slices.ContainsFunc(r.Sentences, wording.General) {
				s.Acute = acuteCorrection
			}
			out = append(out, s)
		}
	}
	for _, t := range ses.Turns {
		if len(t.Text) > wording.MaxPrompt || strings.HasPrefix(t.Text, "<") || strings.HasPrefix(t.Text, "You are ") || pressed(t.Text) || strings.Contains(t.Text, "```") || strings.Count(t.Text, "\n") > 6 {
			continue
		}
		add(t.N, t.Text, t.Interrupted, t.Tainted) // it may be pasted from there
	}
	for _, s := range ses.Steps {
		if s.Kind == fold.Rejected && s.Said != "" && len(s.Said) <= wording.MaxPrompt {
			add(s.Ended, s.Said, true, s.Tainted)
		}
	}
	return out
}

// pressed reports whether a request is what a button of the agent writes ("Build", in Cursor): what it forbids is no person's rule.
func pressed(text string) bool { return strings.HasPrefix(text, "Implement the plan as specified, ") }

// pathsNear returns the file that a correction is about: one that it names, else the one
// that was edited when the call was refused.
func pathsNear(ses *fold.Session, n int, text string) []string {
	low := strings.ToLower(text)
	for _, u := range ses.Files() {
		base := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
		if len(base) > 4 && strings.Contains(low, strings.ToLower(base)) {
			return []string{u.Path}
		}
	}
	for _, s := range slices.Backward(ses.Steps) {
		if s.Ended == n && s.Kind == fold.Rejected && s.Edits() && len(s.Paths) == 1 {
			return s.Paths
		}
	}
	return nil
}
