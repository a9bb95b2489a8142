package recipe

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"manicule/indexer/sorting"
	"manicule/memory/episode"
)

// Limits of a recipe of one name in several files.
const (
	minSpread   = 4   // commits that bring the same new names to both files
	spreadShare = 0.7 // of those that bring new names to the first
	minBoth     = .25 // of the commits of one of two files, those that change both: else they are not looked at
	maxPairs    = 200 // of files that are looked at
	maxLooked   = 16  // commits of a file whose content is looked at, the latest
)

// pair are two files that commits change together.
type pair struct {
	a, b string
	both int
}

// spreads finds the recipes of bringing a new name to a file from which it goes to others: a field of a schema, an option, a
// key of a translation.
func (f *finder) spreads() []found {
	changes := map[string][]*Commit{} // by file
	for _, c := range f.commits {
		for _, file := range c.Changed {
			if !LockFile(file) && !passing(file) && !isTest(file) && f.h.Exists(file) {
				changes[file] = append(changes[file], c)
			}
		}
	}
	goes := map[string][]tie{}
	brings := map[string]int{} // commits that bring new names to a file
	from := map[string]map[string]bool{}
	for _, p := range pairs(f.commits, changes) {
		for _, way := range [2][2]string{{p.a, p.b}, {p.b, p.a}} {
			a, b := way[0], way[1]
			switch path.Ext(a) {
			case ".md", ".mdx", ".tex", ".rst": // what documents something is not where it begins
				continue
			}
			others := float64(len(changes[b])-p.both) / float64(max(1, len(f.commits)-len(changes[a])))
			n, times, days := 0, 0, map[int64]bool{}
			commits := map[string]bool{}
			for _, c := range changes[a][:min(len(changes[a]), maxLooked)] {
				if !f.ask("brings "+c.ID+" "+a, func() bool { return len(f.brought(c, a)) > 0 }) {
					continue
				}
				n++
				if slices.Contains(c.Changed, b) && f.ask("both "+c.ID+" "+a+" "+b, func() bool { return shares(f.brought(c, a), f.brought(c, b)) }) {
					times++
					days[c.At/day], commits[c.ID] = true, true
				}
			}
			if times >= minSpread && float64(times) >= max(spreadShare, minSpecific*others)*float64(n) && len(days) >= minDays {
				goes[a] = append(goes[a], tie{place{path: b}, times})
				brings[a] = n
				if from[a] == nil {
					from[a] = map[string]bool{}
				}
				for id := range commits {
					from[a][id] = true
				}
			}
		}
	}
	var out []found
	for _, file := range sortedKeys(goes) {
		// That two files of code go together tells little; that a list, a schema or a generated file follows, something.
		if len(goes[file]) == 1 && isCode(file) && isCode(goes[file][0].path) && !f.generated(goes[file][0].path) {
			continue
		}
		out = append(out, f.spread(file, goes[file], brings[file], from[file], changes[file]))
	}
	return out
}

