package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gitleaks/go-gitdiff/gitdiff"

	"manicule/grammars"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/indexer/treefile"
	"manicule/memory"
)

// revision takes the revision off the arguments of impact --diff, which may be
// written apart ("--diff main"): the first argument is one unless it names a
// symbol or a file. It returns the id of the commit.
func (a *app) revision(ctx context.Context, w *memory.Workspace, rev string, args []string) (commit string, rest []string, err error) {
	if w.Place().GitTop == "" {
		return "", nil, noGit(w)
	}
	if rev == defaultRevision && len(args) > 0 && a.isRevision(w, args[0]) {
		commit, err := commitOf(ctx, w.Root(), args[0])
		if err != nil {
			return "", nil, &memory.UserError{Msg: fmt.Sprintf("%q is no file of this workspace and no revision that git knows", args[0]), Err: err,
				Hint: "Name a file, a FILE#Symbol, a branch, a tag or a commit."}
		}
		return commit, args[1:], nil
	}
	commit, err = commitNamed(ctx, w, rev)
	return commit, args, err
}

// commitNamed is the id of the commit that who asks has named.
func commitNamed(ctx context.Context, w *memory.Workspace, rev string) (string, error) {
	if w.Place().GitTop == "" {
		return "", noGit(w)
	}
	commit, err := commitOf(ctx, w.Root(), rev)
	if err != nil && ctx.Err() == nil {
		return "", &memory.UserError{Msg: fmt.Sprintf("git knows no commit %q", rev), Err: err,
			Hint: "Name one branch, tag or commit: what differs from it in the files as they are is the change."}
	}
	return commit, err
}

func noGit(w *memory.Workspace) error {
	return &memory.UserError{Msg: w.Root() + " is in no git repository", Hint: "What differs from a revision only git knows; name a FILE[#Symbol] instead."}
}

// defaultRevision is what --diff compares with when none is named.
const defaultRevision = "HEAD"

// isRevision reports whether an argument can only be meant as a revision.
func (a *app) isRevision(w *memory.Workspace, arg string) bool {
	if strings.Contains(arg, "#") {
		return false
	}
	st, err := os.Stat(a.rooted(w, arg))
	return err != nil || st.IsDir()
}

// commitOf is the id of the commit that a revision means.
func commitOf(ctx context.Context, root, rev string) (string, error) {
	if strings.HasPrefix(rev, "-") {
		return "", errors.New("a revision does not begin with a dash")
	}
	out, err := runGit(ctx, root, nil, "rev-parse", "--verify", rev+"^{commit}")
	return strings.TrimSpace(string(out)), err
}

// gitPatience is how long git may take. It waits itself for a pipe that lies where
// a file of its own belongs, and reads one of any size.
const gitPatience = time.Minute

