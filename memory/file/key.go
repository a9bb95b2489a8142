package file

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
)

// DedupeKey is equal for memories that say the same about the same place. It covers the words of
// the text (ignoring case, punctuation and spacing), the owner and the places. The prefix names the
// derivation; a change of the derivation needs a new prefix.
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
		words = []string{m.What} // nothing but symbols: they are the text
	}
	sum := sha256.Sum256([]byte(strings.Join(words, " ") + "\x00" + owner + "\x00" + strings.Join(places, "\x00")))
	return "v1:" + hex.EncodeToString(sum[:12])
}

// ShortID is the last eight characters of the uuid, by which people refer to a memory. The first
// characters encode the time, which memories of one import share.
func (m *Memory) ShortID() string { return ShortID(m.UUID) }

// ShortID returns the part of a uuid that people are shown.
func ShortID(uuid string) string { return uuid[max(0, len(uuid)-8):] }

// Abbreviates reports whether id is short for a uuid: its beginning, its end, or the beginning of its
// short id, as git takes the beginning of a commit's. The queries of the store say the same.
func Abbreviates(id, uuid string) bool {
	return strings.HasPrefix(uuid, id) || strings.HasSuffix(uuid, id) || strings.HasPrefix(ShortID(uuid), id)
}
