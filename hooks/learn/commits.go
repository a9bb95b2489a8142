package learn

import (
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/workspace"
)

// Limits for asking git which files change together, since the hook at the end of a
// session has a deadline.
const (
	maxHistory  = 400 // commits
	historyTime = 40 * time.Millisecond
)

// commitsOf counts the commits that changed a file, and those that also changed another
// one, as far as time permits.
func commitsOf(p *workspace.Workspace, most time.Duration, a, b string) (both, n int) {
	if p.GitDir == "" {
		return 0, 0
	}
	repo := gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
	defer func() { _ = repo.Close() }() // it was only read
	until := time.Now().Add(most)
	list := repo.Ancestors(gitinfo.Head(p.GitDir, p.GitCommonDir), maxHistory+1)
	type blobs struct{ a, b string }
	var later blobs
	for i, id := range list {
		t, ok := repo.Tree(id)
		if !ok || time.Now().After(until) {
			break
		}
		now := blobs{t.Blob(a), t.Blob(b)}
		if i > 0 && later.a != now.a {
			n++
			if later.b != now.b {
				both++
			}
		}
		later = now
	}
	return both, n
}
