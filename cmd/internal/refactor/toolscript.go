package refactor

import (
	"context"
	_ "embed" // the server for Python
	"errors"
	"fmt"
	"os/exec"
	"path"
	"strings"

	"manicule/indexer/extract"
)

// toolScript does refactorings with a tool.
type toolScript struct {
	*script
	tool    *Tool
	answers *Answers
	ctx     context.Context // context of the current case
}

// errNothing is the answer of a tool that changed nothing.
var errNothing = errors.New("nothing was changed")

// answer counts what the tool answered, and returns the state that it made.
func (a *toolScript) answer(kind string, after State, err error) (State, bool) {
	if err == nil && len(a.state.Differing(after)) == 0 {
		err = errNothing
	}
	a.answers.note(kind, err)
	return after, err == nil
}

// act requests a refactoring of a range of bytes.
func (a *toolScript) act(kind, p string, from, to int, fits func(kind, title string) bool) (State, bool) {
	after, err := a.tool.Act(a.ctx, a.state, p, from, to, fits)
	return a.answer(kind, after, err)
}

// tools lists the refactorings of tools by name.
var tools = map[string]func(*toolScript) (Step, bool){
	"tool: rename function": func(a *toolScript) (Step, bool) { return a.renameSymbol("tool: rename function", "function", "method") },
	"tool: rename type": func(a *toolScript) (Step, bool) {
		return a.renameSymbol("tool: rename type", "class", "struct", "interface", "enum", "type")
	},
	"tool: rename field":     func(a *toolScript) (Step, bool) { return a.renameSymbol("tool: rename field", "field", "const", "var") },
	"tool: rename variable":  (*toolScript).renameVariable,
	"tool: extract function": (*toolScript).extractFunction,
	"tool: extract variable": (*toolScript).extractVariable,
	"tool: inline":           (*toolScript).inline,
	"tool: move":             (*toolScript).moveOut,
	"tool: move file":        (*toolScript).moveFile,
	"tool: change signature": (*toolScript).changeSignature,
}

func (a *toolScript) renameSymbol(kind string, kinds ...string) (Step, bool) {
	p, t, ok := a.declared(func(t extract.Symbol) bool {
		for _, k := range kinds {
			if t.Kind == k {
				return len(t.Name) >= 4
			}
		}
		return false
	})
	if !ok {
		return Step{}, false
	}
	return a.renameAt(kind, p, t.NameStart, t.Name, a.targetsIn(p, t))
}

func (a *toolScript) renameAt(kind, p string, at int, name string, targets []Spot) (Step, bool) {
	to := a.words.unusedName(a.rand, name)
	if to == "" {
		return Step{}, false
	}
	after, err := a.tool.Rename(a.ctx, a.state, p, at, to)
	after, ok := a.answer(kind, after, err)
	if !ok {
		return Step{}, false
	}
	return Step{kind, after, targets, renames{a.state, after, map[string]string{name: to}, movedFiles(a.state, after)}}, true
}

// movedFiles pairs the one removed file with the one added file.
func movedFiles(was, is State) map[string]string {
	var went, came []string
	for _, p := range was.Differing(is) {
		if _, ok := is[p]; !ok {
			went = append(went, p)
		} else if _, ok := was[p]; !ok {
			came = append(came, p)
		}
	}
	if len(went) != 1 || len(came) != 1 {
		return nil
	}
	return map[string]string{went[0]: came[0]}
}

func (a *toolScript) renameVariable() (Step, bool) {
	paths := a.state.paths()
	for range 20 {
		p := paths[a.rand.IntN(len(paths))]
		all := a.declarations(p)
		if len(all) == 0 {
			continue
		}
		d := all[a.rand.IntN(len(all))]
		line := a.state.lines(p)[d.line-1]
		at := lineStart(a.state[p], d.line) + wordIn(line, d.name)
		if step, ok := a.renameAt("tool: rename variable", p, at, d.name, []Spot{{Path: p, Line: d.line, Focus: d.name}}); ok {
			return step, true
		}
	}
	return Step{}, false
}

