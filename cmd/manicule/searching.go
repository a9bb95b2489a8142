package main

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/embed/provider"
	"manicule/memory/leader"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

// The questions that a leader answers on its socket (package leader).
const askSearch = "search"

// searching opens what a search of a workspace needs in this process. The
// searcher is closed by the second result.
func (a *app) searching(w *memory.Workspace, lexical bool) (*search.Searcher, func() error) {
	ix := a.graphIndex(w.Place())
	s, done := a.searchingIn(w, ix, lexical)
	return s, func() error { return errors.Join(done(), ix.Close()) }
}

// searchingIn is searching with a code graph that is open already.
func (a *app) searchingIn(w *memory.Workspace, ix *graph.Index, lexical bool) (*search.Searcher, func() error) {
	o := search.Options{Workspace: w, Index: ix}
	p := a.embeddings(a.config, w.Place().ModelsDir())
	name := a.config.String("embedding.provider")
	closers := []func() error{}
	if o.Expect = p.Expect(); !lexical && name != provider.Off && (name != provider.Local || o.Expect.Model != "") {
		o.Model = p.Service(embed.System())
		closers = append(closers, o.Model.Close)
	}
	if graph.Exists(w.Place().CacheDir()) {
		o.Graph = ix.Graph
	}
	s := search.New(o)
	return s, func() error {
		err := s.Close()
		for _, c := range closers {
			err = errors.Join(err, c())
		}
		return err
	}
}

// search answers a question about the memories: by the leader of the worktree
// where there is one, which has the model warm, else in this process.
func (a *app) search(ctx context.Context, w *memory.Workspace, q search.Question) (out search.Answer, err error) {
	if !q.Lexical {
		err := leader.Ask(ctx, w.Place().Socket(), askSearch, q, &out)
		if err == nil {
			return out, a.told(out)
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
	}
	s, done := a.searching(w, q.Lexical)
	defer func() { err = errors.Join(err, done()) }()
	if out, err = s.Memories(ctx, q); err != nil {
		return out, err
	}
	return out, a.told(out)
}

// told warns of what an answer could not take into account.
func (a *app) told(out search.Answer) error {
	if out.Fault != "" {
		a.warn("only words were searched: %s", out.Fault)
	}
	if n := out.Index.Unread; n > 0 && out.Index.Pieces == 0 {
		a.warn("%s no vector yet and found by words alone: `manicule sync` makes them", count(n, "memory has", "memories have"))
	}
	return nil
}

// found are the memories of an answer, with what the answer says of each. They
// are read one by one: a view of all would take longer than what is asked.
func found(ctx context.Context, w *memory.Workspace, answer search.Answer) ([]memory.Hit, []retrieve.Result, error) {
	var hits []memory.Hit
	var results []retrieve.Result
	for _, r := range answer.Results {
		h, err := w.Get(ctx, r.ID)
		if errors.Is(err, memory.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			continue // it went while the leader answered
		}
		if err != nil {
			return nil, nil, err
		}
		h.Score = r.Score
		hits, results = append(hits, h), append(results, r)
	}
	return hits, results, nil
}

// explain prints how an answer came about.
func (a *app) explain(answer search.Answer) {
	a.printf("%s\n", a.paint(faint, "a "+string(answer.Kind)+" question"+phrase(answer)+", "+count(answer.Matched, "candidate", "candidates")+" in "+took(answer.Millis)))
	for _, l := range answer.Legs {
		line := l.Name + ": " + count(l.Found, "candidate", "candidates") + ", " + took(l.Millis)
		if l.Fault != "" {
			line = l.Name + ": " + l.Fault
		}
		a.printf("  %s\n", a.paint(faint, line))
	}
	for _, o := range answer.Omitted {
		a.printf("  %s\n", a.paint(faint, "left out: "+count(o.Count, "candidate", "candidates")+", "+omission(o.Reason)))
	}
}

func phrase(answer search.Answer) string {
	if answer.Phase == retrieve.NoPhase {
		return ""
	}
	return " while you " + string(answer.Phase)
}

func took(ms float64) string {
	return time.Duration(ms * float64(time.Millisecond)).Round(100 * time.Microsecond).String()
}

// omission says in words why something was left out.
func omission(reason string) string {
	switch reason {
	case retrieve.OmitUnlike:
		return "too little to do with the question"
	case retrieve.OmitUnsure:
		return "below the confidence that was asked for"
	case retrieve.OmitDuplicate:
		return "a better one says the same"
	case retrieve.OmitBudget:
		return "the budget is used up"
	default:
		return "beyond the limit"
	}
}

// withCode opens the workspace with its code graph and the keyword index over
// its code, both up to the files.
func (a *app) withCode(ctx context.Context, lexical bool, f func(*memory.Workspace, *search.Searcher) error) error {
	return a.withIndex(ctx, func(w *memory.Workspace, ix *graph.Index, _ *graph.Graph) (err error) {
		s, done := a.searchingIn(w, ix, lexical)
		defer func() { err = errors.Join(err, done()) }()
		show, finish := a.bar("words")
		err = s.SyncCode(ctx, show)
		finish()
		if err != nil {
			return err
		}
		return f(w, s)
	})
}

// embedCode makes the vectors of the code that has none, and says how many there
// are now.
func (a *app) embedCode(ctx context.Context) error {
	return a.withCode(ctx, false, func(_ *memory.Workspace, s *search.Searcher) error {
		show, finish := a.bar("embedding code")
		r, err := s.EmbedCode(ctx, show)
		finish()
		if err != nil {
			return err
		}
		if a.json {
			a.printJSON("embed-code", r)
			return nil
		}
		a.printf("☞ %s by %s, %d of them made now\n", count(r.Known+r.Made, "vector of code", "vectors of code"), r.Info.Model, r.Made)
		return nil
	})
}
