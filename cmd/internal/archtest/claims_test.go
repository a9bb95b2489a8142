package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestClaimsNameTests: the pages that promise something name the test that holds
// the promise, and the test is there.
func TestClaimsNameTests(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	tests := map[string]bool{}
	decl := regexp.MustCompile(`(?m)^func (Test\w+|Fuzz\w+|Benchmark\w+)\(`)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || path != root && strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range decl.FindAllSubmatch(data, -1) {
				tests[string(m[1])] = true
			}
		case strings.HasSuffix(path, ".txtar") && strings.Contains(filepath.ToSlash(path), "testdata/script/"):
			tests["TestScripts/"+strings.TrimSuffix(d.Name(), ".txtar")] = true
		}
		return nil
	})
	must.OK(t, err)
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+(?:/\\w+)?)`")
	for _, page := range []string{"docs/privacy.md", "docs/reliability.md", "cmd/manicule/FIGURES.md"} {
		data := must.Read(t, filepath.Join(root, filepath.FromSlash(page)))
		found := named.FindAllSubmatch(data, -1)
		if len(found) == 0 {
			t.Errorf("%s names no test", page)
		}
		for _, m := range found {
			if name := string(m[1]); !tests[name] {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
	}
}
