package importer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// rulesDir holds real rule files of other people; it lies beside the repository.
const rulesDir = "../../../shared/data/agent-rules/dev"

// openRules opens the data folder, or skips the test.
func openRules(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(rulesDir)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the evaluation data is not beside the repository")
	}
	must.OK(t, err)
	var repos []string
	for _, e := range entries {
		if e.IsDir() {
			repos = append(repos, e.Name())
		}
	}
	return repos
}

// repoOptions are the options for one repository: all paths of it, as its
// owner had them.
func repoOptions(t *testing.T, repo string) Options {
	t.Helper()
	dir := filepath.Join(rulesDir, repo)
	list := must.Read(t, filepath.Join(dir, "_filelist.txt"))
	files := strings.Fields(string(list))
	return Options{Root: os.DirFS(dir), Files: files, Now: day, All: true, known: fileSet(files)}
}

// present lists the sources of a repository whose text is in the data.
func present(t *testing.T, repo string, opts Options) []Source {
	t.Helper()
	var out []Source
	for _, s := range Find(opts.Files) {
		if _, err := fs.Stat(opts.Root, s.Path); err == nil {
			out = append(out, s)
		}
	}
	return out
}
