package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/memory/core"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// ActCore is a change that an agent proposes for the core document.
const ActCore Act = "core"

// coreID stands for the core document where a proposal names its memory.
const coreID = "core"

// CoreChange is another text for a part of the core document, proposed by an agent. Only a person
// applies it.
type CoreChange struct {
	Part    core.Part
	Text    string
	Reason  string
	Tool    string // the agent
	Session string
	Tainted bool
}

// ProposeCore stores a proposed change of the core document as a draft for review.
func (w *Workspace) ProposeCore(ctx context.Context, c CoreChange) (Result, error) {
	d, err := core.Read(w.place)
	if err != nil {
		return Result{}, err
	}
	if _, err := d.With(c.Part, c.Text, w.Gate().Scan); err != nil {
		return rejected(err)
	}
	text := strings.Join(strings.Fields(gate.Clean(c.Text)), " ")
	m, err := w.build(ctx, Draft{What: "Core document, " + string(c.Part) + ": " + text, Why: c.Reason, Type: file.Convention, Tool: c.Tool, Agent: true, Session: c.Session, Tainted: c.Tainted})
	if err != nil {
		return Result{}, err
	}
	data, err := json.Marshal(proposing{Proposes: &proposal{Act: ActCore, Memory: coreID, Parent: d.Text(c.Part), Reason: c.Reason, Part: c.Part, Text: text}})
	if err != nil {
		return Result{}, fmt.Errorf("propose: %w", err)
	}
	m.Details = jsontext.Value(data)
	if err := w.gate.Check(m); err != nil {
		return rejected(err)
	}
	if err := gate.CheckJunk(&file.Memory{What: text, Trust: m.Trust}); err != nil && c.Part != core.Focus { // what is worked on may be said in a word
		return rejected(err)
	}
	if err := w.checkWording(ctx, m, nil, false); err != nil {
		return rejected(err)
	}
	return w.putProposal(ctx, m, store.DraftRow{Memory: m, Status: store.StatusDraft, Reason: "an agent wants to change the core document", Tool: c.Tool, Session: c.Session})
}

// applyCore changes the core document as a draft proposes.
func (w *Workspace) applyCore(ctx context.Context, m *file.Memory, p *proposal) (Result, error) {
	d, err := core.Read(w.place)
	if err != nil {
		return Result{}, err
	}
	if d.Text(p.Part) != p.Parent {
		return Result{Memory: m, Code: "conflict", Reason: "the core document says something else there since this was proposed. `manicule core edit` changes it by hand"}, nil
	}
	if _, err := w.EditCore(ctx, func(d *core.Document) { d.Set(p.Part, p.Text) }); err != nil {
		if _, ok := errors.AsType[*gate.Rejection](err); ok {
			return rejected(err)
		}
		return Result{}, err
	}
	return Result{Accepted: true, Memory: m, Act: ActCore, Reason: "the core document says it from the next session on; git carries .manicule/core.json"}, w.state.DropDraft(ctx, m.UUID)
}

// EditCore changes the core document as a new version. Writers queue, so that none loses what
// another has just written.
func (w *Workspace) EditCore(ctx context.Context, change func(*core.Document)) (core.Document, error) {
	unlock, err := w.lockEdits(ctx)
	if err != nil {
		return core.Document{}, err
	}
	defer unlock()
	d, err := core.Read(w.place)
	if err != nil {
		return d, err
	}
	change(&d)
	return core.Write(w.place, d, w.Author(), w.Now(), w.Gate().Scan)
}
