package main

import (
	"context"
	"errors"

	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/embed/provider"
	"manicule/memory/retrieve"
	"manicule/memory/store"
)

// search asks for memories by words, and by meaning where there is a model to
// ask.
func (a *app) search(ctx context.Context, w *memory.Workspace, text string, limit int, lexical bool) (out retrieve.Answer, err error) {
	engine := &retrieve.Engine{Words: w.Search, All: func() []memory.Hit { return w.View().All() }}
	p := a.embeddings(a.config, w.Place().ModelsDir())
	name := a.config.String("embedding.provider")
	if !lexical && name != provider.Off && (name != provider.Local || p.Expect().Model != "") {
		if _, err := w.Sync(ctx); err != nil {
			return out, err
		}
		db, err := store.OpenVectors(ctx, w.Place().VectorsDir(), a.now)
		if err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		engine.Vectors, engine.Model = db, p.Service(embed.System())
		defer func() { err = errors.Join(err, engine.Model.Close()) }()
	}
	out, err = engine.Search(ctx, text, limit)
	if out.Fault != nil {
		a.warn("only words were searched: %v", out.Fault)
	}
	if out.Unread > 0 {
		a.warn("%s no vector yet and found by words alone: `manicule sync` makes them", count(out.Unread, "memory has", "memories have"))
	}
	return out, err
}
