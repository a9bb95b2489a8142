package ledger

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/store"
)

// heldOutShare is the share of the quotes of a memory that are held out, of 10,000.
const heldOutShare = 500

// HoldsOut reports whether a memory is held out in a session of a repository, where hooks would quote it unasked. It is the
// same each time, and depends on nothing that the session does.
func HoldsOut(repository, session, uuid string) bool {
	sum := sha256.Sum256([]byte("held\x00" + repository + "\x00" + session + "\x00" + uuid))
	return binary.BigEndian.Uint64(sum[:8])%10_000 < heldOutShare
}

// Trials returns the trials of a session of the full arm, by what hooks told it and what was held out. A memory that was told
// against its assignment, such as one that was pinned then, takes no part.
func Trials(repository, session string, entries []Entry, heldOut []string) []store.TrialRow {
	var out []store.TrialRow
	for _, id := range heldOut {
		if HoldsOut(repository, session, id) {
			out = append(out, store.TrialRow{UUID: id, Session: session, Held: true})
		}
	}
	seen := map[string]bool{}
	for _, e := range entries {
		if e.Surface == Hook && !seen[e.UUID] && !HoldsOut(repository, session, e.UUID) {
			seen[e.UUID] = true
			out = append(out, store.TrialRow{UUID: e.UUID, Session: session})
		}
	}
	return out
}

// LeastHeldOut is the number of sessions that were told a memory, and of those in which it was held out, that are compared.
const LeastHeldOut = 10

// HeldOut compares sessions that were told a memory with those in which it was held out.
type HeldOut struct {
	On       bool            `json:"on"`       // by the settings
	Memories int             `json:"memories"` // that were held out
	Sessions int             `json:"sessions"` // in which any was
	Compared []HeldOutMemory `json:"compared"` // with enough sessions of both, those with a known difference first
}

// HeldOutMemory is the comparison for one memory.
type HeldOutMemory struct {
	UUID    string              `json:"uuid"`
	What    string              `json:"what"`
	Told    int                 `json:"told"` // sessions
	Held    int                 `json:"held"` // sessions
	Figures []HeldOutDifference `json:"figures"`
	// Harms is the figure that is surely higher where it was told, although all memories and figures are looked at; "" for none.
	Harms string `json:"harms,omitzero"`

	disputed bool
}

// Known reports whether a figure differs.
func (m HeldOutMemory) Known() bool {
	return slices.ContainsFunc(m.Figures, func(d HeldOutDifference) bool { return d.Known })
}

// HeldOutDifference is one figure: its means a session, and how much more it is where the memory was held out. More is good for the
// memory, but for the tokens that it costs.
type HeldOutDifference struct {
	Name     string  `json:"name"` // calls, failures_repeated, files_reread, corrections, tokens
	Told     float64 `json:"told"`
	Held     float64 `json:"held"`
	More     float64 `json:"more_when_held"`
	MoreLow  float64 `json:"more_low"` // 95 % interval
	MoreHigh float64 `json:"more_high"`
	Known    bool    `json:"known"` // the interval does not include 0
}

// compareHeldOut compares finished sessions by memory; nil is all memories. seed selects the draws, so that the same sessions have the
// same intervals.
func compareHeldOut(sessions []store.ShownSession, trials []store.TrialRow, memories []string, seed uint64) HeldOut {
	out := HeldOut{Compared: []HeldOutMemory{}}
	over := map[string]store.ShownSession{}
	for _, x := range sessions {
		if x.Over {
			over[x.Session] = x
		}
	}
	type pair struct{ told, held []store.ShownSession }
	by, in := map[string]*pair{}, map[string]bool{}
	for _, t := range trials {
		x, ok := over[t.Session]
		if !ok {
			continue
		}
		if by[t.UUID] == nil {
			by[t.UUID] = &pair{}
		}
		if !t.Held {
			by[t.UUID].told = append(by[t.UUID].told, x)
			continue
		}
		by[t.UUID].held = append(by[t.UUID].held, x)
		in[t.Session] = true
	}
	out.Sessions = len(in)
	compared := 0
	for _, p := range by {
		if len(p.held) > 0 {
			out.Memories++
		}
		if min(len(p.told), len(p.held)) >= LeastHeldOut {
			compared++
		}
	}
	for uuid, p := range by {
		if min(len(p.told), len(p.held)) < LeastHeldOut || memories != nil && !slices.Contains(memories, uuid) {
			continue
		}
		out.Compared = append(out.Compared, compare(uuid, p.told, p.held, compared, seed))
	}
	sorting.Func(out.Compared, func(a, b HeldOutMemory) int {
		return cmp.Or(file.TrueFirst(a.Harms != "", b.Harms != ""), file.TrueFirst(a.Known(), b.Known()), cmp.Compare(b.Held, a.Held), strings.Compare(a.UUID, b.UUID))
	})
	return out
}

// compare compares the sessions of one of several memories that can be compared.
func compare(uuid string, told, held []store.ShownSession, of int, seed uint64) HeldOutMemory {
	m := HeldOutMemory{UUID: uuid, Told: len(told), Held: len(held), Figures: []HeldOutDifference{}}
	low, high := intervals(held, told, seed)
	least := 1.0
	for i, f := range figures() {
		a, b := values(f, held), values(f, told)
		d := HeldOutDifference{Name: f.name, Told: hundredth(average(b)), Held: hundredth(average(a)), More: hundredth(average(a) - average(b)), MoreLow: low[i], MoreHigh: high[i]}
		d.Known = d.MoreLow > 0 || d.MoreHigh < 0
		m.Figures = append(m.Figures, d)
		if d.Known && d.More < 0 && f.name != "tokens" {
			if p, ok := byChance(b, a, mayErr/float64((len(figures())-1)*of), seed); ok && p < least {
				least, m.Harms = p, f.name
			}
		}
	}
	return m
}

