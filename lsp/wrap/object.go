package wrap

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// member is a member of an object, with its value as it was spelled.
type member struct {
	name  string
	value jsontext.Value
}

// object is a JSON object whose members keep their order and spelling.
type object []member

// lenient are the options for what other servers write. It is for the client to judge
// duplicate names and invalid UTF-8.
func lenient() []jsontext.Options {
	return []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
}

// parseObject reads the members of an object. Their values share raw's memory.
func parseObject(raw []byte) (object, bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), lenient()...)
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return nil, false
	}
	var o object
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		name := tok.String()
		value, ok := nextValue(dec, raw)
		if !ok {
			return nil, false
		}
		o = append(o, member{name, value})
	}
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '}' {
		return nil, false
	}
	return o, true
}

// parseArray reads the elements of an array; null is an empty one. They share raw's
// memory.
func parseArray(raw []byte) ([]jsontext.Value, bool) {
	if isNull(raw) {
		return nil, true
	}
	dec := jsontext.NewDecoder(bytes.NewReader(raw), lenient()...)
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '[' {
		return nil, false
	}
	var out []jsontext.Value
	for k := dec.PeekKind(); k != ']' && k != 0; k = dec.PeekKind() {
		value, ok := nextValue(dec, raw)
		if !ok {
			return nil, false
		}
		out = append(out, value)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	return out, true
}

// nextValue returns a value as a slice of raw: the decoder's own copy is valid only
// until its next step.
func nextValue(dec *jsontext.Decoder, raw []byte) (jsontext.Value, bool) {
	value, err := dec.ReadValue()
	if err != nil {
		return nil, false
	}
	end := int(dec.InputOffset())
	return jsontext.Value(raw[end-len(value) : end : end]), true
}

// get returns the value of a member, nil where there is none.
func (o object) get(name string) jsontext.Value {
	for i := len(o) - 1; i >= 0; i-- { // the last one counts, as for most decoders
		if o[i].name == name {
			return o[i].value
		}
	}
	return nil
}

// object returns a member that is an object, an empty one for anything else.
func (o object) object(name string) object {
	v, _ := parseObject(o.get(name))
	return v
}

// with returns o with a member set, at its place or at the end.
func (o object) with(name string, value jsontext.Value) object {
	out := make(object, 0, len(o)+1)
	done := false
	for _, m := range o {
		if m.name != name {
			out = append(out, m)
		} else if !done {
			out, done = append(out, member{name, value}), true
		}
	}
	if !done {
		out = append(out, member{name, value})
	}
	return out
}

// without returns o without a member.
func (o object) without(name string) object {
	out := make(object, 0, len(o))
	for _, m := range o {
		if m.name != name {
			out = append(out, m)
		}
	}
	return out
}

// json writes the object.
func (o object) json() jsontext.Value {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, quoted(m.name)...), ':'), m.value...)
	}
	return append(b, '}')
}

// array writes an array of values.
func array(values []jsontext.Value) jsontext.Value {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

// quoted writes a string. Invalid UTF-8 becomes U+FFFD.
func quoted(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, s) // an error only reports replaced bytes
	return b
}

// text reads a string.
func text(raw jsontext.Value) (string, bool) {
	if raw.Kind() != '"' {
		return "", false
	}
	b, err := jsontext.AppendUnquote(nil, bytes.TrimSpace(raw))
	if err != nil && len(b) == 0 {
		return "", false
	}
	return string(b), true
}

// isNull reports whether there is no value, or null.
func isNull(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}

// truthy reports whether a capability is present and neither false nor null.
func truthy(raw []byte) bool {
	return !isNull(raw) && string(bytes.TrimSpace(raw)) != "false"
}

// isTrue reports whether a value is the literal true.
func isTrue(raw []byte) bool { return string(bytes.TrimSpace(raw)) == "true" }

// joined returns the array child with the elements of own behind its own, and whether
// there were any. The child's bytes stay as they are.
func joined(child, own []byte) (jsontext.Value, bool) {
	add, ok := parseArray(own)
	if !ok || len(add) == 0 {
		return nil, false
	}
	if isNull(child) {
		return array(add), true
	}
	child = bytes.TrimSpace(child)
	if len(child) < 2 || child[0] != '[' || child[len(child)-1] != ']' {
		return nil, false
	}
	out := append([]byte(nil), child[:len(child)-1]...)
	if len(bytes.TrimSpace(out)) > 1 {
		out = append(out, ',')
	}
	added := array(add)
	return append(out, added[1:]...), true
}
