// Package file owns the memory file: its Go type, its JSON form, reading, canonical
// writing and hashing. It must not know databases, editors or agents.
package file

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/anchor"
)

// Format is the version of the memory file that this package writes.
//
// History: 1, the first.
const Format = 1

// Type is the kind of knowledge in a memory. The list is closed; see [Types].
type Type string

// The memory types.
const (
	Gotcha           Type = "gotcha"
	DeadEnd          Type = "dead_end"
	ErrorPattern     Type = "error_pattern"
	ModuleInsight    Type = "module_insight"
	CausalDependency Type = "causal_dependency"
	PrefetchPattern  Type = "prefetch_pattern"
	E2EObservation   Type = "e2e_observation"
	WorkState        Type = "work_state"
	WorkUnitOutcome  Type = "work_unit_outcome"
	TaskCalibration  Type = "task_calibration"
	ContextCost      Type = "context_cost"
	Episode          Type = "episode"
	Pattern          Type = "pattern"
	Requirement      Type = "requirement"
	Decision         Type = "decision"
	Preference       Type = "preference"
	Convention       Type = "convention"
	WorkflowRecipe   Type = "workflow_recipe"
)

// Layer is the folder of a memory, and its rank in recall.
type Layer string

// The layers, in recall order.
const (
	AreaContext Layer = "area_context"
	Technical   Layer = "technical"
	Preferences Layer = "preferences"
	Guidelines  Layer = "guidelines"
)

// Visibility says who sees a memory. Personal ones are git-ignored.
type Visibility string

// The visibilities.
const (
	Personal Visibility = "personal"
	Project  Visibility = "project"
	Team     Visibility = "team"
	Org      Visibility = "org"
)

// Importance is the weight that a person gives to a memory.
type Importance string

// The importances.
const (
	Low    Importance = "low"
	Medium Importance = "medium"
	High   Importance = "high"
)

// Origin is how a memory came to be. Trust in it starts there.
type Origin string

// The origins.
const (
	UserTaught       Origin = "user_taught"
	AgentExplicit    Origin = "agent_explicit"
	QAAuto           Origin = "qa_auto"
	MCPAuto          Origin = "mcp_auto"
	CommitAuto       Origin = "commit_auto"
	ObserverInferred Origin = "observer_inferred"
	Import           Origin = "import"
)

// Memory is one memory as its file holds it. Times are UTC with milliseconds.
// A nil Scope means the whole project.
type Memory struct {
	Format       int             `json:"format"`
	UUID         string          `json:"uuid"`
	Type         Type            `json:"type"`
	Layer        Layer           `json:"layer"`
	What         string          `json:"what"`
	Why          string          `json:"why,omitzero"`
	Scope        Scope           `json:"scope"`
	Anchors      []anchor.Anchor `json:"anchors,omitempty"`
	ContextLabel string          `json:"context_label,omitzero"`
	Tags         []string        `json:"tags,omitempty"`
	Visibility   Visibility      `json:"visibility"`
	Importance   Importance      `json:"importance"`
	Confidence   float64         `json:"confidence"`
	Pinned       bool            `json:"pinned,omitzero"`
	Owner        *Owner          `json:"owner,omitzero"`
	Contributor  string          `json:"contributor,omitzero"`
	Source       string          `json:"source,omitzero"`
	Trust        Trust           `json:"trust"`
	GeneratedBy  *GeneratedBy    `json:"generated_by,omitzero"`
	Relations    []Relation      `json:"relations,omitempty"`
	Provenance   *Provenance     `json:"provenance,omitzero"`
	Details      jsontext.Value  `json:"details,omitzero"`
	HalfLifeDays *float64        `json:"half_life_days,omitzero"`
	Lineage      Lineage         `json:"lineage"`
	Conflict     []Version       `json:"conflict,omitempty"`
	CreatedAt    Time            `json:"created_at"`
	UpdatedAt    Time            `json:"updated_at"`

	// Extra keeps members that this version does not know.
	Extra jsontext.Value `json:",embed"`
}

// Scope is a list of glob patterns; a leading "!" excludes. Nil means the
// whole project; in JSON it is null, a string or an array of strings.
type Scope []string

