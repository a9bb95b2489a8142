package memory

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// minID is the number of characters of an id that suffice.
const minID = 4

// CheckID refuses an id that could be almost any.
func CheckID(id string) error {
	if len(id) >= minID {
		return nil
	}
	return &UserError{Msg: fmt.Sprintf("the id %q is too short", id), Err: ErrNotFound, Hint: "Give at least four characters of it."}
}

// Get returns the active memory that id is short for. See Drafts and State
// for others.
func (w *Workspace) Get(ctx context.Context, id string) (Hit, error) {
	id = file.TypedID(id)
	if err := CheckID(id); err != nil {
		return Hit{}, err
	}
	rows, err := w.rows.ByUUID(ctx, id)
	if err != nil {
		return Hit{}, err
	}
	switch len(rows) {
	case 0:
		return Hit{}, w.unreadable(ctx, id)
	case 1:
	default:
		var all []*file.Memory
		for _, r := range rows {
			if m, err := r.Memory(); err == nil {
				all = append(all, m)
			}
		}
		return Hit{}, Ambiguous("memories", id, all)
	}
	return w.reread(ctx, rows[0])
}

// GetEach reads memories from their files, by uuid. It omits memories whose file is gone or that
// are in quarantine.
func (w *Workspace) GetEach(ctx context.Context, uuids []string) (map[string]Hit, error) {
	out := make(map[string]Hit, len(uuids))
	if len(uuids) == 0 {
		return out, nil
	}
	rows, err := w.rows.Of(ctx, uuids)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		h, err := w.reread(ctx, r)
		if err != nil && Unreadable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[h.Memory.UUID] = h
	}
	return out, nil
}

// reread returns a row's memory as its file is now, because the file is the truth.
func (w *Workspace) reread(ctx context.Context, r store.Row) (Hit, error) {
	path := filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(r.Path))
	data, err := file.ReadBytes(path)
	if err != nil {
		return Hit{}, err
	}
	was, werr := r.Memory()
	if werr == nil && bytes.Equal(data, r.JSON) {
		return Hit{Memory: was, Path: path, Places: r.Places(was), Use: r.Use(), Now: r.Now}, nil
	}
	m, err := file.ParseMerged(data)
	if err != nil {
		return Hit{}, err
	}
	if werr == nil && file.JudgedKey(was) == file.JudgedKey(m) {
		m.Trust.Unreviewed = was.Trust.Unreviewed
	} else if err := w.wording.judge(ctx, m); err != nil { // it was just edited
		return Hit{}, unusableError(path, err)
	}
	return Hit{Memory: m, Path: path, Places: r.Places(m), Use: r.Use(), Now: r.Now}, nil
}

// unreadable returns the error for an id without a memory. A file of that name may exist and be
// damaged, for example by a merge conflict.
func (w *Workspace) unreadable(ctx context.Context, id string) error {
	faults, err := w.rows.Faults(ctx)
	if err != nil {
		return err
	}
	for _, f := range faults {
		name := strings.TrimSuffix(path.Base(f.Path), ".json")
		if f.UUID != "" {
			name = f.UUID
		}
		if !file.Abbreviates(id, name) {
			continue
		}
		u := &UserError{
			Msg:  fmt.Sprintf("%s:%d:%d: %s", filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(f.Path)), f.Line, f.Column, f.Message),
			Hint: f.Hint,
		}
		if f.Held != "" {
			u.Err = ErrQuarantined
		} else if d, ok, err := w.history.Damaged(ctx, name); err == nil && ok {
			u.Hint = d.Remedy(w.place.Root)
		}
		return u
	}
	if d, err := w.drafts.find(ctx, id); err == nil && d.Status == store.StatusDraft {
		short := d.Memory.ShortID()
		return &UserError{Msg: fmt.Sprintf("%s is a draft%s, and no memory yet", short, proposedBy(d.Tool)), Err: ErrNotFound,
			Hint: fmt.Sprintf("`manicule review` shows it; `manicule review accept %s` makes it a memory.", short)}
	}
	if gone, err := w.state.Tombstones().Of(ctx, id); err == nil && len(gone) > 0 {
		short := file.ShortID(gone[0].UUID)
		return &UserError{Msg: fmt.Sprintf("the memory %s was forgotten", short), Err: ErrNotFound,
			Hint: fmt.Sprintf("`manicule restore %s` brings it back.", short)}
	}
	return notFound(id)
}

// proposedBy names the agent that proposed a draft, "" if none is known.
func proposedBy(tool string) string {
	if tool == "" || tool == file.OwnTool {
		return ""
	}
	return " of " + gate.Clean(tool)
}
