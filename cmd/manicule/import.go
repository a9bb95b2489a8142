package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"manicule/hooks/setup"
	"manicule/indexer/ignore"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/importer"
	"manicule/memory/services"
)

// ruleFolders are searched even if git ignores them, because they hold rules that a
// person wrote for agents.
func ruleFolders() []string {
	return []string{".aide", ".claude", ".cursor", ".windsurf", ".clinerules", ".serena"}
}

type imported struct {
	From   string `json:"from"`
	Line   int    `json:"line"`
	UUID   string `json:"uuid,omitzero"`
	Type   string `json:"type,omitzero"`
	What   string `json:"what"`
	Result string `json:"result"` // new, held, known, refused, conflict
	Reason string `json:"reason,omitzero"`
}

// importCommand is `manicule import`.
type importCommand struct {
	*cli
	dryRun, verbose, all bool
}

func newImportCommand(shared *cli) *cobra.Command {
	ic := &importCommand{cli: shared}
	c := &cobra.Command{
		Use:   "import [FILE]...",
		Short: "Read rule files into typed, scoped memories",
		Long: "Read the rule files of the workspace, or those named: CLAUDE.md, AGENTS.md, GEMINI.md,\n" +
			".cursorrules, .cursor/rules, .claude/rules, .github instructions, .windsurfrules,\n" +
			".clinerules, ADR folders, .aide/memories, and memories that `manicule export` wrote.\n" +
			"Each rule becomes one memory that names its file and line. A second run adds only new\n" +
			"rules.\n\n" +
			"What is likely to be of little use, such as advice that holds everywhere, is left out.\n" +
			"--all imports it too. --dry-run -v lists that, and what is no rule.",
		Example: "  manicule import --dry-run\n  manicule import\n  manicule import docs/CONVENTIONS.md",
		RunE:    ic.run,
	}
	c.Flags().BoolVar(&ic.dryRun, "dry-run", false, "only show what would be imported")
	c.Flags().BoolVarP(&ic.verbose, "verbose", "v", false, "show each rule, and what was left out and why")
	c.Flags().BoolVar(&ic.all, "all", false, "also import what is likely to be of little use")
	return c
}

func (ic *importCommand) run(cmd *cobra.Command, args []string) error {
	if err := ic.requirePerson("import"); err != nil && !ic.dryRun {
		return err
	}
	return ic.with(cmd.Context(), func(w *services.Workspace) error {
		chunks, rep, err := ic.readRules(cmd.Context(), w, args)
		if err != nil {
			return err
		}
		rows, err := importChunks(cmd.Context(), w, chunks, ic.dryRun)
		if err != nil {
			return err
		}
		if ic.dryRun && !ic.json {
			for _, t := range importer.TallyOf(chunks, rep) {
				ic.printf("%s\n", t)
			}
		}
		ic.printImport(rows, rep)
		if ic.dryRun {
			return nil
		}
		if _, err := ic.embedMissing(cmd.Context(), w); err != nil {
			ic.warn("the memories can't all be found by meaning: %v", err)
		}
		return nil
	})
}

func (ic *importCommand) readRules(ctx context.Context, w *services.Workspace, args []string) ([]importer.Chunk, importer.Report, error) {
	files, err := workspaceFiles(ctx, w.Root())
	if err != nil {
		return nil, importer.Report{}, err
	}
	opts := importer.Options{Root: treefile.FS(w.Root(), setup.MaxRead), Files: files, Now: ic.now(), All: ic.all}
	if len(args) == 0 {
		return importer.ReadAll(ctx, opts)
	}
	if args, err = ic.withRuleFiles(w, args, files); err != nil {
		return nil, importer.Report{}, err
	}
	opts = opts.Prepared()
	read := make([]ruleFile, len(args))
	workers := min(runtime.GOMAXPROCS(0), len(args))
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			for i := k; i < len(args); i += workers {
				f := &read[i]
				f.chunks, f.report, f.err = ic.readRuleFile(ctx, w, args[i], opts)
			}
		})
	}
	wg.Wait()
	var all []importer.Chunk
	var rep importer.Report
	for _, f := range read {
		if f.err != nil { // of the first argument that has one
			return nil, rep, f.err
		}
		all = append(all, f.chunks...)
		rep.Chunks += f.report.Chunks
		rep.Drops = append(rep.Drops, f.report.Drops...)
		rep.Notes = append(rep.Notes, f.report.Notes...)
	}
	return all, rep, nil
}

