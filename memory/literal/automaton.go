package literal

import (
	"strings"
	"sync"
	"sync/atomic"
)

// manyBytes is how many bytes of text a set looks through before it makes its automaton: a process that
// judges a single memory does not wait for that, and one that judges thousands has it back at once.
const manyBytes = 64 << 10

// manyWords and longText are the least for which the automaton is the faster way: of few words few triples
// are in a text, and a short text is over before four parts of it are worth while.
const (
	manyWords = 64
	longText  = 1 << 10
)

// deepest is how many bytes of a word the automaton reads. What follows them is compared.
const deepest = 8

// automaton finds the beginnings of words by a single look-up for each byte of a text: it is always in
// the state of the longest beginning of any word that the text before it ends with (Aho and Corasick).
// Like the triples it takes five bits of a byte, so that its hits are still to be compared.
type automaton struct {
	next []uint16   // states by state and byte, 32 for each state
	hits uint16     // the first of the states at which words may end
	ends [][]ending // of those states, the longest first
}

// ending is what ends at a state: words of which so many bytes were read.
type ending struct {
	depth int
	words []uint16
}

// lazily is an automaton that is made when it pays.
type lazily struct {
	seen atomic.Int64
	once sync.Once
	made *automaton
}

// after counts a text, and returns the automaton if enough of them were seen, else nil. It is nil for
// words with too many beginnings, too.
func (l *lazily) after(s *Set, bytes int) *automaton {
	if len(s.words) < manyWords || bytes < longText {
		return nil
	}
	if l.seen.Load() < manyBytes && l.seen.Add(int64(bytes)) < manyBytes {
		return nil
	}
	l.once.Do(func() { l.made = newAutomaton(s.words) })
	return l.made
}

// newAutomaton makes the automaton of some words, nil if it would have too many states.
func newAutomaton(words []string) *automaton {
	const classes = 32
	next, of := make([]int32, classes), [][]uint16{nil} // a tree at first: 0 is no state but the root
	for n, w := range words {
		if len(w) < 2 {
			continue
		}
		at := int32(0)
		for i := range min(len(w), deepest) {
			to := &next[int(at)*classes+int(w[i]&31)]
			if *to == 0 {
				*to = int32(len(of))
				at = *to
				next, of = append(next, make([]int32, classes)...), append(of, nil)
				continue
			}
			at = *to
		}
		of[at] = append(of[at], uint16(n))
	}
	states := len(of)
	if states > 1<<15 {
		return nil
	}
	// By their depth, each state takes over what the state of the same text without its first byte has.
	ends, fails, depths := make([][]ending, states), make([]int32, states), make([]int, states)
	order := make([]int32, 0, states)
	for order = append(order, 0); len(order) > 0; order = order[1:] {
		at := order[0]
		if len(of[at]) > 0 {
			ends[at] = append(ends[at], ending{depths[at], of[at]})
		}
		if at != 0 {
			ends[at] = append(ends[at], ends[fails[at]]...)
		}
		for c := range classes {
			to := &next[int(at)*classes+c]
			shorter := int32(0)
			if at != 0 {
				shorter = next[int(fails[at])*classes+c]
			}
			if *to == 0 {
				*to = shorter
				continue
			}
			fails[*to], depths[*to] = shorter, depths[at]+1
			order = append(order, *to)
		}
	}
	// The states at which something ends are the last ones.
	number := make([]uint16, states)
	var a automaton
	for s := range states {
		if len(ends[s]) == 0 {
			number[s], a.hits = a.hits, a.hits+1
		}
	}
	n := a.hits
	for s := range states {
		if len(ends[s]) > 0 {
			number[s], n = n, n+1
			a.ends = append(a.ends, ends[s])
		}
	}
	a.next = make([]uint16, states*classes)
	for s := range states {
		for c := range classes {
			a.next[int(number[s])*classes+c] = number[next[s*classes+c]]
		}
	}
	return &a
}

// hit is a word that may begin at an offset.
type hit struct {
	at   int
	word uint16
}

