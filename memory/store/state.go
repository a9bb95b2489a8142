package store

import (
	"context"
	"path/filepath"
	"time"
)

// State is state.db of one repository, this machine's own data. What is in its tables is read and written by the types that its
// methods return, such as [Drafts]. The file is opened for each use, so that no process holds it for long, unless a short
// command keeps it open (see [State.Hold]).
type State struct {
	db   *stateFile
	root string // of the workspace, below the repository's top
	now  func() time.Time
}

// OpenState returns the state of a repository. The file is created on first write. root is the
// workspace's path below the repository's top: worktrees share drafts and tombstones, but the
// workspaces within one repository don't.
func OpenState(dir, root string, now func() time.Time) *State {
	return &State{db: newStateFile(filepath.Join(dir, "state.db"), now), root: root, now: now}
}

// Path is the file of the database.
func (s *State) Path() string { return s.db.path }

// Check verifies the whole database.
func (s *State) Check(ctx context.Context) error { return s.db.check(ctx) }

// Backup copies the database beside itself and drops the oldest copies.
func (s *State) Backup(ctx context.Context) error { return s.db.backup(ctx) }

// Damaged lists the databases that were set aside, for doctor.
func (s *State) Damaged() []SetAside { return s.db.damaged() }

// Hold keeps the database open from its first use until release, for a command that uses it several
// times and ends soon. While it is held, no other process can set a damaged database aside, so a
// server or a command that waits for a person must not hold it. Commits are synced as before.
func (s *State) Hold() (release func() error) { return s.db.hold() }
