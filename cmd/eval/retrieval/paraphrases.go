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
	"manicule/memory/file"
	"manicule/memory/search"
)

// The required shares of notes that are found again within the first five.
const (
	paraphraseLeast = 0.8       // of pairs that people find equal
	paraphraseEqual = 4.5       // on 5: the score from which two sentences are a pair
	keywordLeast    = 27.0 / 30 // the best other tool, by a note's own words
	paraphraseFar   = 0.5       // share of words in common
	keywordNotes    = 60
	keywordWords    = 4
)

// known is a question for one or more notes that must be found again.
type known struct {
	text   string
	rel    map[string]float64
	stored string // the paraphrased text
}

// shared is the share of words that two texts have in common.
func shared(a, b string) float64 {
	x, y := words.Terms(a), words.Terms(b)
	both := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			both++
		}
	}
	return float64(both) / float64(max(1, len(x)+len(y)-both))
}

// paraphrases stores sentences and notes as memories. It looks for them in other words,
// and for notes also by some of their own words.
func paraphrases(ctx context.Context, o options) (_ string, bad []string, err error) {
	stsb, err := o.data.Path("stsb", o.split, "pairs.jsonl")
	if err != nil {
		return "", nil, err
	}
	notes, err := o.data.Path("memory-notes", o.split, "notes.jsonl")
	if err != nil {
		return "", nil, err
	}
	sentences, pairs, err := sentencePairs(stsb)
	if err != nil {
		return "", nil, err
	}
	all, err := evalkit.ReadLines[note](notes)
	if err != nil {
		return "", nil, err
	}
	intents, err := evalkit.ReadLines[question](filepath.Join(filepath.Dir(notes), "intent2notes.jsonl"))
	if err != nil {
		return "", nil, err
	}
	var noteEntries []entry
	for _, n := range all {
		noteEntries = append(noteEntries, entry{id: n.ID, kind: file.Gotcha, what: n.Text, path: n.Path, created: n.Created})
	}
	var meant []known
	for _, q := range intents {
		meant = append(meant, known{text: q.Text, rel: q.Rel})
	}
	// Half of the pairs differ in one small word. Pairs that share few words show the value
	// of meaning.
	var far []known
	for i, q := range pairs {
		if shared(q.text, pairs[i].stored) <= paraphraseFar {
			far = append(far, q)
		}
	}
	text := ""
	for _, set := range []struct {
		name    string
		entries []entry
		asked   []known
		least   float64 // of questions with a hit
	}{
		{"STS-B " + o.split + ": sentences by their paraphrase", sentences, pairs, paraphraseLeast},
		{"STS-B " + o.split + ": those of them that share at most half of their words", sentences, far, 0},
		{"memory-notes " + o.split + ": notes by what their session was about", noteEntries, meant, 0},
		{"memory-notes " + o.split + ": notes by four of their own rarer words", noteEntries, byOwnWords(all), keywordLeast},
	} {
		t, err := o.foundAgain(ctx, set.name, set.entries, set.asked)
		if err != nil {
			return "", nil, err
		}
		text += t.String() + "\n"
		if got := evalkit.Mean(t.scores["as shipped"]); got < set.least {
			bad = append(bad, fmt.Sprintf("%s: %.3f found among the first five, want %.3f", set.name, got, set.least))
		}
	}
	return text, bad, nil
}