// pairs lists the files of different kinds, or of data, that at least some of their commits change together, the most
// often first.
func pairs(commits []*Commit, changes map[string][]*Commit) []pair {
	count := map[[2]string]int{}
	for _, c := range commits {
		var here []string
		for _, file := range c.Changed {
			if len(changes[file]) >= minSpread {
				here = append(here, file)
			}
		}
		slices.Sort(here)
		for i, a := range here {
			for _, b := range here[i+1:] {
				if language(a) != language(b) || isData(a) && isData(b) {
					count[[2]string{a, b}]++
				}
			}
		}
	}
	var out []pair
	for k, n := range count {
		if n >= minSpread && float64(n) >= minBoth*float64(min(len(changes[k[0]]), len(changes[k[1]]))) {
			out = append(out, pair{k[0], k[1], n})
		}
	}
	sorting.Func(out, func(x, y pair) int {
		return cmp.Or(cmp.Compare(y.both, x.both), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return out[:min(len(out), maxPairs)]
}

// isData reports whether a file has no code of a program.
func isData(p string) bool {
	switch path.Ext(p) {
	case ".json", ".yaml", ".yml", ".po", ".strings", ".toml", ".ftl", ".arb", ".xliff", ".resx", ".properties", ".fish", ".bash", ".ps1", ".kdl", ".proto", ".graphql":
		return true
	}
	return false
}

// isCode reports whether a file is neither data nor documentation.
func isCode(p string) bool {
	switch path.Ext(p) {
	case ".md", ".mdx", ".txt", ".rst", ".1", ".tex":
		return false
	}
	return !isData(p)
}

// brought returns the names that a commit brings to a file.
func (f *finder) brought(c *Commit, file string) map[string]bool {
	key := c.ID + " " + file
	if got, ok := f.names[key]; ok {
		return got
	}
	old := names(f.h.Before(c, file))
	out := map[string]bool{}
	for n := range names(f.h.After(c, file)) {
		if !old[n] {
			out[n] = true
		}
	}
	f.names[key] = out
	return out
}

// minName is the length of a name that is not found in unlike files by chance.
const minName = 5

// names returns the names in a text, as [plain] writes them.
func names(text string) map[string]bool {
	out := map[string]bool{}
	word := func(r rune) bool {
		return r == '_' || r == '-' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	for n := range strings.FieldsFuncSeq(text, func(r rune) bool { return !word(r) }) {
		if len(n) >= minName && len(n) <= 50 && (n[0] < '0' || n[0] > '9') {
			out[folded(n)] = true
		}
	}
	return out
}

func shares(a, b map[string]bool) bool {
	for n := range a {
		if b[n] {
			return true
		}
	}
	return false
}

// spread makes the recipe of one file.
func (f *finder) spread(file string, ties []tie, n int, from map[string]bool, changes []*Commit) found {
	sorting.StableFunc(ties, func(a, b tie) int { return cmp.Or(cmp.Compare(b.times, a.times), cmp.Compare(a.path, b.path)) })
	r := found{from: from, files: map[string]bool{file: true}}
	r.On, r.Commits = file, n
	r.Steps = []episode.ProcedureStep{{ID: "edit " + file, Act: episode.Edit, What: file, In: n, Of: n}}
	written := 0 // by hand
	var subjects []string
	for _, t := range ties[:min(len(ties), maxPlaces)] {
		s := episode.ProcedureStep{ID: "edit " + t.path, Act: episode.Edit, What: t.path, In: t.times, Of: n, Made: f.generated(t.path)}
		if !s.Made {
			written++
		}
		r.Steps = append(r.Steps, s)
		r.files[t.path] = true
	}
	for _, c := range changes {
		if from[c.ID] {
			subjects = append(subjects, c.Subject)
			r.LastUsed = max(r.LastUsed, c.At)
		}
	}
	r.Trigger = "Add a name (a field, an option, a key) to `" + file + "`"
	r.Words = spreadWords(file, subjects)
	r.Key = "spread " + file
	r.Score = math.Log(float64(1+ties[0].times)) * float64(min(len(ties), 3))
	if f.generated(file) {
		r.Score /= 2 // its source is where the work begins
	}
	return r
}

// spreadWords are the words of a file's name, and of most of the commits that bring names to it.
func spreadWords(file string, subjects []string) []string {
	stem, _ := cutEnding(path.Base(file))
	split := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return ' '
		}
		return r
	}, stem)
	return slices.Compact(slices.Sorted(slices.Values(append(episode.Words(split+" "+path.Base(path.Dir(file))), wordsIn(subjects)...))))
}

// headSize is how much of a file is looked at for the mark of what a program writes.
const headSize = 400

// generated reports whether a file says that a program writes it, or its folder does.
func (f *finder) generated(file string) bool {
	if slices.Contains(strings.Split(path.Dir(file), "/"), "generated") {
		return true
	}
	i := slices.IndexFunc(f.commits, func(c *Commit) bool { return slices.Contains(c.Changed, file) })
	if i < 0 {
		return false
	}
	return f.ask("generated "+f.commits[i].ID+" "+file, func() bool { return SaysGenerated(f.h.After(f.commits[i], file)) })
}

// SaysGenerated reports whether the beginning of a text, such as a file, says that a program writes it.
func SaysGenerated(text string) bool {
	head := strings.ToLower(text[:min(len(text), headSize)])
	for _, mark := range []string{"do not edit", "do not modify", "@generated", "generated by", "auto-generated", "autogenerated", "automatically generated"} {
		if strings.Contains(head, mark) {
			return true
		}
	}
	return false
}
