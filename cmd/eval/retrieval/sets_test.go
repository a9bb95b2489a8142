package retrieval

import (
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

func TestReadJudged(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		must.Write(t, path, text)
		return path
	}
	queries := write("q.jsonl", `{"_id":"2","text":"two"}`+"\n"+`{"_id":"1","text":"one"}`+"\n"+`{"_id":"3","text":"nobody judged"}`+"\n")
	got, err := readJudged(queries, write("q.tsv", "query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t2\n1\tc\t1\n1\td\t0\n"))
	if err != nil || len(got) != 2 || got[0].text != "one" || len(got[0].rel) != 2 || got[1].rel["b"] != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"9\ta\t1\n", "1\ta\n"} {
		if got, err := readJudged(queries, write("bad.tsv", bad)); err == nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

func TestByOwnWords(t *testing.T) {
	var all []note
	for i, text := range []string{
		"the token cache of redis expires early", "redis cache token early warning", "unrelated words stand alone",
	} {
		all = append(all, note{ID: string(rune('a' + i)), Text: text})
	}
	got := byOwnWords(all)
	if len(got) != 2 || got[0].text != "token cache redis early" || got[0].rel["a"] != 1 {
		t.Errorf("%+v", got)
	}
}

func TestShared(t *testing.T) {
	if got := shared("The cats sleep here", "a cat sleeps there"); got != 1 {
		t.Errorf("same stems: %.2f", got)
	}
	if got := shared("red cat", "blue cat"); got < .33 || got > .34 {
		t.Errorf("one of three: %.2f", got)
	}
}

func TestTable(t *testing.T) {
	x := newTable("set", "nDCG@10")
	x.row("words", []float64{.2, .4})
	x.row("meaning", []float64{.5, .5})
	x.row("both", []float64{.4, .4})
	if bad := x.requireBest("set", "both", "words", "meaning"); len(bad) != 1 || !strings.Contains(bad[0], "0.500") {
		t.Errorf("%q", bad)
	}
	if bad := x.requireBest("set", "meaning", "words", "both"); bad != nil {
		t.Errorf("%q", bad)
	}
}
