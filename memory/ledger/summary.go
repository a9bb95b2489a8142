package ledger

import (
	"context"
	"fmt"
	"strings"
	"time"

	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/store"
)

// Summary sums up the outcomes of a memory's showings. Several showings in a conversation are
// judged once: the verdicts sum to Shown minus Repeats.
type Summary struct {
	Shown      int `json:"shown"` // to agents
	Followed   int `json:"followed"`
	Overridden int `json:"overridden"`
	Ignored    int `json:"ignored"`
	Unknown    int `json:"unknown"`
	Open       int `json:"open"`    // in running sessions
	Repeats    int `json:"repeats"` // repetitions in the same conversation
	ToPeople   int `json:"to_people"`
	Tokens     int `json:"tokens"` // of its text, in agents' contexts
	// Worked and Failed count the sessions that followed it by what came of that; the rest shows neither.
	Worked int `json:"worked"`
	Failed int `json:"failed"`
	// Last, LastAgent and LastSurface describe the newest showing to an agent.
	Last        time.Time `json:"last,omitzero"`
	LastAgent   string    `json:"last_agent,omitzero"`
	LastSurface Surface   `json:"last_surface,omitzero"`

	asked int // of Shown: by commands and the MCP server, which count as recalls
}

func (s *Summary) add(c store.ShownCount) {
	if c.Agent == "" {
		s.ToPeople += c.Count
		return
	}
	s.Shown += c.Count
	s.Tokens += c.Tokens
	if Surface(c.Surface) == CLI || Surface(c.Surface) == MCP {
		s.asked += c.Count
	}
	switch Verdict(c.Verdict) {
	case Followed:
		s.Followed += c.Count
	case Overridden:
		s.Overridden += c.Count
	case Ignored:
		s.Ignored += c.Count
	case Open:
		s.Open += c.Count
	case Again:
		s.Repeats += c.Count
	case Unknown, ToPerson:
		s.Unknown += c.Count
	}
	if c.Last.After(s.Last) {
		s.Last, s.LastAgent, s.LastSurface = c.Last, c.Agent, Surface(c.Surface)
	}
}

// Sentence is the summary in words, or "" if it was not shown to an agent: "shown 12 times to
// agents, followed 7, overridden 1; last 3 days ago by claude-code".
func (s Summary) Sentence(now time.Time) string {
	if s.Shown == 0 {
		return ""
	}
	times := "once"
	if s.Shown > 1 {
		times = fmt.Sprintf("%d times", s.Shown)
	}
	parts := []string{"shown " + times + " to agents"}
	for _, v := range []struct {
		n    int
		word string
	}{{s.Followed, "followed"}, {s.Worked, "which worked"}, {s.Failed, "which failed"}, {s.Overridden, "overridden"}, {s.Ignored, "ignored"}} {
		if v.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", v.word, v.n))
		}
	}
	return fmt.Sprintf("%s; last %s to %s", strings.Join(parts, ", "), ago(now.Sub(s.Last)), s.LastAgent)
}

// ago formats a duration in a fitting unit.
func ago(d time.Duration) string {
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{365 * 24 * time.Hour, "year"}, {30 * 24 * time.Hour, "month"}, {24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		switch n := int(d / u.of); {
		case n == 1:
			return "1 " + u.name + " ago"
		case n > 1:
			return fmt.Sprintf("%d %ss ago", n, u.name)
		}
	}
	return "just now"
}

// Of sums up one memory.
func Of(ctx context.Context, state *store.State, uuid string) (Summary, error) {
	counts, err := state.Shown().Of(ctx, uuid)
	var s Summary
	for _, c := range counts {
		s.add(c)
	}
	if err != nil {
		return s, fmt.Errorf("sum up what came of a memory: %w", err)
	}
	applied, err := state.Shown().AppliedOf(ctx, uuid)
	if err != nil {
		return s, fmt.Errorf("sum up what came of following a memory: %w", err)
	}
	s.Worked, s.Failed = applied.Worked, applied.Failed
	return s, nil
}

