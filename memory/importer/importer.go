package importer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"manicule/memory/exporter"
	"manicule/memory/file"
)

// Limits of a memory's texts, in characters (runes).
const (
	maxWhat = 300
	maxWhy  = 2000
)

// maxSize is the size in bytes of the largest rule file that is read.
const maxSize = 1 << 20

// errTooLarge is returned for a rule file beyond maxSize.
var errTooLarge = errors.New("the rule file is too large to be read as rules")

// Options locate the files and give the time of the import.
type Options struct {
	Root  fs.FS     // the workspace, from which "@path" imports are read
	Files []string  // all files of the workspace, relative, forward slashes
	Now   time.Time // used if a file has no time of its own
	All   bool      // also memories that are likely to be of little use

	known map[string]bool
	names map[string]bool // the names of all files and folders, in lower case, with and without extension
}

// Chunk is one rule to be remembered.
type Chunk struct {
	Type      file.Type
	What      string
	Why       string
	Scope     []string // nil: the whole project
	Tags      []string
	Label     string // the headings above it
	Personal  bool   // from a file that its owner keeps out of git
	Relations []file.Relation
	Origin    file.ImportOrigin
	// Former is the key that earlier versions gave the rule, where they read it otherwise; "" where they did not.
	Former string
	// Memory is set if the file already is a memory, which is kept as it is.
	Memory *file.Memory
	// Tainted and For are set if a Markdown export says that the memory rests on an outside source, and which agent it is for alone.
	Tainted bool
	For     string
	// Exported is the uuid of the memory that a Markdown export shows; "" for a rule.
	Exported string
}

// Drop is a part of a rule file that is no rule.
type Drop struct {
	File   string
	Line   int
	Reason string
	Text   string // the first words

	key string // of what is of little use
}

// Report is the result of reading rule files.
type Report struct {
	Chunks int
	Drops  []Drop
	Notes  []string // for a person: imports that lead outside, broken front matter
	// Same are files that say what another says, as a link does; the value is the other. Nothing of them
	// is in Drops.
	Same map[string]string
}

// Reasons counts the drops by reason.
func (r Report) Reasons() map[string]int {
	out := map[string]int{}
	for _, d := range r.Drops {
		out[d.Reason]++
	}
	return out
}

func (r *Report) merge(o Report) {
	r.Chunks += o.Chunks
	r.Drops = append(r.Drops, o.Drops...)
	r.Notes = append(r.Notes, o.Notes...)
}

func (r *Report) drop(name string, line int, reason, text string) {
	r.Drops = append(r.Drops, Drop{File: name, Line: line, Reason: reason, Text: clip(oneLine(text), 60)})
}

// Tally counts the results of one file.
type Tally struct {
	File  string
	Types map[file.Type]int
	Left  int    // dropped parts
	Same  string // the file that says the same; then the others are 0
}

// TallyOf counts chunks and drops by file, sorted by name.
func TallyOf(chunks []Chunk, r Report) []Tally {
	byFile := map[string]*Tally{}
	of := func(name string) *Tally {
		if byFile[name] == nil {
			byFile[name] = &Tally{File: name, Types: map[file.Type]int{}}
		}
		return byFile[name]
	}
	for _, c := range chunks {
		of(c.Origin.File).Types[c.Type]++
	}
	for _, d := range r.Drops {
		of(d.File).Left++
	}
	for name, other := range r.Same {
		of(name).Same = other
	}
	var out []Tally
	for _, name := range slices.Sorted(maps.Keys(byFile)) {
		out = append(out, *byFile[name])
	}
	return out
}

// String formats the tally in a line: "CLAUDE.md: 3 conventions, 1 dead end; 2 left out".
func (t Tally) String() string {
	if t.Same != "" {
		return t.File + ": the same as " + t.Same
	}
	var parts []string
	for _, typ := range file.Types() {
		if n := t.Types[typ]; n > 0 {
			parts = append(parts, typ.Count(n))
		}
	}
	s := t.File + ": " + strings.Join(parts, ", ")
	if len(parts) == 0 {
		s = t.File + ": nothing"
	}
	if t.Left > 0 {
		s += fmt.Sprintf("; %d left out", t.Left)
	}
	return s
}

// standing marks the rule file that `manicule init` writes for some agents. Its instructions about
// memories are no rules.
const standing = "<!-- Written by `manicule init`"

