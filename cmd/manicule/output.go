package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"manicule/hooks/install"
	"manicule/hooks/setup"
	"manicule/indexer/anchor"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/importer"
	"manicule/memory/services"
	"manicule/memory/store"
)

// hitJSON is a memory in an answer.
type hitJSON struct {
	Memory *file.Memory `json:"memory"`
	Match  string       `json:"match,omitzero"`
	Score  float64      `json:"score,omitzero"`
	Path   string       `json:"path"`
	By     []string     `json:"by,omitempty"` // legs of the search: words, meaning, structure

	Found *foundJSONDetail `json:"found,omitzero"`

	State      anchor.State `json:"state,omitzero"` // of the worst anchor
	Reason     string       `json:"state_reason,omitzero"`
	Confidence float64      `json:"effective_confidence,omitzero"` // if it is not the memory's own
	Unreviewed bool         `json:"unreviewed,omitzero"`           // from git, not reviewed here
	Places     []anchorJSON `json:"places,omitempty"`

	SupersededBy string `json:"superseded_by,omitzero"` // in a list

	now []store.Place
}

// anchorJSON is the current place of an anchor that differs from its record.
type anchorJSON struct {
	Number     int               `json:"number"`
	State      anchor.State      `json:"state"`
	Reason     string            `json:"reason,omitzero"`
	At         *placeJSON        `json:"at,omitzero"`
	Confidence float64           `json:"confidence"`
	Suggestion *store.Suggestion `json:"suggestion,omitzero"`
}

func placesJSON(places []store.Place) []anchorJSON {
	var out []anchorJSON
	for i, p := range places {
		if p.State == "" || p.State == anchor.Fresh {
			continue
		}
		x := anchorJSON{Number: i + 1, State: p.State, Reason: p.Reason, Confidence: p.Confidence, Suggestion: p.Suggestion}
		if p.State != anchor.Orphaned {
			x.At = placeAt(p)
		}
		out = append(out, x)
	}
	return out
}

func hitsJSON(root string, hits []memory.Hit) []hitJSON {
	out := make([]hitJSON, len(hits))
	for i, h := range hits {
		out[i] = hitJSON{Memory: h.Memory, Score: h.Score, Path: relative(root, h.Path), now: h.Places}
		if h.Match != memory.MatchNone {
			out[i].Match = h.Match.String()
		}
		standing := h.Freshness()
		out[i].Unreviewed = h.Memory.Trust.Unreviewed
		out[i].State, out[i].Reason, out[i].Places = standing.State, standing.Reason, placesJSON(h.Places)
		out[i].Confidence = effective(h)
		out[i].SupersededBy = h.SupersededBy
	}
	return out
}

func relative(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return path
}

func typeColour(t file.Type) string {
	switch t {
	case file.Gotcha, file.DeadEnd, file.ErrorPattern:
		return red
	case file.Decision, file.Requirement:
		return green
	}
	return yellow
}

// line prints a memory in one line.
func (c *console) line(m *file.Memory) { c.lineOf(memory.Hit{Memory: m}) }

// hit prints a memory in one line, and below it why it may not hold as it stands.
func (c *console) hit(h memory.Hit) {
	c.lineOf(h)
	if h.Memory.Trust.Unreviewed {
		c.printf("          %s\n", c.paint(faint, file.NotReviewed))
	}
	if versions := h.Memory.Undecided(); versions != "" {
		c.printf("          %s\n", c.paint(red, versions+": `manicule resolve "+h.Memory.ShortID()+"`"))
	}
	if h.Memory.Trust.Disputed() { // the other view is in the card, which names its author with it
		c.printf("          %s\n", c.paint(red, plainLine("disputed by "+memory.Disputants(h.Memory))+": `manicule show "+h.Memory.ShortID()+"`"))
	}
	if w := h.Freshness().Warning(); w != "" {
		c.printf("          %s\n", c.paint(red, plainLine(w)))
	}
}

