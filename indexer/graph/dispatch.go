package graph

import (
	"maps"
	"strings"

	"manicule/indexer/resolve"
)

// setDispatch says which methods override or implement which.
func (g *Graph) setDispatch(pairs [][2]resolve.Node) {
	g.overrides, g.overriddenBy = make(map[resolve.Node][]resolve.Node, len(pairs)), make(map[resolve.Node][]resolve.Node, len(pairs))
	for _, p := range pairs {
		g.overrides[p[0]] = append(g.overrides[p[0]], p[1])
		g.overriddenBy[p[1]] = append(g.overriddenBy[p[1]], p[0])
	}
}

// exportedAPI is a summary of what other files can see of a file: when it is the
// same, nothing outside of the file can mean anything else than before.
func exportedAPI(rec *record) map[string]string {
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
		if s.Kind == "method" && rec.facts.Language == "go" { // which interfaces it satisfies depends on what it takes
			b.WriteByte(0)
			b.WriteString(s.Signature)
		}
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

// sameTypes says whether two versions of a file, with the summaries of both,
// have the same types, members and bases: all that dispatch can depend on. Go's
// plain functions are left out; they come and go most.
func sameTypes(was, now *record, before, after map[string]string) bool {
	if was == nil || now == nil {
		return was == now
	}
	if maps.Equal(before, after) {
		return true
	}
	return was.facts.Language == "go" && maps.Equal(withoutFunctions(was, before), withoutFunctions(now, after))
}

// withoutFunctions leaves out of a Go file's summary the names that mean nothing
// but functions.
func withoutFunctions(rec *record, api map[string]string) map[string]string {
	out := maps.Clone(api)
	other := map[string]bool{}
	for _, s := range rec.facts.Symbols {
		if s.Kind != "function" || s.Parent >= 0 || strings.Contains(s.Path, ".") {
			other[s.Path] = true
		}
	}
	for _, s := range rec.facts.Symbols {
		if !other[s.Path] {
			delete(out, s.Path)
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
