package follow

import (
	"context"
	"errors"
	"fmt"

	"manicule/indexer/anchor"
	"manicule/indexer/gitinfo"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/store"
)

// Act is a person's decision about a memory's anchors.
type Act string

// The acts.
const (
	StillTrue Act = "still-true" // the memory holds for the current code
	Accept    Act = "follow"     // the anchor moves to where it was followed, or to the suggestion
	Reanchor  Act = "anchor"     // the anchor moves to a place that the person names
	Detach    Act = "detach"     // the anchor moves to the file as a whole
	Reject    Act = "reject"     // the anchor does not belong where it was followed, or to the suggestion
)

// Request is one act on one memory.
type Request struct {
	Memory string // uuid, or a prefix or suffix of it
	Act    Act
	Index  int    // of the anchor; -1 for all to which the act applies
	At     string // for Reanchor: FILE, FILE:LINE, FILE:LINE-LINE or FILE#Symbol
}

// Proposal is the next version of a memory's anchors, to preview before it is written.
type Proposal struct {
	Memory  *file.Memory // as it is
	Act     Act
	Changes []AnchorUpdate
	Rejects []store.Place // of Reject: places that don't belong to the memory
}

// AnchorUpdate is one anchor with its next record.
type AnchorUpdate struct {
	Index    int
	Was, Now anchor.Anchor
}

// errNothing is wrapped if an act changes nothing.
var errNothing = errors.New("there is nothing to do")

// Propose resolves the anchors and makes their next records. It writes nothing.
func (t *Tracker) Propose(ctx context.Context, q Request) (Proposal, error) {
	hit, err := t.w.Get(ctx, q.Memory)
	if err != nil {
		return Proposal{}, err
	}
	looked, err := t.Locate(ctx, []memory.Hit{hit})
	if err != nil {
		return Proposal{}, err
	}
	hit = looked[0]
	p := Proposal{Memory: hit.Memory, Act: q.Act}
	if q.Index >= len(hit.Memory.Anchors) {
		return p, &memory.UserError{Msg: fmt.Sprintf("the memory %s has %d anchors", hit.Memory.ShortID(), len(hit.Memory.Anchors)), Err: errGone,
			Hint: "Count them from 1."}
	}
	if q.Act == Reanchor {
		return t.reanchor(ctx, p, hit, q)
	}
	for i, a := range hit.Memory.Anchors {
		if q.Index >= 0 && i != q.Index {
			continue
		}
		if q.Act == Reject {
			if r, ok := rejectable(hit.Places[i]); ok {
				p.Rejects = append(p.Rejects, r)
			}
			continue
		}
		next, err := t.next(ctx, q.Act, a, hit.Places[i])
		if err != nil {
			return p, err
		}
		if next != nil {
			p.Changes = append(p.Changes, AnchorUpdate{i, a, *next})
		}
	}
	if len(p.Changes)+len(p.Rejects) == 0 && q.Act != StillTrue {
		return p, &memory.UserError{Msg: "nothing to " + string(q.Act) + " in " + hit.Memory.ShortID(), Err: errNothing,
			Hint: "`manicule show " + hit.Memory.ShortID() + "` says where its anchors are."}
	}
	return p, nil
}

// rejectable returns the place that a rejection refers to.
func rejectable(p store.Place) (store.Place, bool) {
	if p.Suggestion != nil && p.State == anchor.Orphaned {
		p.Path, p.Symbol, p.Ordinal = p.Suggestion.Path, p.Suggestion.Symbol, p.Suggestion.Ordinal
		return p, true
	}
	return p, p.State == anchor.Followed
}

// reject stores rejected places. No memory file changes.
func (t *Tracker) reject(ctx context.Context, p Proposal) (memory.Result, error) {
	var list []store.Rejection
	for _, r := range p.Rejects {
		list = append(list, store.Rejection{Anchor: r.Key, Path: r.Path, Symbol: r.Symbol})
	}
	if err := t.w.State().Receipts().Reject(ctx, p.Memory.UUID, list); err != nil {
		return memory.Result{}, fmt.Errorf("keep what was rejected: %w", err)
	}
	_, err := t.Refresh(ctx)
	return memory.Result{Accepted: true, Memory: p.Memory}, err
}

// reanchor ties the doubtful anchor, or a new one, to a named place.
func (t *Tracker) reanchor(ctx context.Context, p Proposal, hit memory.Hit, q Request) (Proposal, error) {
	next, err := t.w.Maker().Anchor(ctx, q.At)
	if err != nil {
		return p, err
	}
	i := q.Index
	if i < 0 {
		i = worst(hit.Places)
	}
	c := AnchorUpdate{Index: i, Now: next}
	if i < len(hit.Memory.Anchors) {
		c.Was = hit.Memory.Anchors[i]
	}
	p.Changes = append(p.Changes, c)
	return p, nil
}

