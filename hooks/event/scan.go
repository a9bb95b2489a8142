package event

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of what is kept of a payload. The rest is skipped.
const (
	maxString  = 64 << 10 // of one string
	maxStrings = 1 << 20  // of all strings
	maxValues  = 20_000   // members and elements
	maxDepth   = 64
)

// ErrNoObject means that the input is not one JSON object.
var ErrNoObject = errors.New("the input is no JSON object")

// Value is a scanned JSON value. The zero Value stands for an absent one, and every
// method on it returns a harmless answer.
type Value struct {
	kind    jsontext.Kind
	text    string // of a string; the literal of a number or a boolean
	cut     bool   // there was more of the string
	members []member
	items   []Value
}

type member struct {
	name  string
	value Value
}

// Scan reads exactly one JSON object from r. Strings are kept up to a limit. If top is
// not nil, Scan calls it with each string member of the object as soon as it is read. On
// an error the Value holds what was read before it.
func Scan(r io.Reader, top func(name, text string)) (Value, error) { return ScanCopy(r, nil, top) }

// ScanCopy is Scan, and writes what it keeps of the input to a copy, as JSON with the strings cut.
func ScanCopy(r io.Reader, copy io.Writer, top func(name, text string)) (Value, error) {
	short := &elider{src: r, limit: maxString, budget: maxStrings, copy: copy}
	br := bufio.NewReaderSize(short, 32<<10)
	s := scanner{top: top, short: short}
	if bom, err := br.Peek(3); err == nil && string(bom) == "\ufeff" {
		s.skipped, _ = br.Discard(3) // peeked bytes can be discarded
	}
	s.dec = jsontext.NewDecoder(br, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if s.dec.PeekKind() != '{' {
		_, err := s.dec.ReadToken()
		return Value{}, fmt.Errorf("read the event: %w", errors.Join(ErrNoObject, err))
	}
	v, err := s.value(0)
	if err != nil {
		return v, fmt.Errorf("read the event: %w", err)
	}
	return v, nil
}

// ScanString scans JSON text that came inside a string.
func ScanString(text string) (Value, error) { return Scan(strings.NewReader(text), nil) }

type scanner struct {
	dec     *jsontext.Decoder
	short   *elider
	skipped int // bytes before the decoder's first
	top     func(name, text string)
	values  int
}

func (s *scanner) value(depth int) (Value, error) {
	if s.values++; s.values > maxValues || depth > maxDepth {
		return Value{}, s.dec.SkipValue()
	}
	tok, err := s.dec.ReadToken()
	if err != nil {
		return Value{}, err
	}
	v := Value{kind: tok.Kind()}
	switch v.kind {
	case '{':
		err = s.object(&v, depth)
	case '[':
		err = s.array(&v, depth)
	default:
		v.text = tok.String()
		v.cut = v.kind == '"' && s.short.wasCut(int64(s.skipped)+s.dec.InputOffset())
	}
	return v, err
}

func (s *scanner) object(v *Value, depth int) error {
	for s.dec.PeekKind() != '}' {
		name, err := s.dec.ReadToken()
		if err != nil {
			return err
		}
		m := member{name: name.String()}
		m.value, err = s.value(depth + 1)
		v.members = append(v.members, m)
		if err != nil {
			return err
		}
		if s.top != nil && depth == 0 && m.value.kind == '"' {
			s.top(m.name, m.value.text)
		}
	}
	_, err := s.dec.ReadToken()
	return err
}

func (s *scanner) array(v *Value, depth int) error {
	for s.dec.PeekKind() != ']' {
		item, err := s.value(depth + 1)
		if item.kind != 0 {
			v.items = append(v.items, item)
		}
		if err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	return err
}

// Get returns the member with a name, the last of several.
func (v Value) Get(name string) Value {
	for i := len(v.members) - 1; i >= 0; i-- {
		if v.members[i].name == name {
			return v.members[i].value
		}
	}
	return Value{}
}

// Has reports whether there is a member with a name.
func (v Value) Has(name string) bool { return v.Get(name).kind != 0 }

// Str returns the first of the named members that is a non-empty string.
func (v Value) Str(names ...string) string {
	for _, name := range names {
		if m := v.Get(name); m.kind == '"' && m.text != "" {
			return m.text
		}
	}
	return ""
}

// Small returns a short string, number or boolean member as text.
func (v Value) Small(name string) string {
	if m := v.Get(name); len(m.text) <= 200 {
		return m.text
	}
	return ""
}

// True reports whether the member is true.
func (v Value) True(name string) bool { return v.Get(name).kind == 't' }

// Number returns the member's number, and whether it is one.
func (v Value) Number(name string) (float64, bool) {
	m := v.Get(name)
	if m.kind != '0' {
		return 0, false
	}
	f, err := strconv.ParseFloat(m.text, 64)
	return f, err == nil
}

// Items returns the elements of an array.
func (v Value) Items() []Value { return v.items }

// Strings returns the strings among the elements of the named array.
func (v Value) Strings(name string) []string {
	var out []string
	for _, it := range v.Get(name).items {
		if it.kind == '"' && it.text != "" {
			out = append(out, it.text)
		}
	}
	return out
}

// Cut reports whether the value is a string of which only the beginning was kept.
func (v Value) Cut() bool { return v.cut }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return v.kind == '{' }

// Text returns the text of a string value.
func (v Value) Text() string {
	if v.kind == '"' {
		return v.text
	}
	return ""
}