// Read reads one rule file into chunks, in the order of the file. It drops duplicates.
func Read(ctx context.Context, fsys fs.FS, src Source, opts Options) ([]Chunk, Report, error) {
	opts.prepare()
	if opts.Root == nil {
		opts.Root = fsys
	}
	var rep Report
	if err := ctx.Err(); err != nil {
		return nil, rep, err
	}
	data, err := readAll(fsys, src.Path)
	if err != nil {
		return nil, rep, err
	}
	if bytes.Contains(data, []byte(standing)) {
		rep.drop(src.Path, 1, "Manicule's own rule", string(data))
		return nil, rep, nil
	}
	if list, others, ok := exporter.ReadMarkdown(data); ok {
		for _, l := range others {
			rep.drop(src.Path, l.Number, "in an export, but of no memory", l.Text)
		}
		chunks := dedupe(readExported(src, list, opts, &rep), map[string]bool{}, &rep)
		rep.Chunks = len(chunks)
		return chunks, rep, nil
	}
	data = exporter.WithoutRules(data)
	var chunks []Chunk
	switch src.Kind {
	case KindAide:
		chunks, err = readAide(src, data, opts)
	case KindDecision:
		chunks = readDecision(src, decode(data), opts, &rep)
	case KindWorkflow:
		chunks = readWorkflow(src, decode(data), &rep)
	default:
		chunks, err = readRules(ctx, src, decode(data), opts, &rep)
	}
	if err != nil {
		return nil, rep, err
	}
	chunks = dedupe(chunks, map[string]bool{}, &rep)
	if opts.isGuide(chunks) {
		for _, c := range chunks {
			rep.drop(c.Origin.File, c.Origin.Line, "a general guide", c.What)
		}
		chunks = nil
	}
	chunks = opts.useful(chunks, src.Kind, &rep)
	rep.Chunks = len(chunks)
	return chunks, rep, nil
}

// prepare reads the list of files.
func (o *Options) prepare() {
	if o.known == nil {
		o.known = fileSet(o.Files)
	}
	if o.names == nil {
		o.names = namesOf(o.known)
	}
}

// Prepared returns the options with what many files need of them, which [Read] would find out for each again.
func (o Options) Prepared() Options {
	o.prepare()
	return o
}

// ReadAll reads every rule file of the workspace, on all processors. It returns a rule once, even
// if two files with the same scope contain it; its origin names both. A file that can't be read is noted and does not stop
// the others.
func ReadAll(ctx context.Context, opts Options) ([]Chunk, Report, error) {
	return ReadSources(ctx, Find(opts.Files), opts)
}

// ReadSources is ReadAll for some of the files.
func ReadSources(ctx context.Context, sources []Source, opts Options) ([]Chunk, Report, error) {
	opts.prepare()
	results := make([]result, len(sources))
	workers := min(runtime.GOMAXPROCS(0), len(sources))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(sources); i += workers {
				if ownerOf(sources[i].Path) == "" {
					results[i] = resultOf(ctx, sources[i], opts)
				}
			}
		})
	}
	wg.Wait()
	var all []Chunk
	var rep Report
	if ctx.Err() != nil {
		return nil, rep, ctx.Err()
	}
	copies := map[string][]string{} // the files of each rule
	var repeated []Drop             // of files that say what another says
	for i, src := range sources {
		if owner := ownerOf(src.Path); owner != "" {
			rep.drop(src.Path, 1, owner, path.Base(src.Path))
			continue
		}
		r := results[i]
		if r.err != nil {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%s: %v", src.Path, r.err))
			continue
		}
		if j := slices.IndexFunc(results[:i], r.says); j >= 0 {
			if rep.Same == nil {
				rep.Same = map[string]string{}
			}
			rep.Same[src.Path] = sources[j].Path
			repeated = append(repeated, r.report.Drops...)
			for _, c := range r.chunks {
				copies[c.Origin.Key] = append(copies[c.Origin.Key], c.Origin.File)
			}
			continue
		}
		before := len(all)
		for _, c := range r.chunks {
			if copies[c.Origin.Key] == nil {
				all = append(all, c)
			} else {
				r.report.drop(c.Origin.File, c.Origin.Line, "repeated", c.What)
			}
			copies[c.Origin.Key] = append(copies[c.Origin.Key], c.Origin.File)
		}
		r.report.Chunks = len(all) - before
		rep.merge(r.report)
	}
	all = withoutNarrower(all, copies, &rep)
	for _, d := range slices.Concat(rep.Drops, repeated) {
		if copies[d.key] != nil {
			copies[d.key] = append(copies[d.key], d.File)
		}
	}
	for i := range all {
		o := &all[i].Origin
		for _, name := range copies[o.Key] {
			if name != o.File && !slices.Contains(o.Also, name) {
				o.Also = append(o.Also, name)
			}
		}
	}
	return all, rep, nil
}

