package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"manicule/indexer/atomicfile"
	"manicule/indexer/sorting"
	"manicule/indexer/workspace"
	"manicule/memory"
)

// receipt records the change of one file, so that undo can restore every byte.
type receipt struct {
	Root   string   `json:"root"`
	Path   string   `json:"path"`
	Was    string   `json:"was,omitempty"` // sha256 of the file before, "" if there was none
	Before []byte   `json:"before"`        // null if there was no file, and if Cut is used
	After  string   `json:"after"`         // sha256 of the file that init wrote
	Made   []string `json:"made"`          // folders that were made for it, outermost first
	Cut    *splice  `json:"cut,omitempty"`
}

// splice is the part that init replaced in a file outside of the workspace. Such a file
// may contain keys, so no copy of it is made.
type splice struct {
	Head int    `json:"head"` // length of the text before it
	Tail int    `json:"tail"` // length of the text after it
	Text []byte `json:"text"` // the replaced text
}

// remember prepares the receipt to restore before from after.
func (r *receipt) remember(before, after []byte) {
	r.After = digestOf(after)
	r.Was, r.Before, r.Cut = "", before, nil
	if before != nil {
		r.Was = digestOf(before)
	}
	if rel, err := filepath.Rel(r.Root, r.Path); before == nil || err == nil && filepath.IsLocal(rel) {
		return
	}
	c := &splice{}
	for c.Head < min(len(before), len(after)) && before[c.Head] == after[c.Head] {
		c.Head++
	}
	for c.Tail < min(len(before), len(after))-c.Head && before[len(before)-1-c.Tail] == after[len(after)-1-c.Tail] {
		c.Tail++
	}
	c.Text = before[c.Head : len(before)-c.Tail]
	r.Before, r.Cut = nil, c
}

// notApplied reports whether a file is as it was before the step: init ended in between, killed or for want of room.
func (r *receipt) notApplied(now []byte) bool {
	if now == nil {
		return r.After != "" && r.Was == "" && r.Before == nil && r.Cut == nil
	}
	return r.Was == digestOf(now)
}

// isOf reports whether a file is as init left it.
func (r *receipt) isOf(now []byte) bool {
	if c := r.Cut; c != nil && (c.Head < 0 || c.Tail < 0 || c.Head > len(now) || c.Tail > len(now)-c.Head) {
		return false // somebody changed the receipt
	}
	return digestOf(now) == r.After
}

// restore returns the file before init, given the one that init left, of which the receipt is.
func (r *receipt) restore(now []byte) []byte {
	if r.Cut == nil {
		return r.Before
	}
	return slices.Concat(now[:r.Cut.Head], r.Cut.Text, now[len(now)-r.Cut.Tail:])
}

// receiptsName is the file of receipts in git's own folder, which worktrees share, and in the state folder. Who unpacks an
// archive of a repository gets git's folder from somebody else, so that one holds the receipts of files of the repository
// alone: what it says of other files would have undo write and delete them.
const receiptsName = "init.json"

// receipts keeps the receipts of a workspace, and those of what it shares with others.
type receipts struct {
	place *workspace.Workspace
	git   gitFiles
}

func (s *Setup) receipts() receipts { return receipts{place: s.Place, git: s.gitFiles()} }

// repositoryFile returns the file of the receipts of a repository's own files, "" without git.
func (rs receipts) repositoryFile() string {
	if rs.place.GitCommonDir == "" {
		return ""
	}
	return filepath.Join(rs.place.GitCommonDir, workspace.GitFolder, receiptsName)
}

// stateFile returns the file of all other receipts.
func (rs receipts) stateFile() string { return filepath.Join(rs.place.StateDir(), receiptsName) }

// ofRepository reports whether what a receipt names lies, links followed, in git's folder or in the tree of its root.
func (rs receipts) ofRepository(r receipt, path string) bool {
	common, root := rs.place.GitCommonDir, r.Root
	if !filepath.IsAbs(path) || common == "" {
		return false
	}
	if rs.git.isShared(r.Path) { // each root takes it back, whichever the receipt names
		root = rs.place.Root
	}
	top := topOf(root)
	return inside(common, path) || top != "" && inside(top, path) || inside(root, path)
}

func (rs receipts) read() ([]receipt, error) {
	var list []receipt
	if name := rs.repositoryFile(); name != "" {
		var err error
		if list, err = readReceiptFile(name); errors.Is(err, fs.ErrPermission) {
			return nil, &memory.UserError{Msg: "another user ran `manicule init` in this checkout: " + err.Error(), Err: err,
				Hint: "What it wrote in the checkout is for all who work in it, so have that user run it with the agents that you need. For a setup of your own, use a clone."}
		}
		if err != nil {
			return nil, err
		}
	}
	for i, r := range list {
		outside := func(path string) bool { return !rs.ofRepository(r, path) }
		if r.Path != "" && outside(r.Path) {
			list[i] = receipt{Root: r.Root} // that the root is set up holds
			continue
		}
		list[i].Made = slices.DeleteFunc(r.Made, outside)
	}
	own, err := readReceiptFile(rs.stateFile())
	return append(list, own...), err
}

func readReceiptFile(name string) ([]receipt, error) {
	data, err := Read(name)
	if err != nil || data == nil {
		return nil, err
	}
	var list []receipt
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, &memory.UserError{Msg: fmt.Sprintf("%s can't be read: %v", name, err), Err: err,
			Hint: "Delete it; undo then removes what it recognizes."}
	}
	for i, r := range list {
		if name := filepath.Base(r.Path); name == "config" || name == "exclude" { // earlier versions did not follow links to them
			list[i].Path = workspace.RealPath(r.Path)
		}
	}
	return list, nil
}

