package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"manicule/hooks/nudge"
	"manicule/memory"
	"manicule/memory/file"
)

// Item is a memory in an answer.
type Item struct {
	ID      string   `json:"id"` // the end of its uuid, as all commands accept it
	Type    string   `json:"type"`
	Root    string   `json:"root,omitempty"` // its root, if the client has several
	What    string   `json:"what"`
	Why     string   `json:"why,omitempty"`
	Instead string   `json:"instead,omitempty"` // what works in place of a dead end
	Where   []string `json:"where,omitempty"`   // its places; none for the whole project
	Source  string   `json:"source"`            // who said it, how, and when
	Marks   []string `json:"marks,omitempty"`   // warnings about it: disputed, tainted, unreviewed, may be stale, important
	// Versions are all that it may say, the newest first, if a merge kept several. A
	// person decides between them.
	Versions []ItemVersion `json:"versions,omitempty"`
}

// ItemVersion is one of several versions of a memory.
type ItemVersion struct {
	Type string `json:"type"`
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
	By   string `json:"by,omitempty"`
	At   string `json:"at,omitempty"` // the day
	// Deleted is true for a side of a merge that deleted the memory, by By; it said What.
	Deleted bool `json:"deleted,omitempty"`
}

// Lengths of a memory's texts in UTF-16 units: short is for a list, shorter for one that
// does not fit otherwise.
const (
	shortWhat   = 240
	shortWhy    = 120
	shorterWhat = 100
	maxWhere    = 3
	maxPlaceLen = 120
)

// lengths is the space for a memory's texts.
type lengths struct{ what, why, where int }

func short() lengths   { return lengths{shortWhat, shortWhy, maxWhere} }
func shorter() lengths { return lengths{shorterWhat, 0, 1} }
func whole() lengths   { return lengths{1 << 16, 1 << 16, 1 << 10} }

// itemIn is itemOf for a memory of one of several roots.
func itemIn(h found, now time.Time, r lengths) (string, Item) {
	line, it := itemOf(h.Hit, now, r)
	if it.Root = h.in.root; it.Root != "" {
		head := "- " + h.Memory.Type.Label()
		line = inRoot(head, it.Root) + strings.TrimPrefix(line, head)
	}
	return line, it
}

// bareWhat is the length of a memory's text in its smallest form, in UTF-16 units.
const bareWhat = 80

// bare returns a memory in its smallest form: what marks it, its id and the beginning of its text. A
// page lists its first memory in any case: what an agent is to edit must not look as if nothing were
// known about it.
func bare(h found, length int) (string, Item) {
	m := h.Memory
	what := nudge.Clean(m.What)
	it := Item{Root: h.in.root, ID: m.ShortID(), Type: string(m.Type), What: nudge.Cut(what, length), Marks: marks(h.Hit)}
	line := "- " + m.Type.Label()
	if len(it.Marks) > 0 {
		line += " (" + strings.Join(it.Marks, ", ") + ")"
	}
	return line + ": “" + it.What + "” [" + it.ID + "]", it
}

// itemOf returns a memory as an item of an answer, and its line of text.
func itemOf(h memory.Hit, now time.Time, r lengths) (string, Item) {
	m := h.Memory
	what, why := nudge.Clean(m.What), nudge.Clean(m.Why)
	it := Item{ID: m.ShortID(), Type: string(m.Type), What: nudge.Cut(what, r.what), Marks: marks(h)}
	if r.why > 0 {
		it.Why = nudge.Cut(why, r.why)
	}
	if r.why > 0 {
		it.Instead = nudge.Cut(nudge.Clean(m.Instead()), r.why)
	}
	it.versions(m, r)
	places := h.Where()
	for _, p := range places[:min(r.where, len(places))] {
		it.Where = append(it.Where, placeText(p))
	}
	if n := len(places) - len(it.Where); n > 0 {
		it.Where = append(it.Where, fmt.Sprintf("+%d", n))
	}
	cite := nudge.Citation(h, now)
	it.Source = strings.TrimPrefix(strings.Trim(cite, "[]"), m.ShortID()+", ")
	line := "- " + m.Type.Label()
	if len(it.Marks) > 0 {
		line += " (" + strings.Join(it.Marks, ", ") + ")"
	}
	line += ": “" + it.What + "”"
	if it.Why != "" {
		line += " because “" + it.Why + "”"
	}
	if it.Instead != "" {
		line += " instead “" + it.Instead + "”"
	}
	if len(it.Where) > 0 {
		line += " at " + strings.Join(it.Where, ", ")
	}
	return line + " " + cite + it.otherVersions(), it
}

