package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/wire"
)

// Parameters of the server's measurements.
const (
	opened  = 20               // documents that are open while requests are measured
	quiet   = 2 * time.Second  // idle time before the memory is read
	timeout = 20 * time.Second // limit of a whole step
)

// serverBench measures the language server over real pipes.
type serverBench struct{ *bench }

// server measures sessions from the start of the process on, and the requests of one.
func (e serverBench) server(ctx context.Context, w *workspace) error {
	evalkit.Progress("language server at %d memories", w.size)
	var whole, session sample
	if err := e.firstSession(ctx, w); err != nil {
		return err
	}
	from := evalkit.Load()
	for range e.n {
		started, initialized, err := e.firstHover(ctx, w)
		if err != nil {
			return err
		}
		whole, session = append(whole, started), append(session, initialized)
	}
	e.add(w, "initialize → first hover", session, "100", from)
	e.add(w, "start of the process → first hover", whole, "", from)
	return e.requests(ctx, w)
}

// firstSession runs a server until it has followed all anchors, as one session of an
// editor does. The hover of later ones then need not wait for all memories.
func (e serverBench) firstSession(ctx context.Context, w *workspace) (err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c, err := e.begin(ctx, w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	for {
		if notes, err := filepath.Glob(filepath.Join(e.box.Cache(), "manicule", "*", "followed")); err != nil || len(notes) > 0 {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("wait until the server has followed all anchors: %w", ctx.Err())
		}
	}
}

// firstHover starts a server and opens the busiest file. It returns the times from the
// start of the process and from initialize.
func (e serverBench) firstHover(ctx context.Context, w *workspace) (started, initialized time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	start := time.Now()
	c, err := e.start(ctx, w)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	s := w.busiest(1)[0]
	begin := time.Now()
	if err := c.Initialize(ctx, w.root); err != nil {
		return 0, 0, err
	}
	path := filepath.Join(w.root, filepath.FromSlash(s.path))
	if err := c.Open(path, "go", s.text); err != nil {
		return 0, 0, err
	}
	h, err := c.Hover(ctx, path, wire.Position{}) // the first line shows the memories of the file
	if err == nil && h == nil {
		err = fmt.Errorf("the first hover on %s is empty", s.path)
	}
	return time.Since(start), time.Since(begin), err
}

func (e serverBench) start(ctx context.Context, w *workspace) (*wire.Client, error) {
	cmd := e.box.Manicule(ctx, w.root, "lsp")
	cmd.Stderr = os.Stderr
	return wire.Start(cmd)
}

// begin starts a server with an open workspace.
func (e serverBench) begin(ctx context.Context, w *workspace) (*wire.Client, error) {
	c, err := e.start(ctx, w)
	if err != nil {
		return nil, err
	}
	if err := c.Initialize(ctx, w.root); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	return c, nil
}

// requests measures one server: its memory, hovers and lenses on open documents, and its
// memory again.
func (e serverBench) requests(ctx context.Context, w *workspace) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	c, err := e.begin(ctx, w)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	docs := w.busiest(opened)
	for i, s := range docs {
		path := filepath.Join(w.root, filepath.FromSlash(s.path))
		if err := c.Open(path, "go", s.text); err != nil {
			return err
		}
		if _, err := c.Hover(ctx, path, wire.Position{}); err != nil { // parsed and placed
			return err
		}
		if i == 0 {
			if err := e.idle(ctx, w, c, "idle server, one document open"); err != nil {
				return err
			}
		}
	}
	if err := e.ask(ctx, w, c, docs); err != nil {
		return err
	}
	return e.idle(ctx, w, c, fmt.Sprintf("idle server, %d documents, after %d requests", len(docs), 2*e.n))
}

// ask measures requests one after the other, as an editor sends them. Every other hover
// is on a line with a lens.
func (e serverBench) ask(ctx context.Context, w *workspace, c *wire.Client, docs []*source) error {
	var hovers, lenses sample
	from, shown := evalkit.Load(), 0
	for i := range e.n {
		s := docs[i%len(docs)]
		path := filepath.Join(w.root, filepath.FromSlash(s.path))
		start := time.Now()
		list, err := c.Lenses(ctx, path)
		lenses = append(lenses, time.Since(start))
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return fmt.Errorf("%s has no lenses", s.path)
		}
		at := wire.Position{Line: i * 17 % strings.Count(s.text, "\n"), Character: 6}
		if i%2 == 0 {
			at.Line = list[i/2%len(list)].Range.Start.Line
		}
		start = time.Now()
		h, err := c.Hover(ctx, path, at)
		hovers = append(hovers, time.Since(start))
		if err != nil {
			return err
		}
		if h != nil {
			shown++
		}
	}
	if shown == 0 {
		return errors.New("no hover showed anything")
	}
	e.add(w, fmt.Sprintf("hover, over a pipe (%d %% show something)", 100*shown/e.n), hovers, "p99 5", from)
	e.add(w, "codeLens, over a pipe", lenses, "p99 5", from)
	return nil
}

// idle reads the server's memory after a period without requests.
func (e serverBench) idle(ctx context.Context, w *workspace, c *wire.Client, what string) error {
	select {
	case <-time.After(quiet):
	case <-ctx.Done():
		return fmt.Errorf("wait for the server to rest: %w", ctx.Err())
	}
	resident, own, err := memoryOf(c.PID())
	if err != nil {
		evalkit.Progress("%v", err) // only Linux reports it
		return nil
	}
	e.memory = append(e.memory, footprint{w.size, what, resident, own, "60"})
	return nil
}

// busiest returns the files with the most memories at their symbols.
func (w *workspace) busiest(n int) []*source {
	return byHits(w.files)[:min(n, len(w.files))]
}
