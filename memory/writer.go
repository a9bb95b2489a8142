package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
	"manicule/memory/thread"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// fileWriter writes the files of active memories, and records in the databases and the journal what it wrote. It must not
// decide whether a memory is worth writing. Where a file exists already, the caller holds the lock of [LockEdits]. It is
// safe for concurrent use.
type fileWriter struct {
	place   *workspace.Workspace
	rows    *store.Memories
	state   *store.State
	gate    *gate.Gate
	wording *wording
	privacy *privacy
	mirror  *mirror
	stopped *Stopped
	now     func() time.Time
	log     *slog.Logger
}

// staleTempAge is the age from which a temporary file counts as left behind.
const staleTempAge = 10 * time.Minute

// store writes a new memory and records it in the databases. The file is the truth: if a database
// can't be written, a later sync reads the file. was is the path of a file that the memory had before, "" for none.
func (w *fileWriter) store(ctx context.Context, m *file.Memory, was string) (Result, error) {
	rel := w.homeOf(m, was)
	before := w.rows.FolderTime(rel)
	r, err := w.put(m, was)
	if err == nil && r.Accepted {
		w.record(ctx, m, rel, before)
		w.stopped.Wrote(m)
	}
	return r, err
}

// replace writes the next version of a memory and moves its file if needed. The caller holds the
// edit lock.
func (w *fileWriter) replace(ctx context.Context, old Hit, m *file.Memory) (Result, error) {
	if err := w.state.Versions().Put(ctx, w.place.WorktreeID, old.Memory); err != nil {
		w.log.Warn("keep the earlier version", "uuid", m.UUID, "err", err)
	}
	w.wording.noteAuthored(ctx, m)
	rel := w.homeOf(m, old.Path)
	before := w.rows.FolderTime(rel)
	if !unchanged(old) {
		return Result{Code: "conflict", Reason: fmt.Sprintf("the file of memory %s was changed meanwhile. Look at it again", m.ShortID())}, nil
	}
	r, err := w.put(m, old.Path)
	if err != nil || !r.Accepted {
		return r, err
	}
	if r.Path != old.Path { // its layer or visibility changed
		if old.Memory.Visibility == file.Personal && m.Visibility != file.Personal {
			if err := w.state.Mirrors().Drop(ctx, w.place.WorktreeID, m.UUID); err != nil {
				w.log.Warn("drop the copy of a personal memory", "uuid", m.UUID, "err", err)
			}
		}
		if err := w.removeFile(ctx, old.Path); err != nil {
			return Result{}, err
		}
	}
	w.record(ctx, m, rel, before)
	w.stopped.Wrote(m)
	return r, nil
}

// unchanged reports whether a memory's file still holds the version that was read. Editors and git
// take no lock.
func unchanged(h Hit) bool {
	now, err := file.Read(h.Path)
	if err != nil {
		return false
	}
	was, err := h.Memory.Hash()
	if err != nil {
		return false
	}
	is, err := now.Hash()
	return err == nil && is == was
}

// put writes a memory's file, for every caller but batch.write. The memory must pass the gate.
// replaces is the path of the file whose next version it is, or "" for a new one; put overwrites no
// other file.
func (w *fileWriter) put(m *file.Memory, replaces string) (Result, error) {
	if err := w.gate.Check(m); err != nil {
		return Refusal(err)
	}
	if err := w.checkTarget(m, replaces); err != nil {
		return Result{}, err
	}
	dir := w.place.MemoriesDir()
	path, err := file.WriteAt(dir, w.homeOf(m, replaces), m)
	if err != nil {
		return Result{}, writeError(err)
	}
	if _, err := file.SweepWritten(dir, w.now().Add(-staleTempAge)); err != nil {
		w.log.Warn("sweep what killed processes left", "err", err)
	}
	return Result{Accepted: true, Memory: m, Path: path}, nil
}

