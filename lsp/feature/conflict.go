package feature

import (
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
	"manicule/memory"
	"manicule/memory/file"
)

// conflict is the code of the diagnostic about a memory with several versions, and the
// act of its entry in the review list.
const conflict = "conflict"

// ConflictVersion is one of several versions of a memory, as clients list it.
// docs/lsp.md describes its members.
type ConflictVersion struct {
	Number    int       `json:"number"` // from 1, which is what the memory says now
	Label     string    `json:"label"`  // the words that tell it from the other versions
	Type      file.Type `json:"type"`
	What      string    `json:"what"`
	Why       string    `json:"why,omitzero"`
	Scope     []string  `json:"scope,omitempty"`
	Author    string    `json:"author,omitzero"`
	UpdatedAt file.Time `json:"updatedAt"`
	Deleted   bool      `json:"deleted,omitzero"` // its author deleted the memory, which said this
}

// ConflictVersions lists the versions of a memory, the newest first.
func ConflictVersions(m *file.Memory) []ConflictVersion {
	labels := versionLabels(m.Versions())
	var out []ConflictVersion
	for i, v := range m.Versions() {
		out = append(out, ConflictVersion{
			Number: i + 1, Label: labels[i], Type: v.Type, What: render.Printable(v.What), Why: render.Printable(v.Why), Scope: v.Scope,
			Author: render.OneLine(v.Contributor, 40), UpdatedAt: v.UpdatedAt, Deleted: v.Deleted,
		})
	}
	return out
}

// Lengths of a version's label, in characters.
const (
	maxLabel       = 60
	maxSameInLabel = 30 // of what all versions begin with
)

// versionLabels are short texts that tell versions apart. What all of them begin with
// is cut if it is long.
func versionLabels(versions []file.Version) []string {
	labels := make([]string, len(versions))
	for _, say := range []func(file.Version) string{
		func(v file.Version) string { return v.What },
		func(v file.Version) string { return v.What + " Why: " + v.Why },
		func(v file.Version) string { return v.Type.Label() + ": " + v.What },
		func(v file.Version) string {
			return strings.TrimSpace(strings.Join(v.Scope, ", ")+" "+v.ContextLabel) + ": " + v.What
		},
	} {
		for i, v := range versions {
			labels[i] = render.OneLine(say(v), 2000)
		}
		if distinct := slices.Compact(slices.Sorted(slices.Values(labels))); len(distinct) == len(labels) {
			break
		}
	}
	cut := samePrefix(labels)
	for i, l := range labels {
		if versions[i].Deleted {
			labels[i] = render.OneLine("deleted by "+file.OneName(versions[i].Contributor), maxLabel)
			continue
		}
		if cut > maxSameInLabel {
			l = "… " + strings.TrimSpace(string([]rune(l)[cut:]))
		}
		labels[i] = render.OneLine(l, maxLabel)
	}
	return labels
}

// samePrefix is the number of characters of the words that all texts begin with.
func samePrefix(texts []string) int {
	first := []rune(texts[0])
	n := len(first)
	for _, t := range texts[1:] {
		other := []rune(t)
		n = min(n, len(other))
		for i := range n {
			if first[i] != other[i] {
				n = i
				break
			}
		}
	}
	for n > 0 && first[n-1] != ' ' {
		n--
	}
	return n
}

// ConflictCandidate returns a memory with several versions as an entry of the review
// list.
func ConflictCandidate(h memory.Hit) Candidate {
	m := h.Memory
	out := CandidateOf(memory.Candidate{Memory: m, Paths: memory.PathsOf(m), Evidence: []string{m.Undecided()}})
	out.Act, out.Target = conflict, m.UUID
	out.Version, out.Versions = m.Lineage.Version, ConflictVersions(m)
	for _, v := range out.Versions {
		out.Evidence = append(out.Evidence, fmt.Sprintf("version %d: %s", v.Number, versionText(v)))
	}
	return out
}

// versionText is a version's author and words in one line.
func versionText(v ConflictVersion) string {
	if v.Deleted {
		return v.Label
	}
	text := "“" + render.OneLine(v.What, 400) + "”"
	if v.Why != "" {
		text += " because “" + render.OneLine(v.Why, 400) + "”"
	}
	if v.Author != "" {
		text += " (" + v.Author + ")"
	}
	return text
}