// withRuleFiles replaces the folders among the arguments by the rule files below them.
func (ic *importCommand) withRuleFiles(w *services.Workspace, args, files []string) (out []string, err error) {
	for _, arg := range args {
		rel, isDir, ok := w.Place().ResolvePath(ic.here(arg))
		if !ok || !isDir {
			out = append(out, arg)
			continue
		}
		found := 0
		for _, src := range importer.Find(files) {
			if rel == "" || strings.HasPrefix(src.Path, rel+"/") {
				out, found = append(out, filepath.Join(w.Root(), filepath.FromSlash(src.Path))), found+1
			}
		}
		if found == 0 {
			return nil, &memory.UserError{Msg: "no rule files were found in " + arg, Hint: "Name the files: `manicule import " + filepath.ToSlash(filepath.Join(arg, "*.md")) + "`."}
		}
	}
	return slices.Compact(out), nil
}

// ruleFile is what was read of a named file.
type ruleFile struct {
	chunks []importer.Chunk
	report importer.Report
	err    error
}

func (ic *importCommand) readRuleFile(ctx context.Context, w *services.Workspace, arg string, opts importer.Options) ([]importer.Chunk, importer.Report, error) {
	rel, isDir, ok := w.Place().ResolvePath(ic.here(arg))
	if !ok || isDir {
		return nil, importer.Report{}, &memory.UserError{Msg: arg + " is no file of the workspace", Hint: "Copy it into the workspace, or use --root."}
	}
	if strings.HasSuffix(rel, ".json") && !strings.HasPrefix(rel, ".aide/") {
		chunks, err := readExport(filepath.Join(w.Root(), filepath.FromSlash(rel)))
		return chunks, importer.Report{Chunks: len(chunks)}, err
	}
	chunks, rep, err := importer.Read(ctx, opts.Root, importer.Named(rel), opts)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, rep, &memory.UserError{Msg: "there is no file " + arg, Err: err, Hint: "Without a name, `manicule import` reads the rule files that it finds."}
	}
	if err != nil {
		return nil, rep, &memory.UserError{Msg: fmt.Sprintf("read %s: %v", arg, err), Err: err, Hint: "Check that it is a rule file that can be read."}
	}
	return chunks, rep, nil
}

// workspaceFiles lists the files that import may read, relative to the root.
func workspaceFiles(ctx context.Context, root string) ([]string, error) {
	m, err := ignore.New(root)
	if err != nil {
		return nil, fmt.Errorf("read the ignore rules: %w", err)
	}
	var out []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, rerr := filepath.Rel(root, path)
		if err != nil || rerr != nil || rel == "." {
			return nil // an unreadable folder holds no rules
		}
		rel = filepath.ToSlash(rel)
		top, _, _ := strings.Cut(rel, "/")
		ours := top == workspace.Folder
		if ours || (!slices.Contains(ruleFolders(), top) && m.Ignored(rel, d.IsDir())) {
			if d.IsDir() {
				return fs.SkipDir
			}
			if ours || !strings.HasSuffix(rel, "CLAUDE.local.md") {
				return nil
			}
		}
		if d.Type()&fs.ModeSymlink != 0 && !linkInside(root, path) {
			return nil // a commit must not choose files outside to be read
		}
		if d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0 {
			out = append(out, rel)
		}
		return nil
	})
	return out, err
}

// linkInside reports whether a link ends in the workspace.
func linkInside(root, link string) bool {
	real, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(root, real)
	return err == nil && filepath.IsLocal(rel)
}

func importChunks(ctx context.Context, w *services.Workspace, chunks []importer.Chunk, dryRun bool) ([]imported, error) {
	rows := make([]imported, len(chunks))
	known, err := w.Store().ImportKeys(ctx)
	if err != nil {
		return nil, err
	}
	var drafts []memory.Draft
	var at []int
	for i, c := range chunks {
		rows[i] = imported{From: c.Origin.File, Line: c.Origin.Line, Type: string(c.Type), What: c.What, Result: "new"}
		switch {
		case c.Former != "" && known[c.Former], c.Exported != "" && isMemory(ctx, w, c.Exported):
			rows[i].Result = "known"
		case c.Memory != nil && !dryRun:
			r, err := w.Adopt(ctx, c.Memory)
			if err != nil {
				return nil, err
			}
			rows[i].note(r)
		case c.Memory != nil:
		case dryRun:
			if known[c.Origin.Key] {
				rows[i].Result = "known"
			}
		default:
			origin := c.Origin
			drafts = append(drafts, memory.Draft{Type: c.Type, What: c.What, Why: c.Why, Scope: c.Scope, Tags: c.Tags, Label: c.Label,
				Personal: c.Personal, Tainted: c.Tainted, For: c.For, Relations: c.Relations, Origin: file.Import, Tool: "import", Import: &origin})
			at = append(at, i)
		}
	}
	results, err := w.RememberAll(ctx, drafts)
	for k, r := range results {
		rows[at[k]].note(r)
	}
	return rows, err
}

