package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/hooks/install"
	"manicule/indexer/atomicfile"
	"manicule/indexer/gitinfo"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/file"
)

// gitIgnore keeps personal memories out of git.
const gitIgnore = memory.GitIgnore

// The block that init puts into git hooks. It runs in the background and can
// neither fail nor delay a checkout.
const (
	hookBegin = "# manicule: begin (`manicule init --undo` removes this)"
	hookEnd   = "# manicule: end"
)

// gitHooks are the hooks after which memories may be others.
func gitHooks() []string { return []string{"post-checkout", "post-merge", "post-rewrite"} }

// step is one change to a file. A nil after removes the file, a nil before
// means that there was none.
type step struct {
	path          string
	before, after []byte
	mode          fs.FileMode
	what          string
	folder        bool // make (or remove, if empty) a folder
}

type initFlags struct {
	agents       []string
	shared       bool
	noMCP        bool
	dryRun, undo bool
}

func (a *app) initCommand() *cobra.Command {
	var f initFlags
	c := &cobra.Command{
		Use:   "init",
		Short: "Set up a workspace, its git hooks and its agents",
		Long: "Set up a workspace: the .manicule folder, git hooks beside the ones you have, and the\n" +
			"agents named with --agent: their hooks, and `manicule mcp` among their servers. Nothing of\n" +
			"anybody else's is changed; --dry-run shows what would be, --undo takes it all back\n" +
			"(memories stay).",
		Example: "  manicule init --agent claude-code\n  manicule init --agent claude-code,cursor --dry-run\n  manicule init --undo",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			w, err := a.openQuietly()
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, w.Close()) }()
			var steps []step
			if f.undo {
				steps, err = a.undoSteps(w.Place())
			} else {
				steps, err = a.initSteps(w.Place(), f)
			}
			if err != nil {
				return err
			}
			if !f.dryRun {
				if err := apply(w.Place(), steps, f.undo); err != nil {
					return err
				}
			}
			a.printSteps(w, steps, f)
			return nil
		},
	}
	c.Flags().StringSliceVar(&f.agents, "agent", nil, "wire these agents: "+strings.Join(install.Agents(), ", "))
	c.Flags().BoolVar(&f.shared, "shared", false, "wire them in the files that are committed, for everybody")
	c.Flags().BoolVar(&f.noMCP, "no-mcp", false, "only hooks and rules, no servers")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "only show what would be done")
	c.Flags().BoolVar(&f.undo, "undo", false, "take back all that init did; memories stay")
	c.MarkFlagsMutuallyExclusive("undo", "agent")
	a.complete(c, "agent", install.Agents())
	return c
}

func (a *app) initSteps(p *workspace.Workspace, f initFlags) ([]step, error) {
	own := filepath.Join(p.Root, workspace.Folder)
	var steps []step
	if !exists(p.MemoriesDir()) {
		steps = append(steps, step{path: p.MemoriesDir(), folder: true, what: "folder of the memories"})
	}
	for path, text := range map[string]string{filepath.Join(own, ".gitignore"): gitIgnore, p.ConfigFile(): configTemplate()} {
		before, err := existing(path)
		if err != nil {
			return nil, err
		}
		if before == nil {
			steps = append(steps, step{path: path, after: []byte(text), mode: 0o644, what: "new file"})
		}
	}
	slices.SortStableFunc(steps, func(x, y step) int { return strings.Compare(x.path, y.path) })
	more, err := a.gitSteps(p, addBlock)
	if err != nil {
		return nil, err
	}
	steps = append(steps, more...)
	agents, err := a.agentSteps(p, f)
	return append(steps, agents...), err
}

// maxRead is the size in bytes above which no file is read that is changed, or
// imported, as a whole.
const maxRead = 64 << 20