// Owner names the agent or mission that a memory belongs to.
type Owner struct {
	Kind  string         `json:"kind"` // "agent" or "mission"
	ID    string         `json:"id"`
	Extra jsontext.Value `json:",embed"`
}

// Trust holds what is known about a memory's reliability.
type Trust struct {
	// Origin is "" if the file does not state it.
	Origin      Origin `json:"origin,omitzero"`
	Tainted     bool   `json:"tainted"`
	NeedsReview bool   `json:"needs_review,omitzero"`
	Citation    string `json:"citation,omitzero"` // at most 40 characters
	VerifiedBy  string `json:"verified_by,omitzero"`
	VerifiedAt  *Time  `json:"verified_at,omitzero"`
	DisputedBy  string `json:"disputed_by,omitzero"`
	DisputedAt  *Time  `json:"disputed_at,omitzero"`
	DisputeNote string `json:"dispute_note,omitzero"`
	// Disputes holds all views of a dispute, where the three members above can't: several people's, or
	// an agent's. [Trust.Views] reads them together.
	Disputes []Dispute `json:"disputes,omitempty"`
	// Deprecated is set for a memory that no longer holds: it is kept as history, and nobody is told of it.
	Deprecated *Deprecation `json:"deprecated,omitzero"`
	// Unreviewed is set when a memory is read from the store, and is in no file. The memory states
	// no trust, and was not written or released on this machine.
	Unreviewed bool `json:"-"`

	Extra jsontext.Value `json:",embed"`
}