// intervals returns the 95 % percentile intervals of how much more a has than b of each figure, as [bootstrap] does. The figures of a session
// are drawn together: there may be a hundred memories to compare, and the draws take most of the time.
func intervals(a, b []store.ShownSession, seed uint64) (low, high []float64) {
	list := figures()
	table := func(sessions []store.ShownSession) []float64 { // the figures of one session after the other's
		out := make([]float64, 0, len(list)*len(sessions))
		for _, x := range sessions {
			for _, f := range list {
				out = append(out, float64(f.of(x)))
			}
		}
		return out
	}
	of, r := [2][]float64{table(a), table(b)}, rand.New(rand.NewPCG(seed, 1))
	draws := make([][]float64, len(list))
	for i := range draws {
		draws[i] = make([]float64, resamples)
	}
	for k := range resamples {
		for side, sign := range []float64{1, -1} {
			n := len(of[side]) / len(list)
			share := sign / float64(n)
			for range n {
				at := r.IntN(n) * len(list)
				for i, x := range of[side][at : at+len(list)] {
					draws[i][k] += share * x
				}
			}
		}
	}
	for _, d := range draws {
		slices.Sort(d)
		low, high = append(low, hundredth(d[resamples*25/1000])), append(high, hundredth(d[resamples*975/1000]))
	}
	return low, high
}

func values(f figure, sessions []store.ShownSession) []float64 {
	out := make([]float64, 0, len(sessions))
	for _, x := range sessions {
		out = append(out, float64(f.of(x)))
	}
	return out
}

// mayErr is the probability that any of all memories is said to do harm by chance.
const mayErr = .05

// byChance returns how probable it is that the mean of a exceeds that of b as much by chance, if the values are assigned to a and b at
// random, as sessions are (a permutation test), and ok if that is at most most.
func byChance(a, b []float64, most float64, seed uint64) (p float64, ok bool) {
	all := slices.Concat(b, a)
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	excess := func(ofB float64) float64 { return (sum-ofB)/float64(len(a)) - ofB/float64(len(b)) }
	ofB := 0.0
	for _, x := range b {
		ofB += x
	}
	seen := excess(ofB) - 1e-9
	r := rand.New(rand.NewPCG(seed, 2))
	draws := max(10_000, int(10/most))
	as := 0 // draws with as much
	for range draws {
		ofB = 0
		for i := range b { // the first so many of a shuffle
			k := i + r.IntN(len(all)-i)
			all[i], all[k] = all[k], all[i]
			ofB += all[i]
		}
		if excess(ofB) >= seen {
			if as++; float64(as) > most*float64(draws) {
				return 1, false
			}
		}
	}
	p = float64(as+1) / float64(draws+1)
	return p, p <= most
}

// heldOutOf compares the sessions of a workspace by memory, leaving out forgotten ones; nil is all memories.
func heldOutOf(ctx context.Context, w *memory.Workspace, sessions []store.ShownSession, memories []string) (HeldOut, error) {
	trials, err := w.State().Shown().Trials(ctx)
	if err != nil {
		return HeldOut{}, fmt.Errorf("list what was held out: %w", err)
	}
	out := compareHeldOut(sessions, trials, memories, armSeed)
	var uuids []string
	for _, m := range out.Compared {
		uuids = append(uuids, m.UUID)
	}
	there, err := w.GetEach(ctx, uuids)
	if err != nil {
		return out, fmt.Errorf("look up what was held out: %w", err)
	}
	out.Compared = slices.DeleteFunc(out.Compared, func(m HeldOutMemory) bool { return there[m.UUID].Memory == nil })
	for i, m := range out.Compared {
		out.Compared[i].What, out.Compared[i].disputed = there[m.UUID].Memory.What, there[m.UUID].Memory.Trust.Disputed()
	}
	return out, nil
}

// harm is what a proposal says of a memory that does harm. It has no numbers, as these change with each session: what a person
// rejected is not proposed again.
const harm = "Sessions that were told this went worse than those in which it was held out, by their %s; `manicule stats` has the figures. While it is disputed, agents are told of it only if they ask."

// ProposeHarmful proposes to dispute what measurably does harm, of the memories of a session's trials, so that agents are not told of it
// unasked. A person decides.
func ProposeHarmful(ctx context.Context, w *memory.Workspace, trials []store.TrialRow) error {
	if len(trials) == 0 {
		return nil
	}
	enough, err := w.State().Shown().Compared(ctx, LeastHeldOut)
	if err != nil {
		return fmt.Errorf("look up what can be compared: %w", err)
	}
	memories := slices.DeleteFunc(enough, func(uuid string) bool {
		return !slices.ContainsFunc(trials, func(t store.TrialRow) bool { return t.UUID == uuid })
	})
	if len(memories) == 0 {
		return nil // as after nearly all sessions
	}
	sessions, err := w.State().Shown().Sessions(ctx)
	if err != nil {
		return fmt.Errorf("list what sessions were told: %w", err)
	}
	all, err := heldOutOf(ctx, w, sessions, memories)
	if err != nil {
		return err
	}
	for _, m := range all.Compared {
		if m.Harms == "" || m.disputed {
			continue
		}
		change := memory.Change{Act: memory.ActDispute, Memory: m.UUID, Reason: fmt.Sprintf(harm, strings.ReplaceAll(m.Harms, "_", " ")), Tool: file.OwnTool}
		if _, err := w.Drafts().Propose(ctx, change); err != nil {
			return fmt.Errorf("propose to dispute a memory that does harm: %w", err)
		}
	}
	return nil
}
