package feature

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
)

// minSureConfidence is the confidence from which a followed anchor needs no
// confirmation: that of the same code in another place.
const minSureConfidence = 0.9

// Unsure reports whether a person should confirm where an anchor was followed to.
func Unsure(r anchoring.Resolution) bool {
	return r.State == anchor.Followed && r.Confidence < minSureConfidence
}

// Doubtful reports whether the memory may no longer fit the code.
func Doubtful(r anchoring.Resolution) bool {
	return r.State == anchor.Drifted || r.State == anchor.Stale || r.State == anchor.Orphaned
}

// stateText says what happened to the code of a memory, "" if nothing did.
func stateText(a anchor.Anchor, r anchoring.Resolution) string {
	switch r.State {
	case anchor.Followed:
		return fmt.Sprintf("followed from %s, %.2f", RecordedPlace(a), r.Confidence)
	case anchor.Drifted, anchor.Stale:
		return "may be stale" + reasonText(a, r)
	case anchor.Orphaned:
		return "its place is not found" + reasonText(a, r)
	default:
		return ""
	}
}

// maxReason and maxPlace bound what is said of a state and of a place, in characters.
const (
	maxReason = 300
	maxPlace  = 400
)

// reasonText returns the reason of a state, and since when, if the record says so.
func reasonText(a anchor.Anchor, r anchoring.Resolution) string {
	if r.Reason == "" {
		return ""
	}
	s := ": " + render.OneLine(r.Reason, maxReason) // it names what the memory's file names
	if r.State == anchor.Drifted && a.Commit != "" {
		s += " since " + a.Commit[:min(len(a.Commit), 7)]
	}
	return s
}

// RecordedPlace names the place in an anchor's record.
func RecordedPlace(a anchor.Anchor) string {
	p := anchor.Place{Path: a.Path}
	if a.HasSymbol() {
		p.Symbol = a.Symbol
	} else if a.Kind == anchor.KindLines {
		p.Lines = a.Lines
	}
	return render.OneLine(p.String(), maxPlace)
}

// SuggestedPlace names where the code of a lost anchor may be now.
func SuggestedPlace(s *anchoring.Suggestion) string {
	return render.OneLine(anchor.Place{Path: s.Path, Symbol: s.Symbol}.String(), maxPlace)
}

// stateAdvice tells a person what they can do about a state, "" for nothing.
func stateAdvice(r anchoring.Resolution) string {
	switch {
	case r.State == anchor.Orphaned && r.Suggestion != nil:
		return fmt.Sprintf("It may be %s now, %.2f: take the code action “follow”, or anchor it elsewhere.", SuggestedPlace(r.Suggestion), r.Suggestion.Confidence)
	case r.State == anchor.Orphaned:
		return "Take a code action: anchor it where its code is, detach it to the file, or forget it."
	case Doubtful(r):
		return "Does it still hold? Take a code action: still true, detach or forget; or edit it."
	case Unsure(r):
		return "Is this the code? Take a code action: still true, or detach."
	default:
		return ""
	}
}

// Concern is how much attention a state needs. Anchors of one concern share a
// diagnostic.
type Concern string

const (
	noConcern    Concern = ""
	staleMark    Concern = "stale"
	orphanedMark Concern = "orphaned"
	driftedMark  Concern = "drifted"
	followedMark Concern = "followed"
)

// ConcernOf returns the concern of a resolution.
func ConcernOf(r anchoring.Resolution) Concern {
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

// severityOf returns the severity of a concern, false if it is turned off.
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

// concernText describes the problem of memories that share a place and a concern. It
// repeats none of their text, because agents read diagnostics, too.
func concernText(marks []page.Mark) string {
	first := marks[0]
	n := len(marks)
	what := kindsOf(marks)
	switch ConcernOf(first.Resolution) {
	case orphanedMark:
		return fmt.Sprintf("%s %s lost %s place in this file%s", what, verb(n, "has", "have"), verb(n, "its", "their"), reasonText(first.Anchor, first.Resolution))
	case followedMark:
		return fmt.Sprintf("%s %s followed here from %s, %.2f: accept it or anchor it elsewhere", what, verb(n, "was", "were"), RecordedPlace(first.Anchor), first.Resolution.Confidence)
	default:
		return what + " here may be stale" + reasonText(first.Anchor, first.Resolution)
	}
}

// kindsOf counts memories: "2 decisions", or "3 memories" of different types.
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
