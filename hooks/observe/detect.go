package observe

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"manicule/hooks/event"
)

// The beginnings of the keys of retries that are not about one error message.
const (
	mismatch = "mismatch\x00" // an edit whose text is not in the file
	ruled    = "rule\x00"     // a rule of a linter or a compiler
)

// retries are the failures that a changed call has resolved, or that came back
// (V5-OBS-05).
func (f *Fold) retries(failures []Failure) []Signal {
	var out []Signal
	for _, s := range f.steps {
		if s.done && !s.ok && s.kind == EditMismatch && len(s.paths) == 1 {
			out = append(out, Signal{Kind: ErrorRetry, Key: mismatch + s.paths[0], A: s.paths[0], N: 1, Evidence: []int{s.n, s.ended}, Tainted: s.tainted})
		}
		for _, r := range s.rules {
			out = append(out, Signal{Kind: ErrorRetry, Key: ruled + s.key + "\x00" + r.name, A: s.key, B: r.name, C: r.text, N: 1, Evidence: []int{s.n, s.ended}, Tainted: s.tainted})
		}
	}
	for _, x := range failures {
		if x.Generic || x.Kind == EditMismatch || x.Kind == NotRead || x.Kind == ChangedSince {
			continue
		}
		s := Signal{Kind: ErrorRetry, Key: x.Key + "\x00" + x.Print, A: x.Failed, B: x.Fix, C: x.Line, N: x.Count, Evidence: x.Seen, Tainted: x.Taint}
		if x.Kind == FileMissing || x.Kind == IsFolder {
			s.Paths = []string{x.Key}
		}
		if x.Count >= 2 && x.Fix != "" {
			s.Acute = 0.75 // two of the same fingerprint (V5-OBS-22)
		}
		out = append(out, s)
	}
	return out
}

// backtracks are edits that were taken back: by the opposite edit, or by git (V5-OBS-06).
func (f *Fold) backtracks() []Signal {
	var out []Signal
	edits := map[string][]step{}
	for _, s := range f.steps {
		switch s.class {
		case event.Edit:
			if len(s.paths) != 1 || s.done && !s.ok {
				continue
			}
			p := s.paths[0]
			for _, e := range edits[p] {
				if e.before != "" && e.before == s.after && e.after == s.before {
					out = append(out, Signal{Kind: Backtrack, Key: p, Paths: []string{p}, A: p, B: "edit", N: 1, Evidence: []int{e.n, s.n}, Tainted: s.tainted, Rejected: true})
				}
			}
			edits[p] = append(edits[p], s)
		case event.Shell:
			for _, args := range event.SimpleCommands(s.command) {
				if len(args) < 3 || args[0] != "git" || args[1] != "checkout" && args[1] != "restore" {
					continue
				}
				for _, a := range args[2:] {
					rel, ok := f.rel(a, "")
					if !ok || len(edits[rel]) == 0 {
						continue
					}
					last := edits[rel][len(edits[rel])-1]
					out = append(out, Signal{Kind: Backtrack, Key: rel, Paths: []string{rel}, A: rel, B: "git", N: 1, Evidence: []int{last.n, s.n}, Tainted: s.tainted, Rejected: true})
					delete(edits, rel)
				}
			}
		}
	}
	return out
}

// abandons are files that were opened and left for another one near by, which
// was then edited (V5-OBS-07).
func abandons(lane []step) []Signal {
	uses := map[string]int{}
	edited := map[string]bool{}
	for _, s := range lane {
		for _, p := range s.paths {
			if s.class != event.Search {
				uses[p]++
			}
			if s.class == event.Edit {
				edited[p] = true
			}
		}
	}
	var out []Signal
	for i, s := range lane {
		if s.class != event.Read || len(s.paths) != 1 || uses[s.paths[0]] != 1 || s.done && !s.ok {
			continue
		}
		for _, t := range lane[i+1 : min(len(lane), i+4)] {
			if t.class == event.Read && len(t.paths) == 1 && edited[t.paths[0]] && confusable(s.paths[0], t.paths[0]) {
				out = append(out, Signal{Kind: ReadAbandon, Key: s.paths[0] + "\x00" + t.paths[0], Paths: []string{s.paths[0]}, A: s.paths[0], B: t.paths[0], N: 1,
					Evidence: []int{s.n, t.n}, Tainted: s.tainted})
				break
			}
		}
	}
	return out
}

