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

	"manicule/indexer/treefile"
)

// A stat of each memory file takes one to two microseconds, for ten thousand files as long as a
// search. The folders alone show files that were added, removed or replaced by a rename, as git,
// this program and most editors write. Only the file shows an edit in place. Each full scan
// therefore leaves a note, and for some time a command that only reads checks just the folders. It
// reads what it shows from the files.

// How long a full scan is trusted: not at all for up to fewFiles files, beyond that a millisecond
// for each file, so that scans take a few thousandths of the time, and at most maxTrust.
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

// fullScan is the note of a full scan: the state of the database and the modification times of the
// folders just before it.
type fullScan struct {
	Database string           `json:"database"`
	Key      string           `json:"key"`
	AtMS     int64            `json:"at_ms"`
	Folders  map[string]int64 `json:"folders"`
}

func (s *Memories) fullScanFile() string {
	return filepath.Join(s.cacheDir, "memories.v"+strconv.Itoa(memoriesSchema)+".looked")
}

// lastFullScan reads the note of the last full scan, empty if there is none. s.mu is held.
func (s *Memories) lastFullScan() fullScan {
	var w fullScan
	if s.cacheDir == "" {
		return w
	}
	data, err := treefile.ReadMade(s.fullScanFile())
	if err != nil || json.Unmarshal(data, &w) != nil {
		return fullScan{}
	}
	return w
}

// writeFullScan writes the note. Readers ignore a torn one. If it can't be written, the next
// command scans again.
func (s *Memories) writeFullScan(w fullScan) {
	if s.cacheDir == "" {
		return
	}
	if data, err := json.Marshal(w); err == nil {
		_ = os.WriteFile(s.fullScanFile(), data, 0o600)
	}
}

// noteFullScan records a full scan that left the database current, unless a folder has just
// changed: a second change may have the same time.
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

// SyncIfStale is [Memories.Sync] for callers that only read. It checks only the folders if all
// files were checked recently (at most a minute ago) and no folder has changed since.
func (s *Memories) SyncIfStale(ctx context.Context) (Report, error) {
	if key, ok := s.unchangedSinceScan(ctx); ok {
		return Report{Key: key}, nil
	}
	return s.Sync(ctx)
}

// unchangedSinceScan returns the key of the last full scan's state, if it can still be trusted.
func (s *Memories) unchangedSinceScan(ctx context.Context) (key string, ok bool) {
	if s.hooksOutdated() {
		return "", false
	}
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
		same = err == nil && was == w.Key && filepath.Base(db.Path()) == w.Database
		if same {
			judged, err = verdicts(ctx, db)
		}
		return err
	})
	return w.Key + "+" + judged, err == nil && same
}

// carryFullScan keeps the last full scan valid after one file's change was recorded. before and
// after are the times of the file's folder. s.mu is held.
func (s *Memories) carryFullScan(was, is, folder string, before, after int64) {
	w := s.lastFullScan()
	if is == "" || w.Key != was || w.Database != s.current.File || w.Folders[folder] != before || before == 0 {
		return
	}
	w.Key, w.Folders[folder] = is, after
	s.writeFullScan(w)
}
