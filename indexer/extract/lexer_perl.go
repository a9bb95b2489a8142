package extract

import (
	"bytes"
	"strings"
)

// perl reads what a lexer reads in Perl alone.
type perl struct{ *lexer }

// pod adds documentation between the code of Perl as text: from a line that begins with an equals sign and a
// word to one with "=cut", or everything behind the mark of the end.
func (x perl) pod() bool {
	if x.at > 0 && x.src[x.at-1] != '\n' {
		return false
	}
	rest := x.src[x.at:]
	end := 0
	switch {
	case bytes.HasPrefix(rest, []byte("__END__")) || bytes.HasPrefix(rest, []byte("__DATA__")):
		end = len(x.src)
	case rest[0] == '=' && len(rest) > 1 && isLetter(rest[1]):
		end = len(x.src)
		if n := bytes.Index(rest, []byte("\n=cut")); n >= 0 {
			end = nextLine(x.src, x.at+n+1)
		}
	default:
		return false
	}
	for end > x.at && (x.src[end-1] == '\n' || x.src[end-1] == '\r') {
		end--
	}
	x.line()
	x.text(end) // no comment: a memory may be about its lines
	return true
}

// partOfName reports whether the quote here is part of a name: of a variable such as $", or of
// another word such as isn't.
func (x perl) partOfName() bool {
	if x.at == 0 {
		return false
	}
	before := x.src[x.at-1]
	return before == '$' && (x.at < 2 || x.src[x.at-2] != '$') || x.src[x.at] == '\'' && before != '-' && markupByte(before) && !x.afterWord()
}

// quoteTexts returns how many texts an operator quotes, 0 for a word that is none.
func quoteTexts(word []byte) int {
	switch string(word) {
	case "q", "qq", "qw", "qx", "qr", "m":
		return 1
	case "s", "tr", "y":
		return 2
	}
	return 0
}

// beforeValue reports whether a slash behind a word begins a regular expression.
func beforeValue(word []byte) bool {
	switch string(word) {
	case "split", "if", "unless", "and", "or", "not", "xor", "return", "grep", "map", "while", "until", "when", "push",
		"unshift", "join", "x", "lt", "gt", "le", "ge", "eq", "ne", "cmp":
		return true
	}
	return false
}

// quoteOperator adds a text that an operator or a slash quotes, if one is here.
func (x perl) quoteOperator() bool {
	start, texts := x.at, 1
	switch c := x.src[x.at]; {
	case c == '/':
		if !x.expectsValue() {
			return false
		}
	case isLetter(c) && (x.at == 0 || !markupByte(x.src[x.at-1]) && strings.IndexByte("$@%&*>", x.src[x.at-1]) < 0):
		end := x.at
		for end < len(x.src) && markupByte(x.src[end]) && x.src[end] != '-' {
			end++
		}
		if texts = quoteTexts(x.src[x.at:end]); texts == 0 {
			return false
		}
		start = end
		for start < len(x.src) && (x.src[start] == ' ' || x.src[start] == '\t') {
			start++
		}
		if start >= len(x.src) || markupByte(x.src[start]) || strings.IndexByte(",;)}\r\n", x.src[start]) >= 0 || x.src[start] == '=' || start > end && x.src[start] == '#' {
			return false
		}
	default:
		return false
	}
	if x.at < x.unquoted[x.src[start]] { // nothing ended such a text before
		return false
	}
	end := quotedEnd(x.src, start)
	if end < 0 {
		x.unquoted[x.src[start]] = min(len(x.src), start+maxQuoted)
	}
	if end < 0 || x.src[x.at] == '/' && bytes.IndexByte(x.src[start:end], '\n') >= 0 {
		return false
	}
	if texts == 2 {
		second := end - 1
		if next := skipSpace(x.src, end); closer(x.src[start]) != 0 && next < len(x.src) {
			second = next
		}
		if x.at < x.unreplaced[x.src[second]] {
			return false
		}
		if end = quotedEnd(x.src, second); end < 0 {
			x.unreplaced[x.src[second]] = min(len(x.src), second+maxQuoted)
			return false
		}
	}
	for end < len(x.src) && isLetter(x.src[end]) { // flags
		end++
	}
	if bytes.IndexByte(x.src[x.at:end], '\n') < 0 {
		x.token(end, ClassLiteral)
		return true
	}
	x.line()
	x.text(end)
	return true
}

// expectsValue reports whether a value begins here, by what stands before.
func (x perl) expectsValue() bool {
	tokens := x.out.tree.Tokens
	if len(tokens) == 0 {
		return true
	}
	last := tokens[len(tokens)-1]
	text := x.src[last.Start:last.End]
	if last.Class == ClassName {
		return beforeValue(text) && (last.Start == 0 || strings.IndexByte("$@%&>", x.src[last.Start-1]) < 0)
	}
	return last.Class == ClassMark && strings.IndexByte("(,=~{;!&|?:[", text[0]) >= 0
}

// afterWord reports whether the word before this place is one that a value follows, as in: eq'a'.
func (x perl) afterWord() bool {
	start := x.at
	for start > 0 && markupByte(x.src[start-1]) && x.src[start-1] != '-' {
		start--
	}
	return beforeValue(x.src[start:x.at])
}

// closer returns the end of a text that a bracket begins, 0 for another character.
func closer(open byte) byte {
	if i := strings.IndexByte("([{<", open); i >= 0 {
		return ")]}>"[i]
	}
	return 0
}

// maxQuoted is how much of a source is looked through for the end of a quoted text.
const maxQuoted = 64 << 10

// quotedEnd returns the end of a text whose first byte says what ends it, -1 without an end.
func quotedEnd(src []byte, at int) int {
	open := src[at]
	shut, depth := closer(open), 0
	if shut == 0 {
		shut = open
	}
	for i := at + 1; i < min(len(src), at+maxQuoted); i++ {
		switch c := src[i]; {
		case c == '\\':
			i++
		case c == shut && depth == 0:
			return i + 1
		case c == shut:
			depth--
		case c == open:
			depth++
		}
	}
	return -1
}
