package anchor

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"manicule/indexer/extract"
)

// Change is one file that differs between two states of a tree. Old is nil for
// a file that came, New for one that went.
type Change struct{ Old, New *Source }

// World is what a resolution may look at: the tree as it is, and where it is
// known the tree as it was when the anchors were made. It is safe for concurrent
// use once its functions are, and remembers what it compared.
type World struct {
	// New returns the file at a path now, nil when there is none.
	New func(path string) *Source
	// Old returns it as it was, nil when that is not known. It may be nil.
	Old func(path string) *Source
	// Blob returns a file by the git blob id that an anchor recorded, nil when it
	// is not there: after commits were rewritten Old may know another file at the
	// path, or none. It may be nil.
	Blob func(path, blob string) *Source
	// Changed returns the files that may hold what went from another: those
	// that differ between the states. It may be nil.
	Changed func() []Change
	// Renamed gives the new path of a file that somebody knows was renamed,
	// git or the editor, and "" for others. It may be nil.
	Renamed func(path string) string
	// Paths lists all files now, for patterns. It may be nil.
	Paths func() []string

	mu      sync.Mutex
	pairs   map[[2]*Source]*pairing // guarded by mu, like all below
	names   map[[2]*Source]renaming
	citers  map[citerKey]*citer
	placed  map[symbolKey]place
	moved   map[*Source]*Source
	changes []Change
	weights map[uint64]float64
	asked   bool
}

type symbolKey struct {
	source *Source
	symbol int
}

type citerKey struct{ o, n symbolKey }

// place is where a declaration of the old state is in the new one.
type place struct {
	source  *Source
	symbol  int // -1 for the file
	how     how
	like    float64
	found   bool
	almost  *place // what it may be, but not surely enough
	errors  bool   // the file is broken where it should be
	changed bool   // another file
}

func (w *World) old(path string) *Source {
	if w.Old == nil {
		return nil
	}
	return w.Old(path)
}

// pairing compares two states of a file once.
func (w *World) pairing(o, n *Source) *pairing {
	key := [2]*Source{o, n}
	if p, ok := w.pairs[key]; ok {
		return p
	}
	p := pairSymbols(o, n, w.replaced(o, n))
	if w.pairs == nil {
		w.pairs = make(map[[2]*Source]*pairing)
	}
	w.pairs[key] = p
	return p
}

// place follows a declaration, or with -1 the file, from its old state to the new one.
func (w *World) place(o *Source, symbol int) place {
	key := symbolKey{o, symbol}
	if p, ok := w.placed[key]; ok {
		return p
	}
	if w.placed == nil {
		w.placed = make(map[symbolKey]place)
	}
	p := w.search(o, symbol)
	w.placed[key] = p
	return p
}

// search is the ladder for a declaration, from the surest rung down.
func (w *World) search(o *Source, i int) place {
	n := w.New(o.Path)
	var almost *place
	if n != nil {
		if i < 0 {
			return place{source: n, symbol: -1, how: sameName, like: 1, found: true}
		}
		if !n.parsed() {
			return place{source: n, symbol: -1, errors: true}
		}
		if p := w.partner(o, i, n); p.found {
			if p.how != alike {
				return p
			}
			almost = &p
		}
	}
	if n == nil {
		if r := w.renamedTo(o); r != nil {
			if i < 0 {
				return place{source: r, symbol: -1, how: sameName, like: 1, found: true, changed: true}
			}
			if p := w.partner(o, i, r); p.found {
				return p
			}
		}
	}
	if i < 0 {
		return place{}
	}
	if parent := o.symbols()[i].Parent; parent >= 0 {
		if q := w.place(o, parent); q.found && q.changed && q.source.parsed() {
			if p := w.partner(o, i, q.source); p.found {
				return p
			}
		}
	}
	far := w.elsewhere(o, i)
	if far.found && (almost == nil || far.how == sameTree) {
		return far
	}
	if almost != nil {
		return *almost
	}
	if n != nil && len(n.file.Errors) > 0 {
		far.errors = true
		return far
	}
	if !far.found && n != nil {
		if m := w.takenInto(o, i, n); m.found || far.almost == nil {
			return m
		}
	}
	return far
}

// partner is the place of a declaration in one file.
func (w *World) partner(o *Source, i int, n *Source) place {
	if !n.parsed() {
		return place{}
	}
	p := w.pairing(o, n)
	j := p.old[i]
	if j < 0 {
		return place{}
	}
	return place{source: n, symbol: j, how: p.how[i], like: likeOf(o, i, n, j), found: true, changed: n.Path != o.Path}
}

