package memory

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"manicule/memory/file"
	"manicule/memory/repair"
)

// Revert gives a memory the content of an earlier version, as its next version, so that a revert can
// be reverted. Who sees it, and what people said about it since, stay. A forgotten memory has to be
// restored first, one with several versions resolved; of one whose file is damaged the file is
// replaced, without a version by the newest one as it was. insist keeps words that read like orders:
// the earlier version may be another person's, from git.
func (e *Edits) Revert(ctx context.Context, id, version string, insist bool) (Result, error) {
	line, err := e.history.Timeline(ctx, id)
	if err != nil {
		return Result{}, err
	}
	if len(line) > 0 && !line[0].Current {
		if d, ok, err := e.history.Damaged(ctx, line[0].Memory.UUID); err != nil {
			return Result{}, err
		} else if ok {
			return e.revive(ctx, d, line, version)
		}
	}
	if len(line) == 0 || !line[0].Current {
		return Result{}, e.history.isGone(ctx, id, line)
	}
	to, err := Version(line, version)
	if err != nil {
		return Result{}, e.history.unshallowed(err)
	}
	if to.Current {
		return Result{}, &UserError{Msg: fmt.Sprintf("version %d is the current one", to.Memory.Lineage.Version), Hint: "`manicule history ID` lists the others."}
	}
	note := fmt.Sprintf("back to version %d", to.Memory.Lineage.Version)
	return e.ChangeInsisting(ctx, line[0].Memory.UUID, func(m *file.Memory) error {
		if len(m.Conflict) > 0 {
			return &UserError{Msg: fmt.Sprintf("memory %s has several versions from a merge", m.ShortID()), Hint: "Decide between them first: `manicule resolve`."}
		}
		takeEarlier(m, to.Memory)
		return nil
	}, "restore", note, insist)
}

// revive writes a version of a memory in the place of its damaged file. What the file was is kept as by a repair.
func (e *Edits) revive(ctx context.Context, d Damaged, line []Past, version string) (Result, error) {
	to := line[0]
	if version != "" {
		var err error
		if to, err = Version(line, version); err != nil {
			return Result{}, e.history.unshallowed(err)
		}
	}
	unlock, err := LockEdits(ctx, e.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	m := line[0].Memory.Clone()
	if to.Hash != line[0].Hash { // an earlier one is the next version, as of a memory that is sound
		next, err := e.maker.Successor(m, "restore", fmt.Sprintf("back to version %d", to.Memory.Lineage.Version))
		if err != nil {
			return Result{}, err
		}
		takeEarlier(next, to.Memory)
		m = next
	}
	rel, err := filepath.Rel(e.place.MemoriesDir(), d.Path)
	if err != nil {
		return Result{}, fmt.Errorf("write %s: %w", d.Path, err)
	}
	rel = filepath.ToSlash(rel)
	if strings.Contains(rel, "/personal/") {
		m.Visibility = file.Personal // never the other way round: that would publish it
	}
	if damaged, _ := isDamaged(d.Path); !damaged {
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
	o := repair.Options{Dir: e.place.MemoriesDir(), Kept: filepath.Join(e.place.StateDir(), repair.KeptFolder), Now: e.now(), NewID: e.maker.NewID}
	home := m.Home(rel)
	folder := e.rows.FolderTime(home)
	left, err := repair.Apply(ctx, o, []repair.Fault{repair.Replace(rel, before, home, after)})
	if err != nil {
		return Result{}, writeError(err)
	}
	if len(left) > 0 {
		return Result{}, &UserError{Msg: "the file was changed meanwhile: " + d.Path, Hint: "Run it again."}
	}
	e.writer.record(ctx, m, home, folder)
	if _, err := e.sync(ctx); err != nil {
		return Result{}, err
	}
	return Result{Accepted: true, Memory: m, Path: filepath.Join(o.Dir, filepath.FromSlash(home)),
		Reason: "its file could not be read; `manicule doctor --undo` puts that text back"}, nil
}

// takeEarlier gives a successor the content of an earlier version. Who sees it, the branch and the work that it belongs to, and what
// people said about it since, stay.
func takeEarlier(m, to *file.Memory) {
	now := m.Clone()
	*m = *to.Clone()
	m.Lineage, m.UpdatedAt, m.Visibility, m.Owner, m.Conflict = now.Lineage, now.UpdatedAt, now.Visibility, now.Owner, nil
	belongAs(m, now)
	m.Trust = now.Trust
	m.Trust.Tainted = now.Trust.Tainted || to.Trust.Tainted
	m.Trust.VerifiedBy, m.Trust.VerifiedAt = "", nil // of other words
}

// belongAs gives a memory the branch and the unit of work of another version of it.
func belongAs(m, other *file.Memory) {
	var p, now file.Provenance
	if m.Provenance != nil {
		p = *m.Provenance
	}
	if other.Provenance != nil {
		now = *other.Provenance
	}
	if p.Branch == now.Branch && p.Work == nil && now.Work == nil {
		return
	}
	p.Branch, p.Work = now.Branch, now.Work
	m.Provenance = &p
}