// withoutNarrower drops the rules that another file says in the same words for the whole project, as copies of its rule file
// in folders do, and notes their files with the rule that stays.
func withoutNarrower(all []Chunk, copies map[string][]string, rep *Report) []Chunk {
	type words struct {
		typ       file.Type
		what, why string
	}
	wide := map[words]string{} // the key of each rule for the whole project
	for _, c := range all {
		if c.Memory == nil && c.Scope == nil && !c.Personal {
			wide[words{c.Type, c.What, c.Why}] = c.Origin.Key
		}
	}
	return slices.DeleteFunc(all, func(c Chunk) bool {
		key, ok := wide[words{c.Type, c.What, c.Why}]
		if !ok || c.Scope == nil || c.Memory != nil {
			return false
		}
		rep.Chunks--
		rep.drop(c.Origin.File, c.Origin.Line, "repeated", c.What)
		copies[key] = append(copies[key], c.Origin.File)
		return true
	})
}

// result is what Read returned for one file.
type result struct {
	chunks []Chunk
	report Report
	err    error
}

// says reports whether two files have the same rules at the same lines, for the same scope.
func (r result) says(o result) bool {
	return len(r.chunks)+len(r.report.Drops) > 0 &&
		slices.EqualFunc(r.chunks, o.chunks, func(a, b Chunk) bool {
			return a.Origin.Line == b.Origin.Line && a.Origin.Key == b.Origin.Key
		}) &&
		slices.EqualFunc(r.report.Drops, o.report.Drops, func(a, b Drop) bool {
			return a.Line == b.Line && a.Reason == b.Reason && a.Text == b.Text
		})
}

func resultOf(ctx context.Context, src Source, opts Options) (r result) {
	r.chunks, r.report, r.err = Read(ctx, opts.Root, src, opts)
	return r
}

func dedupe(chunks []Chunk, seen map[string]bool, rep *Report) []Chunk {
	var out []Chunk
	for _, c := range chunks {
		if seen[c.Origin.Key] {
			rep.drop(c.Origin.File, c.Origin.Line, "repeated", c.What)
			continue
		}
		seen[c.Origin.Key] = true
		out = append(out, c)
	}
	return out
}

func readAll(fsys fs.FS, name string) ([]byte, error) {
	st, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("read rule file: %w", err)
	}
	if st.Size() > maxSize {
		return nil, fmt.Errorf("read rule file %s, %d bytes: %w", name, st.Size(), errTooLarge)
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("read rule file: %w", err)
	}
	return data, nil
}

// fileSet returns the files and their folders; the value is true for folders.
func fileSet(files []string) map[string]bool {
	known := make(map[string]bool, 2*len(files))
	for _, f := range files {
		known[f] = false
		for d := path.Dir(f); d != "." && d != "/" && !known[d]; d = path.Dir(d) {
			known[d] = true
		}
	}
	return known
}

func (o Options) exists(rel string) bool { _, ok := o.known[rel]; return ok }

func (o Options) isDir(rel string) bool { return o.known[rel] }

// readRules reads a Markdown rule file and its "@path" imports.
func readRules(ctx context.Context, src Source, text string, opts Options, rep *Report) ([]Chunk, error) {
	var out []Chunk
	seen := map[string]bool{src.Path: true}
	type job struct {
		name, text string
		depth      int
	}
	queue := []job{{src.Path, text, 0}}
	for len(queue) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		j := queue[0]
		queue = queue[1:]
		doc := parseDocument(j.text)
		c := &chunker{src: src, name: j.name, opts: opts, rep: rep, meta: doc.meta, scope: scopeOf(src, doc.meta)}
		if doc.meta.repaired {
			rep.Notes = append(rep.Notes, j.name+": the front matter is no valid YAML; read line by line")
		}
		out = append(out, c.run(doc)...)
		if !src.Kind.follows() || j.depth >= maxDepth {
			continue
		}
		for _, ref := range doc.imports {
			name, ok := resolveImport(j.name, ref)
			switch {
			case !ok:
				rep.Notes = append(rep.Notes, fmt.Sprintf("%s: @%s lies outside the workspace and was not read", j.name, ref))
			case seen[name] || !opts.exists(name) || opts.isDir(name) || isSource(name):
			case path.Base(name) == skillFile:
				rep.drop(name, 1, "a skill's file", path.Base(name))
			default:
				seen[name] = true
				data, err := readAll(opts.Root, name)
				if err != nil {
					rep.Notes = append(rep.Notes, fmt.Sprintf("%s: @%s: %v", j.name, ref, err))
					continue
				}
				queue = append(queue, job{name, decode(data), j.depth + 1})
			}
		}
	}
	return out, nil
}

// skillFile is the name of a skill's description, which an assistant reads when it uses the skill.
const skillFile = "SKILL.md"

// maxDepth is the maximum depth of "@path" imports, as in Claude Code.
const maxDepth = 5

// resolveImport makes an import relative to the root. It returns false if the import leaves the
// workspace.
func resolveImport(from, ref string) (string, bool) {
	if strings.HasPrefix(ref, "~") || strings.HasPrefix(ref, "/") {
		return "", false
	}
	name := path.Join(path.Dir(from), ref)
	return name, fs.ValidPath(name)
}
