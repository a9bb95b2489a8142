package resolve

import (
	"fmt"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"manicule/indexer/extract"
	"manicule/indexer/must"
)

// grown is a synthetic tree: the facts of files by path, and build files.
type grown struct {
	paths []string
	facts []*extract.Facts
	build map[string]string
}

func (g *grown) add(name string, f *extract.Facts) {
	g.paths, g.facts = append(g.paths, name), append(g.facts, f)
}

func localsOf(f *extract.Facts) []int32 {
	out := make([]int32, len(f.Symbols))
	for i := range out {
		out[i] = int32(i + 1)
	}
	return out
}

func (g *grown) project() *Project {
	all := append([]string(nil), g.paths...)
	for p := range g.build {
		all = append(all, p)
	}
	return NewProject(all, func(p string) ([]byte, error) {
		if text, ok := g.build[p]; ok {
			return []byte(text), nil
		}
		return nil, os.ErrNotExist
	})
}

func (g *grown) table(p *Project) (*Table, []*File) {
	table := NewTable(nil)
	var files []*File
	for i, name := range g.paths {
		files = append(files, table.AddDeferred(name, int32(i+1), g.facts[i], localsOf(g.facts[i])))
	}
	table.Invalidate(p)
	table.AssignUnits()
	return table, files
}

// resolveAll does what indexing does after reading.
func (g *grown) resolveAll(t *testing.T, p *Project) (edges, pairs int) {
	table, files := g.table(p)
	rr := NewResolver(table)
	for i, f := range files {
		found, err := rr.Edges(t.Context(), f, g.facts[i])
		must.OK(t, err)
		edges += len(found)
	}
	all, faults := table.Dispatch()
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return edges, len(all)
}

// repeated makes a tree of n files with the same text, in folders of ten, each with a
// header or helper that is called the same everywhere.
func repeated(t *testing.T, lang, ext, text, sharedName, shared string) func(n int) *grown {
	facts, err := extract.ParseFacts(t.Context(), lang, []byte(text))
	must.OK(t, err)
	common, err := extract.ParseFacts(t.Context(), lang, []byte(shared))
	must.OK(t, err)
	return func(n int) *grown {
		g := &grown{}
		for i := range n {
			if i%10 == 0 {
				g.add(fmt.Sprintf("part%d/include/%s", i/10, sharedName), common)
			}
			g.add(fmt.Sprintf("part%d/file%d%s", i/10, i, ext), facts)
		}
		return g
	}
}