// confusable reports two files whose names share their first word.
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

// testOf reports that one of two files is the other's test, which needs no telling.
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

// early triggers (CONSTANTS.md).
const (
	sameSearch      = 3
	acuteSearch     = 0.8
	acuteCorrection = 0.9
	acuteConfig     = 0.7
)

// searches are made again and again for the same thing (V5-OBS-08). What they
// led to is the file that was read right after.
func (f *Fold) searches() []Signal {
	var out []Signal
	count := map[string]int{}
	for _, lane := range f.lanes() {
		for i, s := range lane {
			if s.class != event.Search || !searchable(s.query) || !definition(s.query) || s.done && !s.ok {
				continue
			}
			q := strings.TrimSpace(s.query)
			count[named(q)]++
			name := named(q)
			sig := Signal{Kind: RepeatedSearch, A: name, N: 1, Evidence: []int{s.n}, Tainted: s.tainted}
			for _, t := range lane[i+1 : min(len(lane), i+3)] {
				if (t.class == event.Read || t.class == event.Edit) && len(t.paths) == 1 && (!t.done || t.ok) {
					sig.B = t.paths[0]
					sig.Evidence = append(sig.Evidence, t.n)
					break
				}
			}
			if sig.B == "" {
				continue
			}
			sig.Paths = []string{sig.B}
			sig.Key = name + "\x00" + sig.B
			out = append(out, sig)
		}
	}
	for i := range out {
		if count[out[i].A] >= sameSearch {
			out[i].Acute = acuteSearch
		}
	}
	return out
}

// definition reports a search for the place where something is declared. What
// a search for a mere name leads to may be any of its uses.
func definition(q string) bool {
	for _, word := range strings.FieldsFunc(q, func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
		switch word {
		case "func", "type", "class", "def", "interface", "struct", "function", "enum", "trait", "fn", "const", "impl":
			return !strings.Contains(q, "|")
		}
	}
	return false
}

// named is the name that a pattern looks for: `func \(s \*Store\) Open\(` is Open.
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

// searchable reports a query that names something, not a pattern over all lines.
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

// globs are searches that find nothing, or whose finds nobody opens (V5-OBS-13).
func (f *Fold) globs() []Signal {
	var out []Signal
	for _, lane := range f.lanes() {
		for i, s := range lane {
			if s.class != event.Search || s.query == "" || s.found == nil || *s.found > 0 || len(s.query) > 80 || !s.ok {
				continue
			}
			sig := Signal{Kind: GlobIgnore, Key: s.query, A: s.query, N: 1, Evidence: []int{s.n}, Tainted: s.tainted}
			for _, t := range lane[i+1 : min(len(lane), i+4)] {
				if t.class == event.Read && len(t.paths) == 1 && t.ok && nameIn(s.query, t.paths[0]) {
					sig.B, sig.Paths = t.paths[0], []string{t.paths[0]}
					sig.Evidence = append(sig.Evidence, t.n)
					break
				}
			}
			out = append(out, sig)
		}
	}
	return out
}

// nameIn reports that a path has a name that a glob looks for.
func nameIn(glob, p string) bool {
	for _, part := range strings.FieldsFunc(strings.ToLower(path.Base(glob)), func(r rune) bool { return strings.ContainsRune("*/?{}[],.", r) }) {
		if len(part) > 4 && strings.Contains(strings.ToLower(path.Base(p)), part) {
			return true
		}
	}
	return false
}

