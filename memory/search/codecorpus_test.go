package search

import (
	"context"
	"testing"
	"time"

	"manicule/indexer/code"
	"manicule/indexer/must"
)

// TestDiscardedMeanwhile: another question finds the index damaged or deleted, and closes it, while this one is half done. Whichever
// way meets that, the answer begins anew instead of lacking what that way would have found.
func TestDiscardedMeanwhile(t *testing.T) {
	x, err := code.Open(t.Context(), t.TempDir(), t.TempDir(), time.Now)
	must.OK(t, err)
	must.OK(t, x.Discard())
	for name, ask := range map[string]func(ctx context.Context, c *codeCorpus) error{
		"words": func(ctx context.Context, c *codeCorpus) error { _, err := c.words(ctx, "renew it", 5); return err },
		"association": func(ctx context.Context, c *codeCorpus) error {
			_, err := c.association(ctx, "renew it", 5)
			return err
		},
		"align": func(ctx context.Context, c *codeCorpus) error { _, err := c.align(ctx, "renew it", nil); return err },
		"load":  func(ctx context.Context, c *codeCorpus) error { return c.load(ctx, []int64{1}) },
	} {
		c := &codeCorpus{x: &codeIndex{Index: x}, pieces: map[string]code.Piece{}}
		if err := ask(t.Context(), c); err == nil || c.err == nil {
			t.Errorf("%s: %v, noted %v", name, err, c.err)
		}
	}
}
