package graph

import (
	"cmp"
	"maps"
	"strings"

	"manicule/indexer/resolve"
)

// setDispatch records which methods override or implement which.
func (g *Graph) setDispatch(pairs [][2]resolve.Node) {
	g.overrides, g.overriddenBy = make(map[resolve.Node][]resolve.Node, len(pairs)), make(map[resolve.Node][]resolve.Node, len(pairs))
	for _, p := range pairs {
		g.overrides[p[0]] = append(g.overrides[p[0]], p[1])
		g.overriddenBy[p[1]] = append(g.overriddenBy[p[1]], p[0])
	}
}

// exportedAPI summarizes what other files can see of a file. If the summary is
// unchanged, nothing outside of the file can resolve differently.
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
		b.WriteByte(0)
		b.WriteString(rec.facts.Package)
		if s.Kind == "method" && rec.facts.Language == "go" { // its parameters decide which interfaces the type satisfies
			b.WriteByte(0)
			b.WriteString(s.Signature)
		}
		out[s.Path] += b.String()
	}
	bound := newBoundImports(rec.facts)
	for _, s := range rec.facts.Symbols {
		out[s.Path] += bound.deciding(s.Type + " " + s.Value)
	}
	for _, r := range rec.facts.Refs {
		if r.Kind == "read" && r.In < 0 && r.Recv == "" && bound.named[r.Name] != "" { // perhaps "export {name}"
			out["\x02"+r.Name] += bound.named[r.Name]
		}
		if r.Kind == "inherit" && r.In >= 0 && r.In < len(rec.facts.Symbols) {
			out[rec.facts.Symbols[r.In].Path] += "\x01" + r.Recv + "." + r.Name + bound.deciding(r.Recv+"."+r.Name)
		}
	}
	if p := rec.facts.Package; p != "" {
		out["\x02"+strings.Join(nameWords(p), ".")] += "\x03"
	}
	for _, i := range rec.facts.Uses {
		if i.Reexport || rec.facts.Language == "python" || rec.facts.Language == "rust" {
			name := cmp.Or(i.Alias, i.Name)
			out["\x02"+name] += i.Module + "\x00" + i.Name
			if i.Module == "" { // a name of this file, possibly imported
				out["\x02"+name] += bound.deciding(i.Name)
			}
		}
	}
	return out
}

// changedTypes returns the names of the types that are new or gone, or have other bases.
func changedTypes(was, now *record, a, b map[string]string) map[string]bool {
	out := map[string]bool{}
	for _, rec := range []*record{was, now} {
		if rec == nil {
			continue
		}
		for _, s := range rec.facts.Symbols {
			t := resolve.Symbol{Kind: s.Kind}
			_, before := a[s.Path]
			_, after := b[s.Path]
			if t.IsType() && (before != after || a[s.Path] != b[s.Path]) {
				out[s.Name] = true
			}
		}
	}
	return out
}

// sameTypes reports whether two versions of a file, given their summaries, have the
// same types, members and bases: all that dispatch depends on. It ignores Go's plain
// functions, which change most.
func sameTypes(was, now *record, before, after map[string]string) bool {
	if was == nil || now == nil {
		return was == now
	}
	if maps.Equal(before, after) {
		return true
	}
	return was.facts.Language == "go" && maps.Equal(withoutFunctions(was, before), withoutFunctions(now, after))
}

// withoutFunctions drops the names from a Go file's summary that mean only functions.
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

// changedNames returns the names whose meaning differs between two summaries.
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