// Conflicts returns the memories of a folder that have several versions.
func Conflicts(f *folder.Folder) []memory.Hit {
	return slices.DeleteFunc(f.Memories.View().All(), func(h memory.Hit) bool { return len(h.Memory.Conflict) == 0 })
}

// conflictDiagnostics returns the diagnostics about memories with several versions, one
// for each place.
func conflictDiagnostics(p *page.Page, marks []page.Mark, s *settings.Settings) []memoryDiagnostic {
	type key struct {
		at   protocol.Range
		uuid string
	}
	said := make(map[key]bool)
	var out []memoryDiagnostic
	for _, m := range marks {
		uuid := m.Hit.Memory.UUID
		if m.Deleted || m.Pasted || !p.Folder.Dismissed.Shows(uuid, folder.SurfaceDiagnostic) {
			continue
		}
		k := key{diagnosticRange(p, m), uuid}
		if d, ok := conflictDiagnostic(m.Hit.Memory, strings.ToLower(m.Hit.Memory.Type.Label()), k.at, s); ok && !said[k] {
			said[k] = true
			out = append(out, memoryDiagnostic{d, []memory.Hit{m.Hit}})
		}
	}
	return out
}

// memoryFileConflict returns the diagnostic in an open memory file whose memory has
// several versions.
func memoryFileConflict(f *page.MemoryFile, s *settings.Settings) []protocol.Diagnostic {
	h, ok := f.Memory()
	if !ok || !f.Doc.Open {
		return nil
	}
	d, ok := conflictDiagnostic(h.Memory, strings.ToLower(h.Memory.Type.Label()), f.Range(conflictSpan(f)), s)
	if !ok {
		return nil
	}
	return []protocol.Diagnostic{d}
}

// conflictSpan is where a memory's own file has the other versions, else its first line.
func conflictSpan(f *page.MemoryFile) page.Span {
	spans := f.Conflicts()
	if len(spans) == 0 {
		return page.Span{End: f.Doc.Lines.End(0)}
	}
	return page.Span{Start: spans[0].Start, End: spans[len(spans)-1].End}
}

// conflictDiagnostic repeats none of the versions' words, because agents read
// diagnostics, too. kind is what the memory is called.
func conflictDiagnostic(m *file.Memory, kind string, at protocol.Range, s *settings.Settings) (protocol.Diagnostic, bool) {
	severity, wanted := settings.Severities()[s.StaleSeverity]
	if len(m.Conflict) == 0 || !wanted || !s.Diagnostics {
		return protocol.Diagnostic{}, false
	}
	data, err := RawArgs(map[string]string{"uuid": m.UUID})
	if err != nil {
		return protocol.Diagnostic{}, false
	}
	text := fmt.Sprintf("1 %s here %s. A person decides: take a code action, or run `manicule resolve %s`.", kind, HasVersions(m), m.ShortID())
	return protocol.Diagnostic{
		Range: at, Severity: severity, Code: protocol.String(conflict), Source: protocol.NewOptional(Source),
		Message: protocol.String(text), Data: data[0],
	}, true
}

// HasVersions is what has to be decided about a memory, for a sentence about it.
func HasVersions(m *file.Memory) string {
	if _, deleted := m.Deletion(); deleted && len(m.Conflict) == 1 {
		return "was " + m.Undecided()
	}
	return "has " + m.Undecided()
}

// versions lists the versions of a memory, if it has several.
func (w *cardWriter) versions(m *file.Memory) {
	if len(m.Conflict) == 0 {
		return
	}
	w.line("⚠ " + m.Undecided() + ": a person decides")
	for _, v := range ConflictVersions(m) {
		head := []string{fmt.Sprintf("version %d", v.Number)}
		if v.Type != m.Type {
			head = append(head, w.text(v.Type.Label()))
		}
		if v.Author != "" {
			head = append(head, w.text(v.Author))
		}
		if age := render.Age(w.opts.Now, v.UpdatedAt.Time); age != "" {
			head = append(head, age)
		}
		if v.Deleted {
			w.line(strings.Join(append(head, "deleted the memory"), " · "))
			continue
		}
		text := render.OneLine(v.What, 400)
		if v.Why != "" {
			text += " Why: " + render.OneLine(v.Why, 400)
		}
		w.line(strings.Join(head, " · ") + ": " + w.text(text))
	}
}
