package anchoring

import (
	"path"
	"slices"
	"strings"

	"manicule/grammars"
)

// renames are the files that are at another path now.
type renames struct {
	now         func(path string) *Source // World.New
	to          func(path string) string  // World.Renamed
	differences *differences
	moved       map[*Source]*Source // those found before
}

// of finds the new file of a renamed one.
func (r *renames) of(o *Source) *Source {
	if n, ok := r.moved[o]; ok {
		return n
	}
	n := r.find(o)
	r.moved[o] = n
	return n
}

// known returns the file that a path is known to have become, nil for none.
func (r *renames) known(path string) *Source {
	if r.to == nil {
		return nil
	}
	if to := r.to(path); to != "" {
		return r.now(to)
	}
	return nil
}

func (r *renames) find(o *Source) *Source {
	if n := r.known(o.Path); n != nil {
		return n
	}
	var best *Source
	most, second := 0.0, 0.0
	type kept struct {
		file  *Source
		share float64
	}
	var copies []kept
	for _, c := range r.differences.all() {
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
