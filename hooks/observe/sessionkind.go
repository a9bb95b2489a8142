package observe

import "manicule/hooks/observe/signal"

// SessionKind is the purpose of a session, as far as its events show it.
type SessionKind string

// The kinds of sessions with a cap.
const (
	BuildSession     SessionKind = "build"
	InsightsSession  SessionKind = "insights"
	RoadmapSession   SessionKind = "roadmap"
	TerminalSession  SessionKind = "terminal"
	ChangelogSession SessionKind = "changelog"
	SpecSession      SessionKind = "specification"
	ReviewSession    SessionKind = "review"
)

// Primary are the kinds of signals that a session of this kind is there to give: when not all candidates of a session
// can be kept, these come first. They are a judgement.
func (k SessionKind) Primary() []signal.Kind {
	switch k {
	case BuildSession:
		return []signal.Kind{signal.ErrorRetry, signal.CoAccess, signal.ToolSequence, signal.TestOrder, signal.ConfigTouch, signal.PageFault}
	case ReviewSession:
		return []signal.Kind{signal.UserCorrection, signal.CoAccess, signal.ErrorRetry}
	case InsightsSession:
		return []signal.Kind{signal.RepeatedSearch, signal.ReadAbandon, signal.ImportChase, signal.SelfCorrection, signal.Backtrack}
	case RoadmapSession, SpecSession:
		return []signal.Kind{signal.UserCorrection, signal.ExternalRef, signal.FileAccess}
	case TerminalSession:
		return []signal.Kind{signal.ErrorRetry, signal.TimeAnomaly, signal.TokenSpike}
	case ChangelogSession:
	}
	return nil
}

// Cap is the maximum number of candidates from a session of this kind. A
// build whose last check failed counts as an insights session.
func (k SessionKind) Cap() int {
	switch k {
	case BuildSession:
		return 20
	case ReviewSession:
		return 8
	case InsightsSession:
		return 5
	case ChangelogSession:
		return 0
	}
	return 3
}
