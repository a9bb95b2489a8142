// Package recipe finds in a repository's commits what goes together whenever something is added to it: the file that
// lists the new one, its documentation, its test, what is generated from it. It computes on values alone: it must not
// know git, sessions' logs, databases or memories.
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

// Commit is one change of the repository.
type Commit struct {
	ID      string   `json:"id"`
	At      int64    `json:"at"` // Unix milliseconds
	Subject string   `json:"subject,omitzero"`
	Added   []string `json:"added,omitempty"` // paths
	Changed []string `json:"changed,omitempty"`
	Large   bool     `json:"large,omitzero"` // it touches more files than are told here
}

// Bulk reports whether a commit touches so many files that it tells nothing.
func Bulk(c Commit) bool { return c.Large || len(c.Added)+len(c.Changed) > maxTouched }

// History is what a repository tells. Commits are in the order of time, the newest first.
type History struct {
	Commits []Commit
	// Before and After are the content of a changed file in the commit before one, and in it; "" if there is none or if
	// it is too large.
	Before, After func(c *Commit, path string) string
	// Exists reports whether the newest commit has a file.
	Exists func(path string) bool
	// Recall returns the answer to a question about what a commit's files say, and Keep is told it once it is found. The answers
	// never change. Both may be nil.
	Recall func(question string) (answer, ok bool)
	Keep   func(question string, answer bool)
}

// ask returns the answer to a question about commits, which find finds in their files if nobody has asked it before.
func (f *finder) ask(question string, find func() bool) bool {
	if f.h.Recall != nil {
		if answer, ok := f.h.Recall(question); ok {
			return answer
		}
	}
	answer := find()
	if f.h.Keep != nil {
		f.h.Keep(question, answer)
	}
	return answer
}

// Limits of what counts as a recipe. They were chosen on the commits of eighteen repositories.
const (
	maxTouched  = 40  // files of a commit; more are a move or an import
	minCommits  = 4   // that add such a thing
	minDays     = 3   // on which
	minTied     = 3   // of them, in which a place goes with it
	minShare    = 0.6 // of them
	minSpecific = 2.5 // that share, against the share of all other commits that change the place
	minTelling  = 4   // commits of a place that alone makes a recipe
	sameAdds    = 0.6 // share of the commits of two recipes that makes them one
	maxPlaces   = 7   // of a recipe
	fresh       = 0.7 // share of the history, from its end, in which the last addition must be
)

// finder searches one history.
type finder struct {
	h       History
	commits []*Commit                  // that are no bulk changes
	names   map[string]map[string]bool // that a commit brings to a file
}

// found is a recipe with the commits that it is from.
type found struct {
	episode.Procedure
	from map[string]bool
	// files are the places that make it, to tell it from others.
	files map[string]bool
}

// Find returns the recipes of a history, the best first. Sessions say which checks follow such work, and how often it ended well.
func Find(h History, sessions []episode.Episode) []episode.Procedure {
	f := &finder{h: h, names: map[string]map[string]bool{}}
	for i := range h.Commits {
		if c := &h.Commits[i]; !Bulk(*c) {
			f.commits = append(f.commits, c)
		}
	}
	list := slices.Concat(f.additions(), f.spreads())
	for i := range list {
		list[i].used(sessions)
	}
	sorting.Func(list, func(a, b found) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key)) })
	var out []episode.Procedure
	var kept []found
	for _, r := range list {
		if !slices.ContainsFunc(kept, func(k found) bool {
			return overlap(r.from, k.from) >= sameAdds || overlap(r.files, k.files) >= sameAdds
		}) {
			kept, out = append(kept, r), append(out, r.Procedure)
		}
	}
	return out
}

// overlap is the share of the smaller set that the other one has.
func overlap(a, b map[string]bool) float64 {
	n := 0
	for x := range a {
		if b[x] {
			n++
		}
	}
	return float64(n) / float64(max(1, min(len(a), len(b))))
}

// place is a file that commits change, or a pattern of files that they add.
type place struct {
	added bool
	path  string // a pattern has one star
}

// named is a file that a commit adds, seen as one of a pattern.
type named struct {
	word string // what stands for the star, without what is written in different ways
	file string
}

// addition is a commit that adds files of a pattern.
type addition struct {
	c    *Commit
	news []named
}

// additions finds the recipes of adding a file of a kind.
func (f *finder) additions() []found {
	added := make([]map[string][]named, len(f.commits)) // by commit and pattern
	in := map[place]int{}                               // commits
	where := map[string][]int{}
	for i, c := range f.commits {
		added[i] = map[string][]named{}
		for _, file := range c.Added {
			for _, p := range patterns(file) {
				if word := plain(p.star); !passing(file) {
					added[i][p.path] = append(added[i][p.path], named{word, file})
				}
			}
		}
		for p := range added[i] {
			in[place{true, p}]++
			where[p] = append(where[p], i)
		}
		for _, file := range c.Changed {
			in[place{false, file}]++
		}
	}
	var out []found
	for _, pattern := range sortedKeys(where) {
		if isTest(pattern) || len(where[pattern]) < minCommits || float64(where[pattern][0]) > fresh*float64(len(f.commits)) {
			continue
		}
		var adds []addition
		words, days, here := map[string]bool{}, map[int64]bool{}, false
		for _, i := range where[pattern] {
			a := addition{c: f.commits[i]}
			for _, n := range added[i][pattern] {
				if telling(n.word) {
					a.news = append(a.news, n)
					words[n.word] = true
				}
				here = here || f.h.Exists(n.file)
			}
			if len(a.news) > 0 {
				adds = append(adds, a)
				days[a.c.At/day] = true
			}
		}
		if !here || len(adds) < minCommits || len(words) < minCommits || len(days) < minDays {
			continue
		}
		if r, ok := f.addition(pattern, adds, in); ok {
			out = append(out, r)
		}
	}
	return out
}

