package mcp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/hooks/nudge"
	"manicule/indexer/sorting"
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
	Code   bool     `json:"code"` // instead of the memories
	Limit  int      `json:"limit"`
	Budget int      `json:"budget"`
	Cursor string   `json:"cursor"`
}

// Limits of a question.
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

// queryOf returns the cleaned text of a question; "" if there is none.
func queryOf(text string) (string, error) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "")
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(text)); n > maxQuery {
		return "", userError(fmt.Sprintf("the query has %d characters", n), fmt.Sprintf("Ask in at most %d.", maxQuery))
	}
	return strings.TrimSpace(text), nil
}

// neededQuery is queryOf for a tool that answers nothing else.
func neededQuery(text string) (string, error) {
	query, err := queryOf(text)
	if err == nil && query == "" {
		err = userError("the query is empty", "Say in a few words what you want to know.")
	}
	return query, err
}

// checkPaths refuses paths outside of the workspace, because an answer without memories
// would be misread as one about them.
func checkPaths(sp *Space, paths []string) error {
	if len(paths) > maxList {
		return userError(fmt.Sprintf("%d paths are too many", len(paths)), fmt.Sprintf("Ask about %d at most, or about a folder.", maxList))
	}
	for _, p := range paths {
		if strings.ContainsRune(p, 0) {
			return userError("a path holds a NUL character", "Name a file below the workspace.")
		}
		if _, _, ok := sp.Memories.Place().ResolvePath(p); !ok {
			return userError(fmt.Sprintf("%s lies outside of the workspace", nudge.Cut(nudge.Clean(p), maxPlaceLen)), "Name files below "+sp.Memories.Root()+", absolute or relative to it.")
		}
	}
	return nil
}

// memoryTools find memories.
type memoryTools struct {
	*toolkit
	code *codeTools
}

func (t *memoryTools) recall(ctx context.Context, c *call, in recallIn) (string, Answer, error) {
	roots, err := t.spaces.checkedRoots(ctx, in.Paths)
	if err != nil {
		return "", Answer{}, err
	}
	query, err := queryOf(in.Query)
	if err != nil {
		return "", Answer{}, err
	}
	switch {
	case len(in.IDs) > 0:
		return t.expand(ctx, c, in)
	case query != "" && len(in.Paths) == 0:
		return t.search(ctx, c, searchIn{Query: query, Limit: in.Limit, Budget: in.Budget, Cursor: in.Cursor})
	}
	offset, err := offsetOf(in.Cursor, in.Paths, query)
	if err != nil {
		return "", Answer{}, err
	}
	var a Answer
	searched, lists := make([]search.Answer, len(roots)), make([][]memory.Hit, len(roots))
	errs := t.spaces.each(c, roots, func(i int, p *rooted) (err error) {
		searched[i], lists[i], err = p.recall(ctx, query)
		return err
	})
	ok, err := successful(ctx, roots, errs, a.Warnings.add)
	if err != nil {
		return "", Answer{}, err
	}
	all, from := a.join(ctx, roots, ok, searched, lists)
	t.sessions.unusable(&a.Warnings, spacesOf(roots, ok)...)
	diversity := roots[0].Memories.Recaller().Diversity()
	if limit := limitOf(in.Limit); offset == 0 && limit < diversity {
		all = firstOf(all, limit, diversity)
	}
	hits := make([]found, len(all))
	for i, h := range all {
		hits[i] = found{h, from[h.Memory.UUID]}
	}
	a.Matched = len(hits)
	w := window{offset: offset, limit: limitOf(in.Limit), budget: budgetOf(in.Budget, defaultBudget), room: short(),
		next: func(n int) string { return cursorFor(n, in.Paths, query) }}
	hits = lookAhead(ctx, hits, w)
	text, shown := a.page(count(a.Matched, "memory", "memories")+" for "+about(in.Paths, roots), hits, t.now(), w)
	t.sessions.shownOf(c, shown, text, in.Paths...)
	return text, a, nil
}

// spacesOf returns the roots that answered.
func spacesOf(roots []*rooted, ok []int) (out []*Space) {
	for _, i := range ok {
		out = append(out, roots[i].Space)
	}
	return out
}

// join joins the memories of the roots that answered, in their order, and notes what was left out. from is the first root that
// has a memory, by its uuid.
func (a *Answer) join(ctx context.Context, roots []*rooted, ok []int, searched []search.Answer, lists [][]memory.Hit) (all []memory.Hit, from map[string]*rooted) {
	from = map[string]*rooted{}
	for _, i := range ok {
		a.Warnings.leftOut(ctx, roots[i].Space)
		a.fault(roots[i], searched[i])
		for _, h := range lists[i] {
			if from[h.Memory.UUID] == nil {
				from[h.Memory.UUID] = roots[i]
				all = append(all, h)
			}
		}
	}
	if len(ok) > 1 {
		memory.Rank(all)
	}
	return all, from
}

