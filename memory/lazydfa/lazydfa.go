// Package lazydfa owns deterministic automata of regular expressions whose states are worked out when a
// text first leads to them. They tell in a few nanoseconds a byte whether an expression matches, where package
// regexp takes fifty, and nothing else about the match. It must not know what the expressions are for.
package lazydfa

import (
	"encoding/binary"
	"fmt"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Answer says whether an expression matches.
type Answer int

// The answers. Maybe is one only of a text with characters beyond ASCII, which an automaton does not tell
// apart, and of an expression that needs too many states: there the expression itself has to say.
const (
	No Answer = iota
	Yes
	Maybe
)

// Matcher tells whether a regular expression matches. It is safe for concurrent use.
type Matcher struct {
	prog     *syntax.Prog
	columns  columns
	anywhere bool

	mu   sync.Mutex
	free []*automaton // guarded by mu; each is used by one goroutine at a time
}

// New returns a matcher that finds matches at any place of a text.
func New(re *syntax.Regexp) (*Matcher, error) {
	m, err := NewAnchored(re)
	if err == nil {
		m.anywhere = m.prog.StartCond()&syntax.EmptyBeginText == 0
	}
	return m, err
}

// NewAnchored returns a matcher that finds matches that begin at the offset it is asked about.
func NewAnchored(re *syntax.Regexp) (*Matcher, error) {
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, fmt.Errorf("compile %q: %w", re, err)
	}
	return &Matcher{prog: prog, columns: columnsOf(prog)}, nil
}

// Match reports whether there is a match in a text from an offset on, or at it if the matcher is
// anchored. What stands before the offset counts for conditions like `\b`.
func (m *Matcher) Match(text string, at int) Answer {
	m.mu.Lock()
	var a *automaton
	if n := len(m.free); n > 0 {
		a, m.free = m.free[n-1], m.free[:n-1]
	}
	m.mu.Unlock()
	if a == nil {
		a = newAutomaton(m)
	}
	answer := a.match(text, at)
	m.mu.Lock()
	m.free = append(m.free, a)
	m.mu.Unlock()
	return answer
}

// columns groups the characters that no instruction of a program tells apart.
type columns struct {
	of     [utf8.RuneSelf]uint8
	stands []rune // a character of each; the last column is for all beyond ASCII
}

func columnsOf(prog *syntax.Prog) columns {
	var begins [utf8.RuneSelf + 1]bool
	cut := func(low, high rune) {
		begins[min(low, utf8.RuneSelf)], begins[min(high+1, utf8.RuneSelf)] = true, true
	}
	for _, r := range [][2]rune{{'\n', '\n'}, {'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}} { // the classes
		cut(r[0], r[1])
	}
	for i := range prog.Inst {
		inst := &prog.Inst[i]
		switch {
		case inst.Op != syntax.InstRune && inst.Op != syntax.InstRune1:
		case len(inst.Rune) == 1:
			for _, r := range written(inst) {
				cut(r, r)
			}
		default:
			for at := 0; at+1 < len(inst.Rune); at += 2 {
				cut(inst.Rune[at], inst.Rune[at+1])
			}
		}
	}
	var c columns
	for r := range rune(utf8.RuneSelf) {
		if r == 0 || begins[r] {
			c.stands = append(c.stands, r)
		}
		c.of[r] = uint8(len(c.stands) - 1)
	}
	c.stands = append(c.stands, utf8.RuneError)
	return c
}

// written returns the forms in which an instruction takes its one character.
func written(inst *syntax.Inst) []rune {
	r := inst.Rune[0]
	all := []rune{r}
	if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
		for x := unicode.SimpleFold(r); x != r; x = unicode.SimpleFold(x) {
			all = append(all, x)
		}
	}
	return all
}

// mostStates bounds the memory of an automaton, some hundred bytes a state: a program may have hundreds of
// expressions, each with an automaton for each processor. Few need more than a dozen; one that counts up to a
// hundred and forty characters needs some hundred.
const mostStates = 1 << 10

// Numbers in place of states.
const (
	unseen  = 0 // not worked out yet
	dead    = 1 // there is no match
	matched = 2
	first   = 3 // the first real state
)

// class is what conditions like `\b` ask of a character.
type class uint8

const (
	none class = iota // there is no character
	newline
	wordCharacter
	otherCharacter
	classes
)

// stands is a character for each class.
var stands = [classes]rune{none: -1, newline: '\n', wordCharacter: 'a', otherCharacter: ' '}

func classOf(r rune) class {
	switch {
	case r == '\n':
		return newline
	case syntax.IsWordChar(r):
		return wordCharacter
	}
	return otherCharacter
}

// automaton follows all ways through a program at once.
type automaton struct {
	prog     *syntax.Prog
	columns  *columns
	anywhere bool
	states   []state           // from first on
	next     []uint16          // by state and column
	number   map[string]uint16 // by the key of a state
	starts   [classes]uint16   // by what stands before the place

	reached []uint32 // the instructions that one step reaches
	after   []uint32 // those behind the character of a step
	in      []bool   // by instruction: it is in reached
}

