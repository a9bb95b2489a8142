package feature

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/indexer/anchor"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
)

// sureEnough is the confidence from which on a person is not asked about a followed
// anchor: that of the same code in another place.
const sureEnough = 0.9

// Unsure says whether a person should look at where an anchor was followed to.
func Unsure(r anchor.Resolution) bool {
	return r.State == anchor.Followed && r.Confidence < sureEnough
}

// Doubtful says whether what is remembered may be wrong of the code as it is.
func Doubtful(r anchor.Resolution) bool {
	return r.State == anchor.Drifted || r.State == anchor.Stale || r.State == anchor.Orphaned
}

// stateText says what became of the code that a memory is about, "" when it is
// as it was.
func stateText(a anchor.Anchor, r anchor.Resolution) string {
	switch r.State {
	case anchor.Followed:
		return fmt.Sprintf("followed from %s, %.2f", RecordedPlace(a), r.Confidence)
	case anchor.Drifted, anchor.Stale:
		return "may be stale" + because(a, r)
	case anchor.Orphaned:
		return "its place is not found" + because(a, r)
	default:
		return ""
	}
}

// because is the reason of a state, and since when as far as the record says.
func because(a anchor.Anchor, r anchor.Resolution) string {
	if r.Reason == "" {
		return ""
	}
	s := ": " + r.Reason
	if r.State == anchor.Drifted && a.Commit != "" {
		s += " since " + a.Commit[:min(len(a.Commit), 7)]
	}
	return s
}

// RecordedPlace is where an anchor's record says it is.
func RecordedPlace(a anchor.Anchor) string {
	p := anchor.Place{Path: a.Path}
	if a.HasSymbol() {
		p.Symbol = a.Symbol
	} else if a.Kind == anchor.KindLines {
		p.Lines = a.Lines
	}
	return p.String()
}

// SuggestedPlace is where a lost anchor may be.
func SuggestedPlace(s *anchor.Suggestion) string {
	return anchor.Place{Path: s.Path, Symbol: s.Symbol}.String()
}

// whatToDo tells a person how to decide about a state, "" where there is nothing
// to decide.
func whatToDo(r anchor.Resolution) string {
	switch {
	case r.State == anchor.Orphaned && r.Suggestion != nil:
		return fmt.Sprintf("It may be %s now, %.2f: take the code action “follow”, or anchor it elsewhere.", SuggestedPlace(r.Suggestion), r.Suggestion.Confidence)
	case r.State == anchor.Orphaned:
		return "Take a code action: anchor it where its code is, detach it to the file, or archive it."
	case Doubtful(r):
		return "Does it still hold? Take a code action: still true, detach or archive; or edit it."
	case Unsure(r):
		return "Is this the code? Take a code action: still true, or detach."
	default:
		return ""
	}
}

// Concern is how much a state asks of a person; those of one concern share a
// diagnostic.
type Concern string

const (
	noConcern    Concern = ""
	staleMark    Concern = "stale"
	orphanedMark Concern = "orphaned"
	driftedMark  Concern = "drifted"
	followedMark Concern = "followed"
)

func ConcernOf(r anchor.Resolution) Concern {
	switch {
	case r.State == anchor.Orphaned:
		return orphanedMark
	case r.State == anchor.Stale:
		return staleMark
	case r.State == anchor.Drifted:
		return driftedMark
	case Unsure(r):
		return followedMark
	default:
		return noConcern
	}
}

// severityOf returns the severity of a concern, false where it is turned off.
func severityOf(s *settings.Settings, c Concern) (protocol.DiagnosticSeverity, bool) {
	name := s.DriftedSeverity
	switch c {
	case noConcern:
		return 0, false
	case staleMark, orphanedMark:
		name = s.StaleSeverity
	}
	severity, ok := settings.Severities()[name]
	return severity, ok && s.Diagnostics
}

// concernText says what is the matter with memories that share a place and a
// concern. It has nothing of their text: agents read diagnostics too.
func concernText(marks []page.Mark) string {
	first := marks[0]
	n := len(marks)
	what := kindsOf(marks)
	switch ConcernOf(first.Resolution) {
	case orphanedMark:
		return fmt.Sprintf("%s %s lost %s place in this file%s", what, verb(n, "has", "have"), verb(n, "its", "their"), because(first.Anchor, first.Resolution))
	case followedMark:
		return fmt.Sprintf("%s %s followed here from %s, %.2f: accept it or anchor it elsewhere", what, verb(n, "was", "were"), RecordedPlace(first.Anchor), first.Resolution.Confidence)
	default:
		return what + " here may be stale" + because(first.Anchor, first.Resolution)
	}
}

// kindsOf counts memories: "2 decisions", or "3 memories" where they differ.
func kindsOf(marks []page.Mark) string {
	label := marks[0].Hit.Memory.Type.Label()
	for _, m := range marks[1:] {
		if m.Hit.Memory.Type.Label() != label {
			return render.Memories(len(marks))
		}
	}
	return render.Plural(len(marks), strings.ToLower(label))
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
