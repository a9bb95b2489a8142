// Package lazyregexp owns regular expressions that are compiled at their first use, and run only where an automaton
// does not tell whether they match. It must not know what the expressions are for.
package lazyregexp

import (
	"regexp"
	"regexp/syntax"
	"sync"

	"manicule/memory/lazydfa"
)

// Regexp is a regular expression that is compiled at its first use: a program with hundreds of them must
// not compile all at its start. Its methods are those of [regexp.Regexp]. It is safe for concurrent use.
type Regexp struct {
	expr    string
	compile sync.Once
	re      *regexp.Regexp // guarded by compile
	look    sync.Once
	quick   *lazydfa.Matcher // guarded by look; nil if there is none
}

// New returns the regular expression of a text in the syntax of package regexp. The first use of one that
// does not parse panics. It does next to nothing: some hundred are made before main.
func New(expr string) *Regexp { return &Regexp{expr: expr} }

func (p *Regexp) compiled() *regexp.Regexp {
	p.compile.Do(func() { p.re = regexp.MustCompile(p.expr) })
	return p.re
}

// ask returns what the automaton of the expression says of a text.
func (p *Regexp) ask(s string) lazydfa.Answer {
	p.look.Do(func() {
		re, err := syntax.Parse(p.expr, syntax.Perl)
		if err == nil {
			p.quick, _ = lazydfa.New(re) // of one that is too large, package regexp says so
		}
	})
	if p.quick == nil {
		return lazydfa.Maybe
	}
	return p.quick.Match(s, 0)
}

// MatchString reports whether the expression matches.
func (p *Regexp) MatchString(s string) bool {
	if a := p.ask(s); a != lazydfa.Maybe {
		return a == lazydfa.Yes
	}
	return p.compiled().MatchString(s)
}

// mayMatch reports whether a text can have a match.
func (p *Regexp) mayMatch(s string) bool { return p.ask(s) != lazydfa.No }

func (p *Regexp) FindStringSubmatch(s string) []string {
	if !p.mayMatch(s) {
		return nil
	}
	return p.compiled().FindStringSubmatch(s)
}

func (p *Regexp) FindString(s string) string {
	if !p.mayMatch(s) {
		return ""
	}
	return p.compiled().FindString(s)
}

func (p *Regexp) FindStringIndex(s string) []int {
	if !p.mayMatch(s) {
		return nil
	}
	return p.compiled().FindStringIndex(s)
}

func (p *Regexp) ReplaceAllString(s, with string) string {
	if !p.mayMatch(s) {
		return s
	}
	return p.compiled().ReplaceAllString(s, with)
}

func (p *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	if !p.mayMatch(s) {
		return nil
	}
	return p.compiled().FindAllStringSubmatch(s, n)
}

func (p *Regexp) SubexpIndex(name string) int { return p.compiled().SubexpIndex(name) }

func (p *Regexp) ReplaceAll(b, with []byte) []byte { return p.compiled().ReplaceAll(b, with) }
