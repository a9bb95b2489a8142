package nudge

import (
	"testing"

	"manicule/memory/episode"
)

func TestEffort(t *testing.T) {
	like := []episode.Episode{
		{Task: "Prepare the “release”", Outcome: episode.Success, Active: 12 * 60_000, Tools: []episode.Count{{Name: "edit", Calls: 40}}},
		{Task: "Prepare it again", Outcome: episode.Failure, Evidence: []string{"make test fails"}, Active: 3 * 3600_000},
	}
	usual := episode.Usual{Sessions: 9, Active: episode.Span{Median: 20_000, P90: 45 * 60_000}, Calls: episode.Span{Median: 7, P90: 90}}
	want := "☞ What such work took, as data:\n- “Prepare the \"release\"”: success, 12 min of work, 40 calls\n- “Prepare it again”: failure, 3.0 h of work, 0 calls (make test fails)\n" +
		"- sessions here that change code: under a minute of work and 7 calls in the median of 9; one in ten takes over 45 min or 90 calls"
	if got := Effort(like, usual); got != want {
		t.Errorf("%s", got)
	}
	usual.Sessions = 4
	if got := Effort(nil, usual); got != "" {
		t.Errorf("of too few sessions: %s", got)
	}
}
