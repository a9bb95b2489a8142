package branch

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
)

// What was found of the current branch is kept beside the other derived files: neither git's objects nor the memory
// folders are read again while the branch, its tip, the tips of the default one and the folders are what they were.
// What git ignores and what a personal memory says is looked at each time.
const (
	keptBranch   = "branch.fresh"
	keptVersion  = 1
	maxKept      = 2_000 // files
	maxKeptBytes = 1 << 20
	// settled is how long a folder must be unchanged before its time says that it still is: clocks of file systems are
	// coarse.
	settled = 2 * time.Second
)

// key names a state of the branches and of the memory folders.
type key struct {
	text   string
	of     [2]string // the branch and the default one
	newest time.Time // when a folder changed last
}

func newKey(p *workspace.Workspace, name, base, head string, tips []string) key {
	k := key{of: [2]string{name, base}}
	parts := []string{p.MemoriesDir(), p.GitPrefix(), name, base, head, strings.Join(tips, ",")}
	for _, rel := range file.Folders() {
		at := filepath.Join(p.MemoriesDir(), filepath.FromSlash(rel))
		if errors.Is(treefile.CheckNoLinks(at), treefile.ErrLink) {
			parts = append(parts, "link")
			continue
		}
		st, err := os.Lstat(at)
		if err != nil {
			parts = append(parts, "")
			continue
		}
		parts = append(parts, strconv.FormatInt(st.ModTime().UnixNano(), 36))
		if st.ModTime().After(k.newest) {
			k.newest = st.ModTime()
		}
	}
	k.text = strings.Join(parts, "\n")
	return k
}

// kept is the content of the file.
type kept struct {
	Version   int       `json:"version"`
	Key       string    `json:"key"`
	Of        [2]string `json:"of"` // the branch and the default one; files of earlier versions have none
	Files     []string  `json:"files"`
	Committed []int     `json:"committed"` // indices of files
	Own       []string  `json:"own"`
}

// readKept reads what was found in the same state; ok is false if another one is kept, or none.
func readKept(dir string, k key) (n found, ok bool) {
	return readIf(dir, func(f *kept) bool { return f.Key == k.text })
}

// readLast reads what was found last, if it is of the same branches, whatever their state was.
func readLast(dir, name, base string) (n found, ok bool) {
	return readIf(dir, func(f *kept) bool { return f.Of == [2]string{name, base} })
}

func readIf(dir string, fits func(*kept) bool) (n found, ok bool) {
	data, err := treefile.Read(filepath.Join(dir, keptBranch), maxKeptBytes)
	if err != nil {
		return found{}, false
	}
	var f kept
	if json.Unmarshal(data, &f) != nil || f.Version != keptVersion || !fits(&f) {
		return found{}, false
	}
	n = found{files: f.Files, committed: map[string]bool{}}
	for _, i := range f.Committed {
		if i < 0 || i >= len(f.Files) {
			return found{}, false
		}
		n.committed[f.Files[i]] = true
	}
	if len(f.Own) > 0 {
		n.own = make(map[string]bool, len(f.Own))
		for _, c := range f.Own {
			n.own[c] = true
		}
	}
	return n, true
}

// keep writes what was found, unless a folder has just changed. What can't be written is found again.
func keep(dir string, k key, n found) {
	if len(n.files) > maxKept || time.Since(k.newest) < settled {
		return
	}
	f := kept{Version: keptVersion, Key: k.text, Of: k.of, Files: n.files}
	for i, name := range n.files {
		if n.committed[name] {
			f.Committed = append(f.Committed, i)
		}
	}
	for c := range n.own {
		f.Own = append(f.Own, c)
	}
	data, err := json.Marshal(f)
	if err != nil || len(data) > maxKeptBytes {
		return
	}
	_ = replace(dir, keptBranch, data) // a folder that can't be written has none
}
