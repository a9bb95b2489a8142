// Package purge removes what Manicule keeps: the personal memories of a repository with every trace
// of their texts, all of a repository, or all on this machine. It looks for what stayed. It must
// not know who asked, nor touch what others own.
package purge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/inventory"
	"manicule/memory/leader"
	"manicule/memory/repair"
	"manicule/memory/store"
	"manicule/memory/work"
)

// Scope says how much is removed.
type Scope string

// The scopes.
const (
	Personal   Scope = "personal"  // personal memories and their traces
	Repository Scope = "workspace" // all that this machine keeps about the repository
	All        Scope = "all"       // all that this machine keeps about any
)

// Options says what to remove.
type Options struct {
	Scope    Scope
	Memories bool // with Repository: what git carries too: memory files, core documents, plans, shared threads
	Place    *workspace.Workspace
	Env      workspace.Env
	State    *store.State
	Now      func() time.Time
}

// Item is one thing that is removed, or cleaned of traces.
type Item struct {
	What    string `json:"what"`
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Cleaned bool   `json:"cleaned"` // it stays, without the traces
}

// Plan is what a purge will do.
type Plan struct {
	Items []Item
	Notes []string // what stays, and what to do about it

	o      Options
	places []*workspace.Workspace
	know   *knowledge
	listed map[string]bool // the paths of Items
}

// Result is what a purge did.
type Result struct {
	Removed []Item   `json:"removed"`
	Rows    int      `json:"rows"`    // of state.db
	Lines   int      `json:"lines"`   // of logs
	Vectors int      `json:"vectors"` // of the store that workspaces share
	Left    []string `json:"left"`    // files in which something of it was found afterwards
	Notes   []string `json:"-"`       // what went beside the plan, and why
}

// Prepare lists what a purge will remove. It removes nothing.
func Prepare(ctx context.Context, o Options) (*Plan, error) {
	p := &Plan{o: o, places: inventory.Places(o.Place, o.Env), listed: map[string]bool{}}
	err := p.checkNoLinks()
	if err != nil {
		return nil, err
	}
	p.know, err = learn(ctx, p.places, o.State, func(m *file.Memory, inFile bool) bool {
		switch {
		case m.Visibility == file.Personal || o.Scope == Repository && o.Memories:
			return true
		}
		return o.Scope != Personal && !inFile
	})
	if err != nil {
		return nil, err
	}
	switch o.Scope {
	case Personal:
		err = p.planPersonal(ctx)
	case Repository:
		err = p.planRepository(ctx)
	case All:
		err = p.planAll(ctx)
	}
	return p, err
}

// checkNoLinks refuses folders behind a link: what lies there could neither be removed nor searched.
func (p *Plan) checkNoLinks() error {
	dirs := []string{p.o.Place.StateDir()}
	for _, w := range p.places {
		dirs = append(dirs, w.CacheDir())
	}
	if common := p.o.Place.GitCommonDir; common != "" {
		dirs = append(dirs, filepath.Join(common, "manicule"))
	}
	if p.o.Scope == All {
		w := p.o.Place
		dirs = append(dirs, filepath.Dir(w.StateDir()), filepath.Dir(w.CacheDir()), filepath.Dir(w.ModelsDir()), filepath.Dir(w.UserConfigFile()))
	}
	for _, dir := range dirs {
		if st, err := os.Lstat(dir); err == nil && st.Mode()&fs.ModeSymlink != 0 {
			return &memory.UserError{Msg: dir + " is a link, and purge follows none: nothing was removed",
				Hint: "Put the folder itself in its place, or delete what the link names yourself."}
		}
	}
	return nil
}

// add lists a thing that exists.
func (p *Plan) add(ctx context.Context, what, path string, cleaned bool) error {
	if p.listed[path] || !inventory.Exists(path) {
		return nil
	}
	n, err := inventory.Size(ctx, path)
	if err != nil {
		return fmt.Errorf("measure %s: %w", path, err)
	}
	p.Items = append(p.Items, Item{what, path, n, cleaned})
	p.listed[path] = true
	return nil
}

func (p *Plan) planPersonal(ctx context.Context) error {
	var errs []error
	for _, path := range p.backups() {
		errs = append(errs, p.add(ctx, "backup", path, false))
	}
	errs = append(errs, p.add(ctx, "state that another one replaced", workspace.ReplacedState(p.o.Place), false), p.add(ctx, "open units of work", work.File(p.o.Place), false))
	errs = append(errs, p.add(ctx, "state, cleaned of personal memories", p.o.Place.StateDir(), true))
	for _, w := range p.places {
		errs = append(errs, p.add(ctx, "cache, made again from the files", w.CacheDir(), false))
	}
	return errors.Join(append(errs, p.addPersonalFiles(ctx), p.addProjectFiles(ctx, func(f inventory.ProjectFile) bool { return f.Made && p.know.contains(f.Data) }))...)
}

