package store

import (
	"context"
	"testing"
	"time"
)

// TestScanEndsInTime: a scan whose time is up returns what it has, also while a file is still being read.
func TestScanEndsInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := &fileScan{paths: []string{"a", "b", "c"}, rows: map[string]Row{}, tried: map[string]bool{}}
	hold, held := make(chan struct{}), make(chan struct{}, len(l.paths))
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		l.each(ctx, &FastReader{config: Config{Dir: t.TempDir()}}, func(string, []byte) bool {
			held <- struct{}{}
			<-hold
			return false
		})
	}()
	<-held
	cancel()
	select {
	case <-returned:
	case <-time.After(time.Minute):
		t.Error("it waits for a file that takes longer than there is time")
	}
	close(hold)
	<-returned
}
