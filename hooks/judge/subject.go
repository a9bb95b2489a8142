package judge

import (
	"path"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/memory/file"
	"manicule/memory/scope"
)

// sense is what a memory says about a command or a path that it names.
type sense int

const (
	named    sense = iota // named without a judgement
	told                  // the way to do it
	warned                // the way not to do it
	occasion              // when the memory matters, or an example: "before `git push`"
)

// command is a command that a memory names, or a pipeline: `a | b` is one way to do
// something, and neither `a` nor `b` is it.
type command struct {
	parts [][]string // words of each simple command, program first, without placeholders; none matches any command
	keys  []string   // see [observe.Keys]
	sense sense
}

// size returns the number of words.
func (c command) size() int {
	n := 0
	for _, p := range c.parts {
		n += len(p)
	}
	return n
}

// plain reports whether a command is too common to identify: no part of it has more than
// one word.
func (c command) plain() bool {
	return !slices.ContainsFunc(c.parts, func(p []string) bool { return len(p) > 1 })
}

// alternativeTo reports whether another command of the same kind could have been this one. A
// command with many words of its own is no general way to do something.
func (c command) alternativeTo(keys []string) bool {
	for _, k := range c.keys {
		if slices.Contains(keys, k) && c.size() <= len(strings.Fields(k))+otherwiseWords {
			return true
		}
	}
	return false
}

// otherwiseWords is the maximum number of words beside its kind in such a command.
const otherwiseWords = 2

// place is a file or a folder that a memory names.
type place struct {
	path  string
	sense sense
}

// subject is what a memory is about, as far as events can show it.
type subject struct {
	typ      file.Type
	commands []command
	places   []place // from its text: commands, and paths that look like files
	anchors  []string
	scope    *scope.Scope // nil for the whole project
	text     string
}

// visible reports whether a session could touch anything of it.
func (s subject) visible() bool {
	known := func(c command) bool { return !c.plain() || c.sense == told || c.sense == warned } // a single word may be any name
	return slices.ContainsFunc(s.commands, known) || len(s.places) > 0 || len(s.anchors) > 0 || s.scope != nil
}

// subjectOf parses a memory: the commands and paths in backticks with what it says about
// each, its anchors and its scope.
func subjectOf(m *file.Memory) subject {
	s := subject{typ: m.Type, text: m.What}
	for _, a := range m.Anchors {
		if a.Path != "" && !slices.Contains(s.anchors, a.Path) {
			s.anchors = append(s.anchors, a.Path)
		}
	}
	if len(m.Scope) > 0 {
		if sc, err := scope.Compile(m.Scope, scope.Platform()); err == nil {
			s.scope = sc
		}
	}
	for _, text := range []string{m.What, m.Why} {
		for _, x := range spans(text) {
			s.take(x)
		}
	}
	return s
}

func (s *subject) take(x span) {
	text := strings.TrimSpace(x.text)
	if looksLikePath(text) {
		p := strings.TrimSuffix(path.Clean(strings.TrimPrefix(text, "./")), "/")
		if !slices.ContainsFunc(s.places, func(o place) bool { return o.path == p }) {
			s.places = append(s.places, place{p, x.sense})
		}
		return
	}
	text = unbracketed(text)
	for _, pipeline := range event.Pipelines(text) {
		c := command{keys: cmdline.Keys(text), sense: x.sense}
		if !c.read(pipeline) || len(c.keys) == 0 {
			continue
		}
		if c.sense == named && !c.plain() && tells(s.typ) {
			c.sense = told
		}
		s.commands = append(s.commands, c)
	}
}

// read parses the parts of a pipeline. It is false if a part is no command, or if all
// parts are placeholders.
func (c *command) read(pipeline [][]string) bool {
	some := false
	for _, words := range pipeline {
		var part []string
		for _, w := range words {
			if w = strings.TrimSuffix(w, "…"); w != "" && !placeholder(w) {
				part = append(part, w)
			}
		}
		if len(part) > 0 && !program(part[0]) {
			return false
		}
		some = some || len(part) > 0
		c.parts = append(c.parts, part)
	}
	return some
}

// looksLikePath reports whether a word has a folder or a file extension.
func looksLikePath(text string) bool {
	if text == "" || strings.ContainsAny(text, " \t()<>*=|&;$\"'") || strings.HasPrefix(text, "-") || strings.Contains(text, "://") {
		return false
	}
	if strings.Contains(text, "/") {
		return !strings.HasPrefix(text, "@") && !strings.HasPrefix(text, "./...")
	}
	return slices.Contains(endings(), strings.ToLower(path.Ext(text))) || slices.Contains(extensionless(), text)
}

// endings are the extensions that make a word without a folder a file. A dot alone may
// belong to a method.
func endings() []string {
	return []string{".go", ".mod", ".sum", ".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".java", ".kt", ".rs", ".rb", ".php", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".swift", ".sh", ".lua",
		".sql", ".json", ".jsonc", ".yaml", ".yml", ".toml", ".md", ".txt", ".lock", ".env", ".cfg", ".ini", ".html", ".css", ".scss", ".xml", ".proto", ".gradle", ".tf"}
}

// extensionless are files without an extension.
func extensionless() []string {
	return []string{"Makefile", "Dockerfile", "Justfile", "Rakefile", "Gemfile"}
}

// placeholder reports whether a word stands for any value.
func placeholder(w string) bool {
	return w == "..." || strings.ContainsAny(w, "<>{}") || len(w) > 1 && strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// unbracketed replaces placeholders that a shell would parse as redirections: `yes |
// <command>`.
func unbracketed(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "<")
		name, after, closed := strings.Cut(rest, ">")
		if !ok || !closed || name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_. ") != "" || name[0] == ' ' {
			return b.String() + text
		}
		b.WriteString(before + "…")
		text = after
	}
}

