package purge

import (
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
	"manicule/memory/inventory"
)

// cleanLogs removes the lines with a trace from the logs in a state folder, and other files with one
// as a whole. An event that an agent's hook appends at this very moment may be lost. It returns the
// number of lines.
func (k *knowledge) cleanLogs(ctx context.Context, dir string) (lines int, err error) {
	err = inventory.Walk(ctx, dir, func(name string, _ fs.FileInfo) error {
		if strings.HasPrefix(filepath.Base(name), "state.db") {
			return nil
		}
		data, err := treefile.ReadLarge(name)
		if err != nil || !k.contains(data) {
			return err
		}
		if !slices.Contains([]string{".jsonl", ".md", ".log", ".seen"}, filepath.Ext(name)) {
			lines++
			return remove(name)
		}
		var kept []byte
		for line := range bytes.Lines(data) {
			if k.contains(line) {
				lines++
			} else {
				kept = append(kept, line...)
			}
		}
		if len(kept) == 0 {
			return remove(name)
		}
		return atomicfile.Write(name, kept, 0o600)
	})
	return lines, err
}
