// Package atlas owns the map of a repository: its files with what is remembered about them as
// one page that needs nothing else. It is pure: values in, a page out. It must not know disks,
// databases, clocks or flags, and it is handed only what may leave the machine.
package atlas

import (
	"cmp"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"manicule/indexer/sorting"
	"manicule/memory/life"
)

// maxFiles is how many files a page shows one by one. The others of a folder are one area.
const maxFiles = 20_000

// maxHot is how many of them are selected by their heat; the others are the largest.
const maxHot = maxFiles / 2

// Input is what a map shows.
type Input struct {
	Name     string // of the repository
	At       time.Time
	Files    []File
	Memories []Memory
	// About returns the numbers, in Memories, of what is about a file and not about the whole project.
	About    func(path string) []int
	Months   []Month // nil without a ledger
	Agents   []Agent // the same by agent; nil without a ledger
	Health   *life.Health
	Coverage *Coverage
	LeftOut  LeftOut
	MaxFiles int // 0: [maxFiles]

	// Symbols are declarations, in the order in which they are looked for: of more than
	// [MaxSymbols] the first are kept. Nil without a code graph.
	Symbols []Symbol
	// Uses returns the files that a file uses. Nil without a code graph.
	Uses func(path string) []string
}

// MaxSymbols is how many symbols a page has, and maxUsers how many users of one it names.
const (
	MaxSymbols = 20_000
	maxUsers   = 30
)

// Symbol is a declaration in a file.
type Symbol struct {
	Name string // with what it is in, such as Store.Refresh
	Kind string
	Path string
	Line int
	// UsedBy are the files that use it.
	UsedBy []string
}

// File is a file of the repository.
type File struct {
	Path     string
	Bytes    int64
	Changes  int  // commits of the last months
	Failures int  // errors that agents' sessions met there
	Recorded bool // programs write it, such as a lock file: there is nothing to remember of it
	// Generated is set if a program writes it from other code.
	Generated bool
}

// maxGenerated is what a file that programs write counts as code at most: however large, there is little to know of it.
const maxGenerated = 1024

// notCode returns the bytes of a file that don't count as its code.
func (f File) notCode() int64 {
	if f.Recorded || f.Generated {
		return max(0, f.Bytes-maxGenerated)
	}
	return 0
}

// Heat says how much a file asks for a memory: it changes much, sessions fail there, and nothing
// is remembered about it.
func (f File) Heat(memories int) float64 {
	if f.Recorded {
		return 0
	}
	return round(float64(f.Changes) * float64(1+f.Failures) / float64(1+memories))
}

func round(x float64) float64 { return math.Round(x*100) / 100 }

// Memory is a memory with its life.
type Memory struct {
	ID         string    `json:"id"`
	Type       string    `json:"type"`
	What       string    `json:"what"`
	Why        string    `json:"why,omitzero"`
	Confidence float64   `json:"confidence"`
	State      string    `json:"state,omitzero"` // of the worst anchor; "" without one
	Reason     string    `json:"reason,omitzero"`
	Marks      []string  `json:"marks,omitempty"` // why not to rely on it, and what it is
	Places     []string  `json:"places,omitempty"`
	Created    string    `json:"created"`
	Versions   []Version `json:"versions,omitempty"` // oldest first
	Shown      []Day     `json:"shown,omitempty"`    // oldest first
}

// Version is one version of a memory, without its text: an earlier one may have been personal.
type Version struct {
	Number int    `json:"v"`
	Day    string `json:"day"`
	Kind   string `json:"kind"`
}

// Outcomes count showings to agents by what came of them, and showings to people.
type Outcomes struct {
	Shown      int `json:"shown"`
	Followed   int `json:"followed,omitzero"`
	Overridden int `json:"overridden,omitzero"`
	Ignored    int `json:"ignored,omitzero"`
	People     int `json:"people,omitzero"`
	Tokens     int `json:"tokens,omitzero"`
}

// Day is what came of a memory on a day, "" for all that is older than the ledger's rows.
type Day struct {
	Day string `json:"day,omitzero"`
	Outcomes
}

// Month is what came of all memories in a month (YYYY-MM), "" for all before.
type Month struct {
	Month string `json:"month,omitzero"`
	Outcomes
}

// OtherAgents is the name of all programs together that have no name of their own on the page.
const OtherAgents = "others"

// Agent is what came of the memories that one program, such as claude-code, was shown. It is never a
// person.
type Agent struct {
	Agent  string  `json:"agent"`
	Months []Month `json:"months"` // oldest first
}

