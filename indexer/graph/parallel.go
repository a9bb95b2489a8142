package graph

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"manicule/indexer/background"
)

const (
	// maxAhead is about how many results may wait while a batch is written.
	maxAhead = 64
	// handedOver is how many results a worker hands over at once. To wake a goroutine that keeps its thread takes several
	// system calls: 21,000 for 3,200 small files that were handed over one by one.
	handedOver = 8
)

// inParallel works on all items in background threads, in about their order, and takes the results in the caller's goroutine.
// begin makes what one worker does. It takes items from the list, so that what they hold can be freed. After an error of
// either it stops.
func inParallel[In, Out any](ctx context.Context, workers int, items []In, begin func(context.Context) func(In) (Out, error), take func(Out) error) error {
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	results := make(chan []Out, maxAhead/handedOver)
	faults := make(chan error, workers)
	var next atomic.Int64
	work := func() {
		do := begin(stopped)
		var out []Out
		hand := func() {
			select {
			case results <- out:
			case <-stopped.Done():
			}
			out = make([]Out, 0, handedOver)
		}
		for stopped.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(items) {
				break
			}
			r, err := do(items[i])
			if err != nil {
				faults <- err
				stop()
				return
			}
			var none In
			items[i] = none
			if out = append(out, r); len(out) == handedOver {
				hand()
			}
		}
		if len(out) > 0 {
			hand()
		}
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { background.Run(work) })
	}
	go func() {
		wg.Wait()
		close(results)
	}()
	var err error
	for group := range results {
		for _, r := range group {
			if err != nil {
				break
			}
			if err = take(r); err != nil {
				stop()
			}
		}
	}
	select {
	case e := <-faults:
		if err == nil || !errors.Is(e, context.Canceled) { // else it was stopped because of err, which is no cancellation
			err = errors.Join(err, e)
		}
	default:
	}
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}
