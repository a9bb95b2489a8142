package setup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"manicule/hooks/install"
	"manicule/indexer/workspace"
	"manicule/memory"
)

// fileEdits collects changes to files of agents. Several parts may be in one file.
type fileEdits struct {
	order []string // of the paths
	by    map[string]*fileEdit
}

type fileEdit struct {
	before, after []byte
	empty         bool // nothing else is left in it
	agent         string
	parts         []string // which parts of the agent change
	home          bool
}

// change applies f to a file. part is the agent's part in it.
func (e *fileEdits) change(path, agent, part string, home bool, f func(before []byte) (after []byte, empty bool, err error)) error {
	x, known := e.by[path]
	if !known {
		before, err := Read(path)
		if err != nil {
			return err
		}
		x = &fileEdit{before: before, after: before, agent: agent, home: home}
	}
	after, empty, err := f(x.after)
	if err != nil {
		return err
	}
	if bytes.Equal(after, x.after) && (after == nil) == (x.after == nil) && !empty {
		return nil
	}
	if !known {
		if e.by == nil {
			e.by = map[string]*fileEdit{}
		}
		e.by[path] = x
		e.order = append(e.order, path)
	}
	x.after, x.empty = after, empty
	if !slices.Contains(x.parts, part) {
		x.parts = append(x.parts, part)
	}
	return nil
}

// steps lists the changes in the order in which they were begun.
func (e *fileEdits) steps() []Step {
	var out []Step
	for _, path := range e.order {
		x := e.by[path]
		s := Step{Path: path, Before: x.before, After: x.after, Mode: 0o666, What: strings.Join(x.parts, " and ") + " of " + x.agent}
		if x.home {
			s.Mode = 0o600 // an agent keeps more there than servers
		}
		if x.empty {
			if bytes.Equal(x.before, x.after) {
				continue // somebody's empty file
			}
			s.After = nil
		}
		out = append(out, s)
	}
	return out
}

// The parts of an agent's integration, as they are shown.
const (
	PartHooks   = "hooks"
	PartServers = "server"
	PartRules   = "rule"
)

// Locate returns the path of a part on this machine.
func (s *Setup) Locate(name string, where install.Where) (string, error) {
	p := s.Place
	base := p.Root
	if where.Home {
		if base = s.Getenv("HOME"); where.Env != "" && s.Getenv(where.Env) != "" {
			base = s.Getenv(where.Env)
		}
		if base == "" {
			return "", &memory.UserError{Msg: "there is no home folder for the configuration of " + name, Hint: "Set HOME, or use --shared."}
		}
	}
	path := filepath.Join(base, filepath.FromSlash(where.Path))
	if !where.Home && !inside(base, path) {
		return "", &memory.UserError{Msg: fmt.Sprintf("%s leads out of the workspace, to %s", path, workspace.RealPath(path)),
			Hint: "Replace the link by a file, or set up " + name + " by hand."}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a linked configuration stays a link
	}
	return path, nil
}

// HooksFile returns the path of an agent's hooks.
func (s *Setup) HooksFile(name string, shared bool) (string, error) {
	where, err := install.File(name, shared)
	if err != nil {
		return "", unknownAgent(err)
	}
	return s.Locate(name, where)
}

// ErrUnknownAgent means that there is no agent with a name.
var ErrUnknownAgent = errors.New("no such agent")

func unknownAgent(err error) error {
	hint := "`manicule init --help` lists the agents."
	var unknown *install.UnknownAgentError
	if errors.As(err, &unknown) {
		hint = unknown.Hint()
	}
	return &memory.UserError{Msg: err.Error(), Err: errors.Join(ErrUnknownAgent, err), Hint: hint}
}

// ServersFile returns the path of an agent's servers, with the folder by which it knows
// the project, or "" if the agent has no such file.
func (s *Setup) ServersFile(name string, shared bool) (path, project string, home bool, err error) {
	p := s.Place
	where, ok, err := install.ServersFile(name, shared)
	if err != nil {
		return "", "", false, unknownAgent(err)
	}
	if !ok {
		return "", "", false, nil
	}
	if where.ByProject() {
		project = AgentProject(p)
	}
	path, err = s.Locate(name, where)
	return path, project, where.Home, err
}

// Found returns the agents that this person uses, by their folders in the home folder.
func (s *Setup) Found() []string {
	home := s.Getenv("HOME")
	if home == "" {
		return nil
	}
	var out []string
	for _, name := range install.Agents() {
		folder := install.HomeFolder(name)
		if st, err := os.Stat(filepath.Join(home, filepath.FromSlash(folder))); folder != "" && err == nil && st.IsDir() {
			out = append(out, name)
		}
	}
	return out
}

// AgentProject returns the folder by which Claude Code knows a project, as seen in
// version 2.1.329: the main worktree's top level, or the folder if there is no git.
func AgentProject(p *workspace.Workspace) string {
	switch {
	case filepath.Base(p.GitCommonDir) == ".git":
		return workspace.RealPath(filepath.Dir(p.GitCommonDir))
	case p.GitTop != "":
		return workspace.RealPath(p.GitTop)
	}
	return p.Root
}

// agentSteps plans the hooks, servers and rules of agents.
func (s *Setup) agentSteps(o Options) ([]Step, error) {
	var e fileEdits
	program := ownProgram()
	hook := hookProgram(program, exec.LookPath)
	if o.Shared {
		program, hook = install.Server, install.Server // a colleague's program is elsewhere, and may be manicule alone
	}
	for _, name := range o.Agents {
		if err := s.wire(&e, name, program, hook, o); err != nil {
			return nil, err
		}
	}
	return e.steps(), nil
}

