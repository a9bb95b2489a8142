package jsonc_test

import (
	"errors"
	"strings"
	"testing"

	"manicule/indexer/jsonc"
)

// TestDepth parses what people write, and nothing that is nested deeper.
func TestDepth(t *testing.T) {
	brackets := strings.Repeat("[", 5000)
	for _, c := range []struct {
		name, src string
		deep      int // the line at which it is too deep, 0 if it is not
	}{
		{"settings", "{ // of the team\n\"a\": [1, 2,], /* [ */ \"b\": {\"c\": \"x\"},}", 0},
		{"brackets in a string", `{"a": "\"` + brackets + `"}`, 0},
		{"brackets in comments", "// " + brackets + "\n/*/ " + brackets + " **/ {}", 0},
		{"many beside each other", "[" + strings.Repeat("[],{},", 5000) + "]", 0},
		{"deep", "{\n\"a\": " + brackets + strings.Repeat("]", 5000) + "}", 2},
		{"deep after a comment", "/* */" + brackets, 1},
		{"deep after a string that ends in a backslash", `["\\",` + brackets, 1},
		{"a gigabyte of stack", strings.Repeat("[", 2<<20), 1},
		{"objects without end", strings.Repeat(`{"a":`, 1<<20), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, perr := jsonc.Parse([]byte(c.src))
			_, serr := jsonc.Standardize([]byte(c.src))
			for _, err := range []error{perr, serr} {
				deep, is := errors.AsType[*jsonc.DeepError](err)
				if c.deep == 0 && err != nil || c.deep > 0 && (!is || deep.Line != c.deep) {
					t.Errorf("got %v, want line %d", err, c.deep)
				}
			}
		})
	}
}

// TestUnended: a text that ends in its middle is an error, and no panic.
func TestUnended(t *testing.T) {
	for _, src := range []string{"", "/", "//", "/*", "/* *", `"`, `"\`, `{"a`, "[", "]", "]]]]["} {
		if _, err := jsonc.Standardize([]byte(src)); err == nil {
			t.Errorf("%q is read", src)
		}
	}
}
