package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/sqlfile"
	"manicule/indexer/treefile"
)

const (
	// backupsKept is how many backups of state.db are kept.
	backupsKept = 3
	// earlierKept is how long the last one of an earlier schema is kept beside them. The daily ones would push it out within
	// days, and nobody could go back to the earlier program.
	earlierKept = 30 * 24 * time.Hour
)

// backups are the copies of state.db beside it. They know nothing of locks: who adds or restores one holds them.
type backups struct {
	of  string // the file of the database
	now func() time.Time
}

// backups lists the backups, oldest first. Those that are dated days ahead come before all others: the clock was wrong
// when they were made, and nobody knows when that was.
func (b backups) list() []string {
	list := treefile.Glob(filepath.Dir(b.of), filepath.Base(b.of)+".backup-*")
	ahead := b.of + ".backup-" + b.now().UTC().AddDate(0, 0, 2).Format(backupDay)
	from := len(list)
	for from > 0 && list[from-1] >= ahead {
		from--
	}
	return slices.Concat(list[from:], list[:from])
}

// today reports whether there is a backup of today. Those with a later date don't count: they come from a wrong clock.
func (b backups) today() bool {
	today := b.of + ".backup-" + b.now().UTC().Format(backupDay)
	return slices.ContainsFunc(b.list(), func(name string) bool { return strings.HasPrefix(name, today) })
}

// add copies the database that db is open on, and drops the oldest copies. schema is the one that it has.
func (b backups) add(ctx context.Context, db *sqlfile.DB, schema int) error {
	name := fmt.Sprintf("%s.backup-%s-v%d", b.of, b.now().UTC().Format("20060102T150405.000"), schema)
	if err := errors.Join(sqlfile.Sweep(filepath.Dir(b.of), b.now().Add(-time.Hour)), db.Backup(ctx, name)); err != nil {
		return err
	}
	// The new one stays, also where a clock that is behind makes it the oldest.
	list := slices.DeleteFunc(b.list(), func(old string) bool { return old == name })
	earlier := b.beforeUpdate(list, schema)
	list = slices.DeleteFunc(list, func(old string) bool { return old == earlier })
	for _, old := range list[:max(0, len(list)-backupsKept+1)] {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("drop an old backup: %w", err)
		}
	}
	return nil
}

// beforeUpdate is the backup of a list that an earlier program can use, or "": the last one of an earlier schema, unless it is old.
func (b backups) beforeUpdate(list []string, schema int) string {
	for _, name := range slices.Backward(list) {
		if v := backupSchema(name); v == 0 || v >= schema {
			continue
		}
		day, _, _ := strings.Cut(strings.TrimPrefix(name, b.of+".backup-"), "T")
		if at, err := time.Parse(backupDay, day); err != nil || b.now().Sub(at) > earlierKept {
			return ""
		}
		return name
	}
	return ""
}

// restore puts a sound backup in the place of the database. It is a single file without writers.
func (b backups) restore(ctx context.Context, backup string) error {
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: backup, ReadOnly: true, Immutable: true, Busy: busyTimeout})
	if err != nil {
		return err
	}
	have, err := db.Version(ctx)
	if err := errors.Join(err, db.Check(ctx), db.Close()); err != nil {
		return err
	}
	if known, err := fs.Glob(migrations(stateSQL, "state"), "*.sql"); err != nil || have > len(known) {
		return errors.Join(err, fmt.Errorf("%s has schema %d: %w", backup, have, sqlfile.ErrNewer)) // none could use it
	}
	data, err := treefile.Read(backup, math.MaxInt64)
	if err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	if err := atomicfile.Write(b.of, data, 0o600); err != nil {
		return fmt.Errorf("restore backup: %w", err)
	}
	return nil
}

// backupDay is how the name of a backup begins to say when it was made.
const backupDay = "20060102"

// backupSchema is the schema that the name of a backup says, or 0.
func backupSchema(name string) int {
	v, _ := strconv.Atoi(name[strings.LastIndexByte(name, 'v')+1:]) // 0 where it says none
	return v
}
