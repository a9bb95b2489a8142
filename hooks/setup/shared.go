package setup

import (
	"os"
	"path/filepath"
	"slices"

	"manicule/indexer/gitinfo"
)

// Git's hooks, configuration and list of ignored files belong to a repository. Its worktrees share them, and the
// projects that lie beside each other in one. Init in the second of these finds them as the first left them, so undo
// takes them back with the last.

// isShared reports whether a file is of the whole repository.
func (s *Setup) isShared(path string) bool {
	p := s.Place
	if p.GitTop == "" {
		return false
	}
	hook := filepath.Dir(path) == s.hooksDir() && inside(p.GitTop, path) // init writes no others
	return path == s.excludeFile() || path == s.gitConfig() || inside(p.GitCommonDir, path) || hook
}

func (s *Setup) hooksDir() string {
	return gitinfo.HooksDir(s.Place.GitTop, s.Place.GitDir, s.Place.GitCommonDir, s.Getenv)
}

// usedBy returns the one of the roots that uses a shared file too, or "". Where core.hooksPath is a folder of the
// working tree, each worktree has its own.
func (s *Setup) usedBy(path string, roots []string) string {
	top := s.Place.GitTop
	ownTree := !inside(s.Place.GitCommonDir, path) && inside(top, path)
	for _, root := range roots {
		if !ownTree || topOf(root) == top {
			return root
		}
	}
	return ""
}

// topOf returns the top of the worktree in which a folder lies, or "".
func topOf(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// otherRoots lists the other roots of the repository that init has set up and that are still there.
func otherRoots(list []receipt, root string) []string {
	var out []string
	for _, r := range list {
		if r.Root != root && !slices.Contains(out, r.Root) && Exists(r.Root) {
			out = append(out, r.Root)
		}
	}
	return out
}

// withoutShared leaves out the steps on what another root uses too.
func (s *Setup) withoutShared(steps []Step, others []string) []Step {
	by := ""
	steps = slices.DeleteFunc(steps, func(x Step) bool {
		if !s.isShared(x.Path) {
			return false
		}
		user := s.usedBy(x.Path, others)
		if user != "" {
			by = user
		}
		return user != ""
	})
	if by != "" {
		s.Warn("git's hooks and settings for memories stay, because %s uses them too; `manicule init --undo` takes them back in the last that does", by)
	}
	return steps
}

// addUse records that a root was set up where init found nothing to change.
func addUse(list []receipt, root string) ([]receipt, bool) {
	if slices.ContainsFunc(list, func(r receipt) bool { return r.Root == root }) {
		return list, false
	}
	return append(list, receipt{Root: root}), true
}

// withoutReceipts removes the receipts of what undo has taken back. Another root inherits those of what it uses too.
func (s *Setup) withoutReceipts(list []receipt) []receipt {
	root, others := s.Place.Root, otherRoots(list, s.Place.Root)
	var out []receipt
	for _, r := range list {
		user := ""
		shared := r.Path != "" && s.isShared(r.Path)
		if shared {
			user = s.usedBy(r.Path, others)
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
