package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"manicule/hooks/setup"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/exporter"
	"manicule/memory/file"
	"manicule/memory/importer"
	"manicule/memory/services"
)

// exportCommand is `manicule export`.
type exportCommand struct {
	*cli
	format, target string
	personal       bool
	all, vectors   bool
}

func newExportCommand(shared *cli) *cobra.Command {
	ec := &exportCommand{cli: shared}
	c := &cobra.Command{
		Use:   "export [ID | PATH]...",
		Short: "Write the memories as JSON, Markdown, or files that agents load",
		Long: "Write the memories as JSON or Markdown to standard output or --out. --format bootstrap\n" +
			"writes a folder with MEMORY.md, topic files, and subtopics by folder or tag of a topic with more\n" +
			"than 16 KB; --format rules a section of a rule file such as AGENTS.md or CLAUDE.md, whose other\n" +
			"text stays. Personal memories are left out without --personal. --all writes one archive (tar.gz)\n" +
			"of all that is kept about the workspace: files, state, logs, vectors, settings, and a manifest.\n" +
			"--vectors writes its vectors without texts. With an ID or a PATH, only that memory, or those\n" +
			"about that file or folder: for a folder that moves to a repository of its own.",
		Example:           "  manicule export > memories.json\n  manicule export --format markdown --out MEMORIES.md\n  manicule export services/pay --out ../pay/memories.json\n  manicule export --format bootstrap --out docs/memory\n  manicule export --format rules --out AGENTS.md\n  manicule export --all -o manicule.tar.gz",
		ValidArgsFunction: ec.completeIDs,
		RunE:              ec.run,
	}
	c.Flags().StringVar(&ec.format, "format", "json", "json, markdown, bootstrap or rules")
	c.Flags().StringVarP(&ec.target, "out", "o", "", "the file, or the folder for bootstrap (default: standard output, .manicule/bootstrap)")
	c.Flags().BoolVar(&ec.personal, "personal", false, "personal memories too")
	c.Flags().BoolVar(&ec.all, "all", false, "one archive of all that is kept about the workspace, personal memories too")
	c.Flags().BoolVar(&ec.vectors, "vectors", false, "the vectors alone, one JSON object a line, without texts")
	c.MarkFlagsMutuallyExclusive("all", "vectors", "format")
	complete(c, "format", []string{"json", "markdown", "bootstrap", "rules"})
	return c
}

func (ec *exportCommand) run(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && (ec.all || ec.vectors || ec.format == "bootstrap") {
		return usage(cmd, errors.New("--all, --vectors and --format bootstrap write all that there is"))
	}
	if ec.all || ec.vectors {
		return ec.exportKept(cmd)
	}
	return ec.with(cmd.Context(), func(w *services.Workspace) error {
		if _, err := w.Sync(cmd.Context()); err != nil {
			return err
		}
		list := services.ActiveMemories(w)
		if !ec.personal {
			list = slices.DeleteFunc(list, func(m *file.Memory) bool { return m.Visibility == file.Personal })
		}
		wanted, err := selected(cmd.Context(), w, args, ec.here)
		if err != nil {
			return err
		}
		if wanted != nil {
			list = slices.DeleteFunc(list, func(m *file.Memory) bool { return !wanted[m.UUID] })
		}
		if wanted != nil && len(list) == 0 {
			ec.warn("nothing to export is about %s", plainLine(join(args)))
		}
		return ec.export(w, list, ec.format, ec.target, exporter.Options{Personal: ec.personal})
	})
}

func (ec *exportCommand) export(w *services.Workspace, list []*file.Memory, format, out string, o exporter.Options) error {
	var b bytes.Buffer
	var err error
	switch format {
	case "json":
		err = exporter.JSON(&b, list, o)
	case "markdown", "md":
		err = exporter.Markdown(&b, list, o)
	case "bootstrap":
		return ec.bootstrap(w, list, out, o)
	case "rules":
		return ec.rules(list, out, o)
	default:
		return &codeError{exitUsage, &memory.UserError{Msg: fmt.Sprintf("unknown format %q", format), Hint: "Use json, markdown, bootstrap or rules."}}
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if out == "" {
		ec.raw = format == "json"
		ec.printf("%s", b.Bytes())
		return nil
	}
	name, err := ec.fileToWrite(out)
	if err != nil {
		return err
	}
	mode := os.FileMode(0o666)
	if o.Personal {
		mode = 0o600
	}
	if err := file.WriteNamed(filepath.Join(w.Root(), workspace.Folder), name, b.Bytes(), mode); err != nil {
		return &memory.UserError{Msg: fmt.Sprintf("write %s: %v", out, err), Err: err, Hint: "Name a file that can be written to."}
	}
	return ec.exported(len(list), []string{out})
}

// regularOrAbsent refuses to put a file in the place of a device, a pipe or a folder.
func regularOrAbsent(name string) error {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return &memory.UserError{Msg: name + " is no regular file", Hint: "Name another file, or leave --out away for standard output."}
	}
	return nil
}

