package graph

import (
	"cmp"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"strings"

	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// declaredNames are the encoded hashes of the names that a file declares.
type declaredNames struct {
	file  int32
	names []byte
}

// use says that a file has edges to a symbol of another file.
type use struct{ local, user int32 }

// linkedFrom returns the ids of the files that have an edge to a node, sorted, and its own file.
func (p *part) linkedFrom(n resolve.Node) []int32 {
	all, merged := p.resolvedTo(n)
	return slices.DeleteFunc(all, func(id int32) bool {
		return merged[id] && id != n.File() && !slices.ContainsFunc(p.linksOf(p.file(id)), func(l link) bool { return l.to == n })
	})
}

// resolvedTo returns the ids of the files whose syntax or SCIP index leads to a node, sorted, and its own
// file. Where a file has both, the index may replace the edge.
func (p *part) resolvedTo(n resolve.Node) (ids []int32, merged map[int32]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := n.File()
	if p.load(); own < 0 || own > p.largest || p.start == nil {
		return nil, nil
	}
	all := p.usesOf(own)
	i, _ := slices.BinarySearchFunc(all, n.Local(), func(u use, local int32) int { return cmp.Compare(u.local, local) })
	out := make([]int32, 0, 8)
	for ; i < len(all) && all[i].local == n.Local(); i++ {
		if last := len(out) - 1; last < 0 || out[last] != all[i].user {
			out = append(out, all[i].user)
		}
	}
	at, found := slices.BinarySearch(out, own)
	if !found {
		out = slices.Insert(out, at, own)
	}
	return out, p.merged
}

// usesOf returns the uses of a file's symbols, sorted. The caller has locked mu, and load has succeeded.
func (p *part) usesOf(file int32) []use {
	all := p.uses[p.start[file]:p.start[file+1]]
	if !p.sorted[file] {
		sorting.Func(all, func(a, b use) int { return cmp.Or(cmp.Compare(a.local, b.local), cmp.Compare(a.user, b.user)) })
		p.sorted[file] = true
	}
	return all
}

// declaring returns the files that declare one of some names, with their declarations.
func (p *part) declaring(names ...string) iter.Seq[*fileState] {
	hashes := make(map[uint32]bool, len(names))
	for _, n := range names {
		hashes[hashName(n)] = true
	}
	p.mu.Lock()
	p.load()
	var ids []int32
	for _, d := range p.declared {
		if hasAny(d.names, hashes) {
			ids = append(ids, d.file)
		}
	}
	p.mu.Unlock()
	return p.each(ids)
}

// hasAny reports whether one of the encoded hashes is wanted.
func hasAny(encoded []byte, wanted map[uint32]bool) bool {
	for last := uint32(0); len(encoded) > 0; {
		n, rest := nextName(encoded)
		last += n
		if wanted[last] {
			return true
		}
		encoded = rest
	}
	return false
}

// load reads the table lookup once. The caller has locked mu.
func (p *part) load() {
	if p.loaded || p.err != nil {
		return
	}
	var declared []declaredNames // kept when all is read: a question may be cancelled meanwhile
	var targets []usesIn
	merged := map[int32]bool{}
	err := p.eachRow(qLookup, func(rows *sql.Rows) error {
		var id int32
		var names, to sql.RawBytes
		if err := rows.Scan(&id, &names, &to); err != nil || p.files[id] == nil {
			return err
		}
		declared = append(declared, declaredNames{id, slices.Clone(names)})
		targets = append(targets, usesIn{id, slices.Clone(to)})
		return nil
	})
	if err == nil {
		err = p.eachRow(qSCIPLinks, func(rows *sql.Rows) error {
			k := storedFile{}
			if err := rows.Scan(&k.id, &k.blobs[2]); err != nil || p.files[k.id] == nil {
				return err
			}
			k.decodeEdges()
			merged[k.id] = true
			targets = append(targets, usesIn{k.id, encodeTargets(k.links, k.id)})
			return k.err
		})
	}
	if err == nil {
		err = p.invert(targets)
	}
	if err != nil {
		p.fail(err)
		return
	}
	p.declared, p.merged, p.loaded = declared, merged, true
}

// usesIn are the encoded targets of the edges of a file.
type usesIn struct {
	user    int32
	targets []byte
}

// invert sorts the targets of all files by the files that they are in.
func (s *stored) invert(all []usesIn) error {
	start := make([]int32, s.largest+2)
	for _, u := range all {
		err := eachTarget(u.targets, func(file, _ int32) {
			if file <= s.largest {
				start[file+1]++
			}
		})
		if err != nil {
			return fmt.Errorf("read the targets of edges: %w", err)
		}
	}
	for i := range s.largest + 1 {
		start[i+1] += start[i]
	}
	uses, next := make([]use, start[s.largest+1]), slices.Clone(start)
	for _, u := range all {
		_ = eachTarget(u.targets, func(file, local int32) { // as before
			if file <= s.largest {
				uses[next[file]] = use{local, u.user}
				next[file]++
			}
		})
	}
	s.start, s.uses = start, uses
	return nil
}

// declaredIn returns the hashes of the names under which the symbols of a file are found, sorted:
// their names and the last parts of their paths, which rarely differ.
func declaredIn(f *resolve.File) []uint32 {
	out := make([]uint32, 0, len(f.Symbols))
	for _, s := range f.Symbols {
		out = append(out, hashName(s.Name))
		if last := lastPart(s.Path); last != s.Name {
			out = append(out, hashName(last))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// lastPart returns what follows the last dot of a name.
func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
