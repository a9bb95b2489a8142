package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/wire"
)

// requestPace is the time between two requests while the server embeds, about the rate of a
// person's mouse.
const requestPace = 20 * time.Millisecond

// embedStartWait bounds the wait until the server starts to embed in the background.
const embedStartWait = 90 * time.Second

// embedWait bounds the wait until all memories have vectors.
const embedWait = 20 * time.Minute

// modelBench measures what a model costs the language server.
type modelBench struct{ serverBench }

// embedding measures hovers, lenses and hooks while the server embeds all memories in the
// background, and the same before that. It then measures searches with all vectors
// present.
func (m modelBench) embedding(ctx context.Context, w *workspace) (err error) {
	if m.models == "" {
		return nil
	}
	evalkit.Progress("hovers while %d memories are embedded", w.size)
	ctx, cancel := context.WithTimeout(ctx, embedWait+10*time.Minute)
	defer cancel()
	remove, err := m.install()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	c, err := m.begin(ctx, w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	docs := w.busiest(opened)
	for _, s := range docs {
		path := filepath.Join(w.root, filepath.FromSlash(s.path))
		if err := c.Open(path, "go", s.text); err != nil {
			return err
		}
		if _, err := c.Hover(ctx, path, wire.Position{}); err != nil {
			return err
		}
	}
	if err := m.requestsAtPace(ctx, w, c, docs, "before the server embeds"); err != nil {
		return err
	}
	if err := m.awaitGrowth(ctx, 0); err != nil {
		return err
	}
	if err := m.requestsAtPace(ctx, w, c, docs, "while it embeds the memories"); err != nil {
		return err
	}
	before, err := m.vectors()
	if err != nil {
		return err
	}
	if err := m.awaitGrowth(ctx, before); err != nil {
		return fmt.Errorf("it had ended before the measurement did: %w", err)
	}
	evalkit.Progress("the rest of the vectors")
	if err := m.awaitVectors(ctx, w, c); err != nil {
		return err
	}
	if err := m.searches(ctx, w, c, m.n, 0, "search in a row, with the model"); err != nil {
		return err
	}
	return m.searches(ctx, w, c, min(m.n, 30), time.Second, "search with a second between, with the model")
}

// found is the part of a search's answer that is used here.
type found struct {
	Hits   []json.RawMessage `json:"hits"`
	Answer struct {
		Index struct {
			Unread int `json:"unread"` // memories without a vector
		} `json:"index"`
	} `json:"answer"`
}

// question returns the i-th question of three words.
func (w *workspace) question(i int) string {
	return w.words[i%len(w.words)] + " " + w.words[(i*7+3)%len(w.words)] + " " + w.words[(i*31+11)%len(w.words)]
}

// searchFolder asks a question of the server's only folder.
func searchFolder(ctx context.Context, c *wire.Client, text string) (found, error) {
	var answers []found
	if err := c.Call(ctx, "manicule/search", map[string]any{"text": text}, &answers); err != nil {
		return found{}, err
	}
	if len(answers) == 0 || len(answers[0].Hits) == 0 {
		return found{}, fmt.Errorf("a search for %q finds nothing", text)
	}
	return answers[0], nil
}

// searches measures questions with a pause before each.
func (m modelBench) searches(ctx context.Context, w *workspace, c *wire.Client, n int, pause time.Duration, what string) error {
	var times sample
	from := evalkit.Load()
	for i := range n {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("measure searches: %w", ctx.Err())
		}
		start := time.Now()
		if _, err := searchFolder(ctx, c, w.question(i)); err != nil {
			return err
		}
		times = append(times, time.Since(start))
	}
	m.add(w, what, times, "p50 15, p99 40", from)
	return nil
}

// awaitVectors waits until all memories have vectors.
func (m modelBench) awaitVectors(ctx context.Context, w *workspace, c *wire.Client) error {
	ctx, cancel := context.WithTimeout(ctx, embedWait)
	defer cancel()
	for {
		a, err := searchFolder(ctx, c, w.question(0))
		if err != nil || a.Answer.Index.Unread == 0 {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return fmt.Errorf("%d memories get no vectors", a.Answer.Index.Unread)
		}
	}
}

// vectors returns the size of the vector store in bytes.
func (m modelBench) vectors() (int64, error) {
	files, err := filepath.Glob(filepath.Join(m.box.Cache(), "manicule", "vectors", "vectors.v*"))
	if err != nil {
		return 0, fmt.Errorf("look at the vectors: %w", err)
	}
	var size int64
	for _, f := range files {
		if st, err := os.Stat(f); err == nil {
			size += st.Size()
		}
	}
	return size, nil
}

// install copies the models to where the program looks for them. The returned function
// removes them, so that the next workspace is measured without.
func (b *bench) install() (remove func() error, err error) {
	data := filepath.Join(b.box.Data(), "manicule", "models")
	if err := os.MkdirAll(filepath.Dir(data), 0o700); err != nil {
		return nil, fmt.Errorf("install the model: %w", err)
	}
	if err := os.CopyFS(data, os.DirFS(b.models)); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("install the model: %w", err)
	}
	return func() error { return os.RemoveAll(data) }, nil
}

// awaitGrowth waits until the vector store has grown.
func (m modelBench) awaitGrowth(ctx context.Context, was int64) error {
	ctx, cancel := context.WithTimeout(ctx, embedStartWait)
	defer cancel()
	for {
		size, err := m.vectors()
		if err != nil {
			return err
		}
		if size > max(was, 256<<10) { // more than an empty database with its journal
			return nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return errors.New("no vectors come")
		}
	}
}

// hooksWhileEmbedding measures the hook before a file is read, in a session that has begun. It runs a
// tenth as often as the hovers, which is what fits into the embedding time.
func (m modelBench) hooksWhileEmbedding(ctx context.Context, w *workspace, when string) error {
	hooks := hookBench{m.bench}
	var times sample
	from := evalkit.Load()
	for i := range max(1, m.n/10) {
		session := fmt.Sprintf("bench %s %d", when, i)
		if _, err := hooks.event(ctx, w, hooks.programs()[0], session, map[string]any{"hook_event_name": "SessionStart", "source": "startup"}, true); err != nil {
			return err
		}
		took, err := hooks.event(ctx, w, hooks.programs()[0], session, toolEvent(w, session, w.pickFile().path), true)
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	m.add(w, "PreToolUse, whole process, "+when, times, "p99 25", from)
	return nil
}

// requestsAtPace sends requests at the pace of a person who looks around.
func (m modelBench) requestsAtPace(ctx context.Context, w *workspace, c *wire.Client, docs []*source, when string) error {
	var hovers, lenses sample
	from := evalkit.Load()
	tick := time.NewTicker(requestPace)
	defer tick.Stop()
	for i := range m.n {
		path := filepath.Join(w.root, filepath.FromSlash(docs[i%len(docs)].path))
		start := time.Now()
		if _, err := c.Hover(ctx, path, wire.Position{}); err != nil {
			return err
		}
		hovers = append(hovers, time.Since(start))
		start = time.Now()
		if _, err := c.Lenses(ctx, path); err != nil {
			return err
		}
		lenses = append(lenses, time.Since(start))
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("measure hovers: %w", ctx.Err())
		}
	}
	m.add(w, "hover every 20 ms, "+when, hovers, "p99 10", from)
	m.add(w, "codeLens every 20 ms, "+when, lenses, "", from)
	return m.hooksWhileEmbedding(ctx, w, when)
}
