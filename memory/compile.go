package memory

import (
	"iter"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/store"
)

// anchoredSpecificity is the specificity of a memory that is anchored in the file itself. It exceeds that of
// any folder.
const anchoredSpecificity = 1 << 20

// entry is a memory with its compiled scope. Immutable.
type entry struct {
	hit   Hit
	scope *scope.Scope // nil without a scope
	fault error        // why it can't be used
}

// View is an immutable snapshot of the active memories, or of those that can apply to one path. It
// is safe for concurrent use.
type View struct {
	memDir     string
	opts       scope.Options
	generation uint64
	revision   uint64
	entries    []entry // by path of the file
	byPrefix   map[string][]int
	prefixes   []string // sorted keys of byPrefix
	byUUID     map[string]int
	byAnchor   map[string][]int
	superseded map[string]bool
	naming     map[string][]*file.Memory // by the uuid that their relations name
	rules      bool                      // a memory says what files may not have, or must have
	problems   []Problem
}

// NewView compiles rows of the store. Rows that don't parse become problems. Superseded memories
// are in the view, but apply to no path.
func NewView(memDir string, opts scope.Options, rows []store.Row, faults []store.Fault, generation uint64) *View {
	v := emptyView(memDir, opts, faults, generation)
	c := compiling{view: v, parts: [][]entry{v.compile(rows)}}
	c.fill()
	return v
}

func emptyView(memDir string, opts scope.Options, faults []store.Fault, generation uint64) *View {
	v := &View{memDir: memDir, opts: opts, generation: generation, revision: generation,
		byPrefix: map[string][]int{}, byUUID: map[string]int{}, byAnchor: map[string][]int{}}
	for _, f := range faults {
		v.problems = append(v.problems, Problem{Path: v.abs(f.Path), Line: f.Line, Column: f.Column, Message: f.Message, Hint: f.Hint, UUID: f.UUID, Held: f.Held})
	}
	return v
}

// fill gives the view, which is empty, what was compiled, by path of the file.
func (c *compiling) fill() {
	v, parts := c.view, c.parts
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	v.entries = make([]entry, 0, n)
	for i, part := range parts {
		for _, e := range part {
			if e.fault != nil {
				v.problems = append(v.problems, Problem{Path: e.hit.Path, Line: 1, Column: 1, Message: e.fault.Error()})
				continue
			}
			v.entries = append(v.entries, e)
		}
		parts[i] = nil
	}
	v.index()
}

// withPlaces returns a copy of the view with new anchor places for some memories, by uuid.
func (v *View) withPlaces(places map[string][]store.Place, generation uint64) *View {
	out := &View{memDir: v.memDir, opts: v.opts, generation: generation, revision: v.revision, problems: v.problems, entries: slices.Clone(v.entries),
		byPrefix: map[string][]int{}, byUUID: map[string]int{}, byAnchor: map[string][]int{}}
	for i, e := range out.entries {
		if list, ok := places[e.hit.Memory.UUID]; ok {
			out.entries[i].hit.Places = store.Align(list, e.hit.Memory)
		}
	}
	out.index()
	return out
}

// A view of more than compileParallelFrom memories is compiled by compileWorkers goroutines.
const compileWorkers, compileParallelFrom = 2, 1000

func (v *View) compile(rows []store.Row) []entry {
	out := make([]entry, len(rows))
	n := 1
	if len(rows) >= compileParallelFrom {
		n = compileWorkers
	}
	var wg sync.WaitGroup
	for p := range n {
		wg.Go(func() {
			from, to := p*len(rows)/n, (p+1)*len(rows)/n
			compileTo(v, out[from:to], rows[from:to], map[string]*scope.Scope{})
		})
	}
	wg.Wait()
	return out
}

// compileTo compiles rows. known are the scopes that were: many memories share one.
func compileTo(v *View, out []entry, rows []store.Row, known map[string]*scope.Scope) {
	for i, r := range rows {
		out[i] = v.entry(r, known)
	}
}

// compiling compiles rows while the next ones are read, so that few are held.
type compiling struct {
	view  *View
	parts [][]entry
	todo  chan compilingPart
	done  sync.WaitGroup
}

type compilingPart struct {
	rows []store.Row
	out  []entry
}

func (c *compiling) start() {
	c.parts, c.todo = nil, make(chan compilingPart, compileWorkers)
	for range compileWorkers {
		c.done.Go(func() {
			known := map[string]*scope.Scope{}
			for p := range c.todo {
				compileTo(c.view, p.out, p.rows, known)
			}
		})
	}
}

func (c *compiling) take(rows []store.Row) {
	out := make([]entry, len(rows))
	c.parts = append(c.parts, out)
	c.todo <- compilingPart{rows, out}
}

