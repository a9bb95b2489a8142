package services

import (
	"context"
	"errors"
	"sync"
	"time"

	"manicule/indexer/graph"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/ledger"
	"manicule/memory/llm"
	rerankers "manicule/memory/rerank/provider"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

// Answer answers a question about the memories. It asks the leader, which keeps the model loaded,
// else it searches in this process.
func (w *Workspace) Answer(ctx context.Context, q search.Question) (out search.Answer, err error) {
	if !q.Lexical {
		if out, err = search.Ask(ctx, w.Place().Socket(), q); err == nil || ctx.Err() != nil {
			return out, err
		}
	}
	return w.Searcher(q.Lexical).Memories(ctx, q)
}

// Searcher searches in this process. A lexical searcher uses words and structure only, and loads no
// model.
func (w *Workspace) Searcher(lexical bool) *search.Searcher {
	if lexical {
		return w.words.get(func() *search.Searcher { return w.openSearcher(w.searchOptions()) })
	}
	return w.searcher.get(func() *search.Searcher {
		o := w.searchOptions()
		if w.opener.hasModel(w.Place(), w.Config) {
			o.Model = w.Embedder()
			o.CodeModel = func() (*embed.Service, embed.Info) { return codeModel(w) }
		}
		addModelStages(w, &o)
		return w.openSearcher(o)
	})
}

func (w *Workspace) openSearcher(o search.Options) *search.Searcher {
	s := search.New(o)
	w.onClose(s.Close)
	return s
}

// searchOptions returns the options of every search of the workspace.
func (w *Workspace) searchOptions() search.Options {
	o := search.Options{Workspace: w.Workspace, Index: w.Graph(), Expect: w.Embeddings().Expect}
	if past := w.GitHistory(); past != nil {
		o.History = past
	}
	if graph.Exists(w.Place().CacheDir()) {
		o.Graph = w.Graph().Ask
	}
	if w.Config.Bool("hooks.learned_weights") {
		o.Learned = learnedWeights(w)
	}
	return o
}

// learnedWeights returns what types weigh in phases by what was learned here, as of its first use. Without it they weigh as
// usual.
func learnedWeights(w *Workspace) func(retrieve.Phase, file.Type) float64 {
	type cell struct {
		phase retrieve.Phase
		typ   file.Type
	}
	weights := sync.OnceValue(func() map[cell]float64 {
		list, err := ledger.WeightsOf(context.Background(), w.Workspace)
		if err != nil && w.opener.Warn != nil {
			w.opener.Warn("what was learned of types of memories is left out: %v", err)
		}
		out := map[cell]float64{}
		for _, x := range list {
			for _, p := range retrieve.Phases() {
				out[cell{p, x.Type}] = x.Weight
			}
			for _, p := range x.Phases {
				out[cell{p.Phase, x.Type}] = p.Weight
			}
		}
		return out
	})
	return func(p retrieve.Phase, t file.Type) float64 {
		if x, ok := weights()[cell{p, t}]; ok {
			return x
		}
		return 1
	}
}

// addModelStages adds the search stages that need a model of their own: a reranker, if one is
// installed or configured, and a chat model that writes hypothetical answers, if the user has
// configured one.
func addModelStages(w *Workspace, o *search.Options) {
	r := rerankers.Open(w.Config, w.Place().ModelsDir(), w.opener.Getenv)
	w.onClose(r.Close)
	if i := r.Info(); i.Model != "" {
		o.Rerank, o.RerankShare = r.Rerank, i.Share
	}
	chat, err := w.Chat()
	if err != nil {
		if !errors.Is(err, llm.ErrNone) && w.opener.Warn != nil {
			w.opener.Warn("no model writes hypothetical answers: %v", err)
		}
		return
	}
	w.onClose(func() error {
		chat.Close()
		return nil
	})
	o.Imagine = func(ctx context.Context, question string) (string, error) {
		if err := CheckQuestion(w, question); err != nil {
			return "", err
		}
		answer, err := chat.Complete(ctx, imagineSystem, question, imagineTokens)
		return answer.Text, err
	}
}

// Chat opens the chat model that the user has configured, else it returns [llm.ErrNone]. The caller
// closes it.
func (w *Workspace) Chat() (*llm.Client, error) {
	return llm.Open(llm.Configured(w.Config, w.opener.Getenv, w.Place().StateDir(), w.opener.Now))
}

// CheckQuestion reports a question that must not leave the machine.
func CheckQuestion(w *Workspace, question string) error {
	if rule, err := w.Gate().Scan(question); err != nil || rule != "" {
		return errors.Join(errSecretQuestion, err)
	}
	return nil
}

// errSecretQuestion says why a question was not sent to a model.
var errSecretQuestion = errors.New("the question seems to contain a secret, so no model is asked")

// The instruction for a model that writes a hypothetical answer, and its maximum length.
const (
	imagineSystem = "You write one note for a team's collection of lessons about their code base, as if it were the answer to the question. " +
		"Two or three sentences, plain and specific: what happens, where, and why. No preamble."
	imagineTokens = 150
)

// EmbedMemories makes the missing vectors of memories, and returns the number of vectors. Without a
// model it returns 0 and no error: search then uses words. After an interruption, the next run
// resumes. fallback says why a configured server was not used, or is "".
func (w *Workspace) EmbedMemories(ctx context.Context, progress func(done, total int)) (n int, fallback string, err error) {
	if !w.opener.hasModel(w.Place(), w.Config) || w.Embedder() == nil {
		return 0, "", nil
	}
	s := search.New(search.Options{Workspace: w.Workspace, Model: w.Embedder(), Expect: w.Embeddings().Expect})
	defer func() { err = errors.Join(err, s.Close()) }()
	r, err := s.EmbedMemories(ctx, progress)
	fallback = w.Embedder().State().Fallback
	if errors.Is(err, embed.ErrNone) {
		return 0, fallback, nil
	}
	return r.Known + r.Made, fallback, err
}

// watchedFor is how long watched memory files count as unchanged.
const watchedFor = time.Minute
