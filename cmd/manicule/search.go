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

// maxAwaited is how many memories without a vector a search embeds before it
// answers: half a second of work. More are found by their words until the next
// sync.
const maxAwaited = 32

// search asks for memories by words, and by meaning where there is a model to
// ask. meaning says whether it was.
func (a *app) search(ctx context.Context, w *memory.Workspace, text string, limit int, lexical bool) (found []retrieve.Found, meaning bool, err error) {
	engine := &retrieve.Engine{Words: w.Search, All: func() []memory.Hit { return w.View().All() }}
	p := a.embeddings(a.config, w.Place().ModelsDir())
	name := a.config.String("embedding.provider")
	engine.Want = p.Expect()
	if !lexical && name != provider.Off && (name != provider.Local || engine.Want.Model != "") {
		if _, err := w.Sync(ctx); err != nil {
			return nil, false, err
		}
		db, err := store.OpenVectors(ctx, w.Place().VectorsDir(), a.now)
		if err != nil {
			return nil, false, err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		engine.Vectors, engine.Model = db, p.Service(embed.System())
		defer func() { err = errors.Join(err, engine.Model.Close()) }()
		a.embedFew(ctx, engine, db)
	}
	found, meaning, why, err := engine.Search(ctx, text, limit)
	if why != nil {
		a.warn("only words were searched: %v", why)
	}
	return found, meaning, err
}

// embedFew makes the vectors of memories that were written since the last sync.
func (a *app) embedFew(ctx context.Context, engine *retrieve.Engine, db *store.Vectors) {
	var texts, keys []string
	for _, h := range engine.All() {
		texts = append(texts, embed.MemoryText(h.Memory))
		keys = append(keys, embed.Key(texts[len(texts)-1]))
	}
	known, err := db.Get(ctx, engine.Want.Model, engine.Want.Dims, keys)
	if err != nil {
		a.warn("read the memories' vectors: %v", err)
		return
	}
	var missing []string
	for i, k := range keys {
		if _, ok := known[k]; !ok {
			missing = append(missing, texts[i])
		}
	}
	switch {
	case len(missing) == 0:
	case len(missing) > maxAwaited:
		a.warn("%s no vector yet and found by words alone: `manicule sync` makes them", count(len(missing), "memory has", "memories have"))
	default:
		if _, err := embed.NewCached(engine.Model, db).Fill(ctx, engine.Want, missing, nil); err != nil && !errors.Is(err, embed.ErrNone) {
			a.warn("make the vectors of memories: %v", err)
		}
	}
}