// A text is looked through in blocks, of which four parts are read at once: the processor does not wait
// for the state of one, which comes from memory for each byte.
const (
	lanes    = 4
	laneSize = 1 << 10
)

// each is Each with an automaton. Words end in another order than they begin: a few are kept back until
// none can begin before them.
func (s *Set) each(a *automaton, text string, found func(word, at int) bool) {
	var kept []hit
	var ends [lanes][]end
	for from := 0; from < len(text); {
		size := min(laneSize, (len(text)-from)/lanes)
		if size <= deepest {
			ends[0] = a.run(text, from, len(text), ends[0][:0])
			kept = s.hits(a, text, ends[0], kept)
			from = len(text)
		} else {
			a.runAll(text, from, size, &ends)
			for _, list := range ends {
				kept = s.hits(a, text, list, kept)
			}
			from += lanes * size
		}
		n := 0
		for n < len(kept) && (kept[n].at <= from-deepest || from == len(text)) {
			if !found(int(kept[n].word), kept[n].at) {
				return
			}
			n++
		}
		kept = kept[:copy(kept, kept[n:])]
	}
}

// end is where a word may end.
type end struct {
	at    int
	state uint16
}

// state is the one after the bytes before an offset.
func (a *automaton) state(text string, at int) uint16 {
	state := uint16(0)
	for _, c := range []byte(text[max(0, at-deepest):at]) {
		state = a.next[int(state)<<5|int(c&31)]
	}
	return state
}

// run appends the ends between two offsets.
func (a *automaton) run(text string, from, to int, ends []end) []end {
	state := a.state(text, from)
	for i := from; i < to; i++ {
		if state = a.next[int(state)<<5|int(text[i]&31)]; state >= a.hits {
			ends = append(ends, end{i, state})
		}
	}
	return ends
}

// runAll is run for as many parts as there are lanes, which begin at an offset and have one size.
func (a *automaton) runAll(text string, from, size int, ends *[lanes][]end) {
	var parts [lanes]string
	var states [lanes]uint16
	for k := range lanes {
		at := from + k*size
		parts[k], states[k], ends[k] = text[at:at+size], a.state(text, at), ends[k][:0]
	}
	next, hits := a.next, a.hits
	p0, p1, p2, p3 := parts[0], parts[1], parts[2], parts[3]
	s0, s1, s2, s3 := states[0], states[1], states[2], states[3]
	for i := 0; i < len(p0) && i < len(p1) && i < len(p2) && i < len(p3); i++ {
		s0 = next[int(s0)<<5|int(p0[i]&31)]
		s1 = next[int(s1)<<5|int(p1[i]&31)]
		s2 = next[int(s2)<<5|int(p2[i]&31)]
		s3 = next[int(s3)<<5|int(p3[i]&31)]
		if s0 >= hits {
			ends[0] = append(ends[0], end{from + i, s0})
		}
		if s1 >= hits {
			ends[1] = append(ends[1], end{from + size + i, s1})
		}
		if s2 >= hits {
			ends[2] = append(ends[2], end{from + 2*size + i, s2})
		}
		if s3 >= hits {
			ends[3] = append(ends[3], end{from + 3*size + i, s3})
		}
	}
}

// hits appends the words that end at some places, in the order in which they begin.
func (s *Set) hits(a *automaton, text string, ends []end, to []hit) []hit {
	for _, e := range ends {
		for _, x := range a.ends[e.state-a.hits] {
			at := e.at + 1 - x.depth
			for _, w := range x.words {
				if !s.is(text[at:], s.words[w]) {
					continue
				}
				to = append(to, hit{at, w})
				for k := len(to) - 1; k > 0 && to[k-1].at > at; k-- {
					to[k], to[k-1] = to[k-1], to[k]
				}
			}
		}
	}
	return to
}

// is reports whether a text begins with a word of the set.
func (s *Set) is(text, word string) bool {
	if s.folded {
		return hasPrefixFolded(text, word)
	}
	return strings.HasPrefix(text, word)
}
