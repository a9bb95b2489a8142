package full

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// tail is the part of a rule's pattern from one of the rule's keywords on. Each match of the rule
// has a match of it at an occurrence of a keyword. It is far cheaper to follow than the pattern, as
// it has to be followed only at those places, mostly for a few bytes. It is safe for concurrent use.
type tail struct {
	prog *syntax.Prog

	mu   sync.Mutex
	free []*automaton // guarded by mu; each is used by one goroutine at a time
}

// tailOf returns nil if the keywords don't begin a part of the pattern.
func tailOf(pattern string, keywords []string) *tail {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	parts := row(re)
	for n := range parts {
		begins, _ := headsOf(parts[n:])
		if slices.ContainsFunc(begins, func(b string) bool {
			return !slices.ContainsFunc(keywords, func(k string) bool { return strings.HasPrefix(b, k) })
		}) {
			continue
		}
		rest := &syntax.Regexp{Op: syntax.OpConcat, Sub: parts[n:]}
		prog, err := syntax.Compile(rest.Simplify())
		if err != nil {
			return nil
		}
		return &tail{prog: prog}
	}
	return nil
}

// row is the parts of an expression that follow each other.
func row(re *syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpCapture:
		return row(re.Sub[0])
	case syntax.OpConcat:
		var out []*syntax.Regexp
		for _, sub := range re.Sub {
			out = append(out, row(sub)...)
		}
		return out
	}
	return []*syntax.Regexp{re}
}

// They bound how many beginnings of an expression are listed, and how many characters of a class.
const (
	mostHeads   = 64
	mostOfClass = 8
)

// headsOf returns texts in lower case of which each match of some parts begins with one. whole
// reports that the matches are no longer than these.
func headsOf(parts []*syntax.Regexp) (heads []string, whole bool) {
	heads = []string{""}
	for _, p := range parts {
		more, whole := headsOfOne(p)
		if len(heads)*len(more) > mostHeads {
			return heads, false
		}
		var longer []string
		for _, h := range heads {
			for _, m := range more {
				longer = append(longer, h+m)
			}
		}
		if heads = longer; !whole {
			return heads, false
		}
	}
	return heads, true
}

func headsOfOne(re *syntax.Regexp) (heads []string, whole bool) {
	unknown := []string{""}
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return unknown, true
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r >= utf8.RuneSelf {
				return unknown, false
			}
		}
		return []string{strings.ToLower(string(re.Rune))}, true
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if r >= utf8.RuneSelf || len(heads) >= mostOfClass {
					return unknown, false
				}
				heads = append(heads, strings.ToLower(string(r)))
			}
		}
		slices.Sort(heads)
		return slices.Compact(heads), true
	case syntax.OpCapture, syntax.OpConcat:
		return headsOf(row(re))
	case syntax.OpAlternate:
		whole = true
		for _, sub := range re.Sub {
			more, all := headsOfOne(sub)
			heads, whole = append(heads, more...), whole && all
		}
		if len(heads) > mostHeads {
			return unknown, false
		}
		return heads, whole
	case syntax.OpPlus:
		heads, _ = headsOfOne(re.Sub[0])
		return heads, false
	case syntax.OpRepeat:
		if re.Min > 0 {
			heads, _ = headsOfOne(re.Sub[0])
			return heads, false
		}
	case syntax.OpQuest:
		heads, whole = headsOfOne(re.Sub[0])
		return append(slices.Clone(heads), ""), whole
	case syntax.OpNoMatch, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpStar:
	}
	return unknown, false
}

// in reports whether the tail may match in a text at an offset. It may say so without need: it
// passes over what a pattern asks of the characters beside it.
func (t *tail) in(text string, at int) bool {
	t.mu.Lock()
	var a *automaton
	if n := len(t.free); n > 0 {
		a, t.free = t.free[n-1], t.free[:n-1]
	}
	t.mu.Unlock()
	if a == nil {
		a = newAutomaton(t.prog)
	}
	may := a.match(text[at:])
	t.mu.Lock()
	t.free = append(t.free, a)
	t.mu.Unlock()
	return may
}

