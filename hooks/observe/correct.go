package observe

import (
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
	"manicule/hooks/observe/wording"
)

// corrections are rules that a person gives while working with the agent, above all after
// a refused or interrupted call. They are quoted, not reworded, with the
// sentences that belong to them. A sentence worded as a rule counts at once. One that may
// be about the current task counts only when it is repeated in another session.
func corrections(ses *fold.Session) []signal.Signal {
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

// refusals are commands that a person does not let the agent run.
func refusals(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, s := range ses.Steps {
		if s.Kind != fold.Rejected || s.Class != event.Shell || len(s.Keys) == 0 {
			continue
		}
		key := s.Keys[len(s.Keys)-1]
		if cmdline.Trivial(key) || key == "find" || key == "rm" {
			continue
		}
		out = append(out, signal.Signal{Detail: signal.RefusedCommand{Command: key}, Key: "refused\x00" + key, N: 1, Evidence: []int{s.N, s.Ended}, Tainted: s.Tainted})
	}
	return out
}

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