// sentencePairs returns the first sentences of STS-B's pairs as memories, with the second
// sentences of differing pairs. The second sentences of equal pairs are questions for the
// first.
func sentencePairs(path string) ([]entry, []known, error) {
	p, err := readPairs(path)
	if err != nil {
		return nil, nil, err
	}
	var out []entry
	var asked []known
	id := map[string]string{}
	put := func(text string) {
		key := strings.ToLower(strings.TrimSpace(text))
		if id[key] == "" {
			id[key] = fmt.Sprintf("s%05d", len(out))
			out = append(out, entry{id: id[key], kind: file.Gotcha, what: text, created: time.Unix(0, 0).UTC()})
		}
	}
	questions := map[string]bool{}
	for i, s := range p.score {
		if s >= paraphraseEqual {
			questions[strings.ToLower(strings.TrimSpace(p.b[i]))] = true
		}
	}
	for i, s := range p.score {
		// A stored question would be its own best answer.
		if !questions[strings.ToLower(strings.TrimSpace(p.a[i]))] || s >= paraphraseEqual {
			put(p.a[i])
		}
		if s < paraphraseEqual && !questions[strings.ToLower(strings.TrimSpace(p.b[i]))] {
			put(p.b[i])
		}
	}
	for i, s := range p.score {
		a, b := strings.ToLower(strings.TrimSpace(p.a[i])), strings.ToLower(strings.TrimSpace(p.b[i]))
		if s >= paraphraseEqual && a != b {
			asked = append(asked, known{p.b[i], map[string]float64{id[a]: 1}, p.a[i]})
		}
	}
	return out, asked, nil
}

// byOwnWords selects notes spread over the whole set. Each question is four words of a
// note, in the note's order: the rarest ones that at least one other note has, since
// unique words would be too easy.
func byOwnWords(all []note) []known {
	in := map[string]int{} // notes that have a word
	wordsOf := func(n note) (out []string) {
		for _, w := range words.Fields(n.Text) {
			if w = strings.ToLower(w); len(w) > 2 && !words.IsStopWord(w) && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
		return out
	}
	for _, n := range all {
		for _, w := range wordsOf(n) {
			in[w]++
		}
	}
	var out []known
	for i := 0; i < len(all) && len(out) < keywordNotes; i += max(1, len(all)/keywordNotes) {
		own := slices.DeleteFunc(wordsOf(all[i]), func(w string) bool { return in[w] < 2 })
		rare := slices.Clone(own)
		slices.SortStableFunc(rare, func(a, b string) int { return cmp.Compare(in[a], in[b]) })
		rare = rare[:min(keywordWords, len(rare))]
		own = slices.DeleteFunc(own, func(w string) bool { return !slices.Contains(rare, w) })
		if len(own) >= 3 {
			out = append(out, known{text: strings.Join(own, " "), rel: map[string]float64{all[i].ID: 1}})
		}
	}
	return out
}

// foundAgain runs all variants on a workspace of its own. The figure is the share of
// questions with a relevant result within the first five.
func (o options) foundAgain(ctx context.Context, name string, entries []entry, asked []known) (_ *table, err error) {
	model := o.defaultModel()
	defer func() { err = errors.Join(err, model.Close()) }()
	s, err := newSpace(ctx, entries, nil, model, o.cache)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	t := newTable(fmt.Sprintf("%s: %d questions, %d memories", name, len(asked), len(entries)), "one of the first 5 is right", "R@5", "MRR@10", "found")
	for _, v := range append(legs(), variant{name: "as shipped, `--lexical`", lexical: true}) {
		if v.name != "words" && !o.way(v.name) {
			continue
		}
		if err := s.foundRow(ctx, t, v, asked); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (s *space) foundRow(ctx context.Context, t *table, v variant, asked []known) (err error) {
	searcher := s.searcher(v, false)
	defer func() { err = errors.Join(err, searcher.Close()) }()
	var hit, at5, first []float64
	n := 0
	for _, q := range asked {
		answer, err := searcher.Memories(ctx, search.Question{Text: q.text, Limit: 10, Lexical: v.lexical, Explicit: true})
		if err == nil && answer.Fault != "" {
			err = errors.New(answer.Fault)
		}
		if err != nil {
			return err
		}
		var ranked []string
		for _, r := range answer.Results {
			ranked = append(ranked, s.ids[r.ID])
		}
		one := 0.0
		if firstAt(5, ranked, q.rel) > 0 {
			one, n = 1, n+1
		}
		hit, at5, first = append(hit, one), append(at5, recallAt(5, ranked, q.rel)), append(first, firstAt(10, ranked, q.rel))
	}
	t.row(v.name, hit, three(at5), three(first), fmt.Sprintf("%d of %d", n, len(asked)))
	return nil
}
