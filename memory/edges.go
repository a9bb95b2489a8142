package memory

import (
	"cmp"
	"slices"
	"strings"

	"manicule/indexer/sorting"
	"manicule/memory/file"
)

// The relations that follow from a memory's type. Its file may name others.
const (
	AppliesPattern = "applies_pattern" // how code is written here
	Documents      = "documents"       // why the code is as it is
)

// Edge connects a memory to code or to another memory.
type Edge struct {
	Memory     string      `json:"memory"` // uuid
	Relation   string      `json:"relation"`
	File       string      `json:"file,omitzero"` // relative to the root, forward slashes
	Symbol     string      `json:"symbol,omitzero"`
	To         string      `json:"to,omitzero"` // uuid of another memory
	Confidence float64     `json:"confidence"`
	Auto       bool        `json:"auto,omitzero"` // no person stated it
	Origin     file.Origin `json:"origin"`        // of the statement
}

// Edges returns the sorted edges at a file, or at all files of a folder: anchors, relations that
// name a file, and relations between these memories and others.
func (v *View) Edges(rel string) []Edge {
	rel = strings.Trim(rel, "/")
	here := func(p string) bool {
		p, want := v.opts.Folded(p), v.opts.Folded(rel)
		return rel == "" || rel == "." || p == want || strings.HasPrefix(p, want+"/")
	}
	var out []Edge
	near, superseded := map[string]bool{}, file.Superseded(memoriesOf(v.entries))
	for _, e := range v.entries {
		m := e.hit.Memory
		if superseded[m.UUID] {
			continue
		}
		edge := Edge{Memory: m.UUID, Confidence: m.Confidence, Origin: m.Trust.Origin, Auto: m.Trust.Origin != file.UserTaught}
		for _, a := range m.Anchors {
			if here(a.Path) {
				at := edge
				at.Relation, at.File, at.Symbol = toCode(m.Type), a.Path, a.Symbol
				out = append(out, at)
				near[m.UUID] = true
			}
		}
		for _, r := range m.Relations {
			if r.File != "" && here(r.File) {
				at := edge
				at.Relation, at.File, at.Confidence, at.Auto = r.Type, r.File, r.Confidence, r.Auto
				out = append(out, at)
				near[m.UUID] = true
			}
		}
	}
	for _, e := range v.entries {
		m := e.hit.Memory
		for _, r := range m.Relations {
			if r.Memory != "" && (near[m.UUID] || near[r.Memory]) {
				out = append(out, Edge{Memory: m.UUID, Relation: r.Type, To: r.Memory, Confidence: r.Confidence, Auto: r.Auto, Origin: m.Trust.Origin})
			}
		}
	}
	sorting.Func(out, func(a, b Edge) int {
		return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.Symbol, b.Symbol), strings.Compare(a.Relation, b.Relation),
			strings.Compare(a.Memory, b.Memory), strings.Compare(a.To, b.To))
	})
	return slices.Compact(out)
}

// toCode returns the relation of a memory type to its code.
func toCode(t file.Type) string {
	switch t {
	case file.Pattern, file.Convention, file.WorkflowRecipe, file.Preference:
		return AppliesPattern
	}
	return Documents
}
