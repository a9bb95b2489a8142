package lsp

import (
	"context"
	"fmt"

	"manicule/lsp/folder"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/follow"
)

// The commands about an anchor take the memory's uuid and the index of the
// anchor, from 0; without an index, that of the only one.

func (r *request) stillTrue(ctx context.Context, args arguments) (any, error) {
	return r.decide(ctx, args, follow.Request{Act: follow.StillTrue})
}

func (r *request) detachMemory(ctx context.Context, args arguments) (any, error) {
	return r.decide(ctx, args, follow.Request{Act: follow.Detach})
}

func (r *request) rejectPlace(ctx context.Context, args arguments) (any, error) {
	return r.decide(ctx, args, follow.Request{Act: follow.Reject})
}

// anchorMemory ties an anchor to the place that its third argument names.
func (r *request) anchorMemory(ctx context.Context, args arguments) (any, error) {
	act := follow.Request{Act: follow.Reanchor}
	if err := args.read(2, "a place", &act.At); err != nil {
		return nil, err
	}
	if _, err := anchor.ParsePlace(act.At); err != nil {
		return nil, rpc.InvalidParams("%s: argument 3: %v", args.command, err)
	}
	return r.decide(ctx, args, act)
}

// decide proposes and applies at once: the person sees the code that it is about.
func (r *request) decide(ctx context.Context, args arguments, act follow.Request) (any, error) {
	f, p, err := r.propose(ctx, args, act)
	if err != nil {
		return nil, err
	}
	return r.apply(ctx, args.command, f, p)
}

// propose asks the tracker what a decision would make of the anchor that args
// name.
func (r *request) propose(ctx context.Context, args arguments, act follow.Request) (*folder.Folder, follow.Proposal, error) {
	f, h, err := r.theMemory(ctx, args)
	if err != nil {
		return nil, follow.Proposal{}, err
	}
	if f.Tracker == nil {
		return nil, follow.Proposal{}, rpc.Failed(folder.ErrNoTracker)
	}
	n := len(h.Memory.Anchors)
	if !args.has(1) && n != 1 {
		return nil, follow.Proposal{}, rpc.InvalidParams("%s needs the index of an anchor as its second argument: this memory has %d", args.command, n)
	}
	if err := args.read(1, "the index of an anchor", &act.Index); err != nil {
		return nil, follow.Proposal{}, err
	}
	if act.Index < 0 || act.Index >= n {
		return nil, follow.Proposal{}, rpc.InvalidParams("%s: this memory has no anchor %d; it has %d, counted from 0", args.command, act.Index, n)
	}
	act.Memory = h.Memory.UUID
	p, err := f.Tracker.Propose(ctx, act)
	if err != nil {
		return nil, follow.Proposal{}, rpc.Failed(r.hinted(err))
	}
	return f, p, nil
}

func (r *request) apply(ctx context.Context, command string, f *folder.Folder, p follow.Proposal) (memory.Result, error) {
	res, err := f.Tracker.Apply(ctx, p)
	if err != nil {
		return res, fmt.Errorf("%s: %w", command, err)
	}
	res = r.wrote(ctx, f, res)
	f.PlacesChanged()
	f.RefreshSoon()
	return res, nil
}

// followed is the answer of manicule.followMemory. Unless it was confirmed, it
// is a preview: nothing was written yet.
type followed struct {
	UUID    string         `json:"uuid"`
	Index   int            `json:"index"`
	From    string         `json:"from"`
	To      string         `json:"to"`
	URI     uri.URI        `json:"uri"`
	Range   protocol.Range `json:"range"`
	Applied bool           `json:"applied"`
}

// followMemory ties a lost anchor to the place that was suggested. It shows that
// place and asks first, unless the third argument is {"confirmed": true}.
func (r *request) followMemory(ctx context.Context, args arguments) (any, error) {
	var how struct {
		Confirmed bool `json:"confirmed"`
	}
	if err := args.read(2, `{"confirmed": true} or nothing`, &how); err != nil {
		return nil, err
	}
	f, p, err := r.propose(ctx, args, follow.Request{Act: follow.Accept})
	if err != nil {
		return nil, err
	}
	c := p.Changes[0] // ErrNothing otherwise
	out := followed{
		UUID: p.Memory.UUID, Index: c.Index, From: recordedPlace(c.Was), To: recordedPlace(c.Now), URI: f.RelURI(c.Now.Path),
	}
	out.Range = r.rangeOf(ctx, out.URI, c.Now)
	if how.Confirmed {
		if _, err := r.apply(ctx, args.command, f, p); err != nil {
			return nil, err
		}
		out.Applied = true
		return out, nil
	}
	r.askToFollow(args.command, f, p, out)
	return out, nil
}

// titles of the answers to followMemory's question.
const (
	titleFollow = "Follow"
	titleKeep   = "Not this one"
)

// askToFollow shows where an anchor would go and asks, beside the request: the
// person may take their time.
func (r *request) askToFollow(command string, f *folder.Folder, p follow.Proposal, to followed) {
	r.spawn(func(ctx context.Context) {
		r.client.Reveal(ctx, to.URI, to.Range)
		question := fmt.Sprintf("Manicule: follow the memory from %s to %s?", to.From, to.To)
		if r.client.Choose(ctx, question, titleFollow, titleKeep) != titleFollow {
			return
		}
		if _, err := r.apply(ctx, command, f, p); err != nil {
			r.client.Error("Manicule: " + r.hinted(err).Error())
		}
	})
}

// rangeOf is the name of an anchor's declaration in a document, or its lines.
func (r *request) rangeOf(ctx context.Context, u uri.URI, a anchor.Anchor) protocol.Range {
	doc, err := r.snap.Read(ctx, u)
	if err != nil {
		return protocol.Range{}
	}
	f, err := doc.Parsed(ctx)
	if err != nil {
		f = nil
	}
	m := resolve(mark{anchor: a}, f, doc)
	if !m.found {
		return protocol.Range{}
	}
	return doc.Lines.Range(m.name.start, m.name.end, r.snap.Encoding)
}
