package file

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
)

// DedupeKey is equal for two memories that say the same about the same place:
// it covers the words of the text (case, punctuation and spacing aside), the
// owner, and the places. The prefix names the derivation: a change of it makes
// a new one (ADE-ST-63).
func (m *Memory) DedupeKey() string {
	places := slices.Clone([]string(m.Scope))
	for _, a := range m.Anchors {
		p := a.Path + "#" + a.Symbol
		if a.Symbol == "" {
			p += a.Quote
		}
		places = append(places, p)
	}
	slices.Sort(places)
	owner := ""
	if m.Owner != nil {
		owner = m.Owner.Kind + ":" + m.Owner.ID
	}
	words := strings.FieldsFunc(strings.ToLower(m.What), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(words) == 0 {
		words = []string{m.What} // nothing but signs: they are the text
	}
	sum := sha256.Sum256([]byte(strings.Join(words, " ") + "\x00" + owner + "\x00" + strings.Join(places, "\x00")))
	return "v1:" + hex.EncodeToString(sum[:12])
}

// ShortID is what people name a memory by: the last eight characters of its
// uuid. The first ones are the time, which memories of one import share.
func (m *Memory) ShortID() string { return m.UUID[max(0, len(m.UUID)-8):] }
