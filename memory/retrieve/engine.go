// Package retrieve turns a question into a ranked answer: it selects the retrievers,
// merges, weighs and packs their results, and decides when there is no answer. It
// must not know databases, models, the code graph or its callers: it receives
// functions.
package retrieve

import (
	"context"
	"errors"
	"slices"
	"time"

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

func (r *run) overlap(id string) overlap {
	o, ok := r.shares[id]
	if !ok {
		o = coverage(&r.stems, r.terms, r.items[id].Text)
		r.shares[id] = o
	}
	return o
}
