package associations

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/code/biencoder"
	"manicule/indexer/must"
)

// TestLearn: what is said of a kind of code is near to such code afterwards, also in words that the code does not have,
// and the same pairs give the same model.
func TestLearn(t *testing.T) {
	var pairs []pair
	kinds := [][2]string{{"remove thing away", "delet map key"}, {"start server wait", "listen accept conn"}, {"older release compare", "major minor less"}}
	for i := range 120 {
		k := kinds[i%len(kinds)]
		pairs = append(pairs, pair{i % 2, append(strings.Fields(k[0]), strings.Fields("noise other some")[i%3]), strings.Fields(k[1])})
	}
	o := defaults()
	o.batch, o.epochs = 12, 8
	data := learn(pairs, o)
	if learn(pairs, o) != data {
		t.Error("the same pairs give another model")
	}
	m, err := biencoder.Parse(data)
	must.OK(t, err)
	for i, k := range kinds {
		q, ok := m.Question(strings.Fields(k[0])[:2])
		if !ok {
			t.Fatal("no word is known")
		}
		best, found := float32(-2), 0
		for j, other := range kinds {
			v, _ := m.Function(strings.Fields(other[1]))
			if c := q.Dot(&v) * q.Inverse() * v.Inverse(); c > best {
				best, found = c, j
			}
		}
		if found != i {
			t.Errorf("%q is nearest to %q", k[0], kinds[found][1])
		}
	}
}

func TestPassage(t *testing.T) {
	code := "func f() {\n\t// Remove what nobody asked for\n\t// since it was made.\n\tfor k := range m {\n\t\tdelete(m, k)\n\t}\n\n\tx()\n}\n"
	got := passage.FindAllStringSubmatch(code, -1)
	if len(got) != 1 || !strings.Contains(got[0][1], "since it was made") || !strings.Contains(got[0][2], "delete(m, k)") || strings.Contains(got[0][2], "x()") {
		t.Errorf("%q", got)
	}
	for said, want := range map[string]bool{"old := f(x);": true, "TODO later": true, "Remove what nobody asked for": false} {
		if isCode(said) != want {
			t.Errorf("%q: %v", said, !want)
		}
	}
	if got := plain("x() // why\n/* and\nmore */ y()"); strings.Contains(got, "why") || strings.Contains(got, "more") || !strings.Contains(got, "y()") {
		t.Errorf("%q", got)
	}
}

// TestUnseen: no repository whose functions are asked for is learned from.
func TestUnseen(t *testing.T) {
	asked := []string{"spf13/cobra", "psf/requests", "sharkdp/fd", "sharkdp/hyperfine", "pallets/click", "junegunn/fzf", "google/gson"} // by their comments
	sets, err := filepath.Glob("../retrieval/testdata/questions/*.tsv")
	if err != nil || len(sets) == 0 {
		t.Fatal(sets, err)
	}
	for _, name := range sets {
		data := must.Read(t, name)
		for line := range strings.Lines(string(data)) {
			if repo, ok := strings.CutPrefix(line, "@ "); ok {
				asked = append(asked, strings.Fields(repo)[0])
			}
		}
	}
	for line := range strings.Lines(repositories) {
		repo, _, _ := strings.Cut(line, " ")
		if slices.ContainsFunc(asked, func(a string) bool { return strings.EqualFold(a, repo) }) {
			t.Errorf("%s is learned from", repo)
		}
	}
}
