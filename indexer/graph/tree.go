package graph

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"manicule/indexer/extract"
	"manicule/indexer/hashing"
	"manicule/indexer/ignore"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
)

// tree is what an index knows of the files of its workspace: what is stored of each, and how that
// differs from the disk. It knows nothing of their symbols. The mutex of the [Index] guards it.
type tree struct {
	root string
	log  *slog.Logger
	s    *store

	rows    map[string]*row // by path; nil until they are read
	paths   []string        // indexed paths and build files, which define the project, sorted
	ignored *ignore.Matcher // nil until the tree is walked
	build   string          // a summary of the build files
	faults  *faultLog
}

// forget drops what was read of the database.
func (t *tree) forget() { t.rows, t.paths = nil, nil }

// readRows reads the stored metadata of all files, unless it is in memory.
func (t *tree) readRows(ctx context.Context) error {
	if t.rows != nil {
		return nil
	}
	return t.readRowsAgain(ctx)
}

func (t *tree) readRowsAgain(ctx context.Context) error {
	rows, err := t.s.rows(ctx)
	if err != nil {
		return err
	}
	t.rows = rows
	return t.faults.load(ctx, t.s)
}

// onDisk lists the files to index.
func (t *tree) onDisk(ctx context.Context) ([]found, error) {
	if t.ignored == nil {
		m, err := ignore.New(t.root)
		if err != nil {
			return nil, err
		}
		t.ignored = m
	}
	t.ignored.Invalidate()
	return walk(ctx, t.root, t.ignored)
}

// statPath stats one path as walk would.
func (t *tree) statPath(p string) (found, bool) {
	info, err := treefile.Lstat(t.root, p)
	if err != nil || !info.Mode().IsRegular() {
		return found{}, false
	}
	lang := languageOf(p)
	if lang == "" && !resolve.BuildFile(p) || t.ignores(p) || elsewhere(t.root, p) {
		return found{}, false
	}
	return found{path: p, lang: lang, stat: statOf(info)}, true
}

// ignores reports whether a file is ignored, as far as that is known.
func (t *tree) ignores(p string) bool { return t.ignored != nil && t.ignored.Ignored(p, false) }

// racyWindow is how much later than its last change a file must have been read for its
// times to prove that it is unchanged (as in git's index).
const racyWindow = 20 * time.Millisecond

// changed returns the files that are new or have other content than what is stored. seen is when they were listed.
func (t *tree) changed(ctx context.Context, files []found, seen int64) ([]found, error) {
	var changed []found
	for _, f := range files {
		r := t.rows[f.path]
		if r == nil || r.stat != f.stat || r.seen-f.stat.mtime < int64(racyWindow) || r.lang != f.lang {
			changed = append(changed, f)
		}
	}
	if len(changed) > fewChanges {
		return changed, nil
	}
	return t.dropUnchanged(ctx, changed, seen)
}

// fewChanges is how many files are compared by content before the graph is loaded.
const fewChanges = 64

// dropUnchanged drops files with unchanged content: touched, or so young that their
// times prove nothing. Usually there are few, and then the graph need not be loaded to
// find that there is nothing to do.
func (t *tree) dropUnchanged(ctx context.Context, changed []found, seen int64) ([]found, error) {
	var same []*row
	kept := changed[:0:0]
	for _, f := range changed {
		old := t.rows[f.path]
		if old == nil || old.lang != f.lang || f.stat.size > extract.MaxSize {
			kept = append(kept, f)
			continue
		}
		src, err := treefile.ReadWithin(t.root, f.path, extract.MaxSize)
		if sum := hashing.Sum256(src); err != nil || !bytes.Equal(sum[:hashBytes], old.hash) {
			kept = append(kept, f)
			continue
		}
		r := *old
		r.stat, r.seen = f.stat, seen
		same = append(same, &r)
	}
	if len(same) == 0 {
		return kept, nil
	}
	err := t.s.note(ctx, func(b *batch) error { // with the times that another process knows, it compares the file once more
		for _, r := range same {
			if err := b.putFile(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, r := range same {
		t.rows[r.path] = r
	}
	return kept, nil
}

// gone returns the indexed files that are not among those on disk, sorted.
func (t *tree) gone(onDisk []found) (gone []string) {
	have := make(map[string]bool, len(onDisk))
	for _, f := range onDisk {
		have[f.path] = true
	}
	for p := range t.rows {
		if !have[p] {
			gone = append(gone, p)
		}
	}
	slices.Sort(gone)
	return gone
}

// stale returns the ids of the files whose edges an interrupted run left unreliable.
func (t *tree) stale() (ids []int32) {
	for _, row := range t.rows {
		if row.stale {
			ids = append(ids, row.id)
		}
	}
	return ids
}

// interrupted reports whether the last synchronization did not finish.
func (t *tree) interrupted(ctx context.Context) (bool, error) {
	if len(t.rows) == 0 {
		return false, nil
	}
	pairs, err := t.s.meta(ctx, metaDispatch)
	return pairs == "", err
}

// newIDs assigns ids to new files before any is read: the order of reading differs
// from run to run, and the graph must not.
func (t *tree) newIDs(files []found) map[string]int32 {
	out := map[string]int32{}
	next := t.nextID()
	for _, f := range files {
		if t.rows[f.path] == nil {
			out[f.path] = next
			next++
		}
	}
	return out
}

func (t *tree) nextID() int32 {
	id := int32(0)
	for _, r := range t.rows {
		id = max(id, r.id)
	}
	return id + 1
}

// listPaths makes paths those of the indexed files.
func (t *tree) listPaths() {
	t.paths = t.paths[:0:0]
	for p := range t.rows {
		t.paths = append(t.paths, p)
	}
	slices.Sort(t.paths)
}

// project reads the build files. They refer to each other (a tsconfig extends
// another), so no path may lead out of the workspace, neither by dots nor by a link.
func (t *tree) project() *resolve.Project {
	root, err := os.OpenRoot(t.root)
	if err != nil {
		t.log.Warn("read the build files", "root", t.root, "err", err)
		return resolve.NewProject(t.paths, func(string) ([]byte, error) { return nil, err })
	}
	defer func() { _ = root.Close() }() // it was only read
	p := resolve.NewProject(t.paths, func(p string) ([]byte, error) { return readBuild(root, p) })
	t.faults.noteAll(p.Faults())
	return p
}

// readBuild reads a build file by its path below the root, with slashes. The path may
// come from another build file, so anything that is not a regular file of moderate
// size is not read.
func readBuild(root *os.Root, p string) ([]byte, error) {
	name := filepath.FromSlash(p)
	info, err := root.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read a build file: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > extract.MaxSize {
		return nil, fmt.Errorf("%s is not a build file", p)
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read a build file: %w", err)
	}
	return data, nil
}

// buildFiles summarizes the contents of the build files.
func (t *tree) buildFiles() string {
	h := sha256.New()
	for _, p := range t.paths {
		if resolve.BuildFile(p) {
			_, _ = fmt.Fprintf(h, "%s %x\n", p, t.rows[p].hash) // never fails
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// prioritize moves the open files to the front, followed by those of the same folders.
func prioritize(files []found, first []string) {
	if len(first) == 0 {
		return
	}
	rank := func(p string) int {
		best := 2
		for _, f := range first {
			if f == p {
				return 0
			}
			if path.Dir(f) == path.Dir(p) {
				best = 1
			}
		}
		return best
	}
	sorting.StableFunc(files, func(a, b found) int { return rank(a.path) - rank(b.path) })
}
