package memory

import (
	"context"

	"manicule/memory/core"
)

// EditCore changes the core document as a new version. Writers queue, so that none loses what
// another has just written.
func (w *Workspace) EditCore(ctx context.Context, change func(*core.Document)) (core.Document, error) {
	unlock, err := w.lockEdits(ctx)
	if err != nil {
		return core.Document{}, err
	}
	defer unlock()
	d, err := core.Read(w.place)
	if err != nil {
		return d, err
	}
	change(&d)
	return core.Write(w.place, d, w.Author(), w.Now(), w.Gate().Scan)
}
