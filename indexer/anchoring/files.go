package anchoring

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/sorting"
)

// renamedTo finds the new file of a renamed one.
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

// knownRename returns the file that a path is known to have become, nil for none.
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
	type kept struct {
		file  *Source
		share float64
	}
	var copies []kept
	for _, c := range w.changedFiles() {
		if c.Old != nil || c.New == nil || !languagesCompatible(c.New.Lang, o.Lang) {
			continue
		}
		share, like := wordsKept(o.wordSet(), c.New.wordSet())
		if c.New.base() == o.base() || c.New.Lang != o.Lang && c.New.stem() == o.stem() {
			if share < keptSameBase {
				continue
			}
			like = share + bonusBase
			if share >= keptCopy {
				copies = append(copies, kept{c.New, share})
			}
		} else if like < likeOtherBase {
			continue
		}
		if like += pathSimilarity(o.Path, c.New.Path) * weightPath; like > most {
			best, most, second = c.New, like, most
		} else {
			second = max(second, like)
		}
	}
	if i := slices.IndexFunc(copies, func(k kept) bool { return k.file == best }); i >= 0 {
		var rivals []*Source
		for _, k := range copies {
			if k.share >= copies[i].share-marginCopy {
				rivals = append(rivals, k.file)
			}
		}
		if len(rivals) > 1 {
			return likestFolder(o.Path, rivals)
		}
	}
	if most-second < marginFile {
		return nil
	}
	return best
}

// likestFolder returns which of several files that all keep what a renamed file had, as copies of one template do, has a
// folder of the most alike name. It is nil if none is ahead: history may tell.
func likestFolder(was string, files []*Source) (best *Source) {
	most, second := 0.0, 0.0
	for _, n := range files {
		if like := pathSimilarity(was, n.Path) + folderWords(was, n.Path); like > most {
			best, most, second = n, like, most
		} else {
			second = max(second, like)
		}
	}
	if most-second < marginFolder {
		return nil
	}
	return best
}

// folderWords is the share of common words among those of two paths' folders.
func folderWords(a, b string) float64 {
	split := func(p string) []string {
		words := strings.FieldsFunc(strings.ToLower(path.Dir(p)), func(r rune) bool { return strings.ContainsRune("/-_. ", r) })
		slices.Sort(words)
		return slices.Compact(words)
	}
	as, bs := split(a), split(b)
	same := 0
	for _, word := range as {
		if slices.Contains(bs, word) {
			same++
		}
	}
	return float64(same) / float64(max(1, len(as)+len(bs)-same))
}

// wordsKept returns which share of a's words is in b, and the similarity of the two
// sets.
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

// pathSimilarity compares the folders of two paths, from 0 to 1. It is lower if only
// one is among tests: code seldom moves there.
func pathSimilarity(a, b string) float64 {
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

// changedFiles reads the changed files once.
func (w *World) changedFiles() []Change {
	if !w.asked && w.Changed != nil {
		w.changes = w.Changed()
	}
	w.asked = true
	return w.changes
}

// languagesCompatible reports whether code of one language may become code of another
// with mostly equal tokens.
func languagesCompatible(a, b string) bool { return a == b || dialectOf(a) == dialectOf(b) }

func dialectOf(lang string) string {
	switch lang = grammars.CodeOf(lang); lang {
	case "javascript", "typescript", "tsx":
		return "ecmascript"
	case "c", "cpp":
		return "c"
	default:
		return lang
	}
}

// likelyFiles returns the changed files that share the most words with a declaration,
// weighted by rarity.
func (w *World) likelyFiles(o *Source, i int) []Change {
	s := o.symbols()[i]
	var words []uint64
	eachWord(o.Text()[s.Start:s.End], func(word []byte) { words = append(words, extract.HashName(string(word))) })
	slices.Sort(words) // a fixed order makes float sums reproducible to the last bit
	words = slices.Compact(words)
	type ranked struct {
		Change
		score float64
	}
	var all []ranked
	weigh := w.wordWeights()
	for _, c := range w.changedFiles() {
		if c.New == nil || c.New.Path == o.Path || !languagesCompatible(c.New.Lang, o.Lang) {
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
	sorting.StableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.New.Path, b.New.Path))
	})
	var files []Change
	for _, r := range all[:min(len(all), maxFiles)] {
		files = append(files, r.Change)
	}
	return files
}

// wordWeights returns the rarity of each word in the changed files.
func (w *World) wordWeights() map[uint64]float64 {
	if w.weights != nil {
		return w.weights
	}
	w.weights = make(map[uint64]float64)
	for _, c := range w.changedFiles() {
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
