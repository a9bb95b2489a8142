package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/hooks/nudge"
	"manicule/memory"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

type recallIn struct {
	Paths  []string `json:"paths"`
	Query  string   `json:"query"`
	IDs    []string `json:"ids"`
	Limit  int      `json:"limit"`
	Budget int      `json:"budget"`
	Cursor string   `json:"cursor"`
}

type searchIn struct {
	Query  string   `json:"query"`
	Types  []string `json:"types"`
	Paths  []string `json:"paths"`
	Limit  int      `json:"limit"`
	Budget int      `json:"budget"`
	Cursor string   `json:"cursor"`
}

// Bounds of what is asked.
const (
	defaultLimit = 10
	maxLimit     = 100
	maxQuery     = 4000 // characters
	maxList      = 50   // paths or ids
	maxFound     = 1000 // by a search: "all"
)

func limitOf(n int) int {
	if n <= 0 {
		return defaultLimit
	}
	return min(n, maxLimit)
}

// checkQuery is the text of a question, cleaned of what nobody means.
func checkQuery(text string, needed bool) (string, error) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "")
	}
	text = strings.TrimSpace(text)
	if text == "" && needed {
		return "", wrong("the query is empty", "Say in a few words what you want to know.")
	}
	if n := utf8.RuneCountInString(text); n > maxQuery {
		return "", wrong(fmt.Sprintf("the query has %d characters", n), fmt.Sprintf("Ask in at most %d.", maxQuery))
	}
	return text, nil
}

// checkPaths refuses paths that lie outside of the workspace: an answer without
// memories would be taken for one.
func checkPaths(sp *Space, paths []string) error {
	if len(paths) > maxList {
		return wrong(fmt.Sprintf("%d paths are too many", len(paths)), fmt.Sprintf("Ask about %d at most, or about a folder.", maxList))
	}
	for _, p := range paths {
		if strings.ContainsRune(p, 0) {
			return wrong("a path holds a NUL character", "Name a file below the workspace.")
		}
		if _, _, ok := sp.Memories.Place().Query(p); !ok {
			return wrong(fmt.Sprintf("%s lies outside of the workspace", nudge.Cut(nudge.Clean(p), maxPlaceLen)), "Name files below "+sp.Memories.Root()+", absolute or relative to it.")
		}
	}
	return nil
}

func (s *server) recall(ctx context.Context, c *call, in recallIn) (string, Answer, error) {
	sp, err := s.spaces.of(ctx, in.Paths...)
	if err != nil {
		return "", Answer{}, err
	}
	if err := checkPaths(sp, in.Paths); err != nil {
		return "", Answer{}, err
	}
	query, err := checkQuery(in.Query, false)
	if err != nil {
		return "", Answer{}, err
	}
	if err := sp.Fresh(ctx); err != nil {
		return "", Answer{}, err
	}
	switch {
	case len(in.IDs) > 0:
		return s.expand(ctx, c, in)
	case query != "" && len(in.Paths) == 0:
		return s.search(ctx, c, searchIn{Query: query, Limit: in.Limit, Budget: in.Budget, Cursor: in.Cursor})
	}
	offset, err := offsetOf(in.Cursor, in.Paths, query)
	if err != nil {
		return "", Answer{}, err
	}
	q := memory.Query{Paths: in.Paths, Limit: -1}
	var a Answer
	if query != "" {
		found, err := sp.Find(ctx, search.Question{Text: query, Limit: maxFound, Explicit: true, Filter: search.Filter{Files: in.Paths}})
		if err != nil {
			return "", Answer{}, err
		}
		q.Scores = map[string]float64{}
		for _, r := range found.Results {
			q.Scores[r.ID] = r.Score
		}
		a.fault(found)
	}
	r, err := sp.Memories.Kept().Recall(ctx, q)
	if err != nil {
		return "", Answer{}, err
	}
	hits := r.Hits
	if limit := limitOf(in.Limit); offset == 0 && limit < memory.DiversityLimit {
		hits = firstOf(hits, limit)
	}
	a.Matched = len(hits)
	w := window{offset: offset, limit: limitOf(in.Limit), budget: budgetOf(in.Budget, defaultBudget), room: short(),
		next: func(n int) string { return cursorFor(n, in.Paths, query) }}
	hits = s.lookAhead(ctx, sp, hits, w)
	s.warnAlone(ctx, sp, &a, in.Paths)
	text, shown := a.page(count(a.Matched, "memory", "memories")+" for "+about(in.Paths), hits, s.opts.Now(), w, nil)
	s.shown(c, sp, shown, text, in.Paths...)
	return text, a, nil
}

