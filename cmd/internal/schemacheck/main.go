// Command schemacheck holds texts of JSON values to schemas. It reads requests, and
// answers each with a JSON string: what is wrong, or nothing. It is a program of its
// own, because its library prepares itself in every program that it is linked into,
// and the tests of cmd/manicule start theirs thousands of times.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// request names the part of a schema's file to which a text is held, by a JSON pointer.
type request struct{ Schema, Pointer, Text string }

// serve answers requests until there are no more.
func serve(in io.Reader, out io.Writer) error {
	dec, enc := json.NewDecoder(in), json.NewEncoder(out)
	compiled := map[request]*jsonschema.Schema{}
	for {
		var r request
		if err := dec.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a request: %w", err)
		}
		fault := ""
		if err := r.check(compiled); err != nil {
			fault = err.Error()
		}
		if err := enc.Encode(fault); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
}

// check holds every value of the text, at least one, to the schema.
func (r request) check(compiled map[request]*jsonschema.Schema) error {
	key := request{Schema: r.Schema, Pointer: r.Pointer}
	schema, ok := compiled[key]
	if !ok {
		var err error
		if schema, err = compile(r.Schema, r.Pointer); err != nil {
			return fmt.Errorf("the schema %s: %w", r.Schema, err)
		}
		compiled[key] = schema
	}
	dec := json.NewDecoder(strings.NewReader(r.Text))
	for n := 0; ; n++ {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			if errors.Is(err, io.EOF) && n > 0 {
				return nil
			}
			return fmt.Errorf("value %d of the output: %w", n, err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return fmt.Errorf("value %d of the output: %w", n, err)
		}
		if err := schema.Validate(v); err != nil {
			return fmt.Errorf("value %d of the output: %w", n, err)
		}
	}
}

func compile(file, pointer string) (*jsonschema.Schema, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	name := filepath.Base(file)
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name + "#" + pointer)
}
