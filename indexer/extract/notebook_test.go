package extract

import (
	"strings"
	"testing"
)

// TestCells reads the lines of code cells as Python.
func TestCells(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lines []string // of a code cell
		want  string   // without the white space around each line
	}{
		"a quote":              {[]string{`f\"a {b}\"\n`}, `f" a {b}"`},
		"an escaped quote":     {[]string{`'it\\'s'`}, `'it \'s'`},
		"escapes in a row":     {[]string{`a\\\"b`}, `a\"  b`},
		"three quotes":         {[]string{`    \"\"\"Doc.\"\"\"\n`}, `"""   Doc."""`},
		"a backslash and n":    {[]string{`\"\\n\"`}, `"  \n"`},
		"not ASCII":            {[]string{`a = \"\u00e9\"`}, `a = "u"`},
		"a tab":                {[]string{`\tb()`}, `b()`},
		"a magic":              {[]string{`%matplotlib inline\n`, `!a \\\n`, `  b\n`, `c\n`, `d?`}, "c"},
		"a measured cell":      {[]string{`%%time\n`, `a\n`}, "a"},
		"another language":     {[]string{`%%bash\n`, `a\n`}, ""},
		"an end of the string": {[]string{`a \\`}, `a  \`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"outputs\": [\n    \"x = 1\"\n   ],\n   \"source\": [\n    \"" + strings.Join(test.lines, "\",\n    \"") +
				"\"\n   ]\n  },\n  {\n   \"cell_type\": \"markdown\",\n   \"source\": [\n    \"y = 2\"\n   ]\n  }\n ]\n}\n"
			got := cellsOnly([]byte(src))
			if len(got) != len(src) || strings.Count(string(got), "\n") != strings.Count(src, "\n") {
				t.Fatalf("places differ: %q", got)
			}
			var lines []string
			for line := range strings.Lines(string(got)) {
				if line = strings.TrimSpace(line); line != "" {
					lines = append(lines, line)
				}
			}
			if text := strings.Join(lines, "\n"); text != test.want {
				t.Errorf("got %q, want %q", text, test.want)
			}
		})
	}
	empty := "{\n   \"cell_type\": \"code\",\n   \"source\": []\n  },\n  {\n   \"cell_type\": \"markdown\",\n   \"source\": [\n    \"x = 1\"\n   ]\n  }\n"
	if got := strings.TrimSpace(string(cellsOnly([]byte(empty)))); got != "" {
		t.Errorf("behind a cell without text: %q", got)
	}
	other := "{\n   \"cell_type\": \"code\",\n   \"source\": [\n    \"x <- 1\"\n   ],\n \"kernelspec\": {\n   \"language\": \"R\"\n  }\n}\n"
	if got := strings.TrimSpace(string(cellsOnly([]byte(other)))); got != "" {
		t.Errorf("of an R notebook: %q", got)
	}
}
