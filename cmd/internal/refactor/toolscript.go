package refactor

import (
	"context"
	"fmt"
	"strings"

	"manicule/indexer/extract"
)

// toolScript does refactorings with a tool.
type toolScript struct {
	*script
	tool *Tool
	ctx  context.Context // context of the current case
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
	after, err := a.tool.Rename(a.ctx, a.state, p, at, to, a.lang)
	if err != nil || len(a.state.Differing(after)) == 0 {
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
		after, err := a.tool.Act(a.ctx, a.state, p, start, end, a.lang, fits)
		if err != nil || len(a.state.Differing(after)) == 0 {
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
		after, err := a.tool.Act(a.ctx, a.state, p, begin+from, begin+len(line)-1, a.lang, func(kind, title string) bool {
			return strings.HasPrefix(kind, "refactor.extract.variable") || strings.HasPrefix(kind, "refactor.extract.constant") ||
				kind == "refactor.extract" && strings.Contains(title, "variable")
		})
		if err != nil || len(a.state.Differing(after)) == 0 {
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
			after, err := a.tool.Act(a.ctx, a.state, p, n.Start, n.Start, a.lang, func(kind, title string) bool {
				return strings.HasPrefix(kind, "refactor.inline")
			})
			if err == nil && len(a.state.Differing(after)) > 0 {
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
		after, err := a.tool.Act(a.ctx, a.state, p, t.Start, t.End, a.lang, func(kind, title string) bool {
			return strings.HasPrefix(kind, "refactor.move") || strings.HasPrefix(kind, "refactor.extract.toNewFile")
		})
		if err != nil || len(a.state.Differing(after)) < 2 {
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

// Command returns the tool of a language and its settings, or nil.
func Command(lang string) (command []string, settings any) {
	switch lang {
	case "go":
		return []string{"gopls", "serve"}, nil
	case "typescript":
		return []string{"typescript-language-server", "--stdio"}, map[string]any{"preferences": map[string]any{"providePrefixAndSuffixTextForRename": true}}
	case "python":
		return []string{"pylsp"}, map[string]any{"pylsp": map[string]any{"plugins": map[string]any{"rope_rename": map[string]any{"enabled": true}, "jedi_rename": map[string]any{"enabled": false}}}}
	default:
		return nil, nil
	}
}

func (s Spot) String() string {
	if s.Symbol != "" {
		return fmt.Sprintf("%s#%s/%d", s.Path, s.Symbol, s.Ordinal)
	}
	return fmt.Sprintf("%s:%d(%s)", s.Path, s.Line, s.Focus)
}
