package action

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/memory/follow"
)

const cmdFollow = "manicule.followMemory"

// followed is the answer of manicule.followMemory. Without confirmation it is a
// preview, and nothing was written.
type followed struct {
	UUID    string         `json:"uuid"`
	Index   int            `json:"index"`
	From    string         `json:"from"`
	To      string         `json:"to"`
	URI     uri.URI        `json:"uri"`
	Range   protocol.Range `json:"range"`
	Applied bool           `json:"applied"`
}

// followMemory anchors a memory with a lost anchor to the suggested place. It shows the
// place and asks first, unless the third argument is {"confirmed": true}.
func followMemory(ctx context.Context, c *call) (any, error) {
	var how struct {
		Confirmed bool `json:"confirmed"`
	}
	if err := c.args.read(2, `{"confirmed": true} or nothing`, &how); err != nil {
		return nil, err
	}
	f, p, err := c.propose(ctx, follow.Request{Act: follow.Accept})
	if err != nil {
		return nil, err
	}
	change := p.Changes[0] // there is one, or Propose returns ErrNothing
	out := followed{
		UUID: p.Memory.UUID, Index: change.Index, From: feature.RecordedPlace(change.Was), To: feature.RecordedPlace(change.Now), URI: f.RelURI(change.Now.Path),
	}
	if at, ok := c.locate(ctx, out.URI, change.Now); ok {
		out.URI, out.Range = at.URI, at.Range
	}
	if how.Confirmed {
		if _, err := c.apply(ctx, f, p); err != nil {
			return nil, err
		}
		out.Applied = true
		return out, nil
	}
	c.askToFollow(f, p, out)
	return out, nil
}

// The answers to followMemory's question.
const (
	titleFollow = "Follow"
	titleKeep   = "Not this one"
)

// askToFollow shows where an anchor would go and asks, outside of the request: the
// person may take their time.
func (c *call) askToFollow(f *folder.Folder, p follow.Proposal, to followed) {
	c.env.Spawn(func(ctx context.Context) {
		c.env.Client.Reveal(ctx, to.URI, to.Range)
		question := fmt.Sprintf("Manicule: move the memory's anchor from %s to %s?", to.From, to.To)
		if c.env.Client.Choose(ctx, question, titleFollow, titleKeep) != titleFollow {
			return
		}
		if _, err := c.apply(ctx, f, p); err != nil {
			c.env.showError(err)
		}
	})
}

// locate returns where the name of an anchor's declaration, or its lines, are for the client. ok is false if they are not
// in the document.
func (c *call) locate(ctx context.Context, u uri.URI, a anchor.Anchor) (at protocol.Location, ok bool) {
	doc, err := c.snap.Read(ctx, u)
	if err != nil {
		return at, false
	}
	m := page.ResolveAnchor(ctx, doc, a)
	if !m.Found {
		return at, false
	}
	return c.snap.Location(doc, m.Name.Start, m.Name.End), true
}

func followDecision(m *page.Mark) decision {
	return decision{command: cmdFollow, label: "follow…", title: "follow ", more: " to " + render.OneLine(feature.SuggestedPlace(m.Resolution.Suggestion), 60) + "…"}
}
