// Package retrieve turns a question into a ranked answer: it selects the retrievers,
// merges, weighs and packs their results, and decides when there is no answer. It
// must not know databases, models, the code graph or its callers: it receives
// functions.
package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"manicule/indexer/sorting"
	"manicule/indexer/words"
	"manicule/memory/file"
)

// The retrievers.
const (
	ByWords     = "words"
	ByMeaning   = "meaning"
	ByStructure = "structure"
	ByMentions  = "mentions" // by the words of code, tests and documents that mention it
	// ByAssociation finds functions by words that people use for what such code does.
	ByAssociation = "association"
	// ByHead compares each word of the question with the nearest of a candidate's first words.
	ByHead     = "head"
	ByRecent   = "recent"   // near the files that the asker used last
	ByImagined = "imagined" // by the vector of a hypothetical answer that a model wrote
)

// ErrNoMeaning is returned by [Engine.Meaning] if no vectors can be compared and none are expected,
// because no model is installed.
var ErrNoMeaning = errors.New("no meanings to compare")

// Item is what the pipeline needs to know about a candidate.
type Item struct {
	Type  file.Type // "" for code
	Text  string    // read by a reranker and packed
	Files []string  // files that it is about, relative to the root

	Origin     file.Origin // "" for code
	Confidence float64     // effective, in [0, 1]
	Doubts     []string    // why it may be wrong or out of date
	Created    time.Time
	Uses       int
	Anchored   bool
	// Volatility is the number of changes a day of its files, negative if unknown.
	Volatility float64
	// Newer is how much its files are newer than it.
	Newer time.Duration
}

// Structure is the pipeline's view of a code graph. Paths are relative to the root.
type Structure interface {
	// Mentioned returns the files that names in a question refer to: paths, and files that define a
	// symbol of that name.
	Mentioned(names []string) []string
	// Neighbours returns the files that a file uses, and those that use it.
	Neighbours(file string) []string
	// At lists the items about a file, the most specific first.
	At(file string) []string
}

// Engine answers questions. Words and Item are required; other nil fields don't take part.
type Engine struct {
	// Words searches by keywords, best first, with scores in (0, 1].
	Words func(ctx context.Context, text string, limit int) ([]Ranked, error)
	// Mentions ranks what the last results of Words mention, as a search for code does.
	Mentions func(limit int) []Ranked
	// Association searches code by learned vectors of its words; the scores are cosines.
	Association func(ctx context.Context, text string, limit int) ([]Ranked, error)
	// Align ranks candidates of a search for code by how near their first words are to those of the question,
	// with scores in [0, 1]. It reads each of them, so it sees only the best ones.
	Align func(ctx context.Context, text string, ids []string) ([]Ranked, error)
	// Meaning searches by vectors; the scores are cosines.
	Meaning func(ctx context.Context, text string, limit int) ([]Ranked, error)
	// Structure is the code graph.
	Structure Structure
	// Recent ranks what is near the files that the asker used last, with scores in (0, 1]. It finds nothing by itself.
	Recent func() []Ranked
	// Item describes a candidate. It returns false for one that must not be answered.
	Item func(id string) (Item, bool)
	// Rerank scores texts for the question in [0, 1], in order.
	Rerank func(ctx context.Context, question string, texts []string) ([]float64, error)
	// RerankShare is how much of a score Rerank decides beside what found a result, 0 for all.
	RerankShare float64
	// Reread returns what Rerank reads of an item; nil for its text.
	Reread func(id string) string
	// Imagine writes a hypothetical answer to the question.
	Imagine func(ctx context.Context, question string) (string, error)
	// Now is the clock.
	Now func() time.Time
	// Tuning holds the parameters; [Default] when nil.
	Tuning *Tuning
	// Learned is the factor of a type's weight in a phase, within a fifth of 1; nil for 1.
	Learned func(Phase, file.Type) float64
}