// end waits for what was taken.
func (c *compiling) end() {
	if c.todo != nil {
		close(c.todo)
		c.done.Wait()
	}
}

func (v *View) entry(r store.Row, known map[string]*scope.Scope) entry {
	m, err := r.Memory()
	e := entry{hit: Hit{Memory: m, Path: v.abs(r.Path)}, fault: err}
	if err != nil {
		return e
	}
	e.hit.Places, e.hit.Judged, e.hit.Unjudged = r.Places(m), r.Key, r.Unjudged
	e.hit.Use, e.hit.Now = r.Use(), r.Now
	if m.Scope == nil {
		return e
	}
	key := strings.Join(m.Scope, "\x00")
	if e.scope = known[key]; e.scope == nil {
		if e.scope, e.fault = scope.Compile(m.Scope, v.opts); e.fault == nil {
			known[key] = e.scope
		}
	}
	if e.scope != nil {
		e.hit.specific = e.scope.Specificity()
	}
	return e
}

// abs returns the absolute path of a memory's file. rel is clean, and there may be thousands.
func (v *View) abs(rel string) string {
	return v.memDir + string(filepath.Separator) + filepath.FromSlash(rel)
}

func (v *View) index() {
	v.superseded, v.naming = file.Superseded(memoriesOf(v.entries)), map[string][]*file.Memory{}
	for i, e := range v.entries {
		v.byUUID[e.hit.Memory.UUID] = i
		v.rules = v.rules || mayCheck(e.hit.Memory)
		if e.hit.Memory.Trust.Deprecated != nil {
			v.superseded[e.hit.Memory.UUID] = true
		}
		for _, rel := range e.hit.Memory.Relations {
			if list := v.naming[rel.Memory]; rel.Memory != "" && (len(list) == 0 || list[len(list)-1] != e.hit.Memory) {
				v.naming[rel.Memory] = append(list, e.hit.Memory)
			}
		}
	}
	for i, e := range v.entries {
		if v.superseded[e.hit.Memory.UUID] {
			continue
		}
		for _, p := range append(store.Reaches(e.hit.Memory, v.opts), store.ReachesNow(e.hit.Places, v.opts)...) {
			v.byPrefix[p] = append(v.byPrefix[p], i)
		}
		for _, p := range e.hit.anchored() {
			key := v.opts.Folded(p)
			if list := v.byAnchor[key]; len(list) == 0 || list[len(list)-1] != i {
				v.byAnchor[key] = append(list, i)
			}
		}
	}
	for p := range v.byPrefix {
		v.prefixes = append(v.prefixes, p)
	}
	sort.Strings(v.prefixes)
}

// memoriesOf yields the memories of entries.
func memoriesOf(entries []entry) iter.Seq[*file.Memory] {
	return func(yield func(*file.Memory) bool) {
		for _, e := range entries {
			if !yield(e.hit.Memory) {
				return
			}
		}
	}
}

// Generation grows with each change of the memories or of their anchors' places.
func (v *View) Generation() uint64 { return v.generation }

// Revision grows with each change of the memories.
func (v *View) Revision() uint64 { return v.revision }

// Problems lists the memory files that can't be used.
func (v *View) Problems() []Problem { return v.problems }

// All returns every active memory by the path of its file.
func (v *View) All() []Hit {
	out := make([]Hit, len(v.entries))
	for i, e := range v.entries {
		out[i] = e.hit
	}
	return out
}

// Live returns the active memories that are not superseded, by the path of their file.
func (v *View) Live() []Hit {
	out := make([]Hit, 0, len(v.entries))
	for _, e := range v.entries {
		if !v.superseded[e.hit.Memory.UUID] {
			out = append(out, e.hit)
		}
	}
	return out
}

// GetLive is Get of a memory that is neither superseded nor deprecated: of the others nobody is told.
func (v *View) GetLive(uuid string) (Hit, bool) {
	if v.superseded[uuid] {
		return Hit{}, false
	}
	return v.Get(uuid)
}

// Get returns the memory of a uuid.
func (v *View) Get(uuid string) (Hit, bool) {
	i, ok := v.byUUID[uuid]
	if !ok {
		return Hit{}, false
	}
	return v.entries[i].hit, true
}

// Anchored returns the memories with an anchor in the file, in recall order. The record names the
// file, or the anchor was followed into it.
func (v *View) Anchored(rel string) []Hit {
	var out []Hit
	for _, i := range v.byAnchor[v.opts.Folded(rel)] {
		h := v.entries[i].hit
		h.Match, h.specific = MatchAnchor, anchoredSpecificity
		out = append(out, h)
	}
	Rank(out)
	return out
}

