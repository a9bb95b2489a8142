// Package conversation reads the databases in which some agents keep their conversations, and logs
// what hooks don't report of them. They belong to other programs, which write them meanwhile: a
// database is opened for reading alone, and one that is missing is no error. The package must not
// know any agent's schema, or memories.
package conversation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/logrecord"
	"manicule/indexer/sqlfile"
)

// busy is how long a read waits for the agent.
const busy = 20 * time.Millisecond

// Session is one session of an agent in a folder.
type Session struct {
	ID, Folder string
	Database   spec.Database
}

// known is how long a message is known to be logged, far longer than logs are kept.
const known = 365 * 24 * time.Hour

// Log logs what the latest messages of a session show and what is not logged yet. It hands each event
// to prepare before.
func Log(ctx context.Context, s Session, stateDir string, dedupe *eventlog.Dedupe, now time.Time, prepare func(*event.Event)) error {
	list, err := read(ctx, s)
	if err != nil {
		return err
	}
	for _, h := range list {
		first, err := dedupe.First(now, "message\x00"+h.ID, known)
		if err != nil {
			return fmt.Errorf("note a message: %w", err)
		}
		if !first {
			continue
		}
		h.Session, h.CWD = s.ID, s.Folder
		prepare(&h.Event)
		if err := eventlog.Append(stateDir, logrecord.Of(h.Event, h.Time)); err != nil {
			return fmt.Errorf("log a message: %w", err)
		}
	}
	return nil
}

// read returns what the latest messages of a session show, oldest first; nothing for an agent without
// a database.
func read(ctx context.Context, s Session) (_ []event.Happened, err error) {
	path := find(s.Folder, s.Database.File)
	if path == "" || s.ID == "" {
		return nil, nil
	}
	f, err := sqlfile.Open(ctx, sqlfile.Options{Path: path, ReadOnly: true, Busy: busy})
	if err != nil {
		return nil, fmt.Errorf("read a conversation: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	rows, err := f.QueryContext(ctx, s.Database.Messages, s.ID)
	if err != nil {
		return nil, fmt.Errorf("read a conversation in %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var list []spec.Message
	for rows.Next() {
		var m spec.Message
		if err := rows.Scan(&m.ID, &m.Role, &m.Parts, &m.Summary, &m.Seconds); err != nil {
			return nil, fmt.Errorf("read a message in %s: %w", path, err)
		}
		list = append(list, m)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read a conversation in %s: %w", path, err)
	}
	return s.Database.Events(list), nil
}

// find returns the nearest file of a name in a folder or above it, or "".
func find(folder, name string) string {
	if name == "" || !filepath.IsAbs(folder) {
		return ""
	}
	for dir := filepath.Clean(folder); ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
			return path
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
