// Package jsonc reads JSON with comments and surplus commas, as people write settings. It must not know what they say.
//
// The parser below it calls itself for each level, and what a clone brings may have as many levels as bytes: a text of
// 900 kB took a gigabyte and ended the process. So no text is parsed that is nested deeper than any that people write.
package jsonc

import (
	"bytes"
	"fmt"

	"github.com/tailscale/hujson"
)

// The values of a text, with where each begins and ends and the comments around it.
type (
	Value   = hujson.Value
	Object  = hujson.Object
	Array   = hujson.Array
	Literal = hujson.Literal
)

// maxDepth is how deep a text may be nested.
const maxDepth = 1000

// DeepError reports a text that is nested too deep.
type DeepError struct{ Line int }

// Error names the line.
func (e *DeepError) Error() string {
	return fmt.Sprintf("line %d: it is nested deeper than %d levels", e.Line, maxDepth)
}

// Parse returns the values of a text with their comments. The error is a *[DeepError] for one that is nested too deep.
func Parse(src []byte) (Value, error) {
	if err := check(src); err != nil {
		return Value{}, err
	}
	return hujson.Parse(src)
}

// Standardize returns a text as plain JSON of the same length, and may change src. The error is that of [Parse].
func Standardize(src []byte) ([]byte, error) {
	if err := check(src); err != nil {
		return nil, err
	}
	return hujson.Standardize(src)
}

// check returns an error if src is nested too deep.
func check(src []byte) error {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '[', '{':
			if depth++; depth > maxDepth {
				return &DeepError{Line: bytes.Count(src[:i], []byte("\n")) + 1}
			}
		case ']', '}':
			depth--
		case '"':
			i = endOfString(src, i)
		case '/':
			i = endOfComment(src, i)
		}
	}
	return nil
}

// endOfString returns the offset of the quote that ends the string at i, or the length of src.
func endOfString(src []byte, i int) int {
	for i++; i < len(src) && src[i] != '"'; i++ {
		if src[i] == '\\' {
			i++
		}
	}
	return i
}

// endOfComment returns the offset of the last byte of the comment at i, or i if there is none.
func endOfComment(src []byte, i int) int {
	rest := src[i:]
	end := ""
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end = "\n"
	case bytes.HasPrefix(rest, []byte("/*")):
		end = "*/"
	default:
		return i
	}
	if n := bytes.Index(rest[2:], []byte(end)); n >= 0 {
		return i + 1 + n + len(end)
	}
	return len(src)
}
