package refactor

import (
	"regexp"
	"strings"

	"manicule/indexer/extract"
)

// declaration is a variable or field that a line declares, with its explicit type if it
// has one.
type declaration struct {
	name     string
	line     int
	from, to int // bytes of the type in the line; an empty range for none
}

// Patterns of variable declarations by language, with the optional type and the name.
var declaring = map[string]*regexp.Regexp{
	"java":       regexp.MustCompile(`^\s+(?:private |public |protected |static |final |volatile )*(?P<type>[A-Za-z][\w.]*(?:<[\w<>, ?]*>)?(?:\[\])?) (?P<name>\w+)(?: =.*|;)\s*$`),
	"go":         regexp.MustCompile(`^\s+(?:(?:var )?(?P<name>[A-Za-z]\w*)\s+(?P<type>[*\[\]]*[\w.]+)(?: =.*| ` + "`" + `.*)?|(?P<name2>[a-z]\w*)(?:, \w+)? := .*)$`),
	"typescript": regexp.MustCompile(`^\s+(?:(?:private|public|protected|readonly|const|let|static) )*(?P<name>[A-Za-z_]\w*)(?:\??: (?P<type>[\w.<>\[\]]+))?(?: =.*|[;,])\s*$`),
	"python":     regexp.MustCompile(`^\s+(?:self\.)?(?P<name>[a-z_]\w*)(?:: (?P<type>[\w.\[\], ]+))? = .*$`),
	"rust":       regexp.MustCompile(`^\s+(?:let (?:mut )?(?P<name>[a-z]\w*)(?:: (?P<type>[\w:<>&\[\]' ]+))? =.*|(?:pub )?(?P<name2>[a-z]\w*): (?P<type2>[\w:<>&\[\]' ]+),)\s*$`),
}

// Words that match a pattern but are no types or names.
var notDeclared = map[string]bool{"return": true, "else": true, "throw": true, "new": true, "package": true, "import": true, "case": true,
	"default": true, "break": true, "continue": true, "goto": true, "type": true, "func": true, "this": true, "self": true, "true": true,
	"false": true, "null": true, "yield": true, "go": true, "defer": true, "err": true, "_": true, "chan": true, "async": true, "await": true,
	"throws": true, "extends": true, "implements": true, "if": true, "for": true, "while": true, "struct": true, "interface": true, "in": true}

// declarations lists what the lines of a file declare, inside of declarations.
func (s *script) declarations(path string) []declaration {
	re := declaring[s.lang]
	if re == nil {
		return nil
	}
	var all []declaration
	seen := map[string]bool{}
	for i, line := range s.state.lines(path) {
		at := re.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		d := declaration{line: i + 1}
		for k, group := range re.SubexpNames() {
			from, to := at[2*k], at[2*k+1]
			switch {
			case from < 0:
			case strings.HasPrefix(group, "name"):
				d.name = line[from:to]
			case strings.HasPrefix(group, "type"):
				d.from, d.to = from, to
			}
		}
		if len(d.name) < 3 || notDeclared[d.name] || notDeclared[line[d.from:d.to]] || seen[d.name] || strings.Contains(line, "//") {
			continue
		}
		if s.lang == "python" && !strings.Contains(line, "self.") && strings.Count(s.state[path], d.name) < 2 {
			continue // a keyword argument on a line of its own
		}
		seen[d.name] = true
		all = append(all, d)
	}
	return all
}

// otherTypes are the replacement types, by language.
var otherTypes = map[string][]string{
	"java":       {"long", "Object", "List<String>", "Optional<String>", "CharSequence", "Map<String, Object>", "BigInteger"},
	"go":         {"int64", "any", "[]byte", "*strings.Builder", "time.Duration", "context.Context"},
	"typescript": {"unknown", "string[]", "Promise<void>", "Map<string, number>", "bigint"},
	"python":     {"Optional[str]", "List[int]", "bytes", "Path", "Sequence"},
	"rust":       {"Option<String>", "Vec<u8>", "u64", "PathBuf", "&'a str"},
}

// variable gives a declared variable another type, another name, or both. It renames
// within the file, and only if no other file knows the name.
func (s *script) variable(kind string, typed, named bool) (Step, bool) {
	paths := s.state.paths()
	for range 40 {
		p := paths[s.rand.IntN(len(paths))]
		all := s.declarations(p)
		if len(all) == 0 {
			continue
		}
		d := all[s.rand.IntN(len(all))]
		if typed && d.from == d.to {
			continue
		}
		step, ok := s.changed(kind, p, d, typed, named)
		if ok {
			return step, true
		}
	}
	return Step{}, false
}

func (s *script) changed(kind, p string, d declaration, typed, named bool) (Step, bool) {
	words := map[string]string{}
	if named {
		to := s.words.unusedName(s.rand, d.name)
		if to == "" || s.shared(p, d.name) {
			return Step{}, false
		}
		words[d.name] = to
	}
	lines := s.state.lines(p)
	if typed {
		line := lines[d.line-1]
		types := otherTypes[s.lang]
		to := types[s.rand.IntN(len(types))]
		if to == line[d.from:d.to] {
			return Step{}, false
		}
		lines[d.line-1] = line[:d.from] + to + line[d.to:]
	}
	text, _ := substituted(p, strings.Join(lines, "\n"), words)
	after := s.state.with(map[string]string{p: text})
	step := Step{kind, after, []Spot{{Path: p, Line: d.line, Focus: d.name}}, renames{s.state, after, words, nil}}
	for _, t := range s.state.symbols(p) {
		if t.Name == d.name {
			step.Targets = append(step.Targets, spotOf(s.state, p, t))
		}
	}
	return step, text != s.state[p]
}

