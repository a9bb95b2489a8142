package graph

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"manicule/indexer/must"
)

// TestInParallel: all results are taken; after a fault of a worker, of the taker or of the caller it ends with that one.
func TestInParallel(t *testing.T) {
	disk := errors.New("disk full")
	items := func() []int {
		out := make([]int, 1000)
		for i := range out {
			out[i] = i
		}
		return out
	}
	same := func(context.Context) func(int) (int, error) { return func(i int) (int, error) { return i, nil } }
	t.Run("all", func(t *testing.T) {
		var got []int
		must.OK(t, inParallel(t.Context(), 4, items(), same, func(i int) error { got = append(got, i); return nil }))
		if slices.Sort(got); !slices.Equal(got, items()) {
			t.Errorf("%d results", len(got))
		}
	})
	t.Run("a worker fails", func(t *testing.T) {
		begin := func(context.Context) func(int) (int, error) {
			return func(i int) (int, error) {
				if i == 500 {
					return 0, disk
				}
				return i, nil
			}
		}
		if err := inParallel(t.Context(), 4, items(), begin, func(int) error { return nil }); !errors.Is(err, disk) || errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
	t.Run("the taker fails", func(t *testing.T) {
		begun, stopped := make(chan struct{}), make(chan struct{})
		begin := func(ctx context.Context) func(int) (int, error) {
			return func(i int) (int, error) {
				if i < handedOver {
					return i, nil
				}
				close(begun)
				select { // as of a query that was interrupted
				case <-ctx.Done():
					close(stopped)
					return 0, ctx.Err()
				case <-time.After(time.Minute):
					return i, nil
				}
			}
		}
		err := inParallel(t.Context(), 1, items(), begin, func(int) error {
			<-begun // else the worker may not begin, and nothing is interrupted
			return disk
		})
		<-stopped
		if !errors.Is(err, disk) || errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
	t.Run("the caller stops it", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		n := 0
		err := inParallel(ctx, 4, items(), same, func(int) error {
			if n++; n == 10 {
				stop()
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || n > 999 {
			t.Errorf("%v after %d", err, n)
		}
	})
}
