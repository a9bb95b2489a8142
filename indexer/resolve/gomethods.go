package resolve

import (
	"slices"
	"strings"

	"manicule/indexer/extract"
)

func implements(have, wanted map[string]*Symbol) bool {
	for name, w := range wanted {
		h, ok := have[name]
		if !ok || h.Arity != w.Arity || !sameType(h, h.Type, w, w.Type) || !sameParams(h, w) {
			return false
		}
		if c := name[0]; (c < 'A' || c > 'Z') && h.File.unit != w.File.unit { // unexported: of its package only
			return false
		}
	}
	return true
}

// sameParams reports whether two methods may have the same parameters. Parameters that
// can't be compared by their text may.
func sameParams(h, w *Symbol) bool {
	if h.Arity <= 0 {
		return true
	}
	a, okA := paramTypes(h)
	b, okB := paramTypes(w)
	if !okA || !okB || len(a) != len(b) {
		return true
	}
	for i := range a {
		if !sameType(h, a[i], w, b[i]) {
			return false
		}
	}
	return true
}

// sameType reports whether two parameter or result types of Go methods may be the
// same, by their text. http.File and a package's own File are not.
func sameType(h *Symbol, a string, w *Symbol, b string) bool {
	if generic(h, a) || generic(w, b) {
		return true
	}
	if oneName.Replace(unqualified(a)) != oneName.Replace(unqualified(b)) {
		return false
	}
	x, okX := qualified(h.File, a)
	y, okY := qualified(w.File, b)
	return !okX || !okY || x == y
}

// qualified returns the named types in a text with their packages, in order; ok is
// false if an import renames a package.
func qualified(f *File, text string) (out string, ok bool) {
	if renamed(f, ".") { // a dot import hides the packages of names
		return "", false
	}
	var b strings.Builder
	for _, part := range splitTop(strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"), ',') {
		if strings.HasPrefix(text, "(") && namesResult(part) {
			part = part[strings.IndexByte(part, ' ')+1:]
		}
		for i := 0; i < len(part); {
			end := i
			for end < len(part) && isWord(part[end]) {
				end++
			}
			if end == i {
				i++
				continue
			}
			word := part[i:end]
			switch {
			case end < len(part) && part[end] == '.':
				if renamed(f, word) {
					return "", false
				}
				b.WriteString(word + ".")
			case i > 0 && part[i-1] == '.':
				b.WriteString(word + " ")
			case word[0] >= 'A' && word[0] <= 'Z': // predeclared types begin with a lower-case letter
				b.WriteString(f.Package + "." + word + " ")
			}
			i = end
		}
	}
	return b.String(), true
}

// renamed reports whether an import gives its package a local name.
func renamed(f *File, name string) bool {
	return slices.ContainsFunc(f.imports, func(i extract.Import) bool { return i.Alias == name })
}

// paramTypes returns the types of a Go method's parameters; ok is false if the
// signature does not show them.
func paramTypes(m *Symbol) (out []string, ok bool) {
	text := m.Sig
	i := strings.Index(text, m.Name+"(")
	if i < 0 {
		return nil, false
	}
	text = text[i+len(m.Name)+1:]
	depth, end := 1, -1
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			end = i
			break
		}
	}
	if end < 0 { // cut
		return nil, false
	}
	text = text[:end]
	if strings.ContainsAny(text, "<{") || strings.Contains(text, "func(") { // parameters within parameters
		return nil, false
	}
	parts := splitTop(text, ',')
	if slices.ContainsFunc(parts, namesResult) {
		for i := len(parts) - 1; i >= 0; i-- {
			if namesResult(parts[i]) {
				parts[i] = parts[i][strings.IndexByte(parts[i], ' ')+1:]
			} else if i+1 < len(parts) {
				parts[i] = parts[i+1]
			}
		}
	}
	for _, p := range parts {
		out = append(out, strings.TrimSpace(p))
	}
	return out, true
}

// oneName normalizes Go types with two names. It also replaces parts of longer names,
// which is harmless because it does so on both sides.
var oneName = strings.NewReplacer("interface{}", "any", "uint8", "byte", "int32", "rune")

// generic reports whether a parameter or result type mentions a type parameter of the
// method's receiver, which may stand for any type.
func generic(m *Symbol, text string) bool {
	s := enclosingType(m)
	if s == nil || text == "" {
		return false
	}
	names := m.receiverParams()
	if names == nil {
		for _, p := range s.typeParams() {
			names = append(names, p.name)
		}
	}
	for _, n := range names {
		for i := strings.Index(text, n); i >= 0; {
			end := i + len(n)
			if (i == 0 || !isWord(text[i-1])) && (end == len(text) || !isWord(text[end])) {
				return true
			}
			next := strings.Index(text[end:], n)
			if next < 0 {
				break
			}
			i = end + next
		}
	}
	return false
}

// unqualified returns a result type without package names, parameter names and spaces,
// so that it is the same inside and outside of its package.
func unqualified(text string) string {
	if !strings.ContainsAny(text, ". (") {
		return text
	}
	var b strings.Builder
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
	for i, part := range splitTop(inner, ',') {
		if i > 0 {
			b.WriteByte(',')
		}
		if strings.HasPrefix(text, "(") && namesResult(part) {
			part = part[strings.IndexByte(part, ' ')+1:]
		}
		for j := 0; j < len(part); j++ {
			if part[j] == '.' { // drop the previous word
				s := b.String()
				k := len(s)
				for k > 0 && isWord(s[k-1]) {
					k--
				}
				b.Reset()
				b.WriteString(s[:k])
				continue
			}
			if part[j] != ' ' {
				b.WriteByte(part[j])
			}
		}
	}
	return b.String()
}
