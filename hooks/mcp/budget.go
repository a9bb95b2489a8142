package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"unicode"
)

// Budgets of an answer, in tokens.
const (
	defaultBudget = 1000
	contextBudget = 2000
	leastBudget   = 150
	mostBudget    = 8000 // below the size at which hosts warn
)

// budgetOf returns the requested budget within bounds.
func budgetOf(asked, usual int) int {
	if asked <= 0 {
		return usual
	}
	return min(max(asked, leastBudget), mostBudget)
}

// cost estimates the tokens of a text, rather too many than too few, so that answers keep
// to a budget with any tokenizer. Byte pair encodings use one token for an English word
// and more for other letters, one or two for a run of punctuation, one for three digits,
// and about one for each letter of other scripts. [retrieve.Tokens] is the usual
// estimate, which is too low for JSON and for ids.
func cost(text string) int {
	halves, run, kind := 0, 0, ' '
	flush := func() {
		switch kind {
		case 'a':
			halves += 2 + 2*((run-1)/6)
		case '0':
			halves += 2 * ((run + 2) / 3)
		}
		run = 0
	}
	for _, r := range text {
		k := kindOf(r)
		if k != kind {
			flush()
			kind = k
		}
		run++
		switch k {
		case '.':
			halves += 2
		case 'é':
			halves += 3
		case '?':
			halves += 4
		case '\n':
			halves++
		}
	}
	flush()
	return (halves + 1) / 2
}

// kindOf returns 'a' for ASCII letters, '0' for digits, ' ' for spaces, '
// ' for line ends, '.' for about one token, 'é' for often more than one, and '?' for up
// to two.
func kindOf(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		return 'a'
	case r >= '0' && r <= '9':
		return '0'
	case r == ' ':
		return ' '
	case r == '\n':
		return '\n'
	case r < 0x80 || r >= 0x2010 && r <= 0x2026 || unicode.Is(unicode.Cyrillic, r):
		return '.'
	case r < 0x250 || unicode.Is(unicode.Han, r):
		return 'é'
	default:
		return '?'
	}
}

// pack fills an answer. It counts the text and the structured form separately, because a
// host gives the model either one.
type pack struct {
	budget     int
	text, data int
}

// newPack reserves the parts of every answer beside its items.
func newPack(budget int) *pack { return &pack{budget: budget, text: frame, data: frame} }

// frame is reserved for the head, the omissions and the members that hold the items, in
// tokens.
const frame = 90

// take adds an item if it fits: its line of text, and its structured form of some tokens.
func (p *pack) take(line string, size int) bool {
	text := cost(line) + 1
	if p.text+text > p.budget || p.data+size > p.budget {
		return false
	}
	p.text, p.data = p.text+text, p.data+size
	return true
}

// cursor is the start of the next page of an answer.
type cursor struct {
	Offset int    `json:"o"`
	Of     uint32 `json:"q"` // digest of the question
}

// cursorFor encodes the cursor of an offset into the answer to a question.
func cursorFor(offset int, question ...any) string {
	data, err := json.Marshal(cursor{offset, digest(question)})
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

// offsetOf decodes a cursor, which must belong to the same question; "" is 0.
func offsetOf(text string, question ...any) (int, error) {
	if text == "" {
		return 0, nil
	}
	var c cursor
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil || c.Offset < 0 || c.Offset > maxOffset {
		return 0, userError("the cursor can't be read", "Use `next` of the previous answer, or none for the first page.")
	}
	if c.Of != digest(question) {
		return 0, userError("the cursor belongs to another question", "Repeat the question that it belongs to, or leave it out.")
	}
	return c.Offset, nil
}

// maxOffset is beyond every answer.
const maxOffset = 1 << 20

func digest(question []any) uint32 {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%#v", question) // a hash never fails
	return h.Sum32()
}
