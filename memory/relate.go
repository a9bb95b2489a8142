package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/restate"
	"manicule/memory/store"
)

// RelationName is a relation between memories that people and agents can state.
type RelationName struct {
	Type string // in the file
	Flag string // of commands, and the member of tools
	Doc  string
	Says string // between this memory and the other
	Back string // the same from the other one's side
}

// conflictsWith is the type of the relation to a memory that one contradicts.
const conflictsWith = "conflicts_with"

// RelationNames lists the relations that can be stated.
func RelationNames() []RelationName {
	return []RelationName{
		{"supersedes", "supersedes", "the id of a memory that this one replaces", "supersedes", "superseded by"},
		{conflictsWith, "conflicts", "the id of a memory that this one contradicts", "conflicts with", "conflicts with"},
		{"related_to", "relates", "the id of a memory that is worth reading, too", "relates to", "relates to"},
		{"required_with", "requires", "the id of a memory without which this one misleads", "requires", "required by"},
	}
}

// Relations are those between the memories of a workspace. It is safe for concurrent use.
type Relations struct {
	rows *store.Memories
	find *finder
}

// To makes the relation of a type to the memory with an id.
func (r *Relations) To(ctx context.Context, kind, id string) (file.Relation, error) {
	h, _, err := r.find.any(ctx, id)
	if err != nil {
		return file.Relation{}, err
	}
	return file.Relation{Type: kind, Memory: h.Memory.UUID, Confidence: 1}, nil
}

// AddRelations adds relations that a memory does not have. A stated one replaces one that was
// inferred between the same memories.
func AddRelations(m *file.Memory, list []file.Relation) error {
	for _, r := range list {
		if r.Memory == m.UUID {
			return &UserError{Msg: fmt.Sprintf("memory %s can't be related to itself", m.ShortID()), Err: errMalformed, Hint: "Name another memory."}
		}
		m.Relations = slices.DeleteFunc(m.Relations, func(x file.Relation) bool {
			return x.Memory == r.Memory && (x.Auto || x.Type == r.Type || r.Type == "supersedes" && x.Type == conflictsWith)
		})
		m.Relations = append(m.Relations, r)
	}
	return nil
}

