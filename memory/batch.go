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
	"manicule/memory/store"
)

// batchSize is how many files are written and synced together.
const batchSize = 256

// RememberAll writes many memories of a person, as an import does. Each memory passes the same gate
// as in Remember, and becomes a draft if a program's text may be junk, which nobody has read one by one; the databases are written once. Results have the order of the drafts. A chunk
// with a known import key, or a text that is already remembered, is reported as a duplicate. When
// RememberAll returns no error, all accepted memories survive a power loss.
func (w *Workspace) RememberAll(ctx context.Context, drafts []Draft) ([]Result, error) {
	if _, err := w.Refresh(ctx); err != nil {
		return nil, err
	}
	b, err := newBatch(ctx, w)
	if err != nil {
		return nil, err
	}
	out := make([]Result, 0, len(drafts))
	var before *storing // the chunk before, whose files are written while the next one is judged
	for chunk := range slices.Chunk(drafts, batchSize) {
		var entries []batchEntry
		if err = ctx.Err(); err != nil {
			err = fmt.Errorf("remember %d of %d: %w", len(out)+before.len(), len(drafts), err)
		} else {
			entries, err = b.prepare(ctx, chunk)
		}
		some, serr := b.finish(before)
		before = nil
		if out, err = append(out, some...), errors.Join(serr, err); err != nil {
			break
		}
		before = b.store(entries)
	}
	some, serr := b.finish(before)
	out, err = append(out, some...), errors.Join(err, serr)
	out = append(out, make([]Result, len(drafts)-len(out))...)
	// Record what was written even if a later chunk failed.
	ended := ctx.Err() != nil
	ctx = context.WithoutCancel(ctx)
	var kept sync.WaitGroup
	kept.Go(func() {
		if err := w.state.Versions().PutAll(ctx, w.place.WorktreeID, b.written); err != nil {
			w.log.Warn("note memories in state.db", "err", err)
		}
	})
	if _, serr := file.SweepWritten(w.place.MemoriesDir(), w.now().Add(-staleTempAge)); serr != nil {
		w.log.Warn("sweep what killed processes left", "err", serr)
	}
	var rerr error
	if !ended { // else a person waits for the end, and the next command reads the files
		w.wording.clean.Store(&b.clean)
		_, rerr = w.Refresh(ctx)
		w.wording.clean.Store(nil)
	}
	kept.Wait()
	w.stopped.Wrote(b.written...)
	for _, m := range b.written {
		w.writer.journal(m)
	}
	return out, errors.Join(err, rerr)
}

type batch struct {
	w        *Workspace
	by       *author
	imported map[string]bool
	known    map[string]bool         // dedupe keys of the memories that were there
	texts    map[string]*file.Memory // by dedupe key, what is new
	written  []*file.Memory
	clean    sync.Map // text keys of what was written, unless a person had to vouch for it
}

func newBatch(ctx context.Context, w *Workspace) (*batch, error) {
	imported, err := w.rows.ImportKeys(ctx)
	if err != nil {
		return nil, err
	}
	known, err := w.rows.DedupeKeys(ctx)
	if err != nil {
		return nil, err
	}
	return &batch{w: w, by: w.maker.author(), imported: imported, known: known, texts: map[string]*file.Memory{}}, nil
}

// batchEntry is a draft in progress.
type batchEntry struct {
	m      *file.Memory // nil: the result is final
	err    error        // of the gate
	orders []gate.Finding
	doubt  *gate.Rejection // what it may be instead of a memory
	draft  *store.DraftRow // what is stored for a person instead, because of the doubt
	result Result
}

// prepare decides about one chunk of drafts. It judges them in parallel.
func (b *batch) prepare(ctx context.Context, drafts []Draft) ([]batchEntry, error) {
	entries := make([]batchEntry, len(drafts))
	for i, d := range drafts {
		var err error
		if entries[i], err = b.build(ctx, d); err != nil {
			return nil, err
		}
	}
	b.judge(entries, drafts)
	for i := range entries {
		if entries[i].m == nil {
			continue
		}
		if err := b.admit(ctx, &entries[i], drafts[i]); err != nil {
			return nil, err
		}
	}
	if err := b.hold(ctx, entries); err != nil {
		return nil, err
	}
	return entries, nil
}

