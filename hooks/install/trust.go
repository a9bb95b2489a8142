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

// ErrNotWritten is what [Trust] returns for a command line that is not one that
// init writes for a program that it would name.
var ErrNotWritten = errors.New("it is not what `manicule init` writes")

// ErrInRepository is what [Trust] returns for a program that whoever made the
// repository could have put there.
var ErrInRepository = errors.New("the program is in the repository")

// ErrNoProgram is what [Trust] returns for a program that is not there.
var ErrNoProgram = errors.New("there is no such program")

// Trust decides which of the installed command lines may be run to see whether
// they work. A clone brings configuration files with it, so that a line of one
// is run only if nothing of it can be the choice of whoever made the repository.
type Trust struct {
	// Roots are the folders that the repository's files are in, absolute.
	Roots []string
	// Self is the path of the program that runs now, absolute; "" if not known.
	Self string
	// LookPath finds a program by its name, as [exec.LookPath] does.
	LookPath func(name string) (string, error)
}

// Hook is what to run for a hook's command line of an agent, without a shell:
// the path of a program and its arguments. private says that the line comes from
// a file that only the user and the user's programs write. The error says why it
// may not be run, or that it can't be.
func (t Trust) Hook(name, command string, private bool) ([]string, error) {
	program := Program(name, command)
	if program == "" || !slices.ContainsFunc([]bool{false, true}, func(shared bool) bool {
		line, err := Command(name, program, shared)
		return err == nil && line == command
	}) {
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

// Server is what to run for a server that an agent's file names, by the words of
// the file: the path of a program and its arguments. private and the error are
// as in [Trust.Hook].
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

// Brought reports whether a path is in the repository, by its name or by what it
// is a link to.
func (t Trust) Brought(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path // then it can't be run either
	}
	return slices.ContainsFunc(t.Roots, func(root string) bool { return below(root, path) || below(root, real) })
}

// below reports whether a path is in a folder, which may have other names too:
// a link's, or with other letters where their case does not count.
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

// program is the path to run for a program that a file names; called is the name
// that ours has.
func (t Trust) program(named, called string, private bool) (string, error) {
	found, err := t.LookPath(called)
	if err == nil && !filepath.IsAbs(found) {
		err = exec.ErrDot // whatever the folder is that we are in
	}
	switch {
	case named == called:
		switch {
		case errors.Is(err, exec.ErrDot):
			return "", fmt.Errorf("%w: the PATH finds %s by a relative folder", ErrInRepository, found)
		case err != nil:
			return "", fmt.Errorf("%w: %w", ErrNoProgram, err)
		case t.Brought(found) && found != t.Self:
			return "", fmt.Errorf("%w: the PATH finds %s", ErrInRepository, found)
		}
		return found, nil
	case !filepath.IsAbs(named):
		return "", ErrNotWritten
	case t.Self != "" && named == t.Self:
		return named, nil // it runs already
	case t.Brought(named):
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

// nameOf is the name of the program at a path, as ours are called.
func nameOf(path string) string {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	return strings.TrimSuffix(strings.ToLower(base), ".exe")
}

// Program is the program that an installed command line of an agent runs, ""
// where that can't be told.
func Program(name, command string) string {
	if guarded, ok := strings.CutPrefix(command, "if command -v "); ok {
		quoted, _, _ := strings.Cut(guarded, " >/dev/null")
		return programOf(name, quoted+" hook "+name)
	}
	return programOf(name, command)
}

// programOf is the program that a line of the private form names.
func programOf(name, command string) string {
	before, _, ok := strings.Cut(command, " hook "+name)
	if !ok {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(before, "'"), "'"), `'\''`, "'")
}