// addProjectFiles lists those of the files beside the memories that goes is true for.
func (p *Plan) addProjectFiles(ctx context.Context, goes func(inventory.ProjectFile) bool) error {
	for _, w := range p.places {
		files, err := inventory.ProjectFiles(ctx, w)
		if err != nil {
			return err
		}
		for _, f := range files {
			if !goes(f) {
				continue
			}
			what := f.What
			if f.Made {
				what += ", made again by an export"
			}
			if err := p.add(ctx, what, f.Path, false); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Plan) addPersonalFiles(ctx context.Context) error {
	for _, w := range p.places {
		files, err := inventory.MemoryFiles(ctx, w)
		if err != nil {
			return err
		}
		for _, f := range files {
			if f.Personal {
				if err := p.add(ctx, "personal memory", f.Path, false); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// backups lists copies of state.db, and databases that were set aside.
func (p *Plan) backups() (out []string) {
	list, err := os.ReadDir(p.o.Place.StateDir())
	if err != nil {
		return nil // there is no state
	}
	for _, e := range list {
		if n := e.Name(); strings.HasPrefix(n, "state.db.backup-") || strings.HasPrefix(n, "state.db.damaged-") || strings.HasPrefix(n, ".copy-") || n == repair.KeptFolder {
			out = append(out, filepath.Join(p.o.Place.StateDir(), n))
		}
	}
	return out
}

func (p *Plan) planRepository(ctx context.Context) error {
	var errs []error
	for _, w := range p.places {
		errs = append(errs, p.add(ctx, "cache", w.CacheDir(), false), p.add(ctx, "socket", w.Socket(), false))
		if p.o.Memories {
			errs = append(errs, w.CheckNoLinks(), p.add(ctx, "memories", w.MemoriesDir(), false))
		}
	}
	errs = append(errs, p.addPersonalFiles(ctx),
		p.addProjectFiles(ctx, func(f inventory.ProjectFile) bool { return p.o.Memories || f.Made && p.know.contains(f.Data) }),
		p.add(ctx, "state that another one replaced", workspace.ReplacedState(p.o.Place), false),
		p.add(ctx, "drafts, versions, tombstones, logs, ledger, backups", p.o.Place.StateDir(), false))
	if common := p.o.Place.GitCommonDir; common != "" { // the id last: it names the state
		if inventory.Exists(filepath.Join(common, "manicule", "init.json")) {
			p.Notes = append(p.Notes, "hooks and settings that `manicule init` wrote stay: run `manicule init --undo` first, or hooks begin to log again")
		}
		errs = append(errs, p.add(ctx, "the repository's id, and receipts of init", filepath.Join(common, "manicule"), false))
	}
	switch {
	case p.o.Scope == All:
		p.Notes = append(p.Notes, "what git may carry stays")
	case !p.o.Memories:
		p.Notes = append(p.Notes, "what git may carry stays: memories, core documents, plans of work, shared threads; --memories removes it")
	}
	return errors.Join(errs...)
}

func (p *Plan) planAll(ctx context.Context) error {
	w := p.o.Place
	err := p.planRepository(ctx)
	for _, x := range []struct{ what, path string }{
		{"sockets", filepath.Dir(w.Socket())}, {"caches and vectors", filepath.Dir(w.CacheDir())},
		{"models", filepath.Dir(w.ModelsDir())}, {"state of all repositories", filepath.Dir(w.StateDir())}, {"your settings", filepath.Dir(w.UserConfigFile())},
	} {
		err = errors.Join(err, p.add(ctx, x.what, x.path, false))
	}
	p.Items = slices.DeleteFunc(p.Items, func(it Item) bool { // part of another
		for dir := filepath.Dir(it.Path); ; dir = filepath.Dir(dir) {
			if p.listed[dir] || dir == filepath.Dir(dir) {
				return p.listed[dir]
			}
		}
	})
	p.Notes = append(p.Notes, "personal memory files in other repositories can't be found from here: `manicule purge --personal` in each removes them")
	return err
}

// locks lists the locks of the processes that may use what is removed.
func (p *Plan) locks() []string {
	var out []string
	for _, w := range p.places {
		out = append(out, w.LockFile())
	}
	if p.o.Scope == All {
		out = append(out, treefile.Glob(filepath.Dir(p.o.Place.CacheDir()), "*/"+filepath.Base(p.o.Place.LockFile()))...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// hold keeps servers out until release is called, or says which one is there.
func (p *Plan) hold(ctx context.Context) (release func(), err error) {
	var held []func()
	release = func() {
		for _, f := range held {
			f()
		}
	}
	for _, lock := range p.locks() {
		free, ok, err := leader.Hold(lock)
		if err == nil && ok {
			held = append(held, free)
			continue
		}
		release()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", lock, err)
		}
		return nil, p.inUse(ctx, lock)
	}
	return release, nil
}

func (p *Plan) inUse(ctx context.Context, lock string) error {
	who, socket := "a server", filepath.Join(filepath.Dir(p.o.Place.Socket()), filepath.Base(filepath.Dir(lock))+".sock")
	var h leader.Hello
	if leader.Ask(ctx, socket, "hello", nil, &h) == nil {
		who = fmt.Sprintf("`manicule %s` (process %d, in %s)", h.Role, h.PID, h.Root)
	}
	return &memory.UserError{Msg: who + " uses it, and would write it again: nothing was removed", Err: errInUse,
		Hint: "Close the editors and agents that have the workspace open, and run the command again."}
}

// errInUse is wrapped if a server has the workspace open.
var errInUse = errors.New("the workspace is in use")

// Run removes what the plan lists, and looks for what stayed. After a crash it can be run again: what
// the traces are known from goes last. With an error, the result says what was removed before it. When
// ctx ends, the item at hand still goes as a whole.
func (p *Plan) Run(ctx context.Context) (*Result, error) {
	release, err := p.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	r := &Result{Removed: []Item{}, Left: []string{}}
	if err := p.dropVectors(ctx, r); err != nil {
		return r, err
	}
	if p.o.Scope == Personal {
		if r.Lines, err = p.know.cleanLogs(ctx, p.o.Place.StateDir()); err != nil {
			return r, err
		}
	}
	for _, it := range p.Items {
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		if it.Cleaned {
			r.Rows, err = p.o.State.ErasePersonal(ctx, p.know.uuids, p.know.contains)
		} else if filepath.Clean(it.Path) == p.o.Place.StateDir() {
			err = p.o.State.Alone(ctx, func() error { return p.removeState(it.Path) })
		} else {
			err = remove(it.Path)
		}
		if err != nil {
			return r, fmt.Errorf("remove %s: %w", it.Path, err)
		}
		r.Removed = append(r.Removed, it)
	}
	if err := p.verify(ctx, r); err != nil {
		return r, fmt.Errorf("search what is left: %w", err)
	}
	return r, nil
}

// dropVectors removes the vectors of the removed texts, which workspaces share.
func (p *Plan) dropVectors(ctx context.Context, r *Result) error {
	if p.o.Scope == All {
		return nil // the store goes as a whole
	}
	keys, whole := p.know.keys, false
	for _, w := range p.places {
		if p.o.Scope == Personal {
			break
		}
		list, err := inventory.CodeKeys(ctx, w)
		if errors.Is(err, inventory.ErrDamaged) {
			whole = true
		} else if err != nil {
			return err
		}
		keys = append(keys, list...)
		files, err := inventory.MemoryFiles(ctx, w)
		if err != nil {
			return err
		}
		for _, f := range files { // they can be made again
			if f.Memory != nil {
				keys = append(keys, inventory.KeysOf(f.Memory)...)
			}
		}
	}
	v, err := inventory.Vectors(ctx, p.o.Place, p.o.Now)
	if v == nil || err != nil {
		return err
	}
	if whole {
		r.Notes = append(r.Notes, "the index of the code is damaged and can't say which of the shared vectors are its: all went, also those of other repositories, which make theirs again")
		r.Vectors, err = v.DropAll(ctx)
	} else {
		r.Vectors, err = v.Drop(ctx, keys)
	}
	return errors.Join(err, v.Close())
}

// remove removes a file or a folder. It follows no link: of one, only the link goes.
func remove(path string) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(root.RemoveAll(filepath.Base(path)), root.Close())
}

// removeState removes the state folder, the backups first: while they are there and the database is not, a process that
// begins now takes it for lost and restores it.
func (p *Plan) removeState(dir string) error {
	for _, b := range p.backups() {
		if err := remove(b); err != nil {
			return err
		}
	}
	return remove(dir)
}

// verify looks for things that are still there, and for the texts and ids of the removed memories in
// what stayed.
func (p *Plan) verify(ctx context.Context, r *Result) error {
	for _, it := range p.Items {
		if !it.Cleaned && inventory.Exists(it.Path) {
			r.Left = append(r.Left, it.Path)
		}
	}
	w := p.o.Place
	paths := []string{w.StateDir(), w.UserConfigFile(), filepath.Dir(w.Socket())}
	for _, x := range p.places {
		paths = append(paths, x.CacheDir(), filepath.Join(x.Root, workspace.Folder))
	}
	if w.GitCommonDir != "" {
		paths = append(paths, filepath.Join(w.GitCommonDir, "manicule"))
	}
	found, err := p.know.find(ctx, paths...)
	r.Left = append(r.Left, found...)
	slices.Sort(r.Left)
	r.Left = slices.Compact(r.Left)
	return err
}
