package lsptest

import (
	"bytes"
	"compress/gzip"
	_ "embed" // metaModel.json.gz
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
)

// packedModel is the protocol's description of itself; metaModel.md says where it comes from.
//
//go:embed metaModel.json.gz
var packedModel []byte

// Protocol is the description of the newest protocol.
var Protocol = sync.OnceValues(func() (*MetaModel, error) {
	in, err := gzip.NewReader(bytes.NewReader(packedModel))
	if err != nil {
		return nil, fmt.Errorf("unpack the meta model: %w", err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("unpack the meta model: %w", err)
	}
	return parseMetaModel(text)
})

// MetaModel is the protocol's own description of its messages. It checks
// values against it: types, missing members, and members that do not exist.
type MetaModel struct {
	Requests      []metaMessage   `json:"requests"`
	Notifications []metaMessage   `json:"notifications"`
	Structures    []metaStructure `json:"structures"`
	Enumerations  []metaEnum      `json:"enumerations"`
	TypeAliases   []metaAlias     `json:"typeAliases"`

	results, params map[string]*metaType
	needs           map[string]string // by method: the capability of the client
	structures      map[string]metaStructure
	enums           map[string]metaEnum
	aliases         map[string]*metaType
}

type metaMessage struct {
	Method           string    `json:"method"`
	Params           *metaType `json:"params"`
	Result           *metaType `json:"result"`
	ClientCapability string    `json:"clientCapability"`
}

type metaStructure struct {
	Name       string         `json:"name"`
	Properties []metaProperty `json:"properties"`
	Extends    []*metaType    `json:"extends"`
	Mixins     []*metaType    `json:"mixins"`
}

type metaProperty struct {
	Name     string    `json:"name"`
	Type     *metaType `json:"type"`
	Optional bool      `json:"optional"`
	Since    string    `json:"since"`
}

type metaEnum struct {
	Name   string    `json:"name"`
	Type   *metaType `json:"type"`
	Values []struct {
		Value any `json:"value"`
	} `json:"values"`
	Custom bool `json:"supportsCustomValues"`
}

type metaAlias struct {
	Name string    `json:"name"`
	Type *metaType `json:"type"`
}

type metaType struct {
	Kind    string          `json:"kind"`
	Name    string          `json:"name"`
	Element *metaType       `json:"element"`
	Items   []*metaType     `json:"items"`
	Key     *metaType       `json:"key"`
	Value   json.RawMessage `json:"value"` // a type, a literal's structure or a literal
}

// parseMetaModel reads a metaModel.json.
func parseMetaModel(text []byte) (*MetaModel, error) {
	m := &MetaModel{
		results: make(map[string]*metaType), params: make(map[string]*metaType),
		needs: make(map[string]string), structures: make(map[string]metaStructure), enums: make(map[string]metaEnum), aliases: make(map[string]*metaType),
	}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("read the meta model: %w", err)
	}
	for _, msg := range slices.Concat(m.Requests, m.Notifications) {
		m.params[msg.Method], m.results[msg.Method], m.needs[msg.Method] = msg.Params, msg.Result, msg.ClientCapability
	}
	for _, s := range m.Structures {
		m.structures[s.Name] = s
	}
	for _, e := range m.Enumerations {
		m.enums[e.Name] = e
	}
	for _, a := range m.TypeAliases {
		m.aliases[a.Name] = a.Type
	}
	return m, nil
}

// Check returns the first violation in a message, nil for none.
func (m *MetaModel) Check(msg Message) error {
	types := m.params
	if msg.Result {
		types = m.results
	}
	t, known := types[msg.Method]
	if !known {
		return fmt.Errorf("%s is no method of the protocol", msg.Method)
	}
	if t == nil { // no params
		if len(msg.Raw) == 0 || string(msg.Raw) == "null" {
			return nil
		}
		return fmt.Errorf("%s has no params, got %s", msg.Method, msg.Raw)
	}
	var v any
	if err := json.Unmarshal(msg.Raw, &v); err != nil {
		return fmt.Errorf("%s: %w", msg.Method, err)
	}
	if err := m.value(t, v); err != nil {
		return fmt.Errorf("%s%w", msg.Method, err)
	}
	return nil
}

// isRequest reports whether a method is answered.
func (m *MetaModel) isRequest(method string) bool {
	return slices.ContainsFunc(m.Requests, func(r metaMessage) bool { return r.Method == method })
}

