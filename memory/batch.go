package memory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"manicule/memory/file"
	"manicule/memory/gate"
)

// batchSize is how many files are written and synced together.
const batchSize = 256

// RememberAll writes many memories of a person, as an import does. Each memory passes the same gate
// as in Remember; the databases are written once. Results have the order of the drafts. A chunk
// with a known import key, or a text that is already remembered, is reported as a duplicate. When
// RememberAll returns no error, all accepted memories survive a power loss.
func (w *Workspace) RememberAll(ctx context.Context, drafts []Draft) ([]Result, error) {
	if _, err := w.Refresh(ctx); err != nil {
		return nil, err
	}
	b, err := w.batch(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Result, 0, len(drafts))
	for chunk := range slices.Chunk(drafts, batchSize) {
		if err = ctx.Err(); err != nil {
			err = fmt.Errorf("remember %d of %d: %w", len(out), len(drafts), err)
			break
		}
		var some []Result
		some, err = b.write(ctx, chunk)
		if out = append(out, some...); err != nil {
			break
		}
	}
	out = append(out, make([]Result, len(drafts)-len(out))...)
	// Record what was written even if a later chunk failed.
	ctx = context.WithoutCancel(ctx)
	if err := w.state.KeepAll(ctx, w.place.WorktreeID, b.written); err != nil {
		w.log.Warn("note memories in state.db", "err", err)
	}
	for _, m := range b.written {
		w.announce(m)
	}
	if _, serr := file.SweepWritten(w.place.MemoriesDir(), w.now().Add(-staleTempAge)); serr != nil {
		w.log.Warn("sweep what killed processes left", "err", serr)
	}
	w.foundClean.Store(&b.clean)
	_, rerr := w.Refresh(ctx)
	w.foundClean.Store(nil)
	return out, errors.Join(err, rerr)
}

type batch struct {
	w        *Workspace
	by       *writer
	imported map[string]bool
	known    map[string]bool         // dedupe keys of the memories that were there
	texts    map[string]*file.Memory // by dedupe key, what is new
	written  []*file.Memory
	clean    sync.Map // text keys of what was written, unless a person had to vouch for it
}

func (w *Workspace) batch(ctx context.Context) (*batch, error) {
	imported, err := w.rows.ImportKeys(ctx)
	if err != nil {
		return nil, err
	}
	known, err := w.rows.DedupeKeys(ctx)
	if err != nil {
		return nil, err
	}
	return &batch{w: w, by: w.writer(), imported: imported, known: known, texts: map[string]*file.Memory{}}, nil
}

// batchEntry is a draft in progress.
type batchEntry struct {
	m      *file.Memory // nil: the result is final
	err    error        // of the gate
	orders []gate.Finding
	result Result
}

// write writes one chunk of drafts. It judges them in parallel.
func (b *batch) write(ctx context.Context, drafts []Draft) ([]Result, error) {
	entries := make([]batchEntry, len(drafts))
	for i, d := range drafts {
		var err error
		if entries[i], err = b.build(ctx, d); err != nil {
			return nil, err
		}
	}
	b.judge(entries)
	var pending []*file.Memory
	for i := range entries {
		e := &entries[i]
		if e.m == nil {
			continue
		}
		if err := b.admit(ctx, e, drafts[i]); err != nil {
			return nil, err
		}
		if e.m != nil {
			pending = append(pending, e.m)
		}
	}
	n, err := 0, error(nil)
	if len(pending) > 0 {
		n, err = file.WriteAll(b.w.place.MemoriesDir(), pending)
	}
	b.written = append(b.written, pending[:n]...)
	for i := range entries {
		if e := &entries[i]; e.m != nil && e.err == nil && len(e.orders) == 0 {
			b.clean.Store(e.m.TextKey(), struct{}{})
		}
	}
	if err != nil {
		return nil, writeError(err)
	}
	out := make([]Result, len(entries))
	for i, e := range entries {
		if out[i] = e.result; e.m != nil {
			out[i] = Result{Accepted: true, Memory: e.m, Path: filepath.Join(b.w.place.MemoriesDir(), filepath.FromSlash(e.m.RelPath()))}
		}
	}
	return out, nil
}

func (b *batch) build(ctx context.Context, d Draft) (e batchEntry, err error) {
	if d.Agent {
		return e, fmt.Errorf("%q is an agent's: it can't be written in a batch", d.What)
	}
	if d.Import != nil && b.imported[d.Import.Key] {
		e.result = Result{Accepted: true, Deduped: true, Code: "duplicate", Reason: "it was imported before"}
		return e, nil
	}
	d.by = b.by
	if e.m, err = b.w.build(ctx, d); err != nil {
		e.m = nil
		e.result, err = rejected(err)
	}
	return e, err
}

// judge passes each memory through the gate, on all processors.
func (b *batch) judge(entries []batchEntry) {
	workers := min(runtime.GOMAXPROCS(0), len(entries))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(entries); i += workers {
				if e := &entries[i]; e.m != nil {
					if e.err = b.w.gate.Check(e.m); e.err == nil { // first: it normalizes what is compared
						e.orders = gate.Orders(e.m)
					}
				}
			}
		})
	}
	wg.Wait()
}

// admit decides about a judged memory. A memory that must not be written gets a result and becomes
// nil.
func (b *batch) admit(ctx context.Context, e *batchEntry, d Draft) error {
	m := e.m
	if d.Import != nil && b.imported[d.Import.Key] { // an earlier chunk of this batch
		e.m, e.result = nil, Result{Accepted: true, Deduped: true, Code: "duplicate", Reason: "it was imported before"}
		return nil
	}
	err := e.err
	if err == nil {
		err = checkJunk(m, nil, d.Insist)
	}
	if err == nil {
		err = b.w.checkWordingWith(ctx, m, nil, d.Insist, func() []gate.Finding { return e.orders })
	}
	if err != nil {
		e.m = nil
		e.result, err = rejected(err)
		return err
	}
	key := m.DedupeKey()
	same := b.texts[key]
	if same == nil && b.known[key] {
		row, ok, err := b.w.rows.ByDedupeKey(ctx, key)
		if err != nil {
			return err
		}
		if ok {
			if same, err = row.Memory(); err != nil {
				return err
			}
		}
	}
	if same != nil {
		e.m, e.result = nil, Result{Accepted: true, Memory: same, Deduped: true, MergedInto: same.UUID, Code: "duplicate", Reason: "the same is already remembered"}
		return nil
	}
	if len(b.known) > 0 { // of what the same batch says only the same words are merged
		r, done, err := b.w.again(ctx, m, d.Again)
		if err != nil {
			return err
		}
		if done {
			e.m, e.result = nil, r
			return nil
		}
	}
	if err := b.w.checkTarget(m, ""); err != nil {
		return err
	}
	b.w.noteAuthoredWith(ctx, m, e.orders)
	b.texts[key] = m
	if d.Import != nil {
		b.imported[d.Import.Key] = true
	}
	return nil
}