// homeOf returns the path of a memory below the memories folder, where replaces is the file of the version before it, "" for none.
func (w *fileWriter) homeOf(m *file.Memory, replaces string) string {
	was, err := filepath.Rel(w.place.MemoriesDir(), replaces)
	if replaces == "" || err != nil {
		return m.RelPath()
	}
	return m.Home(filepath.ToSlash(was))
}

// checkTarget returns the error if a memory's file can't be written to its path.
func (w *fileWriter) checkTarget(m *file.Memory, replaces string) error {
	target := filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(w.homeOf(m, replaces)))
	if _, err := os.Lstat(target); err == nil && target != replaces {
		return &UserError{Msg: target + " exists and can't be read as this memory", Err: errExists,
			Hint: "`manicule doctor` says what is wrong with it. Repair it or move it away."}
	}
	if m.Visibility == file.Personal {
		return w.privacy.keep(m)
	}
	return nil
}

// record notes a memory whose file at rel was written in the databases.
func (w *fileWriter) record(ctx context.Context, m *file.Memory, rel string, before int64) {
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	var kept sync.WaitGroup // each waits for the disk
	kept.Go(func() {
		w.mirror.note()
		if err := w.state.Versions().Put(ctx, w.place.WorktreeID, m); err != nil {
			w.log.Warn("note a memory in state.db", "uuid", m.UUID, "err", err)
		}
	})
	if err := w.rows.SyncPath(short, rel, before); err != nil && short.Err() == nil { // the next sync reads the file
		w.log.Warn("note a memory in memories.db", "uuid", m.UUID, "err", err)
	}
	kept.Wait()
	w.journal(m)
}

// HintOpenFiles is what to do where the system opens no more files.
const HintOpenFiles = "Close programs that have many files open, or allow more (`ulimit -n`)."

func writeError(err error) error {
	u := &UserError{Msg: err.Error(), Err: err, Hint: "Check the space on the disk."}
	e, refused := errors.AsType[*treefile.Error](err)
	switch {
	case refused:
		u.Hint = e.Hint
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		u.Hint = "Check that the .manicule folder can be written to."
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		u.Hint = HintOpenFiles
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ELOOP):
		u.Hint = "Something else is in the place of that folder or file: move it away."
	}
	return u
}

func (w *fileWriter) removeFile(ctx context.Context, path string) error {
	rel, err := filepath.Rel(w.place.MemoriesDir(), path)
	if err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	rel = filepath.ToSlash(rel)
	before := w.rows.FolderTime(rel)
	if err := treefile.CheckNoLinks(filepath.Dir(path)); err != nil {
		return writeError(fmt.Errorf("remove %s: %w", path, err))
	}
	if err := file.Remove(w.place.MemoriesDir(), rel); err != nil {
		return writeError(err)
	}
	if err := w.rows.SyncPath(ctx, rel, before); err != nil {
		w.log.Warn("drop a memory from memories.db", "path", rel, "err", err)
	}
	return nil
}

// formerPath returns the file that a forgotten memory had, if its folder is still there: that of a submodule may be gone.
func (w *fileWriter) formerPath(rel string) string {
	was := filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(rel))
	if info, err := os.Stat(filepath.Dir(was)); !file.IsMemoryPath(rel) || err != nil || !info.IsDir() {
		return ""
	}
	return was
}

// writeMerged writes what a merge makes of the file of a memory or a shared thread.
func (w *fileWriter) writeMerged(ctx context.Context, name string, m *file.Memory) error {
	if isThread(name) {
		return thread.WriteFile(w.place, m)
	}
	rel := strings.TrimPrefix(name, path.Join(workspace.Folder, "memories")+"/")
	folder := w.rows.FolderTime(rel)
	if _, err := file.WriteAt(w.place.MemoriesDir(), rel, m); err != nil {
		return err
	}
	w.record(ctx, m, rel, folder)
	return nil
}
