package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/nudge"
	"manicule/indexer/graph"
	"manicule/memory/nearby"
)

// Use is a place in the code with its relation to the question.
type Use struct {
	At       string // FILE:LINE
	Root     string
	Symbol   string
	How      string // caller, callee, reference, uses, used by, or the kind of edge of an impact
	Gone     string // the deleted symbol that it uses
	Distance int
	May      float64 // confidence of a possible relation
	Through  string
	Test     bool
	Stale    bool
	Times    int // how often the same code is used there, if more than once; At is the first time
}

func (u Use) line() string { return "- " + u.How + " " + u.place() }

// place is the place with what is known about the relation.
func (u Use) place() string {
	var notes []string
	if u.Gone != "" {
		notes = append(notes, "gone: "+u.Gone)
	}
	if u.Distance > 1 {
		notes = append(notes, fmt.Sprintf("%d edges", u.Distance))
	}
	if u.May > 0 {
		notes = append(notes, fmt.Sprintf("may, %.0f %%", min(99, 100*u.May)))
	}
	if u.Through != "" {
		notes = append(notes, "through "+u.Through)
	}
	if u.Test {
		notes = append(notes, "test")
	}
	if u.Times > 1 {
		notes = append(notes, fmt.Sprintf("%d times", u.Times))
	}
	if u.Stale {
		notes = append(notes, "stale")
	}
	text := u.At
	if u.Symbol != "" {
		text += " " + u.Symbol
	}
	text = inRoot(text, u.Root)
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, ", ") + ")"
	}
	return text
}

// CodeAnswer is one page of the code graph's answer.
type CodeAnswer struct {
	Head      string // what the text begins with
	Targets   []string
	Deleted   []string // by a diff
	Affected  []Use
	Relations []Use
	Tests     []string
	Files     int // with something affected
	Memories  []Item
	Matched   int
	Omitted   []Omission
	Next      string
	Warnings  warnings
}

// Limits of the lists beside the main list.
const (
	maxTargets  = 20
	mostTargets = 3
	maxTests    = 8
	maxDeleted  = 8
	maxMemories = 5
	maxSymbol   = 120
)

// none reports whether a list is empty.
func none(list []string) bool {
	return !slices.ContainsFunc(list, func(x string) bool { return strings.TrimSpace(x) != "" })
}

func at(file string, line int) string {
	if line == 0 {
		return placeText(file)
	}
	return fmt.Sprintf("%s:%d", placeText(file), line)
}

func symbolText(s string) string { return nudge.Cut(nudge.Clean(s), maxSymbol) }

// targetText names one target.
func targetText(r graph.Ref, root string) string {
	text := at(r.File, r.Line)
	if r.Symbol != "" {
		text += " " + symbolText(r.Symbol)
	}
	return inRoot(text, root)
}

// first keeps the first elements of a list within a number and a budget, and returns how
// many it dropped. It keeps a minimum in any case.
func (p *pack) first(list []string, least, most, budget int) []string {
	var out []string
	used := 0
	for _, x := range list {
		c := cost(x) + 3
		if len(out) >= least && (len(out) >= most || used+c > budget) {
			break
		}
		used += c
		out = append(out, x)
	}
	if n := len(list) - len(out); n > 0 {
		out, used = append(out, fmt.Sprintf("+%d", n)), used+3
	}
	p.text, p.data = p.text+used, p.data+used
	return out
}