// Totals sums up a workspace.
type Totals struct {
	Summary                      // of all memories together
	Memories map[string]*Summary // by uuid
	Agents   map[string]*Summary // by agent
	Surfaces map[Surface]int     // showings to agents
}

// TotalsOf sums up a workspace.
func TotalsOf(ctx context.Context, state *store.State) (Totals, error) {
	t := Totals{Memories: map[string]*Summary{}, Agents: map[string]*Summary{}, Surfaces: map[Surface]int{}}
	counts, err := state.Shown().All(ctx)
	if err != nil {
		return t, fmt.Errorf("sum up what was shown: %w", err)
	}
	for _, c := range counts {
		t.add(c)
		at(t.Memories, c.UUID).add(c)
		if c.Agent != "" {
			at(t.Agents, c.Agent).add(c)
			t.Surfaces[Surface(c.Surface)] += c.Count
		}
	}
	applied, err := state.Shown().Applied(ctx)
	if err != nil {
		return t, fmt.Errorf("sum up what came of following memories: %w", err)
	}
	for _, c := range applied {
		for _, s := range []*Summary{&t.Summary, at(t.Memories, c.UUID), at(t.Agents, c.Agent)} {
			s.Worked += c.Worked
			s.Failed += c.Failed
		}
	}
	return t, nil
}

func at(m map[string]*Summary, key string) *Summary {
	if m[key] == nil {
		m[key] = &Summary{}
	}
	return m[key]
}

// Judged is an entry with its outcome.
type Judged struct {
	Entry
	Verdict Verdict
	Rule    string // the rule in hooks/judge
	// Applied is what came of it where it was followed; zero otherwise.
	Applied Applied
	Type    file.Type      // of the memory, "" if it is gone
	Phase   retrieve.Phase // of the work when it was shown, if the events tell
}

// Applied is what came of following a memory.
type Applied struct {
	At      time.Time // of the call that followed it
	Outcome Outcome
	Rule    string // the rule in hooks/judge
}

// AppliedRows converts the memories that a session followed to rows of the store, one of each.
func AppliedRows(judged []Judged) []store.AppliedRow {
	var out []store.AppliedRow
	seen := map[string]bool{}
	for _, j := range judged {
		if j.Verdict != Followed || j.Applied.Outcome == "" || seen[j.UUID] {
			continue
		}
		seen[j.UUID] = true
		out = append(out, store.AppliedRow{UUID: j.UUID, Agent: j.Agent, At: j.Applied.At.UnixMilli(), Outcome: string(j.Applied.Outcome), Rule: j.Applied.Rule})
	}
	return out
}

// Recent returns the newest entries of a memory, newest first.
func Recent(ctx context.Context, state *store.State, uuid string, limit int) ([]Judged, error) {
	rows, err := state.Shown().Recent(ctx, uuid, limit)
	if err != nil {
		return nil, fmt.Errorf("list where a memory was shown: %w", err)
	}
	out := make([]Judged, 0, len(rows))
	for _, r := range rows {
		out = append(out, Judged{Verdict: Verdict(r.Verdict), Rule: r.Rule, Entry: Entry{UUID: r.UUID, At: time.UnixMilli(r.At).UTC(), Surface: Surface(r.Surface),
			Agent: r.Agent, Session: r.Session, AgentID: r.AgentID, Path: r.Path, Tool: r.Tool, Tokens: r.Tokens}})
	}
	return out, nil
}

// Row converts a judged entry to a row of the store. log is its file; judged says whether the
// session's events were available.
func (j Judged) Row(log string, judged bool) store.ShownRow {
	return store.ShownRow{UUID: j.UUID, At: j.At.UnixMilli(), Surface: string(j.Surface), Agent: j.Agent, AgentID: j.AgentID, Log: log, Session: j.Session,
		Path: j.Path, Tool: j.Tool, Tokens: j.Tokens, Verdict: string(j.Verdict), Rule: j.Rule, Phase: string(j.Phase), Type: string(j.Type), Judged: judged}
}
