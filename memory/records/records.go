package records

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/gate"
	"manicule/memory/record"
)

// List is the list of what agents keep in a workspace. It is safe for concurrent use by goroutines and processes.
type List struct {
	place  *workspace.Workspace
	rows   rows
	texts  texts
	author func() string
	newID  func() (string, error)
}

// rows are the versions of records. [store.Records] keeps them.
type rows interface {
	Named(ctx context.Context, kind record.Kind, agent, name string) (r record.Record, ok bool, err error)
	Versions(ctx context.Context, id string) ([]record.Record, error)
	Put(ctx context.Context, r record.Record) (record.Record, error)
	Change(ctx context.Context, kind record.Kind, name string, change func(record.Record) (record.Record, error)) (record.Record, error)
}

// texts checks what may be told to agents.
type texts interface {
	CheckText(what, text string) error
}

// Of returns the records of a workspace.
func Of(w *memory.Workspace) *List {
	return &List{place: w.Place(), rows: w.State().Records(), texts: w.Gate(), author: w.Maker().Author, newID: w.Maker().NewID}
}

// Put stores a record of an agent. An identity slot and a conversation with the name of an earlier one is its next
// version. agentWrites is true if an agent writes it: it must not have read text from outside.
func (l *List) Put(ctx context.Context, r record.Record, agentWrites bool) (record.Record, error) {
	if r.Kind == record.Header {
		return r, &gate.Rejection{Code: gate.Malformed, Reason: "a session's header is kept with its session", Hint: "`manicule session set` changes it."}
	}
	return l.put(ctx, r, agentWrites)
}

// PutHeader changes what is kept of what a session is for and what came of it. author is the agent that writes, "" for a person;
// tainted is whether its session read text from outside.
func (l *List) PutHeader(ctx context.Context, session string, c record.HeaderChange, author string, tainted bool) (h record.SessionHeader, err error) {
	if err := l.mayKeep(tainted, author != ""); err != nil {
		return h, err
	}
	for _, text := range []*string{c.Title, c.Intent, c.Summary} {
		if text == nil {
			continue
		}
		*text = oneLine(*text)
		if utf8.RuneCountInString(*text) > record.MaxContent/4 {
			return h, &gate.Rejection{Code: gate.Malformed, Reason: fmt.Sprintf("a text has more than %d characters", record.MaxContent/4), Hint: "Say it in a sentence or two."}
		}
		if err := l.texts.CheckText("header", *text); err != nil {
			return h, err
		}
	}
	id, err := l.newID()
	if err != nil {
		return h, err
	}
	_, err = l.rows.Change(ctx, record.Header, session, func(r record.Record) (record.Record, error) {
		var refused string
		if h, refused = r.SessionHeader().With(c, author == ""); refused != "" {
			return r, &memory.UserError{Msg: "the " + refused + " of this session is a person's", Hint: "Leave it as it is, or leave a thread of your own."}
		}
		if r.Lineage == "" {
			r.Lineage = id
		}
		if r.Author = author; author == "" {
			r.Author = l.author()
		}
		r.Tainted = false
		r.Content, err = json.Marshal(h, json.Deterministic(true))
		return r, err
	})
	return h, err
}

// mayKeep reports why nothing is kept, nil if it is.
func (l *List) mayKeep(tainted, agentWrites bool) error {
	switch {
	case !l.place.IsSetUp():
		return &memory.UserError{Msg: "there are no memories in " + l.place.Root + ", so nothing is kept", Hint: "Run `manicule init` first."}
	case tainted && agentWrites:
		return &gate.Rejection{Code: gate.Injection, Reason: "this session has read text from outside, and later sessions are told of records", Hint: "Say what you would keep, and a person keeps it."}
	}
	return nil
}

// oneLine cleans a text of what can't be seen, and of its line breaks.
func oneLine(s string) string { return strings.Join(strings.Fields(gate.Clean(s)), " ") }

func (l *List) put(ctx context.Context, r record.Record, agentWrites bool) (record.Record, error) {
	if err := l.mayKeep(false, agentWrites); err != nil {
		return r, err
	}
	r.Name, r.Type = oneLine(r.Name), strings.TrimSpace(r.Type)
	if r.Kind == record.Entry && r.Type == "" {
		r.Type = record.EntryTypes()[0]
	}
	if err := r.Check(); err != nil {
		return r, &gate.Rejection{Code: gate.Malformed, Reason: err.Error(), Hint: "`manicule record --help` says what a record is."}
	}
	if err := l.texts.CheckText("record", r.Words()+"\n"+r.Agent); err != nil {
		return r, err
	}
	if err := l.mayKeep(r.Tainted, agentWrites); err != nil {
		return r, err
	}
	if r.Author == "" {
		r.Author = l.author()
	}
	if r.Kind == record.Identity || r.Kind == record.Conversation {
		known, ok, err := l.rows.Named(ctx, r.Kind, r.Agent, r.Name)
		if err != nil {
			return r, fmt.Errorf("look for the record: %w", err)
		}
		if ok {
			if string(known.Content) == string(r.Content) && len(r.Tags) == 0 {
				return known, nil
			}
			r.Lineage = known.Lineage
			if len(r.Tags) == 0 {
				r.Tags = known.Tags
			}
		}
	}
	if r.Lineage == "" {
		id, err := l.newID()
		if err != nil {
			return r, err
		}
		r.Lineage = id
	}
	return l.rows.Put(ctx, r)
}

// Append appends an entry to a conversation.
func (l *List) Append(ctx context.Context, id string, r record.Record, agentWrites bool) (record.Record, error) {
	versions, err := l.Get(ctx, id)
	if err != nil {
		return r, err
	}
	if versions[0].Kind != record.Conversation {
		return r, &memory.UserError{Msg: fmt.Sprintf("record %s is no conversation", record.ShortLineage(versions[0].Lineage)), Hint: "`manicule record list conversation` lists them."}
	}
	r.Kind, r.Parent, r.Agent, r.Name = record.Entry, versions[0].Lineage, versions[0].Agent, ""
	return l.Put(ctx, r, agentWrites)
}

// Get returns the versions of a record, newest first. The id may be abbreviated.
func (l *List) Get(ctx context.Context, id string) ([]record.Record, error) {
	if err := memory.CheckID(id); err != nil {
		return nil, err
	}
	list, err := l.rows.Versions(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	lineages := map[string]bool{}
	for _, r := range list {
		lineages[r.Lineage] = true
	}
	switch len(lineages) {
	case 0:
		return nil, &memory.UserError{Msg: fmt.Sprintf("no record has the id %q", id), Err: memory.ErrNotFound, Hint: "`manicule record list` lists them."}
	case 1:
		return list, nil
	}
	return nil, &memory.UserError{Msg: fmt.Sprintf("%d records have an id that %q is short for", len(lineages), id), Err: memory.ErrAmbiguous, Hint: "Give more of it."}
}
