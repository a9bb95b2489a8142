// Command schemacheck holds the JSON values on its standard input to a schema:
// schemacheck SCHEMA [POINTER]. It is a program of its own, because its library
// prepares itself in every program that it is linked into, and the tests of
// cmd/manicule start theirs thousands of times.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: schemacheck SCHEMA [POINTER]")
		os.Exit(2)
	}
	pointer := ""
	if len(os.Args) == 3 {
		pointer = os.Args[2]
	}
	if err := check(os.Stdin, os.Args[1], pointer); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check holds every value of in, at least one, to the part of a schema's file
// that a JSON pointer names.
func check(in io.Reader, file, pointer string) error {
	schema, err := compile(file, pointer)
	if err != nil {
		return fmt.Errorf("the schema %s: %w", file, err)
	}
	dec := json.NewDecoder(in)
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
