package spec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is a name and a value: a string, int, bool, []string, [Object] or
// []Object.
type Member [2]any

// Name returns the name of the member.
func (m Member) Name() string { return m[0].(string) }

// Value returns the value of the member.
func (m Member) Value() any { return m[1] }

// Object is a JSON object that is written in the given order.
type Object []Member

// Layout is a format for JSON: below an indentation, or on one line if Inline is set.
type Layout struct {
	Indent, Unit, Newline string
	Inline                bool
}

// Render formats a value that a [Member] may have.
func Render(v any, l Layout) string {
	switch v := v.(type) {
	case string:
		return Quote(v)
	case int:
		return strconv.Itoa(v)
	case bool:
		return strconv.FormatBool(v)
	case []string:
		var parts []string
		for _, w := range v {
			parts = append(parts, Quote(w))
		}
		return wrap("[", "]", parts, Layout{Inline: true}) // a command line stays on one line
	case Object:
		var parts []string
		for _, m := range v {
			parts = append(parts, Quote(m.Name())+": "+Render(m.Value(), l.deeper()))
		}
		return wrap("{", "}", parts, l)
	case []Object:
		var parts []string
		for _, o := range v {
			parts = append(parts, Render(o, l.deeper()))
		}
		return wrap("[", "]", parts, l)
	}
	panic(fmt.Sprintf("spec: no JSON for a %T", v))
}

func (l Layout) deeper() Layout {
	l.Indent += l.Unit
	return l
}

func wrap(open, shut string, parts []string, l Layout) string {
	switch {
	case len(parts) == 0:
		return open + shut
	case l.Inline:
		return open + strings.Join(parts, ", ") + shut
	}
	start := l.Newline + l.Indent
	return open + start + l.Unit + strings.Join(parts, ","+start+l.Unit) + start + shut
}

// Quote formats a JSON string.
func Quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // not UTF-8: an old path
		return Quote(strings.ToValidUTF8(s, "\ufffd"))
	}
	return string(b)
}
