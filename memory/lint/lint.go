// Package lint finds text that goes against a memory: a memory may say, as a regular expression, what no line of its files
// may have, or what each of its files must have. The package is pure. It must not know where a text comes from.
package lint

import (
	"bytes"
	"fmt"
	"regexp"
	"regexp/syntax"

	"manicule/memory/file"
)

// Limits of expressions.
const (
	// maxExpression is the size in bytes of the longest expression.
	maxExpression = 300
	// maxSteps is how many steps an expression has whose repetitions are written out. At worst each byte of a text takes all
	// of them: with `(?:(?:.?){100}){10}` a file of a megabyte would take minutes.
	maxSteps = 500
)

// Rule is what a memory says of the text of its files.
type Rule struct {
	forbids, requires *regexp.Regexp // nil for none
}

// Of returns the rule of a memory, and ok for a memory that has one. Matching takes time linear in the text, with a
// factor that is limited, whatever a memory that came by git says.
func Of(m *file.Memory) (r Rule, ok bool, err error) {
	forbids, requires := m.Checks()
	if forbids == "" && requires == "" {
		return Rule{}, false, nil
	}
	if r.forbids, err = compile(forbids); err != nil {
		return Rule{}, false, fmt.Errorf("what its files may not have: %w", err)
	}
	if r.requires, err = compile(requires); err != nil {
		return Rule{}, false, fmt.Errorf("what its files must have: %w", err)
	}
	return r, true, nil
}

func compile(expression string) (*regexp.Regexp, error) {
	if expression == "" {
		return nil, nil
	}
	if len(expression) > maxExpression {
		return nil, fmt.Errorf("the expression has %d bytes, at most %d are read", len(expression), maxExpression)
	}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if n := steps(parsed); n > maxSteps {
		return nil, fmt.Errorf("the expression has more than %d steps, counting what it repeats", maxSteps)
	}
	return regexp.Compile(expression)
}

// steps returns about how many steps an expression has whose repetitions are written out, at most a little more than maxSteps.
func steps(e *syntax.Regexp) int {
	n := 1
	switch e.Op {
	case syntax.OpLiteral:
		n = len(e.Rune)
	case syntax.OpConcat, syntax.OpCapture, syntax.OpRepeat:
		n = 0
	}
	for _, part := range e.Sub {
		n = min(n+steps(part), maxSteps+1)
	}
	if e.Op == syntax.OpRepeat {
		n *= max(e.Max, e.Min, 1)
	}
	return min(n, maxSteps+1)
}

// Violation is a place at which a text goes against a memory.
type Violation struct {
	Line       int // from 1
	Start, End int // of what is forbidden, in bytes; of the first line, if something is missing
	Missing    bool
}

// In returns the violations in a text, at most one a line and most of them, in order.
func (r Rule) In(text []byte, most int) (out []Violation) {
	if r.requires != nil && most > 0 && !r.requires.Match(text) {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			end = len(text)
		}
		out = append(out, Violation{Line: 1, End: end, Missing: true})
	}
	return append(out, r.Forbidden(text, most-len(out))...)
}

// Forbidden returns the violations of what no line may have, as [Rule.In] does. The text may be a part of a file.
func (r Rule) Forbidden(text []byte, most int) (out []Violation) {
	if r.forbids == nil {
		return nil
	}
	at, line := 0, 0
	for part := range bytes.Lines(text) {
		line++
		if len(out) >= most {
			break
		}
		if found := r.forbids.FindIndex(bytes.TrimRight(part, "\r\n")); found != nil {
			out = append(out, Violation{Line: line, Start: at + found[0], End: at + found[1]})
		}
		at += len(part)
	}
	return out
}

// Requires reports whether a line has what the files must have.
func (r Rule) Requires(line string) bool { return r.requires != nil && r.requires.MatchString(line) }

// MaxSize is the size in bytes of the largest file that is looked at.
const MaxSize = 1 << 20

// IsText reports whether the content of a file is text that can be looked at.
func IsText(content []byte) bool {
	return len(content) <= MaxSize && bytes.IndexByte(content[:min(len(content), 8000)], 0) < 0
}