var growing = map[string]func(t *testing.T) func(n int) *grown{
	"c": func(t *testing.T) func(int) *grown {
		return repeated(t, "c", ".c", `#include "common.h"
struct state { int size; struct state *next; };
static int init(struct state *s) { s->size = 0; return 0; }
static int get(struct state *s) { return s->size; }
int size(struct state *s) { return get(s); }
int main(int argc, char **argv) { struct state s; init(&s); shared(&s); return get(&s) + size(&s) + s.next->size; }
`, "common.h", "struct state; int shared(struct state *s);\nint get(struct state *s);\nint init(struct state *s);\n")
	},
	"cpp": func(t *testing.T) func(int) *grown {
		return repeated(t, "cpp", ".cpp", `#include "include/common.h"
class Base { public: virtual int run(); int size() { return 1; } };
class Handler : public Base { public: int run() override; int get() { return size() + run(); } Handler *next; };
int Handler::run() { init(); return Base::run() + next->get() + next->size(); }
static void init() {}
int main() { Handler h; init(); return h.run() + h.get() + h.size(); }
`, "common.hpp", "class Handler;\nclass Base { int get(); };\n")
	},
	"ruby": func(t *testing.T) func(int) *grown {
		return repeated(t, "ruby", ".rb", `require_relative "helper"
module App
  class Base
    def run; size; end
    def size; 1; end
  end
  class Handler < Base
    def init; @base = Base.new; get; end
    def get; run; end
    def run; init; size; end
  end
end
def main; App::Handler.new.run; init; end
main
`, "helper.rb", "module App\n  def self.get; end\nend\ndef init; end\n")
	},
	"lua": func(t *testing.T) func(int) *grown {
		return repeated(t, "lua", ".lua", `local helper = require("helper")
function init() return get() end
function get() return 1 end
function main() init() get() helper.size() end
main()
`, "helper.lua", "function size() end\n")
	},
	"csharp": func(t *testing.T) func(int) *grown {
		return repeated(t, "csharp", ".cs", `using System; using App.Core;
namespace App.Core {
  interface IRun { int Run(); }
  class Handler : IRun { public int Run() { return Size(); } int Size() { return Other.Get(); } }
}
`, "Common.cs", "namespace App.Core { class Handler { int Get() { return 1; } } }\n")
	},
	"swift": func(t *testing.T) func(int) *grown {
		return repeated(t, "swift", ".swift", `extension Array { func size() -> Int { return 1 } }
class Handler { func run(all: [Int]) -> Int { return all.size() + all.total() } }
func main() { Handler().run(all: [1]) }
`, "Common.swift", "extension Other { func total() -> Int { return 1 } }\n")
	},
	// Each package or module imports others, and stands in a folder of its own.
	"python roots": func(*testing.T) func(int) *grown {
		return packages(".py", "%s/pyproject.toml", "", func(i int) *extract.Facts {
			return &extract.Facts{File: &extract.File{Language: "python"}, Uses: []extract.Import{{Module: fmt.Sprintf("pack%d.mod", i), Name: "main"}, {Module: fmt.Sprintf("absent%d", i), Name: "x"}}}
		})
	},
	"go modules": func(*testing.T) func(int) *grown {
		return packages(".go", "%s/go.mod", "module example.com/%s\n", func(i int) *extract.Facts {
			return &extract.Facts{File: &extract.File{Language: "go"}, Package: "mod", Uses: []extract.Import{{Module: fmt.Sprintf("example.com/pack%d/pack%d", i, i)}, {Module: fmt.Sprintf("elsewhere.com/pack%d", i)}},
				Refs: []extract.Ref{{Kind: extract.RefCall, Recv: "mod", Name: "main", In: -1}}}
		})
	},
	"tsconfigs": func(*testing.T) func(int) *grown {
		return packages(".ts", "%s/tsconfig.json", `{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["../*"]}}}`, func(i int) *extract.Facts {
			return &extract.Facts{File: &extract.File{Language: "typescript"}, Uses: []extract.Import{{Module: fmt.Sprintf("@/pack%d/pack%d/mod", i, i), Name: "main"}, {Module: fmt.Sprintf("absent%d", i), Name: "x"}}}
		})
	},
}

func packages(ext, buildFile, buildText string, facts func(i int) *extract.Facts) func(n int) *grown {
	return func(n int) *grown {
		g := &grown{build: map[string]string{}}
		n *= 4 // a file takes little
		for i := range n {
			name := fmt.Sprintf("pack%d", i)
			f := facts((i*7 + 3) % n)
			f.Symbols = []extract.Symbol{{Name: "main", Path: "main", Kind: "function", Parent: -1, Arity: -1}}
			g.add(path.Join("all", name, name, "mod"+ext), f)
			text := buildText
			if strings.Contains(text, "%s") {
				text = fmt.Sprintf(text, name)
			}
			g.build[fmt.Sprintf(path.Join("all", buildFile), name)] = text
		}
		return g
	}
}

// A tree of sixteen times as many files takes sixteen times as long, and up to twice that
// because the smaller one fits the processor's caches better. A use of a name that walks
// through all its declarations would make that 256. Both sizes are measured in turn and the
// best CPU times compared, without garbage collections, which only the larger one has. That
// holds on a busy machine.
const (
	growthFiles = 160
	touchFiles  = 600
	larger      = 16
	maxGrowth   = 45.0
	maxTouch    = 1.5 // a change of one file costs the same in both trees
	attempts    = 20
)

func grows(t *testing.T, limit float64, small, large func()) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for i := range attempts {
		for j, work := range []func(){small, large} {
			runtime.GC()
			start := spent(t)
			work()
			best[j] = min(best[j], spent(t)-start)
		}
		if ratio := float64(best[1]) / float64(best[0]); i > 0 && ratio <= limit {
			t.Logf("%v for the tree, %v for one %d times as large: %.1f times", best[0], best[1], larger, ratio)
			return
		}
	}
	t.Errorf("%v for the tree, %v for one %d times as large: %.1f times, want at most %.1f", best[0], best[1], larger, float64(best[1])/float64(best[0]), limit)
}

