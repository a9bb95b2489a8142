package folder

import (
	"context"
	"errors"
	"strings"
	"testing"

	"manicule/memory"
	"manicule/memory/threads"
)

// TestNoThreads: a server that was given no threads lists none, and says where they can be written.
func TestNoThreads(t *testing.T) {
	list := (&Set{}).threadsOf(nil)
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
