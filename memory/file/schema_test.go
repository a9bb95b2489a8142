package file

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const schemaFile = "../../docs/memory.schema.json"

func schemaTree(t *testing.T) map[string]any {
	t.Helper()
	data := must.Read(t, schemaFile)
	var tree map[string]any
	must.OK(t, json.Unmarshal(data, &tree))
	return tree
}

// TestSchemaHoldsTheType compares the published schema with the Go type,
// member by member: neither may have one that the other lacks.
func TestSchemaHoldsTheType(t *testing.T) {
	tree := schemaTree(t)
	compare(t, tree, tree, reflect.TypeFor[Memory](), "")
}

func compare(t *testing.T, root, node map[string]any, typ reflect.Type, at string) {
	t.Helper()
	node = follow(root, node)
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() == reflect.Slice && typ.Elem().Kind() == reflect.Struct {
		items, ok := node["items"].(map[string]any)
		if !ok {
			t.Errorf("%s: the schema has no items", at)
			return
		}
		compare(t, root, items, typ.Elem(), at+"[]")
		return
	}
	if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[Time]() {
		return
	}
	props, _ := node["properties"].(map[string]any)
	seen := map[string]bool{}
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue // the unknown members
		}
		if name == "-" {
			continue // in no file
		}
		seen[name] = true
		sub, ok := props[name].(map[string]any)
		if !ok {
			t.Errorf("%s/%s is not in the schema", at, name)
			continue
		}
		compare(t, root, sub, f.Type, at+"/"+name)
	}
	for name := range props {
		if !seen[name] {
			t.Errorf("%s/%s is in the schema and not in the type", at, name)
		}
	}
}

// follow resolves a reference, and takes the object of a choice with null.
func follow(root, node map[string]any) map[string]any {
	if ref, ok := node["$ref"].(string); ok {
		defs := root["$defs"].(map[string]any)
		return defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if one, ok := node["oneOf"].([]any); ok {
		for _, o := range one {
			if m := o.(map[string]any); m["type"] == "object" {
				return m
			}
		}
	}
	return node
}

func TestSchemaEnums(t *testing.T) {
	props := schemaTree(t)["properties"].(map[string]any)
	for name, want := range map[string][]string{
		"type": toStrings(Types()), "layer": toStrings(Layers()), "visibility": toStrings(Visibilities()), "importance": toStrings(Importances()),
	} {
		var got []string
		for _, v := range props[name].(map[string]any)["enum"].([]any) {
			got = append(got, v.(string))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: schema %v, type %v", name, got, want)
		}
	}
}

func TestSchemaAgreesOnSamples(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	must.OK(t, err)
	for name, text := range map[string]string{
		"sample":       sample,
		"minimal":      `{"uuid":"0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11","type":"gotcha","what":"x","created_at":"2026-01-02T03:04:05Z"}`,
		"no type":      `{"uuid":"0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11","what":"x","created_at":"2026-01-02T03:04:05Z"}`,
		"no uuid":      `{"type":"gotcha","what":"x","created_at":"2026-01-02T03:04:05Z"}`,
		"no text":      `{"uuid":"0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11","type":"gotcha","created_at":"2026-01-02T03:04:05Z"}`,
		"bad layer":    strings.Replace(sample, `"area_context"`, `"area"`, 1),
		"bad relation": strings.Replace(sample, `"supersedes"`, `"likes"`, 1),
		"confidence":   strings.Replace(sample, `0.9`, `1.9`, 1),
		"scope":        strings.Replace(sample, "[\n    \"src/auth/**\"\n  ]", "7", 1),
	} {
		var doc any
		must.OK(t, json.Unmarshal([]byte(text), &doc))
		_, perr := Parse([]byte(text))
		serr := schema.Validate(doc)
		if (perr == nil) != (serr == nil) {
			t.Errorf("%s: the parser says %v, the schema %v", name, perr, serr)
		}
	}
}
