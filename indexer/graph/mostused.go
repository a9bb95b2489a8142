package graph

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// Used is a declaration with the other files that use it by its name.
type Used struct {
	Ref
	UsedBy []string // sorted
}

// MostUsed returns the declarations that the most files use, the most used first, up to a
// limit. Those of tests come last, and those of one rank by place.
func (g *Graph) MostUsed(limit int) []Used {
	type ranked struct {
		s     *resolve.Symbol
		test  bool
		users int
	}
	if g.part != nil {
		return mostUsedOf(g, limit)
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	var all []ranked
	for st := range g.all() {
		test := IsTest(st.path)
		for _, s := range st.file.Symbols {
			users := 0
			for _, id := range g.incoming[s.Node()] {
				if id != st.file.ID && g.files[id] != nil {
					users++
				}
			}
			all = append(all, ranked{s, test, users})
		}
	}
	sorting.Func(all, func(a, b ranked) int {
		return cmp.Or(testsLast(a.test)-testsLast(b.test), b.users-a.users, cmp.Compare(a.s.File.Path, b.s.File.Path), a.s.Line-b.s.Line, cmp.Compare(a.s.ID, b.s.ID))
	})
	out := make([]Used, 0, min(limit, len(all)))
	for _, r := range all[:min(limit, len(all))] {
		u := Used{Ref: g.ref(r.s)}
		for _, id := range g.incoming[r.s.Node()] {
			if from := g.files[id]; from != nil && id != r.s.File.ID {
				u.UsedBy = append(u.UsedBy, from.path)
			}
		}
		slices.Sort(u.UsedBy)
		out = append(out, u)
	}
	return out
}

func testsLast(test bool) int {
	if test {
		return 1
	}
	return 0
}

// mostUsedOf is MostUsed for a part: the table lookup says who is used the most, and only the declarations of those are read. It
// fails if there are fewer than limit, because those that nobody uses follow then.
func mostUsedOf(g *Graph, limit int) []Used {
	p := g.part
	order, err := p.usedInOrder()
	if err != nil || len(order) < limit {
		p.failed(cmp.Or(err, errWhole))
		return nil
	}
	// All symbols of the last file with as many users take part: they are sorted by their lines.
	end := limit
	for end < len(order) && order[end].users == order[limit-1].users && order[end].path == order[limit-1].path {
		end++
	}
	type chosen struct {
		used
		ref Ref
	}
	files := map[int32][]used{}
	for _, u := range order[:end] {
		files[u.node.File()] = append(files[u.node.File()], u)
	}
	all := make([]chosen, 0, end)
	for _, id := range slices.Sorted(maps.Keys(files)) {
		for _, u := range files[id] {
			s := p.node(u.node)
			if s == nil { // its users were not resolved again yet
				p.failed(errWhole)
				return nil
			}
			ref := g.ref(s)
			ref.Symbol, ref.Signature = strings.Clone(ref.Symbol), strings.Clone(ref.Signature) // what was decoded is forgotten
			all = append(all, chosen{u, ref})
		}
		p.forgetFile(id)
	}
	sorting.Func(all, func(a, b chosen) int {
		return cmp.Or(int(b.users-a.users), cmp.Compare(a.path, b.path), a.ref.Line-b.ref.Line, cmp.Compare(a.node.Local(), b.node.Local()))
	})
	out := make([]Used, limit)
	for i := range out {
		out[i] = Used{Ref: all[i].ref}
		for _, id := range p.linkedFrom(all[i].node) {
			if id != all[i].node.File() {
				out[i].UsedBy = append(out[i].UsedBy, p.file(id).path)
			}
		}
		slices.Sort(out[i].UsedBy)
	}
	return out
}

// used is a symbol with the number of the other files that use it.
type used struct {
	node  resolve.Node
	users int32
	path  string
}

// usedInOrder returns the symbols that other files use, without those of tests, by their users and then by their paths.
func (p *part) usedInOrder() ([]used, error) {
	out, unsure, err := p.used()
	if err != nil {
		return nil, err
	}
	for _, i := range unsure {
		n := out[i].node
		out[i].users = int32(len(slices.DeleteFunc(p.linkedFrom(n), func(id int32) bool { return id == n.File() })))
	}
	out = slices.DeleteFunc(out, func(u used) bool { return u.users == 0 })
	sorting.StableFunc(out, func(a, b used) int { return cmp.Or(int(b.users-a.users), cmp.Compare(a.path, b.path)) })
	return out, nil
}

// used counts what the table lookup says about the symbols of files that are no tests. unsure are the indexes of those with
// edges that a SCIP index may replace.
func (p *part) used() (out []used, unsure []int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.load(); p.err != nil {
		return nil, nil, p.err
	}
	for _, id := range slices.Sorted(maps.Keys(p.files)) {
		path := p.files[id].path
		if IsTest(path) {
			continue
		}
		all := p.usesOf(id)
		for i := 0; i < len(all); {
			u := used{node: resolve.MakeNode(id, all[i].local), path: path}
			last, merged := int32(-1), false
			for ; i < len(all) && all[i].local == u.node.Local(); i++ {
				if user := all[i].user; user != last && user != id {
					last = user
					u.users++
					merged = merged || p.merged[user]
				}
			}
			if u.node.Local() == 0 || u.users == 0 { // 0 is the file itself
				continue
			}
			if merged {
				unsure = append(unsure, len(out))
			}
			out = append(out, u)
		}
	}
	return out, unsure, nil
}

// EachImports calls f with every file that uses others, and these, sorted. f must not ask the graph.
func EachImports(g *Graph, f func(file string, uses []string)) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var at *fileState
	uses := map[int32]bool{}
	end := func() {
		if len(uses) > 0 {
			list := make([]string, 0, len(uses))
			for id := range uses {
				list = append(list, g.file(id).path)
			}
			slices.Sort(list)
			f(at.path, list)
		}
		clear(uses)
	}
	g.eachEdge(func(st *fileState, l link) {
		if st != at {
			end()
			at = st
		}
		if to := l.to.File(); !l.may && to != st.id && !uses[to] && g.file(to) != nil {
			uses[to] = true
		}
	})
	end()
}
