package setup

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"manicule/hooks/install"
	"manicule/indexer/workspace"
)

// The block that init adds to git hooks. It runs in the background and can neither fail
// nor delay a checkout.
const (
	hookBegin = "# manicule: begin (`manicule init --undo` removes this)"
	hookEnd   = "# manicule: end"
)

// postCommit is the hook that a rebase runs once for each commit.
const postCommit = "post-commit"

// gitHooks are the hooks after which the memory files may have changed, or the code that they are about may have moved.
func gitHooks() []string { return []string{"post-checkout", postCommit, "post-merge", "post-rewrite"} }

// MissingGitHooks lists the git hooks that init would add.
func (s *Setup) MissingGitHooks() []string {
	dir := s.gitFiles().hooksDir()
	var missing []string
	for _, name := range gitHooks() {
		data, err := Read(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(data), hookBegin) {
			missing = append(missing, name)
		}
	}
	return missing
}

// ownProgram returns how hooks call this binary: by name if the PATH finds it.
func ownProgram() string {
	if _, err := exec.LookPath("manicule"); err == nil {
		return "manicule"
	}
	if self, err := os.Executable(); err == nil {
		return self
	}
	return "manicule"
}

// hookProgram returns how an agent's own configuration calls the program for hooks:
// manicule-hook if it is installed beside program, else program. It uses the name alone
// only if the PATH finds both in one folder, which makes them parts of one installation.
func hookProgram(program string, lookPath func(string) (string, error)) string {
	at := program
	if !filepath.IsAbs(at) {
		found, err := lookPath(at)
		if err != nil || !filepath.IsAbs(found) {
			return program
		}
		at = found
	}
	beside := filepath.Join(filepath.Dir(at), install.HookProgram+filepath.Ext(filepath.Base(at)))
	if found, err := lookPath(beside); err != nil || found != beside {
		return program
	}
	if found, err := lookPath(install.HookProgram); err == nil && found == beside && !filepath.IsAbs(program) {
		return install.HookProgram
	}
	return beside
}

func (s *Setup) gitSteps(change func(string, []byte, string) ([]byte, string)) ([]Step, error) {
	p := s.Place
	if p.GitTop == "" {
		return nil, nil
	}
	dir := s.gitFiles().hooksDir()
	if !inside(p.GitTop, dir) && !inside(p.GitCommonDir, dir) {
		s.Warn("%s holds the hooks of other repositories too, so it is not changed; add `manicule sync --quiet` to them by hand", dir)
		return nil, nil
	}
	var steps []Step
	for _, name := range gitHooks() {
		path := filepath.Join(dir, name)
		if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
			s.Warn("%s: it is a link, so it is not changed; add `manicule sync --quiet` by hand", path)
			continue
		} else if err == nil && st.Mode().Perm()&0o111 == 0 {
			s.Warn("%s: it is not executable, so git does not run it, nor Manicule's line in it", path)
		}
		before, err := Read(path)
		if err != nil {
			return nil, err
		}
		after, trouble := change(ownProgram(), before, name)
		if trouble != "" {
			s.Warn("%s: %s", path, trouble)
			continue
		}
		if !bytes.Equal(before, after) || (before == nil) != (after == nil) {
			steps = append(steps, Step{Path: path, Before: before, After: after, Mode: 0o777, What: "git hook"})
		}
	}
	return steps, nil
}

// inside reports whether a folder lies in another.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(workspace.RealPath(dir), workspace.RealPath(path))
	return err == nil && filepath.IsLocal(rel)
}

// addBlock adds our block at the start of a shell hook, because the rest may end with
// exit or exec.
func addBlock(program string, before []byte, name string) (after []byte, trouble string) {
	quoted := install.ShellQuote(program)
	when := "command -v " + quoted + " >/dev/null 2>&1"
	if name == postCommit { // post-rewrite follows, once
		when += ` && [ ! -d "$(git rev-parse --git-dir)/rebase-merge" ]`
	}
	block := hookBegin + "\nif " + when + "; then " + quoted + " sync --quiet </dev/null >/dev/null 2>&1 & fi\n" + hookEnd + "\n"
	if before == nil {
		return []byte("#!/bin/sh\n" + block), ""
	}
	clean, _ := removeBlock(program, before, name)
	text := string(clean)
	if clean == nil {
		text = "#!/bin/sh\n"
	}
	first, rest, found := strings.Cut(text, "\n")
	if strings.IndexByte(text, 0) >= 0 || (strings.HasPrefix(first, "#!") && !isShell(first)) {
		return nil, "it is not a shell script, so it is not changed; add `manicule sync --quiet` by hand"
	}
	if !strings.HasPrefix(first, "#!") {
		return []byte(block + text), ""
	}
	if !found {
		first += "\n"
		return []byte(first + block), ""
	}
	return []byte(first + "\n" + block + rest), ""
}

func isShell(shebang string) bool {
	for _, w := range strings.Fields(strings.TrimPrefix(shebang, "#!")) {
		switch filepath.Base(w) {
		case "sh", "bash", "dash", "zsh", "ksh", "ash":
			return true
		}
	}
	return false
}

// removeBlock removes our block. A hook without other content is removed.
func removeBlock(_ string, before []byte, _ string) (after []byte, trouble string) {
	head, rest, ok := bytes.Cut(before, []byte(hookBegin))
	if !ok {
		return before, ""
	}
	_, tail, ok := bytes.Cut(rest, []byte(hookEnd+"\n"))
	if !ok {
		return before, "the end of Manicule's block is missing; remove it by hand"
	}
	after = append(bytes.Clone(head), tail...)
	if strings.TrimSpace(string(after)) == "#!/bin/sh" {
		return nil, ""
	}
	return after, ""
}
