package gate

import (
	"context"
	"path/filepath"
	"strings"

	"manicule/cmd/internal/gitread"
)

// clone reads the files of a clone.
type clone struct {
	dir     string
	objects *gitread.Objects
}

// openClone ends with close, or with the context.
func openClone(ctx context.Context, dir string) (*clone, error) {
	objects, err := gitread.Open(ctx, dir)
	return &clone{dir, objects}, err
}

// close ends reading. What git says of its end doesn't matter: every answer has been read.
func (c *clone) close() { _ = c.objects.Close() }

// read returns a file at a commit; ok is false if there is none, or if git has ended.
func (c *clone) read(commit, path string) (text string, ok bool) {
	_, data, ok, err := c.objects.Read(commit + ":" + path)
	return string(data), ok && err == nil
}

// markdown lists the Markdown pages of a clone.
func (c *clone) markdown(ctx context.Context) (out []string) {
	list, err := gitread.List(ctx, c.dir, "HEAD")
	if err != nil {
		return nil // not there as a whole
	}
	for _, e := range list {
		if path := e.Path; !strings.Contains(path, "node_modules") && (strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".mdc")) {
			out = append(out, path)
		}
	}
	return out
}

// dirOf is the git directory of a repository's clone.
func (e *evaluation) dirOf(repo string) string {
	return filepath.Join(e.repos, strings.Replace(repo, "/", "+", 1), "repo")
}
