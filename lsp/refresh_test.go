package lsp

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"manicule/lsp/client"
)

// TestOneRefreshForAnAct: an act that reports several changes makes the editor ask once.
func TestOneRefreshForAnAct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		log := slog.New(slog.DiscardHandler)
		lists, refreshes := 0, 0
		r := newRefresher(client.New(nil, nil, log), log, func() bool { return true }, func() { lists++ }, func() { refreshes++ })
		go r.run(ctx)
		for range 2 {
			for range 3 {
				r.soon()
				synctest.Wait() // the refresher has heard of it
			}
			time.Sleep(time.Second)
		}
		cancel()
		synctest.Wait()
		if lists != 6 || refreshes != 2 {
			t.Errorf("two acts of three changes: %d reports for panels and %d refreshes, want 6 and 2", lists, refreshes)
		}
	})
}
