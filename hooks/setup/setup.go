// Package setup sets up a workspace and undoes it: the .manicule folder, the git
// hooks, and the agents' configuration files. It plans steps, which a caller can
// show, executes them, and keeps receipts of the previous state. Package install owns
// the content of agents' files. The package must not know flags or output.
package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"manicule/indexer/atomicfile"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/file"
)

// gitIgnore keeps personal memories out of git.
const gitIgnore = memory.GitIgnore

// Step is one change to a file. A nil After removes the file; a nil Before means that it
// did not exist.
type Step struct {
	Path          string
	Before, After []byte
	Mode          fs.FileMode
	What          string // for a person; "" for nothing
	Folder        bool   // make (or remove, if empty) a folder
}

// Options select the agents to integrate, and how.
type Options struct {
	Agents []string
	Shared bool // in the committed files
	NoMCP  bool // no servers
}

// Setup plans the setup of one workspace.
type Setup struct {
	Place  *workspace.Workspace
	Getenv func(string) string
	Warn   func(format string, args ...any)
}

// Plan lists the steps of init.
func (s *Setup) Plan(o Options) ([]Step, error) {
	p := s.Place
	own := filepath.Join(p.Root, workspace.Folder)
	var steps []Step
	if !Exists(p.MemoriesDir()) {
		steps = append(steps, Step{Path: p.MemoriesDir(), Folder: true, What: "folder of the memories"})
	}
	for path, text := range map[string]string{filepath.Join(own, ".gitignore"): gitIgnore, p.ConfigFile(): configTemplate()} {
		before, err := Read(path)
		if err != nil {
			return nil, err
		}
		if before == nil {
			steps = append(steps, Step{Path: path, After: []byte(text), Mode: 0o666, What: "new file"})
		}
	}
	sorting.StableFunc(steps, func(x, y Step) int { return strings.Compare(x.Path, y.Path) })
	more, err := s.gitSteps(addBlock)
	if err != nil {
		return nil, err
	}
	steps = append(steps, more...)
	if more, err = s.mergeSteps(false); err != nil {
		return nil, err
	}
	steps = append(steps, more...)
	agents, err := s.agentSteps(o)
	if err != nil {
		return nil, err
	}
	excluded, err := s.excludeSteps(o, agents)
	return slices.Concat(steps, agents, excluded), err
}

// MaxRead is the maximum size in bytes of a file that is changed or imported as a whole.
const MaxRead = 64 << 20

