package extract

import (
	"bytes"
	"strings"

	"manicule/grammars"
)

// NoteGiven begins the value of a parameter without a written type, in a function that
// is passed to a call. The called expression follows, and Result is the number of the
// argument times MaxParameters, plus the number of the parameter.
const (
	NoteGiven     = "(given) "
	MaxParameters = 64
)

// ecmaScript reports whether a language is JavaScript or TypeScript.
func ecmaScript(lang string) bool { return lang == "javascript" || typed(lang) }

// typed reports whether a language is TypeScript.
func typed(lang string) bool {
	return lang == "typescript" || lang == "tsx" || grammars.CodeOf(lang) == "typescript"
}

// maxSkeleton is the length in bytes to which a shortened expression is kept, and
// maxShortened that of the longest that is shortened.
const (
	maxSkeleton  = 200
	maxShortened = 4000
)

// addResults gives functions without a written result the expressions that they return,
// from which other files infer it. A local variable is replaced by its type or value.
func (u *uses) addResults(f *Facts) {
	if len(u.notes) == 0 {
		return
	}
	in := newSymbolCursor(f.Symbols)
	for _, n := range u.notes {
		i := in.at(n.Start)
		if i < 0 || f.Symbols[i].Arity < 0 || f.Symbols[i].Type != "" {
			continue
		}
		text := u.returned(f, n)
		if s := &f.Symbols[i]; text != "" && len(s.Value)+len(text) <= maxExpression {
			if s.Value != "" {
				text = s.Value + " or " + text
			}
			s.Value = text
		}
	}
}

// returned returns the expression of a note of a result.
func (u *uses) returned(f *Facts, n Bind) string {
	text := n.Value
	if !identifier(text) || text == "this" {
		return text
	}
	var found *Bind
	for i := range f.Binds {
		if b := &f.Binds[i]; b.Start > n.Start {
			break
		} else if b.Name == text && b.Scope.Start <= n.Start && n.Start < b.Scope.End {
			found = b
		}
	}
	switch {
	case found == nil:
		return text
	case found.Type != "":
		if !found.Each && len(found.Type) <= maxSkeleton {
			return "(_ as " + found.Type + ")"
		}
	case found.Value != "" && !found.Each && found.Result == 0 && !identifier(found.Value):
		return skeleton(found.Value)
	}
	return ""
}

// skeleton returns an expression without the arguments of its calls, "" if it is long
// even so.
func skeleton(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if b.Len() > maxSkeleton {
			return ""
		}
		switch c {
		case '(', '[', '{':
			end := closing(text, i)
			if end < 0 { // the text is cut: a cast may have followed
				return ""
			}
			if i == 0 && c == '(' {
				b.WriteString(text[:end+1])
			} else {
				b.WriteByte(c)
				b.WriteByte(text[end])
			}
			i = end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// closing returns the offset of the bracket that closes the one at i, -1 if there is
// none.
func closing(text string, i int) int {
	depth, quote := 0, byte(0)
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// addGiven marks the parameters without a type of functions that are passed to a call.
func (u *uses) addGiven(binds []Bind) {
	for i := range binds {
		b := &binds[i]
		if b.Type != "" || b.Value != "" || b.Each || b.Scope.End == len(u.src) && b.Scope.Start == 0 {
			continue
		}
		if callee, at, ok := u.given(b); ok {
			b.Value, b.Result = NoteGiven+callee, at
		}
	}
}

// maxBefore is how far before a parameter the call may begin, in bytes.
const maxBefore = 300

// given finds the call that a function with a parameter is passed to.
func (u *uses) given(b *Bind) (callee string, at int, ok bool) {
	src := u.src
	after := skipSpace(src, b.Start+len(b.Name))
	if after >= len(src) {
		return "", 0, false
	}
	start, param := b.Start, 0
	limit := max(0, b.Start-maxBefore)
	switch rest := src[after:]; {
	case bytes.HasPrefix(rest, []byte("=>")): // x => …
	case rest[0] == ',' || rest[0] == ')' || rest[0] == '?':
		open, commas := openBefore(src, b.Start, limit)
		if open < 0 || src[open] != '(' {
			return "", 0, false
		}
		end := closing(string(src[open:min(len(src), open+maxBefore)]), 0)
		if end < 0 {
			return "", 0, false
		}
		arrow := src[skipSpace(src, open+end+1):]
		start, param = open, commas
		switch before := bytes.TrimRight(src[limit:open], " \t\r\n"); {
		case bytes.HasSuffix(before, []byte("function")):
			start = limit + len(before) - len("function")
		case !bytes.HasPrefix(arrow, []byte("=>")):
			return "", 0, false
		}
	default:
		return "", 0, false
	}
	before := bytes.TrimRight(src[limit:start], " \t\r\n")
	before = bytes.TrimRight(bytes.TrimSuffix(before, []byte("async")), " \t\r\n")
	if len(before) == 0 || before[len(before)-1] != '(' && before[len(before)-1] != ',' {
		return "", 0, false
	}
	open, argument := openBefore(src, limit+len(before), limit)
	if open <= limit || src[open] != '(' || param >= MaxParameters {
		return "", 0, false
	}
	end := len(bytes.TrimRight(src[:open], " \t\r\n"))
	from := u.calleeBefore(end, limit)
	if from == end {
		return "", 0, false
	}
	return fold(src[from:end]), argument*MaxParameters + param, true
}

// openBefore returns the bracket that is open at an offset, and how many commas are
// behind it.
func openBefore(src []byte, at, limit int) (open, commas int) {
	depth := 0
	for i := at - 1; i >= limit; i-- {
		switch src[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth == 0 {
				return i, commas
			}
			depth--
		case ',':
			if depth == 0 {
				commas++
			}
		case ';':
			if depth == 0 {
				return -1, 0
			}
		}
	}
	return -1, 0
}

// calleeBefore returns where the called expression begins that ends at an offset.
func (u *uses) calleeBefore(end, limit int) int {
	depth, at := 0, end
	for i := end; i > limit; i-- {
		switch c := u.src[i-1]; {
		case c == ')' || c == ']' || c == '}':
			depth++
		case c == '(' || c == '[' || c == '{':
			if depth--; depth < 0 {
				return at
			}
		case depth > 0:
		case c == '.' || c == '?' || c == '!' || c == '#' || identifier(string(rune(c))):
		case (c == ' ' || c == '\n' || c == '\t' || c == '\r') && (u.src[at] == '.' || u.src[at] == '?'): // a chain over several lines
			continue
		default:
			return at
		}
		if depth == 0 {
			at = i - 1
		}
	}
	return end // it began before the limit
}
