package cmdline

import (
	"path"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
)

// Lints reports whether a command is a linter or runs one.
func Lints(key string) bool {
	return strings.Contains(strings.ToLower(key), "lint") || strings.HasPrefix(key, "ruff ") || strings.Contains(key, "clippy")
}

// Formats reports whether a command only formats the code.
func Formats(key string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(key)) {
		for _, sign := range [...]string{"fmt", "format", "gofmt", "prettier"} {
			if signed(w, sign) {
				return true
			}
		}
	}
	return false
}

// Delivers reports whether a command commits or pushes.
func Delivers(key string) bool {
	return strings.HasSuffix(key, "git commit") || strings.HasSuffix(key, "git push")
}

// Pushes reports whether a command pushes.
func Pushes(key string) bool { return strings.HasSuffix(key, "git push") }

// Filtered reports whether the outcome of a command is not its own but that of a filter behind it, which fails if it
// finds nothing.
func Filtered(line, key string) bool {
	for _, pipe := range event.Pipelines(line) {
		if n := len(pipe) - 1; n > 0 && slices.ContainsFunc(pipe[:n], func(args []string) bool { return KeyOf(args) == key }) {
			switch path.Base(pipe[n][0]) {
			case "grep", "egrep", "fgrep", "rg":
				return true
			}
		}
	}
	return false
}

// Commits reports whether the command of a key commits, here or in a container.
func Commits(key string) bool { return key == "git commit" || strings.HasSuffix(key, " git commit") }

// Undoes reports whether a command takes changes of files back; key is one of its keys.
func Undoes(command, key string) bool {
	switch strings.TrimPrefix(key, "rtk ") {
	case "git restore", "git revert":
		return true
	case "git reset":
		return strings.Contains(command, "--hard")
	case "git checkout":
		return strings.Contains(command, " -- ")
	}
	return false
}

// Linter reports whether a command checks the code against rules.
func Linter(key string) bool {
	for _, sign := range []string{"lint", "vet", "check", "clippy", "ruff", "biome", "tsc"} {
		if strings.Contains(key, sign) {
			return true
		}
	}
	return false
}

// OperandPaths lists the operands that are paths.
func OperandPaths(commands [][]string) []string {
	var out []string
	for _, args := range commands {
		if len(args) == 0 || !Checks(KeyOf(args)) {
			continue
		}
		for _, w := range args[1:] {
			if w = strings.Trim(strings.TrimPrefix(w, "./"), "/"); !IsOption(w) && (strings.Contains(w, "/") || path.Ext(w) != "") {
				out = append(out, w)
			}
		}
	}
	return out
}

// CheckName is the key of a check without what starts it and without its folder.
func CheckName(key string) string {
	for _, start := range starters() {
		if inner, ok := strings.CutPrefix(key, start+" "); ok {
			key = inner
			break
		}
	}
	words := strings.Fields(key)
	for len(words) > 1 {
		switch words[0] {
		case "npx", "bunx", "rtk", "uv", "run", "bun", "npm", "pnpm", "yarn", "poetry", "exec":
			words = words[1:]
			continue
		}
		break
	}
	if len(words) > 0 {
		words[0] = path.Base(words[0])
	}
	if len(words) > 0 {
		words[0] = strings.Replace(words[0], "python3", "python", 1)
	}
	if len(words) > 2 && words[0] == "python" && words[1] == "-m" {
		words = words[2:]
	}
	return strings.Join(words, " ")
}

// MayEndPiece reports whether a command checks or commits, so that it may end a piece of work.
func MayEndPiece(command string) bool { return slices.ContainsFunc(Keys(command), EndsPiece) }

// EndsPiece reports whether the command of a key checks or commits.
func EndsPiece(key string) bool { return Checks(key) || strings.HasSuffix(key, "git commit") }

// Checks reports whether a command checks the code: tests, linters, formatters, builds.
func Checks(key string) bool {
	low := strings.ToLower(key)
	if shows(low) {
		return false
	}
	for w := range strings.FieldsSeq(low) {
		inside := strings.ContainsAny(w, ":-") // a sign may end the word
		for _, sign := range [...]string{"test", "lint", "fmt", "format", "typecheck", "check", "build", "vet", "tsc", "pytest", "jest", "vitest", "clippy", "mypy", "ruff", "gofmt", "eslint", "biome", "oxlint", "prettier", "pyright", "rubocop", "phpstan", "phpunit", "rspec", "ctest", "ultracite"} {
			if (inside || w[0] == sign[0]) && signed(w, sign) {
				return !strings.HasPrefix(low, "git ") && !strings.HasPrefix(w, "checkpoint") && !strings.HasPrefix(w, "checkout") && !asksMachine(w)
			}
		}
	}
	return strings.HasPrefix(low, "golangci-lint")
}

// asksMachine reports whether a program asks whether all is there to begin a task, and not what the code is like.
func asksMachine(w string) bool {
	return strings.HasPrefix(w, "check-") && wording.Has(w, "prereq", "requirements", "environment", "update", "installed", "ignore")
}

// shows reports whether a command only shows something, though its name begins like a check's: a cmdlet of PowerShell.
func shows(low string) bool {
	name, _, _ := strings.Cut(low, " ")
	switch name {
	case "format-list", "format-table", "format-wide", "format-custom", "format-hex", "test-path", "test-connection", "test-netconnection":
		return true
	}
	return false
}

// signed reports whether a word is a sign, begins or ends with it and a mark, or begins with a long one.
func signed(w, sign string) bool {
	mark := func(c byte) bool { return c == ':' || c == '-' }
	switch n := len(w) - len(sign); {
	case n < 0:
		return false
	case strings.HasPrefix(w, sign):
		return n == 0 || len(sign) > 4 || mark(w[len(sign)]) || mark(w[n-1]) && strings.HasSuffix(w, sign)
	default:
		return n > 0 && mark(w[n-1]) && strings.HasSuffix(w, sign)
	}
}
