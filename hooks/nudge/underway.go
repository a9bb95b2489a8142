package nudge

import (
	"strings"

	"manicule/memory/work"
)

// Budgets of a unit of work, in quarters of a token as [charge] estimates them.
const (
	maxUnderWay  = 240
	maxWorkTitle = 96
)

// UnderWay tells a session of the unit of work under way: what it is a part of, and whether its acceptance is
// waited for.
func UnderWay(s work.Summary) string {
	text := "☞ Work under way, as data: " + workName(&s.Unit)
	if s.State == work.InReview {
		text += ", in review"
	}
	if why := Clean(s.Why); why != "" {
		text += " (" + cutCharge(why, maxWorkTitle/2) + ")"
	}
	sep := ", a part of "
	for i := range s.Around {
		name := workName(&s.Around[i])
		if charge(text)+charge(sep+name) > maxUnderWay {
			break
		}
		text, sep = text+sep+name, ", of "
	}
	if s.Waits() {
		return text + ". What is learned in it waits for its acceptance."
	}
	return text + "."
}

func workName(u *work.Unit) string {
	name := u.Kind + " " + u.ID
	if title := Clean(u.Title); title != "" {
		name += " “" + strings.TrimSpace(cutCharge(title, maxWorkTitle)) + "”"
	}
	return name
}
