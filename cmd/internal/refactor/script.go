package refactor

import (
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"manicule/indexer/extract"
)

// Step is one refactoring: its kind, the resulting state, the mapping between both
// states, and its targets.
type Step struct {
	Kind    string
	After   State
	Targets []Spot // in the state before
	mapping
}

// script does refactorings by the syntax tree alone, in any language. Renaming replaces a
// name everywhere by an unused one, so that the meaning stays.
type script struct {
	lang  string
	state State
	words *vocabulary
	rand  *rand.Rand
	on    *Spot // the required target, nil for any
}

// Limits of renaming.
const (
	maxUses  = 250
	maxFiles = 40
)

// scripts lists the scripted refactorings by name.
var scripts = map[string]func(*script) (Step, bool){
	"rename function": func(s *script) (Step, bool) { return s.rename("rename function", "function", "method") },
	"rename type": func(s *script) (Step, bool) {
		return s.rename("rename type", "class", "struct", "interface", "enum", "type")
	},
	"rename field":                  func(s *script) (Step, bool) { return s.rename("rename field", "field", "const", "var") },
	"rename variable":               func(s *script) (Step, bool) { return s.variable("rename variable", false, true) },
	"rename type and its variables": (*script).retype,
	"type change":                   func(s *script) (Step, bool) { return s.variable("type change", true, false) },
	"type change, rename":           func(s *script) (Step, bool) { return s.variable("type change, rename", true, true) },
	"parameter added":               (*script).parameter,
	"move declaration":              (*script).move,
	"move file":                     (*script).moveFile,
	"extract function":              (*script).extract,
}

// declared picks random declarations of some kinds.
func (s *script) declared(fits func(t extract.Symbol) bool) (string, extract.Symbol, bool) {
	if p, t, ok := s.wanted(fits); ok {
		return p, t, true
	}
	paths := s.state.paths()
	for range 30 {
		p := paths[s.rand.IntN(len(paths))]
		var all []extract.Symbol
		for _, t := range s.state.symbols(p) {
			if fits(t) {
				all = append(all, t)
			}
		}
		if len(all) > 0 {
			return p, all[s.rand.IntN(len(all))], true
		}
	}
	return "", extract.Symbol{}, false
}

// substitute replaces identifiers in all files.
func (s *script) substitute(words map[string]string) (State, bool) {
	changed := map[string]string{}
	uses := 0
	for p, text := range s.state {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(words)), func(w string) bool { return strings.Contains(text, w) }) {
			continue
		}
		n, count := substituted(p, text, words)
		if uses += count; count > 0 {
			changed[p] = n
		}
	}
	return s.state.with(changed), uses > 0 && uses <= maxUses && len(changed) <= maxFiles
}

func substituted(p, text string, words map[string]string) (string, int) {
	var b strings.Builder
	at, count := 0, 0
	for _, n := range names(p, text) {
		if to, ok := words[text[n.Start:n.End]]; ok {
			b.WriteString(text[at:n.Start] + to)
			at = n.End
			count++
		}
	}
	return b.String() + text[at:], count
}

func (s *script) rename(kind string, kinds ...string) (Step, bool) {
	p, t, ok := s.declared(func(t extract.Symbol) bool { return slices.Contains(kinds, t.Kind) && len(t.Name) >= 4 })
	if !ok {
		return Step{}, false
	}
	return s.renamed(kind, p, t, nil)
}

// renamed renames a declaration together with further names.
func (s *script) renamed(kind, p string, t extract.Symbol, more map[string]string) (Step, bool) {
	to := s.words.unusedName(s.rand, t.Name)
	if to == "" {
		return Step{}, false
	}
	words := map[string]string{t.Name: to}
	for w, n := range more {
		words[w] = n
	}
	after, ok := s.substitute(words)
	if !ok {
		return Step{}, false
	}
	return Step{kind, after, s.targetsIn(p, t), renames{s.state, after, words, nil}}, true
}

// targetsIn lists a declaration and some of its lines.
func (s *script) targetsIn(p string, t extract.Symbol) []Spot {
	all := []Spot{spotOf(s.state, p, t)}
	lines := s.state.lines(p)
	from := all[0].Line
	to := from + strings.Count(s.state[p][t.Start:t.End], "\n")
	for range 2 {
		if to <= from+1 {
			break
		}
		if n := from + 1 + s.rand.IntN(to-from-1); len(strings.TrimSpace(lines[n-1])) >= shortLine {
			all = append(all, Spot{Path: p, Line: n})
		}
	}
	return all
}

