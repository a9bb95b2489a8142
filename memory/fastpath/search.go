package fastpath

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/store"
)

// Search finds memories by the words of a text and the files that it names, best first. It may find none. It runs the
// pipeline without models and without the code graph.
func (m *Memories) Search(ctx context.Context, text string, phase retrieve.Phase, limit int, now func() time.Time) ([]memory.Hit, error) {
	c := &candidates{m: m, known: map[string]memory.Hit{}}
	var fault error // of a function that returns none
	c.about = func(p string) []memory.Hit {
		rows, err := m.rows.Reaching(ctx, memory.PathQuery{Path: p})
		if err != nil {
			fault = err
			return nil
		}
		store.AsOf(rows, m.now())
		return memory.Applying(m.place.MemoriesDir(), m.scopes, rows, p, false)
	}
	e := &retrieve.Engine{Now: now, Words: c.words, Item: c.item, Structure: c}
	answer, err := e.Search(ctx, retrieve.Question{Text: text, Phase: phase, Limit: limit})
	if err != nil || fault != nil && len(answer.Results) == 0 { // what the words find is told without the files
		return nil, errors.Join(err, fault)
	}
	var hits []memory.Hit
	for _, r := range answer.Results {
		h := c.known[r.ID]
		h.Score = r.Score
		hits = append(hits, h)
	}
	return m.verify(hits, func(*file.Memory, []store.Place) bool { return true }), nil
}

// candidates are the memories that a search has met.
type candidates struct {
	m     *Memories
	known map[string]memory.Hit
	about func(p string) []memory.Hit // those about a file, in recall order; what is answered is read from its file at the end
}

func (c *candidates) words(ctx context.Context, text string, limit int) ([]retrieve.Ranked, error) {
	rows, err := c.m.rows.Search(ctx, text, limit)
	if err != nil {
		return nil, err
	}
	var out []retrieve.Ranked
	for _, r := range rows {
		for _, h := range c.m.hits([]store.Row{r}) {
			c.known[h.Memory.UUID] = h
			out = append(out, retrieve.Ranked{ID: h.Memory.UUID, Score: 1})
		}
	}
	return out, nil
}

func (c *candidates) item(id string) (retrieve.Item, bool) {
	h, ok := c.known[id]
	if !ok {
		return retrieve.Item{}, false
	}
	m := h.Memory
	parts := slices.Concat([]string{m.What, m.Why, m.ContextLabel, m.Task()}, m.Tags, m.Scope)
	for _, a := range m.Anchors {
		parts = append(parts, a.Path, a.Symbol)
	}
	return retrieve.Item{
		Type: m.Type, Text: strings.Join(parts, " "),
		Origin: m.Trust.Origin, Confidence: h.Confidence(), Created: m.UpdatedAt.Time, Anchored: len(m.Anchors) > 0, Volatility: -1,
	}, true
}

// maxMentioned is how many files that a text names are looked up: a log names hundreds.
const maxMentioned = 8

// Mentioned returns the files with memories that names refer to, by their paths.
func (c *candidates) Mentioned(names []string) []string {
	var out []string
	looked := 0
	for _, n := range names {
		p := strings.TrimPrefix(path.Clean(strings.ReplaceAll(n, `\`, "/")), "./")
		if f, _, ok := strings.Cut(p, ":"); ok && path.Ext(f) != "" {
			p = f // with a line number
		}
		if path.Ext(p) == "" || path.IsAbs(p) || strings.HasPrefix(p, "../") || slices.Contains(out, p) {
			continue
		}
		if looked++; looked > maxMentioned {
			break
		}
		if slices.ContainsFunc(c.about(p), func(h memory.Hit) bool { return h.Match == memory.MatchAnchor }) {
			out = append(out, p)
		}
	}
	return out
}

// Neighbours returns none: there is no code graph.
func (c *candidates) Neighbours(string) []string { return nil }

// At lists the memories about a file.
func (c *candidates) At(p string) []string {
	var out []string
	for _, h := range c.about(p) {
		if h.Match > memory.MatchProject {
			c.known[h.Memory.UUID] = h
			out = append(out, h.Memory.UUID)
		}
	}
	return out
}