// Question is a query to the engine.
type Question struct {
	Text string
	// Kind is detected when empty.
	Kind  Kind
	Phase Phase
	// Code is true in a search for code, whose words tell less.
	Code bool
	// Limit is the maximum number of results, Budget of tokens; 0 means none.
	Limit, Budget int
	// MinConfidence excludes less trusted items.
	MinConfidence float64
	// Newest orders results by age instead of score.
	Newest bool
	// Explicit is true if a person or an agent asked directly. Such a question may cost a call of a
	// model.
	Explicit bool
}

// Search answers a question, possibly with no result. A retriever that fails does not fail the
// search; the report names it.
func (e *Engine) Search(ctx context.Context, q Question) (Answer, error) {
	t := e.Tuning
	if t == nil {
		d := Default()
		t = &d
	}
	if q.Kind == "" {
		q.Kind = Detect(q.Text)
	}
	r := &run{Engine: e, t: t, q: q, items: map[string]Item{}, shares: map[string]overlap{}, weak: map[string]bool{}, named: map[string]bool{}, terms: words.Terms(q.Text)}
	r.answer.Kind, r.answer.Phase = q.Kind, q.Phase
	begin := e.Now()
	if err := r.retrieveAll(ctx); err != nil {
		return Answer{}, err
	}
	list, err := r.aligned(ctx, Fuse(r.legs))
	if err != nil {
		return Answer{}, err
	}
	list = r.answerable(list)
	r.answer.Matched = len(list)
	list = r.relevant(list)
	results := r.boosted(list)
	if err := r.rerank(ctx, results); err != nil {
		return Answer{}, err
	}
	r.score(results)
	results = r.trusted(results)
	order(results, q.Newest)
	r.answer.Results = r.pack(results)
	r.answer.Millis = millis(e.Now().Sub(begin))
	return r.answer, nil
}

// run is the state of one search.
type run struct {
	*Engine
	t      *Tuning
	q      Question
	terms  []string
	stems  words.Stemmer
	legs   []Leg
	items  map[string]Item
	shares map[string]overlap // overlap with the question's words
	weak   map[string]bool
	named  map[string]bool // about code that the question names
	answer Answer
}

// aligned merges the lists again with that of [Engine.Align], and returns the candidates which that one saw.
func (r *run) aligned(ctx context.Context, list []Fused) ([]Fused, error) {
	w := r.weights(r.answer.Meaning).Head
	if !r.q.Code || r.Align == nil || w == 0 {
		return list, nil
	}
	list = list[:min(len(list), max(r.t.CodeCandidates, r.q.Limit))]
	ids := make([]string, len(list))
	for i, f := range list {
		ids[i] = f.ID
	}
	begin := r.Now()
	ranked, err := r.Align(ctx, r.q.Text, ids)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r.add(Leg{ByHead, w, ranked}, r.Now().Sub(begin), err)
	if err != nil {
		return list, nil //nolint:nilerr // the report names it, and there is an answer without it
	}
	return slices.DeleteFunc(Fuse(r.legs), func(f Fused) bool { return !slices.Contains(ids, f.ID) }), nil
}

// answerable removes results that must not be answered, and of code all but the first ones: each
// takes a read of its file.
func (r *run) answerable(list []Fused) []Fused {
	most := len(list)
	if r.q.Code {
		most = max(r.t.Words+r.t.Meaning, r.q.Limit)
	}
	var out []Fused
	for _, f := range list {
		if len(out) < most && r.known(f.ID) {
			out = append(out, f)
		}
	}
	return out
}

// candidates returns the number of candidates of words and of meaning.
func (r *run) candidates() (byWords, byMeaning int) {
	byWords, byMeaning = r.t.Words, r.t.Meaning
	if r.q.Code {
		byWords, byMeaning = max(byWords, r.t.CodeCandidates), max(byMeaning, r.t.CodeCandidates)
	}
	return max(byWords, r.q.Limit), byMeaning
}

// known loads an item. It returns false if the item must not be answered.
func (r *run) known(id string) bool {
	if _, ok := r.items[id]; ok {
		return true
	}
	it, ok := r.Item(id)
	if ok {
		r.items[id] = it
	}
	return ok
}