// Read returns a file's content, nil if it does not exist.
func Read(path string) ([]byte, error) {
	read := treefile.Read
	if filepath.Base(filepath.Dir(path)) == workspace.Folder {
		read = treefile.ReadOwn
	}
	data, err := read(path, MaxRead)
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

// PlanUndo lists the steps that undo everything init may have done.
func (s *Setup) PlanUndo() ([]Step, error) {
	p := s.Place
	steps, err := s.agentUndoSteps()
	if err != nil {
		return nil, err
	}
	more, err := s.gitSteps(removeBlock)
	if err != nil {
		return nil, err
	}
	steps = append(steps, more...)
	if more, err = s.mergeSteps(true); err != nil {
		return nil, err
	}
	steps = append(steps, more...)
	if more, err = s.excludeUndoSteps(); err != nil {
		return nil, err
	}
	steps = append(steps, more...)
	own, changed, err := s.ownSteps()
	if err != nil {
		return nil, err
	}
	kept := s.receipts()
	list, err := kept.read()
	if err != nil {
		return nil, err
	}
	others := otherRoots(list, p.Root)
	if steps, err = kept.apply(s.withoutTeams(append(steps, own...), list), list, others); err != nil {
		return nil, err
	}
	steps = s.withoutShared(steps, others)
	for _, path := range changed {
		if !slices.ContainsFunc(steps, func(x Step) bool { return x.Path == path }) { // by its receipt, one of an earlier version may go
			s.Warn("%s was changed since and is kept", path)
		}
	}
	return steps, nil
}

// withoutTeams leaves out the files of the .manicule folder that were there when init ran here: a clone has them from
// git, and they are everybody's. Without any receipt, which can be lost, all that is recognized counts as ours.
func (s *Setup) withoutTeams(steps []Step, list []receipt) []Step {
	root := s.Place.Root
	if !slices.ContainsFunc(list, func(r receipt) bool { return r.Root == root }) {
		return steps
	}
	teams := []string{filepath.Join(root, workspace.Folder, ".gitignore"), s.Place.ConfigFile(), s.attributesFile()}
	return slices.DeleteFunc(steps, func(x Step) bool {
		return slices.Contains(teams, x.Path) && !slices.ContainsFunc(list, func(r receipt) bool { return r.Root == root && r.Path == x.Path })
	})
}

// hasPersonal reports whether there are personal memories.
func hasPersonal(p *workspace.Workspace) bool {
	return len(treefile.Glob(p.MemoriesDir(), "*/personal/*.json")) > 0
}

// ownSteps removes the files in the .manicule folder that are as init writes them, and
// empty folders. It also returns the files that are otherwise.
func (s *Setup) ownSteps() (steps []Step, changed []string, err error) {
	p := s.Place
	own := filepath.Join(p.Root, workspace.Folder)
	for path, text := range map[string]string{filepath.Join(own, ".gitignore"): gitIgnore, p.ConfigFile(): configTemplate()} {
		before, err := Read(path)
		if err != nil {
			return nil, nil, err
		}
		if path == filepath.Join(own, ".gitignore") && hasPersonal(p) {
			continue // it still keeps them out of git
		}
		if string(before) == text {
			steps = append(steps, Step{Path: path, Before: before, What: "file"})
		} else if before != nil {
			changed = append(changed, path)
		}
	}
	sorting.Func(steps, func(x, y Step) int { return strings.Compare(x.Path, y.Path) })
	for _, rel := range file.Folders() {
		path := filepath.Join(p.MemoriesDir(), filepath.FromSlash(rel), ".gitignore")
		if treefile.CheckNoLinks(path) != nil || hasPersonal(p) {
			continue
		}
		if before, err := Read(path); err == nil && string(before) == memory.FolderIgnore {
			steps = append(steps, Step{Path: path, Before: before, What: "file"})
		}
	}
	var folders []Step
	if scratch := filepath.Join(p.MemoriesDir(), file.Scratch); treefile.CheckNoLinks(scratch) == nil {
		name := filepath.Join(scratch, ".gitignore")
		if before, err := Read(name); err == nil && before != nil {
			steps = append(steps, Step{Path: name, Before: before, What: "file"})
		}
		folders = append(folders, Step{Path: scratch, Before: []byte{}, Folder: true})
	}
	for _, rel := range slices.Backward(file.Folders()) {
		folders = append(folders, Step{Path: filepath.Join(p.MemoriesDir(), filepath.FromSlash(rel)), Before: []byte{}, Folder: true})
	}
	folders = append(folders, Step{Path: p.MemoriesDir(), Before: []byte{}, Folder: true, What: "empty folder"},
		Step{Path: own, Before: []byte{}, Folder: true, What: "empty folder"})
	return append(steps, slices.DeleteFunc(folders, func(s Step) bool { return !Exists(s.Path) })...), changed, nil
}

// Apply applies the steps, each atomically, and keeps a receipt of each file that init
// writes.
func (s *Setup) Apply(steps []Step, undo bool) error {
	p := s.Place
	kept := s.receipts()
	list, err := kept.read()
	if err != nil {
		return err
	}
	var ours map[string][]byte
	if !undo {
		ours = s.recognized()
	}
	for _, x := range steps {
		if !undo && !x.Folder {
			if err := x.checkUnchanged(); err != nil { // first: a receipt is of what is replaced
				return err
			}
			list = kept.add(list, x, ours)
			if err := kept.write(list); err != nil {
				return err
			}
		}
		if err := x.apply(); err != nil {
			if e, ok := errors.AsType[*treefile.Error](err); ok {
				return &memory.UserError{Msg: err.Error(), Err: err, Hint: e.Hint}
			}
			if _, told := errors.AsType[*memory.UserError](err); told {
				return err
			}
			return &memory.UserError{Msg: err.Error(), Err: err, Hint: "The earlier steps are kept; `manicule init --undo` reverts them."}
		}
	}
	if !undo {
		if list, added := addUse(list, p.Root); added {
			return kept.write(list)
		}
		return nil
	}
	if err := kept.write(kept.without(list)); err != nil {
		return err
	}
	forgetID(p)
	return nil
}

// recognized returns what undo would leave of agents' files in which it recognizes something, by path; nil for one that it would
// remove. What can't be read is told of where it is to be changed.
func (s *Setup) recognized() map[string][]byte {
	quiet := *s
	quiet.Warn = func(string, ...any) {}
	steps, _ := quiet.agentUndoSteps()
	ours := map[string][]byte{}
	for _, x := range steps {
		ours[x.Path] = x.After
	}
	return ours
}

// forgetID removes the repository's id if nothing is named after it.
func forgetID(p *workspace.Workspace) {
	p.LeaveState()
	if p.GitCommonDir == "" || Exists(p.StateDir()) || Exists(filepath.Join(p.Root, workspace.Folder)) {
		return
	}
	own := filepath.Join(p.GitCommonDir, workspace.GitFolder)
	_ = os.Remove(filepath.Join(own, "id")) // a leftover is harmless
	_ = os.Remove(own)                      // stays if it is not empty
}

func (s Step) apply() error {
	if strings.Contains(filepath.ToSlash(s.Path), "/"+workspace.Folder) {
		if err := treefile.CheckNoLinks(s.Path); err != nil {
			return err
		}
	}
	if !s.Folder {
		if err := s.checkUnchanged(); err != nil {
			return err
		}
	}
	switch {
	case s.Folder && s.Before == nil:
		return os.MkdirAll(s.Path, 0o777)
	case s.Folder:
		if st, err := os.Lstat(s.Path); err == nil && st.IsDir() {
			_ = os.Remove(s.Path) // stays if it is not empty
		}
		return nil
	case s.After == nil:
		if err := os.Remove(s.Path); err != nil {
			return err
		}
		_ = os.Remove(filepath.Dir(s.Path)) // stays if it is not empty
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o777); err != nil {
		return err
	}
	st, err := os.Stat(s.Path)
	if err != nil {
		return atomicfile.Write(s.Path, s.After, s.Mode)
	}
	if err := atomicfile.Write(s.Path, s.After, st.Mode().Perm()); err != nil {
		return err
	}
	// The umask took away what others may do with a file that was there, as in a repository that a group shares.
	if now, err := os.Stat(s.Path); err == nil && now.Mode().Perm() != st.Mode().Perm() {
		return os.Chmod(s.Path, st.Mode().Perm())
	}
	return nil
}

// checkUnchanged returns an error if the file is no longer what the step was planned for: agents and git write theirs at
// any time.
func (s Step) checkUnchanged() error {
	now, err := Read(s.Path)
	if err == nil && ((now == nil) != (s.Before == nil) || !bytes.Equal(now, s.Before)) {
		return &memory.UserError{Msg: s.Path + " was changed meanwhile, so it was left alone", Hint: "Run it again."}
	}
	return err
}

// Exists reports whether there is something at a path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
