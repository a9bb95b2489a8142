package branches

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/branch"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
	"manicule/memory/thread"
	"manicule/memory/units"
	"manicule/memory/work"
)

// List is the list of a workspace's branches with what was written on them. It is safe for concurrent use by goroutines
// and processes.
type List struct {
	place    *workspace.Workspace
	seen     seen
	drafts   drafts
	threads  threads
	memories memories
	maker    maker
	units    *units.List
	register *work.Register
	now      func() time.Time
	getenv   func(string) string
}

// seen are the branches as they were last seen. [store.Branches] keeps them.
type seen interface {
	All(ctx context.Context) ([]branch.Seen, error)
	Put(ctx context.Context, list []branch.Seen) error
}

// drafts are what waits for a person. [store.Drafts] keeps it.
type drafts interface {
	Put(ctx context.Context, d store.DraftRow) (same string, status store.DraftStatus, merged bool, err error)
}

// threads are those that sessions left on branches. [store.Threads] keeps them.
type threads interface {
	All(ctx context.Context) ([]thread.Thread, error)
	Set(ctx context.Context, t thread.Thread) (thread.Thread, error)
}

// memories changes the memories that belong to a branch.
type memories interface {
	Edits() *memory.Edits
	Forgotten() *memory.Forgotten
}

// maker makes memories that are proposed. [memory.Maker] does.
type maker interface {
	NewMemory(ctx context.Context, d memory.Draft) (*file.Memory, error)
	CheckDraft(ctx context.Context, m *file.Memory, tolerated ...gate.Code) error
	BranchName(name string) string
}

// Of returns the branches of a workspace.
func Of(w *memory.Workspace) *List {
	return &List{place: w.Place(), seen: w.State().Branches(), drafts: w.State().Drafts(), threads: w.State().Threads(), memories: w, maker: w.Maker(), units: units.Of(w), register: w.Work(), now: w.Now, getenv: w.Getenv}
}

// Settled is what became of a branch, and of what was written on it.
type Settled struct {
	branch.Seen
	Default   string
	Threads   int // that now concern the project, or are parked
	Memories  int // personal ones that now concern the project, or are forgotten
	Waiting   int // personal ones that are forgotten in a week, unless the work reaches the default branch
	Kept      int // personal ones that tell what failed on a deleted branch
	Units     int // units of work that were begun on it, and are accepted or abandoned with it
	Proposals int // failures that its own memories tell of, and that wait for a review
}

// forgetAfter is how long personal memories outlive their branch. A pull request may be fetched long
// after its branch was deleted.
const forgetAfter = 7 * 24 * time.Hour

// Forgotten is when the personal memories of a deleted branch are forgotten. Until then they are retired: no agent is
// told of them.
func Forgotten(b branch.Seen) time.Time { return b.Since.Add(forgetAfter) }

// Settle looks at what became of the repository's branches. What a person wrote for
// themselves on one, and the threads that sessions left there, concern the whole project once its
// work has reached the default branch. If it was deleted before, threads are parked, and a week later
// personal memories are forgotten, but for those of what failed, which stay true. What failed
// according to memories that were committed on it is proposed for review. A branch whose work is found
// on the default one after all, as after a fetch, is settled again.
func (l *List) Settle(ctx context.Context) ([]Settled, error) {
	base, tips := gitinfo.DefaultBranch(l.place.GitDir, l.place.GitCommonDir, l.getenv)
	if base == "" || !l.place.IsSetUp() {
		return nil, nil
	}
	known, err := l.seen.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the branches: %w", err)
	}
	held, err := l.heldByBranches(ctx)
	if err != nil {
		return nil, err
	}
	note, err := branch.Look(ctx, l.place, l.getenv, known, slices.Sorted(maps.Keys(held)), l.now())
	if err != nil {
		return nil, fmt.Errorf("look at the branches: %w", err)
	}
	var out []Settled
	was := map[string]branch.State{}
	for _, b := range known {
		was[b.Name] = b.State
	}
	for _, b := range latest(known, note) {
		changed := was[b.Name] != b.State
		if b.State == branch.Live || !changed && held[b.Name] == nil { // another worktree may hold some
			continue
		}
		s := Settled{Seen: b, Default: base}
		if err := l.settleBranch(ctx, &s, held[b.Name]); err != nil {
			return out, fmt.Errorf("settle branch %s: %w", b.Name, err)
		}
		if changed && b.State == branch.Gone && b.RenamedTo == "" {
			if err := l.proposeFailures(ctx, &s, tips); err != nil {
				return out, fmt.Errorf("look for failures on branch %s: %w", b.Name, err)
			}
		}
		if changed || s.Threads+s.Memories+s.Units > 0 {
			out = append(out, s)
		}
	}
	if len(note) > 0 { // after the work: a process that was killed does it again
		if err := l.seen.Put(ctx, note); err != nil {
			return out, fmt.Errorf("note the branches: %w", err)
		}
	}
	return out, nil
}