// retrieveAll runs the retrievers with a weight; words and meaning run concurrently.
func (r *run) retrieveAll(ctx context.Context) error {
	w := r.weights(r.Meaning != nil)
	type outcome struct {
		list []Ranked
		err  error
		took time.Duration
	}
	ask := func(search func(context.Context, string, int) ([]Ranked, error), text string, limit int) outcome {
		begin := r.Now()
		list, err := search(ctx, text, limit)
		return outcome{list, err, r.Now().Sub(begin)}
	}
	byWords, byMeaning := r.candidates()
	var meant chan outcome
	if r.Meaning != nil && w.Meaning > 0 {
		meant = make(chan outcome, 1)
		go func() { meant <- ask(r.Meaning, r.q.Text, byMeaning) }()
	}
	var said, o outcome
	if w.Words > 0 {
		said = ask(r.Words, r.q.Text, byWords)
	}
	if meant != nil {
		o = <-meant
	}
	if said.err != nil {
		return said.err
	}
	w = r.weights(meant != nil && o.err == nil)
	if r.isKeywords(said.list) {
		w.Words, w.Meaning = r.t.Keywords.Words, r.t.Keywords.Meaning
	}
	if w.Words > 0 {
		r.add(Leg{ByWords, w.Words, r.weighCoverage(said.list)}, said.took, nil)
		if r.Mentions != nil && w.Mentions > 0 {
			r.add(Leg{ByMentions, w.Mentions, r.Mentions(byWords)}, 0, nil) // found with the words
		}
	}
	if r.Association != nil && w.Association > 0 {
		o := ask(r.Association, r.q.Text, byWords)
		r.add(Leg{ByAssociation, w.Association, o.list}, o.took, o.err)
	}
	if meant != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.answer.Meaning = o.err == nil
		r.add(Leg{ByMeaning, w.Meaning, o.list}, o.took, o.err)
	}
	if r.Structure != nil && w.Structure > 0 && r.t.Structure > 0 {
		begin := r.Now()
		list := r.structure()
		r.add(Leg{ByStructure, w.Structure, list}, r.Now().Sub(begin), nil)
	}
	if r.Recent != nil && r.t.Recent > 0 && !r.q.Code {
		begin := r.Now()
		// What nothing else found is about the files at hand, but no answer.
		found := r.found()
		if list := slices.DeleteFunc(r.Recent(), func(x Ranked) bool { return !found[x.ID] }); len(list) > 0 {
			r.add(Leg{ByRecent, r.t.Recent, list[:min(r.t.Structure, len(list))]}, r.Now().Sub(begin), nil)
		}
	}
	return r.imagine(ctx, w)
}

// found returns the ids of what the retrievers have found so far.
func (r *run) found() map[string]bool {
	out := map[string]bool{}
	for _, l := range r.legs {
		for _, x := range l.List {
			out[x.ID] = true
		}
	}
	return out
}

// weights returns the weights for the question. compared says whether vectors are compared.
func (r *run) weights(compared bool) Weights {
	if r.q.Code && compared && r.t.Code != nil {
		return r.t.Code[r.q.Kind]
	}
	return r.t.Weights[r.q.Kind]
}

// add stores a retriever's results, without those that must not be answered.
func (r *run) add(leg Leg, took time.Duration, err error) {
	if !r.q.Code { // answerable looks at fewer
		leg.List = slices.DeleteFunc(slices.Clone(leg.List), func(x Ranked) bool { return !r.known(x.ID) })
	}
	report := LegReport{Name: leg.Name, Weight: leg.Weight, Found: len(leg.List), Millis: millis(took)}
	if err != nil {
		report.Fault = err.Error()
		if leg.Name == ByMeaning && !errors.Is(err, ErrNoMeaning) {
			r.answer.Fault = err.Error()
		}
	} else {
		r.legs = append(r.legs, leg)
	}
	r.answer.Legs = append(r.answer.Legs, report)
}

