package embed

import (
	"path"
	"slices"
	"strings"

	"manicule/memory/file"
)

// MemoryText is the text that is embedded for a memory: its places and type, followed by its
// content. Chunks of code have a prefix too (graph.Chunk). A change here changes the
// vector of every memory, since vectors are stored by text.
func MemoryText(m *file.Memory) string {
	var b strings.Builder
	line := func(name string, values []string) {
		if len(values) > 0 {
			b.WriteString(name + ": " + strings.Join(values, ", ") + "\n")
		}
	}
	line("Type", []string{m.Type.Label()})
	files, symbols, modules := places(m)
	line("Files", files)
	line("Symbols", symbols)
	line("Module", modules)
	line("About", trimmed(append(slices.Clone(m.Tags), m.ContextLabel)))
	line("Task", trimmed([]string{m.Task()}))
	b.WriteString(strings.TrimSpace(m.What))
	if why := strings.TrimSpace(m.Why); why != "" {
		b.WriteString("\n" + why)
	}
	return b.String()
}

// maxPlaces limits each list of places, because a model reads 256 tokens.
const maxPlaces = 4

// places returns the distinct files, symbols and folders of a memory, in order.
func places(m *file.Memory) (files, symbols, modules []string) {
	add := func(list *[]string, s string) {
		if s != "" && s != "." && len(*list) < maxPlaces && !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, a := range m.Anchors {
		add(&files, a.Path)
		add(&symbols, a.Symbol)
		add(&modules, path.Dir(a.Path))
	}
	for _, s := range m.Scope {
		if strings.HasPrefix(s, "!") {
			continue
		}
		if base := strings.TrimRight(Literal(s), "/"); base == strings.TrimRight(s, "/") && path.Ext(base) != "" {
			add(&files, base)
		} else {
			add(&modules, base)
		}
	}
	return files, symbols, modules
}

// Literal returns the segments of a glob before its first wildcard.
func Literal(glob string) string {
	i := strings.IndexAny(glob, "*?[{")
	if i < 0 {
		return glob
	}
	return glob[:strings.LastIndex(glob[:i], "/")+1]
}

func trimmed(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
