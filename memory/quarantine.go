package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// vouched caches the keys of the texts that the person at this machine vouches for. It is read on
// demand and after each sync.
type vouched struct {
	mu   sync.Mutex
	keys map[string]bool // nil: not read yet
}

func (w *Workspace) vouchedFor(ctx context.Context) (map[string]bool, error) {
	w.vouched.mu.Lock()
	defer w.vouched.mu.Unlock()
	if w.vouched.keys == nil {
		keys, err := w.state.Vouched(ctx)
		if err != nil {
			return nil, fmt.Errorf("read what was released: %w", err)
		}
		w.vouched.keys = keys
	}
	return w.vouched.keys, nil
}

func (w *Workspace) forgetVouched() {
	w.vouched.mu.Lock()
	defer w.vouched.mu.Unlock()
	w.vouched.keys = nil
}

// seenKey identifies all texts of a memory whose file states no trust.
func seenKey(m *file.Memory) string { return "seen:" + m.TextKey() }

// judge is the [store.Judge] of a workspace. Every memory file passes it when it is read.
func (w *Workspace) judge(ctx context.Context, m *file.Memory) error {
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
func (w *Workspace) wasFoundClean(m *file.Memory) bool {
	known := w.foundClean.Load()
	if known == nil {
		return false
	}
	_, ok := known.Load(m.TextKey())
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

// Quarantined is a memory in quarantine. Its file exists, but its text is shown only on request by
// id.
type Quarantined struct {
	Memory *file.Memory
	Path   string // of its file, absolute
	Code   string // "secret" or "injection"
	Why    string
	Hint   string
}

// Quarantined lists the memories in quarantine, by the path of their files.
func (w *Workspace) Quarantined(ctx context.Context) ([]Quarantined, error) {
	faults, err := w.rows.Faults(ctx)
	if err != nil {
		return nil, err
	}
	var out []Quarantined
	for _, f := range faults {
		if h, ok := w.held(f); ok {
			out = append(out, h)
		}
	}
	return out, nil
}

// held reads the memory in quarantine that a fault is of. ok is false if it is another fault, or if the file was removed
// or damaged since.
func (w *Workspace) held(f store.Fault) (h Quarantined, ok bool) {
	if f.Held == "" {
		return h, false
	}
	path := filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(f.Path))
	m, err := file.Read(path)
	return Quarantined{Memory: m, Path: path, Code: f.Held, Why: f.Message, Hint: f.Hint}, err == nil
}

// CountQuarantined returns how many memories are in quarantine. It reads no file.
func (w *Workspace) CountQuarantined(ctx context.Context) (n int, err error) {
	faults, err := w.rows.Faults(ctx)
	for _, f := range faults {
		if f.Held == "" {
			continue
		}
		if _, err := os.Lstat(filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(f.Path))); err == nil {
			n++
		}
	}
	return n, err
}

// QuarantinedByID returns the memory in quarantine that id is short for. ok
// is false if none or several match. No other file than theirs is read.
func (w *Workspace) QuarantinedByID(ctx context.Context, id string) (h Quarantined, ok bool, err error) {
	if len(id) < minID {
		return Quarantined{}, false, nil
	}
	faults, err := w.rows.Faults(ctx)
	if err != nil {
		return Quarantined{}, false, err
	}
	for _, f := range faults {
		if !file.Abbreviates(id, f.UUID) {
			continue
		}
		x, reads := w.held(f)
		if !reads || !file.Abbreviates(id, x.Memory.UUID) {
			continue // another memory since
		}
		if ok {
			return Quarantined{}, false, nil
		}
		h, ok = x, true
	}
	return h, ok, nil
}

// GetAny is [Workspace.Get] that also finds memories in quarantine, which a person may change and
// remove.
func (w *Workspace) GetAny(ctx context.Context, id string) (h Hit, quarantined bool, err error) {
	h, err = w.Get(ctx, id)
	if err == nil || !Unreadable(err) {
		return h, false, err
	}
	x, ok, herr := w.QuarantinedByID(ctx, id)
	if herr != nil || !ok {
		return h, false, errors.Join(err, herr)
	}
	return Hit{Memory: x.Memory, Path: x.Path}, true, nil
}

