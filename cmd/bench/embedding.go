package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"manicule/cmd/try/wire"
)

// pace is the time between two requests while the server embeds: about what a
// person's mouse asks for.
const pace = 20 * time.Millisecond

// begins is how long to wait until the server begins to embed by itself.
const begins = 90 * time.Second

// embedding measures hovers and lenses while the server makes the vectors of all
// memories in the background, beside the same requests before it does.
func (b *bench) embedding(ctx context.Context, w *workspace) (err error) {
	if b.models == "" {
		return nil
	}
	progress("hovers while %d memories are embedded", w.size)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	remove, err := b.install()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	c, err := b.begin(ctx, w)
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
	if err := b.paced(ctx, w, c, docs, "before the server embeds"); err != nil {
		return err
	}
	before, err := b.grows(ctx, 0)
	if err != nil {
		return err
	}
	if err := b.paced(ctx, w, c, docs, "while it embeds the memories"); err != nil {
		return err
	}
	if _, err := b.grows(ctx, before); err != nil {
		return fmt.Errorf("it had ended before the measurement did: %w", err)
	}
	return nil
}

// install copies the models to where the program looks for them. The result
// removes them: the next workspace is measured without.
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

// grows waits until the store of vectors is larger than it was, and returns its
// size.
func (b *bench) grows(ctx context.Context, was int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, begins)
	defer cancel()
	for {
		var size int64
		files, err := filepath.Glob(filepath.Join(b.box.Cache(), "manicule", "vectors", "vectors.v*"))
		if err != nil {
			return 0, fmt.Errorf("look at the vectors: %w", err)
		}
		for _, f := range files {
			if st, err := os.Stat(f); err == nil {
				size += st.Size()
			}
		}
		if size > max(was, 256<<10) { // more than an empty database with its journal
			return size, nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return 0, errors.New("no vectors come")
		}
	}
}

// paced asks as somebody does who looks around.
func (b *bench) paced(ctx context.Context, w *workspace, c *wire.Client, docs []*source, when string) error {
	var hovers, lenses sample
	from := load()
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for i := range b.n {
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
	b.add(w, "hover every 20 ms, "+when, hovers, "p99 10", from)
	b.add(w, "codeLens every 20 ms, "+when, lenses, "", from)
	return nil
}
