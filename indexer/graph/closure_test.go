package graph

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unsafe"

	"manicule/indexer/extract"
	"manicule/indexer/must"
	"manicule/indexer/resolve"
)

// closureTree is a source tree for BenchmarkClosure; this repository when empty.
var closureTree = flag.String("tree", "", "the folder of a source tree for BenchmarkClosure")

// reach is one row of a closure: a node that a change comes to. It holds what
// Impact says of a node: how far, over which node, how surely.
type reach struct {
	node, from resolve.Node
	depth      uint8
	sure       uint8
	kind       uint8
	may        bool
}

// closure is the experiment: for each node all that depends on it to a depth,
// kept ready instead of walked. Its unit is the symbol or the file.
type closure struct {
	g     *Graph
	files bool
	rows  map[resolve.Node][]reach
}

// users calls f with all that is one edge from a node, as Impact follows them.
func (c *closure) users(n resolve.Node, f func(reach)) {
	if c.files {
		st := c.g.files[n.File()]
		if st == nil {
			return
		}
		for _, s := range append(slices.Clone(st.file.Symbols), st.file.Self) {
			for _, id := range c.g.incoming[s.Node()] {
				f(reach{node: c.g.files[id].file.Self.Node(), from: n, sure: 100})
			}
		}
		return
	}
	c.g.eachIncoming(n, func(st *fileState, l link) {
		f(reach{node: resolve.MakeNode(st.file.ID, l.from), from: n, sure: l.sure, kind: l.kind, may: l.may})
	})
	for _, m := range c.g.overriddenBy[n] {
		f(reach{node: m, from: n, sure: 100, kind: dispatchKind})
	}
	for _, base := range c.g.overrides[n] {
		c.g.eachIncoming(base, func(st *fileState, l link) {
			if isCall(l.kind) {
				f(reach{node: resolve.MakeNode(st.file.ID, l.from), from: n, sure: uint8(float64(l.sure) * dispatchSure), kind: l.kind, may: true})
			}
		})
	}
}

// walk finds the rows of one node, breadth first.
func (c *closure) walk(n resolve.Node) []reach {
	seen := map[resolve.Node]bool{n: true}
	queue := []reach{{node: n, sure: 100}}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		if at.depth == DefaultDepth {
			break
		}
		c.users(at.node, func(r reach) {
			if !seen[r.node] {
				seen[r.node] = true
				r.depth, r.sure, r.may = at.depth+1, uint8(int(at.sure)*int(r.sure)/100), r.may || at.may
				queue = append(queue, r)
			}
		})
	}
	return queue[1:]
}

func (c *closure) all() []resolve.Node {
	var out []resolve.Node
	for _, st := range c.g.files {
		out = append(out, st.file.Self.Node())
		if !c.files {
			for _, s := range st.file.Symbols {
				out = append(out, s.Node())
			}
		}
	}
	slices.Sort(out)
	return out
}

func (c *closure) build() {
	c.rows = map[resolve.Node][]reach{}
	for _, n := range c.all() {
		if rows := c.walk(n); len(rows) > 0 {
			c.rows[n] = slices.Clip(rows)
		}
	}
}

// touchedBy are the nodes whose rows may change with the edges of a file: what
// its nodes use, to a depth less than the closure's, forwards.
func (c *closure) touchedBy(file int32) map[resolve.Node]bool {
	out := map[resolve.Node]bool{}
	st := c.g.files[file]
	level := map[resolve.Node]bool{}
	add := func(next map[resolve.Node]bool, of *fileState, from map[int32]bool) {
		for _, l := range of.links {
			if c.files {
				if to := c.g.files[l.to.File()]; to != nil {
					next[to.file.Self.Node()] = true
				}
			} else if from == nil || from[l.from] {
				next[l.to] = true
				for _, m := range c.g.overriddenBy[l.to] {
					next[m] = true
				}
			}
		}
	}
	add(level, st, nil)
	for range DefaultDepth {
		next := map[resolve.Node]bool{}
		byFile := map[int32]map[int32]bool{}
		for n := range level {
			if out[n] {
				continue
			}
			out[n] = true
			if byFile[n.File()] == nil {
				byFile[n.File()] = map[int32]bool{}
			}
			byFile[n.File()][n.Local()] = true
			for _, m := range c.g.overrides[n] {
				next[m] = true
			}
		}
		for id, from := range byFile {
			if of := c.g.files[id]; of != nil {
				add(next, of, from)
			}
		}
		level = next
	}
	return out
}

// bytes is what the rows take in memory, and as blobs in a table would: the
// differences of the sorted nodes, and four small numbers each.
func (c *closure) bytes() (rows, memory, disk int) {
	for _, all := range c.rows {
		rows += len(all)
		memory += cap(all)*int(unsafe.Sizeof(reach{})) + 48
		sorted := slices.SortedFunc(slices.Values(all), func(a, b reach) int { return cmp.Compare(a.node, b.node) })
		last := resolve.Node(0)
		var blob []byte
		for _, r := range sorted {
			blob = binary.AppendUvarint(blob, uint64(r.node-last))
			blob = binary.AppendVarint(blob, int64(r.from-r.node))
			blob = append(blob, r.depth<<1, r.sure, r.kind)
			last = r.node
		}
		disk += len(blob)
	}
	return rows, memory, disk
}

