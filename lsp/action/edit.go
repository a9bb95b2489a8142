package action

import (
	"context"
	"errors"
	"fmt"

	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/render"
	"manicule/memory"
	"manicule/memory/file"
)

const cmdEdit = "manicule.editMemory"

// edits are the changes in the second argument of manicule.editMemory.
type edits struct {
	What       *string          `json:"what"`
	Why        *string          `json:"why"`
	Type       *file.Type       `json:"type"`
	Scope      *file.Scope      `json:"scope"`
	Tags       *[]string        `json:"tags"`
	Importance *file.Importance `json:"importance"`
	Instead    *string          `json:"instead"` // of a dead end: what works
	Note       string           `json:"note"`
	Version    int              `json:"version"` // the version that the person read; 0 is any
	Quiet      bool             `json:"quiet"`   // the client's form shows why nothing was stored
}

// written is [Env.afterWrite] for what a person wrote in a form. One that says itself why it
// was refused does not need a message that says it again.
func (c *call) written(ctx context.Context, f *folder.Folder, res memory.Result, quiet bool) memory.Result {
	if quiet && !res.Accepted && !res.Draft {
		return res
	}
	return c.env.afterWrite(ctx, f, res)
}

// errOutdated ends an edit of a version that is no longer the memory's.
var errOutdated = errors.New("the memory was changed since")

// editMemory applies the changes of its second argument. Without one it opens the
// memory's file, where a person can edit it.
func editMemory(ctx context.Context, c *call) (any, error) {
	f, h, err := c.memory(ctx)
	if err != nil {
		if f, m, ok := c.candidate(ctx); ok {
			return editCandidate(ctx, c, f, m)
		}
		return nil, err
	}
	if !c.args.has(1) {
		return c.open(f, h), nil
	}
	var e edits
	if err := c.args.readChanges(&e); err != nil {
		return nil, err
	}
	var outdated *memory.Result
	res, err := f.Memories.Edits().Change(ctx, h.Memory.UUID, func(m *file.Memory) error {
		if seen := m.Lineage.Version - 1; e.Version > 0 && e.Version != seen {
			outdated = &memory.Result{Code: "conflict", Reason: fmt.Sprintf(
				"memory %s was changed since: it is at version %d, and this changes version %d. Look at it again", m.ShortID(), seen, e.Version)}
			return errOutdated
		}
		return e.apply(m)
	}, "edit", e.Note)
	if outdated != nil && errors.Is(err, errOutdated) {
		return *outdated, nil
	}
	if err != nil {
		return nil, fmt.Errorf("edit %s: %w", h.Memory.UUID, err)
	}
	return c.written(ctx, f, res, e.Quiet), nil
}

// needsEdit is the answer to an edit of a candidate without changes. A client with a
// form starts from it, and accepts the edited candidate with manicule.acceptMemory.
type needsEdit struct {
	NeedsEdit bool `json:"needsEdit"`
	feature.Candidate
}

// candidate returns the candidate that the first argument names, and its folder.
func (c *call) candidate(ctx context.Context) (*folder.Folder, memory.Candidate, bool) {
	uuid, err := c.args.uuid()
	if err != nil {
		return nil, memory.Candidate{}, false
	}
	for _, f := range c.folders(ctx) {
		list, err := f.Memories.Drafts().Candidates(ctx)
		if err != nil {
			continue // the list of candidates reports the error
		}
		for _, m := range list {
			if m.Memory.UUID == uuid {
				return f, m, true
			}
		}
	}
	return nil, memory.Candidate{}, false
}

// titleAcceptAndOpen is for clients without a form.
const titleAcceptAndOpen = "Accept it and open its file"

// editCandidate changes a candidate before it is reviewed. A candidate has no file to
// open. Without changes a client with extensions gets the values to start from; for
// others the person is asked whether to accept it and open its file.
func editCandidate(ctx context.Context, c *call, f *folder.Folder, m memory.Candidate) (any, error) {
	uuid := m.Memory.UUID
	if c.args.has(1) {
		var e edits
		if err := c.args.readChanges(&e); err != nil {
			return nil, err
		}
		res, err := f.Memories.Drafts().Edit(ctx, uuid, e.apply)
		if err != nil {
			return nil, fmt.Errorf("edit %s: %w", uuid, err)
		}
		return c.env.afterWrite(ctx, f, res), nil
	}
	if !c.env.Client.Capabilities.Extensions {
		c.env.Spawn(func(ctx context.Context) {
			question := "Manicule: “" + render.OneLine(m.Memory.What, 120) + "” has no file yet."
			if c.env.Client.Choose(ctx, question, titleAcceptAndOpen, titleLater) != titleAcceptAndOpen {
				return
			}
			res, err := f.Memories.Decisions().Accept(ctx, uuid)
			if err != nil {
				c.env.showError(err)
				return
			}
			if res = c.env.afterWrite(ctx, f, res); res.Accepted {
				c.env.show(ctx, string(f.URI(res.Path)))
			}
		})
	}
	return needsEdit{true, feature.CandidateOf(m)}, nil
}

func (e edits) apply(m *file.Memory) error {
	set(&m.What, e.What)
	set(&m.Why, e.Why)
	set(&m.Scope, e.Scope)
	if e.Type != nil && *e.Type != m.Type { // the type decides the file's folder
		m.Type = *e.Type
		m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
	}
	set(&m.Tags, e.Tags)
	set(&m.Importance, e.Importance)
	if e.Instead == nil {
		return nil
	}
	d, err := m.ReadDetails()
	if err != nil {
		return err
	}
	d.Instead = *e.Instead
	return m.SetDetails(d)
}

func set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}
