package retrieval

import (
	"path"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestQuestions reads all sets of questions, which are text that was written by hand.
func TestQuestions(t *testing.T) {
	files, err := questionFiles.ReadDir("testdata/questions")
	must.OK(t, err)
	in := map[string]string{} // the set that a repository is in
	for _, f := range files {
		split := strings.TrimSuffix(f.Name(), path.Ext(f.Name()))
		all, err := readQuestions(split)
		must.OK(t, err)
		for _, p := range all {
			if in[p.repo] != "" {
				t.Errorf("%s is in %s and in %s: a set that is asked at the end must be new", p.repo, in[p.repo], split)
			}
			in[p.repo] = split
			if len(p.commit) != 40 || len(p.questions) == 0 {
				t.Errorf("%s: %s has the commit %q and %d questions", split, p.repo, p.commit, len(p.questions))
			}
			asked := map[target]bool{}
			for _, q := range p.questions {
				if asked[q.right[0]] {
					t.Errorf("%s: %s asks twice for %v", split, p.repo, q.right[0])
				}
				asked[q.right[0]] = true
				if strings.TrimSpace(q.text) == "" {
					t.Errorf("%s: %s has no text for %v", split, p.repo, q.right[0])
				}
				for _, r := range q.right {
					if r.file == "" || r.symbol == "" || strings.Contains(r.symbol, "\t") {
						t.Errorf("%s: %s has the answer %v without a file or a symbol for %q", split, p.repo, r, q.text)
					}
				}
			}
		}
	}
}
