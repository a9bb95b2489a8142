package atlas

import (
	"slices"
	"strings"
)

// placesOf says which node shows a file, by its path.
type placesOf map[string]place

// place is the node of a file, and its name there if the node is the small files of a folder.
type place struct {
	node  int
	small string
}

// places finds the files in the nodes of a map.
func places(nodes []Node) placesOf {
	at := make(placesOf, len(nodes))
	paths := make([]string, len(nodes)) // of folders with a slash at the end
	for i, n := range nodes {
		folder := ""
		if n.Parent >= 0 {
			folder = paths[n.Parent]
		}
		switch n.Kind {
		case IsFile:
			at[folder+n.Name] = place{node: i}
		case IsFolder:
			if n.Parent >= 0 {
				paths[i] = folder + n.Name + "/"
			}
		case IsRest:
			for name := range strings.SplitSeq(n.Small, "\n") {
				at[folder+name] = place{i, name}
			}
		}
	}
	return at
}

// symbols places the first [MaxSymbols] symbols whose files are on the map.
func (at placesOf) symbols(all []Symbol) []Placed {
	out := []Placed{}
	for _, s := range all {
		here, ok := at[s.Path]
		if !ok {
			continue
		}
		if len(out) == MaxSymbols {
			break
		}
		p := Placed{Name: s.Name, Kind: s.Kind, Node: here.node, Small: here.small, Line: s.Line}
		p.UsedBy = at.nodes(s.UsedBy, -1)
		if len(p.UsedBy) > maxUsers {
			p.UsedBy = p.UsedBy[:maxUsers]
		}
		if len(p.UsedBy) < len(s.UsedBy) {
			p.Users = len(s.UsedBy)
		}
		out = append(out, p)
	}
	return out
}

// uses sets what each node uses of the others.
func (at placesOf) uses(nodes []Node, files []File, uses func(path string) []string) {
	for _, f := range files {
		here, ok := at[f.Path]
		if !ok {
			continue
		}
		n := &nodes[here.node]
		n.Uses = append(n.Uses, at.nodes(uses(f.Path), here.node)...)
	}
	for i := range nodes {
		slices.Sort(nodes[i].Uses)
		nodes[i].Uses = slices.Compact(nodes[i].Uses)
	}
}

// nodes returns the nodes of files, each once and without one of them.
func (at placesOf) nodes(paths []string, without int) []int {
	var out []int
	for _, p := range paths {
		if here, ok := at[p]; ok && here.node != without {
			out = append(out, here.node)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
