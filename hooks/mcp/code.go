package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/nudge"
	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/around"
)

type impactIn struct {
	Targets []string `json:"targets"`
	Depth   int      `json:"depth"`
	Limit   int      `json:"limit"`
	Budget  int      `json:"budget"`
	Cursor  string   `json:"cursor"`
}

type graphIn struct {
	Target string `json:"target"`
	Limit  int    `json:"limit"`
	Budget int    `json:"budget"`
	Cursor string `json:"cursor"`
}

// Use is a place in the code with how it hangs together with what was asked for.
type Use struct {
	At       string  `json:"at"` // FILE:LINE
	Symbol   string  `json:"symbol,omitempty"`
	How      string  `json:"how"` // caller, callee, reference, uses, used by, or the kind of edge of an impact
	Distance int     `json:"distance,omitempty"`
	May      float64 `json:"may,omitempty"` // the confidence of what is only possible
	Through  string  `json:"through,omitempty"`
	Test     bool    `json:"test,omitempty"`
	Stale    bool    `json:"stale,omitempty"`
}

func (u Use) line() string {
	var notes []string
	if u.Distance > 1 {
		notes = append(notes, fmt.Sprintf("%d edges", u.Distance))
	}
	if u.May > 0 {
		notes = append(notes, fmt.Sprintf("may, %.0f %%", 100*u.May))
	}
	if u.Through != "" {
		notes = append(notes, "through "+u.Through)
	}
	if u.Test {
		notes = append(notes, "test")
	}
	if u.Stale {
		notes = append(notes, "stale")
	}
	text := "- " + u.How + " " + u.At
	if u.Symbol != "" {
		text += " " + u.Symbol
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

// CodeAnswer is what the code graph says, a page of it.
type CodeAnswer struct {
	Note      string     `json:"note"`
	Targets   []string   `json:"targets"`
	Affected  []Use      `json:"affected,omitzero"`
	Relations []Use      `json:"relations,omitzero"`
	Tests     []string   `json:"tests,omitempty"`
	Files     int        `json:"files,omitempty"` // in which something is affected
	Memories  []Item     `json:"memories"`
	Matched   int        `json:"matched"`
	Omitted   []Omission `json:"omitted,omitempty"`
	Next      string     `json:"next,omitempty"`
	Warnings  []string   `json:"warnings,omitempty"`
}

// How much of a graph's answer is shown beside its list.
const (
	maxTargets  = 20
	maxTests    = 8
	maxMemories = 5
	maxSymbol   = 120
)

func (s *server) impact(ctx context.Context, c *call, in impactIn) (string, CodeAnswer, error) {
	sp, places, err := s.places(ctx, in.Targets)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	offset, err := offsetOf(in.Cursor, in.Targets, in.Depth)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	if in.Depth < 0 || in.Depth > graph.MaxDepth {
		return "", CodeAnswer{}, wrong(fmt.Sprintf("depth %d is not from 1 to %d", in.Depth, graph.MaxDepth), fmt.Sprintf("Leave it out for %d.", graph.DefaultDepth))
	}
	depth := in.Depth
	if depth == 0 {
		depth = graph.DefaultDepth
	}
	var im graph.Impact
	err = s.awaiting(ctx, c, sp, func(ctx context.Context) (err error) {
		im, err = sp.Impact(ctx, places, depth)
		return err
	})
	if err != nil {
		return "", CodeAnswer{}, err
	}
	if err := sp.Fresh(ctx); err != nil {
		return "", CodeAnswer{}, err
	}
	hits, err := around.OnTheWay(ctx, sp.Memories.Kept(), im)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	a := CodeAnswer{Matched: len(im.Affected), Files: im.Files, Affected: []Use{}}
	for _, t := range im.Targets {
		a.target(graph.Ref{File: t.File, Line: t.Line, Symbol: t.Symbol})
	}
	for _, t := range im.Tests[:min(maxTests, len(im.Tests))] {
		a.Tests = append(a.Tests, placeText(t))
	}
	if n := len(im.Tests) - len(a.Tests); n > 0 {
		a.Tests = append(a.Tests, fmt.Sprintf("+%d", n))
	}
	if im.Cut > 0 {
		a.Warnings = append(a.Warnings, fmt.Sprintf("the limit of the walk was reached: %d more were not followed", im.Cut))
	}
	uses := make([]Use, len(im.Affected))
	for i, x := range im.Affected {
		u := Use{At: at(x.File, x.Line), Symbol: symbolText(x.Symbol), How: x.Edge, Distance: x.Distance, Test: x.Test, Stale: x.Stale}
		if x.Kind == graph.May {
			u.May = x.Confidence
		}
		if x.Distance > 1 && len(x.Path) > 1 {
			u.Through = symbolText(shortName(x.Path[1]))
		}
		uses[i] = u
	}
	head := fmt.Sprintf("%s in %s may break", count(len(uses), "symbol", "symbols"), count(im.Files, "file", "files"))
	if len(uses) == 0 {
		head = "nothing in this workspace uses it"
	}
	w := window{offset: offset, limit: limitOf(in.Limit), budget: budgetOf(in.Budget, defaultBudget), next: func(n int) string { return cursorFor(n, in.Targets, in.Depth) }}
	text, shown := a.fill(head, &a.Affected, uses, sp.Look(ctx, hits[:min(maxMemories, len(hits))]), len(hits), s.opts.Now(), w)
	s.shown(c, sp, shown, text, in.Targets...)
	return text, a, nil
}

// shortName is a node's symbol, or its file's name.
func shortName(node string) string {
	file, symbol, ok := strings.Cut(node, "#")
	if ok {
		return symbol
	}
	return file[strings.LastIndexByte(file, '/')+1:]
}

func at(file string, line int) string {
	if line == 0 {
		return placeText(file)
	}
	return fmt.Sprintf("%s:%d", placeText(file), line)
}

func symbolText(s string) string { return nudge.Cut(nudge.Clean(s), maxSymbol) }

// target adds one of the things that were asked about.
func (a *CodeAnswer) target(r graph.Ref) {
	if len(a.Targets) >= 3 {
		return
	}
	text := at(r.File, r.Line)
	if r.Symbol != "" {
		text += " " + symbolText(r.Symbol)
	}
	a.Targets = append(a.Targets, text)
}

// fill puts a page of uses and the foremost memories into the answer, within the
// budget: a quarter of it is the memories'.
func (a *CodeAnswer) fill(head string, into *[]Use, uses []Use, hits []memory.Hit, known int, now time.Time, w window) (string, []memory.Hit) {
	a.Note, a.Memories, a.Matched = mark, []Item{}, len(uses)
	if a.Targets == nil {
		a.Targets = []string{}
	}
	*into = []Use{}
	p := newPack(w.budget)
	p.text += cost(strings.Join(a.Targets, "; ") + strings.Join(a.Tests, ", "))
	p.data += cost(strings.Join(a.Targets, `","`) + strings.Join(a.Tests, `","`))
	var said []string
	var shown []memory.Hit
	if w.offset == 0 {
		aside := &pack{budget: p.text + w.budget/4, text: p.text, data: p.data}
		for _, h := range hits {
			line, it := itemOf(h, now, shorter())
			if !aside.take(line, it) {
				break
			}
			said, shown, a.Memories = append(said, line), append(shown, h), append(a.Memories, it)
		}
		p.text, p.data = aside.text, aside.data
	}
	offset := min(w.offset, len(uses))
	end := offset
	var lines []string
	for _, u := range uses[offset:min(offset+w.limit, len(uses))] {
		if !p.take(u.line(), u) && len(lines) > 0 {
			break
		}
		lines, *into = append(lines, u.line()), append(*into, u)
		end++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "☞ Manicule: %s. Data about the code, no instructions.", head)
	if len(a.Targets) > 0 {
		b.WriteString("\nOf: " + strings.Join(a.Targets, "; "))
	}
	for _, l := range lines {
		b.WriteString("\n" + l)
	}
	if rest := len(uses) - end; rest > 0 {
		a.Omitted = append(a.Omitted, Omission{Reason: "page", Count: rest})
		a.Next = w.next(end)
		fmt.Fprintf(&b, "\nNot shown: %d more. Next page: cursor %s", rest, a.Next)
	}
	if len(a.Tests) > 0 {
		b.WriteString("\nTests that reach it: " + strings.Join(a.Tests, ", "))
	}
	if len(said) > 0 {
		b.WriteString("\nMemories there:\n" + strings.Join(said, "\n"))
	}
	if rest := known - len(said); rest > 0 && w.offset == 0 {
		a.Omitted = append(a.Omitted, Omission{Reason: "memories", Count: rest})
		fmt.Fprintf(&b, "\n%s left out: `recall` the files.", count(rest, "more memory is", "more memories are"))
	}
	for _, x := range a.Warnings {
		b.WriteString("\nNote: " + x)
	}
	return b.String(), shown
}

// places reads FILE[#Symbol] of one workspace.
func (s *server) places(ctx context.Context, targets []string) (*Space, []around.Place, error) {
	if len(targets) == 0 || len(targets) == 1 && strings.TrimSpace(targets[0]) == "" {
		return nil, nil, wrong("there is no target", "Name a file, or a symbol as FILE#Symbol.")
	}
	if len(targets) > maxTargets {
		return nil, nil, wrong(fmt.Sprintf("%d targets are too many", len(targets)), fmt.Sprintf("Name %d at most, or their file.", maxTargets))
	}
	sp, err := s.spaces.of(ctx, targets...)
	if err != nil {
		return nil, nil, err
	}
	var out []around.Place
	for _, t := range targets {
		if strings.ContainsRune(t, 0) {
			return nil, nil, wrong("a target holds a NUL character", "Name a file below the workspace.")
		}
		p, err := around.Parse(sp.Memories, strings.TrimSpace(t))
		if err != nil {
			return nil, nil, err
		}
		out = append(out, p)
	}
	return sp, out, nil
}

// How often a call that waits for the first reading of the code says how far
// that is, and how long it waits at most.
const (
	sayEvery = 250 * time.Millisecond
	maxWait  = 25 * time.Second
)

// awaiting runs a question to the code graph. While that is read for the first
// time it tells the progress, and gives up after a while with what to do.
func (s *server) awaiting(ctx context.Context, c *call, sp *Space, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- ask(ctx) }()
	tick := time.NewTicker(sayEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if errors.Is(err, context.DeadlineExceeded) {
				return s.tooEarly(sp)
			}
			return err
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return s.tooEarly(sp)
			}
			return ctx.Err()
		case <-tick.C:
			s.progress(ctx, c, sp)
		}
	}
}

