package extract

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"

	"manicule/indexer/must"
)

// cancelledWhenWatched is a context that nobody has cancelled until somebody
// waits for it: it ends while a parse that has just begun runs.
type cancelledWhenWatched struct {
	context.Context
	cancel context.CancelFunc
	once   sync.Once
}

func (c *cancelledWhenWatched) Done() <-chan struct{} {
	c.once.Do(c.cancel)
	return c.Context.Done()
}

// TestCancelWithinAFile holds that a parse stops in the middle of a file: it
// would otherwise end with a tree.
func TestCancelWithinAFile(t *testing.T) {
	l, err := languageFor("go")
	must.OK(t, err)
	body := []byte("func f(a, b int) int { return f(a+1, b*(a-b)) }\n")
	src := append([]byte("package a\n"), bytes.Repeat(body, MaxSize/len(body)-1)...)
	for range 20 { // the binding tells the parser from a goroutine, which a busy machine may start too late
		inner, cancel := context.WithCancel(t.Context())
		ctx := &cancelledWhenWatched{Context: inner, cancel: cancel}
		if ctx.Err() != nil {
			t.Fatal("it was cancelled before the parse began")
		}
		tree, err := l.parse(ctx, src)
		if errors.Is(err, context.Canceled) {
			return
		}
		must.OK(t, err)
		tree.Close()
	}
	t.Error("a parse of 2 MB goes on to its end after it was cancelled")
}