// Coverage is how much of what changes has memories, and the folders that change most without.
type Coverage struct {
	Share float64 `json:"share"`
	Bare  []Bare  `json:"bare"`
}

// Bare is a folder without memories.
type Bare struct {
	Folder  string `json:"folder"`
	Changes int    `json:"changes"`
}

// LeftOut counts what a page does not show.
type LeftOut struct {
	Personal    int `json:"personal,omitzero"`
	Quarantined int `json:"quarantined,omitzero"`
	Drafts      int `json:"drafts,omitzero"`
}

// Data is what the page is made of.
type Data struct {
	Format   int          `json:"format"`
	Name     string       `json:"name"`
	At       string       `json:"at"`
	Health   *life.Health `json:"health"`
	Coverage *Coverage    `json:"coverage"`
	// Nodes are folders and files; each stands after its folder. The first is the root.
	Nodes    []Node   `json:"nodes"`
	Symbols  []Placed `json:"symbols"`
	Memories []Memory `json:"memories"`
	Months   []Month  `json:"months"`
	Agents   []Agent  `json:"agents"`
	LeftOut  LeftOut  `json:"left_out"`
}

// Format is the version of [Data].
//
// History: 1, the first; 2, symbols, who uses whom, and the names of the small files; 3, what came of
// the memories by agent.
const Format = 3

// Placed is a symbol of a node.
type Placed struct {
	Name   string `json:"n"`
	Kind   string `json:"k"`
	Node   int    `json:"i"`
	Small  string `json:"f,omitzero"` // of small files: which one, as in Node.Small
	Line   int    `json:"l"`
	UsedBy []int  `json:"u,omitempty"` // nodes
	Users  int    `json:"c,omitzero"`  // how many they are, if not all are named
}

// Node is a folder, a file, or the small files of a folder together.
type Node struct {
	Parent   int     `json:"p"` // -1 for the root
	Name     string  `json:"n"` // "" for the small files of a folder
	Kind     Kind    `json:"k,omitzero"`
	Bytes    int64   `json:"b"`
	NotCode  int64   `json:"g,omitzero"` // of them, what programs write
	Files    int     `json:"f,omitzero"` // 0 for a file
	Changes  int     `json:"c,omitzero"`
	Failures int     `json:"x,omitzero"`
	Heat     float64 `json:"h,omitzero"`
	// Memories are about all of it. What is about a part of a folder stands with the part.
	Memories []int `json:"m,omitempty"`
	// Uses are the other nodes that a file or its small files use.
	Uses []int `json:"u,omitempty"`
	// Small names the small files of a folder, one a line, from the folder on.
	Small string `json:"r,omitzero"`
}

// Kind is what a node is.
type Kind int

// The kinds of nodes.
const (
	IsFile Kind = iota
	IsFolder
	IsRest
)

// Build computes the data of a map.
func Build(in Input) Data {
	d := Data{Format: Format, Name: in.Name, At: in.At.UTC().Format("2006-01-02 15:04 MST"), Health: in.Health, Coverage: in.Coverage,
		Memories: append([]Memory{}, in.Memories...), Months: append([]Month{}, in.Months...), Agents: append([]Agent{}, in.Agents...), LeftOut: in.LeftOut}
	root := grow(in)
	root.lift()
	placed := make([]bool, len(in.Memories))
	d.Nodes = root.flatten(nil, -1, placed)
	at := places(d.Nodes)
	d.Symbols = at.symbols(in.Symbols)
	if in.Uses != nil {
		at.uses(d.Nodes, in.Files, in.Uses)
	}
	for i, ok := range placed {
		if !ok { // about the project, or about code that is gone
			d.Nodes[0].Memories = append(d.Nodes[0].Memories, i)
		}
	}
	slices.Sort(d.Nodes[0].Memories)
	return d
}

// tree is a folder or a file while the map grows.
type tree struct {
	Node
	kept  bool
	below map[string]*tree
	rest  *tree
}

// grow makes the tree of the files.
func grow(in Input) *tree {
	about := make([][]int, len(in.Files))
	heat := make([]float64, len(in.Files))
	for i, f := range in.Files {
		about[i] = slices.Compact(slices.Sorted(slices.Values(in.About(f.Path))))
		heat[i] = f.Heat(len(about[i]))
	}
	kept := selected(in.Files, heat, cmp.Or(in.MaxFiles, maxFiles))
	root := &tree{Node: Node{Name: in.Name, Kind: IsFolder}, kept: true, below: map[string]*tree{}}
	for i, f := range in.Files {
		leaf := Node{Name: path.Base(f.Path), Bytes: f.Bytes, NotCode: f.notCode(), Changes: f.Changes, Failures: f.Failures, Heat: heat[i], Memories: about[i]}
		at := root
		for dir := range strings.SplitSeq(path.Dir(f.Path), "/") {
			if dir == "." {
				continue
			}
			next := at.below[dir]
			if next == nil {
				next = &tree{Node: Node{Name: dir, Kind: IsFolder}, below: map[string]*tree{}}
				at.below[dir] = next
			}
			at = next
			at.kept = at.kept || kept[i]
		}
		at.below["/"+leaf.Name] = &tree{Node: leaf, kept: kept[i]} // no folder is called so
	}
	return root
}

