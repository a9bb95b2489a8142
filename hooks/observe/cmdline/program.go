package cmdline

import (
	"path"
	"slices"
	"strings"

	"manicule/hooks/event"
)

// wrappers run the program that is among their words.
var wrappers = [...]string{"mise", "env", "nix", "nix-shell", "devenv", "direnv", "uv", "uvx", "poetry", "pipenv", "pdm", "hatch", "bundle", "npx", "pnpm", "bunx", "docker", "asdf", "rye", "conda", "micromamba", "flox", "devbox", "nvm", "fnm", "volta", "rtk", "go", "python", "python3", "npm", "yarn", "bun", "deno", "pipx"}

// Runs reports whether a command line runs a program, in whatever way.
func Runs(line, program string) bool {
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

// Plainly reports whether a line runs a program by its name alone, without setting anything for it.
func Plainly(line, program string) bool {
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

// Manager returns the package manager at the start of a command.
func Manager(command string) string {
	words := strings.Fields(PlainCommand(command))
	if len(words) < 2 {
		return ""
	}
	switch words[0] {
	case "npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pipenv", "npx", "pnpx", "bunx":
		return words[0]
	}
	return ""
}

// Managed returns the instruction to a package manager in words that all managers share.
func Managed(command string) string {
	words := strings.Fields(PlainCommand(command))[1:]
	words = slices.DeleteFunc(words, func(w string) bool { return w == "run" || w == "pip" || w == "exec" || w == "--" })
	for i, w := range words {
		if w == "i" || w == "add" || w == "ci" {
			words[i] = "install"
		}
	}
	return strings.Join(words, " ")
}
