package local

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"manicule/memory/rerank"
)

// Cross says which cross-encoder to load, a model that reads a query and a text together and
// returns one logit.
type Cross struct {
	Model     string // its name
	MaxTokens int    // of query, text and special tokens together
	// Dir contains tokenizer.json, config.json and File, the ONNX file.
	Dir  string
	File string
	// Library, Threads and Backend are as in Options.
	Library string
	Threads int
	Backend Backend
}

// OpenCross loads a cross-encoder on the first backend that loads and prefers an answer to an
// unrelated sentence. The second result is the error of a backend that was skipped, or nil.
func OpenCross(ctx context.Context, o Cross) (rerank.Reranker, error, error) {
	tk, err := openTokenizer(o.Dir, o.MaxTokens)
	if err != nil {
		return nil, nil, err
	}
	pairs, err := newPairer(tk)
	if err != nil {
		return nil, nil, err
	}
	o.Threads = max(1, o.Threads)
	return firstThatWorks(ctx, o.Backend, "the reranker "+o.Model, probeCross,
		func(ctx context.Context) (rerank.Reranker, error) { return openCrossRuntime(ctx, o, pairs) },
		func(ctx context.Context) (rerank.Reranker, error) { return openCrossGo(ctx, o, pairs) })
}

// probeCross scores two texts. It detects a runtime with wrong results, and a model that is no
// reranker despite its files.
func probeCross(ctx context.Context, r rerank.Reranker) error {
	s, err := r.Rerank(ctx, "how long does a failed request wait before the next try", []string{
		"the icon in the sidebar is blue",
		"a failed request waits longer before the next try",
	})
	if err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	if s[1] <= s[0] {
		return fmt.Errorf("probe: an answer is judged %.3f, another sentence %.3f", s[1], s[0])
	}
	return nil
}

// sigmoid converts a logit to a score from 0 to 1. NaN is an error, because it would sort anywhere.
func sigmoid(logit float64) (float64, error) {
	if math.IsNaN(logit) {
		return 0, errors.New("the model gave no number")
	}
	return 1 / (1 + math.Exp(-logit)), nil
}

// The separators of the two model families with rerankers. BERT has one between query and text,
// RoBERTa two.
const (
	bertSeparator    = "[SEP]"
	robertaSeparator = "</s>"
)

// pairer makes the input of a cross-encoder: [CLS] query [SEP] text [SEP].
type pairer struct {
	tk *tokenizer
	// separator is the token's text; repeat is how often it occurs between query and text.
	separator string
	repeat    int
}

// newPairer detects the separator from how a tokenizer ends a text.
func newPairer(tk *tokenizer) (*pairer, error) {
	ids := tk.tk.Encode("")
	for _, p := range []*pairer{{tk, bertSeparator, 1}, {tk, robertaSeparator, 2}} {
		// The tokenizer encodes the separator as one token, and an empty text ends with it.
		one := tk.tk.Encode(p.separator)
		if len(ids) == 2 && len(one) == 3 && one[1] == ids[1] {
			return p, nil
		}
	}
	return nil, fmt.Errorf("the tokenizer separates texts neither by %s nor by %s", bertSeparator, robertaSeparator)
}

// pair is a query and a text that together fit into the model.
type pair struct {
	query, text string
	tokens      int // of both, including the special ones
}

// cut cleans a query and a text and cuts them to the model's length. It shortens the longer one
// first, as in the models' training.
func (p *pairer) cut(query, text string) pair {
	limit := p.tk.max * bytesPerToken
	query, text = p.plain(clean(query, limit)), p.plain(clean(text, limit))
	room := p.tk.max - 2 - p.repeat
	q, t := p.count(query), p.count(text)
	if q+t > room {
		half := room / 2
		switch {
		case q <= half:
			text, t = p.shorten(text, room-q)
		case t <= half:
			query, q = p.shorten(query, room-t)
		default:
			query, q = p.shorten(query, half)
			text, t = p.shorten(text, room-half)
		}
	}
	return pair{query, text, q + t + 2 + p.repeat}
}

// plain removes the separator from a text, which it would end early.
func (p *pairer) plain(text string) string { return strings.ReplaceAll(text, p.separator, " ") }

// count returns the number of tokens of a text without the special ones. For a text that does not
// fit, it returns any number that doesn't fit either.
func (p *pairer) count(text string) int { return len(p.tk.encode(text, p.tk.max).IDs) - 2 }

// shorten cuts a text to at most n tokens and returns how many are left. It cuts before a word,
// unless there is only one.
func (p *pairer) shorten(text string, n int) (string, int) {
	for room := n; room > 0; room-- {
		e := p.tk.encode(text, n+2)
		if len(e.IDs)-2 <= n {
			return text, len(e.IDs) - 2
		}
		whole := min(max(e.Spans[room].End, 0), len(text)) // [CLS] is at 0
		if end := wordEnd(text, whole); end > 0 {
			whole = end
		}
		text = text[:whole]
	}
	if p.count(text) > n {
		return "", 0
	}
	return text, p.count(text)
}

// ids returns the tokens of a pair and their types: 0 for the query and the tokens around it, 1 for
// the text and its end.
func (p *pairer) ids(in pair) (ids, types []int) {
	ids = p.tk.encode(in.query, p.tk.max).IDs
	last := ids[len(ids)-1]
	for range p.repeat - 1 {
		ids = append(ids, last)
	}
	text := p.tk.encode(in.text, p.tk.max).IDs[1:]
	types = make([]int, len(ids)+len(text))
	for i := len(ids); i < len(types); i++ {
		types[i] = 1
	}
	return append(ids, text...), types
}
