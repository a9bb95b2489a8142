package local

import (
	"encoding/json"
	"fmt"
	"strings"
)

// wordPieces encodes plain ASCII words as BERT's tokenizer does: lower case, each punctuation mark
// alone, the longest pieces of the vocabulary first. The library takes 30 times as long for them.
type wordPieces struct {
	first, rest map[string]int // the id of a piece at the start of a word, and inside of one
	longest     int            // length of a piece
	unknown     int
	special     []string // what a text may hold that is a token of its own
}

// maxWordBytes is the length from which a word is unknown.
const maxWordBytes = 100

// tokenFileForm is the part of tokenizer.json that says how a text becomes tokens.
type tokenFileForm struct {
	Added []struct {
		Content string `json:"content"`
	} `json:"added_tokens"`
	Normalizer struct {
		Type      string `json:"type"`
		Lowercase bool   `json:"lowercase"`
	} `json:"normalizer"`
	Pre struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type     string         `json:"type"`
		Unknown  string         `json:"unk_token"`
		Prefix   string         `json:"continuing_subword_prefix"`
		MaxChars int            `json:"max_input_chars_per_word"`
		Vocab    map[string]int `json:"vocab"`
	} `json:"model"`
}

func readTokenFile(data []byte) (form tokenFileForm, err error) {
	if err = json.Unmarshal(data, &form); err != nil {
		err = fmt.Errorf("read the tokenizer: %w", err)
	}
	return form, err
}

// newWordPieces returns nil if a tokenizer is not one of BERT in lower case.
func newWordPieces(form tokenFileForm) *wordPieces {
	m := form.Model
	unknown, ok := m.Vocab[m.Unknown]
	if !ok || form.Normalizer.Type != "BertNormalizer" || !form.Normalizer.Lowercase || m.Type != "WordPiece" || m.MaxChars != maxWordBytes || m.Prefix == "" {
		return nil
	}
	w := &wordPieces{first: map[string]int{}, rest: map[string]int{}, unknown: unknown}
	for piece, id := range m.Vocab {
		into := w.first
		if inner, ok := strings.CutPrefix(piece, m.Prefix); ok && inner != "" {
			into, piece = w.rest, inner
		}
		into[piece] = id
		w.longest = max(w.longest, len(piece))
	}
	if id, ok := m.Vocab[m.Prefix]; ok { // the prefix alone is a word
		w.first[m.Prefix] = id
	}
	for _, a := range form.Added {
		w.special = append(w.special, a.Content)
	}
	return w
}

// appendField appends the tokens of a text without spaces. ok is false if it is not plain ASCII, or
// may hold a special token.
func (w *wordPieces) appendField(ids []int, field string) (_ []int, ok bool) {
	upper := false
	for i := range len(field) {
		c := field[i]
		if c <= ' ' || c >= 0x7f {
			return ids, false
		}
		upper = upper || 'A' <= c && c <= 'Z'
	}
	for _, s := range w.special {
		if strings.Contains(field, s) {
			return ids, false
		}
	}
	if upper {
		field = strings.ToLower(field)
	}
	for at := 0; at < len(field); {
		end := at + 1
		for isWordByte(field[at]) && end < len(field) && isWordByte(field[end]) {
			end++
		}
		ids = w.appendWord(ids, field[at:end])
		at = end
	}
	return ids, true
}

func isWordByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z'
}

// appendWord appends the pieces of a word.
func (w *wordPieces) appendWord(ids []int, word string) []int {
	if len(word) > maxWordBytes {
		return append(ids, w.unknown)
	}
	from, in := len(ids), w.first
	for at := 0; at < len(word); {
		end := min(len(word), at+w.longest)
		id, ok := in[word[at:end]]
		for !ok && end > at+1 {
			end--
			id, ok = in[word[at:end]]
		}
		if !ok {
			return append(ids[:from], w.unknown)
		}
		ids = append(ids, id)
		at, in = end, w.rest
	}
	return ids
}
