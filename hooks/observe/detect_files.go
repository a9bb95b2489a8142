package observe

import (
	"path"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// abandons are files that were opened and left for another one nearby, which was then
// edited.
func abandons(lane []fold.Step) []signal.Signal {
	uses := map[string]int{}
	edited := map[string]bool{}
	for _, s := range lane {
		for _, p := range s.Paths {
			if s.Class != event.Search {
				uses[p]++
			}
			if s.Class == event.Edit {
				edited[p] = true
			}
		}
	}
	var out []signal.Signal
	for i, s := range lane {
		if s.Class != event.Read || len(s.Paths) != 1 || uses[s.Paths[0]] != 1 || s.Done && !s.OK {
			continue
		}
		for _, t := range lane[i+1 : min(len(lane), i+4)] {
			if t.Class == event.Read && len(t.Paths) == 1 && edited[t.Paths[0]] && confusable(s.Paths[0], t.Paths[0]) {
				out = append(out, signal.Signal{Detail: signal.LeftFor{Path: s.Paths[0], Meant: t.Paths[0]}, Key: s.Paths[0] + "\x00" + t.Paths[0], Paths: []string{s.Paths[0]}, N: 1,
					Evidence: []int{s.N, t.N}, Tainted: s.Tainted})
				break
			}
		}
	}
	return out
}

// confusable reports whether the names of two files share their first word.
func confusable(a, b string) bool {
	first := func(p string) string {
		base := path.Base(p)
		if i := strings.IndexAny(base, "_-."); i > 0 {
			base = base[:i]
		}
		return strings.ToLower(base)
	}
	return a != b && first(a) == first(b) && !testOf(a, b)
}

// testOf reports whether one of two files is the other's test, which is obvious.
func testOf(a, b string) bool {
	stem := func(p string) string {
		base := strings.ToLower(path.Base(p))
		base = strings.TrimSuffix(base, path.Ext(base))
		for _, mark := range []string{"_test", ".test", ".spec", "-test", "_spec", "tests"} {
			base = strings.TrimSuffix(base, mark)
		}
		return strings.TrimPrefix(base, "test_")
	}
	return stem(a) == stem(b)
}

// early triggers
const (
	sameSearch      = 3
	acuteSearch     = 0.8
	acuteCorrection = 0.9
	acuteConfig     = 0.7
)

// searches are repeated searches for the same thing. Their result is the file
// that was read right after.
func searches(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	count := map[string]int{}
	for _, lane := range ses.ByAgent() {
		for i, s := range lane {
			if s.Class != event.Search || !searchable(s.Query) || !definition(s.Query) || s.Done && !s.OK {
				continue
			}
			q := strings.TrimSpace(s.Query)
			count[named(q)]++
			name := named(q)
			sought := signal.SoughtName{Name: name}
			sig := signal.Signal{N: 1, Evidence: []int{s.N}, Tainted: s.Tainted}
			for _, t := range lane[i+1 : min(len(lane), i+3)] {
				if (t.Class == event.Read || t.Class == event.Edit) && len(t.Paths) == 1 && (!t.Done || t.OK) {
					sought.Path = t.Paths[0]
					sig.Evidence = append(sig.Evidence, t.N)
					break
				}
			}
			if sought.Path == "" {
				continue
			}
			sig.Detail, sig.Paths = sought, []string{sought.Path}
			sig.Key = name + "\x00" + sought.Path
			out = append(out, sig)
		}
	}
	for i := range out {
		if d, ok := out[i].Detail.(signal.SoughtName); ok && count[d.Name] >= sameSearch {
			out[i].Acute = acuteSearch
		}
	}
	return out
}

// definition reports whether a search looks for a declaration. A search for a mere name
// may find any use.
func definition(q string) bool {
	for _, word := range strings.FieldsFunc(q, func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
		switch word {
		case "func", "type", "class", "def", "interface", "struct", "function", "enum", "trait", "fn", "const", "impl":
			return !strings.Contains(q, "|")
		}
	}
	return false
}

// named returns the name that a pattern looks for: `func \(s \*Store\) Open\(` gives
// Open.
func named(q string) string {
	best := ""
	for _, w := range strings.FieldsFunc(q, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
	}) {
		if len(w) > len(best) {
			best = w
		}
	}
	if strings.Contains(q, "|") || len(best) < 5 {
		return q
	}
	return best
}

// searchable reports whether a query names something, instead of matching all lines.
func searchable(q string) bool {
	q = strings.TrimSpace(q)
	if len(q) < 5 || len(q) > 80 || strings.ContainsAny(q, "*") {
		return false
	}
	letters := 0
	for _, r := range q {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' {
			letters++
		}
	}
	return letters*10 >= len(q)*7 && strings.Count(q, "|") < 3
}

