package action

import (
	"context"
	"fmt"
	"strings"

	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/thread"
)

const (
	cmdShowThread = feature.ShowThreadCommand
	cmdThreadDone = feature.ThreadDoneCommand
	cmdThreadPark = feature.ThreadParkCommand
)

// threadAnswer is the answer of the commands that change a thread.
type threadAnswer struct {
	Accepted bool   `json:"accepted"`
	State    string `json:"state,omitzero"`
	Reason   string `json:"reason,omitzero"`
}

// thread returns the open thread that the first argument names, and its folder.
func (c *call) thread(ctx context.Context) (*folder.Folder, thread.Thread, error) {
	uuid, err := c.args.uuid()
	if err != nil {
		return nil, thread.Thread{}, err
	}
	for _, f := range c.env.Folders.All(ctx) {
		if f.Memories == nil {
			continue
		}
		if t, ok := f.Thread(uuid); ok {
			return f, t, nil
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

// setThread closes or parks the thread that the first argument names.
func (c *call) setThread(ctx context.Context, state thread.State) (any, error) {
	f, t, err := c.thread(ctx)
	if err != nil {
		return nil, err
	}
	why := ""
	if err := c.args.read(1, "the reason", &why); err != nil {
		return nil, err
	}
	if state == thread.StateDone && strings.TrimSpace(why) != "" {
		state = thread.StateResolved
	}
	r, err := f.Memories.ChangeThread(ctx, t.Memory.UUID, memory.ThreadChange{State: state, Resolution: why})
	if err != nil {
		return nil, err
	}
	f.LoadThreads(ctx)
	c.env.Changed()
	return threadAnswer{r.Accepted, string(r.Thread.State), r.Reason}, nil
}