// imagine is HyDE: L. Gao, X. Ma, J. Lin, J. Callan, "Precise Zero-Shot Dense Retrieval without
// Relevance Labels", ACL 2023. It runs only for an explicit question that found little by its own
// vector, because it costs a model call.
func (r *run) imagine(ctx context.Context, w Weights) error {
	if r.Imagine == nil || r.Meaning == nil || !r.q.Explicit || !r.answer.Meaning {
		return nil
	}
	good := 0
	for _, leg := range r.legs {
		for _, x := range leg.List {
			if leg.Name == ByMeaning && x.Score > r.t.GoodCosine {
				good++
			}
		}
	}
	if good >= r.t.Imagine {
		return nil
	}
	begin := r.Now()
	var list []Ranked
	text, err := r.Imagine(ctx, r.q.Text)
	if err == nil {
		list, err = r.Meaning(ctx, text, r.t.Meaning)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.add(Leg{ByImagined, w.Meaning, list}, r.Now().Sub(begin), err)
	return nil
}

// relevant removes results with too little evidence: the question names no code of theirs, and they
// are too far from it in meaning and words. For an explicit question the best of them stay, marked
// as weak. Otherwise no result is better than noise.
func (r *run) relevant(list []Fused) []Fused {
	shown := 0
	if r.q.Explicit {
		shown = r.t.Weak
	}
	out := list[:0]
	for i, f := range list {
		switch {
		case r.isRelevant(f):
			out = append(out, f)
		case i < shown:
			r.weak[f.ID] = true
			out = append(out, f)
		default:
			r.omit(OmitIrrelevant, f.ID)
		}
	}
	return out
}

func (r *run) isRelevant(f Fused) bool {
	words := r.overlap(f.ID)
	near := 0.0
	for _, c := range f.By {
		switch c.Leg {
		case ByStructure:
			if r.named[f.ID] {
				return true
			}
		case ByWords:
			if len(r.terms) == 0 && r.q.Explicit {
				return true // common words only: an explicit question wants those
			}
		case ByMeaning, ByImagined:
			near = max(near, c.Score)
		}
	}
	if r.answer.Meaning {
		return near+r.t.WordsEvidence*words.share >= r.t.MinEvidence
	}
	return words.n > 0 && (words.n >= r.t.MinTerms || words.share >= r.t.MinCoverage)
}

// overlap is the number and the share of a question's terms that a text has.
type overlap struct {
	share float64
	n     int
	have  int // different terms of the text
}

func (r *run) overlap(id string) overlap {
	o, ok := r.shares[id]
	if !ok {
		o = coverage(&r.stems, r.terms, r.items[id].Text)
		r.shares[id] = o
	}
	return o
}

// weighCoverage lets the share of the question's words count beside the keyword score, which a
// single rare word can decide.
func (r *run) weighCoverage(list []Ranked) []Ranked {
	if r.q.Code {
		return list // the longest function would have the most words
	}
	if r.t.Covered == 0 {
		return list
	}
	best, have, known := 0.0, 0, 0
	for _, x := range list {
		if r.known(x.ID) {
			o := r.overlap(x.ID)
			best, have, known = max(best, o.share), have+o.have, known+1
		}
	}
	if best == 0 {
		return list
	}
	covered := r.t.Covered * min(1, r.t.CoveredTerms*float64(known)/float64(have))
	list = slices.Clone(list)
	for i, x := range list {
		list[i].Score = (1-covered)*x.Score + covered*r.overlap(x.ID).share/best
	}
	sorting.StableFunc(list, func(a, b Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return list
}

// leastKeywords is the number of words from which a text that has all of them is hardly one by chance.
const leastKeywords = 3

// isKeywords reports whether the question is a list of words that a text has, all of them: who
// remembers the words of a memory wants that one, and not what means about the same.
func (r *run) isKeywords(list []Ranked) bool {
	asked := strings.Fields(r.q.Text)
	if r.q.Code || r.t.Keywords.Words == 0 || len(asked) < leastKeywords || len(r.terms) < leastKeywords { // the parts of one name are not words that somebody chose
		return false
	}
	for _, word := range asked {
		if len(words.Terms(word)) == 0 { // a common word: a sentence
			return false
		}
	}
	return slices.ContainsFunc(list, func(x Ranked) bool { return r.known(x.ID) && r.overlap(x.ID).share == 1 })
}

// boosted makes results, and raises those next to the best ones in the code.
func (r *run) boosted(list []Fused) []Result {
	out := make([]Result, len(list))
	for i, f := range list {
		out[i] = Result{ID: f.ID, Score: math.Pow(f.Score, r.t.Stretch), Weak: r.weak[f.ID], By: f.By}
	}
	if r.Structure == nil || r.t.Boost == 0 || len(out) < r.t.BoostFrom {
		return out
	}
	best := map[string]bool{}
	for _, x := range out[:r.t.BoostFrom-1] {
		for _, f := range r.items[x.ID].Files {
			best[f] = true
		}
	}
	if len(best) == 0 {
		return out
	}
	near := map[string]int{}
	for _, f := range slices.Sorted(maps.Keys(best)) {
		for _, n := range r.Structure.Neighbours(f) {
			near[n]++
		}
	}
	for i := r.t.BoostFrom - 1; i < min(len(out), r.t.BoostTo); i++ {
		n := 0
		for _, f := range r.items[out[i].ID].Files {
			n = max(n, near[f])
		}
		if n == 0 {
			continue
		}
		gain := r.t.Boost * float64(n) / float64(len(best))
		out[i].Score = min(1, out[i].Score+gain)
		out[i].Boosts = append(out[i].Boosts, Boost{"neighbours", gain, fmt.Sprintf("next to %d of the %d files of the best %d", n, len(best), r.t.BoostFrom-1)})
	}
	sortByScore(out)
	return out
}

// rerank scores the best results with a cross-encoder, or by their words one by one, and moves its best to the front.
func (r *run) rerank(ctx context.Context, list []Result) error {
	if r.Rerank == nil || len(list) < 2 {
		return nil
	}
	begin := r.Now()
	head := list[:min(r.t.Rerank, len(list))]
	texts := make([]string, len(head))
	for i, x := range head {
		texts[i] = r.items[x.ID].Text
		if r.Reread != nil {
			texts[i] = r.Reread(x.ID)
		}
	}
	scores, err := r.Engine.Rerank(ctx, r.q.Text, texts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	report := LegReport{Name: "rerank", Found: len(head), Millis: millis(r.Now().Sub(begin))}
	if err == nil && len(scores) != len(head) {
		err = fmt.Errorf("%d scores for %d texts", len(scores), len(head))
	}
	if err != nil {
		report.Fault = err.Error()
		r.answer.Legs = append(r.answer.Legs, report)
		return nil
	}
	r.answer.Legs = append(r.answer.Legs, report)
	top, why := slices.Clone(head), "how well it answers, read as a whole"
	if w := r.RerankShare; w > 0 {
		scores, why = mixed(head, scores, w), "how near its words are to those of the question, one by one"
	}
	for i := range top {
		top[i].Boosts = append(slices.Clone(top[i].Boosts), Boost{"rerank", scores[i] - top[i].Score, why})
		top[i].Score = scores[i]
	}
	sortByScore(top)
	copy(head, top)
	// What it moves to the front stays above the rest.
	for i := min(r.t.Reranked, len(list)); i < len(list); i++ {
		list[i].Score = min(list[i].Score, list[min(r.t.Reranked, len(list))-1].Score)
	}
	return nil
}

// mixed merges the scores of results with second ones, of which each list is stretched to the range of the first: the second
// ones differ little.
func mixed(list []Result, second []float64, share float64) []float64 {
	first := make([]float64, len(list))
	for i, x := range list {
		first[i] = x.Score
	}
	low, high := slices.Min(first), slices.Max(first)
	from, to := slices.Min(second), slices.Max(second)
	out := slices.Clone(first)
	for i, x := range second {
		if to > from {
			out[i] = (1-share)*first[i] + share*(low+(high-low)*(x-from)/(to-from))
		}
	}
	return out
}

func sortByScore(list []Result) {
	sorting.StableFunc(list, func(a, b Result) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
}

// order sorts the results of an answer.
func order(list []Result, newest bool) {
	sorting.StableFunc(list, func(a, b Result) int {
		if newest {
			if c := b.created.Compare(a.created); c != 0 {
				return c
			}
		}
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
}
