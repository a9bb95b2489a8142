package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"manicule/hooks/agent"
	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/memory"
	"manicule/memory/core"
	"manicule/memory/file"
	"manicule/memory/gate/injection"
	"manicule/memory/nearby"
	"manicule/memory/store"
)

type rememberIn struct {
	What      string   `json:"what"`
	Why       string   `json:"why"`
	At        []string `json:"at"`
	Scope     []string `json:"scope"`
	Type      string   `json:"type"`
	Tags      []string `json:"tags"`
	Relations []string `json:"relations"`
	Instead   string   `json:"instead"`
	Task      string   `json:"task"` // of a lesson: the kind of task at which it was learned
	Work      string   `json:"work"`
	Private   bool     `json:"private"`      // for this agent alone
	Session   bool     `json:"session_only"` // for this session alone
	Core      string   `json:"core"`         // a part of the core document, instead of a memory
}

type updateIn struct {
	ID        string   `json:"id"`
	What      string   `json:"what"`
	Why       string   `json:"why"`
	Type      string   `json:"type"`
	Scope     []string `json:"scope"`
	Tags      []string `json:"tags"`
	Relations []string `json:"relations"`
	Reason    string   `json:"reason"`
}

type judgeIn struct {
	ID       string `json:"id"`
	Reason   string `json:"reason"`
	Disputes bool   `json:"disputes"` // of confirm: it does not hold
}

// Written is the result of a proposal.
type Written struct {
	Accepted   bool
	Reason     string // why not, or what becomes of it
	ID         string // of the memory or the draft
	Draft      bool   // it waits for review
	Doubt      string // the kind of junk that a draft may be
	MergedInto string // the id of the memory or draft that says the same already
}

// writeTools propose memories and changes of them.
type writeTools struct{ *toolkit }

func (t *writeTools) remember(ctx context.Context, c *call, in rememberIn) (string, Written, error) {
	if err := t.sessions.repeats(strings.Join([]string{in.What, in.Why, in.Instead, in.Task}, "\n")); err != nil {
		return "", Written{}, err
	}
	sp, err := t.spaces.writable(ctx, append(slices.Clone(in.At), in.Scope...))
	if err != nil {
		return "", Written{}, err
	}
	if in.Core != "" {
		return t.proposeCore(ctx, c, sp, in)
	}
	d := memory.Draft{What: in.What, Why: in.Why, At: in.At, Scope: in.Scope, Tags: in.Tags, Work: in.Work, Agent: true, Tool: c.agent, Session: t.sessions.of(c, sp)}
	if in.Type != "" {
		types, err := parseTypes([]string{in.Type})
		if err != nil {
			return "", Written{}, err
		}
		d.Type = types[0]
	}
	d.Details.Task = in.Task
	if d.Details.Instead = in.Instead; in.Instead != "" && d.Type == "" {
		d.Type = file.DeadEnd
	}
	if d.Relations, err = relationsOf(ctx, sp, in.Relations); err != nil {
		return "", Written{}, err
	}
	if in.Private {
		d.For = c.agent
	}
	if in.Session {
		if d.During, err = onlyHere(sp, in, d.Session); err != nil {
			return "", Written{}, err
		}
	}
	d.At = withFiles(ctx, sp, in.At)
	d.Tainted = t.sessions.tainted(ctx, sp, d.Session)
	r, err := sp.Memories.Remember(ctx, d)
	if err != nil {
		return "", Written{}, err
	}
	t.sessions.keep(r)
	return answerOf(r, "kept as a draft")
}

// withFiles replaces the bare names of symbols by their places, where the code has one symbol of the name.
func withFiles(ctx context.Context, sp *Space, at []string) []string {
	out := slices.Clone(at)
	for i, given := range out {
		name, ok := memory.BareName(sp.Memories.Place(), given)
		if !ok {
			continue
		}
		c, err := sp.Describe(ctx, nearby.Place{File: name})
		if err == nil && c.Symbol != "" {
			out[i] = c.File + "#" + c.Symbol
		}
	}
	return out
}

// onlyHere returns the session that a memory is for alone. It has to be known by its log, which says when it is over.
func onlyHere(sp *Space, in rememberIn, session string) (string, error) {
	if in.Private {
		return "", userError("one memory is for the session alone or for the agent alone", "Use session_only or private.")
	}
	if session == "" {
		return "", userError("it is not known which session this is", "Leave out session_only, and later sessions hear of it, too.")
	}
	stateDir := sp.Memories.Place().StateDir()
	if _, _, known := eventlog.FirstAndLast(stateDir, eventlog.SafeName(session)); !known {
		return "", userError("this session has no log here, so nobody would know when it is over", "Leave out session_only, and later sessions hear of it, too.")
	}
	return session, nil
}

