package feature

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"manicule/indexer/anchor"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/steward"
)

// cardWriter writes memories for a person, in Markdown or as plain text.
type cardWriter struct {
	strings.Builder
	page  *page.Page
	opts  HoverOptions
	told  map[string]bool // the memories whose text a diagnostic shows, by uuid
	left  int             // how many more memories may be written
	shown []string        // uuids
}

func (w *cardWriter) group(g group) {
	about := g.place
	switch {
	case g.symbol:
		about = w.code(g.place)
	case about == "":
		about = "this file"
	}
	w.line(fmt.Sprintf("☞ %s for %s", render.Memories(len(g.cards)), about))
	shown := min(len(g.cards), w.left)
	for _, c := range g.cards[:shown] {
		w.gap()
		w.card(c)
	}
	w.left -= shown
	if g.note != "" {
		w.gap()
		w.line(w.text("Not saved: " + g.note))
	}
	w.collapsed(g.cards[shown:])
	if g.also > 0 {
		w.gap()
		w.line(fmt.Sprintf("and %s for the whole project", render.Memories(g.also)))
	}
}

// maxCollapsed is how many of the memories that are not shown in full are named.
const maxCollapsed = 12

// collapsed names memories by type, one per line, with links.
func (w *cardWriter) collapsed(cards []card) {
	if len(cards) == 0 {
		return
	}
	named := cards[:min(len(cards), maxCollapsed)] // in order of relevance; a file may have hundreds
	var labels []string
	for i := range named {
		if label := named[i].Hit.Memory.Type.Label(); !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	w.gap()
	w.line(fmt.Sprintf("and %d more:", len(cards)))
	for _, label := range labels {
		n := 0
		for i := range cards {
			if cards[i].Hit.Memory.Type.Label() == label {
				n++
			}
		}
		w.gap()
		w.line(w.strong(render.Plural(n, label)))
		for i := range named {
			if h := named[i].Hit; h.Memory.Type.Label() == label {
				w.line("- " + w.name(h))
			}
		}
	}
	if n := len(cards) - len(named); n > 0 {
		w.gap()
		w.line(fmt.Sprintf("… and %d that are not listed here", n))
	}
}

// name returns a memory's text in short, with a link to its file.
func (w *cardWriter) name(h memory.Hit) string {
	text := w.text(render.OneLine(h.Memory.What, 80))
	if !w.opts.Markdown {
		return text
	}
	return "[" + text + "](" + string(w.page.Folder.URI(h.Path)) + ")"
}

func (w *cardWriter) card(c card) {
	m := c.Hit.Memory
	if w.told[m.UUID] {
		w.line(w.strong(m.Type.Label()) + ", as above")
	} else {
		w.line(w.strong(m.Type.Label()) + ": " + w.text(m.What))
		if m.Why != "" {
			w.line("Why: " + w.text(m.Why))
		}
		for _, line := range m.DetailLines() {
			w.line(w.text(line))
		}
	}
	if n := gate.Stripped(m); n > 0 {
		w.line(w.text(fmt.Sprintf("⚠ %s removed", render.Plural(n, "invisible character"))))
	}
	w.line(w.facts(c.Hit))
	w.steward(m)
	w.versions(m)
	w.related(c.Hit)
	w.usage(m.UUID)
	w.state(c)
	if w.opts.Markdown {
		w.line(w.links(c))
	}
}

// usage says how often agents saw the memory, and with what result.
func (w *cardWriter) usage(uuid string) {
	w.shown = append(w.shown, uuid)
	if l := w.page.Folder.Ledger; l != nil {
		if s := l.Sentence(uuid); s != "" {
			w.line(w.text(s))
		}
	}
}

// state says what happened to the code, and what a person can do about it.
func (w *cardWriter) state(c card) {
	if c.Deleted {
		w.line(w.text("Its code was deleted in the editor. The memory stays as it is until you save."))
		return
	}
	if c.Pasted {
		w.line(w.text("Its code is here: " + c.Resolution.Reason + ". Save both files to keep this."))
		return
	}
	s := stateText(c.Anchor, c.Resolution)
	if s == "" {
		return
	}
	if Doubtful(c.Resolution) {
		s = "⚠ " + s
	}
	w.line(w.text(s))
	if now := c.Resolution.Symbol; now != "" && c.Resolution.State == anchor.Followed {
		if name := memory.StillSays(c.Hit.Memory, c.Anchor.Symbol, now); name != "" {
			w.line(w.text("Its words still say " + name + "."))
		}
	}
	if how := stateAdvice(c.Resolution); how != "" && w.page.Folder.Tracker != nil {
		w.line(w.text(how))
	}
	if offer := w.opts.Links.Anchor; offer != nil && w.commands() && w.page.Folder.Tracker != nil {
		if links := commandLinks(offer(c.Mark)); len(links) > 0 {
			w.line(strings.Join(links, " · "))
		}
	}
}

// commands reports whether the client shows and trusts links that run commands.
func (w *cardWriter) commands() bool { return w.opts.Markdown && w.opts.Settings.CommandLinks }

func commandLinks(links []Link) []string {
	var out []string
	for _, l := range links {
		out = append(out, commandLink(l))
	}
	return out
}

// facts returns the line with author, age, trust and scope.
func (w *cardWriter) facts(h memory.Hit) string {
	m := h.Memory
	var parts []string
	if m.Contributor != "" {
		parts = append(parts, w.text(render.OneLine(m.Contributor, 40)))
	}
	if a := w.written(m); a != "" {
		parts = append(parts, a)
	}
	if agent := m.OwnedBy(); agent != "" {
		parts = append(parts, w.text("only for "+render.OneLine(agent, 60)))
	}
	if session := m.OfSession(); session != "" {
		parts = append(parts, w.text("only for session "+render.OneLine(session, 12)))
	}
	if p := m.Provenance; p != nil && p.Branch != "" {
		parts = append(parts, w.text("of branch "+render.OneLine(p.Branch, 60)))
	}
	if mission := m.Mission(); mission != "" {
		parts = append(parts, w.text("of mission "+render.OneLine(mission, 60)))
	}
	for _, t := range trustTexts(m) {
		parts = append(parts, w.text(t))
	}
	if little := h.LittleSure(); little != "" {
		parts = append(parts, little)
	}
	if m.Pinned {
		parts = append(parts, "pinned")
	}
	if m.Scope != nil {
		var scopes []string
		for _, s := range m.Scope[:min(len(m.Scope), maxScopes)] {
			scopes = append(scopes, w.code(render.OneLine(s, 120)))
		}
		in := "in " + strings.Join(scopes, ", ")
		if more := len(m.Scope) - len(scopes); more > 0 {
			in += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, in)
	}
	return strings.Join(parts, " · ")
}

// maxScopes is how many scopes of a memory a card names.
const maxScopes = 8

// steward says who decides about a disputed memory.
func (w *cardWriter) steward(m *file.Memory) {
	if !m.Trust.Disputed() {
		return
	}
	// Without a readable file the author decides.
	if name, _ := steward.Name(w.page.Folder.Root, m); name != "" {
		w.line(w.text("Decides: " + render.OneLine(name, 80)))
	}
}

// written returns when a memory was created and changed.
func (w *cardWriter) written(m *file.Memory) string {
	made, changed := render.Age(w.opts.Now, m.CreatedAt.Time), render.Age(w.opts.Now, m.UpdatedAt.Time)
	if changed == "" || changed == made {
		return made
	}
	if made == "" {
		return "changed " + changed
	}
	return made + ", changed " + changed
}

// trustTexts says where a memory came from, and what people said about it.
func trustTexts(m *file.Memory) []string {
	t := m.Trust
	texts := []string{originText(t)}
	if file.Nobodys(m) {
		texts[0] = file.AsDraft
	}
	if reach := file.Reach(m); reach != "" {
		texts = append(texts, reach)
	}
	if t.VerifiedBy != "" {
		texts = append(texts, "verified by "+render.OneLine(t.VerifiedBy, 40))
	}
	for _, d := range t.Views() {
		s := "disputed"
		if d.By != "" {
			s += " by " + render.OneLine(d.By, 40)
		}
		if d.Agent != "" {
			s += " with " + render.OneLine(d.Agent, 40)
		}
		if d.Says != "" {
			s += " (" + render.OneLine(d.Says, 120) + ")"
		}
		texts = append(texts, s)
	}
	if t.Tainted {
		texts = append(texts, "tainted: may repeat text from outside")
	}
	if t.NeedsReview {
		texts = append(texts, "needs review")
	}
	return texts
}

func originText(t file.Trust) string {
	switch t.Origin {
	case file.UserTaught:
		return "taught by a person"
	case file.AgentExplicit:
		return "written by an agent"
	case file.QAAuto:
		return "from a test run"
	case file.MCPAuto:
		return "from an agent's tool"
	case file.CommitAuto:
		return "from a commit"
	case file.ObserverInferred:
		return "inferred from sessions"
	case file.Import:
		return "imported"
	default:
		return t.Said()
	}
}

// links returns those that run commands, or where the client runs none from a hover the link to the
// memory's file. With commands it is the client that knows what to open: a card, where it has one.
func (w *cardWriter) links(c card) string {
	if offer := w.opts.Links.Memory; offer != nil && w.commands() {
		return strings.Join(commandLinks(offer(c.Hit)), " · ")
	}
	return "[open](" + string(w.page.Folder.URI(c.Hit.Path)) + ")"
}

// commandLink returns a link that runs a command in VS Code.
func commandLink(l Link) string {
	b, err := json.Marshal(l.Args)
	if err != nil {
		return l.Label // strings and numbers always marshal
	}
	return "[" + l.Label + "](command:" + l.Command + "?" + url.PathEscape(string(b)) + ")"
}

func (w *cardWriter) line(s string) {
	w.WriteString(s)
	if w.opts.Markdown {
		w.WriteString("  ")
	}
	w.WriteByte('\n')
}

func (w *cardWriter) gap() { w.WriteByte('\n') }

func (w *cardWriter) rule() {
	if w.opts.Markdown {
		w.WriteString("\n---\n\n")
	} else {
		w.WriteString("\n")
	}
}

func (w *cardWriter) text(s string) string {
	if w.opts.Markdown {
		return render.Markdown(s)
	}
	return strings.TrimSpace(render.Printable(s))
}

func (w *cardWriter) strong(s string) string {
	if w.opts.Markdown {
		return "**" + render.Markdown(s) + "**"
	}
	return s
}

// code formats text as code. A backtick in it would end the span.
func (w *cardWriter) code(s string) string {
	s = render.OneLine(s, 120)
	if w.opts.Markdown && !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	return w.text(s)
}
