// Package words splits text and identifiers into words, for the keyword indexes and
// their queries. It must not know what is searched.
package words

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"

	"manicule/indexer/sorting"
)

// Fields returns the runs of letters and digits in a text.
func Fields(text string) []string { return slices.Collect(FieldsSeq(text)) }

// FieldsSeq yields the runs of letters and digits in a text.
func FieldsSeq(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			word, next, _ := field(text, i)
			if i = next; word != "" && !yield(word) {
				return
			}
		}
	}
}

// SplitIdentifier splits camelCase and PascalCase into words: "parseHTTPRequest2"
// gives parse, HTTP, Request2.
func SplitIdentifier(w string) []string { return slices.Collect(partsOf(w)) }

// partsOf yields the words of an identifier, itself if it is one word.
func partsOf(w string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !ascii(w) {
			for _, p := range splitRunes(w) {
				if !yield(p) {
					return
				}
			}
			return
		}
		start := 0
		for i := 1; i < len(w); i++ {
			if begins(w, i) {
				if !yield(w[start:i]) {
					return
				}
				start = i
			}
		}
		yield(w[start:])
	}
}

func ascii(w string) bool {
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// begins reports whether a word of an identifier begins at a byte behind the first, if all are ASCII.
func begins(w string, i int) bool {
	return upper(w[i]) && (lower(w[i-1]) || i+1 < len(w) && upper(w[i-1]) && lower(w[i+1]))
}

// splitRunes is SplitIdentifier for any letters.
func splitRunes(w string) []string {
	var out []string
	rs := []rune(w)
	start := 0
	for i := 1; i < len(rs); i++ {
		lowerUpper := unicode.IsLower(rs[i-1]) && unicode.IsUpper(rs[i])
		acronymEnd := i+1 < len(rs) && unicode.IsUpper(rs[i-1]) && unicode.IsUpper(rs[i]) && unicode.IsLower(rs[i+1])
		if lowerUpper || acronymEnd {
			out = append(out, string(rs[start:i]))
			start = i
		}
	}
	return append(out, string(rs[start:]))
}

// Spread returns a text with the words of camelCase apart: "parseHTTP(body)" gives
// "parse HTTP(body)". A model knows words, but not what they make when they are joined.
func Spread(text string) string {
	out := make([]byte, 0, len(text)+len(text)/8)
	for i := 0; i < len(text); {
		word, next, inner := field(text, i)
		if inner {
			for w := range partsOf(word) {
				out = append(append(out, w...), ' ')
			}
			out = out[:len(out)-1]
		} else {
			out = append(out, word...)
		}
		out = append(out, text[i+len(word):next]...)
		i = next
	}
	return string(out)
}

// IdentifierWords returns the words of every multi-word identifier in the texts, each
// followed by a space. An index stores them beside the text.
func IdentifierWords(texts ...string) string {
	var out []byte
	for _, t := range texts {
		for i := 0; i < len(t); {
			word, next, inner := field(t, i)
			if i = next; inner { // else it is a single word
				out = appendSplit(out, word)
			}
		}
	}
	return string(out)
}

// field returns the run of letters and digits at an offset, empty if there is none, and where to look for the
// next one. inner reports whether it may be an identifier of several words: one with a capital, or a letter
// beyond ASCII, behind its first byte.
func field(text string, from int) (word string, next int, inner bool) {
	i := from
	for i < len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			i++
		case c >= 'A' && c <= 'Z':
			inner = inner || i > from
			i++
		case c < utf8.RuneSelf:
			return text[from:i], i + 1, inner
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return text[from:i], i + size, inner
			}
			inner = true
			i += size
		}
	}
	return text[from:i], i, inner
}