// realGraph indexes a copy of a tree's source files.
func realGraph(b *testing.B) *Graph {
	b.Helper()
	from := *closureTree
	if from == "" {
		from = filepath.Join("..", "..")
	}
	root := b.TempDir()
	err := filepath.WalkDir(from, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(from, p)
		if err != nil || !d.Type().IsRegular() || languageOf(rel) == "" && !resolve.BuildFile(rel) {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		to := filepath.Join(root, rel)
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, 0o644))
	})
	must.OK(b, err)
	ix := Open(Options{Root: root, Dir: b.TempDir()})
	b.Cleanup(func() {
		if err := ix.Close(); err != nil {
			b.Error(err)
		}
	})
	if _, err := ix.Sync(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	g, err := ix.Graph(b.Context())
	must.OK(b, err)
	return g
}

// BenchmarkClosure compares a closure that is kept ready with the walk: what it
// costs to build and to keep right when one file changes, how large it is, and
// how long a question takes. One run says it all: -benchtime 1x.
func BenchmarkClosure(b *testing.B) {
	g := realGraph(b)
	for _, files := range []bool{true, false} {
		name := map[bool]string{true: "files", false: "symbols"}[files]
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c := &closure{g: g, files: files}
				start := time.Now()
				c.build()
				built := time.Since(start)
				rows, memory, disk := c.bytes()
				b.ReportMetric(built.Seconds(), "build-s")
				b.ReportMetric(float64(len(c.all())), "nodes")
				b.ReportMetric(float64(rows), "rows")
				b.ReportMetric(float64(memory)/(1<<20), "memory-MB")
				b.ReportMetric(float64(disk)/(1<<20), "disk-MB")
				updates, redone := c.updates()
				report(b, "update", updates)
				b.ReportMetric(float64(redone)/float64(len(updates)), "rewritten-rows")
				nodes := c.all()
				random := rand.New(rand.NewPCG(3, 3))
				var walked, looked, whole []time.Duration
				for range 2000 {
					n := nodes[random.IntN(len(nodes))]
					start := time.Now()
					want := c.walk(n)
					walked = append(walked, time.Since(start))
					start = time.Now()
					got := slices.Clone(c.rows[n])
					looked = append(looked, time.Since(start))
					if len(got) != len(want) {
						b.Fatalf("%s: %d rows kept, %d walked", g.name(n), len(got), len(want))
					}
					if s := g.nodes[n]; !files && s != nil {
						start = time.Now()
						g.Impact([]*Symbol{s}, DefaultDepth)
						whole = append(whole, time.Since(start))
					}
				}
				report(b, "walk", walked)
				report(b, "lookup", looked)
				if !files {
					report(b, "impact", whole)
				}
			}
		})
	}
}

// updates times what keeping the closure right costs for a hundred files.
func (c *closure) updates() (times []time.Duration, rows int) {
	ids := slices.Sorted(maps.Keys(c.g.files))
	random := rand.New(rand.NewPCG(4, 4))
	for range 100 {
		id := ids[random.IntN(len(ids))]
		start := time.Now()
		for n := range c.touchedBy(id) {
			c.rows[n] = c.walk(n)
			rows += len(c.rows[n])
		}
		times = append(times, time.Since(start))
	}
	return times, rows
}

func report(b *testing.B, name string, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1000, name+"-p50-µs")
	b.ReportMetric(float64(times[len(times)*95/100].Nanoseconds())/1000, name+"-p95-µs")
}

// TestClosureIsTheWalk holds the experiment to what the product says: a closure
// that was updated after a change of a file is that of a new build.
func TestClosureIsTheWalk(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	s.sync(ix)
	for _, files := range []bool{true, false} {
		g := s.graph(ix)
		c := &closure{g: g, files: files}
		c.build()
		if !files {
			for n, rows := range c.rows {
				if sym := g.nodes[n]; sym.Kind != "file" && !sym.IsType() && len(g.Impact([]*Symbol{sym}, DefaultDepth).Affected) != len(rows) {
					t.Errorf("%s: %d rows", g.name(n), len(rows))
				}
			}
		}
		for id, st := range g.files {
			links := st.links
			touched := c.touchedBy(id)
			g.dropLinks(st)
			for n := range touched {
				c.rows[n] = c.walk(n)
			}
			if got, want := c.dump(), fresh(g, files).dump(); !bytes.Equal(got, want) {
				t.Errorf("without the edges of %s, by files %v:\n%s\nwant\n%s", st.path, files, got, want)
			}
			g.setLinks(id, unpacked(id, links))
			for n := range c.touchedBy(id) {
				c.rows[n] = c.walk(n)
			}
			if got, want := c.dump(), fresh(g, files).dump(); !bytes.Equal(got, want) {
				t.Errorf("with the edges of %s, by files %v:\n%s\nwant\n%s", st.path, files, got, want)
			}
		}
	}
}

func fresh(g *Graph, files bool) *closure {
	c := &closure{g: g, files: files}
	c.build()
	return c
}

// dump writes who reaches whom, and how far that is.
func (c *closure) dump() []byte {
	var lines []string
	for n, rows := range c.rows {
		for _, r := range rows {
			lines = append(lines, fmt.Sprintf("%s < %s %d", c.g.name(n), c.g.name(r.node), r.depth))
		}
	}
	slices.Sort(lines)
	var out bytes.Buffer
	for _, l := range lines {
		out.WriteString(l + "\n")
	}
	return out.Bytes()
}

// unpacked are links as setLinks takes them.
func unpacked(id int32, links []link) (out []Link) {
	for _, l := range links {
		out = append(out, Link{From: resolve.MakeNode(id, l.from), To: l.to, Line: int(l.line), Kind: extract.RefKind(refKinds()[l.kind]), Sure: float64(l.sure) / 100, May: l.may, How: l.how})
	}
	return out
}