// sequences are the checks that come before a commit (V5-OBS-09).
func (f *Fold) sequences() []Signal {
	var out []Signal
	var keys []string
	var evidence []int
	tainted := false
	for _, s := range f.steps {
		if s.class != event.Shell || s.done && !s.ok {
			continue
		}
		for _, k := range s.keys {
			switch {
			case check(k):
				if !slices.Contains(keys, k) {
					keys = append(keys, k)
					evidence = append(evidence, s.n)
				}
				tainted = tainted || s.tainted
			case k == "git commit" && len(keys) > 1:
				sorted := slices.Sorted(slices.Values(keys))
				out = append(out, Signal{Kind: ToolSequence, Key: strings.Join(sorted, "\x00"), A: strings.Join(keys, "\x00"), N: 1, Evidence: append(evidence, s.n), Tainted: tainted})
				keys, evidence, tainted = nil, nil, false
			case k == "git commit":
				keys, evidence, tainted = nil, nil, false
			}
		}
	}
	return out
}

// slowAfter is what a person would call a long wait for a command, in milliseconds.
const slowAfter = 60_000

// slow are commands that take long (V5-OBS-10).
func (f *Fold) slow() []Signal {
	var out []Signal
	for _, s := range f.steps {
		if s.class == event.Shell && s.ok && s.took >= slowAfter && s.took < 20*slowAfter && len(s.keys) == 1 && check(s.keys[0]) {
			out = append(out, Signal{Kind: TimeAnomaly, Key: s.keys[0], A: s.keys[0], B: strconv.FormatInt(s.took/1000, 10), N: 1, Evidence: []int{s.n, s.ended}, Tainted: s.tainted})
		}
	}
	return out
}

// orders tell which of two checks is run first, where the first one fails more
// often than not (V5-OBS-15).
func (f *Fold) orders() []Signal {
	var first []string
	at := map[string]step{}
	for _, s := range f.steps {
		for _, k := range s.keys {
			if check(k) && !slices.Contains(first, k) {
				first = append(first, k)
				at[k] = s
			}
		}
	}
	if len(first) < 2 {
		return nil
	}
	a, b := at[first[0]], at[first[1]]
	if a.ok || a.kind != CommandFailed || misused(a.line) || strings.HasSuffix(first[0], first[1]) || strings.HasSuffix(first[1], first[0]) {
		return nil
	}
	return []Signal{{Kind: TestOrder, Key: first[0] + "\x00" + first[1], A: first[0], B: first[1], N: 1, Evidence: []int{a.n, b.n}, Tainted: a.tainted}}
}

// configFile reports a file that configures tools rather than being code.
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

