package file

import (
	"slices"
	"strconv"
	"strings"
)

// Types lists every memory type, in the order of the documentation.
func Types() []Type {
	return []Type{
		Gotcha, DeadEnd, ErrorPattern, ModuleInsight, CausalDependency, PrefetchPattern,
		E2EObservation, WorkState, WorkUnitOutcome, TaskCalibration, ContextCost, Episode,
		Pattern, Requirement, Decision, Preference, Convention, WorkflowRecipe,
	}
}

// Layers lists the layers in recall order.
func Layers() []Layer { return []Layer{AreaContext, Technical, Preferences, Guidelines} }

// Visibilities lists every visibility, narrowest first.
func Visibilities() []Visibility { return []Visibility{Personal, Project, Team, Org} }

// Importances lists every importance, lowest first.
func Importances() []Importance { return []Importance{Low, Medium, High} }

// Rank is the importance as a number, from 0; an unknown one is -1.
func (i Importance) Rank() int { return slices.Index(Importances(), i) }

// TrueFirst compares booleans for a sort in which true comes first.
func TrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Origins lists every origin, most trusted first.
func Origins() []Origin {
	return []Origin{UserTaught, AgentExplicit, QAAuto, MCPAuto, CommitAuto, ObserverInferred, Import}
}

// relationTypes lists the types of a relation between memories.
func relationTypes() []string {
	return []string{"required_with", "conflicts_with", "validates", "supersedes", "derived_from", "related_to"}
}

// Rank is the layer's place in recall order, from 0; unknown layers come last.
func (l Layer) Rank() int {
	for i, k := range Layers() {
		if k == l {
			return i
		}
	}
	return len(Layers())
}

// DefaultLayer is the layer of memories of this type. A decision that is tied to code by a scope or
// an anchor belongs to its area.
func (t Type) DefaultLayer(tied bool) Layer {
	switch t {
	case Pattern, Requirement:
		return Technical
	case Decision:
		if tied {
			return AreaContext
		}
		return Technical
	case Preference:
		return Preferences
	case Convention, WorkflowRecipe:
		return Guidelines
	default:
		return AreaContext
	}
}

// Label is the type as people read it: "dead end", "gotcha".
func (t Type) Label() string {
	switch t {
	case E2EObservation:
		return "end-to-end observation"
	case WorkflowRecipe:
		return "recipe"
	}
	b := []byte(t)
	for i, c := range b {
		if c == '_' {
			b[i] = ' '
		}
	}
	return string(b)
}

// plural is the label of several: "dead ends", "causal dependencies".
func (t Type) plural() string {
	label := t.Label()
	if stem, ok := strings.CutSuffix(label, "y"); ok {
		return stem + "ies"
	}
	return label + "s"
}

// Count is a number of memories of the type: "1 dead end", "2 dead ends".
func (t Type) Count(n int) string {
	if n == 1 {
		return "1 " + t.Label()
	}
	return strconv.Itoa(n) + " " + t.plural()
}

// ParseType returns the type of a name: as files have it ("dead_end"), as it is printed
// ("dead end", "dead ends"), or with hyphens.
func ParseType(name string) (Type, bool) {
	name = strings.Join(strings.Fields(strings.ToLower(name)), " ")
	for _, t := range Types() {
		if name == string(t) || name == t.Label() || name == t.plural() || strings.NewReplacer("-", "_", " ", "_").Replace(name) == string(t) {
			return t, true
		}
	}
	return Type(name), false
}

// NotReviewed describes a memory that came by git, states no trust, and was not written or reviewed
// on this machine.
const NotReviewed = "from git, not reviewed here"

// Said describes the origin of a memory in words.
func (t Trust) Said() string {
	switch {
	case t.Unreviewed:
		return NotReviewed
	case t.Origin == "":
		return "origin not stated"
	}
	return strings.ReplaceAll(string(t.Origin), "_", " ")
}

// AsDraft is the origin of a draft of which nobody knows whether an agent wrote it, in words.
const AsDraft = "written as a draft"

// Nobodys reports whether a memory was written as a draft by a program that named no agent: a person in a
// shell, or an agent's shell that says nothing of it. It is trusted as an agent's.
func Nobodys(m *Memory) bool {
	return m.Trust.Origin == AgentExplicit && !m.Trust.Unreviewed && m.GeneratedBy != nil && m.GeneratedBy.Tool == OwnTool
}

// OwnTool is what Manicule calls itself where a memory names the tool that it is from.
const OwnTool = "manicule"

// Rank orders origins, the most trusted first. An unstated origin is last.
func (o Origin) Rank() int {
	if i := slices.Index(Origins(), o); i >= 0 {
		return i
	}
	return len(Origins())
}
