package observe

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
func Keys(line string) []string { return keysOf(event.SimpleCommands(line)) }

func keysOf(commands [][]string) []string {
	var keys, small []string
	for i, args := range commands {
		if i == maxCommands {
			break
		}
		key := keyOf(args)
		switch {
		case key == "":
		case trivial(key):
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
	keys := keysOf(simple)
	return append(keys, optioned(simple, keys)...)
}

// optioned lists the trivial commands with options that are not among the keys of their line.
func optioned(commands [][]string, keys []string) []string {
	var out []string
	for _, args := range commands[:min(maxCommands, len(commands))] {
		if key := keyOf(args); trivial(key) && !slices.Contains(keys, key) && !slices.Contains(out, key) && slices.ContainsFunc(args[1:], isOption) {
			out = append(out, key)
		}
	}
	return out
}

// refuser returns the trivial command of a line that an error names as the one that refuses an option, or "": it is not the `sed`
// before it that says "cat: illegal option -- A".
func refuser(commands [][]string, keys []string, line string) string {
	head, _, ok := strings.Cut(line, ":")
	if head = path.Base(head); ok && Refused(line) && slices.Contains(optioned(commands, keys), head) {
		return head
	}
	return ""
}

func trivial(key string) bool {
	switch key {
	case "cd", "echo", "true", "false", "cat", "head", "tail", "wc", "sleep", "export", "set", "printf", "test", "[", "pwd", "sort", "uniq", "tee", "tr", "cut",
		"xargs", "grep", "sed", "awk", "less", "for", "done", "do", "fi", "if", "then", "while", "read", "source", "exit", "date", "jq", "egrep", "ls", "}", "{", "in":
		return true
	}
	return false
}

// depth is the number of words that identify the act of a program: `gh pr diff` three,
// `go test` two.
func depth(program string) int {
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

func keyOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	program := args[0]
	if i := strings.LastIndexAny(program, `/\`); i >= 0 {
		program = program[i+1:]
	}
	if program == "" || strings.ContainsAny(program, "$`(){}\n") || len(program) > 40 {
		return ""
	}
	if program == "ssh" {
		return strings.TrimSpace("ssh " + sshHost(args[1:]))
	}
	words := []string{program}
	limit := depth(program)
	if limit == 1 && (strings.HasPrefix(program, "python") && len(args) > 2 && args[1] == "-m") {
		return program + " -m " + args[2]
	}
	rest := args[1:]
	for i := 0; i < len(rest) && len(words) < limit; i++ {
		w := rest[i]
		switch {
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
			limit = 1 + max(depth(w), 1)
		}
	}
	return strings.Join(words, " ")
}

// sshHost returns the machine that the arguments of ssh name, without the user, or "". What one machine answers says nothing about
// another.
func sshHost(args []string) string {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case len(w) == 2 && w[0] == '-' && strings.Contains("BbcDEeFIiJLlmOopQRSWw", w[1:]):
			i++
		case isOption(w):
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

// failedCommand picks the command of a line that caused an error: the one whose words the error
// contains, else the last one, which runs only if the others have worked.
func failedCommand(keys []string, text string) string {
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

// ownLines drops the lines of an output that a task runner has marked as those of another
// command: `[fmt] …` does not belong to lint.
func ownLines(text, key string, keys []string) string {
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
	return depth(key) == 1 || slices.Contains([]string{"bun", "deno", "npx", "bunx", "uv", "bash", "sh", "zsh", "git", "nl", "bat", "ag", "ssh"}, key)
}

// linter reports whether a command checks the code against rules.
func linter(key string) bool {
	for _, sign := range []string{"lint", "vet", "check", "clippy", "ruff", "biome", "tsc"} {
		if strings.Contains(key, sign) {
			return true
		}
	}
	return false
}

// Refused reports whether a program did not accept a call: it knows no such option, field, act or target, or has no use for it
// here. The same words are refused whenever they come again, whatever the code is like by then.
func Refused(line string) bool {
	low := strings.ToLower(line)
	for _, sign := range []string{"unknown option", "unknown flag", "unknown shorthand", "unknown json field", "unknown field", "unknown argument", "unknown command", "unknown subcommand", "unknown switch",
		"unrecognized option", "unrecognized argument", "unrecognized arguments", "unrecognized flag", "unrecognized subcommand", "unexpected argument", "illegal option", "invalid option", "invalid flag",
		"no such option", "no such command", "no such subcommand", "flag provided but not defined", "unknown or unexpected option", "unsupported option", "is not a valid option", "cannot be used with", "can't be used with",
		"accepts at most", "accepts between", "no library targets found", "no bin target", "no test target", "no example target", "is not allowed for this repository", "protected branch"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

// refusedWords lists the words of a command that a program did not accept: an option that its error names, or the options that the
// call which then worked had no more, or other words that are named, or an option by its bare name ("auto merge is not allowed":
// --auto).
func refusedWords(failed, fix, key, line string) []string {
	if key == "go run" || key == "cargo run" || key == "dotnet run" { // it is the program which it runs that refused
		return nil
	}
	named := trigger(failed, key, line)
	if slices.ContainsFunc(named, isOption) {
		return named
	}
	if len(named) == 0 { // a server names the branch that it protects
		named = trigger(failed, key, strings.ReplaceAll(strings.TrimRight(line, "."), "refs/heads/", " "))
	}
	worked, said := Words(fix), Words(line)
	var bare, dropped []string
	for _, args := range event.SimpleCommands(failed) {
		if keyOf(args) != key {
			continue
		}
		for _, w := range args {
			w, _, _ = strings.Cut(strings.ToLower(w), "=")
			if !isOption(w) || len(w) < 3 || len(w) > 80 {
				continue
			}
			if name := strings.TrimLeft(w, "-"); len(name) > 3 && said[name] && !slices.Contains(bare, w) {
				bare = append(bare, w)
			}
			if fix != "" && !worked[w] && !slices.Contains(dropped, w) {
				dropped = append(dropped, w)
			}
		}
	}
	kept := !slices.ContainsFunc(named, func(w string) bool { return !worked[w] })
	out := bare
	switch {
	case kept && len(dropped) > 0 && len(dropped) <= maxDropped:
		out = dropped
	case len(named) > 0:
		out = named
	case len(bare) == 0:
		out = trigger(failed, key, strings.ReplaceAll(strings.TrimRight(line, "."), "/", " ")) // of a branch: refs/heads/main
	}
	slices.Sort(out)
	return out
}

// maxDropped bounds the options that a working call had no more and that are blamed: of many it isn't known which it was.
const maxDropped = 2

func isOption(w string) bool { return strings.HasPrefix(w, "-") }

// Misused reports whether an error is about the call of a command, not about its
// findings. Only then another command is the solution.
func Misused(line string) bool {
	if Refused(line) || noTests(line) {
		return true
	}
	low := strings.ToLower(line)
	if strings.HasPrefix(low, "fatal: ") { // git's word for a call that it cannot carry out
		return true
	}
	for _, sign := range []string{"unknown ", "unrecognized", "unexpected argument", "illegal option", "invalid option", "invalid argument", "command not found", "not found", "no such", "usage:", "parse error",
		"syntax error", "permission denied", "ambiguous", "not a git", "did you mean", "missing script", "not supported", "unsupported", "requires ", "required", "could not resolve", "no module", "cannot find module", "ignored by", "must be", "bad substitution", "not a valid", "does not contain main module"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

// OfTheDay reports whether an error is about something that is not so any more the next day: a finding in the code as it was (a
// place in a file, a line of a test's report, the line of source that raised), or the state of the working tree. A warning is not why a
// call failed. Told to later sessions, such failures came true in one of five.
func OfTheDay(line string) bool {
	low := strings.ToLower(strings.TrimSpace(line))
	for _, sign := range []string{"unstaged changes", "uncommitted changes", "untracked working tree files", "fix conflicts", "local changes", "would be overwritten", "non-fast-forward", "fetch first", "index.lock",
		"unhandled error between tests", "assertionerror", "assert ", "expected:", "expect(", " | 1 failed", "tests failed", "uploading..."} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	for _, start := range []string{"e  ", "e assert", "raise ", "throw ", "pass ", "fail ", "--- fail", "❯ ", "✗ ", "× ", "✕ "} {
		if strings.HasPrefix(low, start) {
			return true
		}
	}
	return hasPlace(low) || strings.HasPrefix(strings.TrimLeft(low, "▲⚠!*[ \ufe0f"), "warning")
}

// hasPlace reports whether a line begins with a place in a file: "main.go:12:5: …", "src/a.ts(3,4): …".
func hasPlace(low string) bool {
	word, _, _ := strings.Cut(low, " ")
	name, rest, ok := strings.Cut(word, ":")
	if !ok || rest == "" {
		name, rest, ok = strings.Cut(word, "(")
	}
	if !ok || rest == "" || rest[0] < '0' || rest[0] > '9' {
		return false
	}
	ext := path.Ext(name)
	return len(ext) > 1 && len(ext) <= 5 && strings.Trim(ext[1:], "0123456789") != ""
}

// trigger lists the words of a command that its error names: an unknown option, a missing
// file. Only a command with all these words can fail in this way again.
func trigger(command, key, line string) []string {
	var out []string
	inKey := strings.Fields(key)
	low := " " + strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"'`:,;()[]=", r) {
			return ' '
		}
		return r
	}, strings.ToLower(line)) + " "
	letter := optionLetter(low)
	for _, args := range event.SimpleCommands(command) {
		for _, w := range listed(args) {
			w = strings.ToLower(w)
			if letter != "" && len(w) < 8 && isOption(w) && !strings.HasPrefix(w, "--") && strings.Contains(w, letter) && keyOf(args) == key && !slices.Contains(out, w) {
				out = append(out, w)
				continue
			}
			if i := strings.IndexByte(w, '='); i > 0 && strings.HasPrefix(w, "-") {
				w = w[:i]
			}
			if len(w) < 2 || len(w) > 80 || slices.Contains(inKey, w) || slices.Contains(out, w) || strings.ContainsAny(w, " \n") {
				continue
			}
			if w == "run" || w == "test" || w == "error" || w == "file" || w == "not" || w == "is" {
				continue
			}
			if strings.Contains(low, " "+w+" ") {
				out = append(out, w)
			}
		}
	}
	slices.Sort(out)
	if len(out) > 4 {
		out = out[:4]
	}
	return out
}

// optionLetter returns the letter that a program refuses as an option: "illegal option -- A", "invalid option -- 'P'".
func optionLetter(low string) string {
	_, rest, ok := strings.Cut(low, " option -- ")
	if rest = strings.TrimSpace(rest); !ok || rest == "" {
		return ""
	}
	return rest[:1]
}

// listed returns the words of a command, and the items of comma-separated lists, because
// an error may name a single unknown field.
func listed(args []string) []string {
	var out []string
	for _, w := range args {
		out = append(out, w)
		if strings.Contains(w, ",") && !strings.ContainsAny(w, " \n") {
			out = append(out, strings.Split(w, ",")...)
		}
	}
	return out
}

// plainCommand formats a command line for a sentence, without the processing of its
// output.
func plainCommand(line string) string {
	line, _, _ = strings.Cut(strings.TrimSpace(line), "\n")
	for _, mark := range []string{" 2>&1", " | head", " | tail", " | grep", " 2>/dev/null", " >/dev/null", " | wc", " | cat", " | less", " || true"} {
		if i := strings.Index(line, mark); i > 0 {
			line = line[:i]
		}
	}
	if strings.HasPrefix(line, "cd ") {
		if _, rest, ok := strings.Cut(line, " && "); ok {
			line = rest
		}
	}
	return wording.OneLine(line, 90)
}

// SameCall reports whether two command lines make the same call, whatever becomes of its output.
func SameCall(a, b string) bool { return b != "" && plainCommand(a) == plainCommand(b) }

// Words returns the words of a command line in lower case, options without values. The
// triggers of a failure are compared with them.
func Words(command string) map[string]bool { return wordsOf(event.SimpleCommands(command)) }

func wordsOf(commands [][]string) map[string]bool {
	out := map[string]bool{}
	for _, args := range commands {
		for _, w := range listed(args) {
			w = strings.ToLower(w)
			out[w] = true
			if i := strings.IndexByte(w, '='); i > 0 && strings.HasPrefix(w, "-") {
				out[w[:i]] = true
			}
		}
	}
	return out
}

// inlineProgram reports whether a command contains the program that it runs. That is written for
// one occasion, and its errors are not the project's.
func inlineProgram(command string) bool {
	words := strings.Fields(command)
	for i, w := range words[:max(0, len(words)-1)] {
		switch path.Base(w) {
		case "node", "bun", "deno", "ruby", "perl":
			if slices.Contains([]string{"-e", "--eval", "eval", "-p"}, words[i+1]) {
				return true
			}
		case "python", "python3", "bash", "sh", "zsh":
			if strings.HasPrefix(words[i+1], "-") && strings.HasSuffix(words[i+1], "c") {
				return true
			}
		case "php":
			if words[i+1] == "-r" {
				return true
			}
		}
	}
	return false
}