func (c *console) lineOf(h memory.Hit) {
	m := h.Memory
	c.printf("%s  %s  %s%s\n", c.paint(faint, m.ShortID()), c.paint(typeColour(m.Type), fmt.Sprintf("%-14s", m.Type.Label())), firstLine(m.What), c.paint(faint, where(h)))
}

// noneYet says how to begin, and returns true, if there is no memory that anything could be found in.
func noneYet(ctx context.Context, c *console, w *services.Workspace) bool {
	if !w.Views().Loaded() {
		if _, err := w.Sync(ctx); err != nil {
			return false
		}
	}
	if len(w.View().All()) > 0 {
		return false
	}
	c.printf("no memories; %s\n", toBegin(ctx, w))
	return true
}

// toBegin says how to get a first memory: from rule files only where there are some.
func toBegin(ctx context.Context, w *services.Workspace) string {
	if lost, back := deletedFolder(w); lost != "" {
		return lost + ": " + back
	}
	if files, err := workspaceFiles(ctx, w.Root()); err == nil && len(importer.Find(files)) > 0 {
		return "`manicule import` reads your rule files, `manicule remember TEXT --at FILE#Symbol` writes one"
	}
	return "`manicule remember TEXT --at FILE#Symbol` writes one"
}

// deletedFolder says that the folder of the memories was deleted, or is left out of a sparse checkout, while git has its files,
// and how they come back; "" if that is not so. Who forgets memories, or takes them out of git, keeps the folder or git has none.
func deletedFolder(w *services.Workspace) (lost, back string) {
	if setup.Exists(w.Place().MemoriesDir()) {
		return "", ""
	}
	if n := len(memory.LeftOut(w.Place())); n > 0 {
		return "this sparse checkout leaves their folder out, and git has " + count(n, "memory", "memories") + " in it",
			"`git -C " + install.ShellQuote(w.Root()) + " sparse-checkout add " + workspace.Folder + "` brings them"
	}
	n := len(memory.Removed(w.Place()))
	if n == 0 {
		return "", ""
	}
	return "their folder was deleted, and git has " + count(n, "memory", "memories") + " of it",
		"`git -C " + install.ShellQuote(w.Root()) + " checkout -- " + workspace.Folder + "` brings them back, `manicule restore` what was personal"
}

// deletedFiles says that memory files are gone which nobody forgot, and how they come back: those that git has, as after a
// deleted folder that was made again by a new memory, or those that it never had, as after `git clean`. "" if none is.
func deletedFiles(ctx context.Context, w *services.Workspace) (lost, back string, err error) {
	if !setup.Exists(w.Place().MemoriesDir()) {
		lost, back = deletedFolder(w)
		return lost, back, nil
	}
	n, err := memory.RemovedByHand(ctx, w.Workspace)
	if err != nil {
		return "", "", err
	}
	if n == 0 {
		gone, err := memory.Vanished(ctx, w.Workspace)
		if gone == 0 || err != nil {
			return "", "", err
		}
		return count(gone, "memory whose file no commit had has", "memories whose files no commit had have") + " vanished, as by `git clean` or into a stash",
			"`manicule restore` lists what it brings back; this note ends after a week", nil
	}
	in := "git -C " + install.ShellQuote(w.Root())
	return "git has " + count(n, "memory whose file was", "memories whose files were") + " deleted without git",
		"`" + in + " ls-files -zd -- " + workspace.Folder + " | xargs -0 " + in + " checkout --` brings back what is gone, a commit without the files ends this note", nil
}

// placesShort names the first of a memory's current places, "" if it is about the whole project.
func placesShort(h memory.Hit) string {
	places, more := h.Where(), ""
	if len(places) > 2 {
		more = fmt.Sprintf(", +%d", len(places)-2)
		places = places[:2]
	}
	return plainPath(strings.Join(places, ", ")) + more
}

// where formats a memory's current places, and for whom it is or whether it holds no more.
func where(h memory.Hit) string {
	text := ""
	if places := placesShort(h); places != "" {
		text = "  (" + places + ")"
	}
	for _, mark := range whose(h) {
		text += "  " + mark
	}
	return text
}

