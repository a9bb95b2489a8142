package action

import (
	"context"
	"fmt"
	"sync"
)

// wrongPerOffer is how many memories a person must call wrong for a lower trust level
// to be offered.
const wrongPerOffer = 3

// The answers to the question of offerLowerTrust.
const (
	titleLowerTrust = "Lower it"
	titleKeepTrust  = "Keep it"
)

// wrongMemories counts the memories that a person called wrong since the server
// started.
type wrongMemories struct {
	mu     sync.Mutex
	uuids  map[string]bool // guarded by mu
	asking bool            // guarded by mu; the question is open
}

// add counts a memory. It reports how many there are, and whether to ask: at every
// third, once for each memory, while no question is open. The caller that asks calls
// done after the answer.
func (f *wrongMemories) add(uuid string) (n int, ask bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.uuids[uuid] {
		return len(f.uuids), false
	}
	if f.uuids == nil {
		f.uuids = make(map[string]bool)
	}
	f.uuids[uuid] = true
	n = len(f.uuids)
	if n%wrongPerOffer != 0 || f.asking {
		return n, false
	}
	f.asking = true
	return n, true
}

func (f *wrongMemories) done() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asking = false
}

// offerLowerTrust counts a memory that a person called wrong. After every third it
// offers a lower trust level, outside of the request.
func (e *Env) offerLowerTrust(ctx context.Context, uuid string) {
	trust := e.Folders.Trust(ctx)
	if trust == nil {
		return
	}
	n, ask := e.wrong.add(uuid)
	if !ask {
		return
	}
	level := trust.Level(ctx)
	if level <= 1 {
		e.wrong.done()
		return
	}
	e.Spawn(func(ctx context.Context) {
		defer e.wrong.done()
		question := fmt.Sprintf("Manicule: you have called %d memories wrong since the server started. The trust level is %d. Lower it to %d, so that agents see only memories with more confidence?", n, level, level-1)
		if e.Client.Choose(ctx, question, titleLowerTrust, titleKeepTrust) != titleLowerTrust {
			return
		}
		if err := trust.SetLevel(ctx, level-1); err != nil {
			e.showError(err)
			return
		}
		e.ListsChanged()
		e.Client.Info(fmt.Sprintf("Manicule: the trust level is now %d.", level-1))
	})
}