// appendSplit appends the words of an identifier of several words, each followed by a space.
func appendSplit(out []byte, word string) []byte {
	before := len(out)
	n := 0
	for p := range partsOf(word) {
		out = append(append(out, p...), ' ')
		n++
	}
	if n == 1 {
		return out[:before]
	}
	return out
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

func lower(c byte) bool { return c >= 'a' && c <= 'z' }

// IsStopWord reports whether an English word says nothing about the topic of a text
// ("the", "which").
func IsStopWord(w string) bool { return english.IsStopWord(strings.ToLower(w)) }

// Stem returns the stem of an English word, in lower case. "add" has that of "adding".
func Stem(w string) string {
	w = english.Stem(strings.ToLower(w), false)
	if doubled(w) {
		w = w[:len(w)-1]
	}
	return w
}

// maxDoubled is the length of words that [doubled] knows, in bytes.
const maxDoubled = 5

// doubled reports whether a short word ends in two equal consonants, of which Porter's
// stemmer leaves one when it takes off an ending: "adding" becomes "ad" and "diffed" becomes
// "dif", but "add" and "diff" stay as they are.
func doubled(w string) bool {
	n := len(w)
	return n >= 3 && n <= maxDoubled && w[n-1] == w[n-2] && strings.IndexByte("bdfgmnprt", w[n-1]) >= 0
}

// sibling returns a form of a word that means the same and has another stem for Porter, as
// "adding" is to "add", or "".
func sibling(low string) string {
	if doubled(low) {
		return low + "ing"
	}
	for _, ending := range [...]string{"ing", "ed"} {
		if base, ok := strings.CutSuffix(low, ending); ok && doubled(base) {
			return base
		}
	}
	return ""
}

// Terms returns the stems of the words of a text in order, each once. It splits
// identifiers and skips stop words.
func Terms(text string) []string { return new(Stemmer).Terms(text) }

// Stemmer stems many texts about the same things: it remembers the stems of their words. It is not
// safe for concurrent use.
type Stemmer struct {
	terms map[string][]string // by word or identifier
}

// of returns the stems of a word, or of the words of an identifier, without stop words and letters.
func (s *Stemmer) of(word string) []string {
	out, ok := s.terms[word]
	if ok {
		return out
	}
	word = strings.Clone(word) // else what is remembered keeps the whole text
	for p := range partsOf(word) {
		if IsStopWord(p) {
			continue
		}
		if t := Stem(p); len(t) > 1 {
			out = append(out, t)
		}
	}
	if s.terms == nil {
		s.terms = map[string][]string{}
	}
	s.terms[word] = out
	return out
}

// shortText is the number of terms up to which it is quicker to look through them than to keep a map.
const shortText = 32

// Terms is the function [Terms].
func (s *Stemmer) Terms(text string) []string {
	var out []string
	var seen map[string]bool
	for w := range FieldsSeq(text) {
		for _, t := range s.of(w) {
			if seen == nil && len(out) > shortText {
				seen = make(map[string]bool, 4*shortText)
				for _, t := range out {
					seen[t] = true
				}
			}
			if seen == nil && slices.Contains(out, t) || seen[t] {
				continue
			}
			if seen != nil {
				seen[t] = true
			}
			out = append(out, t)
		}
	}
	return out
}

// Joined yields the stems of a text's identifiers of several words, each as one word: "ETag" gives etag, "GitHub" github.
func Joined(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < len(text); {
			word, next, inner := field(text, i)
			if i = next; inner && len(SplitIdentifier(word)) > 1 && !yield(Stem(word)) {
				return
			}
		}
	}
}

// Each yields what [Stemmer.Terms] returns, a stem as often as it occurs, without a list of them.
func (s *Stemmer) Each(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range FieldsSeq(text) {
			for _, t := range s.of(w) {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// Query is a query for an FTS5 index: its terms, each an expression.
type Query []string

// ParseQuery turns what a person typed into a query: each distinct word becomes a
// quoted string, an identifier matches as itself or by its words, and "add" matches
// "adding". It drops stop words if other words remain, and everything behind the first limit words: a pasted
// page is no query. The query of a text without words is empty.
func ParseQuery(text string, limit int) Query {
	var all, telling Query
	seen := map[string]bool{}
	for _, w := range Fields(text) {
		low := strings.ToLower(w)
		if seen[low] {
			continue
		}
		seen[low] = true
		term := `"` + w + `"`
		if parts := SplitIdentifier(w); len(parts) > 1 {
			term = `("` + w + `" OR "` + strings.Join(parts, " ") + `")`
		} else if other := sibling(low); other != "" {
			term = `("` + w + `" OR "` + other + `")`
		}
		all = append(all, term)
		if !IsStopWord(w) {
			telling = append(telling, term)
		}
	}
	if len(telling) == 0 {
		telling = all
	}
	return telling[:min(limit, len(telling))]
}

// Phrases returns the texts of which a term of a query matches one.
func Phrases(term string) []string {
	var out []string
	for i, part := range strings.Split(term, `"`) {
		if i%2 == 1 {
			out = append(out, part)
		}
	}
	return out
}

// MatchAll returns the FTS5 expression for rows with every term.
func (q Query) MatchAll() string { return strings.Join(q, " AND ") }

// MatchAny returns the FTS5 expression for rows with any of the terms.
func (q Query) MatchAny() string { return strings.Join(q, " OR ") }

// DocFreq returns how many rows of an index contain a term. It may stop counting at
// most.
type DocFreq func(term string, most int) (int, error)

// Rarest keeps the terms with the lowest document frequency, as many as occur in at
// most rows rows together, and at least two. Ranking costs time for each row that has
// any of the terms, and BM25 weighs a term by the logarithm of its rarity, so frequent
// terms cost most and say least.
func (q Query) Rarest(rows int, having DocFreq) (Query, error) {
	if len(q) <= 2 {
		return q, nil
	}
	type counted struct{ place, n int }
	terms := make([]counted, len(q))
	sum := 0
	for i, t := range q {
		n, err := having(t, rows+1)
		if err != nil {
			return nil, err
		}
		terms[i] = counted{i, n}
		sum += n
	}
	if sum <= rows {
		return q, nil
	}
	sorting.StableFunc(terms, func(a, b counted) int { return cmp.Compare(a.n, b.n) })
	keep := 0
	sum = 0
	for ; keep < len(terms); keep++ {
		if sum += terms[keep].n; sum > rows && keep >= 2 {
			break
		}
	}
	terms = terms[:keep]
	sorting.Func(terms, func(a, b counted) int { return cmp.Compare(a.place, b.place) })
	out := make(Query, len(terms))
	for i, t := range terms {
		out[i] = q[t.place]
	}
	return out, nil
}
