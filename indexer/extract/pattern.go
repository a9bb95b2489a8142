package extract

import (
	"encoding/binary"
	"fmt"
	"iter"
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
)

// pattern finds the matches of a regular expression in long texts that have few.
// Package regexp takes some fifty nanoseconds a byte, because it follows all
// alternatives at each. A deterministic automaton, built as far as texts need it,
// passes over what can't match, and regexp decides only near its candidates.
type pattern struct {
	re     *regexp.Regexp
	behind *regexp.Regexp // one byte, and then re as its first group
	prog   *syntax.Prog   // nil if only re is used
	caches sync.Pool      // of *automaton
}

// compilePattern compiles a regular expression.
func compilePattern(text string) (*pattern, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	p := &pattern{re: re}
	for i := range prog.Inst {
		if in := &prog.Inst[i]; in.Op == syntax.InstEmptyWidth && syntax.EmptyOp(in.Arg)&syntax.EmptyBeginText != 0 {
			return p, nil // behind a byte it does not match
		}
	}
	if newAutomaton(prog).states[0].matches != 0 { // an empty match
		return p, nil
	}
	p.prog = prog
	p.behind, err = regexp.Compile(`\A(?s:.)(?s:.*?)(` + text + `)`)
	return p, err
}

// findAll is FindAllSubmatchIndex of package regexp.
func (p *pattern) findAll(src []byte) [][]int {
	if p.prog == nil {
		return p.re.FindAllSubmatchIndex(src, -1)
	}
	a := p.automaton()
	defer p.caches.Put(a)
	var all [][]int
	for at := 0; ; {
		begin := a.candidate(src, at)
		if begin < 0 {
			return all
		}
		m := p.first(src, begin)
		if m == nil {
			return all
		}
		all = append(all, m)
		at = m[1]
	}
}

// matches reports whether there is a match.
func (p *pattern) matches(src []byte) bool {
	if p.prog == nil {
		return p.re.Match(src)
	}
	a := p.automaton()
	defer p.caches.Put(a)
	begin := a.candidate(src, 0)
	return begin >= 0 && p.first(src, begin) != nil
}

// first returns the first match that begins at an offset or behind it.
func (p *pattern) first(src []byte, at int) []int {
	if at == 0 {
		return p.re.FindSubmatchIndex(src)
	}
	m := p.behind.FindSubmatchIndex(src[at-1:])
	if m == nil {
		return nil
	}
	m = m[2:]
	for i := range m {
		if m[i] >= 0 {
			m[i] += at - 1
		}
	}
	return m
}

// patterns finds the matches of several patterns. Most texts have none of most patterns, which one pass
// with an automaton for all finds out.
type patterns struct {
	all    []*pattern
	prog   *syntax.Prog // of all that have one; its match of pattern n has n as its argument
	caches sync.Pool    // of *automaton for prog
}

// maxPatterns is how many patterns a set of marks can hold.
const maxPatterns = 64

// compilePatterns compiles regular expressions.
func compilePatterns(texts []string) (*patterns, error) {
	if len(texts) > maxPatterns {
		return nil, fmt.Errorf("%d patterns, more than %d", len(texts), maxPatterns)
	}
	ps := &patterns{prog: &syntax.Prog{Inst: []syntax.Inst{{Op: syntax.InstFail}}}}
	for _, text := range texts {
		p, err := compilePattern(text)
		if err != nil {
			return nil, err
		}
		ps.join(p)
	}
	return ps, nil
}

// join adds a pattern: its program is one more way for the joined one to begin.
func (ps *patterns) join(p *pattern) {
	n := uint32(len(ps.all))
	if ps.all = append(ps.all, p); p.prog == nil {
		return
	}
	offset := uint32(len(ps.prog.Inst))
	for _, in := range p.prog.Inst {
		switch in.Op {
		case syntax.InstMatch:
			in.Arg = n
		case syntax.InstAlt, syntax.InstAltMatch:
			in.Out, in.Arg = in.Out+offset, in.Arg+offset
		default:
			in.Out += offset
		}
		ps.prog.Inst = append(ps.prog.Inst, in)
	}
	ps.prog.Inst = append(ps.prog.Inst, syntax.Inst{Op: syntax.InstAlt, Out: uint32(ps.prog.Start), Arg: offset + uint32(p.prog.Start)})
	ps.prog.Start = len(ps.prog.Inst) - 1
}

// findAll yields the matches of each pattern, in the order of patterns.
func (ps *patterns) findAll(src []byte) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		if ps == nil || len(ps.all) == 0 { // most languages have none
			return
		}
		a, ok := ps.caches.Get().(*automaton)
		if !ok {
			a = newAutomaton(ps.prog)
		}
		found := a.candidates(src)
		ps.caches.Put(a)
		for n, p := range ps.all {
			if p.prog != nil && found&(1<<n) == 0 {
				continue
			}
			for _, m := range p.findAll(src) {
				if !yield(m) {
					return
				}
			}
		}
	}
}

func (p *pattern) automaton() *automaton {
	if a, ok := p.caches.Get().(*automaton); ok {
		return a
	}
	return newAutomaton(p.prog)
}

// maxStates is how many states an automaton has at most, a kilobyte each: it forgets
// them before it needs more.
const maxStates = 500

