package install

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"manicule/hooks/agent/spec"
	"manicule/indexer/jsonc"
)

// document is a JSON text with comments. Splicing changes it and keeps every other byte.
type document struct {
	src  []byte
	root jsonc.Value
}

func parse(src []byte) (*document, error) {
	root, err := jsonc.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("the file is not valid JSON, so nothing was changed: %w", err)
	}
	if _, ok := root.Value.(*jsonc.Object); !ok {
		return nil, errors.New("the file contains no JSON object, so nothing was changed")
	}
	return &document{src: src, root: root}, nil
}

// at returns the value under the member names, or nil.
func (d *document) at(names ...string) *jsonc.Value {
	v := &d.root
	for _, name := range names {
		o, ok := v.Value.(*jsonc.Object)
		if !ok {
			return nil
		}
		v = nil
		for i := range o.Members {
			if lit, ok := o.Members[i].Name.Value.(jsonc.Literal); ok && lit.String() == name {
				v = &o.Members[i].Value
			}
		}
		if v == nil {
			return nil
		}
	}
	return v
}

// span is the range of an item in an object or array, and the place of its comma.
type span struct{ start, end, comma int }

// items lists the items of an object or array, and whether a comma follows the last.
func items(v *jsonc.Value) (spans []span, trailing bool) {
	add := func(start int, last jsonc.Value) {
		spans = append(spans, span{start, last.EndOffset, last.EndOffset + len(last.AfterExtra)})
		trailing = last.AfterExtra != nil
	}
	switch c := v.Value.(type) {
	case *jsonc.Object:
		for _, m := range c.Members {
			add(m.Name.StartOffset, m.Value)
		}
	case *jsonc.Array:
		for _, e := range c.Elements {
			add(e.StartOffset, e)
		}
	}
	return spans, trailing
}

// insert appends an item to an object or array. render formats it for an indentation; ""
// requests one line.
func (d *document) insert(v *jsonc.Value, render func(indent string, inline bool) string) error {
	spans, trailing := items(v)
	closing := v.EndOffset - 1
	end := v.StartOffset + 1 + len(bytes.TrimRight(d.src[v.StartOffset+1:closing], " \t\r\n"))
	outer := d.indentAt(v.StartOffset)
	inner := outer + d.unit()
	nl := d.newline()
	if len(spans) > 0 {
		if own := d.indentAt(spans[0].start); d.startsLine(spans[0].start) {
			inner = own
		}
	}
	var out []byte
	switch inline := !bytes.Contains(d.src[v.StartOffset:v.EndOffset], []byte("\n")); {
	case len(spans) == 0:
		out = splice(d.src, end, closing, nl+inner+render(inner, false)+nl+outer)
	case inline:
		out = splice(d.src, end, end, " "+render("", true))
		if !trailing {
			out = splice(out, spans[len(spans)-1].end, spans[len(spans)-1].end, ",")
		}
	default:
		text := nl + inner + render(inner, false)
		if trailing {
			text += ","
		}
		out = splice(d.src, end, end, text)
		if !trailing {
			out = splice(out, spans[len(spans)-1].end, spans[len(spans)-1].end, ",")
		}
	}
	return d.reset(out)
}

// remove removes the i-th item with one comma and the space before it.
func (d *document) remove(v *jsonc.Value, i int) error {
	spans, trailing := items(v)
	it, closing := spans[i], v.EndOffset-1
	start := it.start
	for start > v.StartOffset+1 && strings.IndexByte(" \t\r\n", d.src[start-1]) >= 0 {
		start--
	}
	out := d.src
	switch {
	case i < len(spans)-1 || trailing: // the comma after it
		after := it.comma + 1
		for start == it.start && after < closing && d.src[after] == ' ' {
			after++ // the first of a line: the space belongs to the next one
		}
		out = splice(out, it.comma, after, "")
		out = splice(out, start, it.end, "")
	case i > 0: // the comma before it
		out = splice(out, start, it.end, "")
		out = splice(out, spans[i-1].comma, spans[i-1].comma+1, "")
	default:
		inside := append(bytes.Clone(d.src[v.StartOffset+1:start]), d.src[it.end:closing]...)
		if len(bytes.TrimSpace(inside)) == 0 {
			inside = nil
		}
		out = splice(out, v.StartOffset+1, closing, string(inside))
	}
	return d.reset(out)
}

func (d *document) reset(src []byte) error {
	next, err := parse(src)
	if err != nil {
		return fmt.Errorf("edit the file: %w", err)
	}
	*d = *next
	return nil
}

func splice(src []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(src)-(to-from)+len(text))
	out = append(out, src[:from]...)
	out = append(out, text...)
	return append(out, src[to:]...)
}

// indentAt returns the white space at the beginning of the line with an offset.
func (d *document) indentAt(offset int) string {
	line := d.src[bytes.LastIndexByte(d.src[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func (d *document) startsLine(offset int) bool {
	line := d.src[bytes.LastIndexByte(d.src[:offset], '\n')+1 : offset]
	return len(bytes.TrimLeft(line, " \t")) == 0
}

// unit returns one step of the file's indentation.
func (d *document) unit() string {
	if spans, _ := items(&d.root); len(spans) > 0 && d.startsLine(spans[0].start) {
		if own := d.indentAt(spans[0].start); own != "" {
			return own
		}
	}
	return "  "
}

func (d *document) newline() string {
	if bytes.Contains(d.src, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// layout returns the format of a value in the file.
func (d *document) layout(indent string, inline bool) spec.Layout {
	return spec.Layout{Indent: indent, Unit: d.unit(), Newline: d.newline(), Inline: inline}
}

// oneLine is the format for comparing a value, or for a file that is not JSON.
func oneLine() spec.Layout { return spec.Layout{Inline: true} }