// globs are searches without results, or whose results nobody opens.
func globs(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, lane := range ses.ByAgent() {
		for i, s := range lane {
			if s.Class != event.Search || s.Query == "" || s.Found == nil || *s.Found > 0 || len(s.Query) > 80 || !s.OK {
				continue
			}
			empty := signal.EmptySearch{Pattern: s.Query}
			sig := signal.Signal{Key: s.Query, N: 1, Evidence: []int{s.N}, Tainted: s.Tainted}
			for _, t := range lane[i+1 : min(len(lane), i+4)] {
				if t.Class == event.Read && len(t.Paths) == 1 && t.OK && nameIn(s.Query, t.Paths[0]) {
					empty.Path, sig.Paths = t.Paths[0], []string{t.Paths[0]}
					sig.Evidence = append(sig.Evidence, t.N)
					break
				}
			}
			sig.Detail = empty
			out = append(out, sig)
		}
	}
	return out
}

// nameIn reports whether a path contains a name that a glob looks for.
func nameIn(glob, p string) bool {
	for _, part := range strings.FieldsFunc(strings.ToLower(path.Base(glob)), func(r rune) bool { return strings.ContainsRune("*/?{}[],.", r) }) {
		if len(part) > 4 && strings.Contains(strings.ToLower(path.Base(p)), part) {
			return true
		}
	}
	return false
}

// configFile reports whether a file configures tools, instead of being code.
func configFile(p string) bool {
	base := strings.ToLower(path.Base(p))
	switch base {
	case "makefile", "dockerfile", "go.mod", "package.json", "cargo.toml", "pyproject.toml", "tsconfig.json":
		return true
	}
	if strings.Contains(base, "lock") || strings.HasPrefix(p, ".claude/") || strings.HasPrefix(p, ".cursor/") {
		return false
	}
	switch path.Ext(base) {
	case ".toml", ".yaml", ".yml", ".ini", ".cfg", ".env", ".properties":
		return true
	}
	return strings.HasSuffix(base, "rc") || strings.HasSuffix(base, "rc.json") || strings.HasSuffix(base, ".config.js") || strings.HasSuffix(base, ".config.ts")
}

// configs are configuration files that are edited together with code.
func configs(ses *fold.Session) []signal.Signal {
	var configs, others []fold.FileUse
	for _, u := range ses.Files() {
		switch {
		case u.Edits == 0:
		case configFile(u.Path):
			configs = append(configs, u)
		case path.Ext(u.Path) != ".md":
			others = append(others, u)
		}
	}
	if len(others) < 2 || len(configs) == 0 || len(others) > 12 {
		return nil
	}
	var out []signal.Signal
	for _, c := range configs {
		for _, o := range others {
			out = append(out, signal.Signal{Detail: signal.ConfigWithCode{Config: c.Path, Code: o.Path}, Key: c.Path + "\x00" + o.Path, Paths: []string{c.Path, o.Path}, N: 1, Evidence: []int{c.N, o.N},
				Acute: acuteConfig, Tainted: ses.Tainted})
		}
	}
	return out
}

// chases are three files read one after the other, each in another folder: the
// information lies two steps away.
func chases(lane []fold.Step) []signal.Signal {
	var reads []fold.Step
	var out []signal.Signal
	for _, s := range lane {
		switch {
		case s.Class == event.Read && len(s.Paths) == 1 && (!s.Done || s.OK):
			if len(reads) > 0 && reads[len(reads)-1].Paths[0] == s.Paths[0] {
				continue
			}
			reads = append(reads, s)
		case s.Class == event.Search || s.Class == event.OtherClass:
		default:
			reads = nil
		}
		if n := len(reads); n >= 3 {
			a, b, c := reads[n-3], reads[n-2], reads[n-1]
			if path.Dir(a.Paths[0]) != path.Dir(b.Paths[0]) && path.Dir(b.Paths[0]) != path.Dir(c.Paths[0]) && a.Paths[0] != c.Paths[0] {
				out = append(out, signal.Signal{Detail: signal.ReadChain{First: a.Paths[0], Via: b.Paths[0], Last: c.Paths[0]}, Key: a.Paths[0] + "\x00" + c.Paths[0], Paths: []string{a.Paths[0]}, N: 1,
					Evidence: []int{a.N, b.N, c.N}, Tainted: c.Tainted})
			}
		}
	}
	return out
}