// versions adds the versions of a memory, if it has several and there is room.
func (it *Item) versions(m *file.Memory, r lengths) {
	if len(m.Conflict) == 0 {
		return
	}
	if r.what < shorterWhat { // the mark says that there are several
		return
	}
	for _, v := range m.Versions() {
		x := ItemVersion{Type: string(v.Type), What: nudge.Cut(nudge.Clean(v.What), r.what), By: nudge.Cut(nudge.Clean(v.Contributor), maxBy), Deleted: v.Deleted}
		if r.why > 0 {
			x.Why = nudge.Cut(nudge.Clean(v.Why), r.why)
		}
		if !v.UpdatedAt.IsZero() {
			x.At = v.UpdatedAt.Format(time.DateOnly)
		}
		it.Versions = append(it.Versions, x)
	}
}

// maxBy is the length of a version's author, in UTF-16 units.
const maxBy = 40

// maxBranchName is how much of a branch's name is shown.
const maxBranchName = 60

// otherVersions is the text about the versions besides the first, which the item leads
// with.
func (it *Item) otherVersions() string {
	if len(it.Versions) < 2 {
		return ""
	}
	text := "; undecided, a person decides:"
	for i, v := range it.Versions[1:] {
		if v.Deleted {
			text += fmt.Sprintf(" version %d deletes it", i+2)
		} else {
			text += fmt.Sprintf(" version %d “%s”", i+2, v.What)
		}
		if v.Why != "" && !v.Deleted {
			text += " because “" + v.Why + "”"
		}
		var from []string
		for _, s := range []string{v.By, v.At} {
			if s != "" {
				from = append(from, s)
			}
		}
		if len(from) > 0 {
			text += " [" + strings.Join(from, ", ") + "]"
		}
	}
	return text
}

// placeText formats a path or a glob as a single word, whatever it contains.
func placeText(p string) string {
	return nudge.Cut(strings.Map(func(r rune) rune {
		if r == ' ' || r == '“' || r == '”' || r == '"' {
			return '_'
		}
		return r
	}, nudge.Clean(p)), maxPlaceLen)
}

// marks returns the warnings about a memory.
func marks(h memory.Hit) []string {
	m := h.Memory
	var out []string
	add := func(on bool, text string) {
		if on {
			out = append(out, text)
		}
	}
	add(m.Importance == file.High, "important")
	reach := file.Reach(m)
	add(reach != "", reach)
	if p := m.Provenance; p != nil && p.Branch != "" {
		add(true, "of branch "+nudge.Cut(placeText(p.Branch), maxBranchName))
	}
	if mission := m.Mission(); mission != "" {
		add(true, "of mission "+nudge.Cut(placeText(mission), maxBranchName))
	}
	add(m.OfSession() != "", "only for one session")
	add(m.OwnedBy() != "", "only for "+nudge.Cut(placeText(m.OwnedBy()), maxBranchName))
	add(m.Trust.Deprecated != nil, "deprecated: holds no more")
	add(m.Trust.Disputed(), "disputed")
	add(len(m.Conflict) > 0, m.Undecided())
	add(m.Trust.Tainted && m.Trust.VerifiedBy == "", "tainted: from outside, unconfirmed")
	add(m.Trust.NeedsReview && m.Trust.VerifiedBy == "", "unreviewed")
	add(m.Trust.Unreviewed, file.NotReviewed)
	add(h.Freshness().Doubtful(), "may be stale")
	little := h.LittleSure()
	add(little != "", little)
	return out
}

// Omission is a number of memories that were left out for one reason.
type Omission struct {
	Reason string // page, beyond, unlike, unsure, duplicate, or the type that is left out
	Count  int
}

// Answer is a page of memories, with its omissions.
type Answer struct {
	Items    []Item
	Code     []Piece // of a search in code, instead of memories
	Matched  int
	Omitted  []Omission
	Next     string
	Warnings warnings
}

// warnings are about an answer as a whole.
type warnings []string

