package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/words"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

// maxBehind is the tolerated distance of the pipeline to its best leg.
const maxBehind = .005

// grepWay is what a person without a tool would do.
const grepWay = "grep -i of the words, most words first"

// note is a lesson of an agent's session, from the set memory-notes.
type note struct {
	ID      string    `json:"_id"`
	Repo    string    `json:"repo"`
	Type    string    `json:"type"` // repo, code, workflow, friction
	Text    string    `json:"text"`
	Path    string    `json:"path"`
	Created time.Time `json:"created_at"`
}

// question is a query with its relevant notes. AsOf is the time of the question, or zero
// if any note counts.
type question struct {
	Repo string             `json:"repo"`
	Text string             `json:"text"`
	AsOf time.Time          `json:"asof"`
	Rel  map[string]float64 `json:"rel"`
}

// stages is the pipeline, built up from its legs.
func stages() []variant {
	words := retrieve.Weights{Words: 1}
	return []variant{
		{name: "words", lexical: true, tune: oneLeg(words)},
		{name: "meaning", tune: oneLeg(retrieve.Weights{Meaning: 1})},
		{name: "structure", lexical: true, tune: oneLeg(retrieve.Weights{Structure: 1})},
		{name: "words + meaning", tune: plain},
		{name: "+ structure by names", tune: func(t *retrieve.Tuning) {
			d := *t
			plain(t)
			t.Structure = d.Structure
		}},
		{name: "+ neighbours of the best", tune: func(t *retrieve.Tuning) {
			d := *t
			plain(t)
			t.Structure, t.Seeds = d.Structure, 5
		}},
		{name: "+ boost (words + meaning + boost)", tune: func(t *retrieve.Tuning) {
			plain(t)
			t.Boost = .3
		}},
		{name: "+ recency (words + meaning, .6/.25/.15)", tune: func(t *retrieve.Tuning) {
			plain(t)
			t.Relevance, t.Recency, t.Frequency = .60, .25, .15
		}},
		{name: "+ share of words", tune: func(t *retrieve.Tuning) {
			d := *t
			plain(t)
			t.Covered = d.Covered
		}},
		{name: "+ age and use as shipped", tune: func(t *retrieve.Tuning) {
			d := *t
			plain(t)
			t.Stretch, t.Relevance, t.Recency, t.Frequency = d.Stretch, d.Relevance, d.Recency, d.Frequency
		}},
		{name: "+ standing (type, trust, doubts)", tune: func(t *retrieve.Tuning) {
			d := *t
			plain(t)
			t.Stretch, t.Standing = d.Stretch, true
		}},
		{name: "+ nothing twice", tune: func(t *retrieve.Tuning) {
			d := *t
			plain(t)
			t.Distinct = d.Distinct
		}},
		{name: "as shipped, without a model", lexical: true},
		{name: "as shipped"},
	}
}

// notes runs the product's pipeline on notes as memories of a workspace. Figures are
// means of nDCG@10.
func notes(ctx context.Context, o options) (_ string, bad []string, err error) {
	name, err := o.data.Path("memory-notes", o.split, "notes.jsonl")
	if err != nil {
		return "", nil, err
	}
	all, err := evalkit.ReadLines[note](name)
	if err != nil {
		return "", nil, err
	}
	model := o.defaultModel()
	spaces := map[string]*space{}
	defer func() {
		for _, s := range spaces {
			err = errors.Join(err, s.close())
		}
		err = errors.Join(err, model.Close())
	}()
	for _, n := range all {
		if spaces[n.Repo] != nil {
			continue
		}
		s, err := o.noteSpace(ctx, n.Repo, all, model)
		if err != nil {
			return "", nil, err
		}
		spaces[n.Repo] = s
	}
	byID := map[string]note{}
	for _, n := range all {
		byID[n.ID] = n
	}
	var b strings.Builder
	for _, set := range []string{"intent2notes", "prompt2notes"} {
		questions, err := evalkit.ReadLines[question](filepath.Join(filepath.Dir(name), set+".jsonl"))
		if err != nil {
			return "", nil, err
		}
		text, worse, err := noteSet(ctx, o, set, questions, spaces, byID)
		if err != nil {
			return "", nil, err
		}
		b.WriteString(text)
		bad = append(bad, worse...)
	}
	return b.String(), bad, nil
}

// noteSpace returns the workspace of a repository's notes, with its code if there is a
// checkout.
func (o options) noteSpace(ctx context.Context, repo string, all []note, model *embed.Service) (*space, error) {
	kinds := map[string]file.Type{"repo": file.Convention, "code": file.Gotcha, "workflow": file.WorkflowRecipe, "friction": file.DeadEnd}
	var entries []entry
	for _, n := range all {
		if n.Repo == repo {
			entries = append(entries, entry{id: n.ID, kind: kinds[n.Type], what: n.Text, path: n.Path, created: n.Created})
		}
	}
	return newSpace(ctx, entries, copied(o.source(repo)), model, o.cache)
}

