package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"manicule/indexer/sorting"
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

// qBranchFiles looks at few sessions, as qLastWork does. Those that followed untrusted text are left out.
const qBranchFiles = `SELECT json_extract(CAST(report AS TEXT), '$.files') FROM
		(SELECT ended_ms, session, report FROM observer_sessions WHERE root = ?1 AND session <> ?2 AND ended_ms >= ?3 AND tainted = 0 AND report IS NOT NULL ORDER BY ended_ms DESC LIMIT 12)
	WHERE json_extract(CAST(report AS TEXT), '$.work.branch') = ?4 AND json_array_length(CAST(report AS TEXT), '$.files') > 0 ORDER BY ended_ms DESC, session DESC LIMIT 2`

// BranchFiles returns the files that the last two other sessions on a branch both changed since a time, those with the most changes
// first. Sessions that touched no file don't count.
func (o *ObserverReader) BranchFiles(ctx context.Context, session, branch string, since time.Time) ([]string, error) {
	if o.db == nil || branch == "" {
		return nil, nil
	}
	edits, in, sessions := map[string]int{}, map[string]int{}, 0
	err := scan(ctx, o.db, qBranchFiles, []any{o.root, session, since.UnixMilli(), branch}, func(rows *sql.Rows) error {
		var text string
		var files []ObservedFile
		if err := rows.Scan(&text); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), &files); err != nil {
			return fmt.Errorf("decode the files of a session: %w", err)
		}
		sessions++
		for _, f := range files {
			if f.Edits > 0 {
				in[f.Path]++
				edits[f.Path] += f.Edits
			}
		}
		return nil
	})
	if err != nil || sessions < 2 {
		return nil, err
	}
	var out []string
	for f, n := range in {
		if n == sessions {
			out = append(out, f)
		}
	}
	sorting.Func(out, func(a, b string) int { return cmp.Or(cmp.Compare(edits[b], edits[a]), cmp.Compare(a, b)) })
	return out, nil
}
