package workspace

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"manicule/indexer/treefile"
)

// homeName is the file of a state folder that names the git folder whose state it is.
const homeName = "repository"

// settled is how long a state folder has named its repository until nothing but the end of that changes it.
const settled = 7 * 24 * time.Hour

// boundID returns the id under which a repository has its state: the one that it names, unless that is a copy's. A repository
// that was copied, or unpacked from an archive, has the id of the other one in it, and would read and write the state of
// that: drafts, personal settings, whom is trusted. It gets an id of its own. One that was moved keeps its state.
func (w *Workspace) boundID(id, path string) string {
	was := w.holder(id)
	home := filepath.Join(w.stateHome, id, homeName)
	switch {
	case was == w.GitCommonDir:
		return id
	case was == "" || !hasID(was, id): // nobody else has the state, or it was moved here
		w.bind(home)
		return id
	case sameFolder(was, w.GitCommonDir): // by another way, as in a container
		return id
	}
	original, mine := idFile(was), path
	older, known := olderFile(mine, original)
	switch {
	case !known:
		return id // as long as nothing tells them apart
	case older && !isSettled(home): // the copy was the first to be looked at
		w.bind(home)
		return id
	}
	own := w.ownID(id)
	tmp := path + "." + rand.Text()
	if writeNew(tmp, own+"\n") != nil || os.Rename(tmp, path) != nil {
		_ = os.Remove(tmp) // a leftover is harmless
		return digest(w.GitCommonDir)
	}
	return own
}

// ownID is the id of a copy. All processes that find out at once make the same.
func (w *Workspace) ownID(copied string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", copied, w.GitCommonDir, folderMark(w.GitCommonDir)))
	return hex.EncodeToString(sum[:8])
}

// Original is the repository of which another one is a copy.
type Original struct {
	Repository string // its folder
	State      string // the folder of its state
	copy       *Workspace
}

// CopyOf returns the repository of which this one is a copy, until that is known for long: a copy begins without drafts, personal
// settings and levels of trust. ok is false if the original has no state, is no longer there, or its state was brought here.
func (w *Workspace) CopyOf() (o Original, ok bool) {
	if w.GitCommonDir == "" || isSettled(idFile(w.GitCommonDir)) {
		return o, false
	}
	if _, err := os.Lstat(ReplacedState(w)); err == nil {
		return o, false
	}
	states, err := os.ReadDir(w.stateHome)
	if err != nil {
		return o, false
	}
	for _, s := range states {
		id := s.Name()
		if !s.IsDir() || w.ownID(id) != w.RepoID {
			continue
		}
		o.copy, o.State, o.Repository = w, filepath.Join(w.stateHome, id), w.holder(id)
		if filepath.Base(o.Repository) == ".git" {
			o.Repository = filepath.Dir(o.Repository)
		}
		kept, err := os.ReadDir(o.State)
		return o, err == nil && o.Repository != "" && hasID(w.holder(id), id) && len(kept) > 1
	}
	return o, false
}

// Bring is the command of a shell that puts a copy of the original's state in the place of the copy's own. Where copying
// fails, as on a full disk, nothing was moved, and the command may be run again. (Only Linux has it: `cp -T`.)
func (o Original) Bring(quote func(string) string) string {
	own, replaced, brought := quote(o.copy.StateDir()), quote(ReplacedState(o.copy)), quote(o.copy.StateDir()+".new")
	return "mkdir -p " + own + " && cp -aT " + quote(o.State) + " " + brought + " && mv " + own + " " + replaced + " && mv " + brought + " " + own
}

// ReplacedState is where the state of a copy is kept in whose place the original's came.
func ReplacedState(w *Workspace) string { return w.StateDir() + ".own" }

// bind notes whose state a folder is, if there is state. If it can't be noted, the next process tries again.
func (w *Workspace) bind(home string) {
	if st, err := os.Lstat(filepath.Dir(home)); err != nil || !st.IsDir() || strings.ContainsAny(w.GitCommonDir, "\n") {
		return
	}
	tmp := home + "." + rand.Text()
	if os.WriteFile(tmp, []byte(w.GitCommonDir+"\n"), 0o600) != nil || os.Rename(tmp, home) != nil {
		_ = os.Remove(tmp) // a leftover is harmless
	}
}

// LeaveState removes the state folder if it has nothing but whose it is.
func (w *Workspace) LeaveState() {
	entries, err := os.ReadDir(w.StateDir())
	if err != nil || len(entries) != 1 || entries[0].Name() != homeName {
		return
	}
	_ = os.Remove(filepath.Join(w.StateDir(), homeName)) // a leftover is harmless
	_ = os.Remove(w.StateDir())                          // stays if it is not empty
}

// isOthers reports whether the state of an id is that of another repository, which is still there.
func (w *Workspace) isOthers(id string) bool {
	was := w.holder(id)
	return was != "" && was != w.GitCommonDir && hasID(was, id) && !sameFolder(was, w.GitCommonDir)
}

// holder returns the git folder whose state that of an id is noted to be, or "".
func (w *Workspace) holder(id string) string {
	named, err := treefile.Read(filepath.Join(w.stateHome, id, homeName), maxGitFile)
	if was := strings.TrimSuffix(string(named), "\n"); err == nil && filepath.IsAbs(was) {
		return was
	}
	return ""
}

// idFile is the file of a repository's id.
func idFile(gitDir string) string { return filepath.Join(gitDir, GitFolder, "id") }

// hasID reports whether a git folder is there and has an id.
func hasID(gitDir, id string) bool {
	now, ok, err := readID(idFile(gitDir))
	return err != nil || ok && now == id // what can't be read now may be there
}

// sameFolder reports whether two paths lead to one folder.
func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// isSettled reports whether a file was written long ago.
func isSettled(name string) bool {
	st, err := os.Stat(name)
	return err == nil && time.Since(st.ModTime()) > settled
}
