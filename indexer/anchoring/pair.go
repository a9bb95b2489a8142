package anchoring

import (
	"slices"

	"manicule/indexer/extract"
)

// Thresholds for pairing declarations. cmd/eval/anchors/FIGURES.md names the run that chose
// each.
const (
	lowEntropy  = 24   // number of tokens under which an equal body alone proves nothing
	likeName    = 0.2  // minimum similarity of two declarations of one name in one place, if there are several
	likeRenamed = 0.6  // minimum similarity of a renamed declaration
	likeOnly    = 0.6  // the same for the only one of its place
	margin      = 0.08 // minimum lead over the next candidate
)

// pairReason says why two declarations are paired.
type pairReason uint8

const (
	unpaired pairReason = iota
	sameName            // the same name in the same place
	sameTree            // another name or place, the same code
	alike               // another name or place, similar code
	takenIn             // merged into another declaration that existed before
)

// pairing maps the declarations of two states of a file to each other.
type pairing struct {
	old, new []int        // partner of each symbol, -1 for none
	reason   []pairReason // by old symbol
}

// appeared reports whether a declaration of the new state has no partner. Without an old state, of nil, none has.
func (p *pairing) appeared(j int) bool { return p == nil || p.new[j] < 0 }

// pairer pairs the declarations of two sources from the outside to the inside.
type pairer struct {
	o, n         *Source // o with replaced names applied
	real         *Source // o unmodified
	kidsO, kidsN map[int][]int
	pairing
}

func pairSymbols(real, n *Source, names renaming) *pairing {
	o := real.withNames(names, n)
	p := &pairer{o: o, n: n, real: real, kidsO: childrenOf(o.symbols()), kidsN: childrenOf(n.symbols())}
	p.old, p.new = unpairedIndices[int](len(o.symbols())), unpairedIndices[int](len(n.symbols()))
	p.reason = make([]pairReason, len(p.old))
	p.pairLevel(-1, -1)
	p.pairMoved()
	return &p.pairing
}

// childrenOf lists the direct children of each symbol by its index; -1 is the file.
func childrenOf(symbols []extract.Symbol) map[int][]int {
	all := make(map[int][]int)
	for i, s := range symbols {
		all[s.Parent] = append(all[s.Parent], i)
	}
	return all
}

func (p *pairer) pair(i, j int, h pairReason) {
	p.old[i], p.new[j], p.reason[i] = j, i, h
}

// pairLevel pairs the children of two paired declarations, then recurses.
func (p *pairer) pairLevel(inOld, inNew int) {
	olds, news := p.kidsO[inOld], p.kidsN[inNew]
	if len(olds) == 0 || len(news) == 0 {
		return
	}
	p.pairByName(olds, news)
	p.pairRenamed(olds, news)
	for _, i := range olds {
		if j := p.old[i]; j >= 0 {
			p.pairLevel(i, j)
		}
	}
}

// pairByName pairs declarations of the same name: first those with equal code, then
// those of equal signature, then the most similar.
func (p *pairer) pairByName(olds, news []int) {
	so, sn := p.o.symbols(), p.n.symbols()
	named := make(map[string][]int)
	for _, j := range news {
		named[sn[j].Name] = append(named[sn[j].Name], j)
	}
	groups := make(map[string][]int)
	var names []string
	for _, i := range olds {
		name := so[i].Name
		if len(named[name]) == 0 || name != p.real.symbols()[i].Name { // another name is evidence, but no proof
			continue
		}
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], i)
	}
	for _, name := range names {
		p.pairOverloads(groups[name], named[name], sameName)
	}
}

func (p *pairer) pairOverloads(olds, news []int, h pairReason) {
	alone := len(olds) == 1 && len(news) == 1
	if alone {
		p.pair(olds[0], news[0], h)
		return
	}
	p.pairEqual(olds, news, h, func(f *Print) Hash { return f.Tree ^ f.Signature })
	p.pairEqual(olds, news, h, func(f *Print) Hash { return f.Signature })
	p.pairEqual(olds, news, h, func(f *Print) Hash { return f.Tree })
	so, sn := p.o.symbols(), p.n.symbols()
	p.pairBest(olds, news, h, 0, func(i, j int) float64 {
		like := p.o.bag(i).similarity(p.n.bag(j))
		if so[i].Arity == sn[j].Arity {
			like += 0.1
		}
		if like < likeName {
			return 0
		}
		return like
	})
}

// pairEqual pairs unpaired declarations with equal hashes, in order.
func (p *pairer) pairEqual(olds, news []int, h pairReason, hash func(*Print) Hash) {
	for _, i := range olds {
		if p.old[i] >= 0 {
			continue
		}
		for _, j := range news {
			if p.new[j] < 0 && hash(p.o.print(i)) == hash(p.n.print(j)) {
				p.pair(i, j, h)
				break
			}
		}
	}
}

// pairBest pairs unpaired declarations from the best score down. It never pairs a
// score of 0, nor one that does not lead its rivals by a margin, nor what such a tie is
// about.
func (p *pairer) pairBest(olds, news []int, h pairReason, margin float64, score func(i, j int) float64) {
	b := newBest(p, margin)
	for _, i := range olds {
		for _, j := range news {
			if p.old[i] >= 0 || p.new[j] >= 0 {
				continue
			}
			if s := score(i, j); s > 0 {
				b.add(candidate{i, j, s})
			}
		}
	}
	b.pair(h)
}

