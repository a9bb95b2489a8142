package memory

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"manicule/memory/file"
	"manicule/memory/repair"
)

// Damaged is a memory file that can't be read, as one that a power loss cut off, though versions of its memory are
// known.
type Damaged struct {
	UUID string
	Path string // absolute
	Last Past   // the newest version that is known
	// Sides is true if git's index still has both sides of the merge that left the file.
	Sides bool
}

// Remedy names the command that brings the memory back, for a person.
func (d *Damaged) Remedy(root string) string {
	if d.Sides {
		if rel, err := filepath.Rel(root, d.Path); err == nil {
			return fmt.Sprintf("`git checkout --merge -- %s` writes both sides of the merge anew; then `manicule resolve`.", filepath.ToSlash(rel))
		}
	}
	id := file.ShortID(d.UUID)
	from := "this machine's"
	if !d.Last.Here {
		from = fmt.Sprintf("commit %.8s's", d.Last.Commit)
	}
	return fmt.Sprintf("`manicule revert %s` brings back version %d of %s, %s; `manicule history %s` lists others.", id, d.Last.Memory.Lineage.Version, d.Last.Memory.UpdatedAt.Format("2006-01-02 15:04"), from, id)
}

// DamagedByID returns the damaged file of the memory that id is short for. ok is false if none or several match, or no
// version of it is known.
func (w *Workspace) DamagedByID(ctx context.Context, id string) (d Damaged, ok bool, err error) {
	if len(id) < minID {
		return d, false, nil
	}
	faults, err := w.rows.Faults(ctx)
	if err != nil {
		return d, false, err
	}
	for _, f := range faults {
		name := strings.TrimSuffix(path.Base(f.Path), ".json")
		if f.Held != "" || !file.ValidUUID(name) || !file.Abbreviates(id, name) {
			continue
		}
		if ok {
			return Damaged{}, false, nil // two files
		}
		d, ok = Damaged{UUID: name, Path: filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(f.Path))}, true
	}
	if !ok || !isDamaged(d.Path) {
		return Damaged{}, false, nil
	}
	line, err := w.timeline(ctx, d.UUID, nil)
	if err != nil || len(line) == 0 {
		return Damaged{}, false, err
	}
	d.Last, d.Sides = line[0], w.git.hasSides(d.Path)
	return d, true, nil
}

// isDamaged reports whether a file is there and says nothing that this version or a newer one could read.
func isDamaged(name string) bool {
	_, err := file.Read(name)
	fault, ok := errors.AsType[*file.Error](err)
	if !ok || errors.Is(err, file.ErrNewer) {
		return false
	}
	_, err = file.ReadBytes(name) // a link or a folder can't be written either
	return fault != nil && err == nil
}

// LastVersion returns the newest version that is known of a memory, on this machine or in git. ok is false without one. It
// reads git's history, which takes as long as a log of one file.
func (w *Workspace) LastVersion(ctx context.Context, uuid string) (m *file.Memory, ok bool, err error) {
	return newestOf(w.timeline(ctx, uuid, nil))
}

// CommittedVersion is LastVersion where the last commit has a sound version, or where there is no git: then no history has to
// be read. Else ok is false.
func (w *Workspace) CommittedVersion(ctx context.Context, uuid string) (m *file.Memory, ok bool, err error) {
	if w.git.Dir() == "" {
		return newestOf(w.timelineWith(ctx, uuid, nil, nil))
	}
	if m := w.git.committed(uuid); m != nil {
		return newestOf(w.timelineWith(ctx, uuid, nil, []gitVersion{{memory: m}}))
	}
	return nil, false, nil
}

func newestOf(line []Past, err error) (m *file.Memory, ok bool, _ error) {
	if err != nil || len(line) == 0 {
		return nil, false, err
	}
	return line[0].Memory, true, nil
}

// revive writes a version of a memory in the place of its damaged file. What the file was is kept as by a repair.
func (w *Workspace) revive(ctx context.Context, d Damaged, line []Past, version string) (Result, error) {
	to := line[0]
	if version != "" {
		var err error
		if to, err = Version(line, version); err != nil {
			return Result{}, w.unshallowed(err)
		}
	}
	unlock, err := LockEdits(ctx, w.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	m := line[0].Memory.Clone()
	if to.Hash != line[0].Hash { // an earlier one is the next version, as of a memory that is sound
		next, err := w.Successor(m, "restore", fmt.Sprintf("back to version %d", to.Memory.Lineage.Version))
		if err != nil {
			return Result{}, err
		}
		takeEarlier(next, to.Memory)
		m = next
	}
	rel, err := filepath.Rel(w.place.MemoriesDir(), d.Path)
	if err != nil {
		return Result{}, fmt.Errorf("write %s: %w", d.Path, err)
	}
	rel = filepath.ToSlash(rel)
	if strings.Contains(rel, "/personal/") {
		m.Visibility = file.Personal // never the other way round: that would publish it
	}
	if !isDamaged(d.Path) {
		return Result{}, &UserError{Msg: fmt.Sprintf("memory %s was mended meanwhile", m.ShortID()), Hint: "Look at it again: `manicule show " + m.ShortID() + "`."}
	}
	before, err := file.ReadBytes(d.Path)
	if err != nil {
		return Result{}, writeError(err)
	}
	after, err := m.Marshal()
	if err != nil {
		return Result{}, err
	}
	o := repair.Options{Dir: w.place.MemoriesDir(), Kept: filepath.Join(w.place.StateDir(), repair.KeptFolder), Now: w.now(), NewID: w.maker.NewID}
	home := m.Home(rel)
	folder := w.rows.FolderTime(home)
	left, err := repair.Apply(ctx, o, []repair.Fault{repair.Replace(rel, before, home, after)})
	if err != nil {
		return Result{}, writeError(err)
	}
	if len(left) > 0 {
		return Result{}, &UserError{Msg: "the file was changed meanwhile: " + d.Path, Hint: "Run it again."}
	}
	w.writer.record(ctx, m, home, folder)
	if _, err := w.Sync(ctx); err != nil {
		return Result{}, err
	}
	return Result{Accepted: true, Memory: m, Path: filepath.Join(o.Dir, filepath.FromSlash(home)),
		Reason: "its file could not be read; `manicule doctor --undo` puts that text back"}, nil
}

// takeEarlier gives a successor the content of an earlier version. Who sees it, and what people said about it since, stay.
func takeEarlier(m, to *file.Memory) {
	now := m.Clone()
	*m = *to.Clone()
	m.Lineage, m.UpdatedAt, m.Visibility, m.Owner, m.Conflict = now.Lineage, now.UpdatedAt, now.Visibility, now.Owner, nil
	m.Trust = now.Trust
	m.Trust.Tainted = now.Trust.Tainted || to.Trust.Tainted
	m.Trust.VerifiedBy, m.Trust.VerifiedAt = "", nil // of other words
}
