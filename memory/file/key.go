package file

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"manicule/indexer/hashing"
)

// DedupeKey is equal for memories that say the same about the same place. It covers the words of
// the text (ignoring case, punctuation and spacing, but no sign that changes what a word means), the owner and the places. The prefix
// names the derivation; a change of the derivation needs a new prefix.
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
	hash := sha256.New()
	some, signs := hashWords(hash, m.What)
	if !some {
		_, _ = io.WriteString(hash, m.What) // nothing but symbols: they are the text; a hash returns no error
	}
	_, _ = io.WriteString(hash, "\x00"+owner+"\x00"+strings.Join(places, "\x00"))
	version := "v1:" // of texts without such signs, whose keys are stored
	if some && len(signs) > 0 {
		version = "v2:"
		_, _ = hash.Write(signs)
	}
	sum := hash.Sum(nil)
	return version + hex.EncodeToString(sum[:12])
}

// maxSigns bounds the signs of a text that count, in bytes.
const maxSigns = 4 << 10

// signAt returns the sign that text has at a place, if it changes what the word beside it means: C++ and C#, -1, and <3 or >= 3.
func signAt(text string, at int) string {
	c := text[at]
	word := func(i int) bool {
		return i >= 0 && i < len(text) && (text[i] >= utf8.RuneSelf || text[i] >= '0' && text[i] <= '9' || text[i]|0x20 >= 'a' && text[i]|0x20 <= 'z')
	}
	run := len(text[at:]) - len(strings.TrimLeft(text[at:], string(c)))
	digit := func(i int) bool { return i < len(text) && text[i] >= '0' && text[i] <= '9' }
	switch c {
	case '+', '#':
		if word(at-1) && !word(at+run) {
			return text[at : at+run]
		}
	case '-':
		if digit(at+1) && (at == 0 || strings.IndexByte(" \t\n(=:,\"'`", text[at-1]) >= 0) {
			return "-"
		}
	case '<', '>':
		end := at + 1
		if end < len(text) && text[end] == '=' {
			end++
		}
		next := end
		for next < len(text) && text[next] == ' ' {
			next++
		}
		if digit(next) && (at == 0 || text[at-1] != '-' && text[at-1] != '=') { // which are arrows
			return text[at:end]
		}
	}
	return ""
}

// hashWords writes the words of a text in lower case with a space between them, and reports whether
// there is one. signs are those that change the meaning of a word, with its number. A text may have a megabyte: nothing is made of
// it as a whole.
func hashWords(to io.Writer, text string) (some bool, signs []byte) {
	const full = 4 << 10
	buf := make([]byte, 0, full+1+utf8.UTFMax)
	between, begun := false, 0 // words
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		if r < utf8.RuneSelf { // as below, without its tables
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
				if r >= '#' && r <= '>' && len(signs) < maxSigns {
					if sign := signAt(text, i-1); sign != "" {
						signs = append(strconv.AppendInt(append(signs, 0), int64(begun), 10), sign...)
					}
				}
				between = some
				continue
			}
		} else if r = unicode.ToLower(r); !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			between = some
			continue
		}
		if between || !some {
			begun++
		}
		if some = true; between {
			buf, between = append(buf, ' '), false
		}
		if buf = utf8.AppendRune(buf, r); len(buf) >= full {
			hashing.Ready()
			_, _ = to.Write(buf) // a hash returns no error
			buf = buf[:0]
		}
	}
	hashing.Ready()
	_, _ = to.Write(buf)
	return some, signs
}

// ShortID is the last eight characters of the uuid, by which people refer to a memory. The first
// characters encode the time, which memories of one import share.
func (m *Memory) ShortID() string { return ShortID(m.UUID) }

// ShortID returns the part of a uuid that people are shown.
func ShortID(uuid string) string { return uuid[max(0, len(uuid)-8):] }

// TypedID returns the id that a person typed or copied, in the form that ids have: without brackets, quotes and the stops of the
// sentence in which it stood, and in small letters. Anything else is returned as it is.
func TypedID(text string) string {
	id := strings.ToLower(strings.Trim(text, " <>()[]`'\".,:;…"))
	if len(id) < 4 || len(id) > 36 || strings.Trim(id, "0123456789abcdef-") != "" || strings.Trim(id, "-") == "" {
		return text
	}
	return id
}

// Abbreviates reports whether id is short for a uuid: its beginning, its end, or the beginning of its
// short id, as git takes the beginning of a commit's. The queries of the store say the same.
func Abbreviates(id, uuid string) bool {
	return strings.HasPrefix(uuid, id) || strings.HasSuffix(uuid, id) || strings.HasPrefix(ShortID(uuid), id)
}