// checkRelations refuses what m relates to beyond the version before it, nil for none: the file of a shared memory must not name
// a personal one, which nobody else has, and of two memories only one can supersede the other. What was inferred with a personal
// memory it leaves out.
func checkRelations(ctx context.Context, rows *store.Memories, m, was *file.Memory) error {
	known := map[string]bool{}
	if was != nil && (was.Visibility == file.Personal) == (m.Visibility == file.Personal) {
		for _, r := range was.Relations {
			known[r.Type+" "+r.Memory] = true
		}
	}
	var ids []string
	for _, r := range m.Relations {
		if r.Memory != "" && r.Memory != m.UUID && !known[r.Type+" "+r.Memory] {
			ids = append(ids, r.Memory)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := rows.Of(ctx, ids)
	if err != nil {
		return fmt.Errorf("read what %s relates to: %w", m.ShortID(), err)
	}
	others := map[string]*file.Memory{}
	for _, row := range found {
		if x, err := row.Memory(); err == nil { // a damaged one is reported as a problem
			others[x.UUID] = x
		}
	}
	m.Relations = slices.DeleteFunc(m.Relations, func(r file.Relation) bool {
		x := others[r.Memory]
		return x != nil && r.Auto && apart(m, x)
	})
	var by map[string]string
	for _, r := range m.Relations {
		x := others[r.Memory]
		if x != nil && r.Type == file.Supersedes && by == nil {
			if by, err = rows.Superseded(ctx); err != nil {
				return fmt.Errorf("list what is superseded: %w", err)
			}
		}
		switch {
		case x == nil:
		case apart(m, x):
			return refusePersonal(x, r.Type)
		case r.Type == file.Supersedes && replaces(x, m):
			return &gate.Rejection{Code: gate.Malformed, Reason: fmt.Sprintf("memory %s supersedes this one", x.ShortID()),
				Hint: fmt.Sprintf("`manicule edit %s --unrelate %s` first, if it is the other way round.", x.ShortID(), m.ShortID())}
		case r.Type == file.Supersedes && leadsTo(by, m.UUID, x.UUID):
			return &gate.Rejection{Code: gate.Malformed, Reason: fmt.Sprintf("memory %s supersedes this one by way of others", x.ShortID()),
				Hint: fmt.Sprintf("`manicule edit %s --unrelate %s` first, if this one holds again.", file.ShortID(by[m.UUID]), m.ShortID())}
		}
	}
	return nil
}

// checkNamed refuses to make a memory personal that the file of a shared one names, as people stated: nobody else would have what
// it points to. was is the version before m.
func checkNamed(ctx context.Context, rows *store.Memories, m, was *file.Memory) error {
	if m.Visibility != file.Personal || was.Visibility == file.Personal {
		return nil
	}
	naming, err := rows.Naming(ctx, m.UUID)
	if err != nil {
		return fmt.Errorf("list what names %s: %w", m.ShortID(), err)
	}
	for _, row := range naming {
		x, err := row.Memory()
		if err != nil || x.Visibility == file.Personal || !slices.ContainsFunc(x.Relations, func(r file.Relation) bool { return r.Memory == m.UUID && !r.Auto }) {
			continue
		}
		return &gate.Rejection{Code: gate.Malformed, Reason: fmt.Sprintf("the file of memory %s, which is shared, names this one", x.ShortID()),
			Hint: fmt.Sprintf("`manicule edit %s --unrelate %s` first; then it can become personal.", x.ShortID(), m.ShortID())}
	}
	return nil
}

// leadsTo reports whether what supersedes a memory is superseded in turn, up to another one. by is what supersedes each.
func leadsTo(by map[string]string, from, to string) bool {
	for n := 0; n <= len(by) && from != "" && from != to; n++ { // files may have a circle
		from = by[from]
	}
	return from == to
}

// replaces reports whether a memory states that it supersedes another one.
func replaces(m, other *file.Memory) bool {
	return slices.ContainsFunc(m.Relations, func(r file.Relation) bool { return r.Type == file.Supersedes && r.Memory == other.UUID })
}

// whileBoth returns as what a relation of one memory to another counts: as a conflict, if each supersedes the other.
func whileBoth(kind string, to, of *file.Memory) string {
	if kind == file.Supersedes && replaces(to, of) {
		return conflictsWith
	}
	return kind
}

// apart reports whether only the writer of m has another memory, and all have m.
func apart(m, other *file.Memory) bool {
	return m.Visibility != file.Personal && other.Visibility == file.Personal
}

// refusePersonal says what to do instead of relating a shared memory to a personal one.
func refusePersonal(mine *file.Memory, kind string) error {
	hint := fmt.Sprintf("State it from there, once this one is stored: `manicule edit %s --%s ID`.", mine.ShortID(), flagOf(kind))
	if kind == file.Supersedes {
		hint = fmt.Sprintf("`manicule forget %s` ends the personal one; `manicule edit %[1]s --deprecate WHY` keeps it as history.", mine.ShortID())
	}
	return &gate.Rejection{Code: gate.Malformed, Reason: fmt.Sprintf("memory %s is personal, and the file of a shared one would name it", mine.ShortID()), Hint: hint}
}

// flagOf is the flag that states a relation.
func flagOf(kind string) string {
	for _, n := range RelationNames() {
		if n.Type == kind && kind != "required_with" { // the other way round it says something else
			return n.Flag
		}
	}
	return "relates"
}

// RemoveRelations removes the relations to the memories that ids are short for. It is an error if an id may mean several.
func RemoveRelations(m *file.Memory, ids []string) error {
	for _, id := range ids {
		id = file.TypedID(id)
		meant := map[string]bool{}
		for _, r := range m.Relations {
			if file.Abbreviates(id, r.Memory) {
				meant[r.Memory] = true
			}
		}
		if len(meant) > 1 {
			return &UserError{Msg: fmt.Sprintf("memory %s has relations to %d memories that %q is short for", m.ShortID(), len(meant), id), Err: ErrAmbiguous,
				Hint: "Say more of the id; `manicule show " + m.ShortID() + "` lists them."}
		}
		n := len(m.Relations)
		m.Relations = slices.DeleteFunc(m.Relations, func(r file.Relation) bool {
			return len(id) >= 4 && r.Memory != "" && file.Abbreviates(id, r.Memory)
		})
		if len(m.Relations) == n {
			return &UserError{Msg: fmt.Sprintf("memory %s has no relation to %q", m.ShortID(), id), Err: ErrNotFound, Hint: "`manicule show " + m.ShortID() + "` lists its relations; the side that states one can end it."}
		}
	}
	return nil
}

// Related is another memory to which one is related, in words.
type Related struct {
	Says string `json:"says"` // such as "conflicts with"
	Type string `json:"type"`
	UUID string `json:"uuid"`
	What string `json:"what,omitempty"` // "" if it is not here
	Auto bool   `json:"auto,omitempty"`
	Back bool   `json:"back,omitempty"` // the other one states it
}

// ShortID is the short id of the other memory.
func (r Related) ShortID() string { return r.UUID[max(0, len(r.UUID)-8):] }

// Of lists the memories to which one is related, stated by either side.
func (r *Relations) Of(ctx context.Context, m *file.Memory) ([]Related, error) {
	var ids []string
	for _, x := range m.Relations {
		if x.Memory != "" {
			ids = append(ids, x.Memory)
		}
	}
	known, err := r.find.each(ctx, ids)
	if err != nil {
		return nil, err
	}
	rows, err := r.rows.Naming(ctx, m.UUID)
	if err != nil {
		return nil, fmt.Errorf("list what names %s: %w", m.ShortID(), err)
	}
	var from []*file.Memory
	for _, row := range rows {
		if x, err := row.Memory(); err == nil {
			from = append(from, x)
		}
	}
	superseded, err := r.rows.Superseded(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what is superseded: %w", err)
	}
	beside := append(from, m)
	for _, h := range known {
		beside = append(beside, h.Memory)
	}
	return related(m, func(id string) (Hit, bool) { h, ok := known[id]; return h, ok }, from, outOfUse(beside, superseded)), nil
}

// outOfUse returns what reports whether a memory is superseded, be it by one of some memories as their files are now, or
// whether it is one of them and deprecated.
func outOfUse(list []*file.Memory, superseded map[string]string) func(uuid string) bool {
	gone := map[string]bool{}
	for uuid := range superseded {
		gone[uuid] = true
	}
	maps.Copy(gone, file.Superseded(slices.Values(list)))
	for _, m := range list {
		if m.Trust.Deprecated != nil {
			gone[m.UUID] = true
		}
	}
	return func(uuid string) bool { return gone[uuid] }
}

// settled reports whether a conflict that one memory states with another is over: one of them is out of use, or it was found by words
// of which a person has changed those that differed.
func settled(r file.Relation, by, with *file.Memory, gone func(uuid string) bool) bool {
	return gone(by.UUID) || gone(with.UUID) || r.Auto && restate.Differ(by.What, with.What) == ""
}

// RelatedTo is [Relations.Of] in a loaded view.
func (v *View) RelatedTo(m *file.Memory) []Related {
	return related(m, v.Get, v.naming[m.UUID], func(uuid string) bool { return v.superseded[uuid] })
}

// related leaves out conflicts that are settled. Two memories that supersede each other conflict.
func related(m *file.Memory, get func(id string) (Hit, bool), from []*file.Memory, gone func(uuid string) bool) []Related {
	var out []Related
	seen := map[string]bool{}
	add := func(r file.Relation, id, what string, back bool) {
		says := strings.ReplaceAll(r.Type, "_", " ")
		for _, n := range RelationNames() {
			if n.Type == r.Type {
				says = n.Says
				if back {
					says = n.Back
				}
			}
		}
		if key := says + " " + id; id != m.UUID && !seen[key] {
			seen[key] = true
			out = append(out, Related{says, r.Type, id, what, r.Auto, back})
		}
	}
	for _, r := range m.Relations {
		if r.Memory == "" {
			continue
		}
		h, ok := get(r.Memory)
		what := ""
		if ok {
			what = h.Memory.What
			r.Type = whileBoth(r.Type, h.Memory, m)
		}
		if ok && r.Type == conflictsWith && settled(r, m, h.Memory, gone) {
			continue
		}
		add(r, r.Memory, what, false)
	}
	for _, x := range from {
		for _, r := range x.Relations {
			r.Type = whileBoth(r.Type, m, x)
			if r.Memory == m.UUID && (r.Type != conflictsWith || !settled(r, x, m, gone)) {
				add(r, x.UUID, x.What, true)
			}
		}
	}
	return out
}
