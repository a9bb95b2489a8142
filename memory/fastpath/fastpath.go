// Package fastpath answers hooks within a few milliseconds: the memories for a path and
// the session's brief. It is read-only and checks every memory against its file
// before it returns it. It must not know agents.
package fastpath

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/gitinfo"
	"manicule/indexer/sorting"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/branch"
	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/store"
	"manicule/memory/work"
)

// verified is how many memories are read again from their files for an answer. It exceeds what a
// nudge shows.
const verified = 12

// Memories is a workspace that is open for the duration of one hook.
type Memories struct {
	place  *workspace.Workspace
	scopes scope.Options
	rows   *store.FastReader
	files  *file.Reader
	now    func() time.Time
	skip   func(*file.Memory) bool // excludes memories; nil for none
	about  func(*file.Memory) bool // selects memories; nil for all
	agent  string                  // that asks
	during string                  // its session
	off    []string                // layers that are switched off
	// checkedOut returns the branch. Few memories belong to one, so git is read only for those.
	checkedOut func() string
	// named is the unit of work that the agent's host names, here the one under way. Few memories belong to a
	// mission, so it is looked up only for those.
	named, methodology string
	here               func() *file.WorkRef
}

// Open finds the workspace of a folder. A workspace without memories is not an error.
func Open(ctx context.Context, dir string, env workspace.Env) (*Memories, error) {
	place, err := workspace.Discover(dir, env)
	if err != nil {
		return nil, err
	}
	return At(ctx, place, time.Now)
}

// At is Open for a workspace that was found already. The ages of memories count up to now.
func At(ctx context.Context, place *workspace.Workspace, now func() time.Time) (m *Memories, err error) {
	if err := place.CheckNoLinks(); err != nil {
		return nil, err
	}
	m = &Memories{place: place, scopes: scope.Platform(), now: now, files: file.NewReader(place.MemoriesDir())}
	m.checkedOut = sync.OnceValue(func() string { return gitinfo.Branch(place.GitDir) })
	m.here = sync.OnceValue(func() *file.WorkRef {
		r, ok := work.Here(work.Load(place), m.named, m.checkedOut(), work.MethodAt(place.Root, m.methodology), nil)
		if !ok {
			return nil
		}
		return &r
	})
	m.rows, err = store.OpenFastReader(ctx, store.Config{CacheDir: place.CacheDir(), Dir: place.MemoriesDir(), Scopes: m.scopes, Now: now})
	if err != nil {
		return nil, fmt.Errorf("open the memories of %s: %w", place.Root, err)
	}
	return m, nil
}

// SetWork names the unit of work that the agent's host says is under way, "" if it says none, and the rules by which
// a branch tells one.
func (m *Memories) SetWork(named, methodology string) { m.named, m.methodology = named, methodology }

// Root is the workspace root.
func (m *Memories) Root() string { return m.place.Root }

// Place returns the workspace's identity and folders.
func (m *Memories) Place() *workspace.Workspace { return m.place }

// Close releases the files.
func (m *Memories) Close() error { return errors.Join(m.rows.Close(), m.files.Close()) }

// ForPath returns the memories that apply to a path, in recall order. The first ones match their
// current files.
func (m *Memories) ForPath(ctx context.Context, q memory.PathQuery) ([]memory.Hit, error) {
	rows, err := m.rows.Reaching(ctx, q)
	if err != nil {
		return nil, err
	}
	store.AsOf(rows, m.now())
	hits := memory.Applying(m.place.MemoriesDir(), m.scopes, rows, q.Path, q.Dir)
	return m.verify(hits, func(now *file.Memory, places []store.Place) bool {
		return memory.MatchPath(now, places, q.Path, q.Dir, m.scopes) != memory.MatchNone
	}), nil
}

