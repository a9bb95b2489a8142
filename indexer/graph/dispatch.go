package graph

import (
	"strings"

	"manicule/indexer/resolve"
)

// setDispatch says which methods override or implement which.
func (g *Graph) setDispatch(pairs [][2]resolve.Node) {
	g.above, g.below = make(map[resolve.Node][]resolve.Node, len(pairs)), make(map[resolve.Node][]resolve.Node, len(pairs))
	for _, p := range pairs {
		g.above[p[0]] = append(g.above[p[0]], p[1])
		g.below[p[1]] = append(g.below[p[1]], p[0])
	}
}

// apiOf is a summary of what other files can see of a file: when it is the
// same, nothing outside of the file can mean anything else than before.
func apiOf(rec *record) map[string]string {
	out := make(map[string]string, len(rec.facts.Symbols))
	var b strings.Builder
	for i, s := range rec.facts.Symbols {
		b.Reset()
		b.WriteString(s.Kind)
		b.WriteByte(0)
		b.WriteString(s.Type)
		b.WriteByte(0)
		b.WriteString(s.Value)
		b.WriteByte(0)
		b.WriteByte(byte(s.Arity))
		b.WriteByte(0)
		b.WriteString(string(rune(rec.locals[i])))
		out[s.Path] += b.String()
	}
	for _, r := range rec.facts.Refs {
		if r.Kind == "inherit" && r.In >= 0 && r.In < len(rec.facts.Symbols) {
			out[rec.facts.Symbols[r.In].Path] += "\x01" + r.Recv + "." + r.Name
		}
	}
	for _, i := range rec.facts.Uses {
		if i.Reexport || rec.facts.Language == "python" || rec.facts.Language == "rust" {
			name := i.Alias
			if name == "" {
				name = i.Name
			}
			out["\x02"+name] += i.Module + "\x00" + i.Name
		}
	}
	return out
}

// changedNames are the names whose meaning differs between two summaries.
func changedNames(a, b map[string]string) map[string]bool {
	out := map[string]bool{}
	note := func(p string) {
		p = strings.TrimPrefix(p, "\x02")
		for part := range strings.SplitSeq(p, ".") {
			out[part] = true
		}
	}
	for p, was := range a {
		if b[p] != was {
			note(p)
		}
	}
	for p := range b {
		if _, ok := a[p]; !ok {
			note(p)
		}
	}
	return out
}
