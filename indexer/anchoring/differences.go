package anchoring

import (
	"cmp"
	"math"
	"slices"

	"manicule/indexer/extract"
	"manicule/indexer/sorting"
)

// differences are the files that differ between the states of a tree, as far as they may hold moved code.
type differences struct {
	read    func() []Change // nil if they are unknown
	files   []Change
	asked   bool
	weights map[uint64]float64
}

// all reads the changed files once.
func (d *differences) all() []Change {
	if !d.asked && d.read != nil {
		d.files = d.read()
	}
	d.asked = true
	return d.files
}

// present lists the added and changed files, except one.
func (d *differences) present(but *Source) []*Source {
	var all []*Source
	for _, c := range d.all() {
		if c.New != nil && c.New != but {
			all = append(all, c.New)
		}
	}
	return all
}

// ofBlob returns the only changed file of a content, nil for none or several.
func (d *differences) ofBlob(blob string) *Source {
	if blob == "" {
		return nil
	}
	var found *Source
	for _, c := range d.all() {
		if c.New == nil || c.New.Blob != blob {
			continue
		}
		if found != nil {
			return nil
		}
		found = c.New
	}
	return found
}

// likely returns the changed files that share the most words with a declaration,
// weighted by rarity.
func (d *differences) likely(o *Source, i int) []Change {
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
	weigh := d.wordWeights()
	for _, c := range d.all() {
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
func (d *differences) wordWeights() map[uint64]float64 {
	if d.weights != nil {
		return d.weights
	}
	d.weights = make(map[uint64]float64)
	for _, c := range d.all() {
		if c.New == nil {
			continue
		}
		for word := range c.New.wordSet() {
			d.weights[word]++
		}
	}
	for word, n := range d.weights {
		d.weights[word] = math.Log(1 + float64(len(d.files))/n)
	}
	return d.weights
}