type state struct {
	after  []uint32 // the instructions that follow the last character, before conditions are asked
	before class    // of the last character
	end    uint16   // what it is if the text ends here
}

func newAutomaton(m *Matcher) *automaton {
	return &automaton{
		prog: m.prog, columns: &m.columns, anywhere: m.anywhere, number: map[string]uint16{}, in: make([]bool, len(m.prog.Inst)),
		states: make([]state, first, 16), next: make([]uint16, first*len(m.columns.stands), 16*len(m.columns.stands)),
	}
}

func (a *automaton) match(text string, at int) Answer {
	before := none
	if at > 0 {
		before = classOf(rune(text[at-1]))
	}
	now := a.starts[before]
	if now == unseen {
		if now = a.start(before); now == unseen {
			return Maybe
		}
		a.starts[before] = now
	}
	yes := Yes
	width := len(a.columns.stands)
	for i := at; i < len(text); {
		column, size := 0, 1
		if b := text[i]; b < utf8.RuneSelf {
			column = int(a.columns.of[b])
		} else {
			_, size = utf8.DecodeRuneInString(text[i:])
			column, yes = width-1, Maybe
		}
		next := a.next[int(now)*width+column]
		if next == unseen {
			if next = a.step(now, column); next == unseen {
				return Maybe
			}
			a.next[int(now)*width+column] = next
		}
		switch next {
		case dead:
			return No
		case matched:
			return yes
		}
		now = next
		i += size
	}
	if a.states[now].end == unseen {
		a.states[now].end = dead
		if a.reach(now, -1) {
			a.states[now].end = matched
		}
	}
	if a.states[now].end == dead {
		return No
	}
	return yes
}

func (a *automaton) start(before class) uint16 {
	a.after = a.after[:0]
	if !a.anywhere {
		a.after = append(a.after, uint32(a.prog.Start))
	}
	return a.state(before)
}

// step works out the state behind one and a character, or returns unseen if there are too many.
func (a *automaton) step(from uint16, column int) uint16 {
	r := a.columns.stands[column]
	if a.reach(from, r) {
		return matched
	}
	a.after = a.after[:0]
	for _, pc := range a.reached {
		if inst := &a.prog.Inst[pc]; reads(inst, r) && !slices.Contains(a.after, inst.Out) {
			a.after = append(a.after, inst.Out)
		}
	}
	if len(a.after) == 0 && !a.anywhere {
		return dead
	}
	return a.state(classOf(r))
}

// reach sets which reading instructions a state has before a character, -1 for the end of the text,
// and reports whether it matches there.
func (a *automaton) reach(from uint16, r rune) bool {
	for _, pc := range a.reached {
		a.in[pc] = false
	}
	a.reached = a.reached[:0]
	s := &a.states[from]
	holds := syntax.EmptyOpContext(stands[s.before], r)
	match := a.anywhere && a.follow(uint32(a.prog.Start), holds)
	for _, pc := range s.after {
		match = a.follow(pc, holds) || match
	}
	return match
}

// follow adds an instruction, and those that follow it without a character where some conditions
// hold. It reports whether one of them is the match.
func (a *automaton) follow(pc uint32, holds syntax.EmptyOp) (match bool) {
	for !a.in[pc] {
		a.in[pc] = true
		a.reached = append(a.reached, pc)
		switch inst := &a.prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			match = a.follow(inst.Arg, holds) || match
			pc = inst.Out
		case syntax.InstCapture, syntax.InstNop:
			pc = inst.Out
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holds != 0 {
				return match
			}
			pc = inst.Out
		case syntax.InstMatch:
			return true
		case syntax.InstFail, syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			return match
		}
	}
	return match
}

// reads reports whether an instruction takes a character. [utf8.RuneError] stands for all beyond ASCII, of
// which it takes the ones that it may take for all.
func reads(inst *syntax.Inst, r rune) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1:
		switch {
		case r < utf8.RuneSelf:
			return inst.MatchRune(r)
		case len(inst.Rune) == 1:
			return slices.Max(written(inst)) >= utf8.RuneSelf
		}
		return len(inst.Rune) > 0 && inst.Rune[len(inst.Rune)-1] >= utf8.RuneSelf
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	}
	return false
}

// state returns the number of the state that has the instructions of a step, which it makes if
// there is none, or unseen if there are too many.
func (a *automaton) state(before class) uint16 {
	slices.Sort(a.after)
	key := make([]byte, 0, 4*len(a.after)+1)
	key = append(key, byte(before))
	for _, pc := range a.after {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	if n, ok := a.number[string(key)]; ok {
		return n
	}
	if len(a.states) >= mostStates {
		return unseen
	}
	n := uint16(len(a.states))
	a.number[string(key)] = n
	a.states = append(a.states, state{after: slices.Clone(a.after), before: before})
	a.next = append(a.next, make([]uint16, len(a.columns.stands))...)
	return n
}
