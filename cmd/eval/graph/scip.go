package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/indexer/scip"
)

const scipModule = "@sourcegraph/scip-typescript@0.4.0"

// typeConfig makes one program of all packages and resolves each from source instead of
// from its build. typeDependencies are the other libraries that it needs.
const typeConfig = `{
  "compilerOptions": {
    "noEmit": true, "lib": ["ES2023", "DOM"], "module": "ESNext", "moduleResolution": "Bundler", "resolveJsonModule": true,
    "skipLibCheck": true, "strict": true, "target": "ES2022", "types": ["node"], "baseUrl": ".",
    "paths": {
      "@typescript-eslint/*/*": ["packages/*/src/*"],
      "@typescript-eslint/utils/*": ["packages/utils/src/*"],
      "@typescript-eslint/*": ["packages/*/src"]
    }
  },
  "include": ["packages/*/src/**/*.ts", "packages/*/tests/**/*.ts", "typings/*.d.ts"],
  "exclude": ["**/fixtures/**", "packages/website*/**"]
}
`

var typeDependencies = []string{"typescript@5.9", "eslint@10", "@types/node@24", "@eslint-community/eslint-utils@4", "vitest@4", "@types/natural-compare",
	"ts-api-utils@2", "ignore@7", "debug", "@types/debug", "minimatch", "semver", "@types/semver"}

// scipProbe is a symbol of the index.
type scipProbe struct {
	symbol string
	at     place
	name   string
	kind   string
}

type scipUse struct {
	at     place
	called bool
}

// scipIndex is the part of an index that is compared.
type scipIndex struct {
	files map[string]bool
	defs  []scipProbe
	uses  map[string][]scipUse // by symbol
	above map[string][]string  // what a symbol implements
	here  map[string]bool      // symbols that the project declares
}

// askSCIP compares with the index of scip-typescript.
func (e *evaluation) askSCIP(ctx context.Context) error {
	root, err := typescriptSource.at(e.typescript)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("typescript-eslint %.9s", typescriptSource.commit)
	var data []byte
	if e.scipIndex != "" {
		name = filepath.Base(root)
		data, err = os.ReadFile(e.scipIndex)
	} else {
		data, err = e.scipData(ctx, root)
	}
	if err != nil {
		return err
	}
	ix, err := readSCIP(data, root)
	if err != nil {
		return err
	}
	_, g, err := e.indexed(ctx, root)
	if err != nil {
		return err
	}
	t := evalkit.NewTable("kind", "symbols", "calls", "precision", "recall", "references", "precision", "recall")
	diff := &differences{e.misses}
	var calls, refs score
	count := 0
	for _, group := range ix.sample(e.symbols) {
		var c, r score
		for _, p := range group.probes {
			truth, called := ix.truth(p)
			found := declaredAt(g, p)
			what := "ref " + group.kind
			if len(found) == 0 {
				what += " (not found)"
			}
			missed, wrong := c.add(called, relations(through(g.Callers(found)), ix.files))
			diff.show("call "+group.kind, p.at.File+"#"+p.name, missed, wrong)
			missed, wrong = r.add(truth, relations(through(g.References(found)), ix.files))
			diff.show(what, p.at.File+"#"+p.name, missed, wrong)
		}
		t.Add(group.kind, len(group.probes), c.oracle, c.precision(), c.recall(), r.oracle, r.precision(), r.recall())
		calls.sum(c)
		refs.sum(r)
		count += len(group.probes)
	}
	t.Add("**all**", count, calls.oracle, calls.precision(), calls.recall(), refs.oracle, refs.precision(), refs.recall())
	e.sections = append(e.sections, evalkit.Section{
		Title: "TypeScript: scip-typescript",
		Notes: []string{fmt.Sprintf("Oracle: %s on %s; %d symbols.", scipModule, name, count)},
		Table: t,
	})
	return nil
}

