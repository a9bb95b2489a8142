package store

import (
	"context"
	"database/sql"
)

// qShownDays reads the showings by day.
const qShownDays = `SELECT uuid, date(at_ms / 1000, 'unixepoch') AS day, agent, verdict, count(*), sum(tokens) FROM shown
		WHERE root = ?1 GROUP BY uuid, day, agent, verdict
		UNION ALL SELECT uuid, '', agent, verdict, sum(count), sum(tokens) FROM shown_sums WHERE root = ?1 GROUP BY uuid, agent, verdict`

// ShownDay is how often a memory was shown on a day with one outcome.
type ShownDay struct {
	UUID    string
	Day     string // YYYY-MM-DD in UTC; "" for what is so old that only its sum is kept
	Agent   string // the program, as its events name it; "" for a person
	Verdict string
	Count   int
	Tokens  int
}

// Days returns the showings of all memories by day.
func (s Shown) Days(ctx context.Context) ([]ShownDay, error) {
	return list(ctx, s.state, qShownDays, []any{s.state.root}, func(rows *sql.Rows, d *ShownDay) error {
		return rows.Scan(&d.UUID, &d.Day, &d.Agent, &d.Verdict, &d.Count, &d.Tokens)
	})
}
