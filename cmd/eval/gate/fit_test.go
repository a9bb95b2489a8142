package gate

import (
	"fmt"
	"testing"

	"manicule/memory/gate/junk"
)

// TestTrain: a fit tells kinds apart whose texts differ, on texts that it didn't see, and is the same each time.
func TestTrain(t *testing.T) {
	var xs []example
	of := func(n int) []example {
		return []example{
			{Text: fmt.Sprintf("The worker %d must hold the lock while it writes", n), Repo: fmt.Sprint("a/", n)},
			{Text: fmt.Sprintf("Finished the move of part %d and pushed the branch", n), Kind: junk.Session, Repo: fmt.Sprint("a/", n)},
			{Text: fmt.Sprintf("src/a%d.go\nsrc/b%d.go", n, n), Kind: junk.PathList, Repo: fmt.Sprint("a/", n)},
		}
	}
	for n := range 40 {
		xs = append(xs, of(n)...)
	}
	table := train(xs)
	if again := train(xs); again != table {
		t.Error("two fits differ")
	}
	m, err := junk.ParseModel(table)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range of(77) {
		p, kind := m.Judge(x.Text)
		if x.Kind == "" && p > .3 || x.Kind != "" && (p < .7 || kind != x.Kind) {
			t.Errorf("%q: %.2f %s", x.Text, p, kind)
		}
	}
}

func TestBlocks(t *testing.T) {
	var code []string
	got := blocks([]string{"# Head", "", "one", "two", "```go", "x", "```", "- a", "  more", "- b"}, func(lang string, lines []string) { code = append(code, lang+":"+lines[0]) })
	if len(got) != 2 || got[1].heading != "# Head" || len(items(got[1])) != 2 || fmt.Sprint(code) != "[go:x]" {
		t.Errorf("%+v %v", got, code)
	}
}
