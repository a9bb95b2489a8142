package graph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/gitread"
	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/fault"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
)

// Limits of the run over real repositories.
const (
	hangs   = 10 * time.Minute // an index that takes longer counts as hung
	timedOf = 60               // files of each language and repository to time
	askedOf = 3                // symbols of each file to query
)

// robust counts files of one language.
type robust struct {
	repos, files int
	broken       int           // with syntax that the grammar does not understand
	refused      int           // not parsed, because that took too long or nested too deep
	faults       int           // caused a fault
	timed        int           // timed files
	took         time.Duration // their total size in time
	slowest      time.Duration
	slowestFile  string
}

// askRobust indexes whole repositories, outlines all files, queries symbols of each, and
// counts the failures.
func (e *evaluation) askRobust(ctx context.Context) error {
	if len(e.robust) == 0 {
		return evalkit.Missing("no repositories: name folders of sources, or git directories without a work tree, with --robust")
	}
	langs := map[string]*robust{}
	repos := evalkit.NewTable("repository", "files", "symbols", "edges", "CPU ms a file", "peak MB", "faults", "refused")
	looked, hung, faults := 0, 0, 0
	for i, dir := range e.robust {
		row, err := e.robustIn(ctx, dir, langs)
		if ctx.Err() != nil { // interrupted: results so far are printed
			break
		}
		looked = i + 1
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			hung++
			evalkit.Progress("HANG in %s", dir)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		faults += row.faults
		evalkit.Progress("%d of %d: %s", i+1, len(e.robust), row)
		repos.Add(row.name, row.counts.Files, row.counts.Symbols, row.counts.Edges, fmt.Sprintf("%.1f", row.perFile()), fmt.Sprintf("%.0f", row.peak), row.faults, row.refused)
	}
	t := evalkit.NewTable("language", "repositories", "files", "grammar failed", "share", "refused", "faults", "CPU ms a file", "slowest, ms")
	for _, l := range grammars.All() {
		r := langs[l.ID]
		if r == nil {
			continue
		}
		t.Add(l.Name, r.repos, r.files, r.broken, percent(r.broken, r.files), r.refused, r.faults, fmt.Sprintf("%.2f", millis(r.took)/float64(max(1, r.timed))), fmt.Sprintf("%.0f", millis(r.slowest)))
		evalkit.Progress("slowest of %s: %s", l.Name, r.slowestFile)
	}
	e.sections = append(e.sections, evalkit.Section{
		Title: "Real repositories: faults, hangs, time and memory",
		Notes: []string{fmt.Sprintf("%d repositories, indexed, loaded, outlined and asked about %d symbols of each file: %d faults, %d hangs. "+
			"The time to parse is that of the processor, of up to %d files of each language in each.", looked, askedOf, faults, hung, timedOf)},
		Table: t,
	}, evalkit.Section{Title: "Real repositories: one by one", Table: repos})
	return nil
}

// robustRow is the result of one repository.
type robustRow struct {
	name            string
	counts          graph.Counts
	cpu, took       time.Duration
	peak            float64 // MB
	faults, refused int
}

func (r robustRow) perFile() float64 { return millis(r.cpu) / float64(max(1, r.counts.Files)) }

