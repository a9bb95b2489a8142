// Package work owns units of work: what a memory, a thread or a session belongs to, such as an issue, a
// ticket, a specification or a mission, with its parent and its state. It finds the unit under way from
// what a branch, a build and the environment say, and knows which of a unit's memories outlive it. It must
// not know where units are stored, or how they are shown.
package work

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"manicule/memory/file"
	"manicule/memory/record"
	"manicule/memory/thread"
)

// State is the state of a unit.
type State string

// The states of a unit.
const (
	Open      State = "open"
	InReview  State = "in review" // it is done, and waits for acceptance
	Accepted  State = "accepted"
	Rejected  State = "rejected"
	Abandoned State = "abandoned" // given up before anybody judged it
)

// states returns all states.
func states() []State { return []State{Open, InReview, Accepted, Rejected, Abandoned} }

// AllBranches is the branch of a unit that is worked on wherever no other one is.
const AllBranches = "*"

// Over reports whether a state is an end.
func (s State) Over() bool { return s == Accepted || s == Rejected || s == Abandoned }

// The kinds of units that mean something here. Others are allowed.
const (
	Issue   = "issue"
	Ticket  = "ticket"
	Pull    = "pull"
	Spec    = "spec"
	Slice   = "slice"         // of a build
	Thread  = thread.PartKind // its parts are threads
	Mission = file.OwnedByMission
)

// Unit is the latest version of a unit of work.
type Unit struct {
	Lineage string // shared by the versions, by which parts refer to it
	Kind    string
	ID      string
	Title   string
	Parent  string // as KIND:ID, "" for none
	Branch  string // on which it is worked on: [AllBranches], or "" for one that is only named as the parent of others
	State   State
	Why     string
	// Acceptance is set if somebody has to accept the work: what is learned in it waits until then.
	Acceptance bool
	// Judged is set if the unit is over by a person's word, or since its branch was merged or deleted: an agent that
	// says that the work is done judges nothing.
	Judged  bool
	Author  string
	Tainted bool // its words may come from strangers: no agent is told
	Version int
	At      time.Time
}

// Key names a unit in one word, such as issue:42.
func (u *Unit) Key() string { return u.Kind + ":" + u.ID }

// Ref names a unit.
func (u *Unit) Ref() file.WorkRef { return file.WorkRef{Kind: u.Kind, ID: u.ID} }

// Waits reports whether what was learned in a unit waits for its acceptance.
func (u *Unit) Waits() bool { return u.State == InReview || u.State == Open && u.Acceptance }

// Limits of a unit.
const (
	maxID    = 80
	maxTitle = 160 // characters
	maxWhy   = 300
	maxDepth = 8 // of parents
)

// Check reports what is wrong with a unit that is to be stored, in words for its writer.
func (u *Unit) Check() error {
	switch {
	case !isKind(u.Kind):
		return fmt.Errorf("%q is no kind of work: use a word such as issue, ticket, pull, spec, task or mission", u.Kind)
	case !isID(u.ID):
		return fmt.Errorf("%q is no id of a unit of work: use at most %d letters, digits and the signs -_./#", u.ID, maxID)
	case !slices.Contains(states(), u.State):
		return fmt.Errorf("unknown state %q of a unit of work", u.State)
	case utf8.RuneCountInString(u.Title) > maxTitle:
		return fmt.Errorf("the title has more than %d characters", maxTitle)
	case utf8.RuneCountInString(u.Why) > maxWhy:
		return fmt.Errorf("the reason has more than %d characters", maxWhy)
	}
	return nil
}

func isKind(s string) bool {
	return s != "" && len(s) <= 20 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && s[0] >= 'a'
}

