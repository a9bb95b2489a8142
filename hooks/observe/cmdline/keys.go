// Package cmdline reads shell command lines and what programs say when they fail: which commands a line runs, which of
// them check, commit or push, and whether an error is about the call, the machine or the code. It must not know sessions.
package cmdline

import (
	"path"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
)

// maxCommands bounds the simple commands of a line that are examined.
const maxCommands = 12

// Keys names the commands that a shell command line runs, without the parts that vary
// between uses: "mise run lint", "go test", "git commit". It leaves out commands that
// only move around or print, unless there are no others.
func Keys(line string) []string { return KeysOf(event.SimpleCommands(line)) }

// KeysOf is [Keys] of a line that is split.
func KeysOf(commands [][]string) []string {
	var keys, small []string
	for i, args := range commands {
		if i == maxCommands {
			break
		}
		key := KeyOf(args)
		switch {
		case key == "":
		case Trivial(key):
			small = append(small, key)
		case !slices.Contains(keys, key):
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 && len(small) > 0 {
		return small[:1]
	}
	return keys
}

// Subjects names the commands of a line that failures are stored under: its keys, and those that Keys leaves out but that have options,
// which a program may refuse.
func Subjects(line string) []string {
	simple := event.SimpleCommands(line)
	keys := KeysOf(simple)
	return append(keys, Optioned(simple, keys)...)
}

// Optioned lists the trivial commands with options that are not among the keys of their line.
func Optioned(commands [][]string, keys []string) []string {
	var out []string
	for _, args := range commands[:min(maxCommands, len(commands))] {
		if key := KeyOf(args); Trivial(key) && !slices.Contains(keys, key) && !slices.Contains(out, key) && slices.ContainsFunc(args[1:], IsOption) {
			out = append(out, key)
		}
	}
	return out
}

// Refuser returns the trivial command of a line that an error names as the one that refuses an option, or "": it is not the `sed`
// before it that says "cat: illegal option -- A".
func Refuser(commands [][]string, keys []string, line string) string {
	head, _, ok := strings.Cut(line, ":")
	if head = path.Base(head); ok && Refused(line) && slices.Contains(Optioned(commands, keys), head) {
		return head
	}
	return ""
}

// Trivial reports whether a command only moves around or prints.
func Trivial(key string) bool {
	switch key {
	case "cd", "echo", "true", "false", "cat", "head", "tail", "wc", "sleep", "export", "set", "printf", "test", "[", "pwd", "sort", "uniq", "tee", "tr", "cut",
		"xargs", "grep", "sed", "awk", "less", "for", "done", "do", "fi", "if", "then", "while", "read", "source", "exit", "date", "jq", "egrep", "ls", "}", "{", "in":
		return true
	}
	return false
}

// Depth is the number of words that identify the act of a program: `gh pr diff` three,
// `go test` two.
func Depth(program string) int {
	switch program {
	case "npm", "yarn", "pnpm", "bun", "mise", "gh", "docker", "kubectl", "poetry", "uv", "deno", "npx", "bunx", "rtk", "dotnet", "pipenv", "composer", "aws", "gcloud":
		return 3
	case "grep", "rg", "cat", "ls", "find", "fd", "sed", "awk", "head", "tail", "wc", "echo", "which", "cd", "rm", "cp", "mv", "mkdir", "touch", "chmod", "diff", "curl", "wget",
		"cut", "sort", "uniq", "tr", "xargs", "tee", "jq", "printf", "sleep", "kill", "ps", "file", "stat", "tree", "du", "df", "ln", "od", "xxd", "test", "read", "for", "egrep", "open", "less",
		"export", "source", "node", "python", "python3", "ruby", "perl":
		return 1
	}
	return 2
}

// KeyOf names one simple command; "" if it can't be named.
func KeyOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	program := args[0]
	if i := strings.LastIndexAny(program, `/\`); i >= 0 {
		program = program[i+1:]
	}
	if strings.TrimSpace(program) == "" || strings.ContainsAny(program, "$`(){}\n") || len(program) > 40 {
		return ""
	}
	if program == "ssh" {
		return strings.TrimSpace("ssh " + sshHost(args[1:]))
	}
	words := []string{program}
	if strings.HasPrefix(program, "python") && len(args) > 2 && args[1] == "-m" {
		return program + " -m " + args[2]
	}
	limit := Depth(program)
	rest := args[1:]
	for i := 0; i < len(rest) && len(words) < limit; i++ {
		w := rest[i]
		switch {
		case len(words) == 2 && program == "docker" && words[1] == "compose" && IsOption(w), len(words) == 1 && program == "docker-compose" && IsOption(w):
			if slices.Contains([]string{"-f", "--file", "-p", "--project-name", "--project-directory", "--profile", "--env-file"}, w) {
				i++ // its value
			}
			continue
		case len(words) == 1 && strings.HasPrefix(w, "-"):
			if w == "-C" || w == "-c" || w == "--prefix" || w == "--cwd" || w == "-R" || w == "--filter" || w == "-F" || w == "--workspace" || w == "--dir" {
				i++
			}
			continue
		case len(words) == 1 && strings.HasPrefix(w, "+"): // the toolchain, as in cargo +nightly test
			continue
		case !subcommand(w):
			return strings.Join(words, " ")
		}
		words = append(words, w)
		if program == "rtk" && len(words) == 2 { // a wrapper: the wrapped command counts
			limit = 1 + max(Depth(w), 1)
		}
		started := strings.Join(words, " ")
		if slices.Contains(starters(), started) { // the command that it starts counts
			inner := rest[i+1:]
			if strings.HasPrefix(program, "docker") || program == "podman" {
				inner = inContainer(inner)
			}
			return strings.TrimSpace(started + " " + KeyOf(inner))
		}
		switch started {
		case "uv run python", "uv run python3", "poetry run python", "poetry run python3", "pipenv run python", "pipenv run python3":
			if module := KeyOf(rest[i:]); strings.Contains(module, " -m ") {
				return strings.Join(words[:2], " ") + " " + module
			}
		case "php artisan", "cargo xtask", "turbo run", "nx run", "lerna run", "moon run", "dart run":
			limit = 3 // what is run has a name
		}
	}
	return strings.Join(words, " ")
}

// starters are the beginnings of commands that start another one.
func starters() []string {
	return []string{"bundle exec", "hatch run", "pdm run", "rye run", "docker exec", "podman exec", "docker run", "podman run", "docker compose exec", "docker compose run", "docker-compose exec", "docker-compose run"}
}

// inContainer returns the command that runs in a container, of the arguments behind `docker exec` or `docker run`: options, the name of
// the container or the image, the command.
func inContainer(args []string) []string {
	for i := 0; i < len(args); i++ {
		switch w := args[i]; {
		case slices.Contains(containerOptions(), w):
			i++ // its value
		case IsOption(w):
		default:
			return shellsCommand(args[i+1:])
		}
	}
	return nil
}

// containerOptions are the options of docker and podman that have a value behind them.
func containerOptions() []string {
	return []string{"-e", "--env", "-u", "--user", "-w", "--workdir", "-v", "--volume", "-p", "--publish", "--name", "--entrypoint", "--index", "--env-file", "--network", "--net", "--mount", "--platform",
		"-h", "--hostname", "-m", "--memory", "--cpus", "--gpus", "--add-host", "-l", "--label", "--restart", "--shm-size", "--device", "--cap-add", "--cap-drop", "--security-opt", "--link", "--ulimit", "--dns",
		"--pull", "--tmpfs", "--volumes-from", "--ipc", "--pid", "--log-driver", "--log-opt"}
}

// shellsCommand returns the command that a shell is given, the last one if there are several, and other commands without what `env`
// sets for them.
func shellsCommand(args []string) []string {
	for len(args) > 0 && (args[0] == "env" || strings.Contains(args[0], "=") && args[0][0] != '=') {
		args = args[1:]
	}
	if len(args) == 0 || IsOption(args[0]) { // options of an entry point that has another name
		return nil
	}
	if len(args) < 3 || !slices.Contains([]string{"sh", "bash", "zsh", "ash"}, path.Base(args[0])) || !IsOption(args[1]) || !strings.HasSuffix(args[1], "c") {
		return args
	}
	if all := event.SimpleCommands(args[2]); len(all) > 0 {
		return all[len(all)-1]
	}
	return args
}

// sshHost returns the machine that the arguments of ssh name, without the user, or "". What one machine answers says nothing about
// another.
func sshHost(args []string) string {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case len(w) == 2 && w[0] == '-' && strings.Contains("BbcDEeFIiJLlmOopQRSWw", w[1:]):
			i++
		case IsOption(w):
		default:
			host := w[strings.LastIndexByte(w, '@')+1:]
			if host == "" || len(host) > 60 || strings.ContainsAny(host, "$`(){} \n\t/\"'") {
				return ""
			}
			return strings.ToLower(host)
		}
	}
	return ""
}