// latest returns the branches that are known, as they are noted now.
func latest(known, note []branch.Seen) []branch.Seen {
	byName := map[string]branch.Seen{}
	for _, b := range slices.Concat(known, note) {
		byName[b.Name] = b
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b branch.Seen) int { return strings.Compare(a.Name, b.Name) })
}

// onBranch is what was written on a branch and is not settled.
type onBranch struct {
	threads  []thread.Thread
	memories []*file.Memory
	units    []work.Unit
}

func (l *List) heldByBranches(ctx context.Context) (map[string]*onBranch, error) {
	list, err := l.threads.All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the threads: %w", err)
	}
	out := map[string]*onBranch{}
	of := func(name string) *onBranch {
		if out[name] == nil {
			out[name] = &onBranch{}
		}
		return out[name]
	}
	for _, t := range list {
		if t.Branch != "" && !t.State.Closed() {
			of(t.Branch).threads = append(of(t.Branch).threads, t)
		}
	}
	_, open, err := l.register.Open(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range open {
		if u.Branch != "" && u.Branch != work.AllBranches && u.Kind != work.Mission { // a mission has several
			of(u.Branch).units = append(of(u.Branch).units, u)
		}
	}
	own, err := l.Personal(ctx)
	for name, list := range own {
		of(name).memories = list
	}
	return out, err
}

// Personal returns the personal memories that belong to branches, by the branch. It reads their
// files.
func (l *List) Personal(ctx context.Context) (map[string][]*file.Memory, error) {
	out := map[string][]*file.Memory{}
	for _, rel := range file.Folders() {
		if path.Base(rel) != "personal" {
			continue
		}
		dir := filepath.Join(l.place.MemoriesDir(), filepath.FromSlash(rel))
		if errors.Is(treefile.CheckNoLinks(dir), treefile.ErrLink) {
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list the personal memories: %w", err)
		}
		for _, e := range entries {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if !file.IsMemoryPath(rel + "/" + e.Name()) {
				continue
			}
			m, err := file.Read(filepath.Join(dir, e.Name()))
			if err == nil && m.Provenance != nil && m.Provenance.Branch != "" { // another file is not ours to settle
				out[m.Provenance.Branch] = append(out[m.Provenance.Branch], m)
			}
		}
	}
	return out, nil
}

func (l *List) settleBranch(ctx context.Context, s *Settled, held *onBranch) error {
	if held == nil {
		held = &onBranch{}
	}
	for _, t := range held.threads {
		if !s.settle(&t) {
			continue
		}
		switch _, err := l.threads.Set(ctx, t); {
		case err == nil:
			s.Threads++
		case !errors.Is(err, store.ErrThreadChanged): // somebody else decides about it
			return err
		}
	}
	for _, u := range held.units {
		if err := l.settleWork(ctx, s, u); err != nil {
			return err
		}
	}
	for _, m := range held.memories {
		done, err := l.settleMemory(ctx, s, m)
		if err != nil {
			return err
		}
		switch {
		case !done:
		case s.State == branch.Gone && s.RenamedTo == "" && work.IsFailure(m.Type):
			s.Kept++
		default:
			s.Memories++
		}
	}
	return nil
}

// settle gives a thread its state after its branch; false if nothing changes.
func (s *Settled) settle(t *thread.Thread) bool {
	switch {
	case s.RenamedTo != "":
		t.Branch = s.RenamedTo
	case s.State == branch.Reached:
		if t.State == thread.StateParked && t.Resolution == s.deleted() { // its branch reached the default one after all
			t.State, t.Resolution = thread.StateOpen, ""
		}
		t.Branch = s.Default
	case t.State == thread.StateOpen:
		t.State, t.Resolution = thread.StateParked, s.deleted()
	default:
		return false
	}
	return true
}

// settleWork ends a unit of work with the branch that it was begun on: whoever merged its work accepted it, and whoever
// deleted the branch gave it up.
func (l *List) settleWork(ctx context.Context, s *Settled, u work.Unit) error {
	if s.RenamedTo != "" {
		_, err := l.units.Move(ctx, u, s.RenamedTo)
		return err
	}
	to, why := work.Abandoned, s.deleted()
	if s.State == branch.Reached {
		to, why = work.Accepted, s.Name+" reached "+s.Default
	}
	_, err := l.units.Set(ctx, u.Key(), to, why, "", false)
	if err == nil {
		s.Units++
	}
	return err
}

// deleted is the reason why something is retired together with its branch.
func (s *Settled) deleted() string {
	return "its branch " + s.Name + " was deleted before it reached " + s.Default
}