// gitLimits has git start no program that the repository's own settings name, look
// at no files but its own, and fetch nothing: the .git of an archive is as its maker
// left it. The user's own filters stay.
func gitLimits(ctx context.Context, root, command string) []string {
	env := []string{"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0"}
	if top := gitTop(root); top != "" && os.Getenv("GIT_DIR") == "" && os.Getenv("GIT_WORK_TREE") == "" {
		env = append(env, "GIT_WORK_TREE="+top) // before core.worktree
	}
	if command != "diff" {
		return env // nothing else runs filters
	}
	var keys []string
	for _, scope := range []string{"--local", "--worktree"} {
		names, err := exec.CommandContext(ctx, "git", "-C", root, "config", scope, "--includes", "--name-only", "--null", "--get-regexp", `^filter\.`).Output()
		if err == nil { // else it has none
			keys = append(keys, strings.Split(strings.TrimRight(string(names), "\x00"), "\x00")...)
		}
	}
	n := 0
	for _, key := range keys {
		at := strings.LastIndexByte(key, '.')
		if at < 0 {
			continue
		}
		value := ""
		if key[at+1:] == "required" {
			value = "false"
		}
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		n++
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}

// gitTop is the folder at or above this one that git's own folder lies in, "" for
// none.
func gitTop(root string) string {
	for dir := root; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// runGit runs git in a folder. An error has what git says.
func runGit(ctx context.Context, root string, in io.Reader, args ...string) ([]byte, error) {
	return runGitFor(ctx, gitPatience, root, in, args...)
}

func runGitFor(ctx context.Context, patience time.Duration, root string, in io.Reader, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var complaint bytes.Buffer
	// To look is no reason to hold a lock that another git may want, nor to start a
	// program that the repository's settings name.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", root, "--no-optional-locks", "-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", "diff.interHunkContext=0"}, args...)...)
	cmd.Env = append(os.Environ(), gitLimits(ctx, root, args[0])...)
	cmd.Stdin, cmd.Stderr = in, &complaint
	cmd.WaitDelay = time.Second // for what it has started
	out, err := cmd.Output()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("git %s did not answer in %v: %w", args[0], patience, ctx.Err())
	}
	if err != nil {
		msg := strings.TrimSpace(complaint.String())
		if msg == "" {
			msg = err.Error()
		}
		return nil, fmt.Errorf("git %s: %s: %w", args[0], msg, err)
	}
	return out, nil
}

// differences are what differs from a commit in the files as they are.
type differences struct {
	files     []*gitdiff.File
	untracked []string
}

func differencesFrom(ctx context.Context, root, commit string) (*differences, error) {
	// Whatever the person's settings make of a diff, this is what is read here.
	out, err := runGit(ctx, root, nil, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--full-index", "--find-renames", "--submodule=short", "--ignore-submodules=dirty", // else git starts another one in each, which heeds their settings

		"--src-prefix=a/", "--dst-prefix=b/", "-U0", commit, "--")
	if err != nil {
		return nil, gitFault(err)
	}
	files, err := gitdiff.Parse(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("read the difference from %s: %w", commit, err)
	}
	d := &differences{}
	for f := range files {
		d.files = append(d.files, f)
	}
	names, err := runGit(ctx, root, nil, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, gitFault(err)
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		if name != "" {
			d.untracked = append(d.untracked, name)
		}
	}
	return d, nil
}

func gitFault(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &memory.UserError{Msg: err.Error(), Err: err, Hint: "--diff needs git and a repository that it can read."}
}

// old reads the changed files as they were.
func (d *differences) old(ctx context.Context, root string) ([]graph.Old, error) {
	var files, read []graph.Old
	var ids strings.Builder
	for _, f := range d.files {
		if _, known := grammars.ForPath(f.OldName); !known || f.IsNew || f.IsCopy || f.IsBinary || f.OldName == "" {
			continue
		}
		o := graph.Old{Path: f.OldName, Now: f.NewName}
		if f.IsDelete {
			o.Now = ""
		}
		switch {
		case f.OldOIDPrefix != "":
			files = append(files, o)
			ids.WriteString(f.OldOIDPrefix + "\n")
		case f.IsRename: // and nothing else
			path := filepath.Join(root, filepath.FromSlash(o.Now))
			if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() {
				continue // a link leads anywhere, and its own text is no code
			}
			text, err := treefile.Within(root, o.Now, maxRead)
			if err != nil {
				return nil, fmt.Errorf("read a renamed file: %w", err)
			}
			o.Text = text
			read = append(read, o)
		}
	}
	if len(files) == 0 {
		return read, nil
	}
	out, err := runGit(ctx, root, strings.NewReader(ids.String()), "cat-file", "--batch")
	if err != nil {
		return nil, gitFault(err)
	}
	r := bufio.NewReader(bytes.NewReader(out))
	for _, o := range files {
		var id, kind string
		var size int
		if _, err := fmt.Fscanf(r, "%s %s %d\n", &id, &kind, &size); err != nil {
			return nil, fmt.Errorf("read %s as it was: %w", o.Path, err)
		}
		o.Text = make([]byte, size)
		if _, err := io.ReadFull(r, o.Text); err != nil {
			return nil, fmt.Errorf("read %s as it was: %w", o.Path, err)
		}
		if _, err := r.Discard(1); err != nil { // the line's end
			return nil, fmt.Errorf("read %s as it was: %w", o.Path, err)
		}
		if kind == "blob" { // no submodule
			read = append(read, o)
		}
	}
	return read, nil
}

// symbols are those that differ; files that git doesn't know yet count whole.
func (d *differences) symbols(g *graph.Graph, deleted []graph.Deletion) []*resolve.Symbol {
	var all []*resolve.Symbol
	for _, f := range d.files {
		if f.NewName == "" || f.IsDelete {
			continue
		}
		for _, fr := range f.TextFragments {
			ranges := [][2]int{{int(fr.NewPosition), int(fr.NewPosition + fr.NewLines - 1)}}
			if fr.NewLines == 0 { // something is gone between two lines
				ranges[0] = [2]int{int(fr.NewPosition) + 1, int(fr.NewPosition)}
			}
			for _, s := range g.SymbolsAt(f.NewName, ranges) {
				if s.Kind == "file" && fr.NewLines == 0 && coveredBy(deleted, f.OldName, fr) {
					continue // the file's own code is as it was
				}
				all = append(all, s)
			}
		}
	}
	for _, name := range d.untracked {
		all = append(all, g.Find(name, "")...)
	}
	return unique(all)
}

// coveredBy reports whether a symbol that is gone has begun or ended in the
// lines that a fragment takes away.
func coveredBy(deleted []graph.Deletion, file string, fr *gitdiff.TextFragment) bool {
	for _, d := range deleted {
		if d.File == file && d.Line < int(fr.OldPosition+fr.OldLines) && d.EndLine >= int(fr.OldPosition) {
			return true
		}
	}
	return false
}

func unique(all []*resolve.Symbol) []*resolve.Symbol {
	seen := make(map[*resolve.Symbol]bool, len(all))
	out := all[:0]
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
