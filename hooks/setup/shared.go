package setup

import (
	"os"
	"path/filepath"
	"slices"

	"manicule/indexer/gitinfo"
	"manicule/indexer/workspace"
)

// gitFiles knows the files of git's that belong to a whole repository: its hooks, configuration and list of ignored
// files. Worktrees share them, and the projects that lie beside each other in one. Init in the second of these finds them
// as the first left them, so undo takes them back with the last.
type gitFiles struct {
	place  *workspace.Workspace
	getenv func(string) string
}

func (s *Setup) gitFiles() gitFiles { return gitFiles{place: s.Place, getenv: s.Getenv} }

// excludeFile and gitConfig are links where tools share the metadata of several checkouts. Git writes through such a link.
func (g gitFiles) excludeFile() string {
	return workspace.RealPath(filepath.Join(g.place.GitCommonDir, "info", "exclude"))
}

func (g gitFiles) gitConfig() string {
	return workspace.RealPath(filepath.Join(g.place.GitCommonDir, "config"))
}

// isShared reports whether a file is of the whole repository.
func (g gitFiles) isShared(path string) bool {
	p := g.place
	if p.GitTop == "" {
		return false
	}
	hook := filepath.Dir(path) == g.hooksDir() && inside(p.GitTop, path) // init writes no others
	return path == g.excludeFile() || path == g.gitConfig() || inside(p.GitCommonDir, path) || hook
}

func (g gitFiles) hooksDir() string {
	return gitinfo.HooksDir(g.place.GitTop, g.place.GitDir, g.place.GitCommonDir, g.getenv)
}

// usedBy returns the one of the roots that uses a shared file too, or "". Where core.hooksPath is a folder of the
// working tree, each worktree has its own.
func (g gitFiles) usedBy(path string, roots []string) string {
	top := g.place.GitTop
	ownTree := !inside(g.place.GitCommonDir, path) && inside(top, path)
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
	by, git := "", s.gitFiles()
	steps = slices.DeleteFunc(steps, func(x Step) bool {
		if !git.isShared(x.Path) {
			return false
		}
		user := git.usedBy(x.Path, others)
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