// retype renames a type and each name derived from it, such as variables declared in the
// same line.
func (s *script) retype() (Step, bool) {
	kinds := []string{"class", "struct", "interface", "enum", "type"}
	p, t, ok := s.declared(func(t extract.Symbol) bool { return slices.Contains(kinds, t.Kind) && len(t.Name) >= 5 })
	if !ok {
		return Step{}, false
	}
	to := s.words.unusedName(s.rand, t.Name)
	if to == "" {
		return Step{}, false
	}
	words := s.words.derivedNames(t.Name, to)
	after, ok := s.substitute(words)
	if !ok || len(words) < 2 {
		return Step{}, false
	}
	step := Step{"rename type and its variables", after, []Spot{spotOf(s.state, p, t)}, renames{s.state, after, words, nil}}
	for _, q := range s.state.Differing(after) {
		for _, d := range s.declarations(q) {
			if words[d.name] != "" {
				step.Targets = append(step.Targets, Spot{Path: q, Line: d.line, Focus: d.name})
			}
		}
		for _, u := range s.state.symbols(q) {
			if words[u.Name] != "" {
				step.Targets = append(step.Targets, spotOf(s.state, q, u))
			}
		}
	}
	s.rand.Shuffle(len(step.Targets), func(i, j int) { step.Targets[i], step.Targets[j] = step.Targets[j], step.Targets[i] })
	step.Targets = step.Targets[:min(len(step.Targets), maxTargets)]
	return step, true
}

// maxTargets bounds the probed spots of one step.
const maxTargets = 12

// move moves a declaration to another file of its folder.
func (s *script) move() (Step, bool) {
	p, t, ok := s.declared(func(t extract.Symbol) bool {
		return (t.Kind == "function" || t.Kind == "method" && s.lang == "java" || t.Kind == "struct" || t.Kind == "class" && t.Parent < 0 && s.lang != "java") && len(t.Name) >= 4
	})
	if !ok || strings.Count(s.state[p][t.Start:t.End], "\n") < 3 {
		return Step{}, false
	}
	var others []string
	for _, q := range s.state.paths() {
		if path.Dir(q) == path.Dir(p) && q != p && !strings.Contains(s.state[q], t.Name+"(") {
			others = append(others, q)
		}
	}
	if len(others) == 0 {
		return Step{}, false
	}
	to := others[s.rand.IntN(len(others))]
	start, end := wholeLines(s.state[p], t.DocStart, t.End)
	text := s.state[p][start:end]
	rest := s.state[p][:start] + s.state[p][end:]
	into := strings.TrimRight(s.state[to], "\n") + "\n\n" + text
	if s.lang == "java" || t.Kind == "method" {
		at := strings.LastIndexByte(s.state[to], '}')
		if at < 0 {
			return Step{}, false
		}
		into = s.state[to][:at] + "\n" + text + s.state[to][at:]
	}
	after := s.state.with(map[string]string{p: rest, to: into})
	return Step{"move declaration", after, s.targetsIn(p, t), newTexts(s.state, after, t.Name)}, true
}

// wholeLines widens a span of bytes to whole lines.
func wholeLines(text string, start, end int) (int, int) {
	start = strings.LastIndexByte(text[:start], '\n') + 1
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		return start, end + i + 1
	}
	return start, len(text)
}

// moveFile moves a file to another folder under another name. Names equal to the file's,
// such as a Java class, are renamed too.
func (s *script) moveFile() (Step, bool) {
	p, t, ok := s.declared(func(t extract.Symbol) bool { return t.Parent < 0 && len(t.Name) >= 4 })
	if !ok {
		return Step{}, false
	}
	stem := strings.TrimSuffix(path.Base(p), path.Ext(p))
	to := s.words.unusedName(s.rand, stem)
	if to == "" {
		return Step{}, false
	}
	words := map[string]string{}
	if t.Name == stem {
		words[stem] = to
	}
	after := s.state
	if len(words) > 0 {
		if after, ok = s.substitute(words); !ok {
			return Step{}, false
		}
	}
	dir := path.Join(path.Dir(p), s.words.parts[s.rand.IntN(len(s.words.parts))])
	if s.rand.IntN(2) == 0 {
		dir = path.Dir(p)
	}
	q := path.Join(dir, to+path.Ext(p))
	after = after.with(map[string]string{p: "", q: after[p]})
	return Step{"move file", after, s.targetsIn(p, t), renames{s.state, after, words, map[string]string{p: q}}}, true
}
