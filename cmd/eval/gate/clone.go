package gate

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// clone reads the files of a clone by one process of git: one for each file took most of the time of an evaluation.
type clone struct {
	dir  string
	cmd  *exec.Cmd
	ask  io.WriteCloser
	told *bufio.Reader
}

// openClone starts the process. It ends with close, or with the context.
func openClone(ctx context.Context, dir string) (*clone, error) {
	cmd := exec.CommandContext(ctx, "git", "--git-dir="+dir, "cat-file", "--batch")
	ask, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("ask git of %s: %w", dir, err)
	}
	told, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("listen to git of %s: %w", dir, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start git in %s: %w", dir, err)
	}
	return &clone{dir: dir, cmd: cmd, ask: ask, told: bufio.NewReaderSize(told, 1<<16)}, nil
}

// close ends the process. What it says of its end doesn't matter: every answer has been read.
func (c *clone) close() {
	_ = c.ask.Close()
	_ = c.cmd.Wait()
}

// read returns a file at a commit; ok is false if there is none, or if git has ended.
func (c *clone) read(commit, path string) (text string, ok bool) {
	if strings.Contains(path, "\n") {
		return "", false
	}
	if _, err := fmt.Fprintf(c.ask, "%s:%s\n", commit, path); err != nil {
		return "", false
	}
	head, err := c.told.ReadString('\n')
	if err != nil {
		return "", false
	}
	fields := strings.Fields(head) // hash, kind, size; or the name and "missing"
	if len(fields) < 3 {
		return "", false
	}
	size, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil {
		return "", false
	}
	data := make([]byte, size+1) // and a line end
	if _, err := io.ReadFull(c.told, data); err != nil {
		return "", false
	}
	return string(data[:size]), fields[len(fields)-2] == "blob"
}

// markdown lists the Markdown pages of a clone.
func (c *clone) markdown(ctx context.Context) (out []string) {
	list, err := exec.CommandContext(ctx, "git", "--git-dir="+c.dir, "ls-tree", "-r", "-z", "--name-only", "HEAD").Output()
	if err != nil {
		return nil // not there as a whole
	}
	for path := range strings.SplitSeq(string(list), "\x00") {
		if !strings.Contains(path, "node_modules") && (strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".mdc")) {
			out = append(out, path)
		}
	}
	return out
}

// dirOf is the git directory of a repository's clone.
func (e *evaluation) dirOf(repo string) string {
	return filepath.Join(e.repos, strings.Replace(repo, "/", "+", 1), "repo")
}
