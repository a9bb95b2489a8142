package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// To look at each memory file takes one to two microseconds: for ten thousand as
// long as a search. A look at their folders tells what came, went, or was written
// by a rename, as git, this program and most editors write. What was written in
// place is told by the file alone. So each whole look leaves a note, and for some
// time a command that only reads is content with the folders. Whatever it shows it
// reads from the files.

// The trust in a whole look: up to fewFiles none, beyond a millisecond for each
// file, so that the looks stay a few thousandths of the time, and never longer than
// maxTrust.
const (
	fewFiles = 2000
	perFile  = time.Millisecond
	maxTrust = time.Minute
)

func trustFor(files int) time.Duration {
	if files <= fewFiles {
		return 0
	}
	return min(time.Duration(files)*perFile, maxTrust)
}

// fullScan is the note of a look at each file: in which state the database was
// right then, and when each folder had last changed.
type fullScan struct {
	Database string           `json:"database"`
	Key      string           `json:"key"`
	AtMS     int64            `json:"at_ms"`
	Folders  map[string]int64 `json:"folders"`
}

func (s *Memories) fullScanFile() string {
	return filepath.Join(s.cacheDir, "memories.v"+strconv.Itoa(memoriesSchema)+".looked")
}

// lastFullScan is the note of the last whole look, empty where there is none. It is
// called with the lock held.
func (s *Memories) lastFullScan() fullScan {
	var w fullScan
	if s.cacheDir == "" {
		return w
	}
	data, err := os.ReadFile(s.fullScanFile())
	if err != nil || json.Unmarshal(data, &w) != nil {
		return fullScan{}
	}
	return w
}

// writeFullScan leaves the note. A torn one is none, and one that can't be written costs
// the next command a look.
func (s *Memories) writeFullScan(w fullScan) {
	if s.cacheDir == "" {
		return
	}
	if data, err := json.Marshal(w); err == nil {
		_ = os.WriteFile(s.fullScanFile(), data, 0o600)
	}
}

// noteFullScan notes a whole look that found the database right, where the folders were
// at rest: in one that has just changed a second change may have the same time.
func (s *Memories) noteFullScan(l listing, at time.Time) {
	if !l.clean || s.trust(l.count) == 0 {
		return
	}
	for _, ns := range l.folders {
		if age := at.UnixNano() - ns; age < int64(racy) && age > -int64(racy) {
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeFullScan(fullScan{s.current.File, l.key(), at.UnixMilli(), l.folders})
}

// SyncIfStale is [Memories.Sync] for who only reads: it is content with a look at the
// folders where all files were looked at not long ago (at most a minute), and no
// folder has changed since.
func (s *Memories) SyncIfStale(ctx context.Context) (Report, error) {
	if key, ok := s.unchangedSinceScan(ctx); ok {
		return Report{Key: key}, nil
	}
	return s.Sync(ctx)
}

// unchangedSinceScan is the key of the state that the last whole look found, where it can
// still be trusted.
func (s *Memories) unchangedSinceScan(ctx context.Context) (key string, ok bool) {
	s.mu.Lock()
	w := s.lastFullScan()
	s.mu.Unlock()
	count, _, _ := strings.Cut(w.Key, ":")
	files, err := strconv.Atoi(count)
	if err != nil {
		return "", false
	}
	age := s.now().Sub(time.UnixMilli(w.AtMS))
	if age < 0 || age >= s.trust(files) || !maps.Equal(s.FolderTimes(), w.Folders) {
		return "", false
	}
	judged, same := "", false
	err = s.read(ctx, func(db DB) error {
		var was string
		err := db.QueryRowContext(ctx, qDigest).Scan(&was)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		same = err == nil && was == w.Key && s.current.File == w.Database
		if same {
			judged, err = verdicts(ctx, db)
		}
		return err
	})
	return w.Key + "+" + judged, err == nil && same
}

// carryFullScan keeps the last whole look for a database in which one file's change was
// noted since. before and after are the times of the file's folder. It is called
// with the lock held.
func (s *Memories) carryFullScan(was, is, folder string, before, after int64) {
	w := s.lastFullScan()
	if is == "" || w.Key != was || w.Database != s.current.File || w.Folders[folder] != before || before == 0 {
		return
	}
	w.Key, w.Folders[folder] = is, after
	s.writeFullScan(w)
}
