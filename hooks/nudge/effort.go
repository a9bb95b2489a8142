package nudge

import (
	"fmt"
	"strings"
	"time"

	"manicule/memory/episode"
	"manicule/memory/file"
)

// leastSessions is how many sessions it takes before what they usually cost is told.
const leastSessions = 5

// Effort tells a planner what work like the planned one took, and what sessions here usually take: the calibration of
// an estimate. "" if neither is known.
func Effort(like []episode.Episode, usual episode.Usual) string {
	var lines []string
	for i := range like {
		e := &like[i]
		line := fmt.Sprintf("- “%s”: %s, %s of work, %d calls", Cut(Clean(e.Task), maxBriefLine), e.Outcome, minutes(e.Active), e.Calls())
		if e.Outcome != episode.Success && len(e.Evidence) > 0 {
			line += " (" + Cut(Clean(e.Evidence[0]), maxWork) + ")"
		}
		lines = append(lines, line)
	}
	if usual.Sessions >= leastSessions {
		lines = append(lines, fmt.Sprintf("- sessions here that change code: %s of work and %d calls in the median of %d; one in ten takes over %s or %d calls",
			minutes(usual.Active.Median), usual.Calls.Median, usual.Sessions, minutes(usual.Active.P90), usual.Calls.P90))
	}
	if len(lines) == 0 {
		return ""
	}
	return "☞ What such work took, as data:\n" + strings.Join(lines, "\n")
}

// Scaled says what an estimate of some steps amounts to by what the items of lists took.
func Scaled(steps int, s episode.Scale) string {
	calls, minutes := s.Of(steps)
	of := "sessions"
	if s.Work != "" {
		of = "sessions of the kind “" + string(s.Work) + "”"
	}
	return fmt.Sprintf("- %d steps: %d calls, half of the time %d to %d, and %d min of work (%d %s that made a list)", steps, calls[1], calls[0], calls[2], minutes, s.Sessions, of)
}

// ScaledBy says what an estimate amounts to by a memory of what was reckoned and what it took.
func ScaledBy(steps int, m *file.Memory, d file.Details) string {
	unit := d.Unit
	if unit == "" {
		unit = "steps"
	}
	return fmt.Sprintf("- %d steps: %.0f %s, as %g took %g (“%s” [%s])", steps, float64(steps)*d.Actual/d.Estimated, Cut(Clean(unit), 20), d.Estimated, d.Actual, Cut(Clean(m.What), maxBriefLine), m.ShortID())
}

func minutes(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < time.Minute:
		return "under a minute"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
