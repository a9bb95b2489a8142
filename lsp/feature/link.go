package feature

import (
	"bytes"
	"os"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/memory"
	"manicule/memory/file"
)

// FileLinks links a memory file to the files in its anchors, scopes and relations, and
// to other memories. If its JSON is incomplete, it links what comes before the error.
func FileLinks(p *page.Page) []protocol.DocumentLink {
	var out []protocol.DocumentLink
	for _, str := range page.JSONStrings(p.Doc) {
		if target, tip, ok := linkTarget(p, str); ok {
			out = append(out, protocol.DocumentLink{Range: p.Range(str.At), Target: &target, Tooltip: &tip})
		}
	}
	return out
}

// citation is the start of a citation in a text: [^ Memory: ID], or the beginning of what the memory says instead of its id.
const citation = "[^ Memory:"

// Least lengths of what names a memory.
const (
	minID    = 6  // of an abbreviated uuid, in bytes
	minWords = 12 // of the beginning of its text, in bytes
)

// HasCitations reports whether a text may cite memories.
func HasCitations(text []byte) bool { return bytes.Contains(text, []byte(citation)) }

// Citations links citations in any text: by uuid, by a prefix or suffix of one, or by the beginning of the memory's text, if
// that is unambiguous.
func Citations(p *page.Page) []protocol.DocumentLink {
	var out []protocol.DocumentLink
	text := p.Text().Text()
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(citation))
		if i < 0 {
			return out
		}
		start := from + i
		from = start + len(citation)
		inner, _, closed := bytes.Cut(text[from:], []byte("]"))
		if !closed || bytes.IndexByte(inner, '\n') >= 0 {
			continue
		}
		name := strings.TrimSpace(string(inner))
		h, known := memoryWithID(p, name)
		if !known {
			if h, known = memoryThatSays(p, name); !known {
				continue
			}
		}
		target, tip := p.Folder.URI(h.Path), render.OneLine(h.Memory.Type.Label()+": "+h.Memory.What, 100)
		out = append(out, protocol.DocumentLink{Range: p.TextRange(page.Span{Start: start, End: from + len(inner) + 1}), Target: &target, Tooltip: &tip})
	}
}

// memoryThatSays returns the only memory whose text begins with some words, which may be quoted or end in an ellipsis. Case and
// space don't count.
func memoryThatSays(p *page.Page, words string) (found memory.Hit, ok bool) {
	plain := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	words = strings.TrimRight(plain(strings.Trim(words, "“”\"'")), "….")
	if len(words) < minWords {
		return found, false
	}
	for _, h := range p.View.All() {
		if strings.HasPrefix(plain(h.Memory.What), words) {
			if ok {
				return memory.Hit{}, false
			}
			found, ok = h, true
		}
	}
	return found, ok
}

// memoryWithID returns the only memory that an abbreviated uuid names.
func memoryWithID(p *page.Page, id string) (found memory.Hit, ok bool) {
	if h, ok := p.View.Get(id); ok {
		return h, true
	}
	if len(id) < minID {
		return found, false
	}
	for _, h := range p.View.All() {
		if file.Abbreviates(id, h.Memory.UUID) {
			if ok {
				return found, false
			}
			found, ok = h, true
		}
	}
	return found, ok
}

// linkTarget returns what a value links to, according to its place in the file.
func linkTarget(p *page.Page, s page.JSONString) (target uri.URI, tip string, ok bool) {
	parts := strings.Split(strings.TrimPrefix(s.Pointer, "/"), "/")
	last := parts[len(parts)-1]
	switch {
	case parts[0] == "anchors" && len(parts) == 3 && last == "path",
		parts[0] == "relations" && len(parts) == 3 && last == "file",
		parts[0] == "scope":
		return fileTarget(p, s.Value)
	case parts[0] == "relations" && len(parts) == 3 && last == "memory":
		h, ok := p.View.Get(s.Value)
		if !ok {
			return "", "", false
		}
		return p.Folder.URI(h.Path), render.OneLine(h.Memory.Type.Label()+": "+h.Memory.What, 100), true
	}
	return "", "", false
}

// fileTarget returns the target of a path to a file of the workspace. A pattern has
// none.
func fileTarget(p *page.Page, rel string) (uri.URI, string, bool) {
	path := p.Folder.Abs(rel)
	if _, inside := convert.RelFrom(p.Folder.Root, path); !inside || rel == "" {
		return "", "", false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", "", false
	}
	return convert.URIFrom(path), rel, true
}