// subcommand reports whether a word names an act, not an operand.
func subcommand(w string) bool {
	if w == "" || len(w) > 30 || w[0] < 'a' || w[0] > 'z' {
		return false
	}
	for i := range len(w) {
		c := w[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != ':' && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// FailedCommand picks the command of a line that caused an error: the one whose words the error
// contains, else the last one, which runs only if the others have worked.
func FailedCommand(keys []string, text string) string {
	if len(keys) == 0 {
		return ""
	}
	low := strings.ToLower(text)
	if wording.Has(low, "ssh: connect to host", "could not resolve host", "could not read from remote repository", "failed to connect to github") {
		if i := slices.IndexFunc(keys, remote); i >= 0 { // not the `git status` at the end of the chain
			return keys[i]
		}
	}
	best, most := keys[len(keys)-1], 0
	for _, k := range keys {
		words := strings.Fields(k)
		n := 0
		for i, w := range words {
			if i > 0 && len(w) > 2 && (strings.Contains(low, "["+w+"]") || strings.Contains(low, "'"+w+"'") || strings.Contains(low, " "+w+" ")) {
				n++
			}
		}
		if strings.Contains(low, words[0]+":") || strings.HasPrefix(low, words[0]+" ") {
			n++
		}
		if n > 0 && n >= most { // of a chain, the last one that ran
			best, most = k, n
		}
	}
	return best
}

// remote reports whether a command of git asks another machine.
func remote(key string) bool {
	return slices.Contains([]string{"git push", "git pull", "git fetch", "git clone", "git ls-remote"}, key)
}

// OwnLines drops the lines of an output that a task runner has marked as those of another
// command: `[fmt] …` does not belong to lint.
func OwnLines(text, key string, keys []string) string {
	if len(keys) < 2 || !strings.Contains(text, "[") {
		return text
	}
	mark := func(k string) string {
		words := strings.Fields(k)
		return "[" + words[len(words)-1] + "]"
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		plain := strings.TrimSpace(event.PlainText(line))
		if !slices.ContainsFunc(keys, func(k string) bool { return k != key && mark(k) != mark(key) && strings.HasPrefix(plain, mark(k)) }) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Unspecific reports whether the key of a command says nothing about the act: the program
// prints files, or runs a given script. The result of one call says nothing about the
// next.
func Unspecific(key string) bool {
	if key == "git grep" || key == "git show" || key == "git diff" || key == "git log" || key == "uv run python" || key == "poetry run python" {
		return true
	}
	if strings.Contains(key, " ") {
		return false
	}
	return Depth(key) == 1 || slices.Contains([]string{"bun", "deno", "npx", "bunx", "uv", "bash", "sh", "zsh", "git", "nl", "bat", "ag", "ssh"}, key)
}

// OfForge reports whether a command asks a forge. How much it prints depends on what is asked for.
func OfForge(key string) bool {
	return strings.HasPrefix(key, "gh ") || strings.HasPrefix(key, "glab ")
}

// CommandOf returns the part of a command line that runs the command of a key.
func CommandOf(commands [][]string, key string) string {
	for _, args := range commands {
		if KeyOf(args) != key {
			continue
		}
		if text := strings.Join(args, " "); !strings.ContainsAny(text, "\n") && len(text) <= 90 && !strings.HasPrefix(key, "git commit") {
			return text
		}
		return key
	}
	return key
}
