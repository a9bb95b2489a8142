package mcp

import (
	"path/filepath"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/memory/search"
)

// recentBytes is how much of the end of a session's log is read for the files that it used last.
const recentBytes = 64 << 10

// recentFiles lists the files below a space's root that a session read or changed last, the latest first.
func recentFiles(sp *Space, session string) (out []string) {
	if session == "" {
		return nil
	}
	records, _, err := eventlog.Tail(sp.Memories.Place().StateDir(), session, recentBytes)
	if err != nil {
		return nil // a search goes without
	}
	root := sp.Memories.Root()
	for _, r := range slices.Backward(records) {
		for _, c := range slices.Backward(r.Calls) {
			if class := event.Class(c.Class); class != event.Read && class != event.Edit && class != event.Create {
				continue
			}
			for _, p := range c.Paths {
				rel, err := filepath.Rel(root, p)
				if !filepath.IsAbs(p) {
					rel, err = filepath.Clean(p), nil
				}
				if rel = filepath.ToSlash(rel); err != nil || rel == ".." || strings.HasPrefix(rel, "../") || slices.Contains(out, rel) {
					continue
				}
				if out = append(out, rel); len(out) == search.MaxRecent {
					return out
				}
			}
		}
	}
	return out
}