func (rs receipts) write(list []receipt) error {
	var own, others []receipt
	for _, r := range list {
		if rs.place.GitCommonDir != "" && (r.Path == "" || rs.ofRepository(r, r.Path)) {
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	if name := rs.repositoryFile(); name != "" {
		if st, err := os.Lstat(filepath.Dir(name)); err == nil && !st.IsDir() {
			return &memory.UserError{Msg: filepath.Dir(name) + " is no folder, so it is not written to", Hint: "Remove it, and run this again."}
		}
		if err := writeReceiptFile(name, own, 0o777); err != nil {
			return err
		}
	}
	return writeReceiptFile(rs.stateFile(), others, 0o700)
}

func writeReceiptFile(name string, list []receipt, folder fs.FileMode) error {
	if len(list) == 0 {
		if err := os.Remove(name); err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove the receipts of init: %w", err)
			}
			return nil
		}
		_ = os.Remove(filepath.Dir(name)) // stays if it is not empty
		return nil
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return fmt.Errorf("write the receipts of init: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(name), folder); err != nil {
		return fmt.Errorf("write the receipts of init: %w", err)
	}
	return atomicfile.Write(name, append(data, '\n'), 0o600)
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// missingParents lists the missing parent folders of path, outermost first.
func missingParents(path string) []string {
	var out []string
	for dir := filepath.Dir(path); dir != filepath.Dir(dir) && !Exists(dir); dir = filepath.Dir(dir) {
		out = append(out, dir)
	}
	slices.Reverse(out)
	return out
}

// add adds the receipt of a step before it is applied. Undo restores the first state of
// a file, however often init ran. If somebody else changed the file meanwhile, undo only
// removes what it recognizes. ours is what undo would leave of the files in which it recognizes something now, by path:
// without a receipt that was written by an earlier version, and is not to be restored.
func (rs receipts) add(list []receipt, x Step, ours map[string][]byte) []receipt {
	for i, r := range list {
		if r.Path != x.Path || r.Root != rs.place.Root && !rs.git.isShared(x.Path) {
			continue
		}
		switch {
		case r.notApplied(x.Before):
			list[i].remember(x.Before, x.After)
		case r.isOf(x.Before):
			list[i].remember(r.restore(x.Before), x.After)
		default:
			list[i].After, list[i].Was, list[i].Before, list[i].Cut = "", "", nil, nil
		}
		return list
	}
	before := x.Before
	if without, ok := ours[x.Path]; ok {
		before = without
	}
	r := receipt{Root: rs.place.Root, Path: x.Path, Made: missingParents(x.Path)}
	r.remember(before, x.After)
	return append(list, r)
}

// apply replaces undo's guesses by the receipts. A file that is still as init left it
// is restored byte by byte. Files that init wrote elsewhere (another core.hooksPath) are
// added. A file that roots share has one receipt, which may name a root that is gone.
func (rs receipts) apply(steps []Step, list []receipt, others []string) ([]Step, error) {
	var folders []string
	for _, r := range list {
		if shared := r.Path != "" && rs.git.isShared(r.Path); shared && rs.git.usedBy(r.Path, others) != "" || !shared && r.Root != rs.place.Root {
			continue
		}
		if filepath.Base(r.Path) == ".gitignore" && !slices.ContainsFunc(steps, func(s Step) bool { return s.Path == r.Path }) {
			continue // it still keeps personal memories out of git
		}
		folders = append(folders, r.Made...)
		if r.Path == "" {
			continue // of a use alone
		}
		now, err := Read(r.Path)
		if err != nil {
			return nil, err
		}
		if now == nil {
			continue
		}
		i := slices.IndexFunc(steps, func(s Step) bool { return s.Path == r.Path })
		switch {
		case r.isOf(now):
			s := Step{Path: r.Path, Before: now, After: r.restore(now), Mode: 0o666, What: "as it was"}
			if i >= 0 {
				s.What = steps[i].What
				steps[i] = s
			} else {
				steps = append([]Step{s}, steps...)
			}
		case i < 0:
			if after, trouble := removeBlock("", now, ""); trouble == "" && string(after) != string(now) {
				steps = append([]Step{{Path: r.Path, Before: now, After: after, Mode: 0o777, What: "git hook"}}, steps...)
			}
		}
	}
	sorting.Func(folders, func(a, b string) int { return len(b) - len(a) }) // innermost first
	for _, f := range slices.Compact(folders) {
		steps = append(steps, Step{Path: f, Before: []byte{}, Folder: true})
	}
	return steps, nil
}

// addUse records that a root was set up where init found nothing to change.
func addUse(list []receipt, root string) ([]receipt, bool) {
	if slices.ContainsFunc(list, func(r receipt) bool { return r.Root == root }) {
		return list, false
	}
	return append(list, receipt{Root: root}), true
}

// without removes the receipts of what undo has taken back. Another root inherits those of what it uses too.
func (rs receipts) without(list []receipt) []receipt {
	root, others := rs.place.Root, otherRoots(list, rs.place.Root)
	var out []receipt
	for _, r := range list {
		user := ""
		shared := r.Path != "" && rs.git.isShared(r.Path)
		if shared {
			user = rs.git.usedBy(r.Path, others)
		}
		switch {
		case user != "" && r.Root == root:
			r.Root = user
		case user == "" && (shared || r.Root == root):
			continue
		}
		out = append(out, r)
	}
	return out
}
