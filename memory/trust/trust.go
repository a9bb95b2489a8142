// Package trust owns the trust levels of a repository: how sure a memory must be to be shown to
// agents unasked, what a person is asked about new ones, and when another level is offered. It is
// pure: values in, values out. It must not know databases, settings or editors.
package trust

import "fmt"

// The levels. A person starts at Usual.
const (
	Careful    = 1 // each new memory is confirmed
	Usual      = 2 // what a session taught is confirmed together
	Relaxed    = 3 // only what needs a look is shown
	Autonomous = 4 // nothing is asked
)

// Asks is what a person is asked when a session has taught something.
type Asks string

// The ways to ask, by level.
const (
	Each   Asks = "each"   // one by one
	All    Asks = "all"    // together, with one answer for all that needs no closer look
	Needed Asks = "needed" // only about those that need a look
	None   Asks = "none"
)

// AsksAt returns what is asked at a level. A level out of range is the nearest one.
func AsksAt(level int) Asks {
	return [...]Asks{Each, All, Needed, None}[clamp(level)-1]
}

// Least returns the least confidence of a memory that is shown unasked.
func Least(level int) float64 {
	return [...]float64{.80, .65, .55, .45}[clamp(level)-1]
}

// ShowsUnreviewed reports whether unreviewed memories from outside are shown unasked, marked as such.
func ShowsUnreviewed(level int) bool { return level >= Relaxed }

// About says in one sentence what a level means.
func About(level int) string {
	return [...]string{
		"Each new memory is confirmed by itself.",
		"What a session taught is confirmed together.",
		"Only what needs a look is asked about; unreviewed memories are shown, marked as such.",
		"Nothing is asked; what waits stays in the review queue.",
	}[clamp(level)-1]
}

func clamp(level int) int { return min(max(level, Careful), Autonomous) }

// Evidence is what happened in a repository since its level was set, or since a person answered
// that it stays.
type Evidence struct {
	Sessions int `json:"sessions"` // of agents
	Accepted int `json:"accepted"` // drafts
	Rejected int `json:"rejected"`
	Shown    int `json:"shown"` // different memories that agents were told
	Wrong    int `json:"wrong"` // memories that a person disputed or corrected
}

// Offer is another level, which a person may take.
type Offer struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Why  string `json:"why"`
}

// When a level is offered. Their source is the constants of the design.
const (
	sessionsAtCareful = 3
	decidedAtCareful  = 3 // drafts; fewer say nothing
	sessionsAtUsual   = 10
	wrongPerShown     = .05
	wrongPerStepBack  = 3
)

// Higher returns the next level if the evidence speaks for it. Autonomous is never offered: it is by
// choice only.
func Higher(level int, e Evidence) (o Offer, ok bool) {
	o = Offer{From: level, To: level + 1}
	decided := e.Accepted + e.Rejected
	switch level {
	case Careful:
		o.Why = fmt.Sprintf("%d of %d drafts were accepted in %d sessions", e.Accepted, decided, e.Sessions)
		ok = e.Sessions >= sessionsAtCareful && decided >= decidedAtCareful && 2*e.Accepted >= decided
	case Usual:
		o.Why = fmt.Sprintf("%d of %d memories that agents were told in %d sessions were called wrong", e.Wrong, e.Shown, e.Sessions)
		ok = e.Sessions >= sessionsAtUsual && e.Shown > 0 && float64(e.Wrong) < wrongPerShown*float64(e.Shown)
	}
	if !ok {
		return Offer{}, false
	}
	return o, true
}

// Lower returns the level below if a person has called enough memories wrong in one sitting. It is
// offered after every third.
func Lower(level, wrong int) (Offer, bool) {
	if level <= Careful || wrong == 0 || wrong%wrongPerStepBack != 0 {
		return Offer{}, false
	}
	return Offer{From: level, To: level - 1, Why: fmt.Sprintf("you have called %d memories wrong", wrong)}, true
}

// Missing says what is still missing for the next level, "" if there is none that is offered.
func Missing(level int, e Evidence) string {
	switch level {
	case Careful:
		return fmt.Sprintf("level %d is offered after %d sessions (%d so far) if half of at least %d decided drafts were accepted (%d of %d)",
			Usual, sessionsAtCareful, e.Sessions, decidedAtCareful, e.Accepted, e.Accepted+e.Rejected)
	case Usual:
		return fmt.Sprintf("level %d is offered after %d sessions (%d so far) if fewer than %.0f %% of the memories that agents were told were called wrong (%d told, %d called wrong)",
			Relaxed, sessionsAtUsual, e.Sessions, 100*wrongPerShown, e.Shown, e.Wrong)
	}
	return ""
}
