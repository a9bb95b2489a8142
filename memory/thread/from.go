package thread

import (
	"manicule/indexer/gitinfo"
	"manicule/indexer/workspace"
)

// FromPlace describes a session that starts in a folder of a workspace.
func FromPlace(p *workspace.Workspace, getenv func(string) string, dir string) From {
	f := From{Branch: gitinfo.Branch(p.GitDir)}
	f.Default, _ = gitinfo.DefaultBranch(p.GitDir, p.GitCommonDir, getenv)
	if rel, ok := p.Rel(workspace.RealPath(dir)); ok && rel != "." {
		f.Dir = rel
	}
	return f
}
