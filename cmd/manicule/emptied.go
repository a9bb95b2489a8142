package main

import (
	"slices"
	"strings"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
)

// emptied is a memory that is about folders alone, none of which is there: it is shown at no file. Anchors
// follow code that moves, a scope is a person's text and stays.
type emptied struct {
	hit     memory.Hit
	folders []string // relative to the root
}

// emptiedScopes finds such memories among the wanted ones (nil: all), with a commit only those of which it had a folder.
func emptiedScopes(w *services.Workspace, wanted map[string]bool, since string) (out []emptied) {
	leftOut := memory.LeavesOut(w.Place())
	for _, h := range w.View().All() {
		m := h.Memory
		if wanted != nil && !wanted[m.UUID] || len(m.Anchors) > 0 {
			continue
		}
		if _, live := w.View().GetLive(m.UUID); !live { // superseded or deprecated
			continue
		}
		gone, all := missing(w.Root(), m)
		if !all || leftOut(gone...) || since != "" && !memory.Had(w.Place(), since, gone) {
			continue
		}
		out = append(out, emptied{h, gone})
	}
	return out
}

// movedScope returns a memory's scope with the new names of the folders that are gone, nil if one of them is not known.
func movedScope(m *file.Memory, gone []string, movedTo func(folder string) string) []string {
	out := slices.Clone([]string(m.Scope))
	for _, folder := range gone {
		to := movedTo(folder)
		if to == "" {
			return nil
		}
		for i, glob := range m.Scope {
			bare, not := strings.CutPrefix(glob, "!")
			if below, ok := strings.CutPrefix(bare, folder); ok && (below == "" || below[0] == '/') {
				if out[i] = to + below; not {
					out[i] = "!" + out[i]
				}
			}
		}
	}
	return out
}

// printEmptied lists them.
func printEmptied(c *cli, list []emptied, movedTo func(folder string) string, limit int) {
	if len(list) == 0 {
		return
	}
	c.printf("\nabout folders that are not there\n")
	shown := room(limit, len(list))
	for _, x := range list[:shown] {
		c.hit(x.hit)
		scope := " --scope …"
		if moved := movedScope(x.hit.Memory, x.folders, movedTo); moved != nil {
			scope = ""
			for _, glob := range moved {
				scope += " --scope '" + strings.ReplaceAll(glob, "'", `'\''`) + "'"
			}
		}
		c.printf("          nothing is at %s, so it is shown at no file: `manicule edit %s%s`\n", strings.Join(x.folders, ", "), x.hit.Memory.ShortID(), scope)
	}
	moreLeft(c, len(list)-shown, "")
}
