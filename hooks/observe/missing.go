package observe

import (
	"path"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
)

// MissingProgram returns the program that a shell did not find, by its error, or "".
func MissingProgram(line string) string {
	low := strings.TrimSpace(line)
	name := ""
	if _, rest, ok := strings.Cut(low, "command not found: "); ok { // zsh
		name = rest
	} else if head, ok := strings.CutSuffix(low, ": command not found"); ok { // bash
		name = head[strings.LastIndex(head, " ")+1:]
	} else if head, ok := strings.CutSuffix(low, ": not found"); ok && strings.Contains(head, "sh: ") { // dash
		name = head[strings.LastIndex(head, " ")+1:]
	} else if head, _, ok := strings.Cut(low, "' could not be found in this "); ok { // WSL
		name = head[strings.LastIndexByte(head, '\'')+1:]
	}
	if name == "" || len(name) > 40 || strings.ContainsAny(name, " =/'\"`") {
		return ""
	}
	return name
}

// found searches the first later call that runs a program which a call did not find: by its folder, below a wrapper, under a newer
// name, after the search path or the environment was set. There may be many calls between, in which the agent looks for it.
func found(fail *Failure, program string, next []step) bool {
	for _, t := range next {
		if t.class != event.Shell || !t.done || !t.ok || !runs(t.command, program) {
			continue
		}
		fail.FixN = t.n
		fail.How, fail.Fix = "changed", t.command
		if plainly(t.command, program) {
			fail.How, fail.Fix = "again", ""
		}
		fail.Taint = fail.Taint || t.tainted
		return true
	}
	return false
}

// wrappers run the program that is among their words.
var wrappers = [...]string{"mise", "env", "nix", "nix-shell", "devenv", "direnv", "uv", "uvx", "poetry", "pipenv", "pdm", "hatch", "bundle", "npx", "pnpm", "bunx", "docker", "asdf", "rye", "conda", "micromamba", "flox", "devbox", "nvm", "fnm", "volta", "rtk", "go", "python", "python3", "npm", "yarn", "bun", "deno", "pipx"}

// runs reports whether a command line runs a program, in whatever way.
func runs(line, program string) bool {
	is := func(w string) bool {
		if w = path.Base(w); w != program { // golangci-lint@latest
			w, _, _ = strings.Cut(w, "@")
		}
		return w == program || w == program+"3" // python, pip
	}
	for _, args := range event.SimpleCommands(line) {
		if len(args) > 0 && (is(args[0]) || slices.Contains(wrappers[:], path.Base(args[0])) && slices.ContainsFunc(args[1:], is)) {
			return true
		}
	}
	return false
}

// plainly reports whether a line runs a program by its name alone, without setting anything for it.
func plainly(line, program string) bool {
	if strings.Contains(line, "PATH=") || strings.Contains(line, "source ") || strings.Contains(line, ". ") || strings.Contains(line, "eval ") {
		return false
	}
	for _, args := range event.SimpleCommands(line) {
		if len(args) > 0 && args[0] == program {
			return true
		}
	}
	return false
}

// leftSo reports whether no later call of a session ran the command that failed, and worked.
func leftSo(s step, next []step) bool {
	return !slices.ContainsFunc(next, func(t step) bool { return t.class == event.Shell && t.done && t.ok && slices.Contains(t.keys, s.key) })
}

// OfTheMachine reports whether an error is about what a machine or its sandbox has and allows, not about the code: a program, a module
// or a server that is not there, what is not permitted, or an account that is not signed in.
func OfTheMachine(line string) bool {
	low := strings.ToLower(line)
	return MissingProgram(line) != "" || absent(line) || Denied(line) || wording.Has(low, "could not resolve host", "operation timed out", "error connecting to", "operation not permitted", "permission denied", "read-only file system",
		"no module named", "network is unreachable", "x509:", "failed to verify certificate", "certificate verify failed", "self-signed certificate", "self signed certificate", "local issuer certificate", "host key verification failed", "index.lock': file exists", "enotfound", "eacces", "eperm",
		"failed to log in", "not logged in", "gh auth login", "authentication failed", "could not read username", "bad credentials", "not authenticated", "remote: permission to")
}

// Denied reports whether an error is the word of a person's hook that did not let a call through.
func Denied(line string) bool {
	return wording.Has(strings.ToLower(line), "tooluse:bash hook error: ", "hook pretooluse:bash denied this tool")
}