// whose says for whom a memory is, where not for all, and whether it holds no more.
func whose(h memory.Hit) (out []string) {
	m := h.Memory
	if h.SupersededBy != "" {
		out = append(out, "superseded by "+file.ShortID(h.SupersededBy))
	}
	if m.Trust.Deprecated != nil {
		out = append(out, "deprecated")
	}
	session, agent := m.OfSession(), m.OwnedBy()
	if m.Visibility == file.Personal && session == "" { // what is for one session always is
		out = append(out, "personal")
	}
	if agent != "" {
		out = append(out, "only for "+plainLine(agent))
	}
	if session != "" {
		out = append(out, "only for session "+shortSession(plainLine(session)))
	}
	if mission := m.Mission(); mission != "" {
		out = append(out, "of mission "+plainLine(mission))
	}
	if p := m.Provenance; p != nil && p.Branch != "" {
		out = append(out, "of branch "+plainLine(p.Branch))
	}
	return out
}

// card prints a memory in full. Its texts may come from anybody's commit, so nothing in
// them may control the terminal.
func (c *console) card(h memory.Hit, now time.Time, root string) {
	m := h.Memory
	printTexts(c, m)
	printField(c, "id", m.UUID)
	printField(c, "layer", strings.ReplaceAll(string(m.Layer), "_", " "))
	printPlaces(c, h)
	c.versions(m, now)
	printBelonging(c, m)
	printField(c, "tags", strings.Join(m.Tags, ", "))
	printField(c, "by", author(m)+", "+humanize.RelTime(m.UpdatedAt.Time, now, "ago", "from now"))
	printField(c, "trust", reliability(m))
	printField(c, "cited", m.Trust.Citation)
	printViews(c, m)
	printField(c, "confidence", confidenceNow(h))
	printField(c, "tier", tierText(h))
	printField(c, "version", fmt.Sprintf("%d (%s%s)", m.Lineage.Version, m.Lineage.ChangeKind, note(m.Lineage.ChangeNote)))
	if m.HalfLifeDays != nil {
		printField(c, "half-life", strconv.FormatFloat(*m.HalfLifeDays, 'f', -1, 64)+" days")
	}
	printField(c, "written", writtenIn(m))
	if m.Provenance != nil && m.Provenance.Import != nil {
		im := m.Provenance.Import
		printField(c, "from", fmt.Sprintf("%s:%d %s", im.File, im.Line, im.Heading))
	}
	if h.Path != "" {
		printField(c, "file", relative(root, h.Path))
	}
}

// printField prints a field of a card unless it is empty.
func printField(c *console, name, value string) {
	if value != "" {
		c.printf("  %-10s %s\n", name, plainLine(value))
	}
}

// printTexts prints what a memory says.
func printTexts(c *console, m *file.Memory) {
	c.printf("%s %s\n", c.paint(typeColour(m.Type), "☞ "+m.Type.Label()), c.paint(bold, strings.ReplaceAll(gate.Clean(m.What), "\n", "\n    ")))
	if m.Why != "" {
		c.printf("  why        %s\n", strings.ReplaceAll(gate.Clean(m.Why), "\n", "\n             "))
	}
	for i, line := range m.DetailLines() {
		name := ""
		if i == 0 {
			name = "details"
		}
		c.printf("  %-10s %s\n", name, plainLine(line))
	}
	if n := gate.Stripped(m); n > 0 {
		printField(c, "stripped", count(n, "invisible character", "invisible characters")+" removed")
	}
}

// printPlaces prints what a memory is about, and which of its anchors are in doubt.
func printPlaces(c *console, h memory.Hit) {
	m := h.Memory
	if m.Scope == nil && len(m.Anchors) == 0 {
		printField(c, "scope", "the whole project")
	} else {
		printField(c, "scope", placesShort(h))
	}
	for i, p := range h.Places {
		if p.State == "" || p.State == anchor.Fresh {
			continue
		}
		text := string(p.State)
		if p.Reason != "" {
			text += ": " + p.Reason
		}
		printField(c, fmt.Sprintf("anchor %d", i+1), text)
	}
	if w := h.Freshness().Warning(); w != "" {
		printField(c, "warning", w+". `manicule verify "+m.ShortID()+"` says more")
	}
}

