package action

import (
	"context"
	"fmt"
	"sync"
)

// flagsForStep is how many memories a person must call wrong in a session for a
// step back to be offered.
const flagsForStep = 3

// The answers to the question of flagged.
const (
	titleStepBack  = "Step back"
	titleKeepLevel = "Keep"
)

// flags are the memories that a person called wrong since the server began.
type flags struct {
	mu     sync.Mutex
	uuids  map[string]bool // guarded by mu
	asking bool            // guarded by mu; a question about them is open
}

// add notes a memory and reports how many there are, and whether it is time to
// ask: with every third, once for each, while no question is open. The caller that
// asks calls done after the answer.
func (f *flags) add(uuid string) (n int, ask bool) {
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
	if n%flagsForStep != 0 || f.asking {
		return n, false
	}
	f.asking = true
	return n, true
}

func (f *flags) done() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asking = false
}

// flagged counts a memory that a person called wrong, and offers a lower trust
// level, beside the request, after every third.
func (e *Env) flagged(ctx context.Context, uuid string) {
	trust := e.Folders.Trust(ctx)
	if trust == nil {
		return
	}
	n, ask := e.flags.add(uuid)
	if !ask {
		return
	}
	level := trust.Level(ctx)
	if level <= 1 {
		e.flags.done()
		return
	}
	e.Spawn(func(ctx context.Context) {
		defer e.flags.done()
		question := fmt.Sprintf("Manicule: you have called %d memories wrong since you began. Agents are told memories at trust level %d; go back to %d, which needs surer ones?", n, level, level-1)
		if e.Client.Choose(ctx, question, titleStepBack, titleKeepLevel) != titleStepBack {
			return
		}
		if err := trust.SetLevel(ctx, level-1); err != nil {
			e.showError(err)
			return
		}
		e.ListsChanged()
		e.Client.Info(fmt.Sprintf("Manicule: the trust level is %d now.", level-1))
	})
}