// pairRenamed pairs the remaining declarations of one place: first those with equal
// code, then the most similar.
func (p *pairer) pairRenamed(olds, news []int) {
	olds, news = p.unpaired(olds, news)
	if len(olds) == 0 || len(news) == 0 {
		return
	}
	p.pairReplaced(olds, news)
	if len(olds)*len(news) > maxPairs {
		return
	}
	p.pairBest(olds, news, alike, margin, func(i, j int) float64 {
		e := compare(p.o, i, p.n, j)
		e.neighbours = p.neighbours(i, j)
		e.replaced = p.o.symbols()[i].Name == p.n.symbols()[j].Name && p.isReplaced(i)
		return e.scoreRenamed()
	})
	for _, i := range olds {
		if j := p.old[i]; j >= 0 && p.reason[i] == alike && p.real.print(i).Tree == p.n.print(j).Tree {
			p.reason[i] = sameTree
		}
	}
	p.pairUnique(olds, news, true)
	p.pairOnly(olds, news)
}

// isReplaced reports whether the name of an old declaration gave way to another one.
func (p *pairer) isReplaced(i int) bool { return p.o.symbols()[i].Name != p.real.symbols()[i].Name }

// pairReplaced pairs several declarations of one replaced name, such as the variants of
// a function, like those of a name that stayed. One score can't tell them apart. If one
// of them left or came, their order proves nothing.
func (p *pairer) pairReplaced(olds, news []int) {
	so, sn := p.o.symbols(), p.n.symbols()
	named := make(map[string][]int)
	for _, j := range news {
		named[sn[j].Name] = append(named[sn[j].Name], j)
	}
	groups := make(map[string][]int)
	for _, i := range olds {
		if p.isReplaced(i) {
			groups[so[i].Name] = append(groups[so[i].Name], i)
		}
	}
	for name, group := range groups { // no declaration is in two of them
		if len(group) > 1 && len(group) == len(named[name]) {
			p.pairOverloads(group, named[name], alike)
		}
	}
}

// pairOnly pairs the only two declarations of a place that have no partner, if their
// neighbours are the same: even small ones then need not be equal.
func (p *pairer) pairOnly(olds, news []int) {
	olds, news = p.unpaired(olds, news)
	if len(olds) != 1 || len(news) != 1 {
		return
	}
	i, j := olds[0], news[0]
	if p.o.symbols()[i].Kind == p.n.symbols()[j].Kind && p.neighbours(i, j) == 2 && similarityOf(p.o, i, p.n, j) >= likeOnly {
		p.pair(i, j, alike)
	}
}

// pairUnique pairs declarations whose code is equal and unique on both sides. A small
// one also needs equal neighbours.
func (p *pairer) pairUnique(olds, news []int, samePlace bool) {
	type seen struct{ i, j, ni, nj int }
	found := make(map[Hash]*seen)
	for _, i := range olds {
		h := p.o.print(i).Tree
		if found[h] == nil {
			found[h] = &seen{}
		}
		found[h].i, found[h].ni = i, found[h].ni+1
	}
	for _, j := range news {
		if e := found[p.n.print(j).Tree]; e != nil {
			e.j, e.nj = j, e.nj+1
		}
	}
	for _, i := range olds {
		e := found[p.o.print(i).Tree]
		if e.ni != 1 || e.nj != 1 || p.old[i] >= 0 || p.new[e.j] >= 0 {
			continue
		}
		if p.o.print(i).Size >= lowEntropy || samePlace && p.neighbours(i, e.j) == 2 {
			p.pair(i, e.j, sameTree)
		}
	}
}

// neighbours counts on how many sides two declarations have paired siblings.
func (p *pairer) neighbours(i, j int) int {
	count := 0
	so, sn := p.o.symbols(), p.n.symbols()
	for _, step := range []int{-1, 1} {
		a, b := sibling(so, p.kidsO, i, step), sibling(sn, p.kidsN, j, step)
		if a >= 0 && b >= 0 && p.old[a] == b || a < 0 && b < 0 {
			count++
		}
	}
	return count
}

// sibling returns the previous or next sibling of a symbol, -1 at the end.
func sibling(symbols []extract.Symbol, kids map[int][]int, i, step int) int {
	all := kids[symbols[i].Parent]
	at, _ := slices.BinarySearch(all, i)
	if at += step; at < 0 || at >= len(all) {
		return -1
	}
	return all[at]
}

func (p *pairer) unpaired(olds, news []int) (o, n []int) {
	for _, i := range olds {
		if p.old[i] < 0 {
			o = append(o, i)
		}
	}
	for _, j := range news {
		if p.new[j] < 0 {
			n = append(n, j)
		}
	}
	return o, n
}

// pairMoved pairs what moved to another place in the same file.
func (p *pairer) pairMoved() {
	var olds, news []int
	for i := range p.old {
		olds = append(olds, i)
	}
	for j := range p.new {
		news = append(news, j)
	}
	if olds, news = p.unpaired(olds, news); len(olds) == 0 || len(news) == 0 || len(olds)*len(news) > maxPairs {
		return
	}
	so, sn := p.o.symbols(), p.n.symbols()
	p.pairBest(olds, news, sameTree, margin, func(i, j int) float64 {
		if so[i].Name != sn[j].Name || !kindsCompatible(so[i].Kind, sn[j].Kind) {
			return 0
		}
		like := p.o.bag(i).similarity(p.n.bag(j))
		if like < likeRenamed {
			return 0
		}
		return like
	})
	p.pairUnique(olds, news, false)
	for _, i := range olds {
		if j := p.old[i]; j >= 0 {
			p.pairLevel(i, j)
		}
	}
}

// kindsCompatible reports whether one kind of declaration may become another.
func kindsCompatible(a, b string) bool { return a == b || family(a) == family(b) }

func family(kind string) string {
	switch kind {
	case "function", "method":
		return "code"
	case "class", "struct", "interface", "enum", "type":
		return "type"
	case "const", "var", "field":
		return "value"
	default:
		return kind
	}
}
