package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schema.json")
	const schema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","required":["a"],"$defs":{"number":{"type":"number"}}}`
	if err := os.WriteFile(file, []byte(schema), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ pointer, in, want string }{
		"valid":           {"", `{"a":1}`, ""},
		"several":         {"", "{\"a\":1}\n{\"a\":2}\n", ""},
		"a part":          {"/$defs/number", "1 2.5", ""},
		"invalid":         {"", `{"b":1}`, "value 0"},
		"a later invalid": {"", `{"a":1}{}`, "value 1"},
		"not the part":    {"/$defs/number", `"1"`, "value 0"},
		"no value":        {"", "\n", "value 0"},
		"cut off":         {"", `{"a":1}{"a":`, "value 1"},
		"no JSON":         {"", "all is well", "value 0"},
		"no such part":    {"/$defs/other", "1", "the schema"},
	} {
		t.Run(name, func(t *testing.T) {
			err := check(strings.NewReader(c.in), file, c.pointer)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	if err := check(strings.NewReader("1"), filepath.Join(t.TempDir(), "missing.json"), ""); err == nil {
		t.Error("a schema that is missing was no error")
	}
}
