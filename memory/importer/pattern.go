package importer

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled on first use. Other commands, above all hooks,
// must not compile the importer's hundred patterns at every start.
type pattern struct{ compiled func() *regexp.Regexp }

func newPattern(expr string) *pattern {
	return &pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

func (p *pattern) MatchString(s string) bool            { return p.compiled().MatchString(s) }
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
