package graph

import (
	"bytes"
	"unicode"

	"manicule/indexer/extract"
	"manicule/indexer/hashing"
)

// Chunk is a piece of a file for retrieval. Its borders respect symbols.
type Chunk struct {
	Start, End    int // byte offsets
	Line, EndLine int // from 1
	Kind          string
	Symbol        string // symbol path, "" between symbols
	Prefix        string // embedded in front of the text
	Hash          [16]byte
}

// Bounds of chunks, in lines.
const (
	maxChunk = 100 // of text without symbols
	largest  = 20  // a longer type is cut between its members
	least    = 3   // a shorter member stays with the text around it
	smallest = 4   // shorter text between symbols is not kept
)

// chunks cuts a file. A function is never split, a type is cut between its members if it
// is longer than they are worth reading together: a search for what a method does must
// find it, and not its class. Text outside of symbols is cut after maxChunk lines.
func chunks(path string, f *extract.Facts, src []byte) []Chunk {
	var out []Chunk
	var hashed []byte
	add := func(start, end int, kind, symbol string) {
		for start < end && (src[start] == '\n' || src[start] == '\r') {
			start++
		}
		text := bytes.TrimRight(src[start:end], " \t\r\n")
		if len(text) == 0 {
			return
		}
		end = start + len(text)
		c := Chunk{Start: start, End: end, Line: f.Line(start), EndLine: f.Line(end - 1), Kind: kind, Symbol: symbol, Prefix: prefix(path, kind, symbol)}
		hashed = append(append(append(hashed[:0], c.Prefix...), '\n'), text...)
		sum := hashing.Sum256(hashed)
		copy(c.Hash[:], sum[:])
		out = append(out, c)
	}
	between := func(from, to int) {
		if f.Line(max(to-1, from))-f.Line(from) < smallest {
			return
		}
		for first := f.Line(from); first <= f.Line(max(to-1, from)); first += maxChunk {
			start, end := max(from, f.Lines[first-1]), to
			if first-1+maxChunk < len(f.Lines) {
				end = min(end, f.Lines[first-1+maxChunk])
			}
			add(start, end, "text", "")
		}
	}
	within := func(start, end int, kind, symbol string) { // text between the members of a type
		if start < end && bytes.IndexFunc(src[start:end], unicode.IsLetter) >= 0 {
			add(start, end, kind, symbol)
		}
	}
	var cover func(parent, from, to int, kind, symbol string)
	cover = func(parent, from, to int, kind, symbol string) {
		at := from
		for i, s := range f.Symbols {
			if s.Parent != parent || s.DocStart < at || s.End > to {
				continue
			}
			if partOfOther(s, parent) {
				continue
			}
			if parent < 0 {
				between(at, s.DocStart)
			} else {
				within(at, s.DocStart, kind, symbol)
			}
			if s.EndLine-s.Line > largest && hasMembers(f, i) {
				cover(i, s.DocStart, s.End, s.Kind, s.Path)
			} else {
				add(s.DocStart, s.End, s.Kind, s.Path)
			}
			at = s.End
		}
		if parent < 0 {
			between(at, to)
		} else {
			within(at, to, kind, symbol)
		}
	}
	cover(-1, 0, len(src), "", "")
	return out
}

// partOfOther reports whether a symbol belongs to the chunk around it.
func partOfOther(s extract.Symbol, parent int) bool {
	switch s.Kind {
	case "field", "const", "var", "key":
		return parent >= 0 || s.EndLine-s.Line < smallest
	}
	return parent >= 0 && s.EndLine-s.Line+1 < least
}

func hasMembers(f *extract.Facts, i int) bool {
	for _, s := range f.Symbols {
		if s.Parent == i && (s.Kind == "method" || s.Kind == "function" || s.Kind == "class" || s.Kind == "section") {
			return true
		}
	}
	return false
}

// prefix returns the context that is embedded with a chunk: file, kind and name.
func prefix(path, kind, symbol string) string {
	if symbol == "" {
		return "file " + path
	}
	return "file " + path + ", " + kind + " " + symbol
}