// existing is a file's content, nil when there is none.
func existing(path string) ([]byte, error) {
	read := treefile.Read
	if filepath.Base(filepath.Dir(path)) == workspace.Folder {
		read = treefile.Own
	}
	data, err := read(path, maxRead)
	if e, ok := errors.AsType[*treefile.Error](err); ok {
		return nil, &memory.UserError{Msg: err.Error(), Err: err, Hint: e.Hint}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &memory.UserError{Msg: err.Error(), Err: err, Hint: "Check that the file can be read."}
	case data == nil:
		return []byte{}, nil
	}
	return data, nil
}

// configTemplate is the whole schema, commented out.
func configTemplate() string {
	var b strings.Builder
	b.WriteString("# Settings of Manicule for everybody who works in this repository.\n# Yours alone go into $XDG_CONFIG_HOME/manicule/config.toml.\n")
	section := ""
	for _, s := range config.Settings() {
		if s.Private {
			continue
		}
		sec, name, _ := strings.Cut(s.Key, ".")
		if sec != section {
			fmt.Fprintf(&b, "\n[%s]\n", sec)
			section = sec
		}
		fmt.Fprintf(&b, "# %s\n# %s = %s\n", s.Doc, name, tomlValue(s.Default))
	}
	return b.String()
}

func tomlValue(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}

// program is how hooks call this binary: by name when the PATH finds it.
func (a *app) program() string {
	if _, err := exec.LookPath("manicule"); err == nil {
		return "manicule"
	}
	if self, err := os.Executable(); err == nil {
		return self
	}
	return "manicule"
}

func (a *app) gitSteps(p *workspace.Workspace, change func(string, []byte, string) ([]byte, string)) ([]step, error) {
	if p.GitTop == "" {
		return nil, nil
	}
	dir := gitinfo.HooksDir(p.GitTop, p.GitCommonDir, a.getenv)
	if !inside(p.GitTop, dir) && !inside(p.GitCommonDir, dir) {
		a.warn("%s holds the hooks of other repositories too and is left alone; have them run `manicule sync --quiet` yourself", dir)
		return nil, nil
	}
	var steps []step
	for _, name := range gitHooks() {
		path := filepath.Join(dir, name)
		if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
			a.warn("%s: it is a link, so it is left alone; have it run `manicule sync --quiet` itself", path)
			continue
		} else if err == nil && st.Mode().Perm()&0o111 == 0 {
			a.warn("%s: it is not executable, so git does not run it, nor Manicule's line in it", path)
		}
		before, err := existing(path)
		if err != nil {
			return nil, err
		}
		after, trouble := change(a.program(), before, name)
		if trouble != "" {
			a.warn("%s: %s", path, trouble)
			continue
		}
		if !bytes.Equal(before, after) || (before == nil) != (after == nil) {
			steps = append(steps, step{path: path, before: before, after: after, mode: 0o755, what: "git hook"})
		}
	}
	return steps, nil
}

// inside reports whether a folder lies in another.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(workspace.RealPath(dir), workspace.RealPath(path))
	return err == nil && filepath.IsLocal(rel)
}

// addBlock puts our block at the head of a shell hook: what follows may end
// with exit or exec.
func addBlock(program string, before []byte, name string) (after []byte, trouble string) {
	quoted := install.ShellQuote(program)
	block := hookBegin + "\nif command -v " + quoted + " >/dev/null 2>&1; then " + quoted + " sync --quiet </dev/null >/dev/null 2>&1 & fi\n" + hookEnd + "\n"
	if before == nil {
		return []byte("#!/bin/sh\n" + block), ""
	}
	clean, _ := removeBlock(program, before, name)
	text := string(clean)
	if clean == nil {
		text = "#!/bin/sh\n"
	}
	first, rest, found := strings.Cut(text, "\n")
	if strings.IndexByte(text, 0) >= 0 || (strings.HasPrefix(first, "#!") && !isShell(first)) {
		return nil, "it is no shell script, so it is left alone; have it run `manicule sync --quiet` itself"
	}
	if !strings.HasPrefix(first, "#!") {
		return []byte(block + text), ""
	}
	if !found {
		first += "\n"
		return []byte(first + block), ""
	}
	return []byte(first + "\n" + block + rest), ""
}