// automaton is a deterministic automaton for the matches of a program that begin
// anywhere. It accepts a little more than the program, because it sees no byte ahead:
// at a word boundary and at the end of a line it goes on in any case.
type automaton struct {
	prog   *syntax.Prog
	states []automatonState
	byKey  map[string]int32
	next   [][256]int32 // by state and byte; 0 if not known yet, else the state + 1
	marks  []int32      // by instruction: the last set that has it
	mark   int32
	set    []uint32 // under construction
	idle   [2]int32 // the states in which nothing has begun: at the start of a line, elsewhere; the first ones, maybe one
}

// automatonState is the set of instructions that a text may have come to.
type automatonState struct {
	at      []uint32
	matches uint64 // the arguments of the matches among them, as bits: numbers of patterns, 0 if there is only one
}

func newAutomaton(prog *syntax.Prog) *automaton {
	a := &automaton{prog: prog, byKey: map[string]int32{}, marks: make([]int32, len(prog.Inst))}
	a.forget()
	return a
}

// forget leaves only the states in which nothing has begun.
func (a *automaton) forget() {
	clear(a.byKey)
	a.states, a.next = a.states[:0], a.next[:0]
	for i, line := range []bool{true, false} {
		a.begin()
		a.add(uint32(a.prog.Start), line)
		a.idle[i] = a.state(false)
	}
}

// candidate reads on until a match may have ended. It returns the last offset before
// that at which nothing had begun; -1 if there is no candidate.
func (a *automaton) candidate(src []byte, at int) (begin int) {
	state := a.idle[1]
	if at == 0 || src[at-1] == '\n' {
		state = a.idle[0]
	}
	begin = at
	for ; at < len(src); at++ {
		c := src[at]
		to := a.next[state][c]
		if to == 0 {
			to = a.step(state, c)
		}
		if state = to - 1; state <= a.idle[1] {
			begin = at + 1
		} else if a.states[state].matches != 0 {
			return begin
		}
	}
	return -1
}

// candidates reads a whole text. It returns the matches that may have ended in it, as in automatonState.
func (a *automaton) candidates(src []byte) (found uint64) {
	state := a.idle[0]
	for _, c := range src {
		to := a.next[state][c]
		if to == 0 {
			to = a.step(state, c)
		}
		state = to - 1
		found |= a.states[state].matches
	}
	return found
}

// step computes the state behind a byte.
func (a *automaton) step(state int32, c byte) int32 {
	a.begin()
	for _, pc := range a.states[state].at {
		in := &a.prog.Inst[pc]
		switch {
		case c < 0x80:
			if in.MatchRune(rune(c)) {
				a.add(in.Out, c == '\n')
			}
		case beyondASCII(in): // it is one of one to four bytes
			a.add(pc, false)
			a.add(in.Out, false)
		}
	}
	begun := len(a.set) > 0
	a.add(uint32(a.prog.Start), c == '\n')
	if len(a.states) < maxStates {
		to := a.state(begun) + 1
		a.next[state][c] = to
		return to
	}
	kept := slices.Clone(a.set)
	a.forget()
	a.set = append(a.set[:0], kept...)
	return a.state(begun) + 1
}

// beyondASCII reports whether an instruction matches any character of several bytes.
func beyondASCII(in *syntax.Inst) bool {
	switch in.Op {
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	case syntax.InstRune, syntax.InstRune1:
		return in.Rune[len(in.Rune)-1] >= 0x80 || syntax.Flags(in.Arg)&syntax.FoldCase != 0
	}
	return false
}

func (a *automaton) begin() {
	a.set = a.set[:0]
	a.mark++
}

// add adds an instruction to the set, or all that it leads to without a byte.
func (a *automaton) add(pc uint32, line bool) {
	if a.marks[pc] == a.mark {
		return
	}
	a.marks[pc] = a.mark
	switch in := &a.prog.Inst[pc]; in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		a.add(in.Out, line)
		a.add(in.Arg, line)
	case syntax.InstCapture, syntax.InstNop:
		a.add(in.Out, line)
	case syntax.InstEmptyWidth:
		if line || syntax.EmptyOp(in.Arg)&syntax.EmptyBeginLine == 0 {
			a.add(in.Out, line)
		}
	case syntax.InstFail:
	default:
		a.set = append(a.set, pc)
	}
}

// state returns the number of the state with the set. It also depends on whether a
// match has begun: a text may lead back to where one begins.
func (a *automaton) state(begun bool) int32 {
	slices.Sort(a.set)
	k := key(begun, a.set)
	if n, ok := a.byKey[k]; ok {
		return n
	}
	n := int32(len(a.states))
	a.byKey[k] = n
	made := automatonState{at: slices.Clone(a.set)}
	for _, pc := range a.set {
		if in := &a.prog.Inst[pc]; in.Op == syntax.InstMatch {
			made.matches |= 1 << in.Arg
		}
	}
	a.states = append(a.states, made)
	a.next = append(a.next, [256]int32{})
	return n
}

func key(begun bool, set []uint32) string {
	b := make([]byte, 1, 1+2*len(set))
	if begun {
		b[0] = 1
	}
	for _, pc := range set {
		b = binary.AppendUvarint(b, uint64(pc))
	}
	return string(b)
}
