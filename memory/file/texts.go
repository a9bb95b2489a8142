package file

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/hashing"
)

// Text is one of the texts that a memory is made of.
type Text struct{ Name, Text string }

// Texts lists every text of a memory that could be shown, including empty ones, in a fixed order. A
// structured member yields its JSON, with names and values adjacent, and its strings unquoted.
func (m *Memory) Texts() []Text {
	out := []Text{
		{"what", m.What}, {"why", m.Why}, {"context_label", m.ContextLabel},
		{"tags", strings.Join(m.Tags, "\n")}, {"scope", strings.Join(m.Scope, "\n")}, {"details", values(m.Details)},
		{"contributor", m.Contributor}, {"change_note", m.Lineage.ChangeNote}, {"dispute_note", m.Trust.DisputeNote}, {"citation", m.Trust.Citation},
		{"verified_by", m.Trust.VerifiedBy}, {"disputed_by", m.Trust.DisputedBy}, {"source", m.Source}, {"unknown members", values(m.Extra)},
	}
	for _, a := range m.Anchors {
		out = append(out, Text{"the cited lines", strings.Join([]string{a.Prefix, a.Quote, a.Suffix}, "\n")}, Text{"anchors", a.Path + "\n" + a.Symbol})
	}
	if m.Lineage.By != "" { // keys of memories without it are kept in databases
		out = append(out, Text{"by", m.Lineage.By})
	}
	if m.Lineage.WordsBy != "" {
		out = append(out, Text{"words_by", m.Lineage.WordsBy})
	}
	if r := m.Work(); r != nil {
		out = append(out, Text{"work", strings.Join(append([]string{r.Kind, r.ID, r.Title, values(r.Extra)}, r.Within...), "\n")})
	}
	if m.Methodology() != Native {
		out = append(out, Text{"methodology", m.Provenance.Methodology})
	}
	for _, v := range m.Conflict {
		out = append(out, Text{"the other version", strings.Join([]string{string(v.Type), v.What, v.Why, v.ContextLabel, values(v.Details), v.Contributor}, "\n")},
			Text{"the other version's scope", strings.Join(v.Scope, "\n")}, Text{"the other version's unknown members", values(v.Extra)})
	}
	if d := m.Trust.Deprecated; d != nil {
		out = append(out, Text{"the deprecation", strings.Join([]string{d.By, d.Why, values(d.Extra)}, "\n")})
	}
	for _, d := range m.Trust.Disputes {
		out = append(out, Text{"a dispute", strings.Join([]string{d.By, d.Says, d.Agent, d.VerifiedBy, values(d.Extra)}, "\n")})
	}
	return out
}

// TextKey is equal for memories whose texts are the same.
func (m *Memory) TextKey() string {
	h := sha256.New()
	w := bufio.NewWriterSize(h, 1<<10) // a text is a string, of which a hash would need a copy
	for _, t := range m.Texts() {
		hashing.Ready()
		for _, part := range [...]string{t.Name, "\x00", t.Text, "\x00"} {
			_, _ = w.WriteString(part) // a hash never fails
		}
	}
	_ = w.Flush()
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Key identifies a text by its content.
func (t Text) Key() string {
	sum := hashing.Sum256([]byte(t.Text))
	return hex.EncodeToString(sum[:16])
}

// values returns a JSON value followed by its strings, one a line.
func values(v jsontext.Value) string {
	if len(v) == 0 {
		return ""
	}
	compact := v.Clone()
	if err := compact.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
		compact = v // it was parsed, so it is JSON
	}
	out := []string{string(compact)}
	dec := jsontext.NewDecoder(strings.NewReader(string(v)), jsontext.AllowDuplicateNames(true))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return strings.Join(out, "\n")
		}
		if tok.Kind() == '"' {
			out = append(out, tok.String())
		}
	}
}