func isShell(shebang string) bool {
	for _, w := range strings.Fields(strings.TrimPrefix(shebang, "#!")) {
		switch filepath.Base(w) {
		case "sh", "bash", "dash", "zsh", "ksh", "ash":
			return true
		}
	}
	return false
}

// removeBlock takes our block out again; a file that held nothing else goes.
func removeBlock(_ string, before []byte, _ string) (after []byte, trouble string) {
	head, rest, ok := bytes.Cut(before, []byte(hookBegin))
	if !ok {
		return before, ""
	}
	_, tail, ok := bytes.Cut(rest, []byte(hookEnd+"\n"))
	if !ok {
		return before, "the end of Manicule's block is missing; remove it by hand"
	}
	after = append(bytes.Clone(head), tail...)
	if strings.TrimSpace(string(after)) == "#!/bin/sh" {
		return nil, ""
	}
	return after, ""
}

// undoSteps is the reverse of all that init may have done.
func (a *app) undoSteps(p *workspace.Workspace) ([]step, error) {
	steps, err := a.agentUndoSteps(p)
	if err != nil {
		return nil, err
	}
	more, err := a.gitSteps(p, removeBlock)
	if err != nil {
		return nil, err
	}
	steps = append(steps, more...)
	own, err := a.ownSteps(p)
	if err != nil {
		return nil, err
	}
	list, err := readReceipts(p)
	if err != nil {
		return nil, err
	}
	return restored(append(steps, own...), list, p.Root)
}

// hasPersonal reports whether there are personal memories.
func hasPersonal(p *workspace.Workspace) bool {
	found, err := filepath.Glob(filepath.Join(p.MemoriesDir(), "*", "personal", "*.json"))
	return err == nil && len(found) > 0
}

// ownSteps removes what is in the .manicule folder, as far as it is as init
// wrote it, and empty folders.
func (a *app) ownSteps(p *workspace.Workspace) ([]step, error) {
	var steps []step
	own := filepath.Join(p.Root, workspace.Folder)
	for path, text := range map[string]string{filepath.Join(own, ".gitignore"): gitIgnore, p.ConfigFile(): configTemplate()} {
		before, err := existing(path)
		if err != nil {
			return nil, err
		}
		if path == filepath.Join(own, ".gitignore") && hasPersonal(p) {
			continue // it still keeps them out of git
		}
		if string(before) == text {
			steps = append(steps, step{path: path, before: before, what: "file"})
		} else if before != nil {
			a.warn("%s was changed since and is kept", path)
		}
	}
	slices.SortFunc(steps, func(x, y step) int { return strings.Compare(x.path, y.path) })
	for _, rel := range file.Folders() {
		path := filepath.Join(p.MemoriesDir(), filepath.FromSlash(rel), ".gitignore")
		if treefile.Unlinked(path) != nil || hasPersonal(p) {
			continue
		}
		if before, err := existing(path); err == nil && string(before) == memory.FolderIgnore {
			steps = append(steps, step{path: path, before: before, what: "file"})
		}
	}
	var folders []step
	if scratch := filepath.Join(p.MemoriesDir(), file.Scratch); treefile.Unlinked(scratch) == nil {
		name := filepath.Join(scratch, ".gitignore")
		if before, err := existing(name); err == nil && before != nil {
			steps = append(steps, step{path: name, before: before, what: "file"})
		}
		folders = append(folders, step{path: scratch, before: []byte{}, folder: true})
	}
	for _, rel := range slices.Backward(file.Folders()) {
		folders = append(folders, step{path: filepath.Join(p.MemoriesDir(), filepath.FromSlash(rel)), before: []byte{}, folder: true})
	}
	folders = append(folders, step{path: p.MemoriesDir(), before: []byte{}, folder: true, what: "empty folder"},
		step{path: own, before: []byte{}, folder: true, what: "empty folder"})
	return append(steps, slices.DeleteFunc(folders, func(s step) bool { return !exists(s.path) })...), nil
}