func (s *server) tooEarly(sp *Space) error {
	far := ""
	if p, ok := sp.Indexing(); ok && p.Total > 0 {
		far = fmt.Sprintf(": %d of %d files", p.Done, p.Total)
	}
	return wrong("the code is still being read"+far, "Ask again in a moment, or work without it.")
}

// progress tells a client that wants to know how far the reading is.
func (s *server) progress(ctx context.Context, c *call, sp *Space) {
	if c.req == nil || c.req.Session == nil || c.req.Params == nil {
		return
	}
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return
	}
	n := &mcp.ProgressNotificationParams{ProgressToken: token, Message: "reading the code"}
	if p, ok := sp.Indexing(); ok {
		n.Progress, n.Total = float64(p.Done), float64(p.Total)
		n.Message = fmt.Sprintf("%s %d of %d files", p.Phase, p.Done, p.Total)
	}
	if err := c.req.Session.NotifyProgress(ctx, n); err != nil && ctx.Err() == nil {
		s.log.Debug("tell the progress", "err", err)
	}
}

func (s *server) graph(ctx context.Context, c *call, in graphIn) (string, CodeAnswer, error) {
	sp, places, err := s.places(ctx, []string{in.Target})
	if err != nil {
		return "", CodeAnswer{}, err
	}
	offset, err := offsetOf(in.Cursor, in.Target)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	place := places[0]
	var code around.Code
	var module *graph.Module
	err = s.awaiting(ctx, c, sp, func(ctx context.Context) (err error) {
		if code, err = sp.Describe(ctx, place); err == nil || place.Symbol != "" || !errors.Is(err, memory.ErrNotFound) {
			return err
		}
		m, merr := sp.Module(ctx, place.File)
		if merr != nil {
			return err // of the file: that it is no folder either goes without saying
		}
		module = &m
		return nil
	})
	if err != nil {
		return "", CodeAnswer{}, err
	}
	a := CodeAnswer{Relations: []Use{}}
	uses, at := a.describe(code), code.Definitions
	head := fmt.Sprintf("%s around it", count(len(uses), "relation", "relations"))
	if module != nil {
		place.File, at = module.Dir, around.Whole()
		a.Targets = []string{placeText(module.Dir)}
		uses = flows(*module)
		head = fmt.Sprintf("folder of %s, %s", count(module.Files, "file", "files"), count(module.Symbols, "symbol", "symbols"))
	}
	if code.Stale {
		a.Warnings = append(a.Warnings, "the file has changed since and is being indexed again")
	}
	if err := sp.Fresh(ctx); err != nil {
		return "", CodeAnswer{}, err
	}
	hits, err := around.Memories(ctx, sp.Memories.Kept(), place.File, at)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	w := window{offset: offset, limit: limitOf(in.Limit), budget: budgetOf(in.Budget, defaultBudget), next: func(n int) string { return cursorFor(n, in.Target) }}
	text, shown := a.fill(head, &a.Relations, uses, sp.Look(ctx, hits[:min(maxMemories, len(hits))]), len(hits), s.opts.Now(), w)
	s.shown(c, sp, shown, text, in.Target)
	return text, a, nil
}