// hold stores the drafts of a chunk, which are synced once.
func (b *batch) hold(ctx context.Context, entries []batchEntry) error {
	var rows []store.DraftRow
	var of []*batchEntry
	for i := range entries {
		if e := &entries[i]; e.draft != nil {
			rows, of = append(rows, *e.draft), append(of, e)
		}
	}
	stored, err := b.w.state.Drafts().PutAll(ctx, rows)
	if err != nil {
		return err
	}
	for i, e := range of {
		e.result = heldBack(e.draft.Memory, e.doubt, stored[i])
	}
	return nil
}

// storing is a chunk whose files are being written.
type storing struct {
	entries []batchEntry
	pending []*file.Memory // what of it is new
	done    chan struct{}  // closed when the fields below are set
	written int            // of pending, from the first on
	err     error
}

func (s *storing) len() int {
	if s == nil {
		return 0
	}
	return len(s.entries)
}

// store starts to write the files of a prepared chunk.
func (b *batch) store(entries []batchEntry) *storing {
	s := &storing{entries: entries, done: make(chan struct{})}
	for _, e := range entries {
		if e.m != nil {
			s.pending = append(s.pending, e.m)
		}
	}
	go func() {
		defer close(s.done)
		if len(s.pending) > 0 {
			s.written, s.err = file.WriteAll(b.w.place.MemoriesDir(), s.pending)
		}
	}()
	return s
}

// finish waits until a chunk is written, and returns the results of all its drafts, or none with an
// error.
func (b *batch) finish(s *storing) ([]Result, error) {
	if s == nil {
		return nil, nil
	}
	<-s.done
	b.written = append(b.written, s.pending[:s.written]...)
	if s.err != nil {
		return nil, writeError(s.err)
	}
	out := make([]Result, len(s.entries))
	for i, e := range s.entries {
		if out[i] = e.result; e.m == nil {
			continue
		}
		out[i] = Result{Accepted: true, Memory: e.m, Path: filepath.Join(b.w.place.MemoriesDir(), filepath.FromSlash(e.m.RelPath()))}
		if e.err == nil && len(e.orders) == 0 {
			b.clean.Store(file.JudgedKey(e.m), struct{}{})
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
	if e.m, err = b.w.maker.NewMemory(ctx, d); err != nil {
		e.m = nil
		e.result, err = Refusal(err)
	}
	return e, err
}

// judge passes each memory through the gate, on all processors.
func (b *batch) judge(entries []batchEntry, drafts []Draft) {
	workers := min(runtime.GOMAXPROCS(0), len(entries))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(entries); i += workers {
				if e := &entries[i]; e.m != nil {
					if e.err = b.w.gate.Check(e.m); e.err == nil { // first: it normalizes what is compared
						e.orders = gate.Orders(e.m)
						e.doubt, e.err = b.w.checks.weigh(e.m, drafts[i].Insist)
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
		err = b.w.wording.checkWith(ctx, m, nil, d.Insist, func() []gate.Finding { return e.orders })
	}
	if err != nil {
		e.m = nil
		e.result, err = Refusal(err)
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
		r, done, err := b.w.saver.again(ctx, m, d.Again)
		if err != nil {
			return err
		}
		if done {
			e.m, e.result = nil, r
			return nil
		}
	}
	if e.doubt != nil {
		e.m, e.draft = nil, draftOf(m, d)
		return nil
	}
	if err := b.w.writer.checkTarget(m, ""); err != nil {
		return err
	}
	b.w.wording.noteAuthoredWith(ctx, m, e.orders)
	b.texts[key] = m
	if d.Import != nil {
		b.imported[d.Import.Key] = true
	}
	return nil
}