// likeOf is how like two declarations are, 1 only when they are the same.
func likeOf(o *Source, i int, n *Source, j int) float64 {
	if a, b := o.print(i), n.print(j); a.Tree == b.Tree {
		return 1
	}
	return min(0.99, o.bag(i).like(n.bag(j)))
}

// Thresholds for what went to another file.
const (
	keptSameBase  = 0.25 // share of the words that a file of the same name must have to be the renamed one
	likeOtherBase = 0.6  // how like a file of another name must be to it
	bonusBase     = 0.5  // what the same name counts
	weightPath    = 0.3  // what the same folders count
	marginFile    = 0.02 // how much better than the next file
	likeFarName   = 0.5  // how like a declaration must be to be offered
	likeFar       = 0.85 // how like cited lines must be in another function
	likeElsewhere = 0.95 // the same in another file
	maxFiles      = 8    // how many files are parsed to find one declaration
)

// renamedTo finds the file that a file which is gone became.
func (w *World) renamedTo(o *Source) *Source {
	if n, ok := w.moved[o]; ok {
		return n
	}
	if w.moved == nil {
		w.moved = make(map[*Source]*Source)
	}
	n := w.findRenamed(o)
	w.moved[o] = n
	return n
}

// knownRename is the file that somebody says a path became, nil for none.
func (w *World) knownRename(path string) *Source {
	if w.Renamed == nil {
		return nil
	}
	if to := w.Renamed(path); to != "" {
		return w.New(to)
	}
	return nil
}

func (w *World) findRenamed(o *Source) *Source {
	if n := w.knownRename(o.Path); n != nil {
		return n
	}
	var best *Source
	most, second := 0.0, 0.0
	for _, c := range w.differ() {
		if c.Old != nil || c.New == nil || !languagesFit(c.New.Lang, o.Lang) {
			continue
		}
		kept, like := wordsKept(o.wordSet(), c.New.wordSet())
		if c.New.base() == o.base() || c.New.Lang != o.Lang && c.New.stem() == o.stem() {
			if kept < keptSameBase {
				continue
			}
			like = kept + bonusBase
		} else if like < likeOtherBase {
			continue
		}
		if like += pathsLike(o.Path, c.New.Path) * weightPath; like > most {
			best, most, second = c.New, like, most
		} else {
			second = max(second, like)
		}
	}
	if most-second < marginFile {
		return nil
	}
	return best
}

// wordsKept returns which share of the words of a is in b, and how like the two are.
func wordsKept(a, b map[uint64]struct{}) (kept, like float64) {
	if len(a) == 0 {
		return 0, 0
	}
	same := 0
	for k := range a {
		if _, ok := b[k]; ok {
			same++
		}
	}
	return float64(same) / float64(len(a)), 2 * float64(same) / float64(len(a)+len(b))
}

// pathsLike compares the folders of two paths, from 0 to 1, less where one is
// among tests and the other is not: code seldom goes there.
func pathsLike(a, b string) float64 {
	as, bs := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	row := make([]int, len(bs)+1)
	for _, x := range as {
		diagonal := 0
		for j, y := range bs {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	like := 2 * float64(row[len(bs)]) / float64(len(as)+len(bs))
	if amongTests(as) != amongTests(bs) {
		like--
	}
	return like
}

func amongTests(folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(f, "test") || f == "__tests__" || f == "spec" })
}

// differ asks once for the files that changed.
func (w *World) differ() []Change {
	if !w.asked && w.Changed != nil {
		w.changes = w.Changed()
	}
	w.asked = true
	return w.changes
}

// elsewhere looks for a declaration among those that appeared in other files.
func (w *World) elsewhere(o *Source, i int) place {
	s := o.symbols()[i]
	small := o.print(i).Size < lowEntropy // company asks about others that are not, so that it ends
	var best, second place
	var bestScore, secondScore float64
	files := w.likely(o, i)
	if small { // its few words say little about the file
		files = w.withCompany(files, o, i)
	}
	for _, c := range files {
		if !c.New.parsed() {
			continue
		}
		var appeared *pairing
		if c.Old != nil && c.Old.parsed() {
			appeared = w.pairing(c.Old, c.New)
		}
		for j, t := range c.New.symbols() {
			if appeared != nil && appeared.new[j] >= 0 || !kindsFit(s.Kind, t.Kind) {
				continue
			}
			e := compare(o, i, c.New, j)
			p := place{source: c.New, symbol: j, how: alike, found: true, changed: c.New.Path != o.Path, like: e.like}
			if small && e.names == 1 {
				e.company = w.company(o, i, c.New, t.Parent)
			}
			score := e.far()
			if p.found = score > 0; !p.found {
				score = e.like
			} else if e.like == 1 {
				p.how = sameTree
			}
			score += weightPath * pathsLike(o.Path, c.New.Path) / 3
			if score > bestScore {
				second, secondScore = best, bestScore
				best, bestScore = p, score
			} else if score > secondScore {
				second, secondScore = p, score
			}
		}
	}
	if best.found && (second.source == nil || bestScore-secondScore >= margin) {
		return best
	}
	if best.source != nil && best.like >= likeFarName {
		offer := best
		return place{almost: &offer}
	}
	return place{}
}

