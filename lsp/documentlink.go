package lsp

import (
	"bytes"
	"context"
	"os"
	"strings"

	"manicule/lsp/render"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/session"
	"manicule/memory"
)

// DocumentLink links a memory file to what it names: files of anchors, scopes
// and relations, and other memories. A file that is half typed has the links
// up to its first fault.
func (s *server) DocumentLink(ctx context.Context, p *protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	r := s.begin(ctx)
	path, ok := convert.PathFrom(p.TextDocument.URI)
	if !ok || !isMemoryFile(path) {
		return r.citations(ctx, p.TextDocument.URI)
	}
	pg, ok := r.page(ctx, p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	var out []protocol.DocumentLink
	for _, str := range jsonStrings(pg.doc) {
		target, tip, ok := pg.linkTarget(str)
		if !ok {
			continue
		}
		out = append(out, protocol.DocumentLink{
			Range:  pg.doc.Lines.Range(str.at.start, str.at.end, r.snap.Encoding),
			Target: &target, Tooltip: &tip,
		})
	}
	return out, nil
}

// citation begins what names a memory in a text: [^ Memory: ID].
const citation = "[^ Memory:"

// leastID is how many characters of a uuid name a memory.
const leastID = 6

// citations links what names a memory in any text (V5-UX-09): by its uuid, or by
// the beginning or the end of it where that is the only one.
func (r *request) citations(ctx context.Context, u uri.URI) ([]protocol.DocumentLink, error) {
	doc, open := r.snap.Get(u)
	if !open || !bytes.Contains(doc.Text(), []byte(citation)) {
		return nil, nil
	}
	pg, ok := r.page(ctx, u)
	if !ok {
		return nil, nil
	}
	var out []protocol.DocumentLink
	text := doc.Text()
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(citation))
		if i < 0 {
			return out, nil
		}
		start := from + i
		from = start + len(citation)
		inner, _, closed := bytes.Cut(text[from:], []byte("]"))
		if !closed || bytes.IndexByte(inner, '\n') >= 0 {
			continue
		}
		h, known := pg.cited(strings.TrimSpace(string(inner)))
		if !known {
			continue
		}
		target, tip := pg.folder.URI(h.Path), render.OneLine(h.Memory.Type.Label()+": "+h.Memory.What, 100)
		out = append(out, protocol.DocumentLink{Range: doc.Lines.Range(start, from+len(inner)+1, r.snap.Encoding), Target: &target, Tooltip: &tip})
	}
}

// cited is the one memory that an id names.
func (p *page) cited(id string) (found memory.Hit, ok bool) {
	if h, ok := p.view.Get(id); ok {
		return h, true
	}
	if len(id) < leastID {
		return found, false
	}
	for _, h := range p.view.All() {
		if strings.HasPrefix(h.Memory.UUID, id) || strings.HasSuffix(h.Memory.UUID, id) {
			if ok {
				return found, false
			}
			found, ok = h, true
		}
	}
	return found, ok
}

// jsonString is a string value in a JSON text.
type jsonString struct {
	pointer string
	value   string
	at      span // without the quotes
}

// jsonStrings returns the string values up to the first fault.
func jsonStrings(doc *session.Document) []jsonString {
	var out []jsonString
	dec := jsontext.NewDecoder(bytes.NewReader(doc.Text()), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		kind, length := dec.StackIndex(dec.StackDepth())
		tok, err := dec.ReadToken()
		if err != nil {
			return out
		}
		isName := kind == '{' && length%2 == 0
		if tok.Kind() != '"' || isName {
			continue
		}
		value := tok.String()
		end := int(dec.InputOffset())
		raw := len(value) // exact where nothing is escaped, as in paths and uuids
		if start := end - 1 - raw; start > 0 && doc.Text()[start-1] == '"' {
			out = append(out, jsonString{string(dec.StackPointer()), value, span{start, end - 1}})
		}
	}
}

// linkTarget returns what a value links to, judged by its place in the file.
func (p *page) linkTarget(s jsonString) (target uri.URI, tip string, ok bool) {
	parts := strings.Split(strings.TrimPrefix(s.pointer, "/"), "/")
	last := parts[len(parts)-1]
	switch {
	case parts[0] == "anchors" && len(parts) == 3 && last == "path",
		parts[0] == "relations" && len(parts) == 3 && last == "file",
		parts[0] == "scope":
		return p.fileTarget(s.value)
	case parts[0] == "relations" && len(parts) == 3 && last == "memory":
		h, ok := p.view.Get(s.value)
		if !ok {
			return "", "", false
		}
		return p.folder.URI(h.Path), render.OneLine(h.Memory.Type.Label()+": "+h.Memory.What, 100), true
	}
	return "", "", false
}

// fileTarget links a path that is a file of the workspace; a pattern is none.
func (p *page) fileTarget(rel string) (uri.URI, string, bool) {
	path := p.folder.Abs(rel)
	if _, inside := convert.RelFrom(p.folder.Root, path); !inside || rel == "" {
		return "", "", false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", "", false
	}
	return convert.URIFrom(path), rel, true
}
