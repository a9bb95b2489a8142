package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"manicule/indexer/fault"
)

// metaFaults is the key of Manicule's own faults, as JSON by path. A faulty file is
// retried when it changes, or by a rebuild.
const metaFaults = "faults"

// faultReason is why a file has no data if reading it failed with a fault.
const faultReason = "a fault in Manicule"

// maxLoggedFaults is how many files are logged as they fail.
const maxLoggedFaults = 5

// faultLog are Manicule's own faults in files.
type faultLog struct {
	log    *slog.Logger
	byPath map[string]string
	isNew  bool // there are unwritten changes
}

// note records the fault of a file; a nil error clears it.
func (l *faultLog) note(path string, err error) {
	was, had := l.byPath[path]
	switch {
	case err == nil && !had, err != nil && had && was == err.Error():
		return
	case err == nil:
		delete(l.byPath, path)
	default:
		if l.byPath == nil {
			l.byPath = map[string]string{}
		}
		l.byPath[path] = err.Error()
		if len(l.byPath) <= maxLoggedFaults {
			l.log.Warn("a fault in Manicule keeps it from understanding a file; `manicule doctor` says more", "file", path)
		}
	}
	l.isNew = true
}

// noteAll records the faults of several files.
func (l *faultLog) noteAll(faults map[string]error) {
	for path, err := range faults {
		l.note(path, err)
	}
}

// load reads the stored faults.
func (l *faultLog) load(ctx context.Context, s *store) error {
	text, err := s.meta(ctx, metaFaults)
	if err != nil {
		return err
	}
	l.byPath, l.isNew = nil, false
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &l.byPath); err != nil {
		return fmt.Errorf("read the faults in graph.db: %w", errDamaged)
	}
	return nil
}

// save writes the faults in the same batch as the rest.
func (l *faultLog) save(ctx context.Context, b *batch) error {
	if !l.isNew {
		return nil
	}
	data, err := json.Marshal(l.byPath)
	if err != nil {
		return fmt.Errorf("write the faults: %w", err)
	}
	if err := b.exec(ctx, qPutMeta, metaFaults, string(data)); err != nil {
		return err
	}
	l.isNew = false
	return nil
}

// takeSafely is take with panics turned into the file's error.
func (rd *rebuilder) takeSafely(ctx context.Context, p *parsed) (err error) {
	path := p.row.path
	func() {
		var caught error
		defer func() {
			if caught != nil {
				err = caught
			}
		}()
		defer fault.Catch(&caught)
		err = rd.take(ctx, p)
	}()
	if !fault.Is(err) {
		return err
	}
	rd.g.mu.Lock()
	rd.g.removeFile(path)
	rd.g.mu.Unlock()
	row := *p.row
	row.reason, row.stale = faultReason, false
	rd.fresh = append(rd.fresh, &parsed{row: &row, isNew: p.isNew})
	rd.tree.faults.note(path, err)
	return nil
}
