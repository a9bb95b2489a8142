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

// citation is the start of a citation in a text: [^ Memory: ID].
const citation = "[^ Memory:"

// minID is the least length of an abbreviated uuid.
const minID = 6

// HasCitations reports whether a text may cite memories.
func HasCitations(text []byte) bool { return bytes.Contains(text, []byte(citation)) }

// Citations links citations in any text: by uuid, or by a prefix or suffix of one that
// is unambiguous.
func Citations(p *page.Page) []protocol.DocumentLink {
	var out []protocol.DocumentLink
	text := p.Doc.Text()
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
		h, known := memoryWithID(p, strings.TrimSpace(string(inner)))
		if !known {
			continue
		}
		target, tip := p.Folder.URI(h.Path), render.OneLine(h.Memory.Type.Label()+": "+h.Memory.What, 100)
		out = append(out, protocol.DocumentLink{Range: p.Range(page.Span{Start: start, End: from + len(inner) + 1}), Target: &target, Tooltip: &tip})
	}
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
