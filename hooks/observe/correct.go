package observe

import (
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/wording"
)

// corrections are rules that a person gives while working with the agent, above all after
// a refused or interrupted call. They are quoted, not reworded, with the
// sentences that belong to them. A sentence worded as a rule counts at once. One that may
// be about the current task counts only when it is repeated in another session.
func corrections(ses *folded) []Signal {
	var out []Signal
	add := func(n int, text string, strong, tainted bool) {
		for _, r := range wording.RulesIn(text, strong) {
			said := strings.Join(r.Sentences, " ")
			s := Signal{Detail: Instruction{said}, Key: strings.Join(wording.SortedWords(r.Rule), " "), N: 1, Evidence: []int{n}, Tainted: tainted, Paths: pathsNear(ses, n, said)}
			if slices.ContainsFunc(r.Sentences, wording.General) {
				s.Acute = acuteCorrection
			}
			out = append(out, s)
		}
	}
	for _, t := range ses.turns {
		if len(t.text) > wording.MaxPrompt || strings.HasPrefix(t.text, "<") || strings.HasPrefix(t.text, "You are ") || pressed(t.text) || strings.Contains(t.text, "```") || strings.Count(t.text, "\n") > 6 {
			continue
		}
		add(t.n, t.text, t.interrupted, t.tainted) // it may be pasted from there
	}
	for _, s := range ses.steps {
		if s.kind == Rejected && s.said != "" && len(s.said) <= wording.MaxPrompt {
			add(s.ended, s.said, true, s.tainted)
		}
	}
	return out
}

// pressed reports whether a request is what a button of the agent writes ("Build", in Cursor): what it forbids is no person's rule.
func pressed(text string) bool { return strings.HasPrefix(text, "Implement the plan as specified, ") }

// refusals are commands that a person does not let the agent run.
func refusals(ses *folded) []Signal {
	var out []Signal
	for _, s := range ses.steps {
		if s.kind != Rejected || s.class != event.Shell || len(s.keys) == 0 {
			continue
		}
		key := s.keys[len(s.keys)-1]
		if cmdline.Trivial(key) || key == "find" || key == "rm" {
			continue
		}
		out = append(out, Signal{Detail: RefusedCommand{key}, Key: "refused\x00" + key, N: 1, Evidence: []int{s.n, s.ended}, Tainted: s.tainted})
	}
	return out
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
		for _, sentence := range wording.Sentences(t.text) {
			weak, dead := wording.WeakRule(sentence)
			id := once{near, t.agent, sentence}
			if !weak || seen[id] { // a hook and the transcript both report the last message of a turn
				continue
			}
			seen[id] = true
			out = append(out, Signal{Detail: Noted{sentence}, Key: strings.Join(wording.SortedWords(sentence), " "), N: 1, Evidence: []int{near, t.n}, Tainted: t.taint, Acute: acuteCorrection, Rejected: dead})
		}
	}
	return out
}
