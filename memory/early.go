package memory

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// earlyViews holds the views of single files before the first Sync. Callers compare views by
// identity, so there is one for each file.
type earlyViews struct {
	mu     sync.Mutex
	byPath map[string]*View // guarded by mu
}

// Early returns a view of the memories that can apply to a file, given relative to the root,
// without waiting for the first Sync. Afterwards it returns the view of all. ok is false if only a
// Sync can tell what applies.
func (s *Views) Early(ctx context.Context, rel string) (v *View, ok bool) {
	if v := s.current.Load(); v != nil {
		return v, true
	}
	s.early.mu.Lock()
	defer s.early.mu.Unlock()
	if v, ok := s.early.byPath[rel]; ok {
		return v, true
	}
	if s.writtenSinceFollowed(rel) {
		return nil, false // code with a memory may have moved into it
	}
	rows, ok := s.rows.EarlyReaching(ctx, rel)
	if !ok {
		return nil, false
	}
	if s.early.byPath == nil {
		s.early.byPath = map[string]*View{}
	}
	v = NewView(s.place.MemoriesDir(), s.scopes, rows, nil, 0)
	s.early.byPath[rel] = v
	return v, true
}

// followedFile is an empty file in the cache folder. Its time is when all anchors were last followed.
const followedFile = "followed"

// NoteFollowed records that all anchors were followed, in the files as they were at a time of the
// system's clock. If it can't, the next server waits for all memories before its first hover.
func (s *Views) NoteFollowed(at time.Time) {
	name := filepath.Join(s.place.CacheDir(), followedFile)
	err := os.Chtimes(name, at, at)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.WriteFile(name, nil, 0o600); err == nil {
			err = os.Chtimes(name, at, at)
		}
	}
	if err != nil {
		s.log.Debug("note when anchors were followed", "err", err)
	}
}

// fileTick is how much earlier than a write the time of its file may be.
const fileTick = 20 * time.Millisecond

// LastWritten returns the newest time of a file, given relative to the root, and of the folders
// above it up to the root. What was renamed, with all that is in it, keeps its time; the folder that
// has it now has a new one. What does not exist has none.
func LastWritten(root, rel string) (time.Time, error) {
	var last time.Time
	for name := filepath.Clean(filepath.FromSlash(rel)); ; name = filepath.Dir(name) {
		st, err := os.Stat(filepath.Join(root, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return last, err
		}
		if err == nil && st.ModTime().After(last) {
			last = st.ModTime()
		}
		if name == "." || !filepath.IsLocal(name) {
			return last, nil
		}
	}
}

// Followed reports whether all anchors were followed, by this process or an earlier one, since a
// file, given relative to the root, was last written. Then none has moved into it unnoticed.
func (s *Views) Followed(rel string) bool { return !s.writtenSinceFollowed(rel) }

// writtenSinceFollowed reports whether a file, or a folder above it, may have changed since then.
func (s *Views) writtenSinceFollowed(rel string) bool {
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return false // no anchor leads out of the workspace
	}
	followed, err := os.Stat(filepath.Join(s.place.CacheDir(), followedFile))
	if err != nil {
		return true
	}
	last, err := LastWritten(s.place.Root, rel)
	return err != nil || !last.Before(followed.ModTime().Add(-fileTick))
}

// forget drops the views, which nobody needs after the first Sync.
func (e *earlyViews) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.byPath = nil
}