// String formats the row for progress output.
func (r robustRow) String() string {
	return fmt.Sprintf("%s: %d files, %d symbols, %d edges in %s, %.1f ms of CPU a file, peak %.0f MB, %d faults, %d refused",
		r.name, r.counts.Files, r.counts.Symbols, r.counts.Edges, r.took.Round(time.Millisecond), r.perFile(), r.peak, r.faults, r.refused)
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// robustIn measures one repository.
func (e *evaluation) robustIn(ctx context.Context, dir string, langs map[string]*robust) (row robustRow, err error) {
	ctx, cancel := context.WithTimeout(ctx, hangs)
	defer cancel()
	root, name, err := e.unpacked(ctx, dir)
	if err != nil {
		return row, err
	}
	cache, err := os.MkdirTemp(e.dir, "graph-")
	if err != nil {
		return row, fmt.Errorf("make a folder for the graph: %w", err)
	}
	defer func() {
		err = errors.Join(err, os.RemoveAll(cache))
		if root != dir {
			err = errors.Join(err, os.RemoveAll(root))
		}
	}()
	row.name = name
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // resets the peak; elsewhere it is that of the whole run
	ix := graph.Open(graph.Options{Root: root, Dir: cache})
	defer func() { err = errors.Join(err, ix.Close()) }()
	cpu, start := evalkit.CPUTime(), time.Now()
	if _, err := ix.Sync(ctx, nil); err != nil {
		return row, fmt.Errorf("index: %w", err)
	}
	row.cpu, row.took = evalkit.CPUTime()-cpu, time.Since(start)
	g, err := ix.Graph(ctx)
	if err != nil {
		return row, fmt.Errorf("load: %w", err)
	}
	row.peak, row.counts = evalkit.Megabytes("/proc/self/status", "VmHWM"), g.Counts()
	st, err := ix.State(ctx)
	if err != nil {
		return row, fmt.Errorf("look at the index: %w", err)
	}
	files, err := ix.Files(ctx)
	if err != nil {
		return row, fmt.Errorf("list the files: %w", err)
	}
	byLang := map[string][]string{}
	for _, f := range files {
		if l, ok := grammars.ForPath(f.Path); ok {
			byLang[l.ID] = append(byLang[l.ID], f.Path)
		}
		if err := ask(ctx, g, f.Path); err != nil {
			return row, err
		}
	}
	of := func(path string) *robust {
		l, _ := grammars.ForPath(path)
		if langs[l.ID] == nil {
			langs[l.ID] = &robust{}
		}
		return langs[l.ID]
	}
	for id, list := range byLang {
		r := of(list[0])
		r.files += len(list)
		r.repos++
		if err := r.time(ctx, root, id, list); err != nil {
			return row, err
		}
	}
	for _, s := range st.Errors {
		of(s.File).broken++
	}
	for _, s := range st.Faults {
		evalkit.Progress("FAULT in %s of %s: %s", s.File, name, s.Reason)
		of(s.File).faults++
		row.faults++
	}
	for _, s := range st.Skipped {
		if s.Reason == extract.ErrSlow.Error() || s.Reason == extract.ErrDeep.Error() {
			evalkit.Progress("refused: %s of %s: %s", s.File, name, s.Reason)
			of(s.File).refused++
			row.refused++
		}
	}
	return row, nil
}

// ask outlines a file and queries some of its symbols. A panic is returned as an error.
func ask(ctx context.Context, g *graph.Graph, file string) (err error) {
	defer fault.Catch(&err)
	g.Imports(file)
	g.Dependents(file)
	for i, s := range g.Outline(file) {
		if i >= askedOf || ctx.Err() != nil {
			break
		}
		found := g.Find(file, s.Symbol)
		g.Callers(found)
		g.Callees(found)
		if i == 0 { // the first is often the type that all others use
			g.Impact(found, 2)
		}
	}
	return nil
}

// time parses an even selection of a language's files.
func (r *robust) time(ctx context.Context, root, lang string, files []string) error {
	slices.Sort(files)
	step := max(1, len(files)/timedOf)
	for i := 0; i < len(files); i += step {
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(files[i])))
		if err != nil {
			return fmt.Errorf("read a source: %w", err)
		}
		before := evalkit.CPUTime()
		if _, err := extract.ParseFacts(ctx, extract.DetectDialect(lang, src), src); err != nil {
			continue // it was counted
		}
		took := evalkit.CPUTime() - before
		r.timed++
		r.took += took
		if took > r.slowest {
			r.slowest, r.slowestFile = took, files[i]
		}
	}
	return nil
}

// unpacked returns a folder with the sources of a repository. Without a work tree, the
// newest commit is written to a new folder.
func (e *evaluation) unpacked(ctx context.Context, dir string) (root, name string, err error) {
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", "", fmt.Errorf("find a repository: %w", err)
	}
	name = filepath.Base(dir)
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
		return dir, name, nil
	}
	if name == "repo" {
		name = strings.ReplaceAll(filepath.Base(filepath.Dir(dir)), "+", "/")
	}
	if root, err = os.MkdirTemp(e.dir, "tree-"); err != nil {
		return "", "", fmt.Errorf("make a folder for the sources: %w", err)
	}
	if err := writeSources(ctx, dir, root); err != nil {
		return "", "", err
	}
	return root, name, nil
}

// writeSources writes the files of the newest commit that have a language. Objects that
// the store lacks, such as large files in a snapshot, are left out.
func writeSources(ctx context.Context, dir, root string) (err error) {
	list, err := gitread.List(ctx, dir, "HEAD")
	if err != nil {
		return err
	}
	objects, err := gitread.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, objects.Close()) }()
	for _, e := range list {
		if _, ok := grammars.ForPath(e.Path); !ok && !resolve.BuildFile(filepath.Base(e.Path)) || !strings.HasPrefix(e.Mode, "100") || !filepath.IsLocal(e.Path) {
			continue
		}
		_, text, ok, err := objects.Read(e.ID)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		to := filepath.Join(root, filepath.FromSlash(e.Path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o600)); err != nil {
			return fmt.Errorf("write %s: %w", e.Path, err)
		}
	}
	return nil
}
