package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/memory/core"
	"manicule/memory/file"
	"manicule/memory/store"
	"manicule/memory/work"
)

// Act is a change that an agent proposes for an active memory.
type Act string

// The acts.
const (
	ActEdit    Act = "edit"
	ActForget  Act = "forget"
	ActConfirm Act = "confirm" // the agent found it to be true
	ActDispute Act = "dispute" // the agent found it to be wrong; the reason is its view
)

// Change is a proposed change of an active memory. A person decides about it.
type Change struct {
	Act    Act
	Memory string // uuid, or a prefix or suffix of it
	// Edit makes the new text of ActEdit; it receives a copy.
	Edit   func(*file.Memory) error
	Reason string // why, in the agent's words
	Tool   string // the agent
	// Session is the agent's session. Tainted is true if it read text from outside.
	Session string
	Tainted bool
}

// proposal is the part of a draft that refers to an existing memory.
type proposal struct {
	Act    Act    `json:"act"`
	Memory string `json:"memory"`
	Parent string `json:"parent"` // hash of the version that it is based on
	Reason string `json:"reason,omitzero"`

	// Of a change of the core document, where Parent is what the part said.
	Part core.Part `json:"part,omitzero"`
	Text string    `json:"text,omitzero"`
}

// disputePrefix precedes the disputed text in a draft that brings up another view.
const disputePrefix = "Disputed: "

// proposing is the member of a draft's details that holds a proposal.
type proposing struct {
	Proposes *proposal `json:"proposes,omitzero"`
}

// draftKey is equal for drafts that say the same; a rejected draft is not proposed again under the
// same key. For a proposal it covers the act, the version of the memory, and the resulting text or
// the reason.
func draftKey(m *file.Memory) (string, error) {
	p := proposes(m)
	if p == nil {
		return visibleKey(m), nil
	}
	parts := []any{p.Act, p.Memory, p.Parent}
	if p.Act == ActCore {
		parts = append(parts, p.Part, strings.ToLower(p.Text))
	} else if p.Act == ActEdit {
		parts = append(parts, m.What, m.Why, m.Type, m.Layer, m.Scope, m.Anchors, m.Tags, m.ContextLabel, m.Importance)
		if len(m.Relations) > 0 {
			parts = append(parts, m.Relations)
		}
	} else {
		parts = append(parts, strings.Join(strings.Fields(strings.ToLower(p.Reason)), " "))
	}
	data, err := json.Marshal(parts, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("key of draft %s: %w", m.UUID, err)
	}
	sum := sha256.Sum256(data)
	return "p1:" + hex.EncodeToString(sum[:12]), nil
}

// Propose stores a proposed change as a draft for review. Accept applies it; until then the memory
// is unchanged.
func (q *Drafts) Propose(ctx context.Context, c Change) (Result, error) {
	old, err := q.get(ctx, c.Memory)
	if err != nil {
		return Result{}, err
	}
	hash, err := old.Memory.Hash()
	if err != nil {
		return Result{}, err
	}
	m := old.Memory.Clone()
	switch c.Act {
	case ActEdit:
		if err := c.Edit(m); err != nil {
			return Result{}, err
		}
		if same, err := m.Hash(); err != nil {
			return Result{}, err
		} else if same == hash {
			return Result{Code: "malformed", Reason: "the proposal changes nothing. Say what to change"}, nil
		}
	case ActForget:
		m.What, m.Why = "Forget: "+m.What, c.Reason
	case ActConfirm:
		m.What, m.Why = "Still true: "+m.What, c.Reason
	case ActDispute:
		if utf8.RuneCountInString(c.Reason) > maxView {
			return tooLong(), nil
		}
		m.What, m.Why = disputePrefix+m.What, c.Reason
	default:
		return Result{}, fmt.Errorf("propose: unknown act %q", c.Act)
	}
	if m.UUID, err = q.maker.NewID(); err != nil {
		return Result{}, err
	}
	now := file.At(q.now())
	m.CreatedAt, m.UpdatedAt, m.Pinned = now, now, false
	m.Lineage = file.Lineage{Version: 1, ChangeKind: "create"}
	if err := q.maker.attribute(m, Draft{Tool: c.Tool, Agent: true, Session: c.Session, Tainted: c.Tainted || old.Memory.Trust.Tainted, Work: work.None}); err != nil {
		return Result{}, err
	}
	data, err := json.Marshal(proposing{Proposes: &proposal{Act: c.Act, Memory: old.Memory.UUID, Parent: hash, Reason: c.Reason}})
	if err != nil {
		return Result{}, fmt.Errorf("propose: %w", err)
	}
	m.Details = jsontext.Value(data)
	if err := q.checks.gate.Check(m); err != nil {
		return Refusal(err)
	}
	said := m // for a proposal without a text, the reason is what is new
	if c.Act != ActEdit {
		said = &file.Memory{Why: c.Reason}
	} else if err := q.checks.junk(m, old.Memory, false); err != nil {
		return Refusal(err)
	}
	if err := q.checks.wording.check(ctx, said, old.Memory, false); err != nil {
		return Refusal(err)
	}
	who := "an agent wants"
	if c.Tool == file.OwnTool {
		who = "figures suggest"
	}
	reason := fmt.Sprintf("%s to %s %s", who, c.Act, old.Memory.ShortID())
	return q.putProposal(ctx, m, store.DraftRow{Memory: m, Status: store.StatusDraft, Reason: reason, Tool: c.Tool, Session: c.Session})
}

