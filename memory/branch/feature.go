package branch

import (
	"manicule/indexer/gitinfo"
	"manicule/indexer/workspace"
)

// Feature returns the checked-out branch of a workspace, "" for none and for the default one.
func Feature(p *workspace.Workspace, getenv func(string) string) string {
	name := gitinfo.Branch(p.GitDir)
	if name == "" {
		return ""
	}
	if base, _ := gitinfo.DefaultBranch(p.GitDir, p.GitCommonDir, getenv); base == "" || base == name {
		return ""
	}
	return name
}