// isMemory reports whether a memory is there, also in quarantine.
func isMemory(ctx context.Context, w *services.Workspace, uuid string) bool {
	_, _, err := w.GetAny(ctx, uuid)
	return err == nil
}

func (r *imported) note(res memory.Result) {
	switch {
	case res.Code == "conflict":
		r.Result, r.Reason = "conflict", res.Reason
	case !res.Accepted:
		r.Result, r.Reason = "refused", res.Reason
	case res.Deduped:
		r.Result = "known"
	case res.Draft:
		r.Result, r.Reason = "held", res.Reason
	}
	if res.Memory != nil {
		r.UUID, r.Type = res.Memory.UUID, string(res.Memory.Type)
	}
}

func (ic *importCommand) printImport(rows []imported, rep importer.Report) {
	n := map[string]int{}
	for _, r := range rows {
		n[r.Result]++
	}
	if ic.json {
		ic.printJSON("import", struct {
			DryRun  bool           `json:"dry_run"`
			New     int            `json:"new"`
			Held    int            `json:"held"`
			Known   int            `json:"known"`
			Refused int            `json:"refused"`
			Rules   []imported     `json:"rules"`
			Left    map[string]int `json:"left_out"`
			Notes   []string       `json:"notes"`
		}{ic.dryRun, n["new"], n["held"], n["known"], n["refused"] + n["conflict"], append([]imported{}, rows...), rep.Reasons(), append([]string{}, rep.Notes...)})
		return
	}
	for _, r := range rows {
		if ic.verbose || r.Result == "refused" || r.Result == "conflict" {
			ic.printf("%-8s %-14s %s:%d  %s\n", r.Result, file.Type(r.Type).Label(), r.From, r.Line, firstLine(r.What))
			if r.Reason != "" {
				ic.printf("         %s\n", r.Reason)
			}
		}
	}
	little := rep.Reasons()[importer.LittleUse]
	ic.printDrops(rep.Drops, little)
	for _, note := range rep.Notes {
		ic.warn("%s", note)
	}
	verb := "imported"
	if ic.dryRun {
		verb = "would be imported"
	}
	ic.printf("☞ %s %s", count(n["new"], "memory", "memories"), verb)
	if n["held"] > 0 {
		ic.printf(", %d held: they may be no memories, `manicule review` shows them", n["held"])
	}
	if n["known"] > 0 {
		ic.printf(", %d known already", n["known"])
	}
	if bad := n["refused"] + n["conflict"]; bad > 0 {
		ic.printf(", %d refused", bad)
	}
	ic.printf("\n")
	if left := leftOut(len(rep.Drops)-little, little, ic.verbose); left != "" {
		ic.printf("  left out: %s\n", left)
	}
	if len(rows) == 0 && len(rep.Notes) == 0 && len(rep.Drops) == 0 {
		ic.printf("no rule files were found; `manicule import FILE` reads one by name\n")
	}
}

// fewDrops is how many rules of little use a dry run shows unasked.
const fewDrops = 5

// printDrops lists what was left out: with verbose all, in a dry run examples of what is of little use, which a person may want.
func (ic *importCommand) printDrops(drops []importer.Drop, little int) {
	shown := 0
	for _, d := range drops {
		if !ic.verbose {
			if !ic.dryRun || d.Reason != importer.LittleUse {
				continue
			}
			if shown == fewDrops && little > fewDrops+1 {
				ic.printf("%-8s %-14s and %d more of little use: `--verbose` lists them\n", "left out", "", little-shown)
				return
			}
		}
		shown++
		ic.printf("%-8s %-14s %s:%d  %s\n", "left out", "", d.File, d.Line, d.Reason+": "+d.Text)
	}
}

// leftOut counts what was not imported, with the commands that show and import it. They are whole:
// `manicule init` imports, too.
func leftOut(others, little int, listed bool) string {
	var left, try []string
	if others > 0 {
		left = append(left, fmt.Sprintf("%d no rules", others))
	}
	if little > 0 {
		left = append(left, fmt.Sprintf("%d of little use", little))
		try = append(try, "`manicule import --all` imports those of little use")
	}
	if !listed {
		try = slices.Insert(try, 0, "`manicule import --dry-run -v` lists them")
	}
	if len(left) == 0 {
		return ""
	}
	if len(try) == 0 {
		return strings.Join(left, ", ")
	}
	return strings.Join(left, ", ") + "; " + strings.Join(try, ", ")
}

// errNotExport is the error for a JSON file that export did not write.
var errNotExport = errors.New("it is neither a memory nor a list of memories")