// Deprecation says who found that a memory no longer holds, and why.
type Deprecation struct {
	By    string         `json:"by"`
	At    Time           `json:"at,omitzero"`
	Why   string         `json:"why,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

// Dispute is another view of what a memory says.
type Dispute struct {
	By    string `json:"by"`
	At    Time   `json:"at,omitzero"`
	Says  string `json:"says,omitzero"`
	Agent string `json:"agent,omitzero"` // the agent that brought it up; By let it in
	// What the view did to the memory's trust, which its withdrawal takes back: Taints is true if it
	// came from an agent that had read untrusted text, and the others are the confirmation that it ended.
	Taints     bool           `json:"taints,omitzero"`
	VerifiedBy string         `json:"verified_by,omitzero"`
	VerifiedAt *Time          `json:"verified_at,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}

// GeneratedBy names the tool and the kind of author.
type GeneratedBy struct {
	Tool       string         `json:"tool"`
	Model      *string        `json:"model"`
	AuthorType string         `json:"author_type"` // "human" or "agent"
	Extra      jsontext.Value `json:",embed"`
}

// Relation links a memory to another memory or to a file.
type Relation struct {
	Type       string         `json:"type"` // required_with, conflicts_with, validates, supersedes, derived_from, related_to
	Memory     string         `json:"memory,omitzero"`
	File       string         `json:"file,omitzero"`
	Confidence float64        `json:"confidence"`
	Auto       bool           `json:"auto"`
	Extra      jsontext.Value `json:",embed"`
}

// Provenance says where a memory comes from.
type Provenance struct {
	Session  *string  `json:"session"`
	Sessions []string `json:"sessions,omitempty"`
	Commit   *string  `json:"commit"`
	// Branch is the feature branch that a personal memory belongs to: it was written there, and the
	// branch's work has not reached the default one. It is "" for all others.
	Branch string `json:"branch,omitzero"`
	// Work is the unit of work in which it was learned.
	Work *WorkRef `json:"work,omitzero"`
	// Methodology is the way of working in which it was learned, "" for the usual one.
	Methodology string         `json:"methodology,omitzero"`
	Import      *ImportOrigin  `json:"import"`
	Extra       jsontext.Value `json:",embed"`
}

// WorkRef names a unit of work: an issue, a ticket, a specification, a slice of a build, a mission.
type WorkRef struct {
	Kind   string         `json:"kind"`
	ID     string         `json:"id"`
	Title  string         `json:"title,omitzero"`
	Within []string       `json:"within,omitempty"` // the units around it as KIND:ID, the nearest first
	Extra  jsontext.Value `json:",embed"`
}

// Key names a unit of work in one word, such as issue:42.
func (r WorkRef) Key() string { return r.Kind + ":" + r.ID }

// Name names a unit of work for a reader, such as issue 42.
func (r WorkRef) Name() string { return r.Kind + " " + r.ID }

// In reports whether a unit of work is one that key names, or a part of it.
func (r *WorkRef) In(key string) bool {
	return r != nil && (r.Key() == key || slices.Contains(r.Within, key))
}

// Work returns the unit of work that a memory belongs to, nil for none.
func (m *Memory) Work() *WorkRef {
	if m.Provenance == nil {
		return nil
	}
	return m.Provenance.Work
}

// Methodology returns the way of working in which a memory was learned, [Native] if it names none.
func (m *Memory) Methodology() string {
	if m.Provenance == nil {
		return Native
	}
	return cmp.Or(m.Provenance.Methodology, Native)
}

// The ways of working, as the setting hooks.methodology names them.
const (
	Native     = "native" // the usual one: read, plan, change, check
	SpecDriven = "spec-driven"
	TestFirst  = "test-first"
)

// Methodologies lists the ways of working, the usual one first.
func Methodologies() []string { return []string{Native, SpecDriven, TestFirst} }

// ImportOrigin is the place in a rule file that a memory was read from.
type ImportOrigin struct {
	File    string         `json:"file"` // relative to the root, forward slashes
	Heading string         `json:"heading,omitzero"`
	Line    int            `json:"line"`           // 1-based, first line of the chunk
	Key     string         `json:"key"`            // sha256 that makes a second import of the same chunk a no-op
	Also    []string       `json:"also,omitempty"` // other files that said the same at the import
	Extra   jsontext.Value `json:",embed"`
}

// Lineage is the version chain: each version names its parent by hash.
type Lineage struct {
	Version    int            `json:"version"`
	Parent     string         `json:"parent,omitzero"`  // "sha256:" of the parent version's canonical file
	Merged     []string       `json:"merged,omitempty"` // the other versions that a merge combined with Parent, as Parent
	ChangeKind string         `json:"change_kind"`      // create, edit, import, verify, dispute, deprecate, undeprecate, correct, pin, restore, merge, resolve, promote
	ChangeNote string         `json:"change_note,omitzero"`
	By         string         `json:"by,omitzero"`       // who made this version, where the memory was theirs or another's before
	WordsBy    string         `json:"words_by,omitzero"` // whose words this version keeps, where it is not who made it
	Extra      jsontext.Value `json:",embed"`
}

// Next is the number of the next version. The largest number has no next one: a file may say anything.
func (l Lineage) Next() int {
	if l.Version == math.MaxInt {
		return l.Version
	}
	return l.Version + 1
}

// Version is what another version of a memory says, where a merge found that both
// sides had changed the same member and a person has to decide. The memory itself
// says what the newer side does.
type Version struct {
	// Deleted is true where the other side removed the memory: Contributor removed what it says here.
	Deleted      bool           `json:"deleted,omitzero"`
	Type         Type           `json:"type"`
	What         string         `json:"what"`
	Why          string         `json:"why,omitzero"`
	Scope        Scope          `json:"scope"`
	ContextLabel string         `json:"context_label,omitzero"`
	Details      jsontext.Value `json:"details,omitzero"`
	Contributor  string         `json:"contributor,omitzero"`
	UpdatedAt    Time           `json:"updated_at"`
	Extra        jsontext.Value `json:",embed"`
}

// Time is an instant, written as RFC 3339 in UTC with milliseconds.
type Time struct{ time.Time }

// Reach says for whom a memory is, unless it is for all who work on the project: what one person prefers must not pass for
// what the team decided.
func Reach(m *Memory) string {
	switch m.Visibility {
	case Personal:
		return "personal"
	case Team, Org:
		return "for the " + string(m.Visibility)
	case Project:
	}
	return ""
}

// LeaveBranch makes the memory concern all branches.
func (m *Memory) LeaveBranch() {
	if m.Provenance != nil && m.Provenance.Branch != "" {
		p := *m.Provenance
		p.Branch = ""
		m.Provenance = &p
	}
}
