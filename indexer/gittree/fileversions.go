package gittree

// FileVersion is the content of a file in a commit that changed it.
type FileVersion struct {
	Commit Commit
	Path   string // "" if the commit removed the file
	Blob   string
}

// FileVersions lists the commits that changed a file, which may lie at one of several paths, with
// all sides of merges; newest first along each side. Where one side of a merge already had the
// result, only that side is followed. It looks at max commits at most.
func (r *Repo) FileVersions(head string, paths []string, max int) []FileVersion {
	var out []FileVersion
	seen := map[string]bool{}
	todo := []string{head}
	for len(todo) > 0 && len(seen) < max {
		id := todo[0]
		todo = todo[1:]
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		_, parents, ok := r.timeAndParents(id)
		if !ok {
			continue
		}
		path, blob, ok := r.fileIn(id, paths)
		if !ok {
			continue
		}
		same, known := "", 0
		for _, p := range parents {
			wasPath, wasBlob, ok := r.fileIn(p, paths)
			if !ok {
				continue // beyond a shallow clone
			}
			known++
			if wasPath == path && wasBlob == blob {
				same = p
				break
			}
		}
		if same != "" {
			todo = append(todo, same)
			continue
		}
		if blob != "" || known > 0 {
			if c, _, ok := r.readCommit(id); ok {
				out = append(out, FileVersion{c, path, blob})
			}
		}
		todo = append(todo, parents...)
	}
	return out
}

// fileIn returns the first of some paths that is a file in a commit. ok is false if the commit
// can't be read.
func (r *Repo) fileIn(commit string, paths []string) (path, blob string, ok bool) {
	t, ok := r.Tree(commit)
	if !ok {
		return "", "", false
	}
	for _, p := range paths {
		if b := t.Blob(p); b != "" {
			return p, b, true
		}
	}
	return "", "", true
}