func (l *List) settleMemory(ctx context.Context, s *Settled, m *file.Memory) (done bool, err error) {
	name, note := "", s.Name+" reached "+s.Default
	switch {
	case s.RenamedTo != "":
		name, note = l.maker.BranchName(s.RenamedTo), s.Name+" was renamed to "+s.RenamedTo
	case s.State == branch.Gone && work.IsFailure(m.Type):
		note = "what failed on " + s.Name + ", which was deleted"
	case s.State == branch.Gone && l.now().Sub(s.Since) < forgetAfter:
		s.Waiting++
		return false, nil
	case s.State == branch.Gone:
		err := l.memories.Forgotten().ForgetBecause(ctx, m.UUID, s.deleted())
		return err == nil, ignoreMissing(err)
	}
	if l.maker.BranchName(s.Name) == "" || s.RenamedTo != "" && name == "" {
		note = "its branch has a secret in its name"
	}
	r, err := l.memories.Edits().Change(ctx, m.UUID, func(m *file.Memory) error {
		if m.Provenance == nil || m.Provenance.Branch != s.Name {
			return errSettled
		}
		m.LeaveBranch()
		m.Provenance.Branch = name
		return nil
	}, "promote", note)
	if errors.Is(err, errSettled) {
		return false, nil
	}
	return r.Accepted, ignoreMissing(err)
}

// errSettled is returned for a memory that another process has settled meanwhile.
var errSettled = errors.New("the memory is settled")

// ignoreMissing drops the error about a memory that somebody removed meanwhile.
func ignoreMissing(err error) error {
	if errors.Is(err, memory.ErrNotFound) {
		return nil
	}
	return err
}

// Limits of what is looked at and proposed of the memories of a deleted branch.
const (
	maxBranchFiles = 5_000
	maxFailures    = 20
)

// proposeFailures proposes what failed according to the memories that were committed on a branch
// which is gone, and that no other branch has.
func (l *List) proposeFailures(ctx context.Context, s *Settled, tips []string) (err error) {
	repo := gittree.Open(l.place.GitDir, l.place.GitCommonDir, l.place.GitPrefix())
	defer func() { err = errors.Join(err, repo.Close()) }()
	tip, ok := repo.Tree(s.Tip)
	if !ok {
		return nil // git has dropped it
	}
	folder := workspace.Folder + "/memories"
	there := map[string]bool{} // names of the default branch's memory files
	for _, id := range tips {
		if t, ok := repo.Tree(id); ok {
			t.Subtree(folder).EachName(func(name string) { there[name] = true })
		}
	}
	for i, rel := range tip.Subtree(folder).Paths() {
		if i >= maxBranchFiles || s.Proposals >= maxFailures || ctx.Err() != nil {
			return ctx.Err()
		}
		if !file.IsMemoryPath(rel) || there[path.Base(rel)] {
			continue
		}
		data, err := repo.Blob(tip.Blob(folder + "/" + rel))
		if err != nil {
			continue
		}
		m, err := file.Parse(data)
		if err != nil || !work.IsFailure(m.Type) || m.Visibility == file.Personal || file.Exists(l.place.MemoriesDir(), m.UUID) {
			continue
		}
		done, err := l.proposeFailure(ctx, s, m)
		if err != nil {
			return err
		}
		if done {
			s.Proposals++
		}
	}
	return nil
}

// proposeFailure proposes what a memory of a deleted branch says. The branch may have been a
// stranger's: nothing but the text and its place is taken over.
func (l *List) proposeFailure(ctx context.Context, s *Settled, old *file.Memory) (done bool, err error) {
	details, err := old.ReadDetails()
	if err != nil {
		return false, nil //nolint:nilerr // a damaged one is left out
	}
	at, scope := l.placesElsewhere(old)
	m, err := l.maker.NewMemory(ctx, memory.Draft{
		Type: old.Type, What: old.What, Why: old.Why, At: at, Scope: scope, Tags: old.Tags, Details: details, Importance: old.Importance,
		Origin: file.ObserverInferred, Agent: true, Tool: "manicule", Tainted: old.Trust.Tainted, Visibility: file.Project,
	})
	if err == nil {
		err = l.maker.CheckDraft(ctx, m)
	}
	if err != nil {
		_, err = memory.Refusal(err) // a refused one is left out
		return false, err
	}
	_, _, merged, err := l.drafts.Put(ctx, store.DraftRow{Memory: m, Status: store.StatusCandidate, Tool: "manicule", Reason: "from branch " + s.Name + ", which was deleted before it reached " + s.Default})
	return !merged, err
}

// placesElsewhere returns where a memory's code is without its branch: the places whose files are
// there. If none is, it is about the nearest folder that is.
func (l *List) placesElsewhere(m *file.Memory) (at, scope []string) {
	isThere := func(rel string) bool {
		_, err := treefile.Lstat(l.place.Root, filepath.FromSlash(rel))
		return err == nil
	}
	for _, a := range m.Anchors {
		if isThere(a.Path) {
			at = append(at, a.Path)
		}
	}
	scope = m.Scope
	if len(at) == 0 && len(m.Anchors) > 0 && len(scope) == 0 {
		dir := path.Dir(m.Anchors[0].Path)
		for dir != "." && !isThere(dir) {
			dir = path.Dir(dir)
		}
		scope = []string{"**"}
		if dir != "." {
			scope = []string{dir + "/**"}
		}
	}
	return at, scope
}
