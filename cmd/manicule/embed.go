package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/embed/provider"
	"manicule/memory/search"
)

// embedMissing makes the vectors of memories that have none from the model in
// use, and says how many there are now. Without a model that is none, and no
// fault: memories are then found by their words. Interrupted, the next one goes
// on from there.
func (a *app) embedMissing(ctx context.Context, w *memory.Workspace) (n int, err error) {
	p := a.embeddings(a.config, w.Place().ModelsDir())
	want := p.Expect()
	if want.Model == "" && a.config.String("embedding.provider") == provider.Local {
		return 0, nil
	}
	service := p.Service(embed.System())
	defer func() { err = errors.Join(err, service.Close()) }()
	s := search.New(search.Options{Workspace: w, Model: service, Expect: p.Expect})
	defer func() { err = errors.Join(err, s.Close()) }()
	show, finish := a.bar("embedding")
	r, err := s.EmbedMemories(ctx, show)
	finish()
	if s := service.State(); s.Fallback != "" {
		a.warn("%s does not answer, the local model is used: %s", a.config.String("embedding.provider"), s.Fallback)
	}
	if errors.Is(err, embed.ErrNone) {
		return 0, nil
	}
	return r.Known + r.Made, err
}

// bar shows a person who waits how far something is.
func (a *app) bar(what string) (func(done, total int), func()) {
	if !a.tty || a.json || a.quiet {
		return nil, func() {}
	}
	var bar *progressbar.ProgressBar
	start := a.now()
	return func(done, total int) {
			if bar == nil && a.now().Sub(start) < showAfter {
				return
			}
			if bar == nil {
				bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionSetDescription(what),
					progressbar.OptionClearOnFinish(), progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(50*time.Millisecond))
			}
			_ = bar.Set(done) // a terminal that is gone
		}, func() {
			if bar != nil {
				_ = bar.Finish()
			}
		}
}
