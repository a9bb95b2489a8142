package anchoring

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"manicule/indexer/extract"
	"manicule/indexer/sorting"
)

// Thresholds for replaced names. cmd/eval/anchors/FIGURES.md names the run.
const (
	minRenamed    = 2   // minimum occurrences of a name, before and after
	likeUsed      = 0.5 // share of its contexts that the other name must have
	secondRenamed = 0.8 // maximum score of the runner-up, as a share
)

// renaming maps names of one piece of code to those that replaced them in another, by
// hash.
type renaming map[uint64]uint64

// replacedNames finds the names that gave way to others: they stand between the same
// tokens, where all removed and added names count as equal. That way it finds a type
// and a variable that were renamed together.
func replacedNames(o *Source, was []extract.Token, n *Source, is []extract.Token) renaming {
	a, b := newUses(was), newUses(is)
	for h := range a.count {
		if _, ok := b.count[h]; ok {
			a.both[h], b.both[h] = true, true
		}
	}
	if len(a.both) == len(a.count) || len(b.both) == len(b.count) {
		return nil
	}
	found := a.match(b)
	if len(found) > 0 {
		addSimilarRenames(found, a.texts(o), b.texts(n))
	}
	return found
}

// uses are the names of a piece of code and where each stands.
type uses struct {
	tokens []extract.Token
	count  map[uint64]int
	both   map[uint64]bool // names that the other side has too
}

func newUses(tokens []extract.Token) *uses {
	u := &uses{tokens: tokens, count: map[uint64]int{}, both: map[uint64]bool{}}
	for i := range tokens {
		if tokens[i].Class == extract.ClassName {
			u.count[tokens[i].Hash]++
		}
	}
	return u
}

// isOwn reports whether a token is a name that only this side has.
func (u *uses) isOwn(i int) bool {
	return u.tokens[i].Class == extract.ClassName && !u.both[u.tokens[i].Hash]
}

// neighbourHash returns the hash of a token as a neighbour of a name.
func (u *uses) neighbourHash(i int) uint64 {
	switch {
	case i < 0 || i >= len(u.tokens):
		return hashOpen
	case u.isOwn(i):
		return ownName
	default:
		return u.tokens[i].Hash
	}
}

// contexts counts the names that only this side has, by context. Each occurrence
// counts twice, once for each neighbour, so that a change on one side leaves the
// other.
func (u *uses) contexts() map[uint64]map[uint64]int {
	all := map[uint64]map[uint64]int{}
	add := func(key, name uint64) {
		if all[key] == nil {
			all[key] = map[uint64]int{}
		}
		all[key][name]++
	}
	for i := range u.tokens {
		if !u.isOwn(i) || u.count[u.tokens[i].Hash] < minRenamed {
			continue
		}
		between := extract.MixHash(extract.MixHash(hashSeed, u.neighbourHash(i-1)), u.neighbourHash(i+1))
		add(extract.MixHash(between, u.neighbourHash(i-2)), u.tokens[i].Hash)
		add(extract.MixHash(^between, u.neighbourHash(i+2)), u.tokens[i].Hash)
	}
	return all
}

// match pairs names that occur in the same contexts.
func (u *uses) match(v *uses) renaming {
	type pair struct{ g, c uint64 }
	weight, places := map[pair]float64{}, map[pair]int{}
	there := v.contexts()
	for key, gone := range u.contexts() {
		came := there[key]
		if len(gone)*len(came) > maxNames {
			continue // it says nothing
		}
		for g, n := range gone {
			for c, k := range came {
				weight[pair{g, c}] += float64(min(n, k)) / float64(max(len(gone), len(came)))
				places[pair{g, c}] += min(n, k)
			}
		}
	}
	best, second := map[uint64]pair{}, map[uint64]float64{}
	for _, p := range slices.SortedFunc(maps.Keys(weight), func(a, b pair) int {
		if a.g != b.g {
			return cmp.Compare(a.g, b.g)
		}
		return cmp.Compare(a.c, b.c)
	}) {
		for _, end := range []uint64{p.g, p.c} {
			was, ok := best[end]
			switch {
			case !ok || weight[p] > weight[was]:
				if ok {
					second[end] = weight[was]
				}
				best[end] = p
			default:
				second[end] = max(second[end], weight[p])
			}
		}
	}
	found := renaming{}
	for p, w := range weight {
		most := float64(u.count[p.g] + v.count[p.c])
		if best[p.g] == p && best[p.c] == p && float64(places[p]) >= likeUsed*most &&
			second[p.g] <= secondRenamed*w && second[p.c] <= secondRenamed*w {
			found[p.g] = p.c
		}
	}
	return found
}

