package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/store"
)

// Stats describes how a workspace's memories are used on this machine, and the
// outcomes.
type Stats struct {
	Total     int            `json:"total"`
	ByLayer   map[string]int `json:"by_layer"`
	BySource  map[string]int `json:"by_source"` // by trust.origin
	Recalled  []Recalled     `json:"most_recalled"`
	Stale     int            `json:"stale"` // older than staleAfter, never recalled and never shown
	StaleOnes []Recalled     `json:"stale_memories"`
	Ledger    Summary        `json:"ledger"`
	Surfaces  map[string]int `json:"by_surface"` // showings to agents
	Agents    []AgentStats   `json:"by_agent"`
	Sessions  SessionStats   `json:"sessions"`
	Buckets   []Bucket       `json:"by_session_count"`
	Saved     Saved          `json:"saved"`
	Arms      []ArmStats     `json:"by_arm"` // empty while no session has an arm
	HeldOut   HeldOut        `json:"held_out"`
	Weights   []TypeWeight   `json:"learned_weights"`
	// WeightChanges are the newest first.
	WeightChanges []WeightChange `json:"weight_changes"`
}

// Recalled is a memory with its use: how often a command or MCP recalled it, and how often hooks
// showed it to an agent.
type Recalled struct {
	UUID  string `json:"uuid"`
	What  string `json:"what"`
	Asked int    `json:"asked"`
	Shown int    `json:"shown"`
}

// AgentStats is the part of one agent.
type AgentStats struct {
	Agent    string `json:"agent"`
	Sessions int    `json:"sessions"` // shown at least one memory
	Injected int    `json:"tokens_injected"`
	Summary
}

// SessionStats describes what sessions were shown. Tokens are estimates: four characters each.
type SessionStats struct {
	Count     int     `json:"count"`
	Told      int     `json:"told"` // at least one memory
	Answers   int     `json:"answers"`
	Injected  int     `json:"tokens_injected"`
	Median    int     `json:"tokens_median"` // of sessions that were shown memories
	Most      int     `json:"tokens_most"`
	PerAnswer float64 `json:"tokens_per_answer"`
}

// Bucket describes the sessions with a similar number of earlier sessions. These figures should fall as memories grow.
type Bucket struct {
	From        int     `json:"from"` // number of the first session, from 1
	To          int     `json:"to"`   // of the last; 0 for no end
	Sessions    int     `json:"sessions"`
	Calls       float64 `json:"calls_per_prompt"`
	Rereads     float64 `json:"rereads_per_session"`
	Failed      float64 `json:"failed_per_session"`
	Reentered   float64 `json:"warnings_overridden_per_session"`
	Corrections float64 `json:"corrections_per_session"`
	Tokens      float64 `json:"tokens_per_session"`
}

// Saved estimates what memories saved and cost. Net is negative if they cost more.
type Saved struct {
	Heeded   int    `json:"warnings_followed"`
	PerCall  int    `json:"tokens_per_failed_call"`
	AtMost   int    `json:"tokens_saved_at_most"`
	Injected int    `json:"tokens_injected"`
	Net      int    `json:"net_at_most"`
	Method   string `json:"method"`
}

// Method explains the estimate in [Saved] to people.
const Method = "Each warning (gotcha, dead end, error pattern) that a session followed counts as one failed call spared, at the mean size of a failed call with its output in the sessions here; a followed convention counts as nothing saved. " +
	"At most: some of those calls would not have been made anyway. What was injected is all text that hooks and tools added to agents' contexts, at four characters a token."

// staleAfter is the age from which the statistics call an unused memory stale.
const staleAfter = 30 * 24 * time.Hour

// The lengths of lists in [Stats].
const (
	mostRecalled = 5
	mostStale    = 20
)

// StatsOf computes the statistics of a workspace, whose view must be current. It does not include
// showings since the ledger was last updated.
func StatsOf(ctx context.Context, w *memory.Workspace) (Stats, error) {
	s := Stats{ByLayer: map[string]int{}, BySource: map[string]int{}, Recalled: []Recalled{}, StaleOnes: []Recalled{}, Surfaces: map[string]int{}, Agents: []AgentStats{}}
	accesses, err := w.State().Usage().Accesses(ctx)
	if err != nil {
		return s, fmt.Errorf("count the recalls: %w", err)
	}
	totals, err := TotalsOf(ctx, w.State())
	if err != nil {
		return s, err
	}
	sessions, err := w.State().Shown().Sessions(ctx)
	if err != nil {
		return s, fmt.Errorf("list what sessions were told: %w", err)
	}
	s.Ledger = totals.Summary
	for surface, n := range totals.Surfaces {
		s.Surfaces[string(surface)] = n
	}
	for _, h := range w.View().All() {
		m := h.Memory
		s.Total++
		s.ByLayer[string(m.Layer)]++
		s.BySource[cmp.Or(string(m.Trust.Origin), "not_stated")]++
		r := Recalled{UUID: m.UUID, What: m.What, Asked: accesses[m.UUID], Shown: totals.unasked(m.UUID)}
		switch {
		case r.Asked+r.Shown > 0:
			s.Recalled = append(s.Recalled, r)
		case totals.seen(m.UUID): // by a search, or in an editor
		case w.Now().Sub(m.CreatedAt.Time) > staleAfter:
			s.StaleOnes = append(s.StaleOnes, r)
		}
	}
	sorting.Func(s.Recalled, func(a, b Recalled) int {
		return cmp.Or(cmp.Compare(b.Asked+b.Shown, a.Asked+a.Shown), strings.Compare(a.UUID, b.UUID))
	})
	sorting.Func(s.StaleOnes, func(a, b Recalled) int { return strings.Compare(a.UUID, b.UUID) })
	s.Stale = len(s.StaleOnes)
	s.Recalled, s.StaleOnes = s.Recalled[:min(mostRecalled, len(s.Recalled))], s.StaleOnes[:min(mostStale, len(s.StaleOnes))]
	s.Agents = agents(totals, sessions)
	s.Sessions, s.Buckets, s.Saved = sum(sessions), buckets(sessions), saved(sessions)
	s.Arms = compareArms(sessions, armSeed)
	if s.HeldOut, err = heldOutOf(ctx, w, sessions, nil); err != nil {
		return s, err
	}
	if s.Weights, err = WeightsOf(ctx, w); err != nil {
		return s, err
	}
	s.WeightChanges, err = WeightChanges(ctx, w.State().Weights())
	return s, err
}