// proposes returns the proposal of a draft, or nil for a new memory.
func proposes(m *file.Memory) *proposal {
	var d proposing
	if len(m.Details) == 0 || json.Unmarshal(m.Details, &d) != nil || d.Proposes == nil || d.Proposes.Memory == "" {
		return nil
	}
	return d.Proposes
}

// apply applies a proposal. The person who accepts it vouches for it.
func (q *Decisions) apply(ctx context.Context, m *file.Memory, p *proposal) (Result, error) {
	if p.Act == ActCore {
		return q.applyCore(ctx, m, p)
	}
	old, err := q.find.get(ctx, p.Memory)
	if errors.Is(err, ErrNotFound) && p.Act == ActForget {
		return Result{Accepted: true, Memory: m, Act: p.Act, Reason: "it is gone already"}, q.rows.Drop(ctx, m.UUID)
	}
	if err != nil {
		return Result{}, err
	}
	var r Result
	switch p.Act {
	case ActForget:
		r = Result{Accepted: true, Memory: old.Memory, Reason: "forgotten; `manicule restore " + old.Memory.ShortID() + "` brings it back for 30 days"}
		err = q.forgotten.Forget(ctx, old.Memory.UUID)
	case ActConfirm:
		r, err = q.edits.Confirm(ctx, old.Memory.UUID)
	case ActDispute:
		if m.What != disputePrefix+old.Memory.What {
			return Result{Memory: old.Memory, Code: "conflict", Reason: fmt.Sprintf(
				"memory %s says something else since this was proposed. `manicule dispute %s` disputes what it says now", old.Memory.ShortID(), old.Memory.ShortID())}, nil
		}
		r, err = q.edits.dispute(ctx, old.Memory.UUID, p.Reason, cmp.Or(toolOf(m), "an agent"), m.Trust.Tainted)
	case ActEdit:
		if now, herr := old.Memory.Hash(); herr != nil {
			return Result{}, herr
		} else if now != p.Parent {
			return Result{Memory: old.Memory, Code: "conflict", Reason: fmt.Sprintf(
				"memory %s was changed since this was proposed. `manicule edit %s` changes it by hand", old.Memory.ShortID(), old.Memory.ShortID())}, nil
		}
		r, err = q.edits.Change(ctx, old.Memory.UUID, func(to *file.Memory) error {
			to.What, to.Why, to.Type, to.Layer, to.Scope, to.Anchors = m.What, m.Why, m.Type, m.Layer, m.Scope, m.Anchors
			to.Tags, to.ContextLabel, to.Importance, to.Relations = m.Tags, m.ContextLabel, m.Importance, m.Relations
			to.Trust.Tainted = to.Trust.Tainted || m.Trust.Tainted
			q.maker.Verify(to)
			return nil
		}, "edit", p.Reason)
	default:
		return Result{}, &UserError{Msg: fmt.Sprintf("draft %s proposes %q, which this version does not know", m.ShortID(), p.Act), Hint: "Use the version that wrote it, or reject the draft."}
	}
	if err != nil || !r.Accepted {
		return r, err
	}
	r.Act = p.Act
	return r, q.rows.Drop(ctx, m.UUID)
}

func toolOf(m *file.Memory) string {
	if m.GeneratedBy == nil {
		return ""
	}
	return m.GeneratedBy.Tool
}
