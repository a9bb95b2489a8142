package install

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"manicule/hooks/agent/spec"
)

// ErrNotWritten is returned by [Trust] for a command line that init would not write.
var ErrNotWritten = errors.New("it is not what `manicule init` writes")

// ErrInRepository is returned by [Trust] for a program that the makers of the repository
// could have put there.
var ErrInRepository = errors.New("the program is in the repository")

// ErrNoProgram is returned by [Trust] for a program that does not exist.
var ErrNoProgram = errors.New("there is no such program")

// Trust decides which installed command lines may be run to test them. A clone brings
// configuration files with it, so a line is run only if no part of it can come from the
// makers of the repository.
type Trust struct {
	// Roots are the absolute folders of the repository's files.
	Roots []string
	// Self is the absolute path of the running program; "" if unknown.
	Self string
	// LookPath finds a program by its name, like [exec.LookPath].
	LookPath func(name string) (string, error)
}

// Hook returns the program and arguments to run, without a shell, for an agent's hook
// command line. private means that only the user and the user's programs write the file.
// The error says why the line may not, or can't, be run.
func (t Trust) Hook(name, command string, private bool) ([]string, error) {
	program := Program(name, command)
	if program == "" || !isWritten(name, program, command) {
		return nil, ErrNotWritten
	}
	called := Server
	if nameOf(program) == HookProgram {
		called = HookProgram
	}
	path, err := t.program(program, called, private)
	if err != nil {
		return nil, err
	}
	return []string{path, "hook", name}, nil
}

// isWritten reports whether a line is one of those that init writes, or wrote in an earlier version.
func isWritten(name, program, line string) bool {
	a, err := lookup(name)
	return err == nil && slices.Contains([]string{command(a, program, false), command(a, program, true), bareCommand(a, program)}, line)
}

// Server returns the program and arguments to run for the command line of a server in an
// agent's file. private and the error are as in [Trust.Hook].
func (t Trust) Server(words []string, private bool) ([]string, error) {
	if len(words) != 2 || words[1] != spec.WordMCP && words[1] != spec.WordLSP {
		return nil, ErrNotWritten
	}
	path, err := t.program(words[0], Server, private)
	if err != nil {
		return nil, err
	}
	return []string{path, words[1]}, nil
}

// InRepository reports whether a path is in the repository, directly or through links.
func (t Trust) InRepository(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path // then it can't be run either
	}
	return slices.ContainsFunc(t.Roots, func(root string) bool { return below(root, path) || below(root, real) })
}

// below reports whether a path is in a folder, which may have other names: through links,
// or in other letter case where case is ignored.
func below(folder, path string) bool {
	if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
		return true
	}
	want, err := os.Stat(folder)
	if err != nil {
		return false
	}
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if got, err := os.Stat(dir); err == nil && os.SameFile(want, got) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// program returns the path to run for a program in a file. called is our program's name.
func (t Trust) program(named, called string, private bool) (string, error) {
	found, err := t.LookPath(called)
	if err == nil && !filepath.IsAbs(found) {
		err = exec.ErrDot // independent of the current folder
	}
	switch {
	case named == called:
		switch {
		case errors.Is(err, exec.ErrDot):
			return "", fmt.Errorf("%w: the PATH finds %s by a relative folder", ErrInRepository, found)
		case err != nil:
			return "", fmt.Errorf("%w: %w", ErrNoProgram, err)
		case t.InRepository(found) && found != t.Self:
			return "", fmt.Errorf("%w: the PATH finds %s", ErrInRepository, found)
		}
		return found, nil
	case !filepath.IsAbs(named):
		return "", ErrNotWritten
	case t.Self != "" && named == t.Self:
		return named, nil // it runs already
	case t.InRepository(named):
		return "", ErrInRepository
	case err == nil && named == found:
		return named, nil
	case t.Self != "" && called == HookProgram && nameOf(named) == called && filepath.Dir(named) == filepath.Dir(t.Self):
	case !private || nameOf(named) != called:
		return "", ErrNotWritten
	}
	if _, err := t.LookPath(named); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	return named, nil
}

// nameOf returns the name of the program at a path, in the form of our names.
func nameOf(path string) string {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(strings.ToLower(base), ".exe")
}

// Program returns the program of an agent's installed command line, or "" if it can't be
// determined.
func Program(name, command string) string {
	if guarded, ok := strings.CutPrefix(command, "if command -v "); ok {
		quoted, _, _ := strings.Cut(guarded, " >/dev/null")
		return programOf(name, quoted+" hook "+name)
	}
	return programOf(name, command)
}

// programOf returns the program in a line of the private form.
func programOf(name, command string) string {
	before, _, ok := strings.Cut(command, " hook "+name)
	if !ok {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(before, "'"), "'"), `'\''`, "'")
}