func (ec *exportCommand) bootstrap(w *services.Workspace, list []*file.Memory, out string, o exporter.Options) error {
	dir := services.BootstrapDir(w)
	if out != "" {
		dir = ec.here(out)
	}
	r, err := exporter.Bootstrap(dir, list, o)
	if err != nil {
		return &memory.UserError{Msg: fmt.Sprintf("export: %v", err), Err: err, Hint: "Name another folder with --out, or move the file away."}
	}
	ec.leftOut(r.Left)
	var names []string
	for _, n := range append(r.Written, r.Unchanged...) {
		names = append(names, relative(w.Root(), filepath.Join(dir, filepath.Base(n))))
	}
	return ec.exported(len(list)-r.Left.Outside-r.Left.Past, names)
}

// rules writes the section of a rule file, or prints it.
func (ec *exportCommand) rules(list []*file.Memory, out string, o exporter.Options) error {
	if out == "" {
		section, left := exporter.RulesSection(list, o)
		ec.leftOut(left)
		ec.printf("%s", section)
		return nil
	}
	if err := regularOrAbsent(ec.here(out)); err != nil {
		return err
	}
	if to, err := os.Readlink(ec.here(out)); err == nil { // CLAUDE.md often is one, to AGENTS.md
		return &memory.UserError{Msg: out + " is a link to " + to, Hint: "Name the file itself."}
	}
	r, err := exporter.Rules(ec.here(out), list, o)
	if err != nil {
		return &memory.UserError{Msg: fmt.Sprintf("export: %v", err), Err: err, Hint: "Name a file that can be written to."}
	}
	ec.leftOut(r.Left)
	return ec.exported(len(list)-r.Left.Outside-r.Left.Past, []string{out})
}

func (ec *exportCommand) leftOut(left exporter.Left) {
	if n := left.Outside; n > 0 {
		ec.warn("%s left out: they rest on outside sources and nobody has confirmed them", count(n, "memory", "memories"))
	}
	if n := left.Past; n > 0 {
		ec.warn("%s left out: what is deprecated, superseded or disputed is not for agents", count(n, "memory", "memories"))
	}
}

func (ec *exportCommand) exported(n int, files []string) error {
	if ec.json {
		ec.printJSON("export", struct {
			Memories int      `json:"memories"`
			Files    []string `json:"files"`
		}{n, files})
		return nil
	}
	for _, f := range files {
		ec.printf("%s %s\n", ec.paint(green, "✓"), f)
	}
	return nil
}

// readExport reads a memory file or the output of `manicule export`.
func readExport(path string) ([]importer.Chunk, error) {
	data, err := treefile.Read(path, setup.MaxRead)
	if err != nil {
		return nil, &memory.UserError{Msg: "read an export: " + err.Error(), Err: err, Hint: "Name what `manicule export` wrote; a large one can be imported in parts."}
	}
	var list []jsontext.Value
	if err := json.Unmarshal(data, &list); err != nil {
		list = []jsontext.Value{data}
	}
	var out []importer.Chunk
	for i, raw := range list {
		m, err := file.Parse(raw)
		if err != nil {
			return nil, &memory.UserError{Msg: fmt.Sprintf("%s, entry %d: %v: %v", path, i+1, errNotExport, err), Err: err,
				Hint: "Import rule files, memory files, or what `manicule export` wrote."}
		}
		out = append(out, importer.Chunk{Type: m.Type, What: m.What, Memory: m, Origin: file.ImportOrigin{File: filepath.Base(path), Line: 1}})
	}
	return out, nil
}
