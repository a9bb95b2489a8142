// Package exporter writes memories in forms that other tools and people read: JSON,
// Markdown, and the bootstrap files that agents load at their start.
// It must not know databases, configuration or agents: it receives memories and a
// place.
//
// Invariants: the same memories give the same bytes in any order; personal memories
// are exported only on request; a file that was not generated is never overwritten or
// removed; secrets are masked.
package exporter

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/indexer/sorting"
	"manicule/memory/file"
	"manicule/memory/gate"
)

// Options configure an export. The zero value is the usual one.
type Options struct {
	Personal bool // include personal memories, and those for one agent alone
	Top      int  // memories of each topic in MEMORY.md; defaultTop when 0
	MaxBytes int  // size of a topic file; defaultMaxBytes when 0
	Standing Standing
}

// Standing is where a workspace stands beside its memories, a line for each thing, for the bootstrap files.
type Standing struct {
	Core    []string // of the core document
	Focus   string   // what is worked on, by the core document
	Builds  []string // the build that is worked on, and its slices under way
	Threads []string // open ones that people share
}

// The defaults of Options.
const (
	defaultTop      = 5
	defaultMaxBytes = 16 << 10
)

// selected returns the memories to export, sorted by layer, type and importance.
func selected(ms []*file.Memory, opts Options) []*file.Memory {
	var out []*file.Memory
	for _, m := range ms {
		if m != nil && (opts.Personal || m.Visibility != file.Personal && m.OwnedBy() == "") {
			out = append(out, masked(m))
		}
	}
	sorting.Func(out, func(a, b *file.Memory) int {
		return cmp.Or(a.Layer.Rank()-b.Layer.Rank(), typeRank(a.Type)-typeRank(b.Type), byWeight(a, b))
	})
	return out
}

// Left counts what files for agents leave out.
type Left struct {
	Outside int // rest on outside sources, and nobody has confirmed them
	Past    int // deprecated, superseded or disputed
}

// forAgents returns the memories for files that agents load unasked, sorted as selected does. What holds no more, and
// what somebody disputes, is not told; neither is what belongs to a mission, as agents read these files outside of it, too.
func forAgents(ms []*file.Memory, opts Options) (told []*file.Memory, left Left) {
	list := selected(ms, opts)
	past := file.Superseded(slices.Values(list))
	for _, m := range list {
		switch {
		case m.Mission() != "":
		case m.Trust.Deprecated != nil, m.Trust.Disputed(), past[m.UUID]:
			left.Past++
		case m.Trust.Tainted && m.Trust.VerifiedBy == "":
			left.Outside++
		default:
			told = append(told, m)
		}
	}
	return told, left
}

func typeRank(t file.Type) int {
	if i := slices.Index(file.Types(), t); i >= 0 {
		return i
	}
	return len(file.Types())
}

// byWeight orders pinned, important, confident and recent memories first.
func byWeight(a, b *file.Memory) int {
	return cmp.Or(
		file.TrueFirst(a.Pinned, b.Pinned),
		cmp.Compare(b.Importance.Rank(), a.Importance.Rank()),
		-cmp.Compare(a.Confidence, b.Confidence),
		-a.UpdatedAt.Compare(b.UpdatedAt.Time),
		strings.Compare(a.What, b.What),
		strings.Compare(a.UUID, b.UUID),
	)
}

