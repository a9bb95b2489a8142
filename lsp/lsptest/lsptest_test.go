package lsptest

import (
	"encoding/json"
	"strings"
	"testing"
)

const tinyModel = `{
  "requests": [{"method": "x/hover", "params": {"kind": "reference", "name": "P"}, "result": {"kind": "or", "items": [
    {"kind": "reference", "name": "Hover"}, {"kind": "base", "name": "null"}]}}],
  "notifications": [{"method": "x/exit"}],
  "structures": [
    {"name": "P", "properties": [{"name": "data", "type": {"kind": "reference", "name": "LSPAny"}, "optional": true}]},
    {"name": "Base", "properties": [{"name": "n", "type": {"kind": "base", "name": "uinteger"}}]},
    {"name": "Hover", "extends": [{"kind": "reference", "name": "Base"}], "properties": [
      {"name": "kind", "type": {"kind": "reference", "name": "Kind"}},
      {"name": "list", "type": {"kind": "array", "element": {"kind": "base", "name": "string"}}, "optional": true},
      {"name": "map", "type": {"kind": "map", "key": {"kind": "base", "name": "string"}, "value": {"kind": "base", "name": "boolean"}}, "optional": true},
      {"name": "one", "type": {"kind": "stringLiteral", "value": "one"}, "optional": true}]}],
  "enumerations": [{"name": "Kind", "type": {"kind": "base", "name": "string"}, "values": [{"value": "a"}, {"value": "b"}]}],
  "typeAliases": []
}`

func TestMetaModel(t *testing.T) {
	m, err := parseMetaModel([]byte(tinyModel))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, raw, fault string
	}{
		{"null", `null`, ""},
		{"complete", `{"n": 1, "kind": "a", "list": ["x"], "map": {"k": true}, "one": "one"}`, ""},
		{"misspelt", `{"n": 1, "kind": "a", "lst": []}`, ".lst does not exist"},
		{"missing, inherited", `{"kind": "a"}`, ".n is missing"},
		{"negative", `{"n": -1, "kind": "a"}`, "no uinteger"},
		{"not whole", `{"n": 1.5, "kind": "a"}`, "no uinteger"},
		{"not of the enumeration", `{"n": 1, "kind": "c"}`, "no Kind"},
		{"wrong element", `{"n": 1, "kind": "a", "list": [1]}`, ".list[0]"},
		{"wrong member", `{"n": 1, "kind": "a", "map": {"k": 1}}`, `.map["k"]`},
		{"wrong literal", `{"n": 1, "kind": "a", "one": "two"}`, "two is not one"},
		{"no object", `[]`, "no object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := m.Check(Message{Method: "x/hover", Result: true, Raw: json.RawMessage(tt.raw)})
			switch {
			case tt.fault == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)):
				t.Errorf("got %v, want %q", err, tt.fault)
			}
		})
	}
	if err := m.Check(Message{Method: "x/nothing"}); err == nil {
		t.Error("an unknown method passes")
	}
	if err := m.Check(Message{Method: "x/exit"}); err != nil {
		t.Errorf("a notification without params: %v", err)
	}
}