// languagesFit says whether code of one language may become that of another
// with most of its tokens the same.
func languagesFit(a, b string) bool { return a == b || dialectOf(a) == dialectOf(b) }

func dialectOf(lang string) string {
	switch lang {
	case "javascript", "typescript", "tsx":
		return "ecmascript"
	case "c", "cpp":
		return "c"
	default:
		return lang
	}
}

// company is the share that went to one place of all that stood beside a
// declaration and went to other files: into a file, and there into a declaration,
// -1 for none.
func (w *World) company(o *Source, i int, n *Source, parent int) float64 {
	went, all := 0, 0
	for _, p := range w.wentFrom(o, i) {
		all++
		if p.source == n && n.symbols()[p.symbol].Parent == parent {
			went++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(went) / float64(all)
}

// wentFrom lists where those declarations are that stood beside one and are in
// other files now, the small ones left out.
func (w *World) wentFrom(o *Source, i int) []place {
	var all []place
	symbols := o.symbols()
	for k, s := range symbols {
		if k == i || s.Parent != symbols[i].Parent || o.print(k).Size < lowEntropy {
			continue
		}
		if p := w.place(o, k); p.found && p.changed {
			all = append(all, p)
		}
	}
	return all
}

// withCompany adds the files that what stood beside a declaration went to.
func (w *World) withCompany(files []Change, o *Source, i int) []Change {
	for _, p := range w.wentFrom(o, i) {
		there := func(c Change) bool { return c.New == p.source }
		if slices.ContainsFunc(files, there) {
			continue
		}
		if k := slices.IndexFunc(w.differ(), there); k >= 0 {
			files = append(files, w.changes[k])
		}
	}
	return files
}

func parentName(s *Source, i int) string {
	if p := s.symbols()[i].Parent; p >= 0 {
		return s.symbols()[p].Name
	}
	return ""
}

// likely returns the changed files that share most with a declaration, by the
// words in it: rare ones count more.
func (w *World) likely(o *Source, i int) []Change {
	s := o.symbols()[i]
	var words []uint64
	eachWord(o.Text()[s.Start:s.End], func(word []byte) { words = append(words, extract.HashName(string(word))) })
	slices.Sort(words) // sums of the same words are then the same to the last bit
	words = slices.Compact(words)
	type ranked struct {
		Change
		score float64
	}
	var all []ranked
	weigh := w.weigh()
	for _, c := range w.differ() {
		if c.New == nil || c.New.Path == o.Path || !languagesFit(c.New.Lang, o.Lang) {
			continue
		}
		score := 0.0
		has := c.New.wordSet()
		for _, word := range words {
			if _, ok := has[word]; ok {
				score += weigh[word]
			}
		}
		if score > 0 {
			all = append(all, ranked{c, score})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.New.Path, b.New.Path))
	})
	var files []Change
	for _, r := range all[:min(len(all), maxFiles)] {
		files = append(files, r.Change)
	}
	return files
}

// weigh says how rare each word of the changed files is.
func (w *World) weigh() map[uint64]float64 {
	if w.weights != nil {
		return w.weights
	}
	w.weights = make(map[uint64]float64)
	for _, c := range w.differ() {
		if c.New == nil {
			continue
		}
		for word := range c.New.wordSet() {
			w.weights[word]++
		}
	}
	for word, n := range w.weights {
		w.weights[word] = math.Log(1 + float64(len(w.changes))/n)
	}
	return w.weights
}

// citer compares a declaration, or with -1 the whole file, with its new state once.
func (w *World) citer(o *Source, i int, n *Source, j int) *citer {
	key := citerKey{symbolKey{o, i}, symbolKey{n, j}}
	if c, ok := w.citers[key]; ok {
		return c
	}
	if w.citers == nil {
		w.citers = make(map[citerKey]*citer)
	}
	c := newCiter(o, o.span(i), n, n.span(j), w.replaced(o, n))
	w.citers[key] = c
	return c
}

// span is a declaration with its documentation, or with -1 the whole file.
func (s *Source) span(i int) extract.Span {
	if i < 0 {
		return extract.Span{Start: 0, End: len(s.Text())}
	}
	return extract.Span{Start: s.file.Symbols[i].DocStart, End: s.file.Symbols[i].End}
}
