package episode

import (
	"fmt"
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
	if p.On != "" {
		return !e.Fallback && p.went(e)
	}
	if e.Fallback || len(p.Words) == 0 || len(p.Steps) == 0 {
		return false
	}
	return share(p.Words, Words(e.Task)) >= sameWords && share(p.ids(), stepIDs(e)) >= sameSteps
}

// went reports whether a session did what begins a recipe of commits, and changed half of its other places.
func (p Procedure) went(e Episode) bool {
	changed := func(s ProcedureStep) bool {
		return slices.ContainsFunc(e.Approach, func(x Step) bool {
			return (x.Act == Create || x.Act == Edit && s.Act == Edit) && !x.Tainted && Matches(s.What, x.What)
		})
	}
	began, took, of := false, 0, 0
	for _, s := range p.Steps {
		switch {
		case s.Act == Run:
		case s.What == p.On:
			began = changed(s)
		case s.Made: // by a command, which tells no file
		default:
			of++
			if changed(s) {
				took++
			}
		}
	}
	return began && 2*took >= of
}

// Matches reports whether a path is one of a pattern with at most one star, which stands for no slash.
func Matches(pattern, file string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == file
	}
	return len(file) > len(before)+len(after) && strings.HasPrefix(file, before) && strings.HasSuffix(file, after) &&
		!strings.Contains(file[len(before):len(file)-len(after)], "/")
}

// Near reports whether two procedures are about the same.
func (p Procedure) Near(q Procedure) bool {
	a, b := p.ids(), q.ids()
	return p.Key == q.Key || p.On != "" && p.On == q.On || share(a, b) >= nearSteps && share(b, a) >= nearSteps
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
	if p.On != "" {
		out = p.Trigger + ":"
	}
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
	if s.Of > 0 {
		return s.lineOf(strings.ReplaceAll(what, "*", "NAME"))
	}
	switch s.Act {
	case Run:
		return "Run " + what + "."
	case Create:
		return "Write " + strings.ReplaceAll(what, "#", "N") + " (`N` is a number)."
	default:
		return "Edit " + what + "."
	}
}

// lineOf is a step that commits show, as a sentence.
func (s ProcedureStep) lineOf(what string) string {
	times := fmt.Sprintf(" (%d of %d)", s.In, s.Of)
	if s.In == s.Of {
		times = ""
	}
	switch {
	case s.Act == Run:
		return "Run " + what + times + "."
	case s.Act == Create:
		return "Add " + what + times + "."
	case s.Made:
		return "Generate " + what + " again" + times + "."
	}
	return "Edit " + what + times + "."
}