// selected returns which files are shown one by one: the hottest, and the largest.
func selected(files []File, heat []float64, limit int) []bool {
	kept := make([]bool, len(files))
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	left := limit
	take := func(n int, more func(i, j int) int) {
		sorting.Func(order, func(i, j int) int { return cmp.Or(more(i, j), strings.Compare(files[i].Path, files[j].Path)) })
		for _, i := range order {
			if n <= 0 || left <= 0 {
				return
			}
			if !kept[i] {
				kept[i] = true
				n--
				left--
			}
		}
	}
	take(min(maxHot, limit/2), func(i, j int) int { return cmp.Compare(heat[j], heat[i]) })
	take(left, func(i, j int) int {
		return cmp.Compare(files[j].Bytes-files[j].notCode(), files[i].Bytes-files[i].notCode())
	})
	return kept
}

// lift sums a folder, gives it the memories that are about all of it, and makes one area of what
// is not shown. It must see every file, or a folder would get what is about its shown part.
func (t *tree) lift() {
	if t.Kind != IsFolder {
		return
	}
	var common []int
	first := true
	for _, name := range t.names() {
		x := t.below[name]
		x.lift()
		if first {
			common, first = slices.Clone(x.Memories), false
		} else {
			common = slices.DeleteFunc(common, func(m int) bool { _, ok := slices.BinarySearch(x.Memories, m); return !ok })
		}
	}
	t.Memories = common
	var small []string
	for _, name := range t.names() {
		x := t.below[name]
		x.Memories = without(x.Memories, common)
		t.add(x.Node)
		if x.kept {
			continue
		}
		if t.rest == nil {
			t.rest = &tree{Node: Node{Kind: IsRest}, kept: true}
		}
		t.rest.add(x.Node)
		t.rest.Memories = append(t.rest.Memories, x.everything(nil)...)
		small = x.files(small, "")
		delete(t.below, name)
	}
	if t.rest != nil {
		t.rest.Small = strings.Join(small, "\n")
		slices.Sort(t.rest.Memories)
		t.rest.Memories = slices.Compact(t.rest.Memories)
	}
}

func (t *tree) add(x Node) {
	t.Bytes += x.Bytes
	t.NotCode += x.NotCode
	t.Files += max(1, x.Files)
	t.Changes += x.Changes
	t.Failures += x.Failures
	t.Heat = round(t.Heat + x.Heat)
}

// files lists the files of a tree, with the folder before them.
func (t *tree) files(out []string, folder string) []string {
	if t.Kind == IsFile {
		return append(out, folder+t.Name)
	}
	if t.Kind == IsRest {
		for name := range strings.SplitSeq(t.Small, "\n") {
			out = append(out, folder+name)
		}
		return out
	}
	folder += t.Name + "/"
	for _, name := range t.names() {
		out = t.below[name].files(out, folder)
	}
	if t.rest != nil {
		out = t.rest.files(out, folder)
	}
	return out
}

// everything returns the memories of a tree and of what lies below it.
func (t *tree) everything(out []int) []int {
	out = append(out, t.Memories...)
	for _, x := range t.below {
		out = x.everything(out)
	}
	if t.rest != nil {
		out = append(out, t.rest.Memories...)
	}
	return out
}

func without(list, common []int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(m int) bool { _, ok := slices.BinarySearch(common, m); return ok })
}

func (t *tree) names() []string {
	return slices.Sorted(maps.Keys(t.below))
}

// flatten lists the nodes, and notes which memories have a place among them.
func (t *tree) flatten(out []Node, parent int, placed []bool) []Node {
	n := t.Node
	n.Parent = parent
	for _, m := range n.Memories {
		placed[m] = true
	}
	self := len(out)
	out = append(out, n)
	for _, name := range t.names() {
		out = t.below[name].flatten(out, self, placed)
	}
	if t.rest != nil {
		out = t.rest.flatten(out, self, placed)
	}
	return out
}
