package event

import "strings"

// Ask is what a call shows a person, who decides how the work goes on.
type Ask string

// What is shown. The Query of such a call is the plan's title, or the question.
const (
	AsksPlan     Ask = "plan"
	AsksQuestion Ask = "question"
)

// AskOf returns what a tool shows the person, "" for another tool.
func AskOf(tool string) Ask {
	switch plain(tool) {
	case "exitplanmode", "planexit":
		return AsksPlan
	case "askuserquestion", "askuser", "askquestion", "vscodeaskquestions", "requestuserinput", "question":
		return AsksQuestion
	}
	return ""
}

// askQuery returns what a call shows, in a line.
func askQuery(ask Ask, input Value) string {
	if ask == AsksPlan {
		return PlanTitle(input.Str("plan"))
	}
	for _, q := range input.Get("questions").Items() {
		if text := inLine(q.Str("question", "prompt", "header")); text != "" {
			return text
		}
	}
	return inLine(input.Str("question", "prompt"))
}

// PlanTitle returns the first line of a plan that says something, without what only says that it is a plan.
func PlanTitle(plan string) string {
	for line := range strings.Lines(plan) {
		line = strings.Trim(inLine(line), "#*: ")
		for _, head := range []string{"Implementation Plan", "Plan"} {
			rest, ok := strings.CutPrefix(line, head)
			if said := strings.TrimLeft(rest, ":—– "); ok && (said != rest && !strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, " —") || strings.HasPrefix(rest, " –") || rest == "") {
				line = said
			}
		}
		if line != "" {
			return line
		}
	}
	return ""
}