// maxNames bounds the pairs of names in one context.
const maxNames = 400

// texts returns the names that only this side has.
func (u *uses) texts(s *Source) map[uint64]string {
	all := map[uint64]string{}
	for i := range u.tokens {
		if h := u.tokens[i].Hash; u.isOwn(i) && all[h] == "" {
			all[h] = string(s.Text()[u.tokens[i].Start:u.tokens[i].End])
		}
	}
	return all
}

// addSimilarRenames adds names that were replaced in the same way as known ones: if
// FramedConnection became Http2Connection, framedReader became http2Reader.
func addSimilarRenames(found renaming, gone, came map[uint64]string) {
	byText := make(map[string]uint64, len(came))
	for h, text := range came {
		byText[text] = h
	}
	used := map[uint64]bool{}
	for _, c := range found {
		used[c] = true
	}
	var rules [][2]string
	for g, c := range found {
		if from, to, ok := changedWords(gone[g], came[c]); ok {
			rules = append(rules, [2]string{from, to})
		}
	}
	sorting.Func(rules, func(a, b [2]string) int { return strings.Compare(a[0]+"\x00"+a[1], b[0]+"\x00"+b[1]) })
	for _, h := range slices.SortedFunc(maps.Keys(gone), cmp.Compare) {
		if _, ok := found[h]; ok {
			continue
		}
		for _, r := range slices.Compact(rules) {
			if c, ok := byText[inWords(gone[h], r[0], r[1])]; ok && !used[c] {
				found[h], used[c] = c, true
				break
			}
		}
	}
}

// changedWords returns the differing middle of two names, in lower case; ok is false
// if it is too short to be evidence.
func changedWords(a, b string) (from, to string, ok bool) {
	x, y := nameWords(a), nameWords(b)
	for len(x) > 1 && len(y) > 1 && strings.EqualFold(x[0], y[0]) {
		x, y = x[1:], y[1:]
	}
	for len(x) > 1 && len(y) > 1 && strings.EqualFold(x[len(x)-1], y[len(y)-1]) {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	from, to = strings.ToLower(strings.Join(x, "")), strings.ToLower(strings.Join(y, ""))
	return from, to, len(from) >= 3 && len(to) >= 2 && from != to
}

// nameWords splits a name into words: FramedConnection, framed_connection.
func nameWords(name string) []string {
	var all []string
	start := 0
	for i := 1; i <= len(name); i++ {
		if i < len(name) && name[i] != '_' && (!upper(name[i]) || upper(name[i-1])) && name[i-1] != '_' {
			continue
		}
		if word := strings.Trim(name[start:i], "_"); word != "" {
			all = append(all, word)
		}
		start = i
	}
	return all
}

func upper(c byte) bool { return unicode.IsUpper(rune(c)) }

// inWords replaces words of one name in another name, preserving its case; "" if they
// don't occur in it.
func inWords(name, from, to string) string {
	at := strings.Index(strings.ToLower(name), from)
	if at < 0 {
		return ""
	}
	end := at + len(from)
	switch model := name[at:end]; {
	case strings.ToUpper(model) == model:
		to = strings.ToUpper(to)
	case upper(model[0]):
		to = strings.ToUpper(to[:1]) + to[1:]
	}
	return name[:at] + to + name[end:]
}

// withNames returns the source with names replaced; declarations keep their indices.
func (s *Source) withNames(names renaming, n *Source) *Source {
	if len(names) == 0 {
		return s
	}
	r := &Source{Path: s.Path, Lang: s.Lang, read: s.read}
	r.texts.Do(func() { r.text, r.lines = s.Text(), s.table() })
	r.parses.Do(func() {
		f := &extract.File{Language: s.file.Language, Symbols: slices.Clone(s.file.Symbols), Imports: s.file.Imports, Errors: s.file.Errors}
		text := map[uint64]string{}
		for i := range n.tree.Tokens {
			t := &n.tree.Tokens[i]
			if t.Class == extract.ClassName && text[t.Hash] == "" {
				text[t.Hash] = string(n.Text()[t.Start:t.End])
			}
		}
		for i := range f.Symbols {
			if to, ok := names[extract.HashName(f.Symbols[i].Name)]; ok {
				f.Symbols[i].Name = text[to]
			}
		}
		r.take(f, s.tree.Renamed(names))
	})
	return r
}
