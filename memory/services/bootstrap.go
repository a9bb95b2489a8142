package services

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"manicule/indexer/workspace"
	"manicule/memory/exporter"
	"manicule/memory/file"
	"manicule/memory/standing"
)

// BootstrapDir is the default folder of the files that agents load at their start.
func BootstrapDir(w *Workspace) string {
	return filepath.Join(w.Root(), workspace.Folder, "bootstrap")
}

// RenewBootstrap rewrites the bootstrap files if somebody exported them to the default folder and
// memories were written since.
func RenewBootstrap(ctx context.Context, w *Workspace) error {
	index := filepath.Join(BootstrapDir(w), exporter.Index)
	st, err := os.Lstat(index)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nobody wants them
	}
	if err != nil {
		return fmt.Errorf("look at the bootstrap files: %w", err)
	}
	newest := int64(0) // a file that is written or removed changes its folder
	for _, ns := range w.Store().FolderTimes() {
		newest = max(newest, ns)
	}
	for _, name := range []string{"core.json", "builds", "sessions"} {
		newest = max(newest, changedAt(filepath.Join(w.Root(), workspace.Folder, name)))
	}
	if newest < st.ModTime().UnixNano() {
		return nil
	}
	if _, err := w.Sync(ctx); err != nil {
		return err
	}
	if _, err := exporter.Bootstrap(BootstrapDir(w), ActiveMemories(w), exporter.Options{Standing: standing.Of(w.Place(), w.Log())}); err != nil {
		return err
	}
	if st, err = os.Lstat(index); err != nil || newest < st.ModTime().UnixNano() {
		return err
	}
	looked := time.Unix(0, newest+1) // what is written says the same as before
	return os.Chtimes(index, looked, looked)
}

// ActiveMemories returns the memories of the current view.
func ActiveMemories(w *Workspace) []*file.Memory {
	var list []*file.Memory
	for _, h := range w.View().All() {
		list = append(list, h.Memory)
	}
	return list
}

// changedAt returns when a file, or one in a folder, was changed last; 0 if it is not there.
func changedAt(name string) int64 {
	st, err := os.Lstat(name)
	if err != nil {
		return 0
	}
	at := st.ModTime().UnixNano()
	if st.IsDir() {
		entries, _ := os.ReadDir(name) // what can't be read is not told either
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				at = max(at, info.ModTime().UnixNano())
			}
		}
	}
	return at
}