// recall returns the memories that apply to the root's paths, and with a query also the
// results of a search for it.
func (p *rooted) recall(ctx context.Context, query string) (search.Answer, []memory.Hit, error) {
	var found search.Answer
	if err := p.Fresh(ctx); err != nil {
		return found, nil, err
	}
	paths := p.withSymbols()
	q := memory.Query{Paths: paths, Limit: -1}
	if query != "" {
		var err error
		if found, err = p.Find(ctx, search.Question{Text: query, Limit: maxFound, Explicit: true, Filter: search.Filter{Files: paths}}); err != nil {
			return found, nil, err
		}
		q.Scores = map[string]float64{}
		for _, r := range found.Results {
			q.Scores[r.ID] = r.Score
		}
	}
	r, err := viewOf(ctx, p.Memories).Recall(ctx, q)
	return found, r.Hits, err
}

// withSymbols returns the paths, and for the bare name of a symbol the places of the memories that are at it.
func (p *rooted) withSymbols() (paths []string) {
	for _, given := range p.paths {
		var places []string
		if name, ok := memory.BareName(p.Memories.Place(), given); ok {
			places = memory.AtSymbol(p.Memories.View(), name)
		}
		if len(places) == 0 {
			places = []string{given}
		}
		paths = append(paths, places...)
	}
	return paths
}

