package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/store"
)

// Stopped keeps what was written to files that git carries while git waited for a person in the middle of a merge, a rebase or
// the like. `--abort` puts each file back that git knows, whatever was written to it meanwhile, and a rebase leaves out what a
// merge's commit alone has. Copies are in the state's folder, one a file, for 30 days at most.
type Stopped struct {
	dir     string // of the copies
	place   *workspace.Workspace
	git     *Git
	state   *store.State
	maker   *Maker
	wording *wording
	writer  *fileWriter
	get     func(ctx context.Context, id string) (h Hit, quarantined bool, err error) // see [Workspace.GetAny]
	now     func() time.Time
	log     *slog.Logger
}

// Stopped returns what was written while git waited.
func (w *Workspace) Stopped() *Stopped { return w.stopped }

// stoppedDir is the folder of the copies of a worktree.
func stoppedDir(place *workspace.Workspace) string {
	return filepath.Join(place.StateDir(), "stopped", place.WorktreeID)
}

// The kinds of copies, which are the names of their folders.
const (
	stoppedMemory    = "memories"
	stoppedThread    = "threads"
	stoppedForgotten = "forgotten"
)

// stoppedFor is how long a copy is kept, and told of.
const stoppedFor = 30 * 24 * time.Hour

// maxRefs is how many references are asked whether they have what HEAD has not.
const maxRefs = 200

// Dropped is what was acknowledged while git waited, and that git dropped since.
type Dropped struct {
	Memory *file.Memory // as it was written
	Thread bool         // it is a shared thread
	Back   bool         // it was forgotten, and git brought it back

	name string // of the copy
}

// Wrote notes that memories were written: it keeps copies while git waits.
func (s *Stopped) Wrote(list ...*file.Memory) { s.wrote(stoppedMemory, list...) }

// WroteThread is Wrote for a shared thread.
func (s *Stopped) WroteThread(m *file.Memory) { s.wrote(stoppedThread, m) }

// forgot notes that a memory was forgotten.
func (s *Stopped) forgot(m *file.Memory) { s.wrote(stoppedForgotten, m) }

func (s *Stopped) wrote(kind string, list ...*file.Memory) {
	waits := s.git.Merging()
	_, err := os.Lstat(s.dir)
	if !waits && err != nil {
		return // there are no copies; an import writes thousands
	}
	for _, m := range list {
		if m.Visibility == file.Personal && kind != stoppedThread {
			continue // git doesn't carry it
		}
		s.supersede(m, waits)
		// What a decision between versions keeps is what one of the sides has.
		if waits && m.Lineage.ChangeKind != "resolve" {
			s.keep(kind, m)
		}
	}
}

// keep writes a copy.
func (s *Stopped) keep(kind string, m *file.Memory) {
	data, err := m.Marshal()
	hash, herr := m.Hash()
	name := filepath.Join(s.dir, kind, fmt.Sprintf("%s-%.12s.json", m.UUID, hash))
	if err = errors.Join(err, herr); err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o700)
	}
	if err == nil {
		err = atomicfile.Write(name, data, 0o600)
	}
	if err == nil {
		_ = os.Remove(s.told()) // people were told of others
	} else {
		s.log.Warn("keep a copy of what was written while git waits", "uuid", m.UUID, "err", err)
	}
}

// supersede removes the copies for which a new version stands: of what it was made from, and of what a person was told of.
func (s *Stopped) supersede(m *file.Memory, waits bool) {
	_, err := os.Lstat(s.told())
	told := err == nil
	for _, kind := range []string{stoppedMemory, stoppedThread, stoppedForgotten} {
		for _, name := range treefile.Glob(filepath.Join(s.dir, kind), m.UUID+"-*.json") {
			if told && !waits || kind == stoppedForgotten || m.Lineage.Parent != "" && strings.HasSuffix(name, fmt.Sprintf("-%.12s.json", m.Lineage.Parent)) {
				_ = os.Remove(name) // else it is told of once more
			}
		}
	}
}

// told is the file that says that a person was told of what there is.
func (s *Stopped) told() string { return filepath.Join(s.dir, "told") }

