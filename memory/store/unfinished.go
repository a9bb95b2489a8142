package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// qLastWork looks at few sessions, because hooks ask for it and reports can be large.
const qLastWork = `SELECT ended_ms, session, coalesce(json_extract(CAST(report AS TEXT), '$.work'), '') FROM
		(SELECT ended_ms, session, report FROM observer_sessions WHERE root = ?1 AND session <> ?2 AND ended_ms >= ?3 AND report IS NOT NULL ORDER BY ended_ms DESC LIMIT 5)
	WHERE json_extract(CAST(report AS TEXT), '$.work.branch') = ?4 ORDER BY ended_ms DESC LIMIT 1`

// ObservedWork is what a session left unfinished, in its agent's words.
type ObservedWork struct {
	Branch string           `json:"branch,omitempty"` // on which it ended
	Task   string           `json:"task,omitempty"`   // what it was for, unless it ended well
	Cut    bool             `json:"cut,omitempty"`    // it ended in the middle of its work
	Fails  []ObservedBroken `json:"fails,omitempty"`  // checks that fail at its end
	Open   []string         `json:"open,omitempty"`   // items of its last list
	Said   string           `json:"said,omitempty"`   // of its last message
	// Session is the session that left it, set by LastWork.
	Session string `json:"-"`
}

// ObservedBroken is a check that fails at the end of a session.
type ObservedBroken struct {
	Command string `json:"command"`
	Line    string `json:"line,omitempty"` // of its error
}

// LastWork returns what the newest other session on a branch left unfinished, and when it ended.
// ok is false if there is no such session since a time.
func (o *ObserverReader) LastWork(ctx context.Context, session, branch string, since time.Time) (w ObservedWork, ended time.Time, ok bool, err error) {
	if o.db == nil || branch == "" {
		return w, ended, false, nil
	}
	err = scan(ctx, o.db, qLastWork, []any{o.root, session, since.UnixMilli(), branch}, func(rows *sql.Rows) error {
		var ms int64
		var text, of string
		if err := rows.Scan(&ms, &of, &text); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), &w); err != nil {
			return fmt.Errorf("decode the work of a session: %w", err)
		}
		w.Session = of
		ended, ok = time.UnixMilli(ms), true
		return nil
	})
	return w, ended, ok, err
}
