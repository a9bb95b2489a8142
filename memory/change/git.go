// Package change describes the difference between a revision and the working tree: the
// changed symbols, the removed ones, and the memories on code that depends on them.
// It runs the git program, which alone knows a user's filters and attributes. It must
// not know its callers, or how the answer is shown.
package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/workspace"
	"manicule/memory"
)

// ResolveCommit returns the id of a commit that a person or an agent named. The error says what to
// name instead.
func ResolveCommit(ctx context.Context, p *workspace.Workspace, rev string) (string, error) {
	if err := NeedsGit(p); err != nil {
		return "", err
	}
	commit, err := Commit(ctx, p.Root, rev)
	if errors.Is(err, exec.ErrNotFound) {
		return "", &memory.UserError{Msg: "there is no git program", Err: err, Hint: "Install git, or add its folder to the PATH: only git can compare revisions."}
	}
	if err != nil && ctx.Err() == nil && refuses(ctx, p, rev, err) {
		return "", &memory.UserError{Msg: "git does not say which commit " + rev + " is: " + err.Error(), Err: err, Hint: fmt.Sprintf("`git rev-parse %s` in this folder has to work.", rev)}
	}
	if err != nil && ctx.Err() == nil && rev == "HEAD" {
		return "", &memory.UserError{Msg: "the repository has no commit yet", Err: err, Hint: "Make one: a difference needs something to compare the files with."}
	}
	if err != nil && ctx.Err() == nil {
		hint := "Name one branch, tag or commit to compare the files with."
		if gitinfo.Shallow(p.GitCommonDir) { // a checkout in CI brings one commit of one branch, unless it is told otherwise
			hint = "This clone is shallow: fetch the whole history (`git fetch --unshallow origin '+refs/heads/*:refs/remotes/origin/*'`; in CI a depth of 0)."
		}
		return "", &memory.UserError{Msg: fmt.Sprintf("git knows no commit %q", rev), Err: err, Hint: hint}
	}
	return commit, err
}

// refuses reports whether git, which failed at a revision, answers nothing here: it refuses a repository of another user, and may be
// broken. Then it says so best, in the user's language. It knows HEAD otherwise, if the repository has commits.
func refuses(ctx context.Context, p *workspace.Workspace, rev string, err error) bool {
	if rev != "HEAD" && !errors.Is(err, context.DeadlineExceeded) {
		_, err = Commit(ctx, p.Root, "HEAD")
	}
	return err != nil && gitinfo.Head(p.GitDir, p.GitCommonDir) != ""
}

// NeedsGit returns an error if a workspace is not in a git repository.
func NeedsGit(p *workspace.Workspace) error {
	if p.GitTop != "" {
		return nil
	}
	return &memory.UserError{Msg: p.Root + " is in no git repository", Hint: "Only git can compare revisions. Name a FILE[#Symbol] instead."}
}

// Commit returns the id of the commit that a revision names.
func Commit(ctx context.Context, root, rev string) (string, error) {
	if strings.HasPrefix(rev, "-") {
		return "", errors.New("a revision does not begin with a dash")
	}
	out, err := runGit(ctx, root, nil, "rev-parse", "--verify", rev+"^{commit}")
	return strings.TrimSpace(string(out)), err
}

// gitTimeout is how long git may take. Git blocks on a pipe in place of one of its files, and reads
// files of any size.
const gitTimeout = time.Minute

// safeEnv returns the environment in which git starts no program that the repository's settings
// name, reads only its own files, and fetches nothing, because an archive may contain a malicious
// .git folder. The user's own filters still apply.
func safeEnv(ctx context.Context, root, command string) ([]string, error) {
	env := []string{"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0"}
	if top := gitTop(root); top != "" && os.Getenv("GIT_DIR") == "" && os.Getenv("GIT_WORK_TREE") == "" {
		env = append(env, "GIT_WORK_TREE="+top) // overrides core.worktree
	}
	if command != "diff" {
		return env, nil // nothing else runs filters
	}
	keys, err := foreignFilters(ctx, root, env)
	if err != nil {
		return nil, err
	}
	for n, key := range keys {
		value := ""
		if strings.HasSuffix(key, ".required") {
			value = "false"
		}
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(keys))), nil
}

// foreignFilters lists the settings of filters that are not in the user's or the system's own files. All files are read at
// once, as the command itself reads them: whether one is included may depend on what another one says (hasconfig).
func foreignFilters(ctx context.Context, root string, env []string) (keys []string, err error) {
	list := func(options ...string) ([]string, error) {
		cmd := exec.CommandContext(ctx, "git", append(append([]string{"-C", root, "config"}, options...), "--includes", "--name-only", "--null", "--get-regexp", `^filter\.`)...)
		cmd.Env = append(os.Environ(), env...)
		cmd.WaitDelay = time.Second // for processes that it started
		out, err := cmd.Output()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
			return nil, nil // it has none
		}
		return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), err
	}
	scoped, err := list("--show-scope")
	if err != nil { // git before 2.26 knows no scopes: then none of them counts
		if keys, err = list(); err != nil {
			return nil, fmt.Errorf("list git's filters: %w", err)
		}
		return keys, nil
	}
	for pair := range slices.Chunk(scoped, 2) {
		if len(pair) == 2 && pair[0] != "system" && pair[0] != "global" {
			keys = append(keys, pair[1])
		}
	}
	return keys, nil
}

// gitTop returns the nearest folder at or above this one with a .git, or "".
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

// How much git may say, in bytes: a broken one may never stop.
const (
	maxMessage = 8 << 10   // of an error; the rest is dropped
	maxAnswer  = 512 << 20 // else there is no answer
)

var errTooMuch = fmt.Errorf("it says more than %d MB", maxAnswer>>20)

// beginning keeps the first bytes of what is written to it.
type beginning struct {
	text  bytes.Buffer
	most  int
	whole bool // more is an error
}

func (b *beginning) Write(p []byte) (int, error) {
	n := min(len(p), b.most-b.text.Len())
	_, _ = b.text.Write(p[:n]) // never fails
	if n < len(p) && b.whole {
		return n, errTooMuch
	}
	return len(p), nil
}

// runGit runs git in a folder. Its errors contain git's message.
func runGit(ctx context.Context, root string, in io.Reader, args ...string) ([]byte, error) {
	return runGitWithin(ctx, gitTimeout, root, in, args...)
}

func runGitWithin(ctx context.Context, timeout time.Duration, root string, in io.Reader, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	stderr, stdout := beginning{most: maxMessage}, beginning{most: maxAnswer, whole: true}
	// Reading must not take locks that another git needs, or start programs that the repository's
	// settings name. A diff writes the index in spite of --no-optional-locks, and one that was killed leaves its lock.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", root, "--no-optional-locks", "-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", "diff.autoRefreshIndex=false", "-c", "diff.interHunkContext=0"}, args...)...)
	env, err := safeEnv(ctx, root, args[0])
	if err == nil {
		cmd.Env = append(os.Environ(), env...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &stdout, &stderr
		cmd.WaitDelay = time.Second // for processes that it started
		err = cmd.Run()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("git %s did not answer in %v: %w", args[0], timeout, ctx.Err())
	}
	if err != nil {
		msg := strings.TrimSpace(stderr.text.String())
		if msg == "" {
			msg = err.Error()
		}
		return nil, fmt.Errorf("git %s: %s: %w", args[0], msg, err)
	}
	return stdout.text.Bytes(), nil
}