func isID(s string) bool {
	return s != "" && s[0] != '/' && len(s) <= maxID && !strings.ContainsFunc(s, func(r rune) bool {
		return r >= utf8.RuneSelf || !strings.ContainsRune("-_./#", r) && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
}

// content is the content of a unit's record.
type content struct {
	ID         string `json:"id"`
	Title      string `json:"title,omitzero"`
	Parent     string `json:"parent,omitzero"`
	Branch     string `json:"branch,omitzero"`
	State      State  `json:"state"`
	Why        string `json:"why,omitzero"`
	Acceptance bool   `json:"acceptance,omitzero"`
	Judged     bool   `json:"judged,omitzero"`
}

// Record is a unit as a version of a record's lineage.
func (u *Unit) Record() (record.Record, error) {
	data, err := json.Marshal(content{u.ID, u.Title, u.Parent, u.Branch, u.State, u.Why, u.Acceptance, u.Judged}, json.Deterministic(true))
	if err != nil {
		return record.Record{}, fmt.Errorf("encode a unit of work: %w", err)
	}
	return record.Record{Lineage: u.Lineage, Kind: record.Work, Name: u.Key(), Type: u.Kind, Author: u.Author, Content: data, Tainted: u.Tainted}, nil
}

// Of reads a unit from its record; false for a damaged one.
func Of(r record.Record) (u Unit, ok bool) {
	var c content
	if r.Kind != record.Work || json.Unmarshal(r.Content, &c) != nil {
		return u, false
	}
	u = Unit{Lineage: r.Lineage, Kind: r.Type, ID: c.ID, Title: c.Title, Parent: c.Parent, Branch: c.Branch, State: c.State, Why: c.Why, Acceptance: c.Acceptance, Judged: c.Judged,
		Author: r.Author, Tainted: r.Tainted, Version: r.Version, At: r.At}
	return u, u.Check() == nil
}

// Find returns the unit that a key names, nil if there is none.
func Find(units []Unit, key string) *Unit {
	i := slices.IndexFunc(units, func(u Unit) bool { return u.Key() == key })
	if i < 0 {
		return nil
	}
	return &units[i]
}

// Around lists the units around one, the nearest first.
func Around(units []Unit, u *Unit) (out []*Unit) {
	seen := map[string]bool{}
	for u != nil && u.Parent != "" && !seen[u.Parent] && len(out) < maxDepth {
		seen[u.Parent] = true
		if u = Find(units, u.Parent); u != nil {
			out = append(out, u)
		}
	}
	return out
}

// Complete gives a reference what is known of its unit: the title, and the units around it.
func Complete(units []Unit, r file.WorkRef) file.WorkRef {
	u := Find(units, r.Key())
	if u == nil {
		return r
	}
	if u.Title != "" && !u.Tainted {
		r.Title = u.Title
	}
	r.Within = nil
	for _, x := range Around(units, u) {
		r.Within = append(r.Within, x.Key())
	}
	return r
}

// Decider returns the unit that decides about what was learned in some work, nil for none: the nearest that waits or was
// judged. So who accepts a part need not accept the whole first. units are all, with those that are over.
func Decider(units []Unit, r *file.WorkRef) *Unit {
	if r == nil {
		return nil
	}
	for _, key := range append([]string{r.Key()}, r.Within...) {
		if u := Find(units, key); u != nil && (u.Waits() || u.Judged) {
			return u
		}
	}
	return nil
}

// WaitsFor returns the unit whose acceptance a part of some work waits for, nil for none.
func WaitsFor(units []Unit, r *file.WorkRef) *Unit {
	if u := Decider(units, r); u != nil && u.Waits() {
		return u
	}
	return nil
}

// Parse reads a unit of work as people and hosts write it: KIND:ID, #42 or 42 for an issue, ABC-123 for a
// ticket, !17 for a pull request, or the address of an issue or a pull request.
func Parse(s string) (r file.WorkRef, ok bool) {
	s = strings.TrimSpace(s)
	kind, id, cut := strings.Cut(s, ":")
	switch m := address().FindStringSubmatch(s); {
	case m != nil && (m[1] == "issues" || m[1] == "work_items"):
		return file.WorkRef{Kind: Issue, ID: m[2]}, true
	case m != nil:
		return file.WorkRef{Kind: Pull, ID: m[2]}, true
	case cut:
		r = file.WorkRef{Kind: strings.ToLower(strings.TrimSpace(kind)), ID: strings.TrimLeft(strings.TrimSpace(id), "#!")}
	case strings.HasPrefix(s, "!"):
		r = file.WorkRef{Kind: Pull, ID: s[1:]}
	case strings.Trim(strings.TrimPrefix(s, "#"), "0123456789") == "":
		r = file.WorkRef{Kind: Issue, ID: strings.TrimPrefix(s, "#")}
	case ticket().FindString(s) == s:
		r = file.WorkRef{Kind: Ticket, ID: s}
	default:
		return r, false
	}
	return r, isKind(r.Kind) && isID(r.ID)
}

// address matches the address of an issue, a pull request or a merge request.
func address() *regexp.Regexp {
	return regexp.MustCompile(`^https?://\S+/(issues|work_items|pull|pulls|merge_requests|pull-requests)/(\d{1,9})(?:[/?#]\S*)?$`)
}