// scipData makes the index, or reads the one of an earlier run.
func (e *evaluation) scipData(ctx context.Context, root string) ([]byte, error) {
	kept := filepath.Join(e.cache, "typescript-eslint.scip")
	data, err := os.ReadFile(kept)
	if err == nil {
		return data, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the SCIP index: %w", err)
	}
	work := filepath.Join(e.dir, "typescript")
	for _, part := range []string{"packages", "typings"} {
		if err := copyTypeScript(filepath.Join(work, part), filepath.Join(root, part)); err != nil {
			return nil, err
		}
	}
	for name, text := range map[string]string{"tsconfig.json": typeConfig, "package.json": `{"private": true}`} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			return nil, fmt.Errorf("prepare the TypeScript program: %w", err)
		}
	}
	install := append([]string{"install", "--no-audit", "--no-fund", "--ignore-scripts"}, typeDependencies...)
	bin := e.scip
	if bin == "" {
		install = append(install, scipModule)
		bin = filepath.Join(work, "node_modules", ".bin", "scip-typescript")
	}
	evalkit.Progress("making the SCIP index of typescript-eslint")
	for _, c := range []*exec.Cmd{exec.CommandContext(ctx, "npm", install...), exec.CommandContext(ctx, bin, "index", "--output", kept, "tsconfig.json")} {
		c.Dir = work
		if out, err := c.CombinedOutput(); err != nil {
			return nil, evalkit.Missing("%s: %v: %s", c, err, out)
		}
	}
	if data, err = os.ReadFile(kept); err != nil {
		return nil, fmt.Errorf("read the SCIP index: %w", err)
	}
	return data, nil
}

// copyTypeScript copies the sources of packages without test fixtures.
func copyTypeScript(to, from string) error {
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return fmt.Errorf("name %s: %w", name, err)
		}
		if d.IsDir() {
			if d.Name() == "fixtures" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), "website") {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		if ext := filepath.Ext(name); ext != ".ts" && ext != ".tsx" && ext != ".json" || !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("copy: %w", err)
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o644)
	})
	if err != nil {
		return fmt.Errorf("copy the TypeScript program: %w", err)
	}
	return nil
}

type scipGroup struct {
	kind   string
	probes []scipProbe
}

// sample draws symbols of the packages' own code, of each kind the usual number, or the
// given one if it is not 0. The draw is always the same.
func (ix *scipIndex) sample(number int) []scipGroup {
	rnd := rand.New(rand.NewPCG(seed, 0))
	defs := slices.Clone(ix.defs)
	slices.SortFunc(defs, func(a, b scipProbe) int { return strings.Compare(a.symbol, b.symbol) })
	defs = slices.CompactFunc(defs, func(a, b scipProbe) bool { return a.symbol == b.symbol })
	rnd.Shuffle(len(defs), func(i, j int) { defs[i], defs[j] = defs[j], defs[i] })
	var out []scipGroup
	for _, want := range []struct {
		kind string
		n    int
	}{{"functions", 45}, {"methods", 45}, {"types and classes", 35}, {"variables", 25}} {
		g := scipGroup{kind: want.kind}
		for _, p := range defs {
			if p.kind == want.kind && len(g.probes) < cmp.Or(number, want.n) && ownCode(p.at.File) {
				g.probes = append(g.probes, p)
			}
		}
		out = append(out, g)
	}
	return out
}

// ownCode reports whether a file is a package's own code, by where packages keep it.
func ownCode(file string) bool {
	return strings.Contains("/"+file, "/src/") || strings.HasPrefix(file, "lib/")
}

// truth returns the places that use a symbol or may refer to it through a base.
func (ix *scipIndex) truth(p scipProbe) (all, called places) {
	all, called = places{}, places{}
	same := []string{p.symbol}
	switch p.kind {
	case "methods":
		for _, s := range ix.above[p.symbol] { // not a library's: each call of Promise.then would be one of a class that implements it
			if ix.here[s] {
				same = append(same, s)
			}
		}
	case "types and classes": // an instance is a use of its constructor, if that is declared
		same = append(same, p.symbol+"`<constructor>`().")
	}
	for _, s := range same {
		for _, u := range ix.uses[s] {
			if u.at == p.at {
				continue
			}
			all[u.at] = true
			if u.called {
				called[u.at] = true
			}
		}
	}
	return all, called
}

