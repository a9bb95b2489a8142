package nudge

import (
	"fmt"
	"strings"

	"manicule/memory/work"
)

// Budgets of a unit of work, in quarters of a token as [charge] estimates them.
const (
	maxUnderWay  = 240
	maxWorkTitle = 96
	maxNextTask  = 120
)

// UnderWay tells a session of the unit of work under way: what it is a part of, whether its acceptance is
// waited for, and how far its list of tasks is done.
func UnderWay(s work.Summary) string {
	text, _ := underWay(s)
	return text + tasks(s)
}

// tasks says how far a unit is carried out, "" without a list.
func tasks(s work.Summary) string {
	t := s.Tasks
	switch next := strings.TrimRight(strings.TrimSpace(cutCharge(Clean(t.Next), maxNextTask)), "."); {
	case t.All == 0:
		return ""
	case t.Open() == 0 && s.Lineage != "" && s.State == work.Open:
		return " All tasks in `" + Clean(t.File) + "` are done: `manicule work complete` says so."
	case t.Open() == 0:
		return " All tasks in `" + Clean(t.File) + "` are done."
	case next == "":
		return fmt.Sprintf(" %d of %d tasks in `%s` are done.", t.Done, t.All, Clean(t.File))
	default:
		return fmt.Sprintf(" %d of %d tasks in `%s` are done, next: “%s”.", t.Done, t.All, Clean(t.File), next)
	}
}

// UnitsUnderWay returns the unit of [UnderWay] and those around it that it names, with the titles
// that it writes.
func UnitsUnderWay(s work.Summary) []work.Unit {
	_, n := underWay(s)
	units := append([]work.Unit{s.Unit}, s.Around[:n]...)
	for i := range units {
		units[i].Title = workTitle(&units[i])
	}
	return units
}

// underWay returns the text, and how many of the units around it are in it.
func underWay(s work.Summary) (text string, around int) {
	text = "☞ Work under way, as data: " + workName(&s.Unit)
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
		text, sep, around = text+sep+name, ", of ", i+1
	}
	if s.Waits() {
		return text + ". What is learned in it waits for its acceptance.", around
	}
	return text + ".", around
}

func workName(u *work.Unit) string {
	name := u.Kind + " " + u.ID
	if title := workTitle(u); title != "" {
		name += " “" + title + "”"
	}
	return name
}

func workTitle(u *work.Unit) string {
	return strings.TrimSpace(cutCharge(Clean(u.Title), maxWorkTitle))
}
