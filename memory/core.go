package memory

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/workspace"
	"manicule/memory/core"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// ActCore is a change that an agent proposes for the core document.
const ActCore Act = "core"

// coreID stands for a core document where a proposal names its memory; that of one agent has the agent's name
// behind a colon.
const coreID = "core"

// coreIDOf names the core document of an agent, "" for that of all.
func coreIDOf(agent string) string {
	if agent == "" {
		return coreID
	}
	return coreID + ":" + agent
}

// coreName names a core document for a reader.
func coreName(agent string) string {
	if agent == "" {
		return "Core document"
	}
	return "Core document of " + agent
}

// CoreChange is another text for a part of the core document, proposed by an agent. Only a person
// applies it.
type CoreChange struct {
	For     string // the agent whose document it is, "" for that of all
	Part    core.Part
	Text    string
	Reason  string
	Tool    string // the agent
	Session string
	Tainted bool
}

// ProposeCore stores a proposed change of the core document as a draft for review.
func (q *Drafts) ProposeCore(ctx context.Context, c CoreChange) (Result, error) {
	d, err := core.Read(q.place, c.For)
	if err != nil {
		return Result{}, err
	}
	if _, err := d.With(c.Part, c.Text, q.checks.gate.Scan); err != nil {
		return Refusal(err)
	}
	text := strings.Join(strings.Fields(gate.Clean(c.Text)), " ")
	m, err := q.maker.NewMemory(ctx, Draft{What: coreName(c.For) + ", " + string(c.Part) + ": " + text, Why: c.Reason, Type: file.Convention, Tool: c.Tool, Agent: true, Session: c.Session, Tainted: c.Tainted})
	if err != nil {
		return Result{}, err
	}
	data, err := json.Marshal(proposing{Proposes: &proposal{Act: ActCore, Memory: coreIDOf(c.For), Parent: d.Text(c.Part), Reason: c.Reason, Part: c.Part, Text: text}})
	if err != nil {
		return Result{}, fmt.Errorf("propose: %w", err)
	}
	m.Details = jsontext.Value(data)
	if err := q.checks.gate.Check(m); err != nil {
		return Refusal(err)
	}
	if err := gate.CheckJunk(&file.Memory{What: text, Trust: m.Trust}, false); err != nil && c.Part != core.Focus { // what is worked on may be said in a word
		return Refusal(err)
	}
	if err := q.checks.wording.check(ctx, m, nil, false); err != nil {
		return Refusal(err)
	}
	return q.putProposal(ctx, m, store.DraftRow{Memory: m, Status: store.StatusDraft, Reason: "an agent wants to change the core document", Tool: c.Tool, Session: c.Session})
}

// editCommand is the command that changes the document of an agent, or that of the project.
func editCommand(agent string) string {
	if agent == "" {
		return "manicule core edit"
	}
	return "manicule core edit --agent " + agent
}

// applyCore changes the core document as a draft proposes.
func (q *Decisions) applyCore(ctx context.Context, m *file.Memory, p *proposal) (Result, error) {
	_, agent, _ := strings.Cut(p.Memory, ":")
	d, err := core.Read(q.place, agent)
	if err != nil {
		return Result{}, err
	}
	if d.Text(p.Part) != p.Parent {
		return Result{Memory: m, Code: "conflict", Reason: "the core document says something else there since this was proposed. `" + editCommand(agent) + "` changes it by hand"}, nil
	}
	if _, err := q.core.Edit(ctx, agent, func(d *core.Document) { d.Set(p.Part, p.Text) }); err != nil {
		if _, ok := errors.AsType[*gate.Rejection](err); ok {
			return Refusal(err)
		}
		return Result{}, err
	}
	return Result{Accepted: true, Memory: m, Act: ActCore, Reason: "the core document says it from the next session on; git carries .manicule/" + filepath.Base(core.Path(q.place, agent))}, q.rows.Drop(ctx, m.UUID)
}

// Core is the core documents of a workspace. It is safe for concurrent use by goroutines and processes.
type Core struct {
	place   *workspace.Workspace
	gate    *gate.Gate
	maker   *Maker
	stopped *Stopped
	now     func() time.Time
}

// Edit changes the core document of an agent, or that of all if agent is "", as a new version. Writers queue, so that none loses what
// another has just written.
func (c *Core) Edit(ctx context.Context, agent string, change func(*core.Document)) (core.Document, error) {
	unlock, err := LockEdits(ctx, c.place)
	if err != nil {
		return core.Document{}, err
	}
	defer unlock()
	d, err := core.Read(c.place, agent)
	if err != nil {
		return d, err
	}
	change(&d)
	err = c.stopped.Writing(core.Path(c.place, agent), func() error {
		d, err = core.Write(c.place, agent, d, c.maker.Author(), c.now(), c.gate.Scan)
		return err
	})
	return d, err
}
