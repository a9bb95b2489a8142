package extract

import "bytes"

// maxArguments is how much of a list of arguments is read, in bytes. The arguments of
// longer ones, such as functions, are not counted: calls within calls would be read
// over and over.
const maxArguments = 256

// countsArguments reports whether calls of a language say how many arguments they
// pass: where a declaration's parameters can't be left out or added to unseen.
func countsArguments(lang string) bool {
	return lang == "java" || typed(lang)
}

// arguments returns one more than the number of arguments of a call whose name ends at an
// offset, 0 if that is not plain: type arguments, spread values and regular
// expressions are left to parsers.
func arguments(src []byte, at int) int {
	s := src[at:min(at+maxArguments, len(src))]
	s = bytes.TrimLeft(bytes.TrimPrefix(s, []byte("?.")), " \t\r\n")
	if len(s) == 0 || s[0] != '(' {
		return 0
	}
	count, depth, any := 1, 1, false // any: the current argument has text
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				if any {
					count++
				}
				return count
			}
		case ',':
			if depth == 1 {
				if !any {
					return 0
				}
				count, any = count+1, false
				continue
			}
		case '"', '\'', '`':
			end := quoteEnd(s, i)
			if end < 0 {
				return 0
			}
			i = end
		case '/':
			end := commentEnd(s, i)
			if end < 0 {
				return 0
			}
			i = end
			continue
		case '<':
			if depth == 1 && !(s[i-1] == ' ' && i+1 < len(s) && (s[i+1] == ' ' || s[i+1] == '=')) {
				return 0
			}
		case '.':
			if depth == 1 && !any && bytes.HasPrefix(s[i:], []byte("...")) {
				return 0
			}
		}
		any = true
	}
	return 0
}

// quoteEnd returns the offset of the quote that ends a text, -1 if it is not plain.
func quoteEnd(s []byte, i int) int {
	q := s[i]
	if bytes.HasPrefix(s[i:], []byte(`"""`)) {
		return -1
	}
	for i++; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == q:
			return i
		case q == '`' && s[i] == '$' && i+1 < len(s) && s[i+1] == '{': // it may hold quotes of its own
			return -1
		case q != '`' && s[i] == '\n':
			return -1
		}
	}
	return -1
}

// commentEnd returns the offset of the last byte of a comment, -1 if there is none: a
// division or a regular expression.
func commentEnd(s []byte, i int) int {
	end, size := -1, 0
	switch {
	case bytes.HasPrefix(s[i:], []byte("//")):
		end, size = bytes.IndexByte(s[i:], '\n'), 1
	case bytes.HasPrefix(s[i:], []byte("/*")):
		end, size = bytes.Index(s[i+2:], []byte("*/")), 4
	}
	if end < 0 {
		return -1
	}
	return i + end + size - 1
}