func (m *MetaModel) value(t *metaType, v any) error {
	switch t.Kind {
	case "base":
		return base(t.Name, v)
	case "reference":
		return m.reference(t.Name, v)
	case "array":
		return m.array(t, v)
	case "map":
		return m.mapping(t, v)
	case "or":
		return m.union(t, v)
	case "literal":
		var s metaStructure
		if err := json.Unmarshal(t.Value, &s); err != nil {
			return err
		}
		return m.object(s.Properties, v)
	case "stringLiteral", "integerLiteral", "booleanLiteral":
		var want any
		if err := json.Unmarshal(t.Value, &want); err != nil {
			return err
		}
		if v != want {
			return fmt.Errorf(": %v is not %v", v, want)
		}
		return nil
	}
	return fmt.Errorf(": a type of kind %s is not understood", t.Kind)
}

func base(name string, v any) error {
	ok := false
	switch name {
	case "null":
		ok = v == nil
	case "boolean":
		_, ok = v.(bool)
	case "string", "RegExp":
		_, ok = v.(string)
	case "URI", "DocumentUri":
		s, isString := v.(string)
		ok = isString && strings.Contains(s, ":")
	case "integer", "uinteger", "decimal":
		n, isNumber := v.(float64)
		whole := n == math.Trunc(n) && math.MinInt32 <= n && n <= math.MaxInt32
		ok = isNumber && (name == "decimal" || whole && (name == "integer" || n >= 0))
	}
	if !ok {
		return fmt.Errorf(": %v is no %s", v, name)
	}
	return nil
}

func (m *MetaModel) reference(name string, v any) error {
	if strings.HasPrefix(name, "LSPAny") || name == "LSPObject" || name == "LSPArray" {
		return nil
	}
	if s, ok := m.structures[name]; ok {
		if err := m.object(m.properties(s), v); err != nil {
			return fmt.Errorf(" (%s)%w", name, err)
		}
		return nil
	}
	if e, ok := m.enums[name]; ok {
		return m.enum(e, v)
	}
	if t, ok := m.aliases[name]; ok {
		return m.value(t, v)
	}
	return fmt.Errorf(": there is no type %s", name)
}

// properties returns a structure's own and inherited properties.
func (m *MetaModel) properties(s metaStructure) []metaProperty {
	all := slices.Clone(s.Properties)
	for _, up := range slices.Concat(s.Extends, s.Mixins) {
		all = append(all, m.properties(m.structures[up.Name])...)
	}
	return all
}

func (m *MetaModel) object(props []metaProperty, v any) error {
	obj, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf(": %v is no object", v)
	}
	known := make(map[string]bool)
	for _, p := range props {
		known[p.Name] = true
		member, there := obj[p.Name]
		if !there {
			if !p.Optional {
				return fmt.Errorf(".%s is missing", p.Name)
			}
			continue
		}
		if err := m.value(p.Type, member); err != nil {
			return fmt.Errorf(".%s%w", p.Name, err)
		}
		if p.Since == "3.18.0" { // where it has more to say, only a form of the member is that new
			return fmt.Errorf(".%s is of 3.18, which no client of the tests announces", p.Name)
		}
	}
	for name := range obj {
		if !known[name] {
			return fmt.Errorf(".%s does not exist", name)
		}
	}
	return nil
}

func (m *MetaModel) enum(e metaEnum, v any) error {
	if e.Custom {
		return m.value(e.Type, v)
	}
	for _, known := range e.Values {
		if known.Value == v {
			return nil
		}
	}
	return fmt.Errorf(": %v is no %s", v, e.Name)
}

func (m *MetaModel) array(t *metaType, v any) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf(": %v is no array", v)
	}
	for i, item := range list {
		if err := m.value(t.Element, item); err != nil {
			return fmt.Errorf("[%d]%w", i, err)
		}
	}
	return nil
}

func (m *MetaModel) mapping(t *metaType, v any) error {
	obj, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf(": %v is no object", v)
	}
	var of metaType
	if err := json.Unmarshal(t.Value, &of); err != nil {
		return err
	}
	for key, member := range obj {
		if err := m.value(&of, member); err != nil {
			return fmt.Errorf("[%q]%w", key, err)
		}
	}
	return nil
}

func (m *MetaModel) union(t *metaType, v any) error {
	var why []string
	for _, option := range t.Items {
		err := m.value(option, v)
		if err == nil {
			return nil
		}
		why = append(why, err.Error())
	}
	return fmt.Errorf(" fits none of: %s", strings.Join(why, " |"))
}
