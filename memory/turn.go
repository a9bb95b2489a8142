package memory

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"manicule/indexer/lockfile"
	"manicule/indexer/workspace"
)

// turnTimeout is how long a sync waits for the one before it: one of a large repository takes seconds.
const turnTimeout = 30 * time.Second

// SyncTurn waits for the turn of a sync that nobody waits for, such as those that git's hooks begin: one is at work, and one waits.
// ok is false if another waits already, which will see all that this one would. A script of a hundred commits
// would otherwise have a hundred of them at work.
func SyncTurn(ctx context.Context, place *workspace.Workspace) (done func(), ok bool) {
	dir := place.CacheDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return func() {}, true // nothing to lock, as for [LockEdits]
	}
	next := lockfile.New(filepath.Join(dir, "sync.next.lock"))
	if ok, err := next.TryLock(); err != nil || !ok {
		return func() {}, err != nil
	}
	defer func() { _ = next.Unlock() }() // closing the descriptor releases the lock
	turn := lockfile.New(filepath.Join(dir, "sync.lock"))
	ctx, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	if _, err := turn.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return func() {}, true // one that hangs keeps nobody from working
	}
	return func() { _ = turn.Unlock() }, true
}
