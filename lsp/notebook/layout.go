// Package notebook knows the file of a Jupyter notebook as a text: where its cells are, which place in a
// cell is which in the file, and which edits of the file an edit of the cells is. It is pure. It must not
// know documents, memories or the protocol.
package notebook

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Span is a range of bytes.
type Span struct{ Start, End int }

// shift returns the span by bytes later.
func (s Span) shift(by int) Span { return Span{s.Start + by, s.End + by} }

// Cell is where a cell is in the text of its file.
type Cell struct {
	Object Span // its JSON object
	Type   Span // the value of its member "cell_type"
	Source Span // the value of its member "source": an array of strings, or one string
	Code   bool // else its text is for people
}

// shift returns the cell by bytes later.
func (c Cell) shift(by int) Cell {
	return Cell{c.Object.shift(by), c.Type.shift(by), c.Source.shift(by), c.Code}
}

// Layout is where the cells are in the text of a notebook's file. It is immutable.
type Layout struct {
	Cells []Cell
	list  Span // the array of the cells
	style style
}

// style is how a file is written.
type style struct {
	indent string // of one level, "" for a file on one line
	line   string // the end of a line, "" for a file on one line
}

// level returns the end of a line, and the indentation of the next one.
func (s style) level(n int) string {
	if s.line == "" {
		return ""
	}
	return s.line + string(bytes.Repeat([]byte(s.indent), n))
}

// The types of cells, as JSON.
const (
	typeCode     = `"code"`
	typeMarkdown = `"markdown"`
)

// errNoCells means that a text is no notebook.
var errNoCells = errors.New("it has no list of cells")

// bom may begin a text.
const bom = "\ufeff"

// Parse finds the cells in the text of a notebook's file.
func Parse(text []byte) (*Layout, error) {
	skipped := 0
	if bytes.HasPrefix(text, []byte(bom)) {
		skipped = len(bom)
	}
	r := &reader{
		dec:  jsontext.NewDecoder(bytes.NewBuffer(text[skipped:]), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		base: skipped,
	}
	l := &Layout{style: styleOf(text[skipped:])}
	found := false
	_, err := r.object(func(name string) error {
		if name != "cells" || r.dec.PeekKind() != '[' {
			return r.skip()
		}
		found = true
		return r.cells(l)
	})
	if err == nil && !found {
		err = errNoCells
	}
	if err != nil {
		return nil, fmt.Errorf("read the notebook: %w", err)
	}
	return l, nil
}

// styleOf returns how the text of a JSON object is written.
func styleOf(text []byte) style {
	_, rest, _ := bytes.Cut(text, []byte("{"))
	gap := rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))]
	at := bytes.LastIndexByte(gap, '\n')
	if at < 0 {
		return style{}
	}
	s := style{indent: string(gap[at+1:]), line: "\n"}
	if at > 0 && gap[at-1] == '\r' {
		s.line = "\r\n"
	}
	return s
}

// reader reads the tokens of a text.
type reader struct {
	dec  *jsontext.Decoder
	base int // of the decoder's offsets
}

func (r *reader) offset() int { return r.base + int(r.dec.InputOffset()) }

func (r *reader) skip() error {
	if err := r.dec.SkipValue(); err != nil {
		return fmt.Errorf("skip a value: %w", err)
	}
	return nil
}

// open reads the beginning or the end of an object or a list.
func (r *reader) open(kind jsontext.Kind) error {
	tok, err := r.dec.ReadToken()
	if err != nil {
		return fmt.Errorf("read a token: %w", err)
	}
	if tok.Kind() != kind {
		return fmt.Errorf("%v instead of %v", tok.Kind(), kind)
	}
	return nil
}

// object reads an object. member reads the value of the member with a name.
func (r *reader) object(member func(name string) error) (Span, error) {
	if err := r.open('{'); err != nil {
		return Span{}, err
	}
	start := r.offset() - 1
	for r.dec.PeekKind() == '"' {
		name, err := r.dec.ReadToken()
		if err != nil {
			return Span{}, fmt.Errorf("read a name: %w", err)
		}
		if err := member(name.String()); err != nil {
			return Span{}, err
		}
	}
	if err := r.open('}'); err != nil {
		return Span{}, err
	}
	return Span{start, r.offset()}, nil
}

// value reads any value.
func (r *reader) value() (jsontext.Value, Span, error) {
	v, err := r.dec.ReadValue()
	if err != nil {
		return nil, Span{}, fmt.Errorf("read a value: %w", err)
	}
	end := r.offset()
	return v, Span{end - len(v), end}, nil
}

// cells reads the list of the cells.
func (r *reader) cells(l *Layout) error {
	if err := r.open('['); err != nil {
		return err
	}
	l.Cells, l.list.Start = nil, r.offset()-1 // of a name that is there twice the last one counts, as for who reads the file
	for r.dec.PeekKind() == '{' {
		c, err := r.cell()
		if err != nil {
			return err
		}
		l.Cells = append(l.Cells, c)
	}
	if err := r.open(']'); err != nil {
		return err
	}
	l.list.End = r.offset()
	return nil
}

func (r *reader) cell() (Cell, error) {
	var c Cell
	at, err := r.object(func(name string) error {
		switch name {
		case "cell_type":
			v, at, err := r.value()
			c.Type, c.Code = at, string(v) == typeCode
			return err
		case "source":
			_, at, err := r.value()
			c.Source = at
			return err
		}
		return r.skip()
	})
	if err == nil && (c.Source == Span{} || c.Type == Span{}) {
		err = errors.New("a cell has no source or no type")
	}
	c.Object = at
	return c, err
}
