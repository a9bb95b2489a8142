package process

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/sandbox"
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/memory/file"
)

// Distribution of the memories in hundredths: 30 at a symbol, 1 for the whole project, 3
// for a file type everywhere, and the rest for folders and files.
const (
	atSymbol = 30
	project  = 1
	kindWide = 3
)

// crowding is the skew of the distribution over files. At 1 it is even; below 1 the first
// files get more. At 2/3 the busiest of 57 services has 7 % of all memories and the
// quietest 1 %.
const crowding = 2.0 / 3

// workspace is a generated repository with memories.
type workspace struct {
	size    int
	root    string
	files   []*source // busiest first, since memories are concentrated where work is done
	quiet   []string  // files without memories
	rng     *rand.Rand
	words   []string // words of the memories
	symbols []string // FILE#Symbol
	ids     []string // of the memories
}

// source is one generated Go file.
type source struct {
	path    string // relative, forward slashes
	text    string
	symbols []string
	hits    int // memories at its symbols
}

// generate writes a workspace of a size. Equal sizes give equal files.
func generate(ctx context.Context, box *sandbox.Sandbox, size int) (*workspace, error) {
	w := &workspace{size: size, root: filepath.Join(box.Dir, fmt.Sprintf("shop-%d", size)), rng: rand.New(rand.NewPCG(1, uint64(size)))}
	w.words = vocabulary()
	if err := w.tree(); err != nil {
		return nil, err
	}
	if _, err := box.Repository(ctx, w.root); err != nil {
		return nil, err
	}
	if out, err := box.Manicule(ctx, w.root, "init").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("manicule init: %w\n%s", err, out)
	}
	if err := w.rememberAll(ctx); err != nil {
		return nil, err
	}
	for _, command := range []string{"sync", "index"} {
		if out, err := box.Manicule(ctx, w.root, command).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("manicule %s: %w\n%s", command, err, out)
		}
	}
	return w, nil
}

// tree writes the sources: services with packages of five Go files, about one file for
// five memories, and some files without memories.
func (w *workspace) tree() error {
	count := max(100, w.size/5)
	for i := range count {
		folder := i / 5
		pkg := packages()[folder%len(packages())]
		service := services()[folder/len(packages())%len(services())] + strconv.Itoa(folder/len(packages())/len(services())+1)
		name := fmt.Sprintf("%s_%d.go", pkg, i%5)
		s := newSource(path.Join("services", service, pkg, name), pkg, i)
		w.files = append(w.files, s)
		for _, symbol := range s.symbols {
			w.symbols = append(w.symbols, s.path+"#"+symbol)
		}
		if err := w.put(s.path, s.text); err != nil {
			return err
		}
	}
	for i := range 50 {
		rel := fmt.Sprintf("assets/icons/set%d/icon%d.svg", i%5, i)
		w.quiet = append(w.quiet, rel)
		if err := w.put(rel, "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"); err != nil {
			return err
		}
	}
	return nil
}

func (w *workspace) put(rel, text string) error {
	name := filepath.Join(w.root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write the source tree: %w", err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write the source tree: %w", err)
	}
	return nil
}

// newSource generates a file with a type, its methods and some functions.
func newSource(rel, pkg string, seed int) *source {
	s := &source{path: rel}
	var b strings.Builder
	typ := nouns()[seed%len(nouns())] + "Store"
	fmt.Fprintf(&b, "// Package %s keeps the %s of the shop.\npackage %s\n\nimport (\n\t\"context\"\n\t\"errors\"\n\t\"fmt\"\n)\n\n", pkg, pkg, pkg)
	fmt.Fprintf(&b, "// %s holds what is known about %s.\ntype %s struct {\n\trows  map[string]int\n\tlimit int\n}\n\n", typ, pkg, typ)
	s.symbols = append(s.symbols, typ)
	for i, verb := range verbs() {
		name, receiver := verb+nouns()[(seed+i)%len(nouns())], ""
		symbol := name
		if i%2 == 0 {
			receiver, symbol = "(s *"+typ+") ", typ+"."+name
		}
		fmt.Fprintf(&b, "// %s looks a key up and counts it; an absent one is an error.\nfunc %s%s(ctx context.Context, rows map[string]int, key string) (int, error) {\n", name, receiver, name)
		fmt.Fprintf(&b, "\tif err := ctx.Err(); err != nil {\n\t\treturn 0, fmt.Errorf(\"%s %%s: %%w\", key, err)\n\t}\n", strings.ToLower(verb))
		fmt.Fprintf(&b, "\tn, ok := rows[key]\n\tif !ok {\n\t\treturn 0, errors.New(\"no such row\")\n\t}\n\tfor i := range n {\n\t\tif i > %d {\n\t\t\tbreak\n\t\t}\n\t\trows[key]++\n\t}\n\treturn n, nil\n}\n\n", seed%90+i)
		s.symbols = append(s.symbols, symbol)
	}
	s.text = b.String()
	return s
}

