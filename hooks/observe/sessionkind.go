package observe

import "manicule/hooks/observe/signal"

// SessionKind is the purpose of a session, as far as its events show it.
type SessionKind string

// The kinds of sessions with a cap.
const (
	buildSession     SessionKind = "build"
	insightsSession  SessionKind = "insights"
	roadmapSession   SessionKind = "roadmap"
	terminalSession  SessionKind = "terminal"
	changelogSession SessionKind = "changelog"
	specSession      SessionKind = "specification"
	reviewSession    SessionKind = "review"
)

// primary are the kinds of signals that a session of this kind is there to give: when not all candidates of a session
// can be kept, these come first. They are a judgement.
func (k SessionKind) primary() []signal.Kind {
	switch k {
	case buildSession:
		return []signal.Kind{signal.ErrorRetry, signal.CoAccess, signal.ToolSequence, signal.TestOrder, signal.ConfigTouch, signal.PageFault}
	case reviewSession:
		return []signal.Kind{signal.UserCorrection, signal.CoAccess, signal.ErrorRetry}
	case insightsSession:
		return []signal.Kind{signal.RepeatedSearch, signal.ReadAbandon, signal.ImportChase, signal.SelfCorrection, signal.Backtrack}
	case roadmapSession, specSession:
		return []signal.Kind{signal.UserCorrection, signal.ExternalRef, signal.FileAccess}
	case terminalSession:
		return []signal.Kind{signal.ErrorRetry, signal.TimeAnomaly, signal.TokenSpike}
	case changelogSession:
	}
	return nil
}

// Cap is the maximum number of candidates from a session of this kind. A
// build whose last check failed counts as an insights session.
func (k SessionKind) Cap() int {
	switch k {
	case buildSession:
		return 20
	case reviewSession:
		return 8
	case insightsSession:
		return 5
	case changelogSession:
		return 0
	}
	return 3
}
