package action

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"manicule/lsp/rpc"
	"manicule/memory"
)

const cmdTakeBack = "manicule.takeBackReview"

// reviewResult is the answer to an accepted or a rejected draft.
type reviewResult struct {
	memory.Result
	Undo bool `json:"undo,omitzero"` // manicule.takeBackReview takes it back
}

// maxReviewed is how many decisions can be taken back.
const maxReviewed = 100

// reviewed keeps the drafts that were decided about since the server started.
type reviewed struct {
	mu   sync.Mutex
	list []reviewedDraft // guarded by mu; the latest comes last
}

// reviewedDraft is a draft as it waited, in the folder of a root.
type reviewedDraft struct {
	root string
	was  memory.Waiting
}

func (d *reviewed) add(root string, was memory.Waiting) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.list = append(d.list, reviewedDraft{root, was})
	d.list = d.list[max(0, len(d.list)-maxReviewed):]
}

// take removes the latest decision about a draft, and reports whether there is one.
func (d *reviewed) take(uuid string) (reviewedDraft, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, x := range slices.Backward(d.list) {
		if x.was.UUID() == uuid {
			d.list = slices.Delete(d.list, i, i+1)
			return x, true
		}
	}
	return reviewedDraft{}, false
}

// takeBack has a draft wait again that was accepted or rejected here.
func takeBack(ctx context.Context, c *call) (any, error) {
	uuid, err := c.args.uuid()
	if err != nil {
		return nil, err
	}
	d, ok := c.env.reviewed.take(uuid)
	if !ok {
		return nil, rpc.InvalidParams("there is no decision about %q to take back; try: manicule.forgetMemory removes what was accepted", uuid)
	}
	for _, f := range c.env.Folders.All(ctx) {
		if f.Root != d.root {
			continue
		}
		if err := f.Memories.Decisions().TakeBack(ctx, d.was); err != nil {
			return nil, fmt.Errorf("take back the decision about %s: %w", uuid, err)
		}
		return c.env.afterWrite(ctx, f, memory.Result{Accepted: true, Draft: true}), nil
	}
	return nil, rpc.InvalidParams("the folder %s is no longer open", d.root)
}