// rememberAll writes the memories, each as a file of its own.
func (w *workspace) rememberAll(ctx context.Context) error {
	list := make([]*file.Memory, w.size)
	for i := range list {
		m, err := w.memory(ctx, i)
		if err != nil {
			return err
		}
		list[i] = m
		w.ids = append(w.ids, m.UUID)
	}
	_, err := file.WriteAll(filepath.Join(w.root, ".manicule", "memories"), list)
	return err
}

// memory makes the i-th memory.
func (w *workspace) memory(ctx context.Context, i int) (*file.Memory, error) {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).Add(time.Duration(i) * 7 * time.Minute)
	m := &file.Memory{
		Format: file.Format, UUID: evalkit.UUID(w.rng, now), Type: file.Gotcha, What: w.sentence(), Visibility: file.Project,
		Importance: file.Importances()[i%3], Confidence: 1, Trust: file.Trust{Origin: file.UserTaught},
		Contributor: []string{"Ada", "Grace", "Linus", "Margaret"}[i%4], Lineage: file.Lineage{Version: 1, ChangeKind: "create"},
		CreatedAt: file.At(now), UpdatedAt: file.At(now), Tags: []string{packages()[i%len(packages())]},
	}
	if i%3 != 0 {
		m.Why = w.sentence() + "; " + w.sentence()
	}
	switch roll := w.rng.IntN(100); {
	case roll < atSymbol:
		if err := w.anchor(ctx, m); err != nil {
			return nil, err
		}
	case roll < atSymbol+project:
		m.Type = file.Convention
	case roll < atSymbol+project+kindWide:
		m.Type, m.Scope = file.Convention, file.Scope{[]string{"**/*_test.go", "**/*.sql", "**/*.{yaml,yml}", "services/*/api/**"}[i%4]}
	default:
		m.Type = []file.Type{file.Gotcha, file.Decision, file.Pattern, file.DeadEnd, file.ModuleInsight}[i%5]
		m.Scope = w.scope(i)
	}
	m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
	return m, nil
}

// pickFile picks a file. The first ones are picked more often.
func (w *workspace) pickFile() *source {
	return w.files[int(math.Pow(w.rng.Float64(), 1/crowding)*float64(len(w.files)))]
}

func (w *workspace) anchor(ctx context.Context, m *file.Memory) error {
	s := w.pickFile()
	symbol := s.symbols[w.rng.IntN(len(s.symbols))]
	p, err := anchor.ParsePlace(s.path + "#" + symbol)
	if err != nil {
		return err
	}
	a, err := anchoring.Make(ctx, p, "go", []byte(s.text))
	if err != nil {
		return err
	}
	s.hits++
	m.Anchors = []anchor.Anchor{a}
	return nil
}

func (w *workspace) scope(i int) file.Scope {
	at := w.pickFile().path
	dir := path.Dir(at)
	switch i % 6 {
	case 0:
		return file.Scope{path.Dir(dir) + "/**"}
	case 1:
		return file.Scope{at}
	case 2:
		return file.Scope{dir + "/*_" + strconv.Itoa(i%5) + ".go"}
	case 3:
		return file.Scope{dir + "/**", "!" + dir + "/gen/**"}
	case 4:
		return file.Scope{path.Dir(dir) + "/{api,store}/**"}
	}
	return file.Scope{dir + "/**"}
}
