package retrieve

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/indexer/sorting"
	"manicule/indexer/words"
	"manicule/memory/file"
)

// Tokens estimates the tokens of a text as one for four characters, as is usual for English and
// code. It only serves budgets.
func Tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// overhead is the cost of an item beside its text: author and place.
const overhead = 15

// pack selects the results that fit. It drops duplicates and applies the limit. Under a
// budget it first fills each type's share, then the rest by score, and groups results about one
// place, the best place first.
func (r *run) pack(list []Result) []Result {
	list = r.distinct(list)
	if r.q.Limit > 0 && len(list) > r.q.Limit {
		for _, x := range list[r.q.Limit:] {
			r.omit(OmitLimit, x.ID)
		}
		list = list[:r.q.Limit]
	}
	for i := range list {
		list[i].Tokens = Tokens(r.items[list[i].ID].Text) + overhead
	}
	if r.q.Budget > 0 {
		list = r.clustered(r.fitBudget(list))
	}
	for _, x := range list {
		r.answer.Tokens += x.Tokens
	}
	return list
}

// distinct drops results that say the same as a better one, word for word. Similar words are not
// enough: a "not", a number or another name may be all that differs.
func (r *run) distinct(list []Result) []Result {
	if !r.t.Distinct {
		return list
	}
	kept := map[string]bool{}
	return slices.DeleteFunc(list, func(x Result) bool {
		said := strings.ToLower(strings.Join(words.Fields(r.items[x.ID].Text), " "))
		if said != "" && kept[said] {
			r.omit(OmitDuplicate, x.ID)
			return true
		}
		kept[said] = true
		return false
	})
}

// fitBudget applies the budget, in the order of the list.
func (r *run) fitBudget(list []Result) []Result {
	ph := phaseOf(r.q.Phase)
	left := map[file.Type]float64{}
	for t, share := range ph.shares {
		left[t] = share * float64(r.q.Budget)
	}
	others := ph.other * float64(r.q.Budget)
	free := r.q.Budget
	taken := make([]bool, len(list))
	take := func(i int) {
		taken[i] = true
		free -= list[i].Tokens
	}
	for i, x := range list {
		need := float64(x.Tokens)
		share, ok := left[x.Type]
		switch {
		case x.Tokens > free:
		case ok && need <= share:
			left[x.Type] -= need
			take(i)
		case !ok && need <= others:
			others -= need
			take(i)
		}
	}
	for i, x := range list { // what no type's share has used goes to the best remaining
		if !taken[i] && x.Tokens <= free {
			take(i)
		}
	}
	var out []Result
	for i, x := range list {
		if taken[i] {
			out = append(out, x)
		} else {
			r.omit(OmitBudget, x.ID)
		}
	}
	return out
}

// clustered groups results about one place, in the order of the best of each.
func (r *run) clustered(list []Result) []Result {
	number := map[string]int{}
	for i := range list {
		place := ""
		if files := r.items[list[i].ID].Files; len(files) > 0 {
			place = path.Dir(files[0])
		}
		if number[place] == 0 {
			number[place] = len(number) + 1
		}
		list[i].Cluster = number[place]
	}
	sorting.StableFunc(list, func(a, b Result) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return list
}