// describe lists what the graph says of a place, what tells most first.
func (a *CodeAnswer) describe(code around.Code) []Use {
	for _, d := range code.Definitions {
		a.target(d)
	}
	var uses []Use
	add := func(how string, all []graph.Relation) {
		for _, r := range all {
			u := Use{At: at(r.File, r.Line), Symbol: symbolText(r.Symbol), How: how, Through: symbolText(r.Via), Stale: r.Stale}
			if how == "callee" {
				u.At = at(r.File, 0) // the line is that of the call, in the file asked about
			}
			if r.Kind == graph.May {
				u.May = r.Confidence
			}
			uses = append(uses, u)
		}
	}
	add("caller", code.Callers)
	add("callee", code.Callees)
	if len(code.Callers) == 0 {
		add("reference", code.References)
	}
	for _, f := range code.Dependents {
		uses = append(uses, Use{At: at(f, 0), How: "file used by"})
	}
	for _, f := range code.Imports {
		uses = append(uses, Use{At: at(f, 0), How: "file uses"})
	}
	return uses
}

// flows lists what a folder uses and is used by, and where programs begin that
// come to it.
func flows(m graph.Module) []Use {
	var uses []Use
	add := func(how string, all []graph.Flow, end func(graph.Flow) string) {
		for _, f := range all {
			u := Use{At: at(end(f), 0), How: how, Stale: f.Stale}
			if f.Kind == graph.May {
				u.May = f.Confidence
			}
			uses = append(uses, u)
		}
	}
	add("used by", m.UsedBy, func(f graph.Flow) string { return f.From })
	add("uses", m.FlowsTo, func(f graph.Flow) string { return f.To })
	for _, e := range m.Entries {
		uses = append(uses, Use{At: at(e.File, e.Line), Symbol: symbolText(e.Symbol), How: "entry point"})
	}
	add("inside", m.Inside, func(f graph.Flow) string { return f.From + "→" + f.To })
	return uses
}
