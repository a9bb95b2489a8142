package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"path/filepath"

	"github.com/go-json-experiment/json"

	"manicule/indexer/linefile"
	"manicule/indexer/sorting"
)

// Claims are the digests of the keys that one answer has shown ([Digest]).
type Claims struct {
	Time time.Time
	Keys []string
}

// ClaimsIn lists the claims of a session and its subagents, oldest first. name is the
// name of the session's log. Claims of events and of what was held out, and resets, are left out.
func ClaimsIn(stateDir, name string) ([]Claims, error) {
	entries, err := os.ReadDir(folder(stateDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the dedupe files of a session: %w", err)
	}
	var out []Claims
	for _, e := range entries {
		file := e.Name()
		if file != name+".seen" && !(strings.HasPrefix(file, name+".") && strings.HasSuffix(file, ".seen")) {
			continue // linefile.Read includes the rotated file
		}
		err := linefile.Read(filepath.Join(folder(stateDir), file), func(line []byte) {
			var c claim
			if json.Unmarshal(line, &c) != nil || c.Reset || c.Held {
				return
			}
			s := Claims{Time: time.UnixMilli(c.Time).UTC()}
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
	sorting.StableFunc(out, func(a, b Claims) int { return a.Time.Compare(b.Time) })
	return out, nil
}

// LogPath returns the file of a log by its name.
func LogPath(stateDir, name string) string { return filepath.Join(folder(stateDir), name+".jsonl") }
