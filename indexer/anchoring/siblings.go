package anchoring

import "slices"

// siblingShare returns which share of a declaration's siblings that moved to other
// files moved to one place: into the file n, and there into a declaration, or -1 for
// its top level.
func (l *locator) siblingShare(o *Source, i int, n *Source, parent int) float64 {
	went, all := 0, 0
	for _, p := range l.movedSiblings(o, i) {
		all++
		if p.source == n && n.symbols()[p.symbol].Parent == parent {
			went++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(went) / float64(all)
}

// movedSiblings lists the locations of a declaration's siblings that moved to other
// files, without small ones.
func (l *locator) movedSiblings(o *Source, i int) []location {
	var all []location
	symbols := o.symbols()
	for k, s := range symbols {
		if k == i || s.Parent != symbols[i].Parent || o.print(k).Size < lowEntropy {
			continue
		}
		if p := l.locate(o, k); p.found && p.changed {
			all = append(all, p)
		}
	}
	return all
}

// withSiblingFiles adds the files that the siblings of a declaration moved to.
func (l *locator) withSiblingFiles(files []Change, o *Source, i int) []Change {
	for _, p := range l.movedSiblings(o, i) {
		there := func(c Change) bool { return c.New == p.source }
		if slices.ContainsFunc(files, there) {
			continue
		}
		changed := l.differences.all()
		if k := slices.IndexFunc(changed, there); k >= 0 {
			files = append(files, changed[k])
		}
	}
	return files
}

func parentName(s *Source, i int) string {
	if p := s.symbols()[i].Parent; p >= 0 {
		return s.symbols()[p].Name
	}
	return ""
}