// ForPath returns every memory that applies to a path relative to the root, in recall order. The
// path need not exist. For a folder (isDir, or a trailing slash), memories of what lies below it
// are included.
func (v *View) ForPath(rel string, isDir bool) []Hit {
	isDir = isDir || strings.HasSuffix(rel, "/")
	rel, ok := scope.Clean(rel)
	if !ok {
		return nil
	}
	isDir = isDir || rel == ""
	seen := map[int]bool{}
	scopes := map[*scope.Scope]scope.Match{} // many memories share a scope
	var out []Hit
	consider := func(list []int) {
		for _, i := range list {
			if seen[i] {
				continue
			}
			seen[i] = true
			e := &v.entries[i]
			in, known := scopes[e.scope]
			if !known && e.scope != nil {
				in = e.scope.Match(rel, isDir)
				scopes[e.scope] = in
			}
			if m := e.matchIn(in, rel, isDir, v.opts); m != MatchNone {
				h := e.hit
				h.Match = m
				if m == MatchAnchor {
					h.specific = anchoredSpecificity
				}
				out = append(out, h)
			}
		}
	}
	for _, p := range store.PathPrefixes(rel, v.opts, true) {
		consider(v.byPrefix[p])
	}
	if isDir {
		low := v.opts.Folded(rel)
		if low != "" {
			low += "/"
		}
		for k := sort.SearchStrings(v.prefixes, low); k < len(v.prefixes) && strings.HasPrefix(v.prefixes[k], low); k++ {
			consider(v.byPrefix[v.prefixes[k]])
		}
	}
	Rank(out)
	return out
}

// Hits returns the memories of some rows in their order, without those that can't be used. It
// suits rows that were selected for one question, as a View prepares for many.
func Hits(memDir string, opts scope.Options, rows []store.Row) []Hit {
	v := &View{memDir: memDir, opts: opts}
	out := make([]Hit, 0, len(rows))
	known := map[string]*scope.Scope{} // many memories share a scope
	for _, r := range rows {
		if e := v.entry(r, known); e.fault == nil {
			out = append(out, e.hit)
		}
	}
	return out
}

// Applying returns the memories of some rows that apply to a path, in recall order, as
// [View.ForPath] does. It suits one question about rows that were selected for it. Superseded
// memories must not be among the rows.
func Applying(memDir string, opts scope.Options, rows []store.Row, rel string, isDir bool) []Hit {
	isDir = isDir || strings.HasSuffix(rel, "/")
	rel, ok := scope.Clean(rel)
	if !ok {
		return nil
	}
	v := &View{memDir: memDir, opts: opts}
	out := make([]Hit, 0, len(rows))
	known := map[string]*scope.Scope{} // many memories share a scope
	for _, r := range rows {
		e := v.entry(r, known)
		if e.fault != nil {
			continue
		}
		if m := e.match(rel, isDir || rel == "", opts); m != MatchNone {
			e.hit.Match = m
			if m == MatchAnchor {
				e.hit.specific = anchoredSpecificity
			}
			out = append(out, e.hit)
		}
	}
	Rank(out)
	return out
}

// match decides how a memory applies to a path.
func (e entry) match(rel string, isDir bool, opts scope.Options) Match {
	in := scope.None
	if e.scope != nil {
		in = e.scope.Match(rel, isDir)
	}
	return e.matchIn(in, rel, isDir, opts)
}

// matchIn is match for who knows how the scope relates to the path.
func (e *entry) matchIn(in scope.Match, rel string, isDir bool, opts scope.Options) Match {
	m := e.hit.Memory
	best := MatchNone
	if m.Scope == nil && len(m.Anchors) == 0 {
		return MatchProject
	}
	switch in {
	case scope.In:
		best = MatchScope
	case scope.Parent:
		best = MatchParent
	}
	key := opts.Folded(rel)
	for _, p := range e.hit.anchored() {
		p = opts.Folded(p)
		switch {
		case p == key:
			return MatchAnchor
		case isDir && (rel == "" || strings.HasPrefix(p, key+"/")):
			best = max(best, MatchParent)
		}
	}
	return best
}

// MatchPath decides whether one memory applies to a path. places are the places of its anchors, as
// in a Hit.
func MatchPath(m *file.Memory, places []store.Place, rel string, isDir bool, opts scope.Options) Match {
	rel, ok := scope.Clean(rel)
	if !ok {
		return MatchNone
	}
	e := entry{hit: Hit{Memory: m, Places: places}}
	if m.Scope != nil {
		s, err := scope.Compile(m.Scope, opts)
		if err != nil {
			return MatchNone
		}
		e.scope = s
	}
	return e.match(rel, isDir || rel == "", opts)
}
