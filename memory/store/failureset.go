package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
)

// The failures.known file tells hooks for which calls state.db has failures at all: to open it takes
// a third of what a hook does about a call, and hardly any call has failed before. It holds
// a hash for each call. Hashes are added before the transaction that needs them commits and stay when
// a failure is forgotten, so a call without one has none.
const (
	failureSetName  = "failures.known"
	failureSetMagic = "MNFAIL02"
	// maxFailureSet is the size in bytes at which the file is written anew without what was forgotten.
	maxFailureSet = 256 << 10
)

const qFailureKeys = `SELECT DISTINCT root, tool, subject FROM observer_errors WHERE sessions > 0
	UNION SELECT DISTINCT root, tool, char(0) || fingerprint FROM observer_errors WHERE sessions > 0 AND generic = 0`

// PrintSubject is the subject of [MayHaveFailed] for a call that failed with the error of a fingerprint.
func PrintSubject(fingerprint string) string { return "\x00" + fingerprint }

func failureHash(root, tool, subject string) []byte {
	h := fnv.New64a()
	for _, s := range []string{root, tool, subject} {
		_, _ = h.Write([]byte(s)) // it never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum(nil)
}

// MayHaveFailed reports whether the state in a folder may know failures of a call. It is true unless
// that is sure.
func MayHaveFailed(dir, root, tool string, subjects []string) bool {
	data, err := treefile.ReadMade(filepath.Join(dir, failureSetName))
	if errors.Is(err, fs.ErrNotExist) {
		_, err := os.Stat(filepath.Join(dir, "state.db"))
		return !errors.Is(err, fs.ErrNotExist)
	}
	set, ok := failureSet(data)
	if err != nil || !ok {
		return true
	}
	for _, s := range subjects {
		if set.has(failureHash(root, tool, s)) {
			return true
		}
	}
	return false
}

// hashes are the hashes of a file, 8 bytes each.
type hashes []byte

// failureSet decodes the file. ok is false for one that a crash cut off.
func failureSet(data []byte) (set hashes, ok bool) {
	rest, ok := bytes.CutPrefix(data, []byte(failureSetMagic))
	return rest, ok && len(rest)%8 == 0
}

func (s hashes) has(hash []byte) bool {
	want := binary.LittleEndian.Uint64(hash)
	for i := 0; i+8 <= len(s); i += 8 {
		if binary.LittleEndian.Uint64(s[i:]) == want {
			return true
		}
	}
	return false
}

// failureFile is the path of failures.known.
type failureFile string

// expect adds the calls to the file, in the transaction that stores their failures.
func (f failureFile) expect(ctx context.Context, tx *sql.Tx, root string, failures []ObservedError) error {
	if len(failures) == 0 {
		return nil
	}
	name := string(f)
	data, err := treefile.ReadMade(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the known failures: %w", err)
	}
	set, ok := failureSet(data)
	anew := !ok || len(data) > maxFailureSet
	if anew {
		if set, err = failureHashes(ctx, tx); err != nil {
			return err
		}
	}
	var fresh hashes
	for _, x := range failures {
		subjects := []string{x.Subject}
		if !x.Generic {
			subjects = append(subjects, PrintSubject(x.Fingerprint))
		}
		for _, subject := range subjects {
			if h := failureHash(root, x.Tool, subject); !set.has(h) && !fresh.has(h) {
				fresh = append(fresh, h...)
			}
		}
	}
	if anew {
		return writeFailureSet(name, append(set, fresh...))
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := appendDurably(name, fresh); err != nil && os.Remove(name) != nil { // without the file hooks ask the database
		return fmt.Errorf("note the known failures: %w", err)
	}
	return nil
}

// keep writes the file if it is missing, at the end of a transaction. Without it hooks ask
// the database, so a fault does not matter.
func (f failureFile) keep(ctx context.Context, tx *sql.Tx) {
	name := string(f)
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if set, err := failureHashes(ctx, tx); err == nil {
		_ = writeFailureSet(name, set)
	}
}

func writeFailureSet(name string, set hashes) error {
	if err := atomicfile.Write(name, append([]byte(failureSetMagic), set...), 0o600); err != nil {
		return fmt.Errorf("note the known failures: %w", err)
	}
	return nil
}

func failureHashes(ctx context.Context, tx *sql.Tx) (set hashes, err error) {
	err = scan(ctx, tx, qFailureKeys, nil, func(rows *sql.Rows) error {
		var root, tool, subject string
		err := rows.Scan(&root, &tool, &subject)
		set = append(set, failureHash(root, tool, subject)...)
		return err
	})
	return set, err
}

func appendDurably(name string, data []byte) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}
