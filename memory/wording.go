package memory

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// wording decides which words of memories agents may be told: those in which the gate finds nothing, and those
// that the person at this machine vouches for. It is safe for concurrent use.
type wording struct {
	gate     judge
	releases releases
	log      *slog.Logger

	mu sync.Mutex
	// keys are of the texts that the person vouches for. They are read on demand and after each sync; nil: not read yet.
	keys map[string]bool // guarded by mu

	// clean are the keys of the texts in which a batch has just found nothing, so that the sync at its
	// end need not scan them again. It is nil without one.
	clean atomic.Pointer[sync.Map]
}

// judge finds what no agent may be told in the texts of a memory.
type judge interface {
	Judge(m *file.Memory) ([]gate.Finding, error)
}

// releases keep which texts the person at this machine vouches for. [store.State] is one.
type releases interface {
	Vouched(ctx context.Context) (map[string]bool, error)
	Vouch(ctx context.Context, uuid string, keys []string) error
}

func (w *wording) vouchedFor(ctx context.Context) (map[string]bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keys == nil {
		keys, err := w.releases.Vouched(ctx)
		if err != nil {
			return nil, fmt.Errorf("read what was released: %w", err)
		}
		w.keys = keys
	}
	return w.keys, nil
}

func (w *wording) forgetVouched() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keys = nil
}

// seenKey identifies all texts of a memory whose file states no trust.
func seenKey(m *file.Memory) string { return "seen:" + m.TextKey() }

// judge is the [store.Judge] of a workspace. Every memory file passes it when it is read.
func (w *wording) judge(ctx context.Context, m *file.Memory) error {
	var found []gate.Finding
	if !w.wasFoundClean(m) {
		var err error
		if found, err = w.gate.Judge(m); err != nil {
			return fmt.Errorf("judge memory %s: %w", m.UUID, err)
		}
	}
	unsaid := m.Trust.Origin == "" && m.Trust.VerifiedBy == ""
	if len(found) == 0 && !unsaid {
		return nil
	}
	keys, err := w.vouchedFor(ctx)
	if err != nil { // treat nothing as vouched for; other memories are not affected
		w.log.Warn("judge a memory", "uuid", m.UUID, "err", err)
	}
	m.Trust.Unreviewed = unsaid && !keys[seenKey(m)]
	found = slices.DeleteFunc(found, func(f gate.Finding) bool { return keys[f.Key] })
	if len(found) == 0 {
		return nil
	}
	return quarantineError(m, found)
}

// wasFoundClean reports whether a batch of this process has just scanned the same texts.
func (w *wording) wasFoundClean(m *file.Memory) bool {
	known := w.clean.Load()
	if known == nil {
		return false
	}
	_, ok := known.Load(file.JudgedKey(m))
	return ok
}

func quarantineError(m *file.Memory, found []gate.Finding) error {
	h := &store.HeldError{UUID: m.UUID, Code: string(found[0].Code)}
	var why []string
	for _, f := range found {
		h.Keys = append(h.Keys, f.Key)
		why = append(why, f.Reason)
	}
	id := m.ShortID()
	hint := fmt.Sprintf("`manicule show %s` shows it. `manicule review release %s` shows it to agents, `manicule edit %s` changes it, `manicule forget %s` removes it.", id, id, id, id)
	if found[0].Code == gate.Secret {
		hint += " If the secret is real, rotate it: git's history keeps it."
	}
	h.At = &file.Error{Line: 1, Column: 1, Msg: "in quarantine, not shown to agents: " + strings.Join(why, "; "), Hint: hint}
	return h
}

// noteAuthored records that the person at this machine wrote a memory, where its file does not say so:
// words that the person insisted on are not quarantined, and a memory without a statement of trust
// counts as reviewed here.
func (w *wording) noteAuthored(ctx context.Context, m *file.Memory) {
	w.noteAuthoredWith(ctx, m, gate.Orders(m))
}

// noteAuthoredWith is written with the findings of gate.Orders at hand.
func (w *wording) noteAuthoredWith(ctx context.Context, m *file.Memory, orders []gate.Finding) {
	if len(orders) == 0 && m.Trust.Origin != "" {
		return
	}
	if err := w.vouch(ctx, m); err != nil {
		w.log.Warn("note who answers for a memory", "uuid", m.UUID, "err", err)
	}
}

// vouch records that the person at this machine vouches for a memory's texts.
func (w *wording) vouch(ctx context.Context, m *file.Memory) error {
	found, err := w.gate.Judge(m)
	if err != nil {
		return fmt.Errorf("judge memory %s: %w", m.UUID, err)
	}
	var keys []string
	for _, f := range found {
		keys = append(keys, f.Key)
	}
	if m.Trust.Origin == "" {
		keys = append(keys, seenKey(m))
	}
	if len(keys) == 0 {
		return nil
	}
	if err := w.releases.Vouch(ctx, m.UUID, keys); err != nil {
		return fmt.Errorf("note who answers for %s: %w", m.UUID, err)
	}
	w.forgetVouched()
	return nil
}

// check rejects a memory that repeats Manicule's own text or reads like orders to an agent, unless
// the person insists or already vouches for these words. was is the previous version, or nil. Every
// write calls it.
func (w *wording) check(ctx context.Context, m, was *file.Memory, insist bool) error {
	return w.checkWith(ctx, m, was, insist, func() []gate.Finding { return gate.Orders(m) })
}

// checkWith is check with findings that are computed only when they matter.
func (w *wording) checkWith(ctx context.Context, m, was *file.Memory, insist bool, orders func() []gate.Finding) error {
	if insist {
		return nil
	}
	if echo := gate.Echo(m); echo != nil && (was == nil || gate.Echo(was) == nil) {
		return echo
	}
	found := orders()
	if len(found) == 0 {
		return nil
	}
	keys, err := w.vouchedFor(ctx)
	if err != nil {
		return err
	}
	var before []gate.Finding
	if was != nil {
		before = gate.Orders(was)
	}
	for _, f := range found {
		if !keys[f.Key] && !slices.ContainsFunc(before, func(b gate.Finding) bool { return b.Key == f.Key }) {
			return f.Rejection
		}
	}
	return nil
}