// worst returns the index of the anchor that changed most, 0 for none.
func worst(places []store.Place) int {
	order := map[anchor.State]int{anchor.Orphaned: 4, anchor.Stale: 3, anchor.Drifted: 2, anchor.Followed: 1}
	at := 0
	for i, p := range places {
		if order[p.State] > order[places[at].State] {
			at = i
		}
	}
	return at
}

// next returns an anchor's record after an act, or nil if it stays the same.
func (t *Tracker) next(ctx context.Context, act Act, a anchor.Anchor, p store.Place) (*anchor.Anchor, error) {
	switch act {
	case Detach:
		if a.Kind == anchor.KindFile {
			return nil, nil
		}
		a = anchor.Anchor{Kind: anchor.KindFile, Path: p.Path, Language: language(p.Path)}
	case Accept:
		if p.State == anchor.Orphaned && p.Suggestion != nil {
			p.Path, p.Symbol, p.Ordinal, p.Confidence = p.Suggestion.Path, p.Suggestion.Symbol, p.Suggestion.Ordinal, p.Suggestion.Confidence
		} else if p.State != anchor.Followed {
			return nil, nil
		}
	case StillTrue:
		if p.State == anchor.Orphaned {
			return nil, &memory.UserError{Msg: fmt.Sprintf("the code is gone: %s", p.Reason), Err: errGone,
				Hint: "Use --anchor PLACE where it is now, --detach to keep it at the file, or `manicule forget`."}
		}
	}
	next, err := t.baseline(ctx, a, p)
	if err != nil {
		return nil, err
	}
	if store.AnchorKey(next) == store.AnchorKey(a) {
		return nil, nil
	}
	return &next, nil
}

// baseline makes a new record of an anchor from its current file.
func (t *Tracker) baseline(ctx context.Context, a anchor.Anchor, p store.Place) (anchor.Anchor, error) {
	now, err := t.code.working(ctx)
	if err != nil {
		return a, err
	}
	if now.Blob(p.Path) == "" && a.Kind != anchor.KindGlob {
		return a, &memory.UserError{Msg: "there is no file " + p.Path + " any more", Err: errGone,
			Hint: "Use --anchor PLACE where the code is now, or `manicule forget`."}
	}
	if a.Kind == anchor.KindGlob {
		return a, nil
	}
	text, err := now.Read(p.Path)
	if err != nil {
		return a, fmt.Errorf("read the code of an anchor: %w", err)
	}
	next, err := newRecord(ctx, a, p, text)
	if err != nil {
		return a, &memory.UserError{Msg: err.Error(), Err: err, Hint: "Name the place: --anchor FILE#Symbol."}
	}
	next.Blob, next.Commit = gitinfo.BlobID(text), t.code.head()
	return next, nil
}

// Apply writes a proposal as the next version of the memory, unless its anchors changed meanwhile.
// The version is marked as verified if the memory holds, or if its code was followed and nobody disputes it.
func (t *Tracker) Apply(ctx context.Context, p Proposal) (memory.Result, error) {
	if p.Act == Reject {
		return t.reject(ctx, p)
	}
	kind, note := "edit", "anchored anew"
	switch p.Act {
	case StillTrue:
		kind, note = "verify", "still true of the code as it is"
	case Accept:
		kind, note = "verify", "followed its code"
	case Detach:
		note = "detached to the file"
	case Reanchor, Reject:
	}
	change := func(m *file.Memory) error {
		for _, c := range p.Changes {
			switch {
			case c.Index == len(m.Anchors) && c.Was.Path == "":
				m.Anchors = append(m.Anchors, c.Now)
			case c.Index < len(m.Anchors) && store.AnchorKey(m.Anchors[c.Index]) == store.AnchorKey(c.Was):
				m.Anchors[c.Index] = c.Now
			default:
				return &memory.UserError{Msg: "the memory was changed meanwhile", Err: errGone, Hint: "Look at it again."}
			}
		}
		// Where the code is now says nothing about what somebody disputes: that stays until a person decides it.
		if p.Act == StillTrue || p.Act == Accept && !m.Trust.Disputed() {
			t.w.Maker().Verify(m)
		}
		return nil
	}
	r, err := t.w.Edits().Change(ctx, p.Memory.UUID, change, kind, note)
	if err != nil || !r.Accepted {
		return r, err
	}
	_, err = t.Refresh(ctx)
	return r, err
}
