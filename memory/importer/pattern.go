package importer

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled on first use. Other commands, above all hooks,
// must not compile the importer's hundred patterns at every start.
type pattern struct {
	compiled func() *regexp.Regexp
	quick    func() *matcher
}

func newPattern(expr string) *pattern {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
	return &pattern{compiled, sync.OnceValue(func() *matcher { return newMatcher(expr, compiled) })}
}

// MatchString reports whether the pattern matches. It looks for the words first that a match needs,
// because few of the patterns match a passage.
func (p *pattern) MatchString(s string) bool {
	if folds(s) {
		return p.compiled().MatchString(s)
	}
	return p.quick().match(s)
}

// mayMatch reports whether a text has a word that a match needs.
func (p *pattern) mayMatch(s string) bool { return folds(s) || p.quick().mayMatch(s) }

func (p *pattern) FindStringSubmatch(s string) []string {
	if !p.mayMatch(s) {
		return nil
	}
	return p.compiled().FindStringSubmatch(s)
}

func (p *pattern) FindString(s string) string {
	if !p.mayMatch(s) {
		return ""
	}
	return p.compiled().FindString(s)
}

func (p *pattern) FindStringIndex(s string) []int {
	if !p.mayMatch(s) {
		return nil
	}
	return p.compiled().FindStringIndex(s)
}

func (p *pattern) ReplaceAllString(s, with string) string {
	if !p.mayMatch(s) {
		return s
	}
	return p.compiled().ReplaceAllString(s, with)
}

func (p *pattern) FindAllStringSubmatch(s string, n int) [][]string {
	if !p.mayMatch(s) {
		return nil
	}
	return p.compiled().FindAllStringSubmatch(s, n)
}

func (p *pattern) SubexpIndex(name string) int { return p.compiled().SubexpIndex(name) }

func (p *pattern) ReplaceAll(b, with []byte) []byte { return p.compiled().ReplaceAll(b, with) }