// warnAlone says which root was asked, where no path does.
func (s *server) warnAlone(ctx context.Context, sp *Space, a *Answer, paths []string) {
	if slices.ContainsFunc(paths, filepath.IsAbs) {
		return
	}
	if text := s.spaces.alone(ctx, sp); text != "" {
		a.warn("%s", text)
	}
}

// firstOf puts those first that a recall of so few shows: no layer crowds out
// another.
func firstOf(hits []memory.Hit, limit int) []memory.Hit {
	kept, _ := memory.Limit(hits, limit)
	out := append([]memory.Hit{}, kept...)
	first := map[string]bool{}
	for _, h := range kept {
		first[h.Memory.UUID] = true
	}
	for _, h := range hits {
		if !first[h.Memory.UUID] {
			out = append(out, h)
		}
	}
	return out
}

// lookAhead finds where the code of those hits is now that a page may show.
func (s *server) lookAhead(ctx context.Context, sp *Space, hits []memory.Hit, w window) []memory.Hit {
	from := min(w.offset, len(hits))
	to := min(from+w.limit, len(hits))
	if from == to {
		return hits
	}
	out := append([]memory.Hit{}, hits...)
	copy(out[from:to], sp.Look(ctx, hits[from:to]))
	return out
}

// about names the paths that were asked about.
func about(paths []string) string {
	if len(paths) == 0 {
		return "the whole project"
	}
	var out []string
	for _, p := range paths[:min(3, len(paths))] {
		out = append(out, nudge.Cut(placeText(filepath.ToSlash(p)), 60))
	}
	if n := len(paths) - len(out); n > 0 {
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return strings.Join(out, ", ")
}

// expand shows memories in full.
func (s *server) expand(ctx context.Context, c *call, in recallIn) (string, Answer, error) {
	if len(in.IDs) > maxList {
		return "", Answer{}, wrong(fmt.Sprintf("%d ids are too many", len(in.IDs)), fmt.Sprintf("Ask for %d at most.", maxList))
	}
	offset, err := offsetOf(in.Cursor, in.IDs)
	if err != nil {
		return "", Answer{}, err
	}
	var a Answer
	var hits []memory.Hit
	var from []*Space // of each hit
	for _, id := range in.IDs {
		sp, h, err := s.find(ctx, idOf(id))
		if err != nil && (len(in.IDs) == 1 || !memory.Unreadable(err)) {
			return "", Answer{}, err
		}
		if err != nil {
			a.warn("%v", err)
			continue
		}
		hits, from = append(hits, h), append(from, sp)
	}
	a.Matched = len(hits)
	w := window{offset: offset, limit: maxLimit, budget: budgetOf(in.Budget, defaultBudget), room: whole(),
		next: func(n int) string { return cursorFor(n, in.IDs) }}
	for i, h := range hits {
		if i >= w.offset && i < w.offset+w.limit {
			hits[i] = from[i].Look(ctx, []memory.Hit{h})[0]
		}
	}
	text, shown := a.page(count(len(hits), "memory", "memories")+" in full", hits, s.opts.Now(), w, nil)
	first := min(w.offset, len(hits))
	s.shownFrom(c, from[first:first+len(shown)], shown, text)
	return text, a, nil
}

// find gets a memory from the root that has it.
func (s *server) find(ctx context.Context, id string) (*Space, memory.Hit, error) {
	sp, err := s.spaces.holding(ctx, id)
	if err != nil {
		return nil, memory.Hit{}, err
	}
	h, err := sp.Memories.Get(ctx, id)
	return sp, h, err
}

// shownFrom is shown for hits of several workspaces: the text counts once.
func (s *server) shownFrom(c *call, from []*Space, hits []memory.Hit, answer string) {
	by := map[*Space][]memory.Hit{}
	var order []*Space
	for i, h := range hits {
		if by[from[i]] == nil {
			order = append(order, from[i])
		}
		by[from[i]] = append(by[from[i]], h)
	}
	for _, sp := range order {
		s.shown(c, sp, by[sp], answer)
		answer = ""
	}
}

// idOf takes an id as agents write it: bare, in brackets, or as a resource.
func idOf(id string) string {
	id = strings.TrimPrefix(strings.Trim(strings.TrimSpace(id), "[]"), memoryURI)
	if id == "" {
		return "-" // no uuid has it
	}
	return id
}

func (s *server) search(ctx context.Context, c *call, in searchIn) (string, Answer, error) {
	query, err := checkQuery(in.Query, true)
	if err != nil {
		return "", Answer{}, err
	}
	types, err := parseTypes(in.Types)
	if err != nil {
		return "", Answer{}, err
	}
	sp, err := s.spaces.of(ctx, in.Paths...)
	if err != nil {
		return "", Answer{}, err
	}
	if err := checkPaths(sp, in.Paths); err != nil {
		return "", Answer{}, err
	}
	pool := memory.DefaultLimit // how many are found for all pages together
	if in.Limit > pool {
		pool = maxLimit
	}
	offset, err := offsetOf(in.Cursor, query, in.Types, in.Paths, pool)
	if err != nil {
		return "", Answer{}, err
	}
	w := window{offset: offset, limit: limitOf(in.Limit), budget: budgetOf(in.Budget, defaultBudget), room: short(),
		next: func(n int) string { return cursorFor(n, query, in.Types, in.Paths, pool) }}
	if err := sp.Fresh(ctx); err != nil {
		return "", Answer{}, err
	}
	found, err := sp.Find(ctx, search.Question{Text: query, Limit: pool, Explicit: true, Filter: search.Filter{Types: types, Files: in.Paths}})
	if err != nil {
		return "", Answer{}, err
	}
	var a Answer
	// Each page asks for the same, so that their parts fit together, and reads what
	// it shows.
	total := len(found.Results)
	from := min(offset, total)
	to := min(from+w.limit, total)
	shows, results := kept(sp, found.Results[from:to])
	hits := slices.Concat(make([]memory.Hit, from), shows, make([]memory.Hit, total-to))
	w.offset = from
	a.fault(found)
	a.Matched = len(hits)
	for _, o := range found.Omitted {
		switch o.Reason {
		case retrieve.OmitLimit, retrieve.OmitBudget:
			a.Omitted = append(a.Omitted, Omission{Reason: "beyond", Count: o.Count})
		default:
			a.Omitted = append(a.Omitted, Omission{Reason: o.Reason, Count: o.Count})
		}
	}
	hits = s.lookAhead(ctx, sp, hits, w)
	s.warnAlone(ctx, sp, &a, in.Paths)
	text, shown := a.page(count(a.Matched, "memory", "memories")+" found", hits, s.opts.Now(), w, func(i int, it *Item) {
		for _, by := range results[i-from].By {
			it.By = append(it.By, by.Leg)
		}
	})
	s.shown(c, sp, shown, text, in.Paths...)
	s.spawn(func() {
		if err := sp.Memories.State().Used(s.base, "search"); err != nil && s.base.Err() == nil {
			s.log.Warn("count a search", "err", err)
		}
	})
	return text, a, nil
}

// kept are the memories of results, as the view has them. One that went since is
// left out.
func kept(sp *Space, results []retrieve.Result) ([]memory.Hit, []retrieve.Result) {
	v := sp.Memories.View()
	var hits []memory.Hit
	var with []retrieve.Result
	for _, r := range results {
		if h, ok := v.Get(r.ID); ok {
			h.Score = r.Score
			hits, with = append(hits, h), append(with, r)
		}
	}
	return hits, with
}

// fault says what a search could not take into account.
func (a *Answer) fault(found search.Answer) {
	if found.Fault != "" {
		a.warn("only words were searched: %s", found.Fault)
	}
	if n := found.Index.Unread; n > 0 && found.Index.Model != "" {
		a.warn("%s no vector yet and found by words alone", count(n, "memory has", "memories have"))
	}
}
