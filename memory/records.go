package memory

import (
	"context"
	"fmt"
	"strings"

	"manicule/memory/gate"
	"manicule/memory/record"
)

// PutRecord stores a record of an agent. An identity slot and a conversation with the name of an earlier one is its next
// version. agentWrites is true if an agent writes it: it must not have read text from outside.
func (w *Workspace) PutRecord(ctx context.Context, r record.Record, agentWrites bool) (record.Record, error) {
	if !w.place.IsSetUp() {
		return r, &UserError{Msg: "there are no memories in " + w.place.Root + ", so nothing is kept", Hint: "Run `manicule init` first."}
	}
	r.Name, r.Type = strings.Join(strings.Fields(gate.Clean(r.Name)), " "), strings.TrimSpace(r.Type)
	if r.Kind == record.Entry && r.Type == "" {
		r.Type = record.EntryTypes()[0]
	}
	if err := r.Check(); err != nil {
		return r, &gate.Rejection{Code: gate.Malformed, Reason: err.Error(), Hint: "`manicule record --help` says what a record is."}
	}
	if err := w.checkSafe("record", r.Words()); err != nil {
		return r, err
	}
	if r.Tainted && agentWrites {
		return r, &gate.Rejection{Code: gate.Injection, Reason: "this session has read text from outside, and later sessions are told of records", Hint: "Say what you would keep, and a person keeps it."}
	}
	if r.Author == "" {
		r.Author = w.author()
	}
	if r.Kind == record.Identity || r.Kind == record.Conversation {
		known, ok, err := w.state.RecordNamed(ctx, r.Kind, r.Agent, r.Name)
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
		id, err := w.NewID()
		if err != nil {
			return r, err
		}
		r.Lineage = id
	}
	return w.state.PutRecord(ctx, r)
}

// AppendEntry appends an entry to a conversation.
func (w *Workspace) AppendEntry(ctx context.Context, id string, r record.Record, agentWrites bool) (record.Record, error) {
	versions, err := w.Record(ctx, id)
	if err != nil {
		return r, err
	}
	if versions[0].Kind != record.Conversation {
		return r, &UserError{Msg: fmt.Sprintf("record %s is no conversation", ShortLineage(versions[0].Lineage)), Hint: "`manicule record list conversation` lists them."}
	}
	r.Kind, r.Parent, r.Agent, r.Name = record.Entry, versions[0].Lineage, versions[0].Agent, ""
	return w.PutRecord(ctx, r, agentWrites)
}

// Record returns the versions of a record, newest first. The id may be abbreviated.
func (w *Workspace) Record(ctx context.Context, id string) ([]record.Record, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	list, err := w.state.RecordVersions(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	lineages := map[string]bool{}
	for _, r := range list {
		lineages[r.Lineage] = true
	}
	switch len(lineages) {
	case 0:
		return nil, &UserError{Msg: fmt.Sprintf("no record has the id %q", id), Err: ErrNotFound, Hint: "`manicule record list` lists them."}
	case 1:
		return list, nil
	}
	return nil, &UserError{Msg: fmt.Sprintf("%d records have an id that %q is short for", len(lineages), id), Err: ErrAmbiguous, Hint: "Give more of it."}
}

// ShortLineage is the short form of a record's id.
func ShortLineage(lineage string) string { return lineage[max(0, len(lineage)-8):] }
