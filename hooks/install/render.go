package install

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// field is a member of an object that is written in the order given.
type field struct {
	key   string
	value any // string, int, bool, []string, object or []object
}

type object []field

// render writes a value with an indentation, or on one line.
func render(v any, indent, unit, newline string, inline bool) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case int:
		return strconv.Itoa(v)
	case bool:
		return strconv.FormatBool(v)
	case []string:
		var parts []string
		for _, w := range v {
			parts = append(parts, quote(w))
		}
		return wrap("[", "]", parts, "", "", "", true) // a command line is read in one piece
	case object:
		var parts []string
		for _, f := range v {
			parts = append(parts, quote(f.key)+": "+render(f.value, indent+unit, unit, newline, inline))
		}
		return wrap("{", "}", parts, indent, unit, newline, inline)
	case []object:
		var parts []string
		for _, o := range v {
			parts = append(parts, render(o, indent+unit, unit, newline, inline))
		}
		return wrap("[", "]", parts, indent, unit, newline, inline)
	}
	panic(fmt.Sprintf("install: no JSON for a %T", v))
}

func wrap(open, shut string, parts []string, indent, unit, newline string, inline bool) string {
	switch {
	case len(parts) == 0:
		return open + shut
	case inline:
		return open + strings.Join(parts, ", ") + shut
	}
	return open + newline + indent + unit + strings.Join(parts, ","+newline+indent+unit) + newline + indent + shut
}

func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // not UTF-8: a path of another age
		return quote(strings.ToValidUTF8(s, "\ufffd"))
	}
	return string(b)
}
