package folder

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// TestNoThreads: a server that was given no threads lists none, and says where they can be written.
func TestNoThreads(t *testing.T) {
	list := new(Options).threadsOf(nil)
	if all, err := list.All(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%d threads, %v", len(all), err)
	}
	for name, change := range map[string]func(context.Context) error{
		"add":    func(ctx context.Context) error { _, err := list.Add(ctx, threads.Draft{Text: "x"}); return err },
		"change": func(ctx context.Context) error { _, err := list.Change(ctx, "0198f0c2", threads.Change{}); return err },
		"get":    func(ctx context.Context) error { _, err := list.Get(ctx, "0198f0c2"); return err },
	} {
		err := change(t.Context())
		if u, ok := errors.AsType[*memory.UserError](err); !ok || !strings.Contains(u.Hint, "`manicule ") {
			t.Errorf("%s: %v has no hint", name, err)
		}
	}
}

// slowThreads are threads of which the first reader is held up: it has what the files said before the second one read them.
type slowThreads struct {
	noThreads
	reads  chan int      // has the number of the next read
	begun  chan struct{} // closed when the first one reads
	second chan struct{} // closed when the second reader is done
}

func (s slowThreads) OpenAndUndecided(context.Context) (open, several []thread.Thread, err error) {
	n := <-s.reads
	several = []thread.Thread{{Memory: &file.Memory{}}}
	if n > 0 {
		return nil, several, nil
	}
	s.reads <- 1
	close(s.begun)
	select {
	case <-s.second:
	case <-time.After(200 * time.Millisecond): // the second one waits
	}
	return nil, nil, nil
}

// TestThreadsReadByTwo: of two readers at once the later one's threads stay. Otherwise an undecided thread is in no list until the
// next change.
func TestThreadsReadByTwo(t *testing.T) {
	s := slowThreads{reads: make(chan int, 1), begun: make(chan struct{}), second: make(chan struct{})}
	o := &OpenThreads{threads: s, opts: &Options{}}
	first := make(chan struct{})
	s.reads <- 0
	go func() {
		o.Load(t.Context())
		close(first)
	}()
	<-s.begun
	o.Load(t.Context())
	close(s.second)
	<-first
	if n := len(o.Undecided()); n != 1 {
		t.Errorf("%d undecided threads, want what the second reader found", n)
	}
}
