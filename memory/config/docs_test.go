package config

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const page = "../../docs/configuration.md"

// reference is the generated part of the page.
func reference() string {
	var b strings.Builder
	b.WriteString("| setting | default | values | what it does |\n| --- | --- | --- | --- |\n")
	for _, s := range Settings() {
		values := "true, false"
		switch s.Default.(type) {
		case int:
			values = fmt.Sprintf("%d to %d", s.Min, s.Max)
		case string:
			values = strings.Join(s.Enum, ", ")
			if s.Enum == nil {
				values = "text"
			}
		}
		mark := ""
		if s.Private {
			mark = " †" // which the page explains
		}
		fmt.Fprintf(&b, "| `%s`%s | `%v` | %s | %s |\n", s.Key, mark, s.Default, values, s.Doc)
	}
	return b.String()
}

// TestPageIsCurrent: the documentation lists the schema as it is.
func TestPageIsCurrent(t *testing.T) {
	const begin, end = "<!-- generated: go test ./memory/config -update -->\n", "<!-- end -->"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok1 := strings.Cut(string(data), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatal("the page has lost its markers")
	}
	want := head + begin + reference() + end + tail
	if want == string(data) {
		return
	}
	if !*update {
		t.Fatal("docs/configuration.md is out of date: go test ./memory/config -update")
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