// proposeCore proposes a text for the document that every session begins with.
func (t *writeTools) proposeCore(ctx context.Context, c *call, sp *Space, in rememberIn) (string, Written, error) {
	part, ok := core.PartOf(in.Core)
	if !ok {
		return "", Written{}, userError(fmt.Sprintf("%q is no part of the core document", nudge.Cut(nudge.Clean(in.Core), 40)), "Write summary, convention, preferences, focus or notes.")
	}
	if in.Session {
		return "", Written{}, userError("the core document is for all sessions", "Leave out session_only or core.")
	}
	whose := ""
	if in.Private {
		if _, hooked := agent.Lookup(c.agent); !hooked {
			return "", Written{}, userError("no session of this agent begins with a document of its own", "Leave out private, and the whole project's document is meant.")
		}
		whose = c.agent
	}
	session := t.sessions.of(c, sp)
	r, err := sp.Memories.Drafts().ProposeCore(ctx, memory.CoreChange{For: whose, Part: part, Text: in.What, Reason: in.Why, Tool: c.agent, Session: session, Tainted: t.sessions.tainted(ctx, sp, session)})
	if err != nil {
		return "", Written{}, err
	}
	t.sessions.keep(r)
	return answerOf(r, "kept as a draft")
}

// relationsOf reads relations such as "supersedes 0198f0c2".
func relationsOf(ctx context.Context, sp *Space, list []string) (out []file.Relation, err error) {
	for _, x := range list {
		says, id, ok := strings.Cut(strings.TrimSpace(x), " ")
		i := slices.IndexFunc(memory.RelationNames(), func(n memory.RelationName) bool { return n.Flag == says })
		if !ok || i < 0 {
			return nil, userError(fmt.Sprintf("%q is no relation", nudge.Cut(nudge.Clean(x), 60)), "Write \"supersedes ID\", \"conflicts ID\", \"relates ID\" or \"requires ID\".")
		}
		if id, err = checkID(strings.TrimSpace(id)); err != nil {
			return nil, err
		}
		r, err := sp.Memories.Relations().To(ctx, memory.RelationNames()[i].Type, id)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// answerOf describes the result of a write.
func answerOf(r memory.Result, verb string) (string, Written, error) {
	out := Written{Accepted: r.Accepted, Draft: r.Draft, Reason: nudge.Clean(r.Reason), Doubt: r.Doubt}
	if r.Memory != nil {
		out.ID = r.Memory.ShortID()
	}
	if r.MergedInto != "" {
		out.ID = r.MergedInto[max(0, len(r.MergedInto)-8):]
		out.MergedInto = out.ID
	}
	message := ""
	switch {
	case !r.Accepted:
		out.Reason = nudge.Clean(inTools(r.Reason))
		message = "not accepted: " + out.Reason
	case r.Deduped:
		message = fmt.Sprintf("%s (%s)", out.Reason, out.ID)
	case verb == "kept as a draft":
		message = fmt.Sprintf("kept as draft %s; %s", out.ID, out.Reason)
	default:
		message = fmt.Sprintf("%s as %s; %s", verb, out.ID, out.Reason)
	}
	if r.Advice != "" {
		advice := ". But " + r.Advice + " Update it if you can say that."
		message, out.Reason = message+advice, out.Reason+advice
	}
	return "☞ Manicule: " + message, out, nil
}

// checkID returns an id of a memory or draft as an agent gave it, without what may stand around it.
func checkID(id string) (string, error) {
	if id = idOf(id); len(id) < 4 {
		return "", userError(fmt.Sprintf("%q is not an id", nudge.Cut(nudge.Clean(id), 40)), "Give the id of an answer's item, at least four characters of it.")
	}
	return id, nil
}

func (t *writeTools) update(ctx context.Context, c *call, in updateIn) (string, Written, error) {
	id, err := checkID(in.ID)
	if err != nil {
		return "", Written{}, err
	}
	if in.empty() {
		return "", Written{}, userError("there is nothing to change", "Give what, why, type, scope, tags or relations.")
	}
	if injection.Echo(in.What) || injection.Echo(in.Why) {
		return "", Written{}, userError("the text repeats what Manicule said", "Say in your own words what is new.")
	}
	var types []file.Type
	if in.Type != "" {
		if types, err = parseTypes([]string{in.Type}); err != nil {
			return "", Written{}, err
		}
	}
	sp, err := t.spaces.writableOf(ctx, id)
	if err != nil {
		return "", Written{}, err
	}
	relations, err := relationsOf(ctx, sp, in.Relations)
	if err != nil {
		return "", Written{}, err
	}
	edit := in.edit(types, relations)
	if own, err := t.sessions.ownDraft(ctx, sp, id, c); err != nil {
		return "", Written{}, err
	} else if !own {
		return t.propose(ctx, c, sp, memory.Change{Act: memory.ActEdit, Memory: id, Edit: edit, Reason: in.Reason})
	}
	if in.What+in.Why != "" {
		if err := t.sessions.repeats(in.What + "\n" + in.Why); err != nil {
			return "", Written{}, err
		}
	}
	tainted := t.sessions.tainted(ctx, sp, t.sessions.of(c, sp))
	r, err := sp.Memories.Drafts().Rewrite(ctx, id, func(m *file.Memory) error {
		m.Trust.Tainted = m.Trust.Tainted || tainted
		return edit(m)
	})
	if err != nil {
		return "", Written{}, err
	}
	if r.Accepted {
		r.Reason = waits
	}
	return answerOf(r, "changed")
}

// empty reports whether an update changes nothing.
func (in updateIn) empty() bool {
	return in.What == "" && in.Why == "" && in.Type == "" && in.Scope == nil && in.Tags == nil && in.Relations == nil
}

// edit returns the change of a memory that an update asks for. types has the new type, if any.
func (in updateIn) edit(types []file.Type, relations []file.Relation) func(*file.Memory) error {
	return func(m *file.Memory) error {
		if err := memory.AddRelations(m, relations); err != nil {
			return err
		}
		if in.What != "" {
			m.What = in.What
		}
		if in.Why != "" {
			m.Why = in.Why
		}
		if in.Scope != nil {
			m.Scope = in.Scope
			if len(in.Scope) == 0 {
				m.Scope = nil
			}
		}
		if in.Tags != nil {
			m.Tags = in.Tags
		}
		if len(types) > 0 {
			m.Type = types[0]
			m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
		}
		return nil
	}
}

func (t *writeTools) forget(ctx context.Context, c *call, in judgeIn) (string, Written, error) {
	id, err := checkID(in.ID)
	if err != nil {
		return "", Written{}, err
	}
	sp, err := t.spaces.writableOf(ctx, id)
	if err != nil {
		return "", Written{}, err
	}
	if was, err := sp.Memories.Drafts().Withdraw(ctx, id, func(d store.DraftRow) bool { return t.sessions.owns(c, sp, d) }); err != nil {
		return "", Written{}, err
	} else if was {
		id = nudge.Clean(id)
		return "☞ Manicule: draft " + id + " is taken back", Written{Accepted: true, ID: id, Reason: "taken back"}, nil
	}
	return t.proposeVerdict(ctx, c, sp, memory.Change{Act: memory.ActForget, Memory: id, Reason: in.Reason})
}

func (t *writeTools) confirm(ctx context.Context, c *call, in judgeIn) (string, Written, error) {
	id, err := checkID(in.ID)
	if err != nil {
		return "", Written{}, err
	}
	sp, err := t.spaces.writableOf(ctx, id)
	if err != nil {
		return "", Written{}, err
	}
	act := memory.ActConfirm
	if in.Disputes {
		act = memory.ActDispute
	}
	return t.proposeVerdict(ctx, c, sp, memory.Change{Act: act, Memory: id, Reason: in.Reason})
}

// proposeVerdict proposes a change that stands on its reason alone.
func (t *writeTools) proposeVerdict(ctx context.Context, c *call, sp *Space, ch memory.Change) (string, Written, error) {
	if strings.TrimSpace(ch.Reason) == "" {
		return "", Written{}, userError("the reason is missing", "Say in `reason` what you saw: a person decides by it.")
	}
	return t.propose(ctx, c, sp, ch)
}

// propose stores an agent's proposal about an accepted memory.
func (t *writeTools) propose(ctx context.Context, c *call, sp *Space, ch memory.Change) (string, Written, error) {
	if injection.Echo(ch.Reason) {
		return "", Written{}, userError("the reason repeats what Manicule said", "Say in your own words what you saw.")
	}
	ch.Tool, ch.Session = c.agent, t.sessions.of(c, sp)
	ch.Tainted = t.sessions.tainted(ctx, sp, ch.Session)
	r, err := sp.Memories.Drafts().Propose(ctx, ch)
	if err != nil {
		return "", Written{}, err
	}
	t.sessions.keep(r)
	return answerOf(r, "proposed")
}

// isUserError reports an error that the caller can correct.
func isUserError(err error) bool {
	_, ok := errors.AsType[*memory.UserError](err)
	return ok || errors.Is(err, context.Canceled)
}
