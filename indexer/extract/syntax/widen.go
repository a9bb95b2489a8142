//go:build cgo

package syntax

// #include "parse.h"
import "C"

import "sync"

// widenAfter is how many bytes of a language are parsed before a copy of its grammar is made that
// parses faster. The copy takes up to 9 MB and some milliseconds, which less text does not repay.
const widenAfter = 1 << 20

// wideGrammars are the copies for the languages that are parsed often, until [Trim].
var wideGrammars = grammarPool{after: widenAfter, of: map[*C.TSLanguage]*pooledGrammar{}}

type grammarPool struct {
	mu    sync.Mutex // guards all below
	after int        // widenAfter
	of    map[*C.TSLanguage]*pooledGrammar
}

// pooledGrammar is a grammar that texts were parsed with since the last Trim.
type pooledGrammar struct {
	parsed  int           // bytes
	wide    *C.TSLanguage // nil before so much is parsed
	users   int           // running parses
	dropped bool          // the last user frees it
}

// take returns what to parse a text of a size with, and what to call when that is done.
func (p *grammarPool) take(grammar *C.TSLanguage, size int) (*C.TSLanguage, func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.of[grammar]
	if g == nil {
		g = &pooledGrammar{}
		p.of[grammar] = g
	}
	if g.parsed += size; g.parsed > p.after && g.wide == nil {
		g.wide = C.manicule_widen(grammar)
	}
	if g.wide == nil {
		return grammar, func() {}
	}
	g.users++
	return g.wide, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		g.users--
		g.free()
	}
}

// free frees the copy if it is dropped and nobody uses it.
func (g *pooledGrammar) free() {
	if g.dropped && g.users == 0 && g.wide != nil {
		C.manicule_narrow(g.wide)
		g.wide = nil
	}
}

// drop frees all copies: those in use when they are not used any more.
func (p *grammarPool) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for grammar, g := range p.of {
		g.dropped = true
		g.free()
		delete(p.of, grammar)
	}
}
