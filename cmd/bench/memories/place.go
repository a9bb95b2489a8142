package memories

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"manicule/cmd/internal/evalkit"
)

// place is a fresh home with a repository, in which one tool runs.
type place struct {
	dir, home, repo string
	env             []string
	traced          string // a file for strace's account of the network, or ""
}

// sources are the files of the repository.
var sources = map[string]string{
	"go.mod":        "module example.test/shop\n\ngo 1.24\n",
	"auth/token.go": "package auth\n\nimport \"errors\"\n\n// Validate checks a token's form.\nfunc Validate(token string) error {\n\tif len(token) < 20 {\n\t\treturn errors.New(\"short token\")\n\t}\n\tfor _, r := range token {\n\t\tif r == ' ' {\n\t\t\treturn errors.New(\"blank in token\")\n\t\t}\n\t}\n\treturn nil\n}\n",
	"auth/other.go": "package auth\n\n// Double is twice a number.\nfunc Double(n int) int { return 2 * n }\n",
}

// newPlace makes a place below dir.
func newPlace(ctx context.Context, dir string, programs string) (*place, error) {
	p := &place{dir: dir, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "shop")}
	p.env = []string{"HOME=" + p.home, "PATH=" + programs + ":" + os.Getenv("PATH"), "SHELL=/bin/bash", "TMPDIR=" + filepath.Join(p.home, "tmp"),
		"GIT_AUTHOR_NAME=You", "GIT_AUTHOR_EMAIL=you@example.test", "GIT_COMMITTER_NAME=You", "GIT_COMMITTER_EMAIL=you@example.test", "NO_COLOR=1"}
	if err := os.MkdirAll(filepath.Join(p.home, "tmp"), 0o700); err != nil {
		return nil, fmt.Errorf("make a home: %w", err)
	}
	for name, text := range sources {
		path := filepath.Join(p.repo, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			return nil, fmt.Errorf("write the repository: %w", err)
		}
	}
	if err := p.git(ctx, "init", "--quiet", "--initial-branch=main"); err != nil {
		return nil, err
	}
	return p, p.commit(ctx, "Start")
}

// command prepares a program to run in the repository.
func (p *place) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	if p.traced != "" {
		args = append([]string{"-D", "-f", "-qq", "-A", "-e", "trace=connect,bind", "-o", p.traced, name}, args...)
		name = "strace"
	}
	if path, err := p.find(name); err == nil {
		name = path
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = p.repo, p.env
	return cmd
}

// find looks a program up on the PATH of the place.
func (p *place) find(name string) (string, error) {
	path, _ := strings.CutPrefix(p.env[1], "PATH=")
	for _, dir := range filepath.SplitList(path) {
		if full := filepath.Join(dir, name); !strings.Contains(name, "/") {
			if info, err := os.Stat(full); err == nil && info.Mode()&0o111 != 0 && !info.IsDir() {
				return full, nil
			}
		}
	}
	return "", fs.ErrNotExist
}

// run runs a program to its end and returns its output.
func (p *place) run(ctx context.Context, args ...string) (string, error) {
	cmd := p.command(ctx, args[0], args[1:]...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &said, 200*time.Millisecond
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(args, " "), err, out.Bytes(), said.Bytes())
	}
	return out.String(), nil
}

func (p *place) git(ctx context.Context, args ...string) error {
	_, err := p.run(ctx, append([]string{"git"}, args...)...)
	return err
}

func (p *place) commit(ctx context.Context, message string) error {
	return errors.Join(p.git(ctx, "add", "--all"), p.git(ctx, "commit", "--quiet", "--allow-empty", "--no-verify", "--message="+message))
}

// process is a program that runs in the place.
type process struct {
	pid  int
	name string
	mb   float64
}

// processes finds what runs in the place, by the home in its environment.
func (p *place) processes() (out []process) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		env, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00HOME="+p.home+"\x00")) {
			continue
		}
		dir := filepath.Dir(path)
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if name := evalkit.Field(dir+"/status", "Name"); name != "" && evalkit.Field(dir+"/status", "State") != "Z (zombie)" {
			out = append(out, process{pid, name, evalkit.Megabytes(dir+"/status", "VmRSS")})
		}
	}
	return out
}

// kill ends all that runs in the place, as kill -9 does, and waits until it is gone.
func (p *place) kill(ctx context.Context) error {
	for {
		left := p.processes()
		if len(left) == 0 {
			return nil
		}
		for _, each := range left {
			if err := syscall.Kill(each.pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("end %s: %w", each.name, err)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// bytes adds up the files of the place that are not git's or the repository's own.
func (p *place) bytes() (sum int64) {
	_ = filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what vanishes meanwhile counts nothing
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// holds reports which file of the place has a text.
func (p *place) holds(text string) (found string) {
	_ = filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || found != "" {
			return nil
		}
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(text)) {
			found, _ = filepath.Rel(p.dir, path)
		}
		return nil
	})
	return found
}