// Dropped lists what git dropped, by uuid. While git waits it lists nothing: what is in the files is not decided.
func (s *Stopped) Dropped(ctx context.Context) ([]Dropped, error) {
	git := s.git
	if _, err := os.Lstat(s.dir); err != nil || git.Merging() || gitWrites(git.Dir()) {
		return nil, nil // nothing was written then
	}
	repo, done := git.open()
	defer done()
	var out []Dropped
	for _, kind := range []string{stoppedMemory, stoppedThread, stoppedForgotten} {
		entries, err := os.ReadDir(filepath.Join(s.dir, kind))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list what was written while git waited: %w", err)
		}
		for _, e := range entries {
			name := filepath.Join(s.dir, kind, e.Name())
			m, ok := s.read(name)
			if !ok {
				continue
			}
			dropped, err := s.dropped(ctx, repo, kind, m)
			if err != nil {
				return nil, err
			}
			if dropped {
				out = append(out, Dropped{Memory: m, Thread: kind == stoppedThread, Back: kind == stoppedForgotten, name: name})
			}
		}
	}
	return out, nil
}

// read reads a copy, and removes one that is too old.
func (s *Stopped) read(name string) (*file.Memory, bool) {
	data, err := treefile.Read(name, file.MaxSize)
	if err != nil || atomicfile.IsTemporary(filepath.Base(name)) {
		return nil, false
	}
	m, err := file.Parse(data)
	if err != nil {
		return nil, false
	}
	if st, err := os.Lstat(name); err == nil && s.now().Sub(st.ModTime()) > stoppedFor {
		_ = os.Remove(name) // the next look tries again
		return nil, false
	}
	return m, true
}

// dropped reports whether git dropped what a copy says.
func (s *Stopped) dropped(ctx context.Context, repo *gittree.Repo, kind string, m *file.Memory) (bool, error) {
	now, err := s.current(kind, m.UUID)
	if err != nil {
		return false, nil // it can't be read, which is told as such
	}
	if kind == stoppedForgotten {
		return now != nil && sameContent(now, m), nil
	}
	if now == nil && kind == stoppedMemory {
		tombstones, err := s.state.Tombstones().Of(ctx, m.UUID)
		if err != nil || len(tombstones) > 0 {
			return false, err
		}
	}
	if now != nil {
		if sameContent(now, m) {
			return false, nil
		}
		hash, err := m.Hash()
		if err != nil {
			return false, err
		}
		if newer, err := s.state.Versions().Descends(ctx, now.Lineage.Parent, hash); err != nil || newer {
			return false, err
		}
	}
	return !s.committed(repo, m), nil
}

// current is what the file of a memory or thread says now, nil if there is none.
func (s *Stopped) current(kind, uuid string) (*file.Memory, error) {
	for _, name := range filePaths(uuid) {
		if isThread(name) != (kind == stoppedThread) {
			continue
		}
		m, err := file.Read(s.git.at(name))
		if !errors.Is(err, fs.ErrNotExist) {
			return m, err
		}
	}
	return nil, nil
}

// committed reports whether a commit has what a copy says. HEAD is asked first, then what other references name; the reflog is not.
func (s *Stopped) committed(repo *gittree.Repo, m *file.Memory) bool {
	p := s.place
	paths := filePaths(m.UUID)
	refs := gitinfo.RefTips(p.GitDir, p.GitCommonDir)
	for _, tip := range append([]string{s.git.head()}, refs[:min(len(refs), maxRefs)]...) {
		if slices.ContainsFunc(repo.FileVersionsSince(tip, paths, mayHold(m), maxDeletionCommits), func(v gittree.FileVersion) bool {
			x := memoryIn(repo, v.Blob)
			return x != nil && sameContent(x, m)
		}) {
			return true
		}
	}
	return false
}

// sameContent reports whether two versions say the same, whoever wrote them when.
func sameContent(a, b *file.Memory) bool {
	a, b = a.Clone(), b.Clone()
	for _, m := range []*file.Memory{a, b} {
		m.Lineage, m.UpdatedAt, m.Trust.Unreviewed = file.Lineage{}, m.CreatedAt, false
	}
	x, xerr := a.Hash()
	y, yerr := b.Hash()
	return xerr == nil && yerr == nil && x == y
}