// shared reports whether other files know a name.
func (s *script) shared(p, name string) bool {
	for _, t := range s.state.symbols(p) {
		if t.Name != name {
			continue
		}
		if t.Kind != "field" && t.Kind != "var" && t.Kind != "const" {
			return true
		}
		for q, text := range s.state {
			if q != p && strings.Contains(text, name) {
				return true
			}
		}
	}
	return false
}

// The text to insert before the parameters of a function and the arguments of its calls.
var parameters = map[string][2]string{
	"java": {"ExecutionContext execution", "execution"}, "go": {"execution Execution", "execution"},
	"typescript": {"execution: ExecutionContext", "execution"}, "python": {"execution", "execution"},
	"rust": {"execution: &Execution", "execution"},
}

// parameter adds a parameter to a function and an argument to its calls.
func (s *script) parameter() (Step, bool) {
	p, t, ok := s.declared(func(t extract.Symbol) bool {
		return (t.Kind == "function" || t.Kind == "method") && len(t.Name) >= 4
	})
	if !ok || s.words.count[t.Name] > maxUses {
		return Step{}, false
	}
	add := parameters[s.lang]
	changed := map[string]string{}
	for q, text := range s.state {
		if !strings.Contains(text, t.Name+"(") {
			continue
		}
		declared := map[int]bool{}
		for _, u := range s.state.symbols(q) {
			declared[u.NameStart] = u.Name == t.Name
		}
		var b strings.Builder
		at := 0
		for _, n := range names(q, text) {
			if text[n.Start:n.End] != t.Name || n.End >= len(text) || text[n.End] != '(' {
				continue
			}
			what := add[1]
			open := n.End + 1
			if declared[n.Start] {
				what = add[0]
				for _, own := range []string{"&mut self", "&self", "mut self", "self", "cls"} {
					if strings.HasPrefix(text[open:], own) {
						open += len(own)
						what = ", " + what
						break
					}
				}
			}
			if !strings.HasPrefix(what, ", ") && text[open] != ')' {
				what += ", "
			}
			b.WriteString(text[at:open] + what)
			at = open
		}
		if at > 0 {
			changed[q] = b.String() + text[at:]
		}
	}
	if len(changed) == 0 || len(changed) > maxFiles || changed[p] == "" {
		return Step{}, false
	}
	after := s.state.with(changed)
	return Step{"parameter added", after, s.targetsIn(p, t), renames{s.state, after, nil, nil}}, true
}

// The syntax of an extracted function by language: its head, its end and a call. NAME
// stands for its name.
var functions = map[string][3]string{
	"java": {"private void NAME() {", "}", "NAME();"}, "go": {"func NAME() {", "}", "NAME()"},
	"typescript": {"function NAME() {", "}", "NAME();"}, "python": {"def NAME():", "", "NAME()"}, "rust": {"fn NAME() {", "}", "NAME();"},
}

// extract moves some lines of a function to a new one.
func (s *script) extract() (Step, bool) {
	p, t, ok := s.declared(func(t extract.Symbol) bool { return t.Kind == "function" || t.Kind == "method" })
	if !ok || s.lang == "typescript" && t.Parent >= 0 {
		return Step{}, false
	}
	lines := s.state.lines(p)
	first := spotOf(s.state, p, t).Line
	last := first + strings.Count(s.state[p][t.Start:t.End], "\n")
	if last-first < 10 {
		return Step{}, false
	}
	indent := func(n int) int { return len(lines[n-1]) - len(strings.TrimLeft(lines[n-1], " \t")) }
	size := 4 + s.rand.IntN(8)
	from := first + 2 + s.rand.IntN(last-first-6)
	to := min(from+size, last-2)
	for n := from; n <= to; n++ {
		if strings.TrimSpace(lines[n-1]) != "" && indent(n) < indent(from) {
			to = n - 1
			break
		}
	}
	block := strings.Join(lines[from-1:max(to, from-1)], "\n")
	if to-from < 3 || strings.TrimSpace(lines[from-1]) == "" || indent(to) != indent(from) || !balanced(block) {
		return Step{}, false
	}
	name := s.words.unusedName(s.rand, t.Name)
	if name == "" {
		return Step{}, false
	}
	f := functions[s.lang]
	in, at := strings.Repeat(" ", indent(from)), strings.Repeat(" ", indent(first))
	if s.lang == "go" {
		in, at = strings.Repeat("\t", indent(from)), ""
	}
	made := []string{"", at + strings.ReplaceAll(f[0], "NAME", name), block}
	if f[1] != "" {
		made = append(made, at+f[1])
	}
	n := append([]string{}, lines[:from-1]...)
	n = append(n, in+strings.ReplaceAll(f[2], "NAME", name))
	n = append(n, lines[to:last]...)
	n = append(append(n, made...), lines[last:]...)
	after := s.state.with(map[string]string{p: strings.Join(n, "\n")})
	step := Step{"extract function", after, []Spot{spotOf(s.state, p, t)}, newTexts(s.state, after)}
	for range 3 {
		step.Targets = append(step.Targets, Spot{Path: p, Line: from + s.rand.IntN(to-from+1)})
	}
	return step, true
}

// balanced reports whether the brackets of a text are balanced.
func balanced(text string) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}
