package file

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"

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
	if names := origin(m); len(names) > 0 {
		out = append(out, Text{nameOfOrigin, strings.Join(names, "\n")})
	}
	return out
}

// nameOfOrigin is the name of the text that origin makes.
const nameOfOrigin = "the origin"

// origin lists what a memory says beside its texts: whose it is, where it comes from, what it is related to. These are names
// and hashes, unless somebody has written sentences there. A hash is left out: it may look like a secret.
func origin(m *Memory) (out []string) {
	add := func(names ...string) {
		for _, name := range names {
			if name != "" {
				out = append(out, name)
			}
		}
	}
	hashes := func(list ...string) {
		for _, hash := range list {
			if hasSpace(hash) {
				out = append(out, hash)
			}
		}
	}
	if o := m.Owner; o != nil {
		add(o.Kind, o.ID, values(o.Extra))
	}
	if g := m.GeneratedBy; g != nil {
		add(g.Tool, deref(g.Model), g.AuthorType, values(g.Extra))
	}
	if p := m.Provenance; p != nil {
		hashes(deref(p.Session), deref(p.Commit))
		hashes(p.Sessions...)
		add(p.Branch, values(p.Extra))
		if i := p.Import; i != nil {
			hashes(i.Key)
			add(i.File, i.Heading, values(i.Extra))
			add(i.Also...)
		}
	}
	for _, r := range m.Relations {
		add(r.File, values(r.Extra))
		hashes(r.Memory)
	}
	for _, a := range m.Anchors {
		add(a.Language, a.SymbolKind, a.Focus, values(a.Extra))
		hashes(string(a.Kind), a.TokenHash, a.Blob, a.Commit)
		if f := a.Fingerprint; f != nil {
			hashes(f.Tree, f.Abstract, f.Signature, f.Sketch, f.Parent, f.Before, f.After)
			add(values(f.Extra))
		}
	}
	hashes(m.Lineage.Parent, m.Lineage.ChangeKind)
	hashes(m.Lineage.Merged...)
	add(values(m.Lineage.Extra), values(m.Trust.Extra))
	return out
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func hasSpace(s string) bool { return strings.ContainsFunc(s, unicode.IsSpace) }

// TextKey is equal for memories whose texts are the same, but for names in their origin.
func (m *Memory) TextKey() string {
	return textKey(m, func(t Text) (string, bool) {
		if t.Name != nameOfOrigin {
			return t.Text, true
		}
		// Keys of memories whose origin has names alone are kept in databases.
		sentences := strings.Join(slices.DeleteFunc(origin(m), func(s string) bool { return !hasSpace(s) }), "\n")
		return sentences, sentences != ""
	})
}

// JudgedKey is equal for memories whose texts are all the same: what was found in one is in the other.
func JudgedKey(m *Memory) string {
	return textKey(m, func(t Text) (string, bool) { return t.Text, true })
}

// textKey is a digest of a memory's texts as part returns them; it leaves out those for which that returns false.
func textKey(m *Memory, part func(Text) (string, bool)) string {
	h := sha256.New()
	w := bufio.NewWriterSize(h, 1<<10) // a text is a string, of which a hash would need a copy
	hashing.Ready()
	for _, t := range m.Texts() {
		text, ok := part(t)
		if !ok {
			continue
		}
		for _, s := range [...]string{t.Name, "\x00", text, "\x00"} {
			_, _ = w.WriteString(s) // a hash never fails
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
