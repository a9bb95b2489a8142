// Package convert converts between our units and the protocol's: byte offsets and LSP
// positions in each of the three encodings, file paths and URIs. It is pure. It must
// not know documents, memories or the connection.
package convert

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// Encoding is the unit in which a client counts characters in a line.
type Encoding int

// The encodings of LSP 3.17. The zero value is the protocol's default.
const (
	UTF16 Encoding = iota
	UTF8
	UTF32
)

// EncodingFrom picks the position encoding: the client's first choice that we support,
// else UTF-16, which every client must support.
func EncodingFrom(offered []protocol.PositionEncodingKind) Encoding {
	for _, k := range offered {
		switch k {
		case protocol.PositionEncodingKindUTF8:
			return UTF8
		case protocol.PositionEncodingKindUTF16:
			return UTF16
		case protocol.PositionEncodingKindUTF32:
			return UTF32
		}
	}
	return UTF16
}

// Kind returns the protocol's name of the encoding.
func (e Encoding) Kind() protocol.PositionEncodingKind {
	switch e {
	case UTF8:
		return protocol.PositionEncodingKindUTF8
	case UTF32:
		return protocol.PositionEncodingKindUTF32
	default:
		return protocol.PositionEncodingKindUTF16
	}
}

// units returns the length of rune r, encoded in size bytes, in e's units. An invalid
// byte counts as one unit, as for a client that shows it as one replacement character.
func (e Encoding) units(r rune, size int) int {
	switch {
	case e == UTF8:
		return size
	case e == UTF16 && r > 0xFFFF:
		return 2
	default:
		return 1
	}
}

// Lines is a text with an index of its lines. Lines end with LF, CRLF or CR,
// as the protocol says. It is immutable; the text must not be changed.
type Lines struct {
	text   []byte
	starts []int // offset of each line's first byte; starts[0] == 0
	ascii  bool  // every byte is below 0x80: all units are bytes
}

// NewLines indexes text and keeps it.
func NewLines(text []byte) *Lines {
	l := &Lines{text: text, ascii: isASCII(text)}
	l.starts = append(make([]int, 0, 1+bytes.Count(text, []byte{'\n'})), 0)
	hasCR := bytes.IndexByte(text, '\r') >= 0
	for i := 0; i < len(text); {
		n := nextBreak(text[i:], hasCR)
		if n < 0 {
			break
		}
		i += n + 1
		if text[i-1] == '\r' && i < len(text) && text[i] == '\n' {
			i++
		}
		l.starts = append(l.starts, i)
	}
	return l
}

// Replace returns the text with the bytes [start, end) replaced. It indexes only what changed: counting the lines of a
// text of megabytes again takes longer than copying it.
func (l *Lines) Replace(start, end int, text string) *Lines {
	full := slices.Concat(l.text[:start], []byte(text), l.text[end:])
	by := len(text) - (end - start)
	kept := max(1, sort.SearchInts(l.starts, start)) // those before start stay
	rest := l.starts[sort.SearchInts(l.starts, end+1):]
	next := &Lines{text: full, ascii: l.ascii && isASCII([]byte(text)), starts: make([]int, kept, kept+len(rest)+1+bytes.Count([]byte(text), []byte{'\n'}))}
	copy(next.starts, l.starts)
	limit := start + len(text)
	for i := max(next.starts[kept-1], start-1); i < limit; { // a CR before it may become one line end with what follows
		n := nextBreak(full[i:limit], true)
		if n < 0 {
			break
		}
		i += n + 1
		if full[i-1] == '\r' && i < len(full) && full[i] == '\n' {
			i++
		}
		if i <= limit { // else it is the first of the rest
			next.starts = append(next.starts, i)
		}
	}
	for _, s := range rest {
		next.starts = append(next.starts, s+by)
	}
	return next
}

func nextBreak(b []byte, hasCR bool) int {
	if hasCR {
		return bytes.IndexAny(b, "\r\n")
	}
	return bytes.IndexByte(b, '\n')
}

func isASCII(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf })
}

// Text returns the text, which must not be changed.
func (l *Lines) Text() []byte { return l.text }

// Count returns the number of lines, at least one.
func (l *Lines) Count() int { return len(l.starts) }

// Start returns the offset of the 0-based line's first byte, clamped to the
// text.
func (l *Lines) Start(line int) int {
	switch {
	case line < 0:
		return 0
	case line >= len(l.starts):
		return len(l.text)
	}
	return l.starts[line]
}

// End returns the offset behind the 0-based line's last byte, its line end
// left out.
func (l *Lines) End(line int) int {
	if line < 0 {
		return 0
	}
	if line >= len(l.starts)-1 {
		return len(l.text)
	}
	end := l.starts[line+1]
	if end > 0 && l.text[end-1] == '\n' {
		end--
	}
	if end > l.starts[line] && l.text[end-1] == '\r' {
		end--
	}
	return end
}

// Line returns the 0-based line that holds offset, clamped to the text.
func (l *Lines) Line(offset int) int {
	return max(0, sort.SearchInts(l.starts, offset+1)-1)
}

// Offset returns the byte offset of a position. A line past the end is clamped to the
// end of the text, a character past the end to the end of its line, and one inside a
// character to its start.
func (l *Lines) Offset(p protocol.Position, enc Encoding) int {
	if uint64(p.Line) >= uint64(len(l.starts)) {
		return len(l.text)
	}
	line := int(p.Line)
	start, end := l.starts[line], l.End(line)
	if l.ascii {
		if uint64(p.Character) >= uint64(end-start) {
			return end
		}
		return start + int(p.Character)
	}
	left, at := int64(p.Character), start
	for at < end {
		r, size := utf8.DecodeRune(l.text[at:end])
		n := int64(enc.units(r, size))
		if n > left {
			break
		}
		left -= n
		at += size
	}
	return at
}

// Position returns the position of a byte offset, clamped to the text. An offset inside
// a character or a line end becomes its start.
func (l *Lines) Position(offset int, enc Encoding) protocol.Position {
	offset = min(max(offset, 0), len(l.text))
	line := l.Line(offset)
	start := l.starts[line]
	offset = min(offset, l.End(line))
	if l.ascii {
		return protocol.Position{Line: uint32(line), Character: uint32(offset - start)}
	}
	n := 0
	for at := start; at < offset; {
		r, size := utf8.DecodeRune(l.text[at:])
		if at+size > offset {
			break
		}
		n += enc.units(r, size)
		at += size
	}
	return protocol.Position{Line: uint32(line), Character: uint32(n)}
}

// Range returns the range of the bytes in [start, end).
func (l *Lines) Range(start, end int, enc Encoding) protocol.Range {
	return protocol.Range{Start: l.Position(start, enc), End: l.Position(max(start, end), enc)}
}

// Offsets returns the byte offsets of a range in ascending order.
func (l *Lines) Offsets(r protocol.Range, enc Encoding) (start, end int) {
	start, end = l.Offset(r.Start, enc), l.Offset(r.End, enc)
	if end < start {
		start, end = end, start
	}
	return start, end
}
