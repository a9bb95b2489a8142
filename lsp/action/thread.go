package action

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/uri"

	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/thread"
	"manicule/memory/threads"
)

const (
	cmdShowThread = feature.ShowThreadCommand
	cmdThreadDone = feature.ThreadDoneCommand
	cmdThreadPark = feature.ThreadParkCommand
	cmdHandThread = feature.HandThreadCommand

	cmdReopenThread = "manicule.reopenThread"
	cmdLeaveThread  = "manicule.leaveThread"
)

// threadAnswer is the answer of the commands that write a thread.
type threadAnswer struct {
	Accepted bool   `json:"accepted"`
	UUID     string `json:"uuid,omitzero"`
	State    string `json:"state,omitzero"`
	Same     bool   `json:"same,omitzero"` // one that waits says the same
	Reason   string `json:"reason,omitzero"`
}

// needsOwner is the answer to a handing over without a name.
type needsOwner struct {
	NeedsOwner bool   `json:"needsOwner"`
	UUID       string `json:"uuid"`
	Owner      string `json:"owner,omitzero"` // the present one
}

// thread returns the open or parked thread that the first argument names, and its folder.
func (c *call) thread(ctx context.Context) (*folder.Folder, thread.Thread, error) {
	uuid, err := c.args.uuid()
	if err != nil {
		return nil, thread.Thread{}, err
	}
	for _, f := range c.folders(ctx) {
		if f.Memories == nil {
			continue
		}
		if t, ok := f.OpenThreads.Get(uuid); ok {
			return f, t, nil
		}
		t, err := f.Threads.Get(ctx, uuid)
		switch {
		case err == nil && !t.State.Closed():
			return f, t, nil
		case err != nil && !errors.Is(err, memory.ErrNotFound):
			return nil, thread.Thread{}, err
		}
	}
	return nil, thread.Thread{}, rpc.InvalidParams("there is no open thread %q; `manicule thread list --all` lists them", uuid)
}

// showThread shows a thread to the person.
func showThread(ctx context.Context, c *call) (any, error) {
	_, t, err := c.thread(ctx)
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(feature.ThreadTitle(&t), "☞ ")
	if _, _, cut := strings.Cut(text, "…"); cut {
		text = t.Memory.What
	}
	if t.Memory.Why != "" {
		text += ". Because: " + t.Memory.Why
	}
	c.env.Client.Info(fmt.Sprintf("Manicule: %s (%s, %s)", text, t.By(), t.Updated.Format("2006-01-02")))
	return nil, nil //nolint:nilnil // the answer is null
}

func threadDone(ctx context.Context, c *call) (any, error) {
	return c.setThread(ctx, thread.StateDone)
}

func threadPark(ctx context.Context, c *call) (any, error) {
	return c.setThread(ctx, thread.StateParked)
}

func reopenThread(ctx context.Context, c *call) (any, error) {
	return c.setThread(ctx, thread.StateOpen)
}

// setThread gives the thread that the first argument names a state; the second says why.
func (c *call) setThread(ctx context.Context, state thread.State) (any, error) {
	why := ""
	if err := c.args.read(1, "the reason", &why); err != nil {
		return nil, err
	}
	if state == thread.StateDone && strings.TrimSpace(why) != "" {
		state = thread.StateResolved
	}
	return c.changeThread(ctx, threads.Change{State: state, Resolution: why})
}

// handThread says who is to go on with a thread.
func handThread(ctx context.Context, c *call) (any, error) {
	owner := ""
	if err := c.args.read(1, "a name", &owner); err != nil {
		return nil, err
	}
	if strings.TrimSpace(owner) == "" {
		_, t, err := c.thread(ctx)
		if err != nil {
			return nil, err
		}
		if !c.env.Client.Capabilities.Extensions {
			c.env.Client.Info(fmt.Sprintf("Manicule: run %s with a name as its second argument", cmdHandThread))
		}
		return needsOwner{NeedsOwner: true, UUID: t.Memory.UUID, Owner: t.Owner}, nil
	}
	return c.changeThread(ctx, threads.Change{Owner: owner})
}

func (c *call) changeThread(ctx context.Context, change threads.Change) (any, error) {
	f, t, err := c.thread(ctx)
	if err != nil {
		return nil, err
	}
	r, err := f.Threads.Change(ctx, t.Memory.UUID, change)
	if err != nil {
		return nil, err
	}
	return c.afterThread(ctx, f, r), nil
}

func (c *call) afterThread(ctx context.Context, f *folder.Folder, r threads.Result) threadAnswer {
	if !r.Accepted {
		return threadAnswer{Reason: r.Reason}
	}
	f.OpenThreads.Load(ctx)
	c.env.Changed()
	return threadAnswer{Accepted: true, UUID: r.Thread.Memory.UUID, State: string(r.Thread.State), Same: r.Same}
}

// leaveArgs are what manicule.leaveThread takes besides a document, a place and a text.
type leaveArgs struct {
	Kind  thread.Kind `json:"kind"`
	Why   string      `json:"why"`
	Owner string      `json:"owner"`
}

// leaveThread leaves a thread for the next session.
func leaveThread(ctx context.Context, c *call) (any, error) {
	var u uri.URI
	d := threads.Draft{Tool: "lsp"}
	var more leaveArgs
	for i, arg := range []struct {
		what string
		into any
	}{{"a document's URI", &u}, {"a place", &d.At}, {"the text", &d.Text}, {"an object", &more}} {
		if err := c.args.read(i, arg.what, arg.into); err != nil {
			return nil, err
		}
	}
	f, err := c.folderOf(ctx, u)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(d.Text) == "" {
		return needsText{NeedsText: true, URI: u, Place: d.At}, nil
	}
	d.Kind, d.Why, d.Owner = more.Kind, more.Why, more.Owner
	r, err := f.Threads.Add(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("leave a thread: %w", err)
	}
	return c.afterThread(ctx, f, r), nil
}
