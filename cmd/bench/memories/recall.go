package memories

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
)

// noteSet are notes with the questions that they answer.
type noteSet struct {
	notes     []note
	questions []question
}

type question struct {
	text     string
	relevant map[string]bool
	words    []string // its words that are in the notes, rarest first
}

// mostNotes bounds the notes, as some tools keep a few in a second.
const mostNotes = 100

// notes reads the first questions of the set memory-notes with the notes that answer
// them.
func (b *bench) notes() (noteSet, error) {
	var set noteSet
	path, err := b.data.Path("memory-notes", "dev", "notes.jsonl")
	if err != nil {
		return set, err
	}
	type line struct {
		ID   string             `json:"_id"`
		Repo string             `json:"repo"`
		Text string             `json:"text"`
		Rel  map[string]float64 `json:"rel"`
	}
	all, err := evalkit.ReadLines[line](path)
	if err != nil {
		return set, err
	}
	asked, err := evalkit.ReadLines[line](strings.Replace(path, "notes.jsonl", "intent2notes.jsonl", 1))
	if err != nil {
		return set, err
	}
	wanted := map[string]bool{}
	for _, q := range asked {
		if len(wanted) >= mostNotes {
			break
		}
		each := question{text: q.Text, relevant: map[string]bool{}}
		for id := range q.Rel {
			wanted[id], each.relevant[id] = true, true
		}
		set.questions = append(set.questions, each)
	}
	for _, n := range all {
		if wanted[n.ID] {
			set.notes = append(set.notes, note{Title: n.ID, Text: fmt.Sprintf("%s (%s)", n.Text, n.ID)})
		}
	}
	rarestFirst(set)
	return set, nil
}

var wordOf = regexp.MustCompile(`[a-z]{4,}`)

// rarestFirst finds the words of each question that an agent that looks for a memory
// would best ask for. It favours all tools alike.
func rarestFirst(set noteSet) {
	in := map[string]int{}
	for _, n := range set.notes {
		words := wordOf.FindAllString(strings.ToLower(n.Text), -1)
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			in[w]++
		}
	}
	for i := range set.questions {
		words := wordOf.FindAllString(strings.ToLower(set.questions[i].text), -1)
		slices.Sort(words)
		words = slices.DeleteFunc(slices.Compact(words), func(w string) bool { return in[w] == 0 })
		slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(in[a], in[b]) })
		set.questions[i].words = words
	}
}

var noteID = regexp.MustCompile(`\bn\d{4}\b`)

// first returns the first n distinct notes that an answer names.
func first(said string, n int) (out []string) {
	for _, id := range noteID.FindAllString(said, -1) {
		if len(out) < n && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// recall measures whether one of the first five answers to a question is a note of the
// work that the question describes.
func (b *bench) recall(ctx context.Context) error {
	set, err := b.notes()
	if err != nil {
		return err
	}
	table := evalkit.NewTable(fmt.Sprintf("hit@5, %d notes, %d questions", len(set.notes), len(set.questions)), "the sentence", "its three rarest words", "its rarest word", "ms a search, median", "ms to keep one, median", "notes kept")
	return errors.Join(b.each(ctx, table, func(t tool, p *place) (err error) {
		kept := 0
		d, err := t.Open(ctx, p)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.Close()) }()
		var keeping []time.Duration
		for _, n := range set.notes {
			start := time.Now()
			if err := d.Save(ctx, n); err == nil {
				kept++
				keeping = append(keeping, time.Since(start))
			}
		}
		var times []time.Duration
		row := []any{t.Name()}
		for _, ask := range []func(question) string{
			func(q question) string { return q.text },
			func(q question) string { return strings.Join(q.words[:min(3, len(q.words))], " ") },
			func(q question) string { return strings.Join(q.words[:min(1, len(q.words))], " ") },
		} {
			hits := 0
			for _, q := range set.questions {
				start := time.Now()
				said, err := d.Search(ctx, ask(q))
				if err != nil {
					evalkit.Progress("%v", err)
				}
				times = append(times, time.Since(start))
				if slices.ContainsFunc(first(said, 5), func(id string) bool { return q.relevant[id] }) {
					hits++
				}
			}
			row = append(row, evalkit.Ratio(hits, len(set.questions)))
		}
		table.Add(append(row, fmt.Sprintf("%.0f", 1000*evalkit.Percentile(times, .5).Seconds()),
			fmt.Sprintf("%.0f", 1000*evalkit.Percentile(keeping, .5).Seconds()), kept)...)
		return nil
	}), show(table))
}
