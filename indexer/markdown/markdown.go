// Package markdown keeps from a Markdown parser what takes it time in the square of a text's length: a line of "> > > …"
// of 100 kB kept goldmark busy for a minute, and nothing can stop it. It must not know what is read.
package markdown

import "bytes"

const (
	// maxNested is how many quotes and list entries a line may begin with, one in the other.
	maxNested = 32
	// maxOpen is how many brackets, or parentheses, may be open at once in a paragraph.
	maxOpen = 500
)

// Bound returns src without what is nested deeper than any that people write: blanks are in its place, so that all else
// stays where it was. The copy is made only if there is something.
func Bound(src []byte) []byte {
	b := bounder{src: src}
	for at := 0; at < len(src); {
		end := at + 1 + bytes.IndexByte(src[at:], '\n')
		if end == at {
			end = len(src)
		}
		b.line(at, end)
		at = end
	}
	if b.copy != nil {
		return b.copy
	}
	return src
}

// bounder reads a text line by line.
type bounder struct {
	src, copy        []byte
	brackets, parens int // that are open in the paragraph
}

// line bounds the line from at to end.
func (b *bounder) line(at, end int) {
	line := bytes.TrimRight(b.src[at:end], "\r\n")
	i := 0
	for nested := 0; ; nested++ {
		i += blanks(line[i:])
		n := marker(line[i:])
		if n == 0 {
			break
		}
		if nested == maxNested {
			b.blank(at+i, at+len(line))
			return
		}
		i += n
	}
	if i == len(line) {
		b.brackets, b.parens = 0, 0
		return
	}
	for ; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '[':
			b.open(&b.brackets, at+i)
		case '(':
			b.open(&b.parens, at+i)
		case ']':
			b.brackets = max(0, b.brackets-1)
		case ')':
			b.parens = max(0, b.parens-1)
		}
	}
}

// open counts an opening character, or takes it away if too many are open.
func (b *bounder) open(count *int, at int) {
	if *count == maxOpen {
		b.blank(at, at+1)
		return
	}
	*count++
}

// blank writes blanks from one offset to another.
func (b *bounder) blank(from, to int) {
	if b.copy == nil {
		b.copy = bytes.Clone(b.src)
	}
	for i := from; i < to; i++ {
		b.copy[i] = ' '
	}
}

// blanks returns how many blanks and tabs a text begins with.
func blanks(text []byte) int { return len(text) - len(bytes.TrimLeft(text, " \t")) }

// marker returns the length of the mark of a quote or a list's entry at the beginning of a text, or 0.
func marker(text []byte) int {
	n := 0
	for n < len(text) && n < 9 && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if n == len(text) {
		return 0
	}
	switch c := text[n]; {
	case n == 0 && c == '>':
		return 1
	case n == 0 && (c == '-' || c == '+' || c == '*'), n > 0 && (c == '.' || c == ')'):
		n++
	default:
		return 0
	}
	if n < len(text) && text[n] != ' ' && text[n] != '\t' {
		return 0
	}
	return n
}
