// Package sandbox makes a fresh machine in a temporary folder, with its own home and
// XDG folders and the product's binary. Commands that run in it see nothing else of
// the user. It must not know what runs in it.
package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Sandbox is one such machine.
type Sandbox struct {
	Dir string // the temporary folder
	Bin string // the product's binary
	env []string
}

// New makes a sandbox for a binary. If bin is "", it builds the product into the sandbox
// with the given linker flags.
func New(ctx context.Context, bin, ldflags string) (*Sandbox, error) {
	dir, err := os.MkdirTemp("", "manicule-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("make a temporary folder: %w", err)
	}
	s := &Sandbox{Dir: dir, Bin: bin}
	if err := s.homes(); err != nil {
		return nil, errors.Join(err, s.Remove())
	}
	if bin != "" {
		s.Bin, err = filepath.Abs(bin)
	} else {
		if s.Bin, err = s.Build(ctx, "manicule", "./cmd/manicule", "-ldflags", ldflags); err == nil {
			_, err = s.build(ctx, []string{"CGO_ENABLED=0"}, "manicule-hook", "./cmd/manicule-hook", "-ldflags", ldflags)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Remove())
	}
	return s, nil
}

// Open returns a sandbox that was kept.
func Open(dir, bin string) (*Sandbox, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open the sandbox: %w", err)
	}
	s := &Sandbox{Dir: dir, Bin: filepath.Join(dir, "bin", "manicule")}
	if bin != "" {
		if s.Bin, err = filepath.Abs(bin); err != nil {
			return nil, fmt.Errorf("open the sandbox: %w", err)
		}
	}
	return s, s.homes()
}

// homes makes the folders that a user's environment names.
func (s *Sandbox) homes() error {
	for _, name := range []string{"PATH", "SystemRoot", "ComSpec", "PATHEXT"} {
		if v, ok := os.LookupEnv(name); ok {
			s.env = append(s.env, name+"="+v)
		}
	}
	for name, folder := range map[string]string{
		"HOME": "", "USERPROFILE": "", "TMPDIR": "tmp", "TEMP": "tmp", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data",
		"XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_RUNTIME_DIR": "run",
	} {
		path := filepath.Join(s.Dir, "home", folder)
		if err := os.MkdirAll(path, 0o700); err != nil {
			return fmt.Errorf("make a home: %w", err)
		}
		s.env = append(s.env, name+"="+path)
	}
	s.env = append(s.env, "NO_COLOR=1")
	return nil
}

// Data returns XDG_DATA_HOME.
func (s *Sandbox) Data() string { return filepath.Join(s.Dir, "home", "data") }

// Cache returns XDG_CACHE_HOME.
func (s *Sandbox) Cache() string { return filepath.Join(s.Dir, "home", "cache") }

// Getenv returns a variable of the environment in which commands run.
func (s *Sandbox) Getenv(name string) string {
	for _, v := range s.env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// Build builds a Go package of this module into the sandbox.
func (s *Sandbox) Build(ctx context.Context, name, pkg string, flags ...string) (string, error) {
	return s.build(ctx, nil, name, pkg, flags...)
}

func (s *Sandbox) build(ctx context.Context, env []string, name, pkg string, flags ...string) (string, error) {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	out := filepath.Join(s.Dir, "bin", name)
	args := append(append([]string{"build", "-o", out}, flags...), pkg)
	if _, err := Go(ctx, env, args...); err != nil {
		return "", err
	}
	return out, nil
}

// Go runs the go command in the caller's own environment and returns its output.
func Go(ctx context.Context, extraEnv []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), extraEnv...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, said.Bytes())
	}
	return out.Bytes(), nil
}

// Module returns the folder of a module in the module cache, downloading it if needed.
func Module(ctx context.Context, module string) (string, error) {
	out, err := Go(ctx, nil, "mod", "download", "-json", module)
	if err != nil {
		return "", err
	}
	var m struct{ Dir, Error string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", fmt.Errorf("find %s: %w", module, err)
	}
	if m.Dir == "" {
		return "", fmt.Errorf("find %s: %s", module, m.Error)
	}
	return m.Dir, nil
}

// Command prepares a program of the sandbox to run in a folder.
func (s *Sandbox) Command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, s.env
	return cmd
}

// Manicule prepares the product to run with arguments in a folder.
func (s *Sandbox) Manicule(ctx context.Context, dir string, args ...string) *exec.Cmd {
	return s.Command(ctx, dir, s.Bin, args...)
}

// Repository makes dir a git repository and commits everything in it. It reports whether
// git is installed.
func (s *Sandbox) Repository(ctx context.Context, dir string) (bool, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return false, nil
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "--all"},
		{"-c", "user.name=You", "-c", "user.email=you@example.test", "commit", "--quiet", "--message=Start"},
	} {
		if out, err := s.Command(ctx, dir, "git", args...).CombinedOutput(); err != nil {
			return true, fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return true, nil
}

// Empty leaves nothing in the homes, as before the first command.
func (s *Sandbox) Empty() error {
	if err := os.RemoveAll(filepath.Join(s.Dir, "home")); err != nil {
		return fmt.Errorf("empty the homes: %w", err)
	}
	for _, v := range s.env {
		if _, path, _ := strings.Cut(v, "="); strings.HasPrefix(path, filepath.Join(s.Dir, "home")) {
			if err := os.MkdirAll(path, 0o700); err != nil {
				return fmt.Errorf("empty the homes: %w", err)
			}
		}
	}
	return nil
}

// Remove removes everything.
func (s *Sandbox) Remove() error {
	if err := os.RemoveAll(s.Dir); err != nil {
		return fmt.Errorf("remove %s: %w", s.Dir, err)
	}
	return nil
}
