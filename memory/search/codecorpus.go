package search

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"sync"

	"manicule/indexer/code"
	"manicule/indexer/sorting"
	"manicule/indexer/words"
	"manicule/memory/file"
	"manicule/memory/retrieve"
)

// codeCorpus is the code that one question may find.
type codeCorpus struct {
	structure
	ctx       context.Context // of the question: the pipeline's functions take none
	x         *codeIndex
	filter    Filter
	names     map[string]bool // of symbols in the question
	all       bool            // include tests and documents
	functions bool            // prefer functions
	ids       []int64         // of the pieces that pass the filter, if there is one
	keys      []string        // theirs, each once

	mu     sync.Mutex // guards what follows: words and meaning run concurrently
	pieces map[string]code.Piece
	files  map[string][]byte // read for the question
	named  map[string]bool   // files that the question names
	found  []code.Ranked     // by mentions in what words found
	err    error             // the first error of a function that returns none
}

func pieceID(id int64) string { return strconv.FormatInt(id, 10) }

// narrowed reports whether a filter excludes files.
func (c *codeCorpus) narrowed() bool { return len(c.filter.Files)+len(c.filter.Modules) > 0 }

func (c *codeCorpus) passes(path string) bool {
	one := []string{path}
	return within(one, c.filter.Modules) && (len(c.filter.Files) == 0 || within(one, c.filter.Files))
}

// widened is the number of candidates to request, because in some repositories most candidates are
// tests and documents.
func (c *codeCorpus) widened(limit int) int {
	if c.all {
		return limit
	}
	return candidatesPerCode * limit
}

// candidatesPerCode is the number of candidates requested for each piece of code.
const candidatesPerCode = 6

func (c *codeCorpus) words(ctx context.Context, text string, limit int) ([]retrieve.Ranked, error) {
	var found code.Found
	var err error
	if c.narrowed() {
		found, err = c.x.SearchAmong(ctx, text, c.widened(limit), c.ids)
	} else {
		found, err = c.x.Search(ctx, text, c.widened(limit))
	}
	if err != nil {
		return nil, c.damaged(err)
	}
	var ids []int64
	for _, list := range [][]code.Ranked{found.Words, found.Mentions} {
		for _, r := range list {
			ids = append(ids, r.ID)
		}
	}
	if err := c.load(ctx, ids); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.found = found.Mentions
	c.mu.Unlock()
	return c.allowedOf(c.preferred(found.Words, func(score float64) float64 { return otherWords * score }), limit), nil
}

// damaged notes that the index is damaged: what the other ways found is not enough then.
func (c *codeCorpus) damaged(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noteDamage(err)
	return err
}

// noteDamage is damaged for who holds the lock.
func (c *codeCorpus) noteDamage(err error) {
	if c.err == nil && c.x.Unusable(err) {
		c.err = err
	}
}

// association ranks functions by what people call such code.
func (c *codeCorpus) association(ctx context.Context, text string, limit int) ([]retrieve.Ranked, error) {
	var among []int64
	if c.narrowed() {
		among = append([]int64{}, c.ids...) // none is not all
	}
	found, err := c.x.Associated(ctx, text, c.widened(limit), among)
	if err != nil {
		return nil, c.damaged(err)
	}
	ids := make([]int64, len(found))
	for i, r := range found {
		ids[i] = r.ID
	}
	if err := c.load(ctx, ids); err != nil {
		return nil, err
	}
	return c.allowedOf(found, limit), nil
}

