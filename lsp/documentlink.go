package lsp

import (
	"bytes"
	"context"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/session"
)

// DocumentLink links a memory file to what it names: files of anchors, scopes
// and relations, and other memories. A file that is half typed has the links
// up to its first fault.
func (s *server) DocumentLink(ctx context.Context, p *protocol.DocumentLinkParams) ([]protocol.DocumentLink, error) {
	r := s.begin(ctx)
	path, ok := convert.PathFrom(p.TextDocument.URI)
	if !ok || !isMemoryFile(path) {
		return nil, nil
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
		return convert.URIFrom(p.folder.named(h.Path)), oneLine(h.Memory.Type.Label()+": "+h.Memory.What, 100), true
	}
	return "", "", false
}

// fileTarget links a path that is a file of the workspace; a pattern is none.
func (p *page) fileTarget(rel string) (uri.URI, string, bool) {
	path := p.folder.abs(rel)
	if _, inside := convert.RelFrom(p.folder.root, path); !inside || rel == "" {
		return "", "", false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", "", false
	}
	return convert.URIFrom(path), rel, true
}