func noteSet(ctx context.Context, o options, set string, questions []question, spaces map[string]*space, byID map[string]note) (_ string, _ []string, err error) {
	if err := o.dumpLegs(ctx, set, questions, spaces, byID); err != nil {
		return "", nil, err
	}
	t := newTable(fmt.Sprintf("%s (%s), %d questions", set, o.split, len(questions)), "nDCG@10", "R@5", "sure where it should not be", "sure where it should be")
	late := o.late()
	defer func() { err = errors.Join(err, late.Close()) }()
	for _, v := range append(stages(), variant{name: "words one by one (rerank.provider = late)", rerank: late.Rerank}) {
		if v.name != "words" && !o.way(v.name) {
			continue
		}
		got, at5, told, err := v.ask(ctx, questions, spaces, byID)
		if err != nil {
			return "", nil, err
		}
		t.row(v.name, got, three(at5), told[0], told[1])
	}
	var got, at5 []float64
	for _, q := range questions {
		ranked := grep(q, byID)
		got, at5 = append(got, ndcg(ranked, q.Rel)), append(at5, recallAt(5, ranked, q.Rel))
	}
	t.row(grepWay, got, three(at5), "all", "all")
	var bad []string
	if both, one := t.best("as shipped"), t.best("words", "meaning", grepWay); both < one-maxBehind {
		bad = append(bad, fmt.Sprintf("%s: %.3f as shipped, %.3f by one leg alone", set, both, one))
	}
	if lexical, one := t.best("as shipped, without a model"), t.best("words"); lexical < one-maxBehind {
		bad = append(bad, fmt.Sprintf("%s: %.3f as shipped without a model, %.3f by plain words", set, lexical, one))
	}
	return t.String() + "\n", bad, nil
}

// ask runs a variant over a set. It also returns for how many questions another project
// is sure, and their own.
func (v variant) ask(ctx context.Context, questions []question, spaces map[string]*space, byID map[string]note) (got, at5 []float64, told [2]string, err error) {
	searchers := map[string]*search.Searcher{}
	for repo, s := range spaces {
		searchers[repo] = s.searcher(v, true)
	}
	defer func() {
		for _, s := range searchers {
			err = errors.Join(err, s.Close())
		}
	}()
	answered, asked, sure := 0, 0, 0
	for _, q := range questions {
		for repo, s := range searchers {
			may := func(n note) bool { return q.AsOf.IsZero() || n.Type == "code" && n.Created.Before(q.AsOf) }
			spaces[repo].now = q.AsOf
			if q.AsOf.IsZero() {
				spaces[repo].now = spaces[repo].last
			}
			sq := search.Question{Text: q.Text, Limit: 10, Lexical: v.lexical, Explicit: true}
			sq.Filter.Allow = func(m *file.Memory) bool { return may(byID[spaces[repo].ids[m.UUID]]) }
			answer, err := s.Memories(ctx, sq)
			if err == nil && answer.Fault != "" {
				err = errors.New(answer.Fault)
			}
			if err != nil {
				return nil, nil, told, err
			}
			if repo != q.Repo {
				asked++
				if slices.ContainsFunc(answer.Results, func(r retrieve.Result) bool { return !r.Weak }) {
					answered++
				}
				continue
			}
			if slices.ContainsFunc(answer.Results, func(r retrieve.Result) bool { return !r.Weak }) {
				sure++
			}
			var ranked []string
			for _, r := range answer.Results {
				ranked = append(ranked, spaces[repo].ids[r.ID])
			}
			got, at5 = append(got, ndcg(ranked, q.Rel)), append(at5, recallAt(5, ranked, q.Rel))
		}
	}
	return got, at5, [2]string{fmt.Sprintf("%d of %d", answered, asked), fmt.Sprintf("%d of %d", sure, len(got))}, nil
}

// grep ranks notes by the number of the question's words in them, ignoring case: what a
// person without a tool would do.
func grep(q question, byID map[string]note) []string {
	type hit struct {
		id string
		n  int
	}
	var hits []hit
	for id, n := range byID {
		if n.Repo != q.Repo || !q.AsOf.IsZero() && (n.Type != "code" || !n.Created.Before(q.AsOf)) {
			continue
		}
		text := strings.ToLower(n.Text + " " + n.Path)
		h := hit{id: id}
		for _, w := range words.Fields(q.Text) {
			if !words.IsStopWord(w) && strings.Contains(text, strings.ToLower(w)) {
				h.n++
			}
		}
		if h.n > 0 {
			hits = append(hits, h)
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.id, b.id)) })
	out := make([]string, 0, 10)
	for _, h := range hits[:min(10, len(hits))] {
		out = append(out, h.id)
	}
	return out
}
