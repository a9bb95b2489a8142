package code

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"manicule/indexer/lockfile"
)

// Several processes have code.db open: two windows of an editor, an agent's server, a command. One of them writes at a
// time, and each notices what the others wrote.

// ErrBusy says that another process updates the index and makes no progress.
var ErrBusy = errors.New("another process is reading the words of the code")

const (
	// lockRetry is the interval of looks at another process's update.
	lockRetry = 50 * time.Millisecond
	// stalled is how long another process may take for [batchFiles] files. One that was stopped never ends.
	stalled = 15 * time.Second
)

// lock takes the lock of all who update the index, which a killed process loses. It waits for another process as long
// as that gets on, and reports that progress as if it were its own.
func (u update) lock(ctx context.Context, todo difference) (unlock func(), err error) {
	if err := os.MkdirAll(u.x.dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the cache folder: %w", err)
	}
	l := lockfile.New(filepath.Join(u.x.dir, "code.lock"))
	last, since := int64(-1), time.Now()
	for {
		ok, err := l.TryLock()
		if err != nil {
			return nil, fmt.Errorf("lock code.db: %w", err)
		}
		if ok {
			return func() { _ = l.Unlock() }, nil // closing the descriptor releases the lock
		}
		n, err := u.x.readWrites(ctx)
		if err != nil {
			return nil, err
		}
		if n != last {
			last, since = n, time.Now()
			if err := u.report(ctx, todo); err != nil {
				return nil, err
			}
		} else if time.Since(since) > u.x.patience {
			return nil, ErrBusy
		}
		select {
		case <-time.After(lockRetry):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// report reports how many of the missing files another process has read.
func (u update) report(ctx context.Context, todo difference) error {
	if u.progress == nil {
		return nil
	}
	var have int
	if err := u.x.db.QueryRowContext(ctx, qCountFiles).Scan(&have); err != nil {
		return fmt.Errorf("count the files of code.db: %w", err)
	}
	u.progress(max(0, min(have-todo.have, len(todo.due))), len(todo.due))
	return nil
}

// write runs f in a transaction that others notice.
func (x *Index) write(ctx context.Context, f func(*sql.Tx) error) error {
	return x.db.Tx(ctx, func(tx *sql.Tx) error {
		if err := f(tx); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, qCountWrite); err != nil {
			return fmt.Errorf("count a write to code.db: %w", err)
		}
		return nil
	})
}

func (x *Index) readWrites(ctx context.Context) (n int64, err error) {
	if err := x.db.QueryRowContext(ctx, qWrites).Scan(&n); err != nil {
		return 0, fmt.Errorf("look who wrote to code.db: %w", err)
	}
	return n, nil
}

// Renew drops what is in memory of an earlier content: document frequencies and the vectors of functions. It returns the
// number of writes so far, with which others can do the same.
func (x *Index) Renew(ctx context.Context) (writes int64, err error) {
	n, err := x.readWrites(ctx)
	if err != nil {
		return 0, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if n != x.writes {
		x.writes, x.counts, x.near = n, nil, nil
	}
	return n, nil
}