// Brief returns the pinned and project-wide memories, most important first, and the total number of
// memories.
func (m *Memories) Brief(ctx context.Context) (hits []memory.Hit, total int, err error) {
	rows, total, err := m.rows.Brief(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, h := range m.hits(rows) {
		if h.Memory.Pinned || (h.Memory.Scope == nil && len(h.Memory.Anchors) == 0) {
			h.Match = memory.MatchProject
			hits = append(hits, h)
		}
	}
	return m.verify(byWeight(hits), func(*file.Memory, []store.Place) bool { return true }), total, nil
}

// Files returns the memories with some paths below the memories folder, most important first. The
// first ones match their current files.
func (m *Memories) Files(ctx context.Context, paths []string) ([]memory.Hit, error) {
	rows, err := m.rows.ByPaths(ctx, paths)
	if err != nil {
		return nil, err
	}
	return m.verify(byWeight(m.hits(rows)), func(*file.Memory, []store.Place) bool { return true }), nil
}

// Counts returns a function that counts the memories with a word or a compound name, up to most, and
// all memories. It counts each once.
func (m *Memories) Counts() func(words string, most int) (n, total int) {
	known := map[string]int{}
	total := -1
	return func(text string, most int) (int, int) {
		if total < 0 {
			total = m.rows.Total()
		}
		n, ok := known[text]
		if !ok {
			n = m.rows.Having(text)
			known[text] = n
		}
		return min(n, most), total
	}
}

// Get reads the memories of some ids from their files, in that order.
func (m *Memories) Get(ctx context.Context, ids []string) ([]memory.Hit, error) {
	rows, err := m.rows.ByUUID(ids)
	if err != nil {
		return nil, err
	}
	hits := m.hits(rows)
	sorting.Func(hits, func(a, b memory.Hit) int { return slices.Index(ids, a.Memory.UUID) - slices.Index(ids, b.Memory.UUID) })
	return m.verify(hits, func(*file.Memory, []store.Place) bool { return true }), nil
}

// byWeight orders pinned, important, verified and confident memories first.
func byWeight(hits []memory.Hit) []memory.Hit {
	type weighed struct {
		memory.Hit
		confidence float64
	}
	list := make([]weighed, len(hits))
	for i, h := range hits {
		list[i] = weighed{h, h.Confidence()}
	}
	sorting.Func(list, func(a, b weighed) int {
		return cmp.Or(
			file.TrueFirst(a.Memory.Pinned, b.Memory.Pinned),
			cmp.Compare(b.Memory.Importance.Rank(), a.Memory.Importance.Rank()),
			file.TrueFirst(a.Memory.Trust.VerifiedBy != "", b.Memory.Trust.VerifiedBy != ""),
			cmp.Compare(b.confidence, a.confidence),
			cmp.Compare(a.Memory.Layer.Rank(), b.Memory.Layer.Rank()),
			cmp.Compare(a.Memory.UUID, b.Memory.UUID),
		)
	})
	out := make([]memory.Hit, len(list))
	for i, w := range list {
		out[i] = w.Hit
	}
	return out
}

func (m *Memories) hits(rows []store.Row) []memory.Hit {
	store.AsOf(rows, m.now())
	return memory.Hits(m.place.MemoriesDir(), m.scopes, rows)
}

// Skip excludes the memories for which skip is true from all later answers.
func (m *Memories) Skip(skip func(*file.Memory) bool) { m.skip = skip }

// About selects the memories of all later answers, by what the index knows of them: what is not selected is not read from
// its file.
func (m *Memories) About(about func(*file.Memory) bool) { m.about = about }

// For leaves out of all later answers what belongs to another agent than this one, or to another session.
func (m *Memories) For(agent, session string) { m.agent, m.during = agent, session }

// Without switches layers off for all later answers.
func (m *Memories) Without(layers []string) { m.off = layers }

// maxSkipped limits how many files are read to find excluded memories.
const maxSkipped = 150

// verify reads the first hits from their files. It drops removed memories and updates edited ones, in place.
func (m *Memories) verify(hits []memory.Hit, keep func(*file.Memory, []store.Place) bool) []memory.Hit {
	out := hits[:0] // in place: a file may have a thousand
	looked := 0
	for _, h := range hits {
		if slices.Contains(m.off, string(h.Memory.Layer)) || m.about != nil && !m.about(h.Memory) {
			continue
		}
		imported := m.skip != nil && h.Memory.Trust.Origin == file.Import
		if imported {
			if looked++; looked > maxSkipped {
				continue // whether to exclude it is unknown
			}
		}
		if len(out) < verified || imported {
			now, err := m.read(h.Path)
			if file.IsUnreadable(err) { // a temporary fault: it more likely still exists
				out = append(out, h)
				continue
			}
			if err != nil || now.UUID != h.Memory.UUID {
				continue
			}
			if now.Trust.Deprecated != nil || m.skip != nil && m.skip(now) || branch.Elsewhere(now, m.checkedOut) || work.Elsewhere(now, m.here) || now.HiddenFrom(m.agent, m.during) {
				continue
			}
			if !sameAnchors(h.Memory, now) {
				h.Places = nil // they belong to other anchors
			}
			if !keep(now, h.Places) {
				continue
			}
			h = judged(h, now)
		}
		out = append(out, h)
	}
	return out
}

// read reads a memory's file by its absolute path.
func (m *Memories) read(name string) (*file.Memory, error) {
	rel, err := filepath.Rel(m.place.MemoriesDir(), name)
	if err != nil {
		return file.Read(name)
	}
	return m.files.Read(filepath.ToSlash(rel))
}

// judged returns a hit with its memory as the file has it now. If the text differs from the judged
// one, none of it is shown.
func judged(h memory.Hit, now *file.Memory) memory.Hit {
	was := h.Judged
	if was == "" && !h.Unjudged {
		was = h.Memory.TextKey()
	}
	if h.Unjudged || now.TextKey() != was {
		h.Memory, h.Unjudged = store.WithoutText(now), true
		return h
	}
	now.Trust.Unreviewed = h.Memory.Trust.Unreviewed
	h.Memory = now
	return h
}

// sameAnchors reports whether an outline still fits its file, as far as it knows.
func sameAnchors(outline, now *file.Memory) bool {
	return slices.EqualFunc(outline.Anchors, now.Anchors, func(a, b anchor.Anchor) bool { return a.Path == b.Path })
}
