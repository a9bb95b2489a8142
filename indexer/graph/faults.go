package graph

import (
	"context"
	"encoding/json"
	"fmt"

	"manicule/indexer/fault"
)

// metaFaults is the key of Manicule's own faults, as JSON by path. A faulty file is
// retried when it changes, or by a rebuild.
const metaFaults = "faults"

// faultReason is why a file has no data if reading it failed with a fault.
const faultReason = "a fault in Manicule"

// maxLoggedFaults is how many files are logged as they fail.
const maxLoggedFaults = 5

// noteFault records the fault of a file; a nil error clears it.
func (ix *Index) noteFault(path string, err error) {
	was, had := ix.faults[path]
	switch {
	case err == nil && !had, err != nil && had && was == err.Error():
		return
	case err == nil:
		delete(ix.faults, path)
	default:
		if ix.faults == nil {
			ix.faults = map[string]string{}
		}
		ix.faults[path] = err.Error()
		if len(ix.faults) <= maxLoggedFaults {
			ix.o.Log.Warn("a fault in Manicule keeps it from understanding a file; `manicule doctor` says more", "file", path)
		}
	}
	ix.faultsNew = true
}

// noteFaults records the faults of several files.
func (ix *Index) noteFaults(faults map[string]error) {
	for path, err := range faults {
		ix.noteFault(path, err)
	}
}

// loadFaults reads the stored faults.
func (ix *Index) loadFaults(ctx context.Context) error {
	text, err := ix.s.meta(ctx, metaFaults)
	if err != nil {
		return err
	}
	ix.faults, ix.faultsNew = nil, false
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), &ix.faults); err != nil {
		return fmt.Errorf("read the faults in graph.db: %w", errDamaged)
	}
	return nil
}

// putFaults writes the faults in the same batch as the rest.
func (b *batch) putFaults(ctx context.Context, ix *Index) error {
	if !ix.faultsNew {
		return nil
	}
	data, err := json.Marshal(ix.faults)
	if err != nil {
		return fmt.Errorf("write the faults: %w", err)
	}
	if err := b.exec(ctx, qPutMeta, metaFaults, string(data)); err != nil {
		return err
	}
	ix.faultsNew = false
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
	rd.ix.noteFault(path, err)
	return nil
}
