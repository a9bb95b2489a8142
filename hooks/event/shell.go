package event

import (
	"strconv"
	"strings"
)

// shellTargets finds the files that a shell command line plainly reads, searches or
// writes: through cat, sed, head, tail, nl, bat, rg and the like, output redirections,
// and patches in a here-document. Words with shell expansions are left out. Nothing is
// run.
func shellTargets(command string) []Target {
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
	last  int  // where the targets of the command before the pipe begin
	spans []Span
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
	before := len(*s.out)
	if len(args) > 0 && !args[0].dynamic {
		s.command(program(args[0].text), args[1:])
	}
	s.spans = nil
	s.last = before
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
	t := Target{Path: below(s.dir, p), Dir: dir, Class: class}
	if class == Read {
		t.Spans = s.spans
	}
	s.out.add(t)
}

// narrow says which lines of the read files a command shows: its own files, or those that are piped into it.
func (s *shellReader) narrow(spans []Span, ops []word) {
	s.spans = spans
	if spans == nil || len(ops) > 0 || !s.piped {
		return
	}
	for i := s.last; i < len(*s.out); i++ {
		if t := &(*s.out)[i]; t.Class == Read && t.Spans == nil {
			t.Spans = spans
		}
	}
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
		if name == "head" {
			s.narrow(headSpan(args), operands(args, valued(name)))
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
	quiet := false
	var scripts []string
	for i, a := range args {
		switch {
		case strings.HasPrefix(a.text, "-i") || strings.HasPrefix(a.text, "--in-place"):
			class = Edit
		case a.text == "-e" || a.text == "-f" || strings.HasPrefix(a.text, "--expression"):
			skip = 0
		}
		quiet = quiet || a.text == "-n"
		if a.text == "-e" && i+1 < len(args) {
			scripts = append(scripts, args[i+1].text)
		}
	}
	ops := operands(args, valued("sed"))
	if skip == 1 && len(ops) > 0 {
		scripts = []string{ops[0].text}
	}
	if quiet && class == Read {
		s.narrow(printed(strings.Join(scripts, ";")), ops[min(skip, len(ops)):])
	}
	s.files(ops, skip, class)
}

// printed returns the lines that a script of sed prints: 10,20p and the like.
func printed(script string) []Span {
	var out []Span
	for part := range strings.SplitSeq(script, ";") {
		lines, ok := strings.CutSuffix(strings.TrimSpace(part), "p")
		from, to, several := strings.Cut(lines, ",")
		if !several {
			to = from
		}
		a, err := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if !ok || err != nil || err2 != nil || a < 1 || b < a {
			return nil
		}
		out = append(out, Span{a, b})
	}
	return out
}

// headSpan returns the lines that head prints: -20, -n 20 or -n20.
func headSpan(args []word) []Span {
	n := "10"
	for i, a := range args {
		switch {
		case a.text == "-n" && i+1 < len(args):
			n = args[i+1].text
		case strings.HasPrefix(a.text, "-c"), strings.HasPrefix(a.text, "--"):
			return nil
		case strings.HasPrefix(a.text, "-n"):
			n = a.text[2:]
		case len(a.text) > 1 && a.text[0] == '-':
			n = a.text[1:]
		}
	}
	most, err := strconv.Atoi(n)
	if err != nil || most < 1 {
		return nil
	}
	return []Span{{1, most}}
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
