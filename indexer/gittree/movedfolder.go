package gittree

import "strings"

// MovedFolder returns the folder of u to which a folder of t went: where most of the files are that it had, with the same content and
// the same path below it. It returns "" if the folder is still there, or fewer than a third of its files are found in one place.
func (t Tree) MovedFolder(folder string, u Tree) string {
	if folder == "" || u.Has(folder) {
		return ""
	}
	was := map[string][]string{} // paths below the folder, by content
	n := 0
	for _, p := range t.Subtree(folder).Paths() {
		if blob := t.Blob(folder + "/" + p); blob != "" {
			was[blob] = append(was[blob], p)
			n++
		}
	}
	if n == 0 {
		return ""
	}
	found := map[string]int{}
	for _, p := range t.Diff(u) {
		for _, below := range was[u.Blob(p)] {
			if to, ok := strings.CutSuffix(p, "/"+below); ok && t.Blob(p) == "" {
				found[to]++
			}
		}
	}
	best := ""
	for to, k := range found {
		if k > found[best] || k == found[best] && to < best {
			best = to
		}
	}
	if found[best]*3 < n {
		return ""
	}
	return best
}