// configs are configuration files that are edited together with code (V5-OBS-16).
func (f *Fold) configs() []Signal {
	var configs, others []FileUse
	for _, u := range f.files() {
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
	var out []Signal
	for _, c := range configs {
		for _, o := range others {
			out = append(out, Signal{Kind: ConfigTouch, Key: c.Path + "\x00" + o.Path, Paths: []string{c.Path, o.Path}, A: c.Path, B: o.Path, N: 1, Evidence: []int{c.N, o.N},
				Acute: acuteConfig, Tainted: f.taint})
		}
	}
	return out
}

// manySteps is more calls than a request usually takes: the 90th percentile of
// the development set is near it.
const manySteps = 60

// overruns are requests that take many steps, by the folder that was worked in (V5-OBS-17).
func (f *Fold) overruns() []Signal {
	count := map[int]int{}
	folder := map[int]map[string]int{}
	firstN := map[int]int{}
	for _, s := range f.steps {
		if s.agent != "" {
			continue
		}
		count[s.prompt]++
		if firstN[s.prompt] == 0 {
			firstN[s.prompt] = s.n
		}
		if s.class != event.Edit {
			continue
		}
		for _, p := range s.paths {
			if folder[s.prompt] == nil {
				folder[s.prompt] = map[string]int{}
			}
			folder[s.prompt][path.Dir(p)]++
		}
	}
	var out []Signal
	for prompt := 0; prompt <= len(f.turns); prompt++ {
		if count[prompt] < manySteps {
			continue
		}
		best, most := "", 0
		for d, n := range folder[prompt] {
			if n > most || n == most && d < best {
				best, most = d, n
			}
		}
		if best == "" || best == "." {
			continue
		}
		out = append(out, Signal{Kind: StepOverrun, Key: best, Paths: []string{best + "/"}, A: best, B: strconv.Itoa(count[prompt]), N: 1, Evidence: []int{firstN[prompt]}, Tainted: f.taint})
	}
	return out
}

// conflictWithin is how near two agents' edits of a file must be, in milliseconds.
const conflictWithin = 10 * 60_000

// conflicts are files that two agents edit at once, or that change under one
// (V5-OBS-18).
func (f *Fold) conflicts() []Signal {
	var out []Signal
	last := map[string]step{}
	for _, s := range f.steps {
		if s.class != event.Edit && s.class != event.Create || len(s.paths) == 0 {
			continue
		}
		p := s.paths[0]
		before, seen := last[p]
		switch {
		case s.done && !s.ok && s.kind == ChangedSince:
			out = append(out, Signal{Kind: ParallelConflict, Key: p, Paths: []string{p}, A: p, B: "changed", N: 1, Evidence: []int{s.n}, Tainted: s.tainted})
		case seen && before.agent != s.agent && before.agent != "" && s.agent != "" && s.at-before.at < conflictWithin:
			out = append(out, Signal{Kind: ParallelConflict, Key: p, Paths: []string{p}, A: p, B: "agents", N: 1, Evidence: []int{before.n, s.n}, Tainted: s.tainted})
		}
		if !s.done || s.ok {
			last[p] = s
		}
	}
	return out
}

// spikeBytes is a result that fills a noticeable part of a context: about
// 10,000 tokens of 4 bytes.
const spikeBytes = 40_000

// spikes are results that cost much context (V5-OBS-19).
func (f *Fold) spikes() []Signal {
	var out []Signal
	for _, s := range f.steps {
		if s.bytes < spikeBytes {
			continue
		}
		sig := Signal{Kind: TokenSpike, B: strconv.Itoa(s.bytes / 4000), N: 1, Evidence: []int{s.n, s.ended}, Tainted: s.tainted}
		switch {
		case s.class == event.Read && len(s.paths) == 1:
			sig.Key, sig.A, sig.Paths = s.paths[0], s.paths[0], s.paths
		case s.class == event.Shell && len(s.keys) > 0:
			sig.Key, sig.A = s.keys[len(s.keys)-1], s.keys[len(s.keys)-1]
		default:
			continue
		}
		out = append(out, sig)
	}
	return out
}

// references are pages that are fetched again (V5-OBS-12). They are tainted by nature.
func (f *Fold) references() []Signal {
	var out []Signal
	for _, s := range f.steps {
		if s.class != event.Web || !strings.Contains(s.url, "://") {
			continue
		}
		u, _, _ := strings.Cut(s.url, "#")
		u, _, _ = strings.Cut(u, "?")
		out = append(out, Signal{Kind: ExternalRef, Key: u, A: u, N: 1, Evidence: []int{s.n}, Tainted: true})
	}
	return out
}

// chases are three files that are read one after the other, each in another
// folder: what one wants to know lies two steps away (V5-OBS-14).
func chases(lane []step) []Signal {
	var reads []step
	var out []Signal
	for _, s := range lane {
		switch {
		case s.class == event.Read && len(s.paths) == 1 && (!s.done || s.ok):
			if len(reads) > 0 && reads[len(reads)-1].paths[0] == s.paths[0] {
				continue
			}
			reads = append(reads, s)
		case s.class == event.Search || s.class == event.OtherClass:
		default:
			reads = nil
		}
		if n := len(reads); n >= 3 {
			a, b, c := reads[n-3], reads[n-2], reads[n-1]
			if path.Dir(a.paths[0]) != path.Dir(b.paths[0]) && path.Dir(b.paths[0]) != path.Dir(c.paths[0]) && a.paths[0] != c.paths[0] {
				out = append(out, Signal{Kind: ImportChase, Key: a.paths[0] + "\x00" + c.paths[0], Paths: []string{a.paths[0]}, A: a.paths[0], B: c.paths[0], C: b.paths[0], N: 1,
					Evidence: []int{a.n, b.n, c.n}, Tainted: c.tainted})
			}
		}
	}
	return out
}
