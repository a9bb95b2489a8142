package feature

import (
	"fmt"
	"slices"
	"strings"

	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/memory"
	"manicule/memory/scope"
)

// foldFrom is from how many memories on those that are about a whole folder are counted apart. A few
// are no noise.
const foldFrom = 4

// splitByReach puts the memories that are about the page's own file first and returns how many these
// are, and what the others are about.
func splitByReach(p *page.Page, marks []page.Mark, uuids []string) (sorted []string, here int, others string) {
	var wide, folders []string
	for _, uuid := range uuids {
		h, ok := p.View.Get(uuid)
		if !ok || slices.ContainsFunc(marks, func(m page.Mark) bool { return m.Hit.Memory.UUID == uuid }) {
			sorted = append(sorted, uuid)
			continue
		}
		if folder, ok := folderOf(p, h); ok {
			wide = append(wide, uuid)
			if !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
			continue
		}
		sorted = append(sorted, uuid)
	}
	here = len(sorted)
	switch {
	case len(folders) > 1:
		others = "its folders"
	case len(folders) == 1 && folders[0] == "":
		others = "files like it"
	case len(folders) == 1:
		others = folders[0]
	}
	return append(sorted, wide...), here, others
}

// folderOf returns the folder that a memory's scope is limited to, "" if it is not limited. It returns
// false for a memory that is about the page's file itself.
func folderOf(p *page.Page, h memory.Hit) (string, bool) {
	for _, a := range h.Memory.Anchors {
		if a.Path == p.Rel {
			return "", false
		}
	}
	s, err := scope.Compile(h.Memory.Scope, scope.Platform())
	if err != nil || len(h.Memory.Scope) == 0 {
		return "", false
	}
	for _, prefix := range s.Prefixes() {
		folder := strings.TrimSuffix(prefix, "/")
		if folder == p.Rel {
			return "", false
		}
		if prefix == "" || strings.HasPrefix(p.Rel, prefix) {
			return folder, true
		}
	}
	return "", false
}

// lensTitle counts the memories of a lens.
func lensTitle(n, here int, others string) string {
	wide := n - here
	switch {
	case wide < foldFrom:
		return "☞ " + render.Memories(n) + " here"
	case here == 0:
		return "☞ " + render.Memories(n) + " for " + others
	default:
		return fmt.Sprintf("☞ %s here · %d for %s", render.Memories(here), wide, others)
	}
}
