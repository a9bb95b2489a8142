package action

import (
	"context"
	"fmt"
	"sync"

	"manicule/lsp/folder"
	"manicule/memory/trust"
)

// The answers to the questions about the trust level.
const (
	titleLowerTrust = "Lower it"
	titleRaiseTrust = "Raise it"
	titleKeepTrust  = "Keep it"
)

// wrongMemories counts the memories of a repository that a person called wrong since the server
// started.
type wrongMemories struct {
	mu     sync.Mutex
	uuids  map[string]map[string]bool // guarded by mu; by root
	asking bool                       // guarded by mu; a question about the level is open
}

// add counts a memory. It returns how many there are, 0 for one that was counted before.
func (f *wrongMemories) add(root, uuid string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.uuids[root][uuid] {
		return 0
	}
	if f.uuids == nil {
		f.uuids = make(map[string]map[string]bool)
	}
	if f.uuids[root] == nil {
		f.uuids[root] = make(map[string]bool)
	}
	f.uuids[root][uuid] = true
	return len(f.uuids[root])
}

// ask reports whether a question may be asked: one at a time. The caller that asks calls done after
// the answer.
func (f *wrongMemories) ask() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.asking
	f.asking = true
	return !was
}

func (f *wrongMemories) done() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asking = false
}

// offerLowerTrust counts a memory that a person called wrong. After every third it
// offers a lower trust level, outside of the request.
func (e *Env) offerLowerTrust(ctx context.Context, uuid string) {
	f, _, ok := e.Folders.Find(ctx, uuid, "")
	if !ok {
		return
	}
	t := f.Trust()
	if t == nil {
		return
	}
	offer, ok := trust.Lower(t.Level(ctx), e.wrong.add(f.Root, uuid))
	if !ok || !e.wrong.ask() {
		return
	}
	e.Spawn(func(ctx context.Context) {
		defer e.wrong.done()
		e.offerTrust(ctx, t, offer, fmt.Sprintf(
			"Manicule: %s here since the server started. The trust level is %d. Lower it to %d, so that agents see only memories with more confidence?", offer.Why, offer.From, offer.To), titleLowerTrust)
	})
}

// OfferHigherTrust offers the next trust level of a folder if what happened there speaks for it. It
// is for a moment at which nothing is interrupted, such as the end of a session. "Keep it" asks
// again only after as many sessions more; no answer asks after the next session.
func (e *Env) OfferHigherTrust(ctx context.Context, f *folder.Folder) {
	t := f.Trust()
	if t == nil {
		return
	}
	offer, ok := t.Higher(ctx)
	if !ok || !e.wrong.ask() {
		return
	}
	defer e.wrong.done()
	question := fmt.Sprintf("Manicule: %s. Raise the trust level of this repository from %d to %d? %s Agents are then told memories from a confidence of %.2f on.",
		offer.Why, offer.From, offer.To, trust.About(offer.To), trust.Least(offer.To))
	e.offerTrust(ctx, t, offer, question, titleRaiseTrust)
}

// offerTrust asks whether to take another level.
func (e *Env) offerTrust(ctx context.Context, t folder.Trust, offer trust.Offer, question, yes string) {
	switch e.Client.Choose(ctx, question, yes, titleKeepTrust) {
	case yes:
		if err := t.SetLevel(ctx, offer.To); err != nil {
			e.showError(err)
			return
		}
		e.ListsChanged()
		e.Client.Info(fmt.Sprintf("Manicule: the trust level is now %d. %s", offer.To, trust.About(offer.To)))
	case titleKeepTrust:
		if err := t.Keep(ctx); err != nil {
			e.Log.Warn("note that the trust level stays", "err", err)
		}
	}
}
