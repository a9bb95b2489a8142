package importer

import (
	"regexp"
	"sync"

	"manicule/memory/literal"
)

// pattern is a regular expression that is compiled on first use. Other commands, above all hooks,
// must not compile the importer's hundred patterns at every start.
type pattern struct {
	compiled func() *regexp.Regexp
	needed   func() *literal.Set // any of them is in each match, in lower case; nil if unknown
}

func newPattern(expr string) *pattern {
	return &pattern{
		sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }),
		sync.OnceValue(func() *literal.Set { return neededBy(expr) }),
	}
}

// MatchString reports whether the pattern matches. It looks for the words first that a match needs,
// because few of the patterns match a passage.
func (p *pattern) MatchString(s string) bool {
	return mayMatch(p.needed(), s) && p.compiled().MatchString(s)
}

func (p *pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }
func (p *pattern) FindString(s string) string           { return p.compiled().FindString(s) }
func (p *pattern) FindStringIndex(s string) []int       { return p.compiled().FindStringIndex(s) }
func (p *pattern) ReplaceAllString(s, with string) string {
	return p.compiled().ReplaceAllString(s, with)
}
func (p *pattern) SubexpIndex(name string) int { return p.compiled().SubexpIndex(name) }

func (p *pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compiled().FindAllStringSubmatch(s, n)
}

func (p *pattern) ReplaceAll(b, with []byte) []byte { return p.compiled().ReplaceAll(b, with) }
