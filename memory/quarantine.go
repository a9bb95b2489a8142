package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"manicule/memory/file"
	"manicule/memory/store"
)

// Quarantined is a memory in quarantine. Its file exists, but its text is shown only on request by
// id.
type Quarantined struct {
	Memory *file.Memory
	Path   string // of its file, absolute
	Code   string // "secret" or "injection"
	Why    string
	Hint   string
}

// Quarantine holds the memories whose files came with words that no agent may be told, until a person vouches for them. It
// is safe for concurrent use.
type Quarantine struct {
	dir     string // of the memory files
	rows    *store.Memories
	wording *wording
	get     func(ctx context.Context, id string) (h Hit, quarantined bool, err error) // see [Workspace.GetAny]
}

// List lists the memories in quarantine, by the path of their files.
func (q *Quarantine) List(ctx context.Context) ([]Quarantined, error) {
	faults, err := q.rows.Faults(ctx)
	if err != nil {
		return nil, err
	}
	var out []Quarantined
	for _, f := range faults {
		if h, ok := q.held(f); ok {
			out = append(out, h)
		}
	}
	return out, nil
}

// held reads the memory in quarantine that a fault is of. ok is false if it is another fault, or if the file was removed
// or damaged since.
func (q *Quarantine) held(f store.Fault) (h Quarantined, ok bool) {
	if f.Held == "" {
		return h, false
	}
	path := filepath.Join(q.dir, filepath.FromSlash(f.Path))
	m, err := file.Read(path)
	return Quarantined{Memory: m, Path: path, Code: f.Held, Why: f.Message, Hint: f.Hint}, err == nil
}

// Count returns how many memories are in quarantine. It reads no file.
func (q *Quarantine) Count(ctx context.Context) (n int, err error) {
	faults, err := q.rows.Faults(ctx)
	for _, f := range faults {
		if f.Held == "" {
			continue
		}
		if _, err := os.Lstat(filepath.Join(q.dir, filepath.FromSlash(f.Path))); err == nil {
			n++
		}
	}
	return n, err
}

// Find returns the memory in quarantine that id is short for. ok
// is false if none or several match. No other file than theirs is read.
func (q *Quarantine) Find(ctx context.Context, id string) (h Quarantined, ok bool, err error) {
	if len(id) < minID {
		return Quarantined{}, false, nil
	}
	faults, err := q.rows.Faults(ctx)
	if err != nil {
		return Quarantined{}, false, err
	}
	for _, f := range faults {
		if !file.Abbreviates(id, f.UUID) {
			continue
		}
		x, reads := q.held(f)
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

// Tellable returns the versions of a memory that an agent may be told, and how many others there are. A version may never
// have been judged: git brought it, or it was replaced before a file of it was read.
func (q *Quarantine) Tellable(ctx context.Context, line []Past) (told []Past, held int, err error) {
	for _, p := range line {
		m := *p.Memory // judging marks it
		err := q.wording.judge(ctx, &m)
		if _, ok := errors.AsType[*store.HeldError](err); ok {
			held++
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		told = append(told, p)
	}
	return told, held, nil
}

// Release lets a memory out of quarantine. The person has read it and vouches for its current text;
// it also counts as reviewed on this machine. A later version is judged again. The file is not
// changed.
func (q *Quarantine) Release(ctx context.Context, id string) (Result, error) {
	h, _, err := q.get(ctx, id)
	if err != nil {
		return Result{}, err
	}
	if err := q.wording.vouch(ctx, h.Memory); err != nil {
		return Result{}, err
	}
	rel, err := filepath.Rel(q.dir, h.Path)
	if err != nil {
		return Result{}, fmt.Errorf("release %s: %w", h.Path, err)
	}
	if err := q.rows.Rejudge(ctx, filepath.ToSlash(rel)); err != nil {
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

// rejudgeVouched judges quarantined memories again for which a person vouched in another worktree or
// process. r is the report of the sync before it.
func (q *Quarantine) rejudgeVouched(ctx context.Context, r store.Report) (store.Report, error) {
	faults, err := q.rows.Faults(ctx)
	if err != nil {
		return r, err
	}
	any := false
	for _, f := range faults {
		if f.Held == "" {
			continue
		}
		keys, err := q.wording.vouchedFor(ctx)
		if err != nil {
			return r, err
		}
		if slices.ContainsFunc(f.Keys, func(k string) bool { return !keys[k] }) {
			continue
		}
		if err := q.rows.Rejudge(ctx, f.Path); err != nil {
			return r, err
		}
		any = true
	}
	if !any {
		return r, nil
	}
	again, err := q.rows.Sync(ctx)
	r.Key, r.Changed = again.Key, r.Changed+1
	return r, err
}