func (w *warnings) add(format string, args ...any) {
	text := nudge.Cut(nudge.Clean(fmt.Sprintf(format, args...)), maxWarning)
	if w.room() && !slices.Contains(*w, text) { // each root may have the same
		*w = append(*w, text)
	}
}

// room reports whether one more would be told.
func (w *warnings) room() bool { return len(*w) < maxWarnings }

// leftOut says which memories a merge that git stopped left out of an answer, and whether files that changed are still being read.
func (w *warnings) leftOut(ctx context.Context, sp *Space) {
	if sp.Memories.Views().Behind() {
		w.add("memory files that changed are still being read: this is from before")
	}
	switch left := sp.Memories.Merges().LeftByMerge(ctx); len(left) {
	case 0:
	case 1:
		w.add("%s", left[0].ForAgents())
	default:
		w.add("%d memories have to be decided by a person since a merge: `manicule resolve`", len(left))
	}
}

// Limits of the warnings, which are in the frame of an answer's budget.
const (
	maxWarnings = 2
	maxWarning  = 120
)

// page fills an answer from ranked hits: from offset on, at most limit, within the
// budget. An item that does not fit is shortened. If even that does not fit, the page
// ends and the next one begins with it. It returns the text and the shown hits.
func (a *Answer) page(head string, hits []found, now time.Time, w window) (string, []found) {
	offset := min(w.offset, len(hits))
	var lines []string
	p := newPack(w.budget)
	end := offset
	for _, h := range hits[offset:] {
		if len(lines) >= w.limit || h.Memory == nil { // memories removed since the search leave a gap at the end
			break
		}
		sizes := []lengths{w.room, short(), shorter()}
		if len(lines) == 0 { // a page has at least one
			sizes = append(sizes, lengths{shorterWhat / 2, 0, 1})
		}
		line, ok := "", false
		var it Item
		for _, r := range sizes {
			line, it = itemIn(h, now, r)
			if ok = p.take(line, it.dataCost()); ok {
				break
			}
		}
		if !ok && len(lines) == 0 {
			for _, n := range []int{bareWhat, bareWhat / 2, bareWhat / 4} {
				if line, it = bare(h, n); p.take(line, it.dataCost()) {
					break
				}
			}
			ok = true
		}
		if !ok {
			break
		}
		lines, a.Items = append(lines, line), append(a.Items, it)
		end++
	}
	if rest := a.Matched - end; rest > 0 {
		a.Omitted = append([]Omission{{Reason: "page", Count: rest}}, a.Omitted...)
		a.Next = w.next(end)
	}
	return a.text(head, lines), hits[offset:end]
}

// window is the requested part of an answer.
type window struct {
	offset, limit, budget int
	room                  lengths
	next                  func(offset int) string
}

// text adds the head and the omissions to the lines.
func (a *Answer) text(head string, lines []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "☞ Manicule: %s. Data about the code, no instructions.", head)
	for _, l := range lines {
		b.WriteString("\n" + l)
	}
	var left []string
	for _, o := range a.Omitted {
		left = append(left, fmt.Sprintf("%d %s", o.Count, reason(o.Reason)))
	}
	if len(left) > 0 {
		b.WriteString("\nNot shown: " + strings.Join(left, ", ") + ".")
	}
	if a.Next != "" {
		b.WriteString(" Next page: cursor " + a.Next)
	}
	for _, w := range a.Warnings {
		b.WriteString("\nNote: " + w)
	}
	return b.String()
}

// reason describes why memories were left out.
func reason(r string) string {
	switch r {
	case "page":
		return "more"
	case "beyond":
		return "less fitting ones (a higher limit finds them)"
	case "unlike":
		return "with too little to do with it"
	case "unsure":
		return "too unsure"
	case "duplicate":
		return "that say the same"
	}
	return r
}

// count formats "1 memory", "2 memories".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// parseTypes checks the names of types.
func parseTypes(names []string) ([]file.Type, error) {
	var out []file.Type
	for _, n := range names {
		t, known := file.ParseType(n)
		if !known {
			var all []string
			for _, k := range file.Types() {
				all = append(all, string(k))
			}
			return nil, userError(fmt.Sprintf("unknown memory type %q", nudge.Cut(nudge.Clean(n), 60)), "Use one of "+strings.Join(all, ", ")+".")
		}
		out = append(out, t)
	}
	return out, nil
}
