package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schema.json")
	const schema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","required":["a"],"$defs":{"number":{"type":"number"}}}`
	must.Write(t, file, schema)
	ask := func(requests ...request) []string {
		t.Helper()
		var in, out bytes.Buffer
		enc := json.NewEncoder(&in)
		for _, r := range requests {
			must.OK(t, enc.Encode(r))
		}
		must.OK(t, serve(&in, &out))
		said := make([]string, len(requests))
		dec := json.NewDecoder(&out)
		for i := range said {
			must.OK(t, dec.Decode(&said[i]))
		}
		return said
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
			r := request{file, c.pointer, c.in}
			for i, said := range ask(r, request{file, "", `{"a":1}`}, r) { // the second time the schema is known
				if want := c.want; i != 1 && (!strings.Contains(said, want) || want == "" && said != "") || i == 1 && said != "" {
					t.Errorf("answer %d: %q, want %q", i, said, want)
				}
			}
		})
	}
	if said := ask(request{filepath.Join(t.TempDir(), "missing.json"), "", "1"}); said[0] == "" {
		t.Error("a schema that is missing was no error")
	}
	if err := serve(strings.NewReader("no request"), &bytes.Buffer{}); err == nil {
		t.Error("a request that is none was no error")
	}
}