// armSeed selects the draws for intervals, so that figures change only with the sessions.
const armSeed = 1

// unasked is how often hooks showed a memory to agents. Showings by commands and the MCP server
// count as recalls.
func (t Totals) unasked(uuid string) int {
	if m := t.Memories[uuid]; m != nil {
		return m.Shown - m.asked
	}
	return 0
}

// seen reports whether a memory was ever shown.
func (t Totals) seen(uuid string) bool {
	m := t.Memories[uuid]
	return m != nil && m.Shown+m.ToPeople > 0
}

func agents(t Totals, sessions []store.ShownSession) []AgentStats {
	by := map[string]*AgentStats{}
	of := func(name string) *AgentStats {
		if by[name] == nil {
			by[name] = &AgentStats{Agent: name}
		}
		return by[name]
	}
	for name, x := range t.Agents {
		of(name).Summary = *x
	}
	for _, x := range sessions {
		if x.Tokens > 0 {
			a := of(x.Agent)
			a.Sessions++
			a.Injected += x.Tokens
		}
	}
	out := make([]AgentStats, 0, len(by))
	for _, a := range by {
		out = append(out, *a)
	}
	sorting.Func(out, func(a, b AgentStats) int { return strings.Compare(a.Agent, b.Agent) })
	return out
}

func sum(sessions []store.ShownSession) SessionStats {
	var s SessionStats
	var told []int
	for _, x := range sessions {
		s.Count++
		s.Answers += x.Answers
		s.Injected += x.Tokens
		if x.Tokens > 0 {
			told = append(told, x.Tokens)
		}
	}
	slices.Sort(told)
	if s.Told = len(told); s.Told > 0 {
		s.Median, s.Most = told[len(told)/2], told[len(told)-1]
	}
	s.PerAnswer = per(s.Injected, s.Answers)
	return s
}

// buckets groups sessions by the number of earlier ones.
func buckets(sessions []store.ShownSession) []Bucket {
	out := []Bucket{}
	for _, b := range []Bucket{{From: 1, To: 5}, {From: 6, To: 15}, {From: 16, To: 30}, {From: 31}} {
		end := len(sessions)
		if b.To > 0 {
			end = min(end, b.To)
		}
		if b.From > end {
			continue
		}
		var x store.ShownSession
		for _, o := range sessions[b.From-1 : end] {
			b.Sessions++
			x.Calls, x.Prompts, x.Rereads, x.Failed = x.Calls+o.Calls, x.Prompts+o.Prompts, x.Rereads+o.Rereads, x.Failed+o.Failed
			x.Reentered, x.Corrections, x.Tokens = x.Reentered+o.Reentered, x.Corrections+o.Corrections, x.Tokens+o.Tokens
		}
		b.Calls, b.Rereads, b.Failed = per(x.Calls, x.Prompts), per(x.Rereads, b.Sessions), per(x.Failed, b.Sessions)
		b.Reentered, b.Corrections, b.Tokens = per(x.Reentered, b.Sessions), per(x.Corrections, b.Sessions), per(x.Tokens, b.Sessions)
		out = append(out, b)
	}
	return out
}

// per is a mean rounded to a hundredth, 0 for n = 0.
func per(sum, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(int(100*float64(sum)/float64(n)+.5)) / 100
}

// Balance is what one session was told, and what that saved at most, by the estimate of [Method].
type Balance struct {
	Tokens int `json:"tokens_injected"`
	Heeded int `json:"warnings_followed"`
	Saved  int `json:"tokens_saved_at_most"`
}

// BalanceOf returns the balance of one of the workspace's sessions; zero for one that the ledger does not know.
func BalanceOf(ctx context.Context, state *store.State, session string) (Balance, error) {
	sessions, err := state.Shown().Sessions(ctx)
	if err != nil {
		return Balance{}, fmt.Errorf("look up what session %s was told: %w", session, err)
	}
	for _, x := range sessions {
		if x.Session == session {
			return Balance{x.Tokens, x.Heeded, x.Heeded * saved(sessions).PerCall}, nil
		}
	}
	return Balance{}, nil
}

// Sentence says what the session was told and saved, or is "" if it was told nothing.
func (b Balance) Sentence() string {
	switch {
	case b.Tokens == 0:
		return ""
	case b.Saved == 0:
		return fmt.Sprintf("It was told %d tokens; no saving is known.", b.Tokens)
	}
	return fmt.Sprintf("It was told %d tokens and spared at most %d.", b.Tokens, b.Saved)
}

func saved(sessions []store.ShownSession) Saved {
	s := Saved{Method: Method}
	failed, retry := 0, 0
	for _, x := range sessions {
		s.Heeded += x.Heeded
		s.Injected += x.Tokens
		failed += x.Failed
		retry += x.Retry
	}
	if failed > 0 {
		s.PerCall = retry / failed
	}
	s.AtMost = s.Heeded * s.PerCall
	s.Net = s.AtMost - s.Injected
	return s
}
