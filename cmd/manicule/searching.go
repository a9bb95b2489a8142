package main

import (
	"context"
	"errors"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/graph"
	"manicule/indexer/history"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/embed"
	"manicule/memory/embed/provider"
	"manicule/memory/leader"
	"manicule/memory/llm"
	rerankers "manicule/memory/rerank/provider"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

// The questions that a leader answers on its socket (package leader).
const (
	askSearch = "search"
	askGraph  = "graph"
	askModule = "module"
	askImpact = "impact"
	askChange = "change" // the impact of what differs from a revision
	askCode   = "code"   // a search in the code
)

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
	past, closeGit := a.history(w.Place())
	if past != nil {
		o.History = past
	}
	closeStages := func() error { return nil }
	if !lexical {
		closeStages = a.stages(&o, a.config)
	}
	p := a.embeddings(a.config, w.Place().ModelsDir())
	name := a.config.String("embedding.provider")
	closers := []func() error{closeStages, closeGit}
	if o.Expect = p.Expect; !lexical && name != provider.Off && (name != provider.Local || p.Expect().Model != "") {
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

// stages adds the stages of a search that need a model of their own: a
// reranker where one is installed or configured, and a chat model that imagines
// answers where the user has configured one. The result frees them.
func (a *app) stages(o *search.Options, c *config.Config) (done func() error) {
	r := rerankers.Open(c, o.Workspace.Place().ModelsDir(), a.getenv)
	if r.Info().Model != "" {
		o.Rerank = r.Rerank
	}
	chat, err := llm.Open(llm.Configured(c, a.getenv, o.Workspace.Place().StateDir(), a.now))
	if err != nil {
		if !errors.Is(err, llm.ErrNone) {
			a.warn("no model imagines answers: %v", err)
		}
		return r.Close
	}
	o.Imagine = func(ctx context.Context, question string) (string, error) {
		if rule, err := o.Workspace.Gate().Scan(question); err != nil || rule != "" {
			return "", errors.Join(errSecretQuestion, err)
		}
		answer, err := chat.Complete(ctx, imagineSystem, question, imagineTokens)
		return answer.Text, err
	}
	return func() error {
		chat.Close()
		return r.Close()
	}
}

// errSecretQuestion says why a question was not sent to a model.
var errSecretQuestion = errors.New("the question looks like it has a secret in it and is sent to no model")

// What a model is told that imagines an answer, and how long that may be.
const (
	imagineSystem = "You write one note for a team's collection of lessons about their code base, as if it were the answer to the question. " +
		"Two or three sentences, plain and specific: what happens, where, and why. No preamble."
	imagineTokens = 150
)

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

// account prints how an answer came about.
func (a *app) account(answer search.Answer) {
	a.printf("%s\n", a.paint(faint, string(answer.Kind)+" question"+phrase(answer)+", "+count(answer.Matched, "candidate", "candidates")+" in "+took(answer.Millis)))
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

// history is what is kept of a workspace's history, nil outside of git.
func (a *app) history(p *workspace.Workspace) (*history.History, func() error) {
	if p.GitDir == "" {
		return nil, func() error { return nil }
	}
	repo := gittree.Open(p.GitDir, p.GitCommonDir, p.Below())
	return history.Open(p.CacheDir(), repo, a.now), repo.Close
}

// updateHistory reads the commits that came. It is no reason for a command to
// fail: without it every file counts as calm.
func (a *app) updateHistory(ctx context.Context, p *workspace.Workspace) {
	h, done := a.history(p)
	if h == nil {
		return
	}
	if err := errors.Join(readHistory(ctx, p, h), done()); err != nil {
		a.warn("read the history: %v", err)
	}
}

// readHistory reads the commits that came.
func readHistory(ctx context.Context, p *workspace.Workspace, h *history.History) error {
	repo := gittree.Open(p.GitDir, p.GitCommonDir, p.Below())
	return errors.Join(h.Update(ctx, repo, gitinfo.Head(p.GitDir, p.GitCommonDir)), repo.Close())
}