// fill adds a page of uses and the first memories to the answer within the budget. A
// quarter of it is for the memories, and as much for the targets.
func (a *CodeAnswer) fill(ctx context.Context, head string, into *[]Use, uses []Use, known []found, now time.Time, w window) (string, []found) {
	a.Head, a.Matched = head, len(uses)
	*into = []Use{}
	p := newPack(w.budget)
	a.Targets = append([]string{}, p.first(a.Targets, 1, mostTargets, w.budget/8)...)
	a.Deleted = p.first(a.Deleted, 0, maxDeleted, w.budget/8)
	a.Tests = p.first(a.Tests, 0, maxTests, w.budget/8)
	var said []string
	var shown []found
	if w.offset == 0 {
		aside := &pack{budget: p.text + w.budget/4, text: p.text, data: p.data}
		for _, h := range look(ctx, known[:min(maxMemories, len(known))]) {
			line, it := itemIn(h, now, shorter())
			if !aside.take(line, it.dataCost()) {
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
		if !p.take(u.line(), 1+textCost(u.place())) && len(lines) > 0 {
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
	if len(a.Deleted) > 0 {
		b.WriteString("\nDeleted: " + strings.Join(a.Deleted, "; "))
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
	if rest := len(known) - len(said); rest > 0 && w.offset == 0 {
		a.Omitted = append(a.Omitted, Omission{Reason: "memories", Count: rest})
		fmt.Fprintf(&b, "\n%s left out: `recall` the files.", count(rest, "more memory is", "more memories are"))
	}
	for _, x := range a.Warnings {
		b.WriteString("\nNote: " + x)
	}
	return b.String(), shown
}

// places parses FILE[#Symbol] in the roots that contain them. Without places it returns
// all roots.
func (s *server) places(ctx context.Context, targets []string) ([]*rooted, [][]nearby.Place, error) {
	if len(targets) > maxTargets {
		return nil, nil, userError(fmt.Sprintf("%d targets are too many", len(targets)), fmt.Sprintf("Name %d at most, or their file.", maxTargets))
	}
	if slices.ContainsFunc(targets, func(t string) bool { return strings.ContainsRune(t, 0) }) {
		return nil, nil, userError("a target holds a NUL character", "Name a file below the workspace.")
	}
	parts, err := s.spaces.rootsFor(ctx, targets...)
	if err != nil {
		return nil, nil, err
	}
	out := make([][]nearby.Place, len(parts))
	for i, p := range parts {
		for _, t := range p.paths {
			place, err := nearby.Parse(p.Memories, strings.TrimSpace(t))
			if err != nil {
				return nil, nil, err
			}
			out[i] = append(out[i], place)
		}
	}
	return parts, out, nil
}

// Interval of the progress messages of a call that waits for the first indexing, and the
// maximum wait.
const (
	progressEvery = 250 * time.Millisecond
	maxWait       = 25 * time.Second
)

// awaiting asks several roots about their code. During the first indexing it reports
// progress, and gives up after a while with a hint.
func (s *server) awaiting(ctx context.Context, c *call, parts []*rooted, ask func(ctx context.Context, i int, p *rooted) error) []error {
	limited, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	done := make(chan []error, 1)
	go func() {
		done <- s.each(c, parts, func(i int, p *rooted) error {
			err := ask(limited, i, p)
			if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
				return s.tooEarly(p)
			}
			return err
		})
	}()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	over := limited.Done()
	var late <-chan time.Time
	for {
		select {
		case errs := <-done:
			return errs
		case <-over: // grace for those that have an answer
			over, late = nil, time.After(progressEvery)
		case <-late:
			err := ctx.Err()
			if err == nil {
				err = s.tooEarly(parts...)
			}
			return slices.Repeat([]error{err}, len(parts))
		case <-tick.C:
			s.progress(ctx, c, parts)
		}
	}
}

func (s *server) tooEarly(parts ...*rooted) error {
	far := ""
	if p, ok := indexing(parts); ok && p.Total > 0 {
		far = fmt.Sprintf(": %d of %d files", p.Done, p.Total)
	}
	return userError("the code is still being read"+far, "Ask again in a moment, or work without it.")
}

// indexing returns the joint progress of a first indexing of some roots.
func indexing(parts []*rooted) (graph.Progress, bool) {
	var all graph.Progress
	any := false
	for _, p := range parts {
		if far, ok := p.Indexing(); ok {
			any = true
			all.Phase, all.Done, all.Total = far.Phase, all.Done+far.Done, all.Total+far.Total
		}
	}
	return all, any
}

// progress reports the indexing to a client that asked for progress.
func (s *server) progress(ctx context.Context, c *call, parts []*rooted) {
	if c.req == nil || c.req.Session == nil || c.req.Params == nil {
		return
	}
	token := c.req.Params.GetProgressToken()
	if token == nil {
		return
	}
	n := &mcp.ProgressNotificationParams{ProgressToken: token, Message: "reading the code"}
	if p, ok := indexing(parts); ok {
		n.Progress, n.Total = float64(p.Done), float64(p.Total)
		n.Message = fmt.Sprintf("%s %d of %d files", p.Phase, p.Done, p.Total)
	}
	if err := c.req.Session.NotifyProgress(ctx, n); err != nil && ctx.Err() == nil {
		s.log.Debug("report the progress", "err", err)
	}
}