// declaredAt finds the graph's symbol for a definition.
func declaredAt(g *graph.Graph, p scipProbe) []*resolve.Symbol {
	var best *resolve.Symbol
	for _, self := range g.Find(p.at.File, "") {
		for _, s := range self.File.Symbols {
			if s.Name == p.name && s.Line <= p.at.Line && p.at.Line <= s.EndLine && (best == nil || s.Line > best.Line) {
				best = s
			}
		}
	}
	if best == nil {
		return nil
	}
	// Overloads are one symbol of the index, too.
	return slices.DeleteFunc(slices.Clone(g.Find(p.at.File, best.Path)), func(s *resolve.Symbol) bool { return s.Path != best.Path })
}

// The last descriptor of a SCIP symbol gives its kind.
var (
	scipMember   = regexp.MustCompile("#`?(#?[\\w$]+)`?\\(\\)\\.$")
	scipFunction = regexp.MustCompile("/`?([\\w$]+)`?\\(\\)\\.$")
	scipType     = regexp.MustCompile("/`?([\\w$]+)`?#$")
	scipVariable = regexp.MustCompile("/`?([\\w$]+)`?\\.$")
)

func scipKind(symbol string) (kind, name string) {
	for _, k := range []struct {
		kind string
		re   *regexp.Regexp
	}{{"methods", scipMember}, {"functions", scipFunction}, {"types and classes", scipType}, {"variables", scipVariable}} {
		if m := k.re.FindStringSubmatch(symbol); m != nil && m[1] != "constructor" {
			return k.kind, m[1]
		}
	}
	return "", ""
}

// readSCIP reads the part of an index below root.
func readSCIP(data []byte, root string) (*scipIndex, error) {
	docs, err := scip.Read(data)
	if err != nil {
		return nil, fmt.Errorf("read the SCIP index: %w", err)
	}
	ix := &scipIndex{files: map[string]bool{}, uses: map[string][]scipUse{}, above: map[string][]string{}, here: map[string]bool{}}
	for _, d := range docs {
		file := filepath.ToSlash(d.Path)
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			continue // outside of the measured sources
		}
		ix.files[file] = true
		lines := strings.Split(string(src), "\n")
		for _, o := range d.Occurrences {
			ix.occurrence(file, lines, o)
		}
		for _, s := range d.Symbols {
			if len(s.Implements) > 0 {
				ix.above[s.Name] = s.Implements
			}
		}
	}
	return ix, nil
}

func (ix *scipIndex) occurrence(file string, lines []string, o scip.Occurrence) {
	if o.Local() {
		return
	}
	here := place{file, o.Line + 1}
	if o.Definition {
		ix.here[o.Symbol] = true
		if kind, name := scipKind(o.Symbol); kind != "" {
			ix.defs = append(ix.defs, scipProbe{o.Symbol, here, name, kind})
		}
		return
	}
	called := o.EndLine == o.Line && o.Line < len(lines) && isCalled(lines, o, scipMember.MatchString(o.Symbol))
	ix.uses[o.Symbol] = append(ix.uses[o.Symbol], scipUse{here, called})
}

var (
	made    = regexp.MustCompile(`\bnew\s+[\w$.]*$`)
	element = regexp.MustCompile(`(^|[^\w$)\]])<[\w$.]*$`) // of JSX; else type arguments
)

// callLines is how many lines type arguments may take.
const callLines = 20

// isCalled reports whether the name of an occurrence is called, instantiated, the tag of
// a template or an element of JSX. A member is called behind a dot: without one it is
// a method's declaration in an object, which the index counts as a use of the
// interface.
func isCalled(lines []string, o scip.Occurrence, member bool) bool {
	line := lines[o.Line]
	if o.To > len(line) || o.From > o.To {
		return false
	}
	before, after := line[:o.From], line[o.To:]
	switch {
	case made.MatchString(before):
		return true
	case member && !strings.HasSuffix(strings.TrimRight(before, " \t"), "."):
		return false
	case !member && element.MatchString(before) && !strings.HasPrefix(after, ","):
		return true
	}
	rest := strings.Join(append([]string{after}, lines[o.Line+1:min(o.Line+callLines, len(lines))]...), "\n")
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "!"), "?.")
	if strings.HasPrefix(rest, "<") {
		rest = rest[typeArguments(rest):]
	}
	return strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "`")
}

// typeArguments returns the end of the type arguments that a text begins with.
func typeArguments(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '<':
			depth++
		case '>':
			if s[i-1] == '=' {
				continue
			}
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