func (s *Setup) wire(e *fileEdits, name, program, hook string, o Options) error {
	path, err := s.HooksFile(name, o.Shared)
	if err != nil {
		return err
	}
	if !o.Shared && program == install.Server && s.hasSharedHooks(name, path) {
		s.Warn("%s: the hooks in %s are for everybody: none are added for you alone, which would run beside them", name, sharedHooks(name))
		return s.wireServers(e, name, program, o)
	}
	command, err := install.Command(name, hook, o.Shared)
	if !o.Shared && runtime.GOOS == "windows" {
		command, err = install.BareCommand(name, hook)
	}
	if err != nil {
		return fmt.Errorf("set up %s: %w", name, err)
	}
	if err := e.change(path, name, PartHooks, false, withHint(path, "", func(before []byte) ([]byte, error) {
		return install.Add(name, before, command)
	})); err != nil {
		return err
	}
	if where, ok := install.RulesFile(name); ok {
		path, err := s.Locate(name, where)
		if err != nil {
			return err
		}
		if err := e.change(path, name, PartRules, false, withHint(path, "", func(before []byte) ([]byte, error) {
			return install.AddRules(name, before)
		})); err != nil {
			return err
		}
	}
	return s.wireServers(e, name, program, o)
}

// sharedHooks returns the file of an agent's hooks that is committed, as it is named below the root.
func sharedHooks(name string) string {
	where, err := install.File(name, true)
	if err != nil || where.Home {
		return ""
	}
	return where.Path
}

// hasSharedHooks reports whether an agent runs the hooks of a committed file, as `init --shared` writes them, and not also
// those of the person's own file in the repository. A private file in the home folder is for other repositories, too.
func (s *Setup) hasSharedHooks(name, private string) bool {
	where, err := install.File(name, false)
	if err != nil || where.Home || where.Path == sharedHooks(name) {
		return false
	}
	shared, err := s.HooksFile(name, true)
	command, unknown := install.Command(name, install.Server, true)
	if err != nil || unknown != nil {
		return false
	}
	all, err := Read(shared)
	mine, unread := Read(private)
	return err == nil && unread == nil && slices.Contains(install.Installed(name, all), command) && len(install.Installed(name, mine)) == 0
}

// hasSharedServer is hasSharedHooks for the server.
func (s *Setup) hasSharedServer(name, private, project string) bool {
	shared, ofAll, _, err := s.ServersFile(name, true)
	if err != nil || shared == "" || shared == private {
		return false
	}
	all, err := Read(shared)
	mine, unread := Read(private)
	return err == nil && unread == nil && len(install.Servers(name, mine, project)) == 0 &&
		slices.ContainsFunc(install.Servers(name, all, ofAll), func(line []string) bool { return slices.Equal(line, []string{install.Server, "mcp"}) })
}

// wireServers adds the server to an agent's settings, unless those for everybody have it.
func (s *Setup) wireServers(e *fileEdits, name, program string, o Options) error {
	if o.NoMCP {
		return nil
	}
	path, project, home, err := s.ServersFile(name, o.Shared)
	if err != nil {
		return err
	}
	if path == "" {
		s.Warn("%s reads its servers from your home folder only: `manicule init --agent %s` without --shared adds `manicule mcp` there", name, name)
		return nil
	}
	if !o.Shared && program == install.Server && (project != "" || !home) && s.hasSharedServer(name, path, project) {
		return nil
	}
	return e.change(path, name, PartServers, home, withHint(path, " --no-mcp leaves servers out.", func(before []byte) ([]byte, error) {
		return install.AddServers(name, before, program, project)
	}))
}

// withHint adds a hint to the error of a change.
func withHint(path, more string, f func([]byte) ([]byte, error)) func([]byte) ([]byte, bool, error) {
	return func(before []byte) ([]byte, bool, error) {
		after, err := f(before)
		if err != nil {
			return nil, false, &memory.UserError{Msg: fmt.Sprintf("%s can't be changed: %v", path, err), Err: err, Hint: "Fix the file; nothing was written." + more}
		}
		return after, false, nil
	}
}

// agentUndoSteps removes everything that is recognized as ours from every agent's files.
func (s *Setup) agentUndoSteps() ([]Step, error) {
	var e fileEdits
	var refused []error // to read a file
	undo := func(path, name, part string, remove func([]byte) ([]byte, bool, error)) {
		err := e.change(path, name, part, false, func(before []byte) ([]byte, bool, error) {
			if before == nil {
				return nil, false, nil
			}
			after, empty, err := remove(before)
			if err != nil {
				s.Warn("%s is not changed: %v", path, err)
				return before, false, nil
			}
			return after, empty, nil
		})
		if err != nil {
			refused = append(refused, err)
		}
	}
	for _, name := range install.Agents() {
		for _, shared := range []bool{false, true} {
			if path, err := s.HooksFile(name, shared); err == nil { // else there is no home folder, and so nothing to remove
				undo(path, name, PartHooks, func(before []byte) ([]byte, bool, error) { return install.Remove(name, before) })
			}
			if path, project, _, err := s.ServersFile(name, shared); err == nil && path != "" {
				undo(path, name, PartServers, func(before []byte) ([]byte, bool, error) { return install.RemoveServers(name, before, project) })
			}
		}
		if where, ok := install.RulesFile(name); ok {
			if path, err := s.Locate(name, where); err == nil {
				undo(path, name, PartRules, func(before []byte) ([]byte, bool, error) {
					after, empty := install.RemoveRules(before)
					return after, empty, nil
				})
			}
		}
	}
	return e.steps(), errors.Join(refused...)
}
