package retrieve

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/indexer/words"
	"manicule/memory/file"
)

// Tokens is about how many tokens a text has: four characters to one, as is
// usual for English and code. It is only used to keep to budgets.
func Tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// overhead is what an item takes beside its text: who said it, and where.
const overhead = 15

// pack keeps what fits (V5-RET-14): of items that say the same the better one,
// as many as the limit allows, and under a budget first each type's share of it,
// then what is left by score. With a budget, items about the same place come
// together, the best place first.
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

// distinct drops what says the same as something better, word for word. Nearly the
// same words are not enough: in "note 2", "not", or the name of another browser
// lies all that a second memory has to say.
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

// fitBudget keeps to the budget, in the order of the list.
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
	for i, x := range list { // what no share has used goes to the best that are left
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

// clustered puts items about one place together, in the order of the best of
// each place.
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
	slices.SortStableFunc(list, func(a, b Result) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return list
}
