package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/store"
)

// refresher brings the database and the view to what the memory files say. It is safe for concurrent use.
type refresher struct {
	place      *workspace.Workspace
	rows       *store.Memories
	views      *Views
	wording    *wording
	quarantine *Quarantine
	merges     *Merges
	mirror     *mirror
	uses       *Uses
	now        func() time.Time
	log        *slog.Logger

	late      *lateSync
	refreshed atomic.Int64 // last look at the files, in Unix nanoseconds
}

// sync is [Workspace.Sync].
func (r *refresher) sync(ctx context.Context) (changed bool, err error) {
	report, err := r.refresh(ctx, r.rows.Sync)
	if err != nil {
		return false, err
	}
	return r.views.load(ctx, report)
}

// syncWithin is [Workspace.SyncWithin].
func (r *refresher) syncWithin(ctx context.Context, age time.Duration) (changed bool, err error) {
	if r.views.unchanged(r.now(), r.rows.FolderTimes(), age) {
		r.views.behind.Store(false)
		return false, nil
	}
	if !r.views.Loaded() {
		return r.look(ctx)
	}
	changed, inTime, err := r.late.do(ctx, r.rows.ReadsMany, r.look)
	r.views.behind.Store(!inTime)
	return changed, err
}

// look is sync, and notes when it was.
func (r *refresher) look(ctx context.Context) (changed bool, err error) {
	now, folders := r.now(), r.rows.FolderTimes()
	if changed, err = r.sync(ctx); err != nil {
		return changed, err
	}
	r.views.noteLook(now, folders)
	return changed, nil
}

// refreshWithin is [Workspace.RefreshWithin].
func (r *refresher) refreshWithin(ctx context.Context, age time.Duration) error {
	if since := r.now().Sub(time.Unix(0, r.refreshed.Load())); since >= 0 && since < age {
		return nil
	}
	_, err := r.refresh(ctx, r.rows.Sync)
	return err
}

// refresh updates the database by look, and then what depends on it.
func (r *refresher) refresh(ctx context.Context, look func(context.Context) (store.Report, error)) (store.Report, error) {
	now := r.now()
	r.wording.forgetVouched()
	if err := r.merges.markDeletions(ctx); err != nil && ctx.Err() == nil {
		r.log.Warn("look for memories that a merge deletes", "err", err)
	}
	report, err := look(ctx)
	if err == nil {
		var ferr error
		if report, ferr = r.quarantine.rejudgeVouched(ctx, report); ferr != nil {
			r.log.Warn("look for what was released", "err", ferr)
		}
	}
	if err != nil {
		return report, fmt.Errorf("read the memories of %s: %w", r.place.Root, err)
	}
	r.refreshed.Store(now.UnixNano())
	if report.Whole {
		if _, err := file.Sweep(r.place.MemoriesDir(), now.Add(-staleTempAge)); err != nil {
			r.log.Warn("sweep what killed processes left", "err", err)
		}
		if err := errors.Join(r.mirror.keepPersonal(ctx), r.mirror.keepVanished(ctx)); err != nil && ctx.Err() == nil {
			r.log.Warn("keep copies of what git does not have", "err", err)
		}
	}
	if r.rows.TakeRebuilt() || report.Whole && report.Added > 0 {
		if err := r.uses.Note(ctx, nil); err != nil {
			r.log.Warn("read how memories were used", "err", err)
		}
	}
	return report, nil
}
