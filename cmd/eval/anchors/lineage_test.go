package anchors

import (
	"strings"
	"testing"

	"manicule/indexer/anchoring"
)

// TestLikest chooses the method before a change among several of its name.
func TestLikest(t *testing.T) {
	method := func(body string) declaredAt {
		text := "class A {\n\tvoid run() {\n" + body + "\n\t}\n}\n"
		s := anchoring.TextSource("A.java", "java", "", []byte(text))
		for _, sym := range s.Symbols() {
			if sym.Name == "run" {
				return declaredAt{source: s, symbol: sym}
			}
		}
		t.Fatalf("no method in %s", text)
		return declaredAt{}
	}
	is := method("a();\nb();\nc();\nd();")
	tests := []struct {
		name   string
		others []string
		want   int // -1 for none
	}{
		{"none", nil, -1},
		{"the only one, however different", []string{"x();"}, 0},
		{"the one with more of its lines", []string{"x();\ny();", "a();\nb();\nc();"}, 1},
		{"two that are as like", []string{"a();\nb();", "c();\nd();"}, -1},
		{"the same beside nearly the same", []string{"a();\nb();\nc();", "a();\nb();\nc();\nd();"}, 1},
		{"the same twice", []string{"a();\nb();\nc();\nd();", "a();\nb();\nc();\nd();"}, -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var all []declaredAt
			for _, o := range test.others {
				all = append(all, method(o))
			}
			got, ok := mostSimilar(is, all)
			if ok != (test.want >= 0) {
				t.Fatalf("found %v, want %v", ok, test.want >= 0)
			}
			if ok && !strings.Contains(string(got.source.Text()), test.others[test.want]) {
				t.Errorf("chose %s, want %s", got.source.Text(), test.others[test.want])
			}
		})
	}
}
