package coverage

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	churn := map[string]int{"a.go": 2, "src/auth/token.go": 8, "src/auth/key.go": 4, "src/db/pool.go": 6, "src/db/x/y.go": 1}
	r := Of(churn, 0, func(p string) bool { return strings.HasPrefix(p, "src/auth/t") || strings.HasPrefix(p, "src/db/x") })
	if r.Changes != 21 || r.Covered != 9 || r.Score() != 43 {
		t.Errorf("%+v, score %d", r.Tally, r.Score())
	}
	var names []string
	for _, f := range r.Folders {
		names = append(names, f.Folder)
	}
	if got := strings.Join(names, " "); got != "src/db src/auth . src/db/x" {
		t.Errorf("the order is %s", got)
	}
	auth := r.Folders[1]
	if auth.Files != 2 || auth.Score() != 67 || len(auth.Without) != 1 || auth.Without[0] != (File{"src/auth/key.go", 4}) {
		t.Errorf("%+v", auth)
	}
	if bare := r.Bare(3); len(bare) != 1 || bare[0].Folder != "src/db" {
		t.Errorf("worth a word: %+v", bare)
	}
	deep := Of(churn, 1, func(string) bool { return false })
	if len(deep.Folders) != 2 || deep.Folders[0].Folder != "src" || deep.Folders[0].Changes != 19 || deep.Folders[1].Folder != "." {
		t.Errorf("%+v", deep.Folders)
	}
}

// TestScore: only what is covered as a whole has 100, and only what has no memory at all 0.
func TestScore(t *testing.T) {
	for in, want := range map[Tally]int{{}: 100, {4, 4}: 100, {1000, 999}: 99, {1000, 1}: 1, {1000, 0}: 0, {3, 1}: 33} {
		if got := in.Score(); got != want {
			t.Errorf("%+v: %d, want %d", in, got, want)
		}
	}
}