// beyond is the column of an automaton for all characters that are not ASCII.
const beyond = utf8.RuneSelf

// mostStates bounds the memory of an automaton, half a kilobyte each: there are two hundred rules, each
// with one for each processor.
const mostStates = 1 << 8

// Numbers in place of states.
const (
	unseen  = 0 // not worked out yet
	dead    = 1 // no match begins with what was read
	matched = 2
	first   = 3 // the first real state
)

// automaton follows all ways through a program at once. Its states are worked out when a text first
// leads to them.
type automaton struct {
	prog   *syntax.Prog
	states []state // from first on
	number map[string]int32
	set    []uint32 // of a state that is made
	in     []bool   // by instruction
}

type state struct {
	next  [beyond + 1]int32
	at    []uint32 // the instructions that read a character
	atEnd bool     // it matches where the text ends
}

func newAutomaton(prog *syntax.Prog) *automaton {
	a := &automaton{prog: prog, number: map[string]int32{}, in: make([]bool, len(prog.Inst))}
	a.states = make([]state, first, 16)
	a.begin()
	a.follow(uint32(prog.Start))
	a.finish()
	return a
}

// match reports whether a text may begin with a match.
func (a *automaton) match(text string) bool {
	now := int32(first)
	for i := 0; i < len(text); {
		column, size := int(text[i]), 1
		if column >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(text[i:])
			column = beyond
		}
		next := a.states[now].next[column]
		if next == unseen {
			if next = a.step(now, column); next == unseen {
				return true // too many states: the pattern itself has to say
			}
			a.states[now].next[column] = next
		}
		switch next {
		case dead:
			return false
		case matched:
			return true
		}
		now = next
		i += size
	}
	return a.states[now].atEnd
}

// step works out the state behind one and a character.
func (a *automaton) step(from int32, column int) int32 {
	if len(a.states) >= mostStates {
		return unseen
	}
	a.begin()
	for _, pc := range a.states[from].at {
		if inst := &a.prog.Inst[pc]; reads(inst, column) {
			a.follow(inst.Out)
		}
	}
	return a.finish()
}

// reads reports whether an instruction takes a character of a column.
func reads(inst *syntax.Inst, column int) bool {
	if column < beyond {
		return inst.MatchRune(rune(column))
	}
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1:
		folds := syntax.Flags(inst.Arg)&syntax.FoldCase != 0
		return folds || inst.Rune[len(inst.Rune)-1] >= utf8.RuneSelf
	}
	return true
}

func (a *automaton) begin() {
	clear(a.in)
	a.set = a.set[:0]
}

// follow adds an instruction, and those that follow it without a character, to the set.
func (a *automaton) follow(pc uint32) {
	if a.in[pc] {
		return
	}
	a.in[pc] = true
	switch inst := &a.prog.Inst[pc]; inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		a.follow(inst.Out)
		a.follow(inst.Arg)
	case syntax.InstCapture, syntax.InstNop:
		a.follow(inst.Out)
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(inst.Arg) != syntax.EmptyEndText {
			a.follow(inst.Out)
			return
		}
		a.set = append(a.set, pc) // only where the text ends
	case syntax.InstFail:
	default:
		a.set = append(a.set, pc)
	}
}

// finish makes the set a state, and returns its number.
func (a *automaton) finish() int32 {
	if len(a.set) == 0 {
		return dead
	}
	for _, pc := range a.set {
		if a.prog.Inst[pc].Op == syntax.InstMatch {
			return matched
		}
	}
	slices.Sort(a.set)
	key := make([]byte, 0, 4*len(a.set))
	for _, pc := range a.set {
		key = binary.LittleEndian.AppendUint32(key, pc)
	}
	if n, ok := a.number[string(key)]; ok {
		return n
	}
	var s state
	for _, pc := range a.set {
		if a.prog.Inst[pc].Op == syntax.InstEmptyWidth {
			s.atEnd = true // what follows the end of a text can ask for no character
			continue
		}
		s.at = append(s.at, pc)
	}
	n := int32(len(a.states))
	a.number[string(key)], a.states = n, append(a.states, s)
	return n
}