// lineStart returns the offset at which a line begins.
func lineStart(text string, line int) int {
	at := 0
	for range line - 1 {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	return at
}

// wordIn returns the offset of a whole word in a line.
func wordIn(line, word string) int {
	for _, at := range identifier.FindAllStringIndex(line, -1) {
		if line[at[0]:at[1]] == word {
			return at[0]
		}
	}
	return 0
}

// extractFunction selects statements of a function.
func (a *toolScript) extractFunction() (Step, bool) {
	return a.selected("tool: extract function", func(kind, title string) bool {
		return strings.HasPrefix(kind, "refactor.extract.function") || strings.HasPrefix(kind, "refactor.extract.method") ||
			kind == "refactor.extract" && (strings.Contains(title, "method") || strings.Contains(title, "function"))
	})
}

// selected requests the offered refactorings for whole lines of a function.
func (a *toolScript) selected(kind string, fits func(kind, title string) bool) (Step, bool) {
	for range 12 {
		p, t, ok := a.declared(func(t extract.Symbol) bool { return t.Kind == "function" || t.Kind == "method" })
		if !ok {
			return Step{}, false
		}
		text := a.state[p]
		lines := a.state.lines(p)
		first := spotOf(a.state, p, t).Line
		last := first + strings.Count(text[t.Start:t.End], "\n")
		if last-first < 8 {
			continue
		}
		from := first + 1 + a.rand.IntN(last-first-5)
		to := min(from+3+a.rand.IntN(6), last-1)
		indent := func(n int) int { return len(lines[n-1]) - len(strings.TrimLeft(lines[n-1], " \t")) }
		for n := from; n <= to; n++ {
			if strings.TrimSpace(lines[n-1]) != "" && indent(n) < indent(from) {
				to = n - 1
			}
		}
		for to > from && (strings.TrimSpace(lines[to-1]) == "" || indent(to) != indent(from) || !balanced(strings.Join(lines[from-1:to], "\n"))) {
			to--
		}
		if to-from < 2 || strings.TrimSpace(lines[from-1]) == "" {
			continue
		}
		start, end := lineStart(text, from)+indent(from), lineStart(text, to)+len(strings.TrimRight(lines[to-1], " \t\r"))
		after, ok := a.act(kind, p, start, end, fits)
		if !ok {
			continue
		}
		step := Step{kind, after, []Spot{spotOf(a.state, p, t)}, newTexts(a.state, after)}
		for range 4 {
			step.Targets = append(step.Targets, Spot{Path: p, Line: from + a.rand.IntN(to-from+1)})
		}
		return step, true
	}
	return Step{}, false
}

// extractVariable selects the right side of an assignment, whose line changes.
func (a *toolScript) extractVariable() (Step, bool) {
	paths := a.state.paths()
	for range 30 {
		p := paths[a.rand.IntN(len(paths))]
		all := a.declarations(p)
		if len(all) == 0 {
			continue
		}
		d := all[a.rand.IntN(len(all))]
		line := strings.TrimRight(a.state.lines(p)[d.line-1], " \t\r;")
		at := strings.Index(line, "= ")
		open := strings.IndexByte(line[max(at, 0):], '(')
		if at < 0 || open < 0 || !strings.HasSuffix(line, ")") || !balanced(line) {
			continue
		}
		from := at + open + 1 // the argument, if there is one
		if strings.Contains(line[from:len(line)-1], ",") || from >= len(line)-1 {
			continue
		}
		begin := lineStart(a.state[p], d.line)
		after, ok := a.act("tool: extract variable", p, begin+from, begin+len(line)-1, func(kind, title string) bool {
			return strings.HasPrefix(kind, "refactor.extract.variable") || strings.HasPrefix(kind, "refactor.extract.constant") ||
				kind == "refactor.extract" && strings.Contains(title, "variable")
		})
		if !ok {
			continue
		}
		spot := Spot{Path: p, Line: d.line, Focus: d.name}
		m := &lineShift{a.state, after, p, d.line, d.name}
		if _, ok := m.at(spot); !ok {
			continue
		}
		return Step{"tool: extract variable", after, []Spot{spot}, m}, true
	}
	return Step{}, false
}

// lineShift maps spots between states: lines above a change stay, lines below it shift.
type lineShift struct {
	was, is State
	path    string
	line    int
	name    string
}

func (m *lineShift) at(s Spot) (Spot, bool) {
	if s.Path != m.path || m.was[s.Path] == m.is[s.Path] {
		return newTexts(m.was, m.is).at(s)
	}
	came := strings.Count(m.is[s.Path], "\n") - strings.Count(m.was[s.Path], "\n")
	if s.Symbol != "" || s.Line != m.line || came < 1 {
		return newTexts(m.was, m.is).at(s)
	}
	lines := m.is.lines(s.Path)
	found := 0
	for n := m.line; n <= m.line+came; n++ {
		if declared := (&script{lang: language(s.Path), state: State{s.Path: strings.Join(lines[n-1:n], "\n")}}).declarations(s.Path); len(declared) == 1 && declared[0].name == m.name {
			if found > 0 {
				return Spot{}, false
			}
			found = n
		}
	}
	s.Line = found
	return s, found > 0
}

// inline replaces a call by the body of the function, or a variable by its value.
func (a *toolScript) inline() (Step, bool) {
	for range 12 {
		p, t, ok := a.declared(func(t extract.Symbol) bool { return t.Kind == "function" || t.Kind == "method" })
		if !ok {
			return Step{}, false
		}
		text := a.state[p]
		for _, n := range names(p, text) {
			if n.Start < t.NameEnd || n.End > t.End || n.End >= len(text) || text[n.End] != '(' || a.rand.IntN(3) > 0 {
				continue
			}
			after, ok := a.act("tool: inline", p, n.Start, n.Start, func(kind, title string) bool {
				return strings.HasPrefix(kind, "refactor.inline")
			})
			if ok {
				return Step{"tool: inline", after, a.targetsIn(p, t), newTexts(a.state, after)}, true
			}
			break
		}
	}
	return Step{}, false
}

// moveOut moves a declaration to a file of its own.
func (a *toolScript) moveOut() (Step, bool) {
	for range 6 {
		p, t, ok := a.declared(func(t extract.Symbol) bool { return t.Parent < 0 && len(t.Name) >= 4 })
		if !ok {
			return Step{}, false
		}
		if strings.Count(a.state[p][t.Start:t.End], "\n") < 2 {
			continue
		}
		after, ok := a.act("tool: move", p, t.Start, t.End, func(kind, title string) bool {
			return strings.HasPrefix(kind, "refactor.move") || strings.HasPrefix(kind, "refactor.extract.toNewFile")
		})
		if !ok || len(a.state.Differing(after)) < 2 {
			continue
		}
		moved := []string{t.Name}
		start, end := wholeLines(a.state[p], t.Start, t.End)
		for _, u := range a.state.symbols(p) {
			if u.Start >= start && u.End <= end && u.Name != t.Name {
				moved = append(moved, u.Name)
			}
		}
		return Step{"tool: move", after, a.targetsIn(p, t), newTexts(a.state, after, moved...)}, true
	}
	return Step{}, false
}

// moveFile moves a file to another folder, or renames it.
func (a *toolScript) moveFile() (Step, bool) {
	const kind = "tool: move file"
	p, t, ok := a.declared(func(t extract.Symbol) bool { return t.Parent < 0 && len(t.Name) >= 4 })
	to := a.words.unusedName(a.rand, strings.TrimSuffix(path.Base(p), path.Ext(p)))
	if !ok || to == "" || a.lang == "go" { // gopls knows no move of a file: a package's files are one
		return Step{}, false
	}
	dir := path.Dir(p)
	if folders := a.folders(); len(folders) > 0 && a.rand.IntN(2) == 0 {
		dir = folders[a.rand.IntN(len(folders))]
	}
	q := path.Join(dir, to+path.Ext(p))
	after, err := a.tool.MoveFile(a.ctx, a.state, p, q)
	if after, ok = a.answer(kind, after, err); !ok {
		return Step{}, false
	}
	return Step{kind, after, a.targetsIn(p, t), movedTexts{newTexts(a.state, after), renames{a.state, after, nil, map[string]string{p: q}}}}, true
}

// folders lists the folders that hold files.
func (a *toolScript) folders() []string {
	seen := map[string]bool{}
	var all []string
	for _, p := range a.state.paths() {
		if d := path.Dir(p); !seen[d] {
			seen[d] = true
			all = append(all, d)
		}
	}
	return all
}

// movedTexts maps the spots of a file that moved by their lines where no line came or
// went, else by their texts, as imports may be sorted anew.
type movedTexts struct {
	texts *texts
	lines renames
}

func (m movedTexts) at(s Spot) (Spot, bool) {
	q, ok := m.lines.files[s.Path]
	if !ok {
		return m.texts.at(s)
	}
	if to, ok := m.lines.at(s); ok {
		return to, true
	}
	if s.Symbol == "" {
		return m.texts.at(s)
	}
	t, ok := only(m.texts.was, s.Path, func(t extract.Symbol) bool { return t.Path == s.Symbol })
	if !ok {
		return Spot{}, false
	}
	u, ok := only(m.texts.is, q, func(u extract.Symbol) bool { return u.Path == s.Symbol && u.Kind == t.Kind })
	return spotOf(m.texts.is, q, u), ok
}

// changeSignature has the tool move, drop, add or join the parameters of a function.
func (a *toolScript) changeSignature() (Step, bool) {
	const kind = "tool: change signature"
	for range 12 {
		p, t, ok := a.declared(func(t extract.Symbol) bool { return t.Kind == "function" || t.Kind == "method" })
		if !ok {
			return Step{}, false
		}
		text := a.state[p]
		open := strings.IndexByte(text[t.NameEnd:t.End], '(')
		at := t.NameStart // rope asks for the function
		if a.lang != "python" {
			at = firstParameter(p, text, t.NameEnd+open)
		}
		if open < 0 || at > t.End {
			continue
		}
		after, ok := a.act(kind, p, at, at, func(kind, title string) bool {
			return strings.HasPrefix(kind, "refactor.rewrite.moveParam") || strings.HasPrefix(kind, "refactor.rewrite.removeUnusedParam") ||
				strings.HasPrefix(kind, "refactor.rewrite.parameters") || kind == "refactor.rewrite.signature"
		})
		if ok {
			return Step{kind, after, a.targetsIn(p, t), newTexts(a.state, after)}, true
		}
	}
	return Step{}, false
}

// firstParameter is the offset of the first name after an opening bracket.
func firstParameter(p, text string, open int) int {
	for _, n := range names(p, text) {
		if n.Start > open {
			return n.Start
		}
	}
	return len(text) + 1
}

// ToolCommand is how a language's tool is started.
type ToolCommand struct {
	Lang     string
	Args     []string
	Settings any // initialization options
}

// String is the name of the program.
func (c ToolCommand) String() string { return c.Args[0] }

// ropeServer speaks the protocol for rope, whose own servers offer renaming alone.
//
//go:embed rope_server.py
var ropeServer string

// ErrNoTool says that no tool is known for a language.
var ErrNoTool = errors.New("no tool is known")

// Command returns the tool of a language. It fails if there is none, or if it is not
// installed.
func Command(lang string) (ToolCommand, error) {
	c := ToolCommand{Lang: lang}
	hint := ""
	switch lang {
	case "go":
		c.Args, hint = []string{"gopls", "serve"}, "go install golang.org/x/tools/gopls"
	case "typescript":
		c.Args, hint = []string{"typescript-language-server", "--stdio"}, "npm install typescript-language-server typescript"
		c.Settings = map[string]any{"preferences": map[string]any{"providePrefixAndSuffixTextForRename": true}}
	case "python":
		c.Args, hint = []string{"python3", "-c", ropeServer}, "install Python 3 with rope"
	default:
		return c, fmt.Errorf("%w for %s", ErrNoTool, lang)
	}
	if _, err := exec.LookPath(c.Args[0]); err != nil {
		return c, fmt.Errorf("find the tool of %s: %w (%s, and put it on the PATH)", lang, err, hint)
	}
	return c, nil
}

func (s Spot) String() string {
	if s.Symbol != "" {
		return fmt.Sprintf("%s#%s/%d", s.Path, s.Symbol, s.Ordinal)
	}
	return fmt.Sprintf("%s:%d(%s)", s.Path, s.Line, s.Focus)
}
