// Package record owns what agents keep beside memories: who they are (identity slots), talks with their
// entries, and touchstones. All are records with versions of one lineage; a part refers to its whole by the
// lineage, never by a version. The package must not know where records are stored, or what is done with them.
package record

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind is what a record is.
type Kind string

// The kinds of records.
const (
	Identity     Kind = "identity"     // a slot of what an agent is, such as its persona or its tool policy: the name is the slot
	Conversation Kind = "conversation" // a talk: the name is the topic
	Entry        Kind = "entry"        // a part of a conversation, which never changes
	Touchstone   Kind = "touchstone"   // something that matters to the agent: the name is the fact
	Work         Kind = "work"         // a unit of work with its state, which package work reads: the name is its key
	Outcome      Kind = "outcome"      // what became of a memory when its unit of work was over: the name is the memory
	Header       Kind = "header"       // what a session was for, in the words of its agent or of a person: the name is the session
)

// Kinds returns the kinds that are made by name; entries are appended to a conversation.
func Kinds() []Kind { return []Kind{Identity, Conversation, Touchstone} }

// EntryTypes are the types of entries, the usual one first.
func EntryTypes() []string { return []string{"message", "observation", "decision", "question"} }

// Record is one version of a record.
type Record struct {
	Lineage string // shared by the versions
	Version int    // from 1 on
	Kind    Kind
	Agent   string // whose it is, "" for everybody's
	Name    string
	Parent  string // the lineage of the conversation of an entry
	Type    string
	Author  string
	Tags    []string
	Content jsontext.Value // a string for plain text
	Tainted bool           // it may come from strangers: no agent is told
	At      time.Time
}

// SessionHeader is the content of a [Header].
type SessionHeader struct {
	Title   string `json:"title,omitzero"`
	Intent  string `json:"intent,omitzero"`  // what the session is for
	Summary string `json:"summary,omitzero"` // what came of it
	// ByPerson names the fields that a person wrote.
	ByPerson []string `json:"by_person,omitempty"`
}

// HeaderChange is what is set of a header: nil leaves a field as it is, an empty text clears it.
type HeaderChange struct{ Title, Intent, Summary *string }

// With returns a header with a change by a person or by an agent. An agent does not change what a person wrote: the field is returned.
func (h SessionHeader) With(c HeaderChange, byPerson bool) (changed SessionHeader, refused string) {
	h.ByPerson = slices.Clone(h.ByPerson)
	for _, f := range []struct {
		name string
		now  *string
		to   *string
	}{{"title", &h.Title, c.Title}, {"intent", &h.Intent, c.Intent}, {"summary", &h.Summary, c.Summary}} {
		if f.to == nil || *f.to == *f.now {
			continue
		}
		if !byPerson && slices.Contains(h.ByPerson, f.name) {
			return h, f.name
		}
		*f.now = *f.to
		h.ByPerson = slices.DeleteFunc(h.ByPerson, func(name string) bool { return name == f.name })
		if byPerson && *f.to != "" {
			h.ByPerson = append(h.ByPerson, f.name)
		}
	}
	slices.Sort(h.ByPerson)
	return h, ""
}

// SessionHeader returns the content of a header; a damaged one is empty.
func (r *Record) SessionHeader() (h SessionHeader) {
	if r.Kind == Header && json.Unmarshal(r.Content, &h) != nil {
		return SessionHeader{}
	}
	return h
}

// Talk is a conversation with what its entries amount to.
type Talk struct {
	Record
	Entries    int
	LastActive time.Time
}

// Limits of a record, in characters. A record is told to sessions, or read in one go.
const (
	MaxName    = 200
	MaxContent = 4_000
	maxTags    = 20
)

// Check reports what is wrong with a record that is to be stored, in words for its writer.
func (r *Record) Check() error {
	switch {
	case r.Kind == Entry && r.Parent == "":
		return fmt.Errorf("an entry needs its conversation")
	case r.Kind == Entry && !slices.Contains(EntryTypes(), r.Type):
		return fmt.Errorf("unknown type %q of an entry: use %s", r.Type, strings.Join(EntryTypes(), ", "))
	case r.Kind == Entry && strings.TrimSpace(r.Text()) == "":
		return fmt.Errorf("an entry needs a text")
	case (r.Kind == Identity || r.Kind == Touchstone) && strings.HasPrefix(r.Text(), "{") && !jsontext.Value(r.Text()).IsValid(): // it was to be one
		return fmt.Errorf("the content begins as a JSON object and is none")
	case r.Kind != Entry && r.Kind != Header && !slices.Contains(Kinds(), r.Kind):
		return fmt.Errorf("unknown kind %q of a record: use identity, conversation or touchstone", r.Kind)
	case r.Kind != Entry && strings.TrimSpace(r.Name) == "":
		return fmt.Errorf("a record needs a name: a slot, a topic or a fact")
	case utf8.RuneCountInString(r.Name) > MaxName:
		return fmt.Errorf("the name has more than %d characters", MaxName)
	case utf8.RuneCount(r.Content) > MaxContent:
		return fmt.Errorf("the content has more than %d characters", MaxContent)
	case len(r.Tags) > maxTags:
		return fmt.Errorf("more than %d tags", maxTags)
	}
	return nil
}

// Content makes the content of a record from what its writer gives: JSON as it is, other text as a string. The
// JSON of an identity and of a touchstone is an object.
func Content(text string) jsontext.Value {
	v := jsontext.Value(strings.TrimSpace(text))
	if len(v) > 0 && v[0] == '{' && v.IsValid() && v.Compact() == nil {
		return v
	}
	v, err := json.Marshal(strings.TrimSpace(text))
	if err != nil { // not UTF-8
		v, _ = json.Marshal(strings.ToValidUTF8(strings.TrimSpace(text), "�"))
	}
	return v
}

// Text returns the content for a reader: a string without its quotes, other JSON as it is.
func (r *Record) Text() string {
	var s string
	if json.Unmarshal(r.Content, &s) == nil {
		return s
	}
	return string(r.Content)
}

// Words returns all texts of a record, for checks.
func (r *Record) Words() string {
	return strings.Join([]string{r.Name, r.Type, r.Text(), strings.Join(r.Tags, " ")}, "\n")
}

// ShortLineage is the short form of a record's id.
func ShortLineage(lineage string) string { return lineage[max(0, len(lineage)-8):] }
