package page

import (
	"bytes"
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/folder"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/follow"
	"manicule/memory/thread"
)

// MemoryFile is the file of a memory, as it is in the editor if it is open.
type MemoryFile struct {
	Doc    *session.Document
	Folder *folder.Folder // nil if no open folder has the file
	Path   string
	enc    convert.Encoding
}

// IsMemoryFile reports whether a path is that of a memory file.
func IsMemoryFile(path string) bool {
	slashed := strings.ReplaceAll(path, `\`, "/")
	return strings.Contains(slashed, "/.manicule/memories/") && strings.HasSuffix(slashed, ".json")
}

// IsThreadFile reports whether a path is that of a shared thread's file.
func IsThreadFile(path string) bool {
	slashed := strings.ReplaceAll(path, `\`, "/")
	return strings.Contains(slashed, "/.manicule/"+thread.SharedFolder+"/") && strings.HasSuffix(slashed, ".json")
}

// OpenThreadFile returns a shared thread's file, which is like a memory's, false for other files and unreadable ones.
func (c *Cache) OpenThreadFile(ctx context.Context, snap *session.Snapshot, u uri.URI) (*MemoryFile, bool) {
	return c.openOwnFile(ctx, snap, u, IsThreadFile)
}

// OpenMemoryFile returns a memory's own file, false for other files and unreadable
// ones.
func (c *Cache) OpenMemoryFile(ctx context.Context, snap *session.Snapshot, u uri.URI) (*MemoryFile, bool) {
	return c.openOwnFile(ctx, snap, u, IsMemoryFile)
}

func (c *Cache) openOwnFile(ctx context.Context, snap *session.Snapshot, u uri.URI, is func(path string) bool) (*MemoryFile, bool) {
	path, ok := convert.PathFrom(u)
	if !ok || !is(path) {
		return nil, false
	}
	doc, err := snap.Read(ctx, u)
	if err != nil {
		return nil, false
	}
	f, _, _ := c.opts.Folders.Owner(ctx, path)
	return &MemoryFile{Doc: doc, Folder: f, Path: path, enc: snap.Encoding}, true
}

// Range returns a span of the file in the client's units.
func (m *MemoryFile) Range(s Span) protocol.Range { return m.Doc.Lines.Range(s.Start, s.End, m.enc) }

// Position returns an offset of the file in the client's units.
func (m *MemoryFile) Position(offset int) protocol.Position {
	return m.Doc.Lines.Position(offset, m.enc)
}

// Offsets returns the byte offsets of a range of the client.
func (m *MemoryFile) Offsets(rng protocol.Range) (start, end int) {
	return m.Doc.Lines.Offsets(rng, m.enc)
}

// Memory returns the memory, false for a file without a valid one.
func (m *MemoryFile) Memory() (memory.Hit, bool) {
	if m.Folder == nil {
		return memory.Hit{}, false
	}
	return m.Folder.MemoryAt(m.Path)
}

// AnchorPlace is the place of an anchor, with the span of its record in the memory's
// own file.
type AnchorPlace struct {
	follow.Place
	Span Span
}

// Anchors returns the anchors that the tracker has resolved.
func (m *MemoryFile) Anchors() []AnchorPlace {
	h, ok := m.Memory()
	if !ok || m.Folder.Tracker == nil {
		return nil
	}
	spans := listSpans(m.Doc.Text(), "anchors")
	var out []AnchorPlace
	for _, at := range m.Folder.Tracker.Of(h.Memory.UUID) {
		if at.Index < len(spans) && at.State != "" {
			out = append(out, AnchorPlace{at, spans[at.Index]})
		}
	}
	return out
}

// Conflicts returns the spans of the versions that a merge kept beside what the memory
// says.
func (m *MemoryFile) Conflicts() []Span { return listSpans(m.Doc.Text(), "conflict") }

// listSpans returns the spans of the objects in a list of a memory file, in order, none
// if its JSON is invalid before them.
func listSpans(text []byte, member string) []Span {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil
	}
	for dec.PeekKind() == '"' {
		key, err := dec.ReadToken()
		if err != nil {
			return nil
		}
		if key.String() != member || dec.PeekKind() != '[' {
			if err := dec.SkipValue(); err != nil {
				return nil
			}
			continue
		}
		if _, err := dec.ReadToken(); err != nil {
			return nil
		}
		var out []Span
		for dec.PeekKind() == '{' {
			v, err := dec.ReadValue()
			if err != nil {
				return out
			}
			end := int(dec.InputOffset())
			out = append(out, Span{end - len(v), end})
		}
		return out
	}
	return nil
}

// JSONString is a string value in a JSON text.
type JSONString struct {
	Pointer string
	Value   string
	At      Span // without the quotes
}

// maxNested is the depth at which a document has no string that is known. A memory's are at most at the fourth; a
// pointer is as long as its string is deep.
const maxNested = 16

// JSONStrings returns the string values of a document up to its first error, without those that are nested deeper than
// any of a memory.
func JSONStrings(doc *session.Document) []JSONString {
	var out []JSONString
	dec := jsontext.NewDecoder(bytes.NewReader(doc.Text()), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		kind, length := dec.StackIndex(dec.StackDepth())
		tok, err := dec.ReadToken()
		if err != nil {
			return out
		}
		isName := kind == '{' && length%2 == 0
		if tok.Kind() != '"' || isName || dec.StackDepth() > maxNested {
			continue
		}
		value := tok.String()
		end := int(dec.InputOffset())
		raw := len(value) // exact if nothing is escaped, as in paths and uuids
		if start := end - 1 - raw; start > 0 && doc.Text()[start-1] == '"' {
			out = append(out, JSONString{string(dec.StackPointer()), value, Span{start, end - 1}})
		}
	}
}
