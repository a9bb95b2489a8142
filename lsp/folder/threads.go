package folder

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"manicule/memory"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

// OpenThreads are what sessions left for the next in a folder, as last loaded.
type OpenThreads struct {
	threads Threads
	opts    *Options
	of      string // the folder, for the log
	root    string // of its memories

	loading   sync.Mutex // of two who read, the later has the newer files
	open      atomic.Pointer[[]thread.Thread]
	undecided atomic.Pointer[[]thread.Thread] // those with several versions
}

// Load loads the open threads and the undecided ones, and reports whether that changed them.
func (o *OpenThreads) Load(ctx context.Context) (changed bool) {
	o.loading.Lock()
	defer o.loading.Unlock()
	open, undecided, err := o.threads.OpenAndUndecided(ctx)
	was := o.undecided.Swap(&undecided)
	decided := was != nil && !slices.EqualFunc(*was, undecided, func(a, b thread.Thread) bool {
		return a.Memory.UUID == b.Memory.UUID && a.Version == b.Version && len(a.Memory.Conflict) == len(b.Memory.Conflict)
	})
	return o.setOpen(ctx, open, err) || decided || was == nil && len(undecided) > 0
}

func (o *OpenThreads) setOpen(ctx context.Context, list []thread.Thread, err error) (changed bool) {
	if err != nil {
		if ctx.Err() == nil {
			o.opts.Log.Warn("load the threads of sessions", "dir", o.of, "err", err)
		}
		return false
	}
	before := o.open.Swap(&list)
	return before == nil || !slices.EqualFunc(*before, list, func(a, b thread.Thread) bool {
		return a.Memory.UUID == b.Memory.UUID && a.Version == b.Version && a.Memory.What == b.Memory.What // by hand, too
	})
}

// At returns the open threads with a place in a file that concern the checked-out branch. rel is the file relative to the root.
func (o *OpenThreads) At(rel string) []thread.Thread {
	list := o.open.Load()
	if list == nil {
		return nil
	}
	var out []thread.Thread
	for i := range *list {
		if t := &(*list)[i]; len(t.Memory.Anchors) > 0 && t.Memory.Anchors[0].Path == rel {
			out = append(out, *t)
		}
	}
	if len(out) == 0 {
		return nil // without looking at git
	}
	from := o.threads.From(o.root)
	out = slices.DeleteFunc(out, func(t thread.Thread) bool { return !from.Concerns(&t) })
	from.Rank(out)
	return out
}

// Get returns an open thread.
func (o *OpenThreads) Get(uuid string) (thread.Thread, bool) {
	list := o.open.Load()
	if list == nil {
		return thread.Thread{}, false
	}
	i := slices.IndexFunc(*list, func(t thread.Thread) bool { return t.Memory.UUID == uuid })
	if i < 0 {
		return thread.Thread{}, false
	}
	return (*list)[i], true
}

// Undecided returns the shared threads of which a merge kept several versions.
func (o *OpenThreads) Undecided() []thread.Thread {
	if list := o.undecided.Load(); list != nil {
		return *list
	}
	return nil
}

// threadsOf returns the threads of a workspace.
func (o *Options) threadsOf(m Memories) Threads {
	if o.Threads != nil {
		if t := o.Threads(m); t != nil {
			return t
		}
	}
	return noThreads{}
}

// noThreads is a list without threads, to which none can be added.
type noThreads struct{}

func (noThreads) All(context.Context) ([]thread.Thread, error) { return nil, nil }
func (noThreads) OpenAndUndecided(context.Context) (open, several []thread.Thread, err error) {
	return nil, nil, nil
}
func (noThreads) From(string) thread.From { return thread.From{} }

func (noThreads) UndecidedOf(string) (t thread.Thread, ok bool) { return t, false }

func (n noThreads) Resolve(context.Context, thread.Thread, int) error { return n.refusal() }

func (noThreads) Get(_ context.Context, id string) (thread.Thread, error) {
	return thread.Thread{}, memory.NotFound(id)
}

func (n noThreads) Add(context.Context, threads.Draft) (threads.Result, error) {
	return threads.Result{}, n.refusal()
}

func (n noThreads) Change(context.Context, string, threads.Change) (threads.Result, error) {
	return threads.Result{}, n.refusal()
}

// refusal is the error for what would change them.
func (noThreads) refusal() error {
	return &memory.UserError{Msg: "this server has no threads", Hint: "`manicule thread` writes and settles them, in a terminal."}
}
