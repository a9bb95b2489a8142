package cmdline

import (
	"path"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
)

// RefusedWords lists the words of a command that a program did not accept: an option that its error names, or the options that the
// call which then worked had no more, or other words that are named, or an option by its bare name ("auto merge is not allowed":
// --auto).
func RefusedWords(failed, fix, key, line string) []string {
	if key == "go run" || key == "cargo run" || key == "dotnet run" { // it is the program which it runs that refused
		return nil
	}
	named := Trigger(failed, key, line)
	if slices.ContainsFunc(named, IsOption) {
		return named
	}
	if len(named) == 0 { // a server names the branch that it protects
		named = Trigger(failed, key, strings.ReplaceAll(strings.TrimRight(line, "."), "refs/heads/", " "))
	}
	worked, said := Words(fix), Words(line)
	var bare, dropped []string
	for _, args := range event.SimpleCommands(failed) {
		if KeyOf(args) != key {
			continue
		}
		for _, w := range args {
			w, _, _ = strings.Cut(strings.ToLower(w), "=")
			if !IsOption(w) || len(w) < 3 || len(w) > 80 {
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
	case kept && len(dropped) > 0 && len(dropped) <= MaxDropped:
		out = dropped
	case len(named) > 0:
		out = named
	case len(bare) == 0:
		out = Trigger(failed, key, strings.ReplaceAll(strings.TrimRight(line, "."), "/", " ")) // of a branch: refs/heads/main
	}
	slices.Sort(out)
	return out
}

// MaxDropped bounds the options that a working call had no more and that are blamed: of many it isn't known which it was.
const MaxDropped = 2

// IsOption reports whether a word is an option.
func IsOption(w string) bool { return strings.HasPrefix(w, "-") }

// Trigger lists the words of a command that its error names: an unknown option, a missing
// file. Only a command with all these words can fail in this way again.
func Trigger(command, key, line string) []string {
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
			if letter != "" && len(w) < 8 && IsOption(w) && !strings.HasPrefix(w, "--") && strings.Contains(w, letter) && KeyOf(args) == key && !slices.Contains(out, w) {
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

// PlainCommand formats a command line for a sentence, without the processing of its
// output.
func PlainCommand(line string) string {
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
func SameCall(a, b string) bool { return b != "" && PlainCommand(a) == PlainCommand(b) }

// Words returns the words of a command line in lower case, options without values. The
// triggers of a failure are compared with them.
func Words(command string) map[string]bool { return WordsOf(event.SimpleCommands(command)) }

// WordsOf is [Words] of a line that is split.
func WordsOf(commands [][]string) map[string]bool {
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

// InlineProgram reports whether a command contains the program that it runs. That is written for
// one occasion, and its errors are not the project's.
func InlineProgram(command string) bool {
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
