package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/lockfile"
	"manicule/indexer/treefile"
)

// callsFile is the file in the state folder that counts the calls of a day.
const callsFile = "model-calls.json"

// lockRetry is the interval of attempts to take the lock.
const lockRetry = 10 * time.Millisecond

// counter counts the calls of all processes in a file.
type counter struct {
	dir   string
	now   func() time.Time
	limit int
}

// tally is the file: the calls of one day.
type tally struct {
	Day   string `json:"day"` // UTC
	Calls int    `json:"calls"`
}

// take counts one call. It wraps ErrBudget if none is left.
func (c counter) take(ctx context.Context) (err error) {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return fmt.Errorf("count the model's calls: %w", err)
	}
	lock := lockfile.New(filepath.Join(c.dir, callsFile+".lock"))
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return fmt.Errorf("count the model's calls: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	t, err := c.today()
	if err != nil {
		return err
	}
	if t.Calls >= c.limit {
		return fmt.Errorf("%w: %d of %d", ErrBudget, t.Calls, c.limit)
	}
	t.Calls++
	data, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("count the model's calls: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(c.dir, callsFile), append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("count the model's calls: %w", err)
	}
	return nil
}

// used returns the number of calls today. The file is replaced atomically, so reading needs no
// lock.
func (c counter) used(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	t, err := c.today()
	return t.Calls, err
}

// today reads the file. An unreadable file is an error, because a fault must not reset a spending
// limit.
func (c counter) today() (tally, error) {
	now := tally{Day: c.now().UTC().Format(time.DateOnly)}
	path := filepath.Join(c.dir, callsFile)
	data, err := treefile.ReadMade(path)
	if errors.Is(err, fs.ErrNotExist) {
		return now, nil
	}
	if err != nil {
		return now, fmt.Errorf("count the model's calls: %w", err)
	}
	var t tally
	if err := json.Unmarshal(data, &t); err != nil {
		return now, fmt.Errorf("count the model's calls: %s is damaged, delete it: %w", path, err)
	}
	if t.Day != now.Day {
		return now, nil
	}
	return t, nil
}
