package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"manicule/indexer/workspace"
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

// finder reads memories by their ids.
type finder struct {
	place      *workspace.Workspace
	rows       *store.Memories
	tombstones store.Tombstones
	wording    *wording
	quarantine *Quarantine // and what follows: each also finds memories by the finder
	history    *History
	drafts     *Drafts
}

// Get returns the active memory that id is short for. See Drafts and State
// for others.
func (w *Workspace) Get(ctx context.Context, id string) (Hit, error) { return w.find.get(ctx, id) }

func (f *finder) get(ctx context.Context, id string) (Hit, error) {
	id = file.TypedID(id)
	if err := CheckID(id); err != nil {
		return Hit{}, err
	}
	rows, err := f.rows.ByUUID(ctx, id)
	if err != nil {
		return Hit{}, err
	}
	switch len(rows) {
	case 0:
		return Hit{}, f.unreadable(ctx, id)
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
	return f.reread(ctx, rows[0])
}

// GetAny is [Workspace.Get] that also finds memories in quarantine, which a person may change and
// remove.
func (w *Workspace) GetAny(ctx context.Context, id string) (h Hit, quarantined bool, err error) {
	return w.find.any(ctx, id)
}

func (f *finder) any(ctx context.Context, id string) (h Hit, quarantined bool, err error) {
	h, err = f.get(ctx, id)
	if err == nil || !Unreadable(err) {
		return h, false, err
	}
	x, ok, herr := f.quarantine.Find(ctx, id)
	if herr != nil || !ok {
		return h, false, errors.Join(err, herr)
	}
	return Hit{Memory: x.Memory, Path: x.Path}, true, nil
}

// GetEach reads memories from their files, by uuid. It omits memories whose file is gone or that
// are in quarantine.
func (w *Workspace) GetEach(ctx context.Context, uuids []string) (map[string]Hit, error) {
	return w.find.each(ctx, uuids)
}

func (f *finder) each(ctx context.Context, uuids []string) (map[string]Hit, error) {
	out := make(map[string]Hit, len(uuids))
	if len(uuids) == 0 {
		return out, nil
	}
	rows, err := f.rows.Of(ctx, uuids)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		h, err := f.reread(ctx, r)
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
func (f *finder) reread(ctx context.Context, r store.Row) (Hit, error) {
	path := filepath.Join(f.place.MemoriesDir(), filepath.FromSlash(r.Path))
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
	} else if err := f.wording.judge(ctx, m); err != nil { // it was just edited
		return Hit{}, unusableError(path, err)
	}
	return Hit{Memory: m, Path: path, Places: r.Places(m), Use: r.Use(), Now: r.Now}, nil
}

// unreadable returns the error for an id without a memory. A file of that name may exist and be
// damaged, for example by a merge conflict.
func (f *finder) unreadable(ctx context.Context, id string) error {
	faults, err := f.rows.Faults(ctx)
	if err != nil {
		return err
	}
	for _, x := range faults {
		name := strings.TrimSuffix(path.Base(x.Path), ".json")
		if x.UUID != "" {
			name = x.UUID
		}
		if !file.Abbreviates(id, name) {
			continue
		}
		u := &UserError{
			Msg:  fmt.Sprintf("%s:%d:%d: %s", filepath.Join(f.place.MemoriesDir(), filepath.FromSlash(x.Path)), x.Line, x.Column, x.Message),
			Hint: x.Hint,
		}
		if x.Held != "" {
			u.Err = ErrQuarantined
		} else if d, ok, err := f.history.Damaged(ctx, name); err == nil && ok {
			u.Hint = d.Remedy(f.place.Root)
		}
		return u
	}
	if d, err := f.drafts.find(ctx, id); err == nil && d.Status == store.StatusDraft {
		short := d.Memory.ShortID()
		return &UserError{Msg: fmt.Sprintf("%s is a draft%s, and no memory yet", short, proposedBy(d.Tool)), Err: ErrNotFound,
			Hint: fmt.Sprintf("`manicule review` shows it, `manicule review edit %s` changes it, `manicule review accept %s` makes it a memory.", short, short)}
	}
	if gone, err := f.tombstones.Of(ctx, id); err == nil && len(gone) > 0 {
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
