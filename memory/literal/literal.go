// Package literal finds many fixed strings in one pass over a text. Making a set
// takes microseconds, so that a process that judges a single memory does not wait
// for it. It must not know what the strings stand for.
package literal

import "strings"

// Set is an immutable set of strings of at least two bytes each. It is safe for concurrent use.
type Set struct {
	words  []string
	groups []group // by the first two bytes of the words; the first is empty
	at     [1 << 16]uint16
}

// group holds the words with the same first two bytes.
type group struct {
	third [4]uint64 // possible third bytes; all, if a word has only two
	words []int
}

// New makes a set. Words of less than two bytes are never found.
func New(words []string) *Set {
	s := &Set{words: words, groups: make([]group, 1, len(words)+1)}
	for i, w := range words {
		if len(w) < 2 {
			continue
		}
		at := &s.at[pair(w, 0)]
		if *at == 0 {
			*at = uint16(len(s.groups))
			s.groups = append(s.groups, group{})
		}
		g := &s.groups[*at]
		g.words = append(g.words, i)
		if len(w) == 2 {
			g.third = [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
		} else {
			g.third[w[2]>>6] |= 1 << (w[2] & 63)
		}
	}
	return s
}

func pair(s string, i int) uint16 { return uint16(s[i])<<8 | uint16(s[i+1]) }

// Each calls found with the index of each word for each occurrence in a text, until found returns
// false.
func (s *Set) Each(text string, found func(word int) bool) {
	for i := 0; i+1 < len(text); i++ {
		n := s.at[pair(text, i)]
		if n == 0 {
			continue
		}
		g := &s.groups[n]
		third := byte(0) // at the end only a word of two bytes can match
		if i+2 < len(text) {
			third = text[i+2]
		}
		if g.third[third>>6]&(1<<(third&63)) == 0 {
			continue
		}
		for _, w := range g.words {
			if strings.HasPrefix(text[i:], s.words[w]) && !found(w) {
				return
			}
		}
	}
}