// align ranks loaded pieces by how near their first words are to those of a question.
func (c *codeCorpus) align(ctx context.Context, text string, ids []string) ([]retrieve.Ranked, error) {
	question, err := c.x.Align(ctx, text)
	if err != nil {
		return nil, c.damaged(err)
	}
	var out []retrieve.Ranked
	for _, id := range ids {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if p, body, ok := c.piece(id); ok {
			out = append(out, retrieve.Ranked{ID: id, Score: question.Share(p.Symbol, body)})
		}
	}
	sorting.StableFunc(out, func(a, b retrieve.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return out, nil
}

// preferred lowers the scores of loaded pieces that are no functions if the question wants one, and sorts
// again.
func (c *codeCorpus) preferred(list []code.Ranked, lower func(score float64) float64) []code.Ranked {
	if !c.functions {
		return list
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, r := range list {
		if !code.IsFunction(c.pieces[pieceID(r.ID)].Kind) {
			list[i].Score = lower(r.Score)
		}
	}
	sorting.StableFunc(list, func(a, b code.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return list
}

// What a piece that is no function keeps of its score if the question wants a function. A type says of
// itself in few words what all its members do, and text between functions is about many things.
const (
	otherWords  = .8  // of its score by words
	otherCosine = .07 // what its cosine loses
)

// wantsFunction reports whether a question of some kind asks for what does something, and not by name, nor first of
// all for a type or a value: "struct of a retry's options".
func wantsFunction(kind retrieve.Kind, text string) bool {
	if kind != retrieve.Semantic {
		return false
	}
	for _, w := range words.Fields(text) {
		if words.IsStopWord(w) {
			continue
		}
		switch strings.TrimSuffix(strings.ToLower(w), "s") {
		case "type", "clas", "classe", "struct", "structure", "interface", "trait", "enum", "constant", "variable", "field", "setting":
			return false
		}
		return true
	}
	return true
}

// mentions ranks the functions that the last results by words mention.
func (c *codeCorpus) mentions(limit int) []retrieve.Ranked {
	c.mu.Lock()
	found := c.found
	c.mu.Unlock()
	return c.allowedOf(found, limit)
}

// allowedOf returns the first pieces that may be in the answer.
func (c *codeCorpus) allowedOf(list []code.Ranked, limit int) []retrieve.Ranked {
	var out []retrieve.Ranked
	for _, r := range list {
		if len(out) < limit && c.allowed(r.ID) {
			out = append(out, retrieve.Ranked{ID: pieceID(r.ID), Score: r.Score})
		}
	}
	return out
}

// allowed reports whether a loaded piece may be in the answer.
func (c *codeCorpus) allowed(id int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.pieces[pieceID(id)]
	return ok && c.wanted(p)
}

// wanted reports whether a piece is code, or tests and documents are wanted too.
func (c *codeCorpus) wanted(p code.Piece) bool {
	return c.all || c.named[p.File] || !isTestOrDoc(p.File) && !isTestInCode(p.Symbol)
}

// load reads the pieces with some ids.
func (c *codeCorpus) load(ctx context.Context, ids []int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ask []int64
	for _, id := range ids {
		if _, ok := c.pieces[pieceID(id)]; !ok {
			ask = append(ask, id)
		}
	}
	if len(ask) == 0 {
		return nil
	}
	list, err := c.x.Pieces(ctx, ask)
	for _, p := range list {
		if c.passes(p.File) {
			c.pieces[pieceID(p.ID)] = p
		}
	}
	c.noteDamage(err)
	return err
}

func (c *codeCorpus) item(id string) (retrieve.Item, bool) {
	p, text, ok := c.piece(id)
	if !ok {
		return retrieve.Item{}, false
	}
	return retrieve.Item{Text: p.Prefix + "\n" + text, Files: []string{p.File}, Volatility: 0}, true
}

// embedded returns what is embedded of a piece, which late interaction reads: it fits the model's length, and splits identifiers.
func (c *codeCorpus) embedded(id string) string {
	p, text, ok := c.piece(id)
	if !ok {
		return ""
	}
	return code.EmbeddingText(p.File, p.Kind, p.Prefix, text)
}

// piece returns a loaded piece with its text, if it may be in the answer.
func (c *codeCorpus) piece(id string) (code.Piece, string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.pieces[id]
	if !ok || !c.wanted(p) {
		return code.Piece{}, "", false
	}
	text, ok := c.files[p.File]
	if !ok {
		text, _ = c.x.Read(p.File) // a removed file has no text
		c.files[p.File] = text
	}
	return p, p.Text(text), true
}

// Mentioned returns the files that names refer to. If a name is that of a test or a document, tests
// and documents are wanted.
func (c *codeCorpus) Mentioned(names []string) []string {
	out := c.structure.Mentioned(names)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range out {
		c.named[f] = true
	}
	return out
}

// At lists the pieces of a file, first those that the question names.
func (c *codeCorpus) At(path string) []string {
	list, err := c.x.InFile(c.ctx, path)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil && c.err == nil {
		c.err = err
	}
	sorting.StableFunc(list, func(a, b code.Piece) int {
		return file.TrueFirst(c.names[lastName(a.Symbol)], c.names[lastName(b.Symbol)])
	})
	var out []string
	for _, p := range list {
		if c.passes(p.File) {
			id := pieceID(p.ID)
			c.pieces[id] = p
			out = append(out, id)
		}
	}
	return out
}

// lastName returns the last part of a symbol's path or of a name in a question.
func lastName(s string) string { return s[strings.LastIndexAny(s, ".:#/")+1:] }