// program reports whether a word may be the name of a program.
func program(w string) bool {
	return w[0] >= 'a' && w[0] <= 'z' && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz0123456789-_./+") == "" || strings.HasPrefix(w, "./") || strings.HasPrefix(w, "/")
}

// in reports whether a pipeline contains the command, with all its parts in order, and
// which of the pipeline's commands they are. Others may stand between: `a | tee log | b`
// matches `a | b`.
func (c command) in(pipeline [][]string) (at []int, ok bool) {
	next := 0
	for _, part := range c.parts {
		for next < len(pipeline) && !has(pipeline[next], part) {
			next++
		}
		if next == len(pipeline) {
			return nil, false
		}
		at = append(at, next)
		next++
	}
	return at, true
}

// partly reports whether a simple command is a distinctive part of a pipe, unlike `tail
// -5`.
func (c command) partly(words []string) bool {
	return len(c.parts) > 1 && slices.ContainsFunc(c.parts, func(p []string) bool {
		if len(p) < 2 || !has(words, p) {
			return false
		}
		keys := cmdline.Keys(strings.Join(p, " "))
		return len(keys) == 1 && slices.Contains(c.keys, keys[0])
	})
}

// has reports whether a simple command has the program and all words of a part.
func has(words, part []string) bool {
	switch {
	case len(part) == 0:
		return true
	case len(words) == 0 || path.Base(words[0]) != path.Base(part[0]):
		return false
	}
	for _, w := range part[1:] {
		if !slices.Contains(words[1:], w) {
			return false
		}
	}
	return true
}

// span is a piece of code in a memory's text, with what is said about it.
type span struct {
	text  string
	sense sense
}

// The phrases that give a span its sense, in lower case. The text before a span comes
// first: "use `a` instead of `b`", "never run `c`". The text after it follows: "`d`
// hangs".
func warnings() []string {
	return []string{"don't", "do not", "never", "avoid", "instead of", "rather than", "no longer", "stop", "not", "cannot", "can't", "there is no", "is no", "isn't"}
}

func orders() []string {
	return []string{"use", "run", "call", "prefer", "need", "needs", "requires", "must", "first", "instead", "with", "without", "by", "via", "through", "look into", "read", "it is", "it's", "then", "always"}
}

func occasions() []string {
	return []string{"before", "after", "when", "whenever", "while", "if", "until", "like", "such as", "for example", "ask before"}
}

func faults() []string {
	return []string{"does not work", "doesn't work", "do not work", "fails", "failed", "fail", "hangs", "hang", "breaks", "is broken", "is wrong", "loses", "deadlocks", "is refused", "is not", "isn't", "does nothing",
		"times out", "panics", "crashes", "did not", "didn't", "corrupts", "deletes", "must not"}
}

func praises() []string {
	return []string{"does", "works", "instead", "is required", "is needed", "is the way", "fixes", "first", "is where"}
}

// spans finds the pieces of code in a text, clause by clause.
func spans(text string) []span {
	rest := strings.NewReplacer("’", "'", "e.g.,", "like", "e.g.", "like").Replace(text) // its full stops end nothing
	var out []span
	var before, after []string // the text around each span in its clause
	var joined []bool          // whether only "and" or a comma separates it from the previous one
	for {
		head, tail, ok := strings.Cut(rest, "`")
		if !ok {
			break
		}
		code, next, ok := strings.Cut(tail, "`")
		if !ok {
			break
		}
		lead := strings.ToLower(head)
		if n := len(after); n > 0 {
			after[n-1] = firstClause(lead)
		}
		between := strings.TrimSpace(lead)
		joined = append(joined, len(out) > 0 && (between == "and" || between == "or" || between == "," || between == ", and" || between == "/"))
		before, after = append(before, lastClause(lead)), append(after, "")
		out = append(out, span{text: code})
		rest = next
	}
	if n := len(after); n > 0 {
		after[n-1] = firstClause(strings.ToLower(rest))
	}
	for i := range out {
		out[i].sense = senseOf(before[i], after[i])
		if joined[i] && out[i].sense == named {
			out[i].sense = out[i-1].sense
		}
	}
	return out
}

func senseOf(before, after string) sense {
	before = strings.NewReplacer("don't forget", "must", "do not forget", "must", "never forget", "must", "not only", "").Replace(before)
	warn, order, when := last(before, warnings()), last(before, orders()), last(before, occasions())
	switch {
	case when > max(warn, order):
		return occasion
	case warn >= 0:
		return warned // "never run": the order of phrases matters
	case last(after, faults()) >= 0:
		return warned
	case order >= 0, last(after, praises()) >= 0:
		return told
	}
	return named
}

// last returns the index of the last of some phrases in a text, as whole words, or -1.
func last(text string, phrases []string) int {
	text = " " + text + " "
	at := -1
	for _, p := range phrases {
		at = max(at, strings.LastIndex(text, " "+p+" "))
	}
	return at
}

const clauseEnds = ".;:!?\n"

// lastClause returns the end of a text. A comma begins a new clause too.
func lastClause(s string) string {
	if i := strings.LastIndexAny(s, clauseEnds+","); i >= 0 {
		s = s[i+1:]
	}
	if i := strings.LastIndex(s, " but "); i >= 0 {
		s = s[i+5:]
	}
	return spaced(s)
}

// firstClause returns the beginning of a text.
func firstClause(s string) string {
	if i := strings.IndexAny(s, clauseEnds+","); i >= 0 {
		s = s[:i]
	}
	if i := strings.Index(s, " but "); i >= 0 {
		s = s[:i]
	}
	return spaced(s)
}

func spaced(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune("()\"“”", r) {
			return ' '
		}
		return r
	}, s)), " ")
}