func TestGrowth(t *testing.T) {
	files := growthFiles
	if testing.Short() {
		files /= 3 // for what is found; the time it takes has too few to tell
	}
	for name, make := range growing {
		t.Run(name, func(t *testing.T) {
			tree := make(t)
			small, large := tree(files), tree(larger*files)
			ps, pl := small.project(), large.project()
			e1, d1 := small.resolveAll(t, ps)
			e2, d2 := large.resolveAll(t, pl)
			if e1 == 0 || e2 < larger*3/4*e1 || e2 > larger*5/4*e1 || d2 > larger*5/4*d1 {
				t.Errorf("%d edges and %d pairs in the tree, %d and %d in one %d times as large", e1, d1, e2, d2, larger)
			}
			if !testing.Short() {
				grows(t, maxGrowth, func() { small.resolveAll(t, ps) }, func() { large.resolveAll(t, pl) })
			}
		})
	}
}

// TestGrowthOfTouch replaces the same files in trees of two sizes, and compares what that
// allocates: a copy of each list of the table that names one of them would show.
func TestGrowthOfTouch(t *testing.T) {
	for _, name := range []string{"c", "cpp", "ruby"} {
		t.Run(name, func(t *testing.T) {
			tree := growing[name](t)
			touch := func(n int) (bytes uint64) {
				g := tree(n)
				table, _ := g.table(g.project())
				for range 2 { // the first time makes room in the lists
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					for i := 1; i < 100; i++ {
						table.Remove(g.paths[i])
						table.Add(g.paths[i], int32(i+1), g.facts[i], localsOf(g.facts[i]))
					}
					runtime.ReadMemStats(&after)
					bytes = after.TotalAlloc - before.TotalAlloc
				}
				return bytes
			}
			small, large := touch(touchFiles), touch(4*touchFiles)
			if ratio := float64(large) / float64(small); ratio > maxTouch {
				t.Errorf("%d bytes in the tree, %d in one four times as large: %.1f times, want at most %.1f", small, large, ratio, maxTouch)
			} else {
				t.Logf("%d bytes in the tree, %d in one four times as large", small, large)
			}
		})
	}
}

// TestChosenDeclarations holds that a long list yields the edges that all of it would:
// whatever a use tells apart, and whichever files come and go.
func TestChosenDeclarations(t *testing.T) {
	kinds := []string{"function", "method", "field", "class", "var", "method", "function", "enum"}
	table := NewTable(nil)
	table.Invalidate(NewProject(nil, func(string) ([]byte, error) { return nil, os.ErrNotExist }))
	facts := func(i int) *extract.Facts {
		f := &extract.Facts{File: &extract.File{Language: "c"}}
		for j := range i%3 + 1 {
			f.Symbols = append(f.Symbols, extract.Symbol{Name: "get", Path: "get", Kind: kinds[(i*i+j+i/20)%len(kinds)], Parent: -1})
		}
		return f
	}
	have := map[int]bool{}
	flip := func(i int) {
		name := fmt.Sprintf("file%d.c", i)
		if have[i] {
			table.Remove(name)
		} else {
			f := facts(i)
			table.Add(name, int32(i+1), f, localsOf(f))
		}
		have[i] = !have[i]
	}
	check := func() {
		t.Helper()
		u := table.units["c:"]
		if u == nil {
			return
		}
		for i := range 90 {
			f := table.File(fmt.Sprintf("file%d.c", i))
			if f == nil {
				continue
			}
			for _, kind := range []extract.RefKind{extract.RefCall, extract.RefRead, extract.RefType, extract.RefInherit, extract.RefNew} {
				ids := func(found []*Symbol) (out []Node) {
					u := use{Ref: &extract.Ref{Kind: kind}, file: f}
					for _, s := range u.candidates(found) {
						out = append(out, s.Node())
					}
					return out
				}
				got, want := ids(u.declsNear("get", f)), ids(sameFileFirst(u.byPath["get"], f))
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s from %s: %v, want %v", kind, f.Path, got, want)
				}
			}
		}
	}
	for i := range 90 {
		flip(i * 37 % 90)
	}
	check()
	flips := 400
	if testing.Short() {
		flips = 100
	}
	for i := range flips {
		flip((i*i + 11*i) % 90)
		check()
	}
}