// Release lets a memory out of quarantine. The person has read it and vouches for its current text;
// it also counts as reviewed on this machine. A later version is judged again. The file is not
// changed.
func (w *Workspace) Release(ctx context.Context, id string) (Result, error) {
	h, _, err := w.GetAny(ctx, id)
	if err != nil {
		return Result{}, err
	}
	if err := w.vouch(ctx, h.Memory); err != nil {
		return Result{}, err
	}
	rel, err := filepath.Rel(w.place.MemoriesDir(), h.Path)
	if err != nil {
		return Result{}, fmt.Errorf("release %s: %w", h.Path, err)
	}
	if err := w.rows.Rejudge(ctx, filepath.ToSlash(rel)); err != nil {
		return Result{}, fmt.Errorf("release %s: %w", h.Memory.UUID, err)
	}
	return Result{Accepted: true, Memory: h.Memory, Path: h.Path}, nil
}

// previousWording returns the previous version, whose words are already vouched for. It returns nil for a
// memory in quarantine, which must not keep its words.
func previousWording(old Hit, quarantined bool) *file.Memory {
	if quarantined {
		return nil
	}
	return old.Memory
}

// unusableError returns the error of a memory file that can't be used.
func unusableError(path string, err error) error {
	if h, ok := errors.AsType[*store.HeldError](err); ok {
		return &UserError{Msg: path + ": " + h.At.Msg, Hint: h.At.Hint, Err: ErrQuarantined}
	}
	return err
}

// noteAuthored records that the person at this machine wrote a memory, where its file does not say so:
// words that the person insisted on are not quarantined, and a memory without a statement of trust
// counts as reviewed here.
func (w *Workspace) noteAuthored(ctx context.Context, m *file.Memory) {
	w.noteAuthoredWith(ctx, m, gate.Orders(m))
}

// noteAuthoredWith is written with the findings of gate.Orders at hand.
func (w *Workspace) noteAuthoredWith(ctx context.Context, m *file.Memory, orders []gate.Finding) {
	if len(orders) == 0 && m.Trust.Origin != "" {
		return
	}
	if err := w.vouch(ctx, m); err != nil {
		w.log.Warn("note who answers for a memory", "uuid", m.UUID, "err", err)
	}
}

// vouch records that the person at this machine vouches for a memory's texts.
func (w *Workspace) vouch(ctx context.Context, m *file.Memory) error {
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
	if err := w.state.Vouch(ctx, m.UUID, keys); err != nil {
		return fmt.Errorf("note who answers for %s: %w", m.UUID, err)
	}
	w.forgetVouched()
	return nil
}

// rejudgeVouched judges quarantined memories again for which a person vouched in another worktree or
// process. r is the report of the sync before it.
func (w *Workspace) rejudgeVouched(ctx context.Context, r store.Report) (store.Report, error) {
	faults, err := w.rows.Faults(ctx)
	if err != nil {
		return r, err
	}
	any := false
	for _, f := range faults {
		if f.Held == "" {
			continue
		}
		keys, err := w.vouchedFor(ctx)
		if err != nil {
			return r, err
		}
		if slices.ContainsFunc(f.Keys, func(k string) bool { return !keys[k] }) {
			continue
		}
		if err := w.rows.Rejudge(ctx, f.Path); err != nil {
			return r, err
		}
		any = true
	}
	if !any {
		return r, nil
	}
	again, err := w.rows.Sync(ctx)
	r.Key, r.Changed = again.Key, r.Changed+1
	return r, err
}

// checkWording rejects a memory that repeats Manicule's own text or reads like orders to an agent, unless
// the person insists or already vouches for these words. was is the previous version, or nil. Every
// write calls it.
func (w *Workspace) checkWording(ctx context.Context, m, was *file.Memory, insist bool) error {
	return w.checkWordingWith(ctx, m, was, insist, func() []gate.Finding { return gate.Orders(m) })
}

// checkWordingWith is words with findings that are computed only when they matter.
func (w *Workspace) checkWordingWith(ctx context.Context, m, was *file.Memory, insist bool, orders func() []gate.Finding) error {
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
