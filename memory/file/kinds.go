package file

import (
	"slices"
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

// Layers lists the layers in recall order (AIDE-REC-10).
func Layers() []Layer { return []Layer{AreaContext, Technical, Preferences, Guidelines} }

// Visibilities lists every visibility, narrowest first.
func Visibilities() []Visibility { return []Visibility{Personal, Project, Team, Org} }

// Importances lists every importance, lowest first.
func Importances() []Importance { return []Importance{Low, Medium, High} }

// Origins lists every origin, most trusted first.
func Origins() []Origin {
	return []Origin{UserTaught, AgentExplicit, QAAuto, MCPAuto, CommitAuto, ObserverInferred, Import}
}

// RelationTypes lists what one memory can be to another (V5-SCH-07).
func RelationTypes() []string {
	return []string{"required_with", "conflicts_with", "validates", "supersedes", "derived_from"}
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

// DefaultLayer is where a memory of this type is filed. A decision that is
// tied to code (a scope or an anchor) belongs to its area (DESIGN section 4).
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

// Label is the type in words a person reads: "dead end", "gotcha".
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

// NotReviewed is said of a memory that came by git without a word of trust, and
// that nobody here has written or looked at.
const NotReviewed = "from git, not reviewed here"

// Said is how a memory came to be, in words.
func (t Trust) Said() string {
	switch {
	case t.Unreviewed:
		return NotReviewed
	case t.Origin == "":
		return "origin not stated"
	}
	return strings.ReplaceAll(string(t.Origin), "_", " ")
}

// Rank orders origins, the most trusted first; one that nobody stated is last.
func (o Origin) Rank() int {
	if i := slices.Index(Origins(), o); i >= 0 {
		return i
	}
	return len(Origins())
}
