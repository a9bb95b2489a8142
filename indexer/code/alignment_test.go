package code

import (
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestAlign: rare words of a question count more, and only the first words of a piece are compared.
func TestAlign(t *testing.T) {
	files := tree{"all.go": "// function One\nfunc One() { cache.get(key) }\n\n// function Two\nfunc Two() { cache.get(key) }\n\n" +
		"// function Three\nfunc Three() { cache.get(name) }\n\n// function Four\nfunc Four() { zeppelin.fly() }\n\n"}
	x := openTree(t, files)
	a, err := x.Align(t.Context(), "cache zeppelin")
	must.OK(t, err)
	rare, frequent := a.Share("Four", "zeppelin.fly()"), a.Share("One", "cache.get(key)")
	if rare <= frequent || frequent <= 0 {
		t.Errorf("rare %.2f, frequent %.2f", rare, frequent)
	}
	var before strings.Builder
	for i := range alignedTerms {
		before.WriteString(" qq" + strings.Repeat("z", i+1))
	}
	if got := a.Share("zeppelin", before.String()); got < .5 {
		t.Errorf("a name counts: %.2f", got)
	}
	if got := a.Share("F", before.String()+" zeppelin cache"); got > .5 {
		t.Errorf("words behind the first %d count: %.2f", alignedTerms, got)
	}
	none, err := x.Align(t.Context(), "of the")
	if err != nil || none.Share("One", "cache") != 0 {
		t.Errorf("a question without words: %v", err)
	}
}
