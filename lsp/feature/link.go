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
)

// FileLinks link a memory file to what it names: files of anchors, scopes and
// relations, and other memories. A file that is half typed has the links up to its
// first fault.
func FileLinks(p *page.Page) []protocol.DocumentLink {
	var out []protocol.DocumentLink
	for _, str := range page.JSONStrings(p.Doc) {
		if target, tip, ok := linkTarget(p, str); ok {
			out = append(out, protocol.DocumentLink{Range: p.Range(str.At), Target: &target, Tooltip: &tip})
		}
	}
	return out
}

// citation begins what names a memory in a text: [^ Memory: ID].
const citation = "[^ Memory:"

// minID is how many characters of a uuid name a memory.
const minID = 6

// HasCitations reports whether a text may cite memories.
func HasCitations(text []byte) bool { return bytes.Contains(text, []byte(citation)) }

// Citations link what names a memory in any text: by its uuid, or by the beginning
// or the end of it where that is the only one.
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
		h, known := cited(p, strings.TrimSpace(string(inner)))
		if !known {
			continue
		}
		target, tip := p.Folder.URI(h.Path), render.OneLine(h.Memory.Type.Label()+": "+h.Memory.What, 100)
		out = append(out, protocol.DocumentLink{Range: p.Range(page.Span{Start: start, End: from + len(inner) + 1}), Target: &target, Tooltip: &tip})
	}
}

// cited is the one memory that an id names.
func cited(p *page.Page, id string) (found memory.Hit, ok bool) {
	if h, ok := p.View.Get(id); ok {
		return h, true
	}
	if len(id) < minID {
		return found, false
	}
	for _, h := range p.View.All() {
		if strings.HasPrefix(h.Memory.UUID, id) || strings.HasSuffix(h.Memory.UUID, id) {
			if ok {
				return found, false
			}
			found, ok = h, true
		}
	}
	return found, ok
}

// linkTarget returns what a value links to, judged by its place in the file.
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

// fileTarget links a path that is a file of the workspace; a pattern is none.
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
