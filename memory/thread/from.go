package thread

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"manicule/indexer/gitinfo"
	"manicule/indexer/workspace"
)

// FromPlace describes a session that starts in a folder of a workspace. user is the person's name by the settings, agent the
// session's; each may be "".
func FromPlace(p *workspace.Workspace, getenv func(string) string, dir, user, agent string) From {
	f := From{Branch: gitinfo.Branch(p.GitDir), Names: sync.OnceValue(func() []string {
		return []string{agent, user, gitinfo.User(p.GitDir, p.GitCommonDir, getenv), gitinfo.Email(p.GitDir, p.GitCommonDir, getenv)}
	}), Has: func(path string) bool {
		_, err := os.Lstat(filepath.Join(p.Root, filepath.FromSlash(path)))
		return !errors.Is(err, fs.ErrNotExist)
	}}
	f.Default, _ = gitinfo.DefaultBranch(p.GitDir, p.GitCommonDir, getenv)
	if rel, ok := p.Rel(workspace.RealPath(dir)); ok && rel != "." {
		f.Dir = rel
	}
	return f
}
