package episode

import (
	"slices"
	"strings"
)

// Limits of what counts as the same way of working.
const (
	sameWords = 0.6 // share of a procedure's words that a task has
	sameSteps = 0.5 // share of a procedure's steps that a session took
	nearSteps = 0.6 // share of the steps of two procedures that both have
)

// Confidence is the share of sessions in which a procedure works, one success and one failure added (the
// rule of succession).
func Confidence(successes, failures int) float64 {
	return float64(successes+1) / float64(successes+failures+2)
}

// Sustained reports whether a procedure has worked so often that it can be offered as a skill.
func Sustained(successes, failures int) bool {
	return successes >= 4 && Confidence(successes, failures) >= 0.75
}

// Used reports whether a session went the way of a procedure: its task has most of the words, and it took half of
// the steps.
func (p Procedure) Used(e Episode) bool {
	if e.Fallback || len(p.Words) == 0 || len(p.Steps) == 0 {
		return false
	}
	return share(p.Words, Words(e.Task)) >= sameWords && share(p.ids(), stepIDs(e)) >= sameSteps
}

// Near reports whether two procedures are about the same.
func (p Procedure) Near(q Procedure) bool {
	a, b := p.ids(), q.ids()
	return p.Key == q.Key || share(a, b) >= nearSteps && share(b, a) >= nearSteps
}

// CoveredBy reports whether a text, the description of a skill, says what the procedure is for.
func (p Procedure) CoveredBy(text string) bool {
	return len(p.Words) > 0 && share(p.Words, Words(text)) >= sameWords
}

func (p Procedure) ids() []string {
	var out []string
	for _, s := range p.Steps {
		out = append(out, s.ID)
	}
	return out
}

func stepIDs(e Episode) []string {
	var out []string
	for _, s := range e.Approach {
		if id := stepID(s); id != "" {
			out = append(out, id)
		}
	}
	return out
}

// share is the share of the elements of a that b has.
func share(a, b []string) float64 {
	if len(a) == 0 {
		return 0
	}
	n := 0
	for _, x := range a {
		if slices.Contains(b, x) {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// Text says a procedure in one sentence of at most about 300 characters.
func (p Procedure) Text() string {
	out := "“" + p.Trigger + "”:"
	for i, s := range p.Steps {
		next := " " + string(rune('1'+i)) + ") " + s.Line()
		if len(out)+len(next) > 300 && i > 1 {
			return out + " …"
		}
		out += next
	}
	return out
}

// Line is a step as a sentence.
func (s ProcedureStep) Line() string {
	what := "`" + strings.ReplaceAll(s.What, "`", "'") + "`"
	switch s.Act {
	case Run:
		return "Run " + what + "."
	case Create:
		return "Write " + strings.ReplaceAll(what, "#", "N") + " (`N` is a number)."
	default:
		return "Edit " + what + "."
	}
}
