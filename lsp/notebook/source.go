package notebook

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Source is the text of a cell as its file has it. Its lines are those that an editor shows. It is
// immutable.
type Source struct {
	raw     []byte // the JSON value
	lines   []Span // the escaped text of each line, in raw
	Regular bool   // each string is a line, or all is one string
	list    bool   // it is an array of strings
	own     bool   // the last line has a string of its own
}

// NewSource reads the value of a cell's member "source".
func NewSource(raw []byte) *Source {
	s := &Source{raw: raw, Regular: true, list: len(raw) > 0 && raw[0] == '['}
	line, open := Span{}, false // a line without its end so far
	for at := 0; at < len(raw); at++ {
		if raw[at] != '"' {
			continue
		}
		at++
		if open { // a string goes on where the one before it ended
			s.Regular = false
		} else {
			line, open = Span{at, at}, true
		}
		for at < len(raw) && raw[at] != '"' {
			n := escapeLen(raw[at:])
			line.End = at
			if ends := lineEndLen(raw[at:]); ends > 0 {
				s.lines = append(s.lines, line)
				at += ends
				line, open = Span{at, at}, at < len(raw) && raw[at] != '"'
				if open && s.list {
					s.Regular = false
				}
				continue
			}
			at += n
		}
		line.End = min(at, len(raw))
	}
	s.own = open
	if line == (Span{}) { // no string at all
		line = Span{min(1, len(raw)), min(1, len(raw))}
	}
	s.lines = append(s.lines, line)
	return s
}

// lineEndLen returns the length of the escaped line end at the beginning of a text, 0 for none.
func lineEndLen(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte(`\r\n`)):
		return 4
	case bytes.HasPrefix(text, []byte(`\n`)), bytes.HasPrefix(text, []byte(`\r`)):
		return 2
	}
	return 0
}

// escapeLen returns the length of the character or the escape at the beginning of a text.
func escapeLen(text []byte) int {
	if text[0] != '\\' {
		return 1
	}
	if len(text) > 1 && text[1] == 'u' {
		return min(6, len(text))
	}
	return min(2, len(text))
}

// Count returns the number of lines, at least one.
func (s *Source) Count() int { return len(s.lines) }

// Text returns the text of the cell. Lines of a regular one end with LF.
func (s *Source) Text() []byte {
	if !s.Regular {
		return joined(s.raw)
	}
	var out []byte
	for i, l := range s.lines {
		if i > 0 {
			out = append(out, '\n')
		}
		out = append(out, unescaped(s.raw[l.Start:l.End])...)
	}
	return out
}

// unescaped returns an escaped text without its escapes.
func unescaped(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	out, _ := jsontext.AppendUnquote(nil, append(append([]byte{'"'}, text...), '"')) // half a surrogate pair is replaced
	return out
}

// joined returns the text of all strings in a value.
func joined(raw []byte) (out []byte) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowInvalidUTF8(true))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return out
		}
		if tok.Kind() == '"' {
			out = append(out, tok.String()...)
		}
	}
}

// Offset returns where a byte of a line is in the value. A line or column past the end is the end.
func (s *Source) Offset(line, column int) int {
	l := s.lines[min(max(line, 0), len(s.lines)-1)]
	at := l.Start
	for left := column; at < l.End; {
		size, n := character(s.raw[at:l.End])
		if left -= size; left < 0 {
			break
		}
		at += n
	}
	return at
}

// Place returns which byte of which line an offset of the value is. Outside of the text it is the nearest
// place.
func (s *Source) Place(offset int) (line, column int) {
	for line = len(s.lines) - 1; line > 0 && s.lines[line].Start > offset; {
		line--
	}
	l := s.lines[line]
	for at := l.Start; at < min(offset, l.End); {
		size, n := character(s.raw[at:l.End])
		if at+n > offset {
			break
		}
		column += size
		at += n
	}
	return line, column
}

// character returns how many bytes the first character of an escaped text has without its escape, and how many
// with it.
func character(text []byte) (size, n int) {
	if text[0] != '\\' {
		_, n = utf8.DecodeRune(text)
		return n, n
	}
	n = escapeLen(text)
	if n < 6 {
		return 1, n
	}
	r := codeUnit(text)
	if utf16.IsSurrogate(r) {
		if pair := utf16.DecodeRune(r, codeUnit(text[6:])); pair != utf8.RuneError {
			return utf8.RuneLen(pair), 12
		}
		return utf8.RuneLen(utf8.RuneError), n
	}
	return utf8.RuneLen(r), n
}

// codeUnit returns the code unit that an escape names, 0 if there is none.
func codeUnit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 32)
	if err != nil {
		return 0
	}
	return rune(n)
}