// Untold returns what git dropped, once: the next call returns nothing, unless something is written in another stop.
func (s *Stopped) Untold(ctx context.Context) ([]Dropped, []DroppedFile) {
	if _, err := os.Lstat(s.told()); err == nil {
		return nil, nil
	}
	list, err := s.Dropped(ctx)
	files, ferr := s.DroppedFiles()
	if err := errors.Join(err, ferr); err != nil {
		s.log.Warn("look for what git dropped", "err", err)
	}
	if len(list)+len(files) > 0 {
		_ = os.WriteFile(s.told(), nil, 0o600) // else it is told again
	}
	return list, files
}

// Dismiss deletes the copies of what git dropped, of the memory or thread of an id, which may be abbreviated, or of a file: a person
// has seen it. It returns how many those were.
func (s *Stopped) Dismiss(ctx context.Context, id string) (n int, err error) {
	list, err := s.Dropped(ctx)
	files, ferr := s.DroppedFiles()
	if err := errors.Join(err, ferr); err != nil {
		return 0, err
	}
	var all []*file.Memory
	var names []string
	for _, d := range list {
		if !file.Abbreviates(id, d.Memory.UUID) {
			continue
		}
		names = append(names, d.name)
		if !slices.ContainsFunc(all, func(m *file.Memory) bool { return m.UUID == d.Memory.UUID }) {
			all = append(all, d.Memory)
		}
	}
	if len(all) > 1 {
		return 0, Ambiguous("memories", id, all)
	}
	for _, f := range files {
		if f.Path == id || path.Base(f.Path) == id {
			names = append(names, f.name)
		}
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			return n, fmt.Errorf("delete a copy: %w", err)
		}
		n++
	}
	return n, nil
}

// Restore writes what git dropped again, as a new version. ok is false if nothing that was dropped has the id, which may be abbreviated.
func (s *Stopped) Restore(ctx context.Context, id string) (r Result, d Dropped, ok bool, err error) {
	list, err := s.Dropped(ctx)
	if err != nil {
		return r, d, false, err
	}
	list = slices.DeleteFunc(list, func(d Dropped) bool { return d.Back || !file.Abbreviates(id, d.Memory.UUID) })
	var all []*file.Memory
	for _, d := range list {
		if len(all) == 0 || all[0].UUID != d.Memory.UUID {
			all = append(all, d.Memory)
		}
	}
	switch len(all) {
	case 0:
		return r, d, false, nil
	case 1: // of several writes the newest
		d = slices.MaxFunc(list, func(a, b Dropped) int { return a.Memory.UpdatedAt.Compare(b.Memory.UpdatedAt.Time) })
	default:
		return r, d, true, Ambiguous("memories", id, all)
	}
	unlock, err := LockEdits(ctx, s.place)
	if err != nil {
		return r, d, true, err
	}
	defer unlock()
	if r, err = s.restore(ctx, d); err == nil && r.Accepted {
		_ = os.Remove(d.name) // else it is held to be dropped again once the memory is edited
	}
	return r, d, true, err
}

func (s *Stopped) restore(ctx context.Context, d Dropped) (Result, error) {
	kind := stoppedMemory
	if d.Thread {
		kind = stoppedThread
	}
	now, err := s.current(kind, d.Memory.UUID)
	if err != nil {
		return Result{}, err
	}
	old := now
	if now == nil {
		old = d.Memory
	}
	m, err := s.maker.Successor(old, "restore", "git had dropped it")
	if err != nil {
		return Result{}, err
	}
	as := d.Memory.Clone()
	as.Lineage, as.UpdatedAt, as.Conflict = m.Lineage, m.UpdatedAt, nil // the other side of the merge is as far off as it was
	if now != nil {
		as.Conflict = now.Conflict
	}
	m = as
	if d.Thread {
		if err := s.writer.writeMerged(ctx, strings.Join([]string{workspace.Folder, "sessions", m.UUID + ".json"}, "/"), m); err != nil {
			return Result{}, err
		}
		s.WroteThread(m)
		return Result{Accepted: true, Memory: m}, nil
	}
	if err := s.wording.check(ctx, m, now, false); err != nil {
		return Refusal(err)
	}
	if now == nil {
		return s.writer.store(ctx, m, "")
	}
	h, _, err := s.get(ctx, m.UUID)
	if err != nil {
		return Result{}, err
	}
	return s.writer.replace(ctx, h, m)
}
