package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"path/filepath"

	"github.com/go-json-experiment/json"
)

// Shown is what was put before one conversation of a session at one time, by
// [Digest].
type Shown struct {
	Time time.Time
	Keys []string
}

// ShownIn lists what was shown in a session and its subagents, given by the name
// of its log, oldest first. What an event was seen by, and resets, are left out.
func ShownIn(stateDir, name string) ([]Shown, error) {
	entries, err := os.ReadDir(folder(stateDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the ledgers of a session: %w", err)
	}
	var out []Shown
	for _, e := range entries {
		file := e.Name()
		if file != name+".seen" && !(strings.HasPrefix(file, name+".") && strings.HasSuffix(file, ".seen")) {
			continue // ReadLines reads what was moved aside with it
		}
		err := ReadLines(filepath.Join(folder(stateDir), file), func(line []byte) {
			var c claim
			if json.Unmarshal(line, &c) != nil || c.Reset {
				return
			}
			s := Shown{Time: time.UnixMilli(c.Time).UTC()}
			for _, k := range c.Keys {
				if !strings.HasPrefix(k, "!") {
					s.Keys = append(s.Keys, k)
				}
			}
			if len(s.Keys) > 0 {
				out = append(out, s)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out, func(a, b Shown) int { return a.Time.Compare(b.Time) })
	return out, nil
}

// LogPath is the file of a log by its name.
func LogPath(stateDir, name string) string { return filepath.Join(folder(stateDir), name+".jsonl") }
