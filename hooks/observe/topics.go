package observe

import (
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/fold"
)

// topic is a request that says something by itself, and what was done for it: until the next one, as what is said between only
// corrects it, agrees to it or has it go on.
type topic struct {
	text  string
	asks  bool // it asks for something, in words that are known
	edits int
	runs  int // commands
	looks int
}

// weight is how much work a topic was: an edit says more than a command, and that more than a look.
func (t topic) weight() float64 { return 3*float64(t.edits) + float64(t.runs) + float64(t.looks)/3 }

// When a later request is what a session was for: hardly anything was done for the first one, and the later one is most of the work.
const (
	lightWeight = 3
	mainWeight  = 12
	maxFirst    = 70 // runes of the first one that its task keeps
	maxMain     = 90
)

// topics are the requests of a session in order, each with the work that follows it.
func topics(ses *fold.Session) []topic {
	var out []topic
	at := make([]int, len(ses.Turns)) // of each turn, the topic that it belongs to
	for i, t := range ses.Turns {
		text := asking.Task(t.Text)
		switch {
		case text == "", asking.Complains(t.Text) && len(out) > 0:
		case asking.Routine(text):
			at[i] = -1
			continue
		default:
			out = append(out, topic{text: text, asks: asking.Requests(text) || asking.Faulty().MatchString(text) || asking.Unspaced(text) >= asking.MinUnspaced || len(asking.Words(text)) >= minTold})
		}
		at[i] = len(out) - 1
	}
	turn := -1
	for _, s := range ses.Steps {
		for turn+1 < len(ses.Turns) && ses.Turns[turn+1].N < s.N {
			turn++
		}
		if turn < 0 || at[turn] < 0 || s.Done && !s.OK {
			continue
		}
		t := &out[at[turn]]
		switch s.Class {
		case event.Edit, event.Create:
			if len(s.Paths) > 0 {
				t.edits++
			}
		case event.Shell:
			t.runs++
		default:
			t.looks++
		}
	}
	return out
}

// minTold is the number of telling words with which a text in any language may be a request.
const minTold = 8

// mainTopic returns the later request for which most of the work was done, if the first one only led to it or was about something
// else; "" if it did not.
func mainTopic(ses *fold.Session) string {
	list := topics(ses)
	if len(list) < 2 || list[0].edits > 0 || list[0].weight() > lightWeight {
		return ""
	}
	best := topic{}
	for _, t := range list[1:] {
		if t.weight() > best.weight() && t.asks {
			best = t
		}
	}
	if best.edits == 0 || best.weight() < mainWeight || slices.ContainsFunc(asking.Words(best.text), func(w string) bool { return slices.Contains(asking.Words(list[0].text), w) }) {
		return ""
	}
	return best.text
}