// JSON writes an array of the memories as in their files, including members that this version does
// not know.
func JSON(w io.Writer, ms []*file.Memory, opts Options) error {
	var b bytes.Buffer
	b.WriteString("[")
	for i, m := range selected(ms, opts) {
		data, err := m.Marshal()
		if err != nil {
			return fmt.Errorf("export as JSON: %w", err)
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  ")
		b.Write(bytes.ReplaceAll(bytes.TrimRight(data, "\n"), []byte("\n"), []byte("\n  ")))
	}
	if b.Len() > 1 {
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("export as JSON: %w", err)
	}
	return nil
}

// layerTitles are the headings of the Markdown export.
var layerTitles = map[file.Layer]string{
	file.AreaContext: "Area context", file.Technical: "Technical", file.Preferences: "Preferences", file.Guidelines: "Guidelines",
}

// Markdown writes the memories for people, by layer and type, with place, author and reason.
func Markdown(w io.Writer, ms []*file.Memory, opts Options) error {
	list := selected(ms, opts)
	past := file.Superseded(slices.Values(list))
	var b strings.Builder
	fmt.Fprintf(&b, "# Memories\n\n%s.\n", count(len(list), "memory", "memories"))
	var layer file.Layer
	var typ file.Type
	for i, m := range list {
		if i == 0 || m.Layer != layer {
			layer, typ = m.Layer, ""
			fmt.Fprintf(&b, "\n## %s\n", cmp.Or(layerTitles[m.Layer], string(m.Layer)))
		}
		if m.Type != typ {
			typ = m.Type
			fmt.Fprintf(&b, "\n### %s\n\n", title(m.Type))
		}
		writeFull(&b, m, past[m.UUID])
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("export as Markdown: %w", err)
	}
	return nil
}

// writeFull writes one memory with all its facts.
func writeFull(b *strings.Builder, m *file.Memory, superseded bool) {
	var past []string
	if superseded {
		past = append(past, "superseded")
	}
	fmt.Fprintf(b, "- **%s**%s\n", safe(oneLine(m.What)), marks(m, past...))
	if why := strings.TrimSpace(m.Why); why != "" {
		b.WriteString("\n  " + strings.ReplaceAll(safe(why), "\n", "\n  ") + "\n\n")
	}
	var facts []string
	if s := places(m); s != "" {
		facts = append(facts, "Applies to "+s)
	} else {
		facts = append(facts, "Applies to the whole project")
	}
	if m.Contributor != "" {
		facts = append(facts, "by "+safe(oneLine(m.Contributor)))
	}
	facts = append(facts, m.CreatedAt.UTC().Format("2006-01-02"))
	if len(m.Tags) > 0 {
		facts = append(facts, "tags "+safe(oneLine(strings.Join(m.Tags, ", "))))
	}
	fmt.Fprintf(b, "  *%s* `%s`\n", strings.Join(facts, " · "), m.UUID)
}

// Marks that [ReadMarkdown] knows again.
const (
	fromOutside = "from an outside source"
	onlyFor     = "only for "
)

// marks are the caveats that a reader must know.
func marks(m *file.Memory, out ...string) string {
	if m.Trust.Deprecated != nil {
		out = append(out, "deprecated")
	}
	if m.Pinned {
		out = append(out, "pinned")
	}
	if m.Importance == file.High {
		out = append(out, "important")
	}
	if m.Trust.Disputed() {
		out = append(out, "disputed")
	}
	if m.Trust.Tainted {
		out = append(out, fromOutside)
	}
	if m.Trust.Unreviewed {
		out = append(out, file.NotReviewed)
	}
	if m.Visibility == file.Personal {
		out = append(out, "personal")
	}
	if agent := m.OwnedBy(); agent != "" {
		out = append(out, onlyFor+safe(oneLine(agent)))
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// places returns the scope and the anchors as code.
func places(m *file.Memory) string {
	var out []string
	for _, a := range m.Anchors {
		p := a.Path
		if a.Symbol != "" {
			p += "#" + a.Symbol
		}
		out = append(out, codeSpan(p))
	}
	for _, s := range m.Scope {
		out = append(out, codeSpan(s))
	}
	return strings.Join(out, ", ")
}

// codeSpan writes a name of the code or a pattern so that nothing in it is hidden, ends the span or opens a comment: it
// is chosen by whoever wrote the memory, as its text is.
func codeSpan(s string) string {
	const tick = "`"
	s = strings.TrimPrefix(safe(tick+oneLine(gate.Printable(s))), tick) // the beginning is that of no word
	fence := tick
	for strings.Contains(s, fence) {
		fence += tick
	}
	if fence == tick {
		return tick + s + tick
	}
	return fence + " " + s + " " + fence
}

func title(t file.Type) string {
	s := t.Label()
	r, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(r)) + s[n:]
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// safe keeps a memory's text from hiding something, in invisible characters or by opening a
// comment, and from having an agent do more with it than read it.
func safe(s string) string {
	return gate.Inert(strings.ReplaceAll(gate.Printable(s), "<!--", "&lt;!--"))
}
