package event

import "strings"

// ShellTargets finds the files that a shell command line plainly reads, searches or
// writes: through cat, sed, head, tail, nl, bat, rg and the like, output redirections,
// and patches in a here-document. Words with shell expansions are left out. Nothing is
// run.
func ShellTargets(command string) []Target {
	var out targets
	shell(command, "", 0, &out)
	return out
}

// maxNesting bounds shells started by shells.
const maxNesting = 3

func shell(command, dir string, depth int, out *targets) {
	if strings.Contains(command, "*** Begin Patch") {
		for _, t := range PatchTargets(command) {
			t.Path = below(dir, t.Path)
			out.add(t)
		}
		return
	}
	s := shellReader{dir: dir, depth: depth, out: out}
	for _, w := range words(command) {
		if w.op && !redirection(w.text) {
			s.run(w.text)
			continue
		}
		s.words = append(s.words, w)
	}
	s.run(";")
}

func redirection(op string) bool { return strings.ContainsAny(op, "<>") }

// shellReader reads the simple commands of a command line.
type shellReader struct {
	dir   string // current folder after a cd, "" at first
	depth int
	out   *targets
	words []word
	piped bool // the command reads from a pipe
}

// below joins a path to the current folder.
func below(dir, p string) string {
	if dir == "" || Absolute(p) || strings.HasPrefix(p, "~") {
		return p
	}
	return strings.TrimRight(dir, `/\`) + "/" + p
}

// run reads the simple command that ends at op.
func (s *shellReader) run(op string) {
	args := s.redirect()
	s.words = s.words[:0]
	args = unwrap(args)
	if len(args) > 0 && !args[0].dynamic {
		s.command(program(args[0].text), args[1:])
	}
	s.piped = op == "|" || op == "|&"
}

// redirect removes the redirections from the words. A file that is written to is a
// target.
func (s *shellReader) redirect() []word {
	var args []word
	for i := 0; i < len(s.words); i++ {
		w := s.words[i]
		if !w.op {
			args = append(args, w)
			continue
		}
		if i++; i >= len(s.words) || s.words[i].op {
			i--
			continue
		}
		to := s.words[i]
		switch {
		case to.dynamic || to.text == "" || strings.HasPrefix(to.text, "/dev/"):
		case w.text == ">" || w.text == ">|" || w.text == "&>":
			s.add(to.text, false, Create)
		case w.text == ">>" || w.text == "&>>":
			s.add(to.text, false, Edit)
		case w.text == "<":
			s.add(to.text, false, Read)
		}
	}
	return args
}

func (s *shellReader) add(p string, dir bool, class Class) {
	if p == "-" || p == "" {
		return
	}
	s.out.add(Target{Path: below(s.dir, p), Dir: dir, Class: class})
}

// program returns the name of a program without its folder and ".exe".
func program(p string) string {
	if i := strings.LastIndexAny(p, `/\`); i >= 0 {
		p = p[i+1:]
	}
	return strings.TrimSuffix(strings.ToLower(p), ".exe")
}

// unwrap removes assignments and wrapper programs from the front.
func unwrap(args []word) []word {
	for len(args) > 0 {
		name := args[0].text
		switch {
		case strings.Contains(name, "=") && !strings.HasPrefix(name, "="):
		case isOneOf(program(name), "sudo", "command", "time", "nohup", "env", "exec", "builtin", "then", "do", "else", "if", "while", "!", "{"):
			for len(args) > 1 && strings.HasPrefix(args[1].text, "-") {
				args = args[1:]
			}
		case isOneOf(program(name), "timeout", "nice"):
			for len(args) > 1 && (strings.HasPrefix(args[1].text, "-") || strings.Trim(args[1].text, "0123456789.smhd") == "") {
				args = args[1:]
			}
		default:
			return args
		}
		args = args[1:]
	}
	return nil
}

func isOneOf(s string, of ...string) bool {
	for _, o := range of {
		if s == o {
			return true
		}
	}
	return false
}

// command reads one simple command.
func (s *shellReader) command(name string, args []word) {
	switch name {
	case "cd", "pushd", "set-location":
		if len(args) > 0 && !args[0].dynamic && !strings.HasPrefix(args[0].text, "-") {
			s.dir = below(s.dir, args[0].text)
		}
	case "bash", "sh", "zsh", "dash", "pwsh", "powershell":
		s.nested(args)
	case "cat", "nl", "less", "more", "tac", "bat", "batcat", "wc", "head", "tail", "get-content", "gc", "type", "od", "xxd", "hexdump", "strings", "jq", "awk", "gawk":
		skip := 0
		if isOneOf(name, "jq", "awk", "gawk") {
			skip = 1 // the program
		}
		s.files(operands(args, valued(name)), skip, Read)
	case "sed":
		s.sed(args)
	case "tee":
		s.files(operands(args, ""), 0, Create)
	case "touch":
		s.files(operands(args, "drt"), 0, Create)
	case "rm":
		s.files(operands(args, ""), 0, Edit)
	case "rg", "grep", "egrep", "fgrep", "ag", "ack":
		s.search(name, args)
	case "ls", "tree", "find", "fd", "fdfind", "dir", "get-childitem", "gci":
		s.list(name, args)
	}
}

// nested reads the command line passed to a shell with -c.
func (s *shellReader) nested(args []word) {
	for i, a := range args {
		option := strings.HasPrefix(a.text, "-")
		if option && strings.HasSuffix(strings.ToLower(a.text), "c") || strings.EqualFold(a.text, "-command") {
			if i+1 < len(args) && s.depth < maxNesting {
				shell(args[i+1].text, s.dir, s.depth+1, s.out)
			}
			return
		}
		if !option {
			s.files([]word{a}, 0, Read) // a script
			return
		}
	}
}

// valued lists the one-letter options of a program that take a value.
func valued(name string) string {
	switch name {
	case "head", "tail":
		return "nc"
	case "nl":
		return "bwsvidhfnl"
	case "bat", "batcat":
		return "rlHm"
	case "sed":
		return "efl"
	case "awk", "gawk":
		return "Fvf"
	case "od", "xxd", "hexdump":
		return "nsltjNAc"
	case "rg", "grep", "egrep", "fgrep", "ag", "ack":
		return "efgmtTABCdDjMrE"
	}
	return ""
}

// operands returns the arguments that are neither options nor their values.
func operands(args []word, valued string) []word {
	var out []word
	for i := 0; i < len(args); i++ {
		a := args[i].text
		switch {
		case a == "--":
			return append(out, args[i+1:]...)
		case strings.HasPrefix(a, "--"):
			if longValue(a) {
				i++
			}
		case len(a) > 1 && a[0] == '-':
			if last := a[len(a)-1]; len(a) == 2 && strings.IndexByte(valued, last) >= 0 {
				i++
			}
		default:
			out = append(out, args[i])
		}
	}
	return out
}

// longValue reports whether a long option takes the next word as its value.
func longValue(a string) bool {
	return isOneOf(a, "--lines", "--bytes", "--line-range", "--language", "--style", "--theme", "--glob", "--iglob", "--type",
		"--type-not", "--regexp", "--file", "--max-count", "--context", "--after-context", "--before-context", "--max-depth",
		"--max-columns", "--expression", "--color", "--sort", "--encoding", "--replace", "--threads", "--width")
}

func (s *shellReader) files(ops []word, skip int, class Class) {
	for i, o := range ops {
		if i >= skip && !o.dynamic {
			s.add(o.text, false, class)
		}
	}
}

func (s *shellReader) sed(args []word) {
	class, skip := Read, 1
	for _, a := range args {
		switch {
		case strings.HasPrefix(a.text, "-i") || strings.HasPrefix(a.text, "--in-place"):
			class = Edit
		case a.text == "-e" || a.text == "-f" || strings.HasPrefix(a.text, "--expression"):
			skip = 0
		}
	}
	s.files(operands(args, valued("sed")), skip, class)
}

// search reads a search in files: the pattern first, then files and folders.
func (s *shellReader) search(name string, args []word) {
	skip, recursive := 1, isOneOf(name, "rg", "ag", "ack")
	for _, a := range args {
		switch {
		case a.text == "-e" || a.text == "-f" || a.text == "--files" || strings.HasPrefix(a.text, "--regexp"):
			skip = 0
		case strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && strings.ContainsAny(a.text, "rR"):
			recursive = true
		}
	}
	ops := operands(args, valued(name))
	if len(ops) <= skip {
		if recursive && !s.piped {
			s.add(".", true, Search)
		}
		return
	}
	for _, o := range ops[skip:] {
		if !o.dynamic {
			s.add(o.text, true, Search)
		}
	}
}

// list reads a listing of folders.
func (s *shellReader) list(name string, args []word) {
	ops := operands(args, "")
	if name == "find" { // the places come before the first test
		ops = ops[:0]
		for _, a := range args {
			if strings.HasPrefix(a.text, "-") || a.text == "(" || a.text == "!" {
				break
			}
			ops = append(ops, a)
		}
	} else if isOneOf(name, "fd", "fdfind") && len(ops) > 0 {
		ops = ops[1:] // the pattern
	}
	if len(ops) == 0 && !s.piped {
		s.add(".", true, Search)
	}
	for _, o := range ops {
		if !o.dynamic {
			s.add(o.text, true, Search)
		}
	}
}
