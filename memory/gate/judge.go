package gate

import (
	"fmt"
	"strings"

	"manicule/memory/file"
	"manicule/memory/gate/injection"
)

// Finding is a text of a memory that must not be shown unless a person vouches for it.
type Finding struct {
	*Rejection
	// Key identifies the text by its content.
	Key string
}

// Judge checks every text of a memory for secrets and for orders to an agent, and changes nothing.
// It serves memories that passed no gate, because they came by git or were written by hand.
func (g *Gate) Judge(m *file.Memory) ([]Finding, error) {
	found, err := g.findSecrets(m)
	return append(found, Orders(m)...), err
}

// Echo returns a rejection if a memory repeats what Manicule told an agent, else nil.
func Echo(m *file.Memory) *Rejection {
	for _, t := range m.Texts() {
		if injection.Echo(t.Text) {
			return &Rejection{Code: Repeated, Reason: fmt.Sprintf("%q repeats what Manicule said", t.Name), Hint: "Say in your own words what is new."}
		}
	}
	return nil
}

// Orders returns the texts of a memory that read like orders to an agent.
func Orders(m *file.Memory) []Finding {
	var out []Finding
	var all []string
	for _, t := range m.Texts() {
		if t.Name == "the cited lines" {
			continue // code that anchors use and that nobody is shown
		}
		if rule := injection.Find(t.Text); rule != "" {
			out = append(out, order(t, rule))
		}
		all = append(all, t.Text)
	}
	if len(out) > 0 {
		return out
	}
	// Split in two, each half may pass; but a reader sees both.
	for _, seam := range seams(all) {
		if rule := injection.Find(seam); rule != "" {
			return append(out, order(file.Text{Name: "the memory", Text: strings.Join(all, " ")}, rule))
		}
	}
	return out
}

// seamWidth is how much of a long text is checked again together with its neighbour, in bytes. It
// exceeds the reach of any pattern in package injection.
const seamWidth = 4 << 10

// seams joins texts, without the inner parts of long ones, which were checked by themselves.
func seams(texts []string) []string {
	var out []string
	var b strings.Builder
	for i, t := range texts {
		if i > 0 {
			b.WriteByte(' ')
		}
		if len(t) <= 2*seamWidth {
			b.WriteString(t)
			continue
		}
		b.WriteString(strings.ToValidUTF8(t[:seamWidth], ""))
		out = append(out, b.String())
		b.Reset()
		b.WriteString(strings.ToValidUTF8(t[len(t)-seamWidth:], ""))
	}
	return append(out, b.String())
}

func order(t file.Text, rule injection.Rule) Finding {
	hint := "Say what is so in the code instead of telling an agent what to do."
	if rule == injection.Errand {
		hint = "Say what holds each time (\"Write short sentences\"); an order for once belongs in the chat."
	}
	return Finding{Key: t.Key(), Rejection: &Rejection{Code: Injection, Reason: fmt.Sprintf("%q reads like orders to an agent (%s)", t.Name, rule), Hint: hint}}
}

// findSecrets returns the texts of a memory that seem to hold a credential. It scans all texts
// together, and each by itself only after a hit.
func (g *Gate) findSecrets(m *file.Memory) ([]Finding, error) {
	texts := m.Texts()
	var all strings.Builder
	size := 0
	for _, t := range texts {
		size += len(t.Text) + 2
	}
	all.Grow(size)
	for _, t := range texts {
		all.WriteString(t.Text)
		all.WriteString("\n\n")
	}
	kind, err := g.Scan(all.String())
	if kind == "" || err != nil {
		return nil, err
	}
	var out []Finding
	for _, t := range texts {
		kind, err := g.Scan(t.Text)
		if err != nil {
			return nil, err
		}
		if kind != "" {
			out = append(out, Finding{Key: t.Key(), Rejection: &Rejection{Code: Secret, Reason: fmt.Sprintf("%q holds what looks like a secret (%s)", t.Name, kind),
				Hint: "Describe where the secret is kept instead of writing it down; if it was real, rotate it."}})
		}
	}
	return out, nil
}