// firstOf puts first what a short recall would return, so that no layer crowds out
// another.
func firstOf(hits []memory.Hit, limit, diversity int) []memory.Hit {
	kept, _ := memory.Limit(hits, limit, diversity)
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

// lookAhead resolves the anchors of the hits that a page may show.
func lookAhead(ctx context.Context, hits []found, w window) []found {
	from := min(w.offset, len(hits))
	to := min(from+w.limit, len(hits))
	if from == to {
		return hits
	}
	out := slices.Clone(hits)
	copy(out[from:to], look(ctx, hits[from:to]))
	return out
}

// about names the paths of the question, or the roots.
func about(paths []string, roots []*rooted) string {
	var out []string
	for _, p := range paths[:min(3, len(paths))] {
		out = append(out, nudge.Cut(placeText(filepath.ToSlash(p)), 60))
	}
	n := len(paths) - len(out)
	if len(paths) == 0 && len(roots) > 1 {
		for _, p := range roots[:min(3, len(roots))] {
			out = append(out, nudge.Cut(p.root, 60))
		}
		n = len(roots) - len(out)
	}
	switch {
	case len(out) == 0:
		return "the whole project"
	case n > 0:
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return strings.Join(out, ", ")
}

// expand shows memories in full.
func (t *memoryTools) expand(ctx context.Context, c *call, in recallIn) (string, Answer, error) {
	if len(in.IDs) > maxList {
		return "", Answer{}, userError(fmt.Sprintf("%d ids are too many", len(in.IDs)), fmt.Sprintf("Ask for %d at most.", maxList))
	}
	offset, err := offsetOf(in.Cursor, in.IDs)
	if err != nil {
		return "", Answer{}, err
	}
	var a Answer
	roots, err := t.spaces.rootsFor(ctx)
	if err != nil {
		return "", Answer{}, err
	}
	var hits []found
	for _, id := range in.IDs {
		sp, h, err := t.spaces.find(ctx, idOf(id))
		if err != nil && (len(in.IDs) == 1 || !memory.Unreadable(err)) {
			return "", Answer{}, err
		}
		if err != nil {
			a.Warnings.add("%v", err)
			continue
		}
		from := &rooted{Space: sp}
		for _, p := range roots {
			if p.Space == sp {
				from = p
			}
		}
		hits = append(hits, found{h, from})
	}
	a.Matched = len(hits)
	w := window{offset: offset, limit: maxLimit, budget: budgetOf(in.Budget, defaultBudget), room: whole(),
		next: func(n int) string { return cursorFor(n, in.IDs) }}
	hits = lookAhead(ctx, hits, w)
	text, shown := a.page(count(len(hits), "memory", "memories")+" in full", hits, t.now(), w)
	t.sessions.shownOf(c, shown, text)
	return text, a, nil
}

// idOf parses an id as agents write it: bare, in brackets, or as a resource.
func idOf(id string) string {
	id = strings.TrimPrefix(strings.Trim(strings.TrimSpace(id), "[]"), memoryURI)
	if id == "" {
		return "-" // no uuid contains it
	}
	return id
}

func (t *memoryTools) search(ctx context.Context, c *call, in searchIn) (string, Answer, error) {
	query, err := neededQuery(in.Query)
	if err != nil {
		return "", Answer{}, err
	}
	types, err := parseTypes(in.Types)
	if err != nil {
		return "", Answer{}, err
	}
	if in.Code && len(types) > 0 {
		return "", Answer{}, userError("code has no memory types", "Leave out `types`, or `code`.")
	}
	roots, err := t.spaces.checkedRoots(ctx, in.Paths)
	if err != nil {
		return "", Answer{}, err
	}
	pool := memory.DefaultLimit // the number found for all pages together
	if in.Limit > pool {
		pool = maxLimit
	}
	offset, err := offsetOf(in.Cursor, query, in.Types, in.Paths, in.Code, pool)
	if err != nil {
		return "", Answer{}, err
	}
	w := window{offset: offset, limit: limitOf(in.Limit), budget: budgetOf(in.Budget, defaultBudget), room: short(),
		next: func(n int) string { return cursorFor(n, query, in.Types, in.Paths, in.Code, pool) }}
	q := search.Question{Text: query, Limit: pool, Explicit: true, Filter: search.Filter{Types: types}}
	if in.Code {
		return t.code.searchCode(ctx, c, roots, q, w)
	}
	var a Answer
	session := t.sessions.named(c)
	answers := make([]search.Answer, len(roots))
	errs := t.spaces.each(c, roots, func(i int, p *rooted) (err error) {
		if err := p.Fresh(ctx); err != nil {
			return err
		}
		q := q
		q.Filter.Files, q.Recent = p.paths, recentFiles(p.Space, session)
		answers[i], err = p.Find(ctx, q)
		return err
	})
	ok, err := successful(ctx, roots, errs, a.Warnings.add)
	if err != nil {
		return "", Answer{}, err
	}
	var all []result
	for _, i := range ok {
		all = append(all, a.results(ctx, roots[i], answers[i])...)
	}
	t.sessions.unusable(&a.Warnings, spacesOf(roots, ok)...)
	all = merged(all, len(ok))
	// Each page requests the same results, so that pages fit together, and reads only its
	// own.
	from := min(offset, len(all))
	to := min(from+w.limit, len(all))
	shows := kept(ctx, all[from:to])
	hits := slices.Concat(make([]found, from), shows, make([]found, len(all)-to))
	w.offset = from
	a.Matched = len(hits)
	copy(hits[from:], look(ctx, shows))
	text, shown := a.page(count(a.Matched, "memory", "memories")+" found", hits, t.now(), w)
	t.sessions.shownOf(c, shown, text, in.Paths...)
	t.sessions.countSearch(roots)
	return text, a, nil
}

// results returns what a search found in a root, and notes what was left out.
func (a *Answer) results(ctx context.Context, p *rooted, found search.Answer) []result {
	a.Warnings.leftOut(ctx, p.Space)
	a.fault(p, found)
	a.leaves(found)
	out := make([]result, len(found.Results))
	for i, r := range found.Results {
		out[i] = result{r, p}
	}
	return out
}

// result is a search result with its root.
type result struct {
	retrieve.Result
	in *rooted
}

// merged orders the results of several roots by their scores, which are relative to the
// best of each root. Equal scores alternate. A memory of two roots, such as worktrees of
// one repository, appears once.
func merged(all []result, roots int) []result {
	if roots < 2 {
		return all
	}
	byScore(all)
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(r result) bool {
		again := seen[r.ID]
		seen[r.ID] = true
		return again
	})
}

func byScore(all []result) {
	sorting.StableFunc(all, func(a, b result) int { return cmp.Compare(b.Score, a.Score) })
}

// kept returns the memories of results from the views. Memories removed since are left out.
func kept(ctx context.Context, results []result) (hits []found) {
	views, reader := map[*rooted]*memory.View{}, readerOf(ctx)
	for _, r := range results {
		if views[r.in] == nil {
			views[r.in] = r.in.Memories.View()
		}
		if h, ok := views[r.in].Get(r.ID); ok && !reader.mayNotSee(h.Memory) {
			h.Score = r.Score
			hits = append(hits, found{h, r.in})
		}
	}
	return hits
}

// legs lists the legs that found a result, and "weak" if it has little relation to the
// question.
func legs(r retrieve.Result) []string {
	var out []string
	for _, by := range r.By {
		out = append(out, by.Leg)
	}
	if r.Weak {
		out = append(out, "weak")
	}
	return out
}

// leaves records what a search left out.
func (a *Answer) leaves(found search.Answer) {
	for _, o := range found.Omitted {
		reason := o.Reason
		if reason == retrieve.OmitLimit || reason == retrieve.OmitBudget {
			reason = "beyond"
		}
		if i := slices.IndexFunc(a.Omitted, func(x Omission) bool { return x.Reason == reason }); i >= 0 {
			a.Omitted[i].Count += o.Count
			continue
		}
		a.Omitted = append(a.Omitted, Omission{Reason: reason, Count: o.Count})
	}
}

// fault records what a search could not take into account.
func (a *Answer) fault(p *rooted, found search.Answer) {
	head := ""
	if p.root != "" {
		head = p.root + ": "
	}
	if found.Fault != "" {
		a.Warnings.add("%sonly words were searched: %s", head, found.Fault)
	}
	if n := found.Index.Unread; n > 0 && found.Index.Model != "" && found.Index.Pieces == 0 {
		a.Warnings.add("%s%s no vector yet and can only be found by words", head, count(n, "memory has", "memories have"))
	}
}
