package graph

import (
	"strings"

	"manicule/indexer/extract"
)

// boundImports are the imports of a file by the names that they bind: what its types mean to other files depends on
// them.
type boundImports struct {
	named map[string]string
	open  string // the imports that may bind any name
	whole string // those of modules that may have another name than the last part of their path
}

func newBoundImports(f *extract.Facts) boundImports {
	m := boundImports{named: map[string]string{}}
	for _, i := range f.Uses {
		if i.Module == "" {
			continue
		}
		text := "\x04" + i.Module + "\x00" + i.Name
		switch {
		case i.Alias != "" && i.Alias != "*" && i.Alias != "." && i.Alias != "_":
			m.named[i.Alias] += text
		case i.Name == "*" || i.Name == "" && (f.Language == "csharp" || f.Language == "swift"):
			m.open += text
		case i.Name != "":
			m.named[i.Name] += text
		default:
			m.whole += text
			for _, w := range nameWords(i.Module) {
				m.named[w] += text
			}
		}
	}
	return m
}

// deciding returns the imports that may decide what a text means.
func (m boundImports) deciding(text string) string {
	words := nameWords(text)
	if len(words) == 0 {
		return ""
	}
	out := m.open
	for _, w := range words {
		out += m.named[w]
	}
	for rest := text; m.whole != ""; {
		before, after, ok := strings.Cut(rest, ".")
		if !ok {
			break
		}
		if w := nameWords(before); len(w) > 0 && m.named[w[len(w)-1]] == "" {
			return out + m.whole
		}
		rest = after
	}
	return out
}

// nameWords splits a text into the words that may be names.
func nameWords(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r < 0x80 && !isNameByte(byte(r)) })
}

// starImports returns the imports of all names of a module by which other files may see them, too.
func starImports(rec *record) (out []extract.Import) {
	if rec == nil {
		return nil
	}
	for _, i := range rec.facts.Uses {
		if i.Name == "*" && (i.Alias == "" || i.Alias == "*") && (i.Reexport || rec.facts.Language == "python" || rec.facts.Language == "rust") {
			out = append(out, i)
		}
	}
	return out
}
