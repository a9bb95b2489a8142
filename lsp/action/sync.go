package action

import (
	"context"
	"fmt"
)

const cmdSync = "manicule.sync"

func syncAll(ctx context.Context, c *call) (any, error) {
	answer := struct {
		Changed bool `json:"changed"`
	}{}
	for _, f := range c.env.Folders.All(ctx) {
		changed, err := f.Memories.Sync(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the memories of %s: %w", f.Root, err)
		}
		answer.Changed = answer.Changed || changed
	}
	c.env.Changed()
	return answer, nil
}
