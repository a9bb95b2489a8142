// Package literal finds many fixed strings in one pass over a text. Making a set
// takes microseconds, so that a process that judges a single memory does not wait
// for it. It must not know what the strings stand for.
package literal

import (
	"cmp"
	"math/bits"

	"manicule/indexer/sorting"
)

// tripleBits is the number of bits of a triple: five of each of three bytes, which are the same for
// both cases of an ASCII letter.
const tripleBits = 15

// triples is a set of triples. It has 4 KB, so that it stays in the fastest cache.
type triples [1 << tripleBits / 64]uint64

func (t *triples) add(n uint32)      { t[n>>6] |= 1 << (n & 63) }
func (t *triples) has(n uint32) bool { return t[n>>6]&(1<<(n&63)) != 0 }

// next is the triple of three bytes, where the last one follows those of a triple.
func next(triple uint32, c byte) uint32 { return (triple<<5 | uint32(c&31)) & (1<<tripleBits - 1) }

// Set is an immutable set of strings of at least two bytes each. It is safe for concurrent use.
type Set struct {
	words  []string
	folded bool
	begins triples // of the words
	// before is the number of triples below those of each element of begins, which leads from a
	// triple to its number among them, and first is where the words of each begin in order.
	before [len(triples{})]uint16
	first  []uint16
	fourth []uint32 // possible fourth bytes of the words of each triple, five bits of them
	order  []uint16 // indexes of words; one of a word of two bytes is there for each third byte

	automaton lazily // for much text
}

// New makes a set. Words of less than two bytes are never found.
func New(words []string) *Set { return newSet(words, false) }

// NewFolded is New for words in lower case that are found whatever the case of their ASCII letters
// in a text.
func NewFolded(words []string) *Set { return newSet(words, true) }

func newSet(words []string, folded bool) *Set {
	s := &Set{words: words, folded: folded}
	type begin struct {
		triple uint32
		word   int
	}
	begins := make([]begin, 0, 2*len(words))
	for i, w := range words {
		switch {
		case len(w) < 2:
		case len(w) == 2: // any byte may follow
			for c := range 32 {
				begins = append(begins, begin{next(next(next(0, w[0]), w[1]), byte(c)), i})
			}
		default:
			begins = append(begins, begin{next(next(next(0, w[0]), w[1]), w[2]), i})
		}
	}
	sorting.Func(begins, func(a, b begin) int { return cmp.Or(cmp.Compare(a.triple, b.triple), a.word-b.word) })
	for i, b := range begins {
		if i == 0 || b.triple != begins[i-1].triple {
			s.begins.add(b.triple)
			s.first, s.fourth = append(s.first, uint16(i)), append(s.fourth, 0)
		}
		if w := words[b.word]; len(w) > 3 {
			s.fourth[len(s.fourth)-1] |= 1 << (w[3] & 31)
		} else {
			s.fourth[len(s.fourth)-1] = 1<<32 - 1
		}
		s.order = append(s.order, uint16(b.word))
	}
	s.first = append(s.first, uint16(len(begins)))
	n := 0
	for i, set := range s.begins {
		s.before[i] = uint16(n)
		n += bits.OnesCount64(set)
	}
	return s
}

// Each calls found for each occurrence of a word in a text, with the word's index and the offset,
// by offset, until found returns false.
func (s *Set) Each(text string, found func(word, at int) bool) {
	if len(text) < 2 {
		return
	}
	if a := s.automaton.after(s, len(text)); a != nil {
		s.each(a, text, found)
		return
	}
	triple := next(next(0, text[0]), text[1])
	for i := 2; i < len(text); i++ {
		triple = next(triple, text[i])
		if s.begins.has(triple) && !s.at(text, i-2, triple, found) {
			return
		}
	}
	if triple = next(triple, 0); s.begins.has(triple) { // only words of two bytes match
		s.at(text, len(text)-2, triple, found)
	}
}

// at reports the words that begin at an offset with a triple.
func (s *Set) at(text string, at int, triple uint32, found func(word, at int) bool) bool {
	element := triple >> 6
	n := int(s.before[element]) + bits.OnesCount64(s.begins[element]&(1<<(triple&63)-1))
	if at+3 < len(text) && s.fourth[n]&(1<<(text[at+3]&31)) == 0 {
		return true
	}
	for _, w := range s.order[s.first[n]:s.first[n+1]] {
		word := s.words[w]
		if s.is(text[at:], word) && !found(int(w), at) {
			return false
		}
	}
	return true
}

// hasPrefixFolded is HasPrefix with ASCII letters of the text in lower case.
func hasPrefixFolded(text, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := range len(word) {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != word[i] {
			return false
		}
	}
	return true
}
