package extract

import (
	"bytes"
	"strings"
)

// maxExpression is the length in bytes to which an expression is kept. A longer one is
// cut at its end (a receiver at its start) and resolves to nothing.
const maxExpression = 300

// parenthesized returns the content of a parenthesized list.
func parenthesized(value string) string {
	depth := 0
	for i, c := range []byte(value) {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(value)-1 {
			return "" // the first bracket closes before the last: (a).b(c)
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(value, "("), ")")
}

// destructured returns the bind of one property of a destructuring pattern: of its
// value, or of its written type, whose members are found by name.
func destructured(b Bind, prop string) Bind {
	if b.Type != "" {
		b.Value, _, _ = strings.Cut(b.Type, "<")
		b.Type = ""
		if strings.ContainsAny(b.Value, "{}()[]|& ") {
			b.Value = ""
		}
	}
	if b.Value != "" {
		b.Value = property(b.Value, prop)
	}
	return b
}

// property returns the expression of a member of another, as in "(await a.b()).c".
func property(of, path string) string {
	if strings.Contains(of, " ") {
		of = "(" + of + ")"
	}
	return of + path
}

// macroToken determines from the surrounding text how a name among the tokens of a
// macro is used, and its receiver.
func (u *uses) macroToken(s Span) (RefKind, Span) {
	kind := RefRead
	after := skipSpace(u.src, s.End)
	switch rest := u.src[after:min(after+2, len(u.src))]; {
	case bytes.HasPrefix(rest, []byte("(")), len(rest) == 2 && rest[0] == '!' && rest[1] != '=':
		kind = RefCall
	case len(rest) == 2 && rest[0] == ':' && rest[1] != ':':
		kind = RefKey
	}
	end := u.beforeSeparator(s.Start)
	if end < 0 {
		return kind, Span{}
	}
	start := end
	for start > 0 && end-start < maxExpression {
		switch c := u.src[start-1]; {
		case c == ')' || c == ']':
			start = u.openingBracket(start - 1)
			continue
		case c == '?' || c == '$' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			start--
			continue
		}
		before := u.beforeSeparator(start)
		if before < 0 {
			break
		}
		start = before
	}
	return kind, Span{Start: start, End: end}
}

// beforeSeparator returns the start of the separator before an offset, -1 if there is
// none.
func (u *uses) beforeSeparator(at int) int {
	text := bytes.TrimRight(u.src[:at], " \t\r\n")
	switch {
	case bytes.HasSuffix(text, []byte("::")):
		text = text[:len(text)-2]
	case bytes.HasSuffix(text, []byte(".")) && !bytes.HasSuffix(text, []byte("..")):
		text = text[:len(text)-1]
	default:
		return -1
	}
	return len(bytes.TrimRight(text, " \t\r\n"))
}

// openingBracket returns the bracket that the one at an offset closes.
func (u *uses) openingBracket(at int) int {
	depth := 0
	for i := at; i > 0 && at-i < maxExpression; i-- {
		switch u.src[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return at
}

// receiverChain finds the receiver of a name in the text, for grammars in which
// "a.b(c).d" is a flat list.
func (u *uses) receiverChain(at int) Span {
	skip := func(i int) int { return len(bytes.TrimRight(u.src[:i], " \t\r\n")) }
	i := skip(at)
	if i == 0 || u.src[i-1] != '.' && u.src[i-1] != ':' || i > 1 && u.src[i-2] == u.src[i-1] {
		return Span{}
	}
	end := skip(i - 1)
	depth := 0
	for i = end; i > 0 && end-i < maxExpression; i-- {
		switch c := u.src[i-1]; {
		case c == ')' || c == ']' || c == '}':
			depth++
		case c == '(' || c == '[' || c == '{':
			depth--
		case depth == 0 && c != '.' && c != ':' && !identifier(string(rune(c))):
			depth = -1
		}
		if depth < 0 {
			break
		}
	}
	return Span{Start: i, End: end}
}

// receiver returns the text of a receiver; a long one loses its start.
func (u *uses) receiver(s Span) string {
	if s.End-s.Start > maxExpression {
		if short := u.shortened(s); short != "" {
			return short
		}
		return "…" + fold(u.src[s.End-maxExpression:s.End])
	}
	return strings.TrimRight(fold(u.src[s.Start:s.End]), `\`) // the span of PHP includes the separator
}

// expression returns the text of a type or value; a long one loses its end, because
// the start says most (the callee of a call, the type of a literal).
func (u *uses) expression(s Span) string {
	if s.End-s.Start > maxExpression {
		return fold(u.src[s.Start:s.Start+maxExpression]) + "…"
	}
	return fold(u.src[s.Start:s.End])
}

// value is expression for a value.
func (u *uses) value(s Span) string {
	if s.End-s.Start > maxExpression {
		if short := u.shortened(s); short != "" {
			return short
		}
	}
	return u.expression(s)
}

// shortened returns a long expression of JavaScript or TypeScript without the arguments of
// its calls, "" if it is too long even so.
func (u *uses) shortened(s Span) string {
	if !u.ecma || s.End-s.Start > maxShortened {
		return ""
	}
	return skeleton(fold(u.src[s.Start:s.End]))
}

// fold joins the lines of a text.
func fold(text []byte) string {
	for i, c := range text {
		if c == '\n' || c == '\t' || c == ' ' && i > 0 && text[i-1] == ' ' {
			return strings.Join(strings.Fields(string(text)), " ")
		}
	}
	return string(text)
}

func identifier(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' && r != '_' || r > 'z' && r < 0x80 {
			return r == '$' || r == '@'
		}
	}
	return true
}

// splitTop splits a list at the commas outside of brackets and quotes. It does not
// look into an outer pair of brackets.
func splitTop(text []byte) []Span {
	var parts []Span
	depth, start, quote := 0, 0, byte(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote && text[i-1] != '\\' {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, Span{Start: start, End: i})
			start = i + 1
		}
	}
	return append(parts, Span{Start: start, End: len(text)})
}