// apply carries the steps out, each atomically, and keeps a receipt of each
// file that init writes.
func apply(p *workspace.Workspace, steps []step, undo bool) error {
	list, err := readReceipts(p)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if !undo && !s.folder {
			list = noted(list, p.Root, s)
			if err := writeReceipts(p, list); err != nil {
				return err
			}
		}
		if err := s.apply(); err != nil {
			if e, ok := errors.AsType[*treefile.Error](err); ok {
				return &memory.UserError{Msg: err.Error(), Err: err, Hint: e.Hint}
			}
			return &memory.UserError{Msg: err.Error(), Err: err, Hint: "What was done before is kept; `manicule init --undo` takes it back."}
		}
	}
	if !undo {
		return nil
	}
	list = slices.DeleteFunc(list, func(r receipt) bool { return r.Root == p.Root })
	if err := writeReceipts(p, list); err != nil {
		return err
	}
	forgetID(p)
	return nil
}

// forgetID removes the repository's id where nothing is named after it.
func forgetID(p *workspace.Workspace) {
	if p.GitCommonDir == "" || exists(p.StateDir()) || exists(filepath.Join(p.Root, workspace.Folder)) {
		return
	}
	own := filepath.Join(p.GitCommonDir, "manicule")
	_ = os.Remove(filepath.Join(own, "id")) // a left-over is harmless
	_ = os.Remove(own)                      // stays where it is not empty
}

func (s step) apply() error {
	if strings.Contains(filepath.ToSlash(s.path), "/"+workspace.Folder) {
		if err := treefile.Unlinked(s.path); err != nil {
			return err
		}
	}
	switch {
	case s.folder && s.before == nil:
		return os.MkdirAll(s.path, 0o755)
	case s.folder:
		_ = os.Remove(s.path) // stays where it is not empty
		return nil
	case s.after == nil:
		if err := os.Remove(s.path); err != nil {
			return err
		}
		_ = os.Remove(filepath.Dir(s.path)) // stays where it is not empty
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	mode := s.mode
	if st, err := os.Stat(s.path); err == nil {
		mode = st.Mode().Perm()
	}
	return atomicfile.Write(s.path, s.after, mode)
}

func (a *app) printSteps(w *memory.Workspace, steps []step, f initFlags) {
	type row struct {
		Action string `json:"action"`
		Path   string `json:"path"`
		What   string `json:"what"`
	}
	rows := []row{}
	for _, s := range steps {
		if s.what == "" || (s.folder && s.before != nil && (f.dryRun || exists(s.path))) {
			continue
		}
		act := "change"
		switch {
		case s.after == nil && s.before != nil:
			act = "remove"
		case s.before == nil:
			act = "create"
		}
		rows = append(rows, row{act, relative(w.Root(), s.path), s.what})
	}
	if a.json {
		a.printJSON("init", struct {
			Root   string `json:"root"`
			DryRun bool   `json:"dry_run"`
			Steps  []row  `json:"steps"`
		}{w.Root(), f.dryRun, rows})
		return
	}
	for _, r := range rows {
		a.printf("%s %-8s %s (%s)\n", a.paint(green, "✓"), r.Action, r.Path, r.What)
	}
	switch {
	case f.dryRun:
		a.printf("nothing was changed: this was a dry run\n")
	case f.undo && exists(w.Place().MemoriesDir()):
		a.printf("the memories are kept in %s; delete the folder to be rid of them\n", relative(w.Root(), w.Place().MemoriesDir()))
	case f.undo:
		a.printf("all taken back\n")
	default:
		a.printf("☞ ready: `manicule remember TEXT --at FILE#Symbol` writes a memory, `manicule import` reads your rule files\n")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
