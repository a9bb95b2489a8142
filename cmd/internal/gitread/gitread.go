// Package gitread reads repositories through the git program, for evaluations: they read whole histories, and clones that lack
// objects. It must not know what the files mean.
package gitread

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Command is git in a folder, which may be a repository's git directory.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	where := []string{"-C", dir}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err == nil {
		where = []string{"--git-dir", dir} // also one whose worktree is gone
	}
	return exec.CommandContext(ctx, "git", append(where, args...)...)
}

// Output runs git in a folder and returns what it prints.
func Output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := Command(ctx, dir, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s in %s: %w: %s", args[0], dir, err, strings.TrimSpace(said.String()))
	}
	return out, nil
}

// Entry is a file of a commit, or what stands in the place of one.
type Entry struct{ Mode, Kind, ID, Path string }

// List lists what a commit has.
func List(ctx context.Context, dir, commit string) (out []Entry, err error) {
	list, err := Output(ctx, dir, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return nil, err
	}
	for line := range strings.SplitSeq(string(list), "\x00") {
		head, path, _ := strings.Cut(line, "\t")
		if f := strings.Fields(head); len(f) == 3 {
			out = append(out, Entry{f[0], f[1], f[2], path})
		}
	}
	return out, nil
}

// Objects reads objects by one process of git: one for each takes most of the time of an evaluation. One caller at a time may use it.
type Objects struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// Open starts the process. It ends with Close, or with the context.
func Open(ctx context.Context, dir string) (*Objects, error) {
	o := &Objects{cmd: Command(ctx, dir, "cat-file", "--batch")}
	in, err := o.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	if err := o.cmd.Start(); err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	o.in, o.out = in, bufio.NewReaderSize(out, 1<<20)
	return o, nil
}

// Close ends the process.
func (o *Objects) Close() error { return errors.Join(o.in.Close(), o.cmd.Wait()) }

// Read reads a file or a commit by any name that git knows, such as COMMIT:PATH. ok is false if there is none of that name.
func (o *Objects) Read(name string) (id string, data []byte, ok bool, err error) {
	if strings.Contains(name, "\n") {
		return "", nil, false, nil
	}
	if _, err := io.WriteString(o.in, name+"\n"); err != nil {
		return "", nil, false, fmt.Errorf("ask git for %s: %w", name, err)
	}
	head, err := o.out.ReadString('\n')
	if err != nil {
		return "", nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	fields := strings.Fields(head) // id, kind, size; or the name and "missing"
	if len(fields) != 3 || !slices.Contains([]string{"blob", "commit", "tree", "tag"}, fields[1]) {
		return "", nil, false, nil
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return "", nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	data = make([]byte, size+1) // with the line end behind it, and whatever it is: what is left would be the next answer
	if _, err := io.ReadFull(o.out, data); err != nil {
		return "", nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	return fields[0], data[:size], fields[1] == "blob" || fields[1] == "commit", nil
}

// Archive reads the files of a commit as git archives them. Those for which wanted is false are passed over.
func Archive(ctx context.Context, dir, commit string, wanted func(name string, size int64) bool, each func(name string, data []byte) error) (err error) {
	cmd := Command(ctx, dir, "archive", "--format=tar", commit)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("run git archive: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run git archive: %w", err)
	}
	defer func() {
		_, drained := io.Copy(io.Discard, out)
		err = errors.Join(err, drained, cmd.Wait())
	}()
	for r := tar.NewReader(out); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read git archive: %w", err)
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(h.Name) || !wanted(h.Name, h.Size) {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("read git archive: %w", err)
		}
		if err := each(h.Name, data); err != nil {
			return err
		}
	}
}
