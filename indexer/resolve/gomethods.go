package resolve

import (
	"slices"
	"strings"
)

func implements(have, wanted map[string]*Symbol) bool {
	for name, w := range wanted {
		h, ok := have[name]
		if !ok || h.Arity != w.Arity || unqualified(h.Type) != unqualified(w.Type) && !generic(h, h.Type) && !generic(w, w.Type) || !sameParams(h, w) {
			return false
		}
		if c := name[0]; (c < 'A' || c > 'Z') && h.File.unit != w.File.unit { // unexported: of its package only
			return false
		}
	}
	return true
}

// sameParams reports whether two methods may take the same parameters: those
// that can't be compared by their text may.
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
		if a[i] != b[i] && !generic(h, a[i]) && !generic(w, b[i]) {
			return false
		}
	}
	return true
}

// paramTypes are the types of a Go method's parameters, each without package
// names; ok is false where the signature does not tell them.
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
	if slices.ContainsFunc(parts, named) {
		for i := len(parts) - 1; i >= 0; i-- {
			if named(parts[i]) {
				parts[i] = parts[i][strings.IndexByte(parts[i], ' ')+1:]
			} else if i+1 < len(parts) {
				parts[i] = parts[i+1]
			}
		}
	}
	for _, p := range parts {
		out = append(out, otherNames.Replace(unqualified(strings.TrimSpace(p))))
	}
	return out, true
}

// otherNames are types of Go that have two names. That the text of a longer name
// changes as well does no harm: it does so on both sides.
var otherNames = strings.NewReplacer("interface{}", "any", "uint8", "byte", "int32", "rune")

// generic reports whether a type that a method takes or gives names a parameter
// of the method's own type, which may stand for any.
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

// unqualified is a result type without package names, parameter names and
// spaces, so that it is the same from inside and outside of its package.
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
		if strings.HasPrefix(text, "(") && named(part) {
			part = part[strings.IndexByte(part, ' ')+1:]
		}
		for j := 0; j < len(part); j++ {
			if part[j] == '.' { // drop the word before
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