// printBelonging prints for whom a memory is, and of which work.
func printBelonging(c *console, m *file.Memory) {
	printField(c, "only for", m.OwnedBy())
	if session := m.OfSession(); session != "" {
		printField(c, "only for", "session "+shortSession(session))
	}
	if p := m.Provenance; p != nil && m.Visibility != file.Personal { // of a personal one it is beside its trust
		printField(c, "branch", p.Branch)
	}
	printField(c, "context", m.ContextLabel)
	printField(c, "work", workText(m))
	if name := m.Methodology(); name != file.Native {
		printField(c, "methodology", name)
	}
}

// writtenIn says at which commit, and in which sessions of agents, a memory came about.
func writtenIn(m *file.Memory) string {
	p := m.Provenance
	if p == nil {
		return ""
	}
	var parts []string
	if p.Commit != nil && *p.Commit != "" {
		parts = append(parts, fmt.Sprintf("at commit %.10s", *p.Commit))
	}
	var sessions []string
	if p.Session != nil && *p.Session != "" {
		sessions = append(sessions, shortSession(*p.Session))
	}
	for _, s := range p.Sessions {
		if s = shortSession(s); !slices.Contains(sessions, s) {
			sessions = append(sessions, s)
		}
	}
	if len(sessions) == 1 {
		parts = append(parts, "in session "+sessions[0])
	} else if len(sessions) > 1 {
		parts = append(parts, "in sessions "+strings.Join(sessions[:min(len(sessions), maxSessions)], ", "))
		if more := len(sessions) - maxSessions; more > 0 {
			parts = append(parts, fmt.Sprintf("and %d more", more))
		}
	}
	return strings.Join(parts, ", ")
}

// maxSessions is how many sessions of a memory are named.
const maxSessions = 5

// workText names the unit of work that a memory belongs to, and those around it.
func workText(m *file.Memory) string {
	r := m.Work()
	if r == nil {
		return ""
	}
	text := r.Name()
	if r.Title != "" {
		text += " “" + r.Title + "”"
	}
	for _, key := range r.Within {
		text += ", of " + strings.Replace(key, ":", " ", 1)
	}
	return text
}

// cite formats the origin of a memory in one line: its author, trust and age.
func cite(h memory.Hit, now time.Time) string {
	m := h.Memory
	trusted := reliability(m)
	if views := m.Trust.Views(); len(views) > 0 {
		trusted += note(views[len(views)-1].Says)
	}
	return plainLine(fmt.Sprintf("— %s, %s, %s", author(m), trusted, humanize.RelTime(m.UpdatedAt.Time, now, "ago", "from now")))
}

// author returns the author of a memory. Git may not know a name.
func author(m *file.Memory) string {
	return cmp.Or(m.Contributor, "somebody")
}

func note(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}

// reliability describes a memory's reliability.
func reliability(m *file.Memory) string {
	parts := []string{m.Trust.Said()}
	if file.Nobodys(m) {
		parts[0] = file.AsDraft
	}
	if m.Trust.VerifiedBy != "" {
		parts = append(parts, "verified by "+m.Trust.VerifiedBy)
	}
	if m.Trust.Disputed() {
		parts = append(parts, "disputed by "+memory.Disputants(m))
	}
	if d := m.Trust.Deprecated; d != nil {
		parts = append(parts, "deprecated by "+cmp.Or(d.By, file.Nameless))
	}
	if m.Trust.Tainted {
		parts = append(parts, "tainted")
	}
	if m.Pinned {
		parts = append(parts, "pinned")
	}
	switch m.Visibility {
	case file.Project:
	case file.Team, file.Org:
		parts = append(parts, "for the "+string(m.Visibility))
	case file.Personal:
		parts = append(parts, "personal")
		if p := m.Provenance; p != nil && p.Branch != "" {
			parts = append(parts, "of branch "+p.Branch)
		}
	}
	return strings.Join(parts, ", ")
}

// count formats "1 memory", "2 memories".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return humanize.Comma(int64(n)) + " " + many
}