const day = 24 * 60 * 60 * 1000 // milliseconds

// tie is a place that goes with what is added.
type tie struct {
	place
	times int // commits in which it does
}

// addition makes the recipe of one pattern, if there are places that go with it.
func (f *finder) addition(pattern string, adds []addition, in map[place]int) (found, bool) {
	together := map[place][]int{} // indexes of adds
	for i, a := range adds {
		once := map[place]bool{}
		for _, file := range a.c.Added {
			for _, p := range patterns(file) {
				if at := (place{true, p.path}); p.path != pattern && !passing(file) && !once[at] {
					once[at] = true
					together[at] = append(together[at], i)
				}
			}
		}
		for _, file := range a.c.Changed {
			if !LockFile(file) && !passing(file) {
				together[place{false, file}] = append(together[place{false, file}], i)
			}
		}
	}
	n := len(adds)
	var ties []tie
	for _, at := range sortedPlaces(together) {
		where := together[at]
		share := float64(len(where)) / float64(n)
		others := float64(in[at]-len(where)) / float64(max(1, len(f.commits)-n))
		if len(where) < minTied || share < minShare || share < minSpecific*others || !at.added && !f.h.Exists(at.path) {
			continue
		}
		t := tie{place: at}
		for _, i := range where {
			if f.tied(adds[i], at, pattern) {
				t.times++
			}
		}
		if t.times >= minTied && float64(t.times) >= minShare*float64(n) {
			ties = append(ties, t)
		}
	}
	ties = oneOfEach(ties)
	tell, most := 0, 0
	for _, t := range ties {
		if !isTest(t.path) && !inherent(t.place, pattern) {
			tell++
			most = max(most, t.times)
		}
	}
	if tell == 0 || tell == 1 && most < minTelling {
		return found{}, false
	}
	return newAddition(pattern, adds, ties, tell), true
}

// tied reports whether a place goes with what a commit adds: a new file has the same name, or a changed one now has the
// name more often.
func (f *finder) tied(a addition, at place, pattern string) bool {
	if at.added {
		for _, file := range a.c.Added {
			for _, p := range patterns(file) {
				if p.path == at.path && slices.ContainsFunc(a.news, func(n named) bool { return n.word == plain(p.star) && n.file != file }) {
					return true
				}
			}
		}
		return false
	}
	return f.ask("named "+a.c.ID+" "+pattern+" "+at.path, func() bool {
		before, after := folded(f.h.Before(a.c, at.path)), folded(f.h.After(a.c, at.path))
		return slices.ContainsFunc(a.news, func(n named) bool { return strings.Count(after, n.word) > strings.Count(before, n.word) })
	})
}

// oneOfEach leaves the better of two patterns of the same new files, and the places that are most often there.
func oneOfEach(ties []tie) []tie {
	sorting.StableFunc(ties, func(a, b tie) int { return cmp.Compare(b.times, a.times) })
	var out []tie
	for _, t := range ties {
		twice := t.added && slices.ContainsFunc(out, func(o tie) bool {
			return o.added && path.Dir(path.Dir(o.path)) == path.Dir(path.Dir(t.path)) && path.Ext(o.path) == path.Ext(t.path) && o.times == t.times
		})
		if !twice && len(out) < maxPlaces {
			out = append(out, t)
		}
	}
	return out
}

func newAddition(pattern string, adds []addition, ties []tie, tell int) found {
	n := len(adds)
	r := found{from: map[string]bool{}, files: map[string]bool{pattern: true}}
	r.On, r.Commits = pattern, n
	r.Steps = []episode.ProcedureStep{{ID: "add " + pattern, Act: episode.Create, What: pattern, In: n, Of: n}}
	for _, t := range ties {
		s := episode.ProcedureStep{ID: "edit " + t.path, Act: episode.Edit, What: t.path, In: t.times, Of: n}
		if t.added {
			s.ID, s.Act = "add "+t.path, episode.Create
		}
		r.Steps = append(r.Steps, s)
		r.files[t.path] = true
	}
	var subjects []string
	for _, a := range adds {
		r.from[a.c.ID] = true
		r.LastUsed = max(r.LastUsed, a.c.At)
		subjects = append(subjects, a.c.Subject)
	}
	r.Trigger = "Add " + nounOf(pattern) + ": `" + strings.ReplaceAll(pattern, "*", "NAME") + "`"
	r.Words = wordsOf(pattern, subjects)
	r.Key = "add " + pattern
	r.Score = math.Log(float64(1+n)) * float64(min(tell, 3))
	return r
}
