package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/release"
	"manicule/hooks/install"
	"manicule/hooks/mcpprobe"
	"manicule/hooks/setup"
	"manicule/indexer/sorting"
	"manicule/indexer/workspace"
	"manicule/memory/services"
)

// serverLimit bounds the time of a server to list its tools. Codex waits 10 seconds,
// others longer.
const serverLimit = 10 * time.Second

// agentPart is one installed part of an agent's integration, and the result of running
// it.
type agentPart struct {
	Agent   string `json:"agent"`
	Part    string `json:"part"` // hooks, server, rule, plugin or program
	File    string `json:"file"`
	Command string `json:"command,omitzero"` // what was run, as the agent runs it
	Status  string `json:"status"`           // ok, note, problem
	Text    string `json:"text"`
	Hint    string `json:"hint,omitzero"`
}

// doctorAgentsCommand is `manicule doctor agents`.
type doctorAgentsCommand struct {
	doctor
}

func newDoctorAgentsCommand(shared *cli) *cobra.Command {
	dac := &doctorAgentsCommand{doctor: doctor{shared}}
	return &cobra.Command{
		Use:   "agents",
		Short: "List what is installed for agents, and run it as they do",
		Long: "List what is installed for each agent and where: hooks, server, rule, plugin. Each is\n" +
			"checked by running what the agent would run: the hook's command line with a harmless\n" +
			"event, the server with a request for its tools. Only command lines that init or a package\n" +
			"writes are run, and no other program that the repository names or contains.",
		Args: cobra.NoArgs,
		RunE: dac.run,
	}
}

func (dac *doctorAgentsCommand) run(cmd *cobra.Command, _ []string) error {
	return dac.examined(func(w *services.Workspace) (bool, error) {
		parts := dac.agentParts(cmd.Context(), w)
		bad := slices.ContainsFunc(parts, func(p agentPart) bool { return p.Status == statusProblem })
		if dac.json {
			dac.printJSON("doctor-agents", struct {
				OK    bool        `json:"ok"`
				Parts []agentPart `json:"parts"`
			}{!bad, parts})
		} else {
			dac.printFindings(agentFindings(parts))
		}
		return bad, nil
	})
}

// agentFindings formats the parts as lines for a person.
func agentFindings(parts []agentPart) []finding {
	if len(parts) == 0 {
		return []finding{{"agents", statusNote, "no agent is set up", "`manicule init --agent claude-code`"}}
	}
	list := make([]finding, 0, len(parts))
	for _, p := range parts {
		text := p.Text
		if p.File != "" {
			text = p.File + ": " + text
		}
		list = append(list, finding{p.Agent, p.Status, p.Part + " " + text, p.Hint})
	}
	return list
}

// inspection inspects all agents. It runs a part that two agents share only once.
type inspection struct {
	cmd     *doctorAgentsCommand
	setup   *setup.Setup
	w       *services.Workspace
	trust   install.Trust
	parts   []agentPart
	servers map[string]agentPart // results by command line
	checked map[string]bool      // programs
}

func (dac *doctorAgentsCommand) agentParts(ctx context.Context, w *services.Workspace) []agentPart {
	in := &inspection{cmd: dac, setup: dac.setupOf(w.Place()), w: w, trust: trustIn(w.Place()), parts: []agentPart{}, servers: map[string]agentPart{}, checked: map[string]bool{}}
	for _, name := range install.Agents() {
		in.agent(ctx, name)
	}
	return in.parts
}

func (in *inspection) agent(ctx context.Context, name string) {
	begin := len(in.parts)
	seen := map[string]bool{}
	for _, shared := range []bool{false, true} {
		if path, err := in.setup.HooksFile(name, shared); err == nil && !seen["hooks"+path] { // else there is no home folder
			seen["hooks"+path] = true
			where, err := install.File(name, shared)
			in.hooks(ctx, name, path, err == nil && in.private(where.Home, path))
		}
		if path, project, home, err := in.setup.ServersFile(name, shared); err == nil && path != "" && !seen["servers"+path] {
			seen["servers"+path] = true
			in.serversIn(ctx, name, path, project, in.private(home, path))
		}
	}
	if where, ok := install.RulesFile(name); ok {
		if path, err := in.setup.Locate(name, where); err == nil {
			in.rules(name, path)
		}
	}
	own := len(in.parts) > begin
	plugged := in.plugins(ctx, name)
	if !own && !plugged {
		return
	}
	has := func(part string) bool {
		return slices.ContainsFunc(in.parts[begin:], func(p agentPart) bool { return p.Part == part })
	}
	if !has(setup.PartServers) {
		in.add(agentPart{Agent: name, Part: setup.PartServers, Status: statusNote, Text: "none: the agent can't ask for memories", Hint: "`manicule init --agent " + name + "` adds it."})
	}
	if own && plugged && has(setup.PartHooks) {
		in.add(agentPart{Agent: name, Part: partPlugin, Status: statusNote, Text: "its hooks are installed beside those of `manicule init`: each event runs two hooks, and one answers",
			Hint: "Remove one of them: `manicule init --undo`, or uninstall the plugin."})
	}
}

// partPlugin is a package that the agent itself installed. partProgram is the binary that
// the parts name.
const (
	partPlugin  = "plugin"
	partProgram = "program"
)

func (in *inspection) add(p agentPart) { in.parts = append(in.parts, p) }

// displayPath formats a path as a person would write it here.
func (in *inspection) displayPath(path string) string { return relative(in.w.Root(), path) }

// readOrEmpty returns a file's content. An unreadable file counts as empty, as it does for the
// agent.
func readOrEmpty(path string) []byte {
	data, err := setup.Read(path)
	if err != nil {
		return nil
	}
	return data
}

// private reports whether only the user and the user's programs write an agent's file. A
// home folder may be a repository, or contain one.
func (in *inspection) private(home bool, path string) bool {
	return home && !in.trust.InRepository(path)
}

func (in *inspection) hooks(ctx context.Context, name, path string, private bool) {
	for _, command := range install.Installed(name, readOrEmpty(path)) {
		p := agentPart{Agent: name, Part: setup.PartHooks, File: in.displayPath(path), Command: command}
		words, err := in.trust.Hook(name, command, private)
		if err != nil {
			in.refuse(p, install.Program(name, command), err)
			continue
		}
		if !in.program(ctx, name, path, words[0]) {
			continue // a guarded line would print nothing and succeed
		}
		f := tryHook(ctx, in.w.Root(), wiredAgent{name: name, file: path}, command, words)
		p.Status, p.Text, p.Hint = f.Status, strings.TrimPrefix(f.Text, filepath.ToSlash(path)+": "), f.Hint
		in.add(p)
	}
}

// refuse reports the command line of a part, which is not run.
func (in *inspection) refuse(p agentPart, program string, err error) {
	if errors.Is(err, install.ErrNoProgram) { // reported once
		if in.checked[program] {
			return
		}
		in.checked[program] = true
		p.Part = partProgram
	}
	f := refusal(p.Agent, p.Command, err)
	if p.Part == setup.PartServers && errors.Is(err, install.ErrNotWritten) { // init does not change it
		f.Hint = "Check it, since the agent may run it; it may be another server of this name."
	}
	p.Status, p.Text, p.Hint = f.Status, f.Text, f.Hint
	in.add(p)
}

func (in *inspection) serversIn(ctx context.Context, name, path, project string, private bool) {
	for _, words := range install.Servers(name, readOrEmpty(path), project) {
		p := agentPart{Agent: name, Part: setup.PartServers, File: in.displayPath(path), Command: strings.Join(words, " "), Status: statusProblem}
		run, err := in.trust.Server(words, private)
		switch {
		case err != nil:
			in.refuse(p, words[0], err)
			continue
		case !in.program(ctx, name, path, run[0]):
			continue
		case run[1] != "mcp":
			p.Status, p.Text = statusOK, fmt.Sprintf("%q: the language server, which speaks when a file is opened", p.Command)
		default:
			p = in.server(ctx, p, run)
		}
		in.add(p)
	}
}

// server starts a server and lists its tools.
func (in *inspection) server(ctx context.Context, p agentPart, words []string) agentPart {
	key := strings.Join(words, "\x00")
	tried, known := in.servers[key]
	if !known {
		ctx, cancel := context.WithTimeout(ctx, serverLimit)
		defer cancel()
		var answer mcpprobe.Answer
		err := inEmptyFolder(func(dir string) (err error) {
			answer, err = mcpprobe.Ask(ctx, dir, append(words, "--root", in.w.Root()), in.cmd.now)
			return err
		})
		tried.Status = statusProblem
		switch {
		case errors.Is(err, mcpprobe.ErrStays):
			tried.Text, tried.Hint = fmt.Sprintf("%q: %v", p.Command, err), "It was killed. Report this: an agent that dies would leave it running."
		case err != nil:
			tried.Text, tried.Hint = fmt.Sprintf("%q: %v", p.Command, err), "Run it by hand: it should wait for input in silence."
		case len(answer.Tools) == 0:
			tried.Text, tried.Hint = fmt.Sprintf("%q has no tools", p.Command), "`manicule version` says which version it is."
		default:
			tried.Status, tried.Text = statusOK, fmt.Sprintf("%s in %s: %s", count(len(answer.Tools), "tool", "tools"), answer.Took.Round(100*time.Microsecond), strings.Join(answer.Tools, ", "))
		}
		in.servers[key] = tried
	}
	p.Status, p.Text, p.Hint = tried.Status, tried.Text, tried.Hint
	return p
}

func (in *inspection) rules(name, path string) {
	data := readOrEmpty(path)
	if !install.HasRules(data) {
		return
	}
	p := agentPart{Agent: name, Part: setup.PartRules, File: in.displayPath(path), Status: statusOK, Text: "as this version writes it"}
	if now, err := install.AddRules(name, data); err != nil || !bytes.Equal(now, data) {
		p.Status, p.Text, p.Hint = statusNote, "not as this version writes it", "`manicule init --agent "+name+"` writes it again."
	}
	in.add(p)
}

// program checks that a trusted program exists and has this version. It reports each
// program once, and returns whether it can run.
func (in *inspection) program(ctx context.Context, name, path, full string) bool {
	if ok, known := in.checked[full]; known {
		return ok
	}
	in.checked[full] = true
	p := agentPart{Agent: name, Part: partProgram, File: in.displayPath(path), Command: full + " version", Status: statusProblem}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, full, "version", "--json")
	cmd.WaitDelay = time.Second
	var out []byte
	err := inEmptyFolder(func(dir string) (err error) {
		cmd.Dir = dir
		out, err = cmd.Output()
		return err
	})
	var said struct {
		Shape   string `json:"shape"`
		Version string `json:"version"`
		State   int    `json:"state_schema"` // earlier ones don't say it
	}
	own := release.Current().State
	switch {
	case err != nil:
		p.Text, p.Hint = fmt.Sprintf("%s can't be run: %v", full, err), "Install Manicule again."
	case json.Unmarshal(out, &said) != nil || !strings.HasPrefix(said.Shape, "manicule/version/"):
		p.Text, p.Hint = full+" is not Manicule", "Check what it is, and put Manicule before it on your PATH."
	case said.Version != version:
		p.Status, p.Text, p.Hint = statusNote, fmt.Sprintf("%s is version %s, this is %s", full, said.Version, version), "Agents run the other one. Install this one over it, or remove it."
	case said.State != 0 && said.State != own: // built from sources of different days
		p.Status, p.Text, p.Hint = statusNote, fmt.Sprintf("%s is another build of %s: it knows schema %d of state.db, this one %d", full, version, said.State, own), "Agents run the other one. Install both programs from the same sources."
	default:
		p.Status, p.Text = statusOK, full+" is this version, "+version
	}
	in.add(p)
	if p.Status == statusProblem {
		in.checked[full] = false
	}
	return in.checked[full]
}

// plugins checks the packages that an agent itself installed, and returns whether there
// is one.
func (in *inspection) plugins(ctx context.Context, name string) bool {
	found := false
	for _, p := range in.cmd.installedPlugins(in.w.Place(), name) {
		found = true
		part := agentPart{Agent: name, Part: partPlugin, File: in.displayPath(p.dir), Status: statusOK, Text: "version " + p.version}
		own, _, _ := strings.Cut(version, "-")
		switch {
		case p.off:
			part.Status, part.Text, part.Hint = statusNote, part.Text+", switched off", "Switch it on in the agent, or uninstall it."
		case p.version != own:
			part.Status, part.Text, part.Hint = statusNote, part.Text+", this is "+own, "Update it in the agent; the program does not wait for it."
		}
		in.add(part)
		if p.off {
			continue
		}
		hooks := filepath.Join(p.dir, "hooks", "hooks.json")
		in.hooks(ctx, name, hooks, false) // written by somebody else
		servers := filepath.Join(p.dir, p.servers)
		in.serversIn(ctx, name, servers, "", false)
	}
	return found
}

// plugin is a package of Manicule that an agent has installed.
type plugin struct {
	dir, version string
	servers      string // the file that names its servers
	off          bool
}

// pluginName is the name of our packages.
const pluginName = "manicule"

func (dac *doctorAgentsCommand) installedPlugins(p *workspace.Workspace, name string) []plugin {
	switch name {
	case "claude-code":
		return dac.claudePlugins(p)
	case "gemini":
		return dac.geminiExtensions()
	}
	return nil
}

// claudePlugins reads Claude Code's list of plugins in the format of version 2.1.329.
func (dac *doctorAgentsCommand) claudePlugins(p *workspace.Workspace) []plugin {
	dir := dac.getenv("CLAUDE_CONFIG_DIR")
	if dir == "" {
		if dir = dac.getenv("HOME"); dir == "" {
			return nil
		}
		dir = filepath.Join(dir, ".claude")
	}
	var list struct {
		Plugins map[string][]struct {
			Scope   string `json:"scope"`
			Path    string `json:"installPath"`
			Version string `json:"version"`
			Project string `json:"projectPath"`
		} `json:"plugins"`
	}
	if json.Unmarshal(readOrEmpty(filepath.Join(dir, "plugins", "installed_plugins.json")), &list) != nil {
		return nil
	}
	enabled := map[string]bool{}
	for _, file := range []string{filepath.Join(dir, "settings.json"), filepath.Join(p.Root, ".claude", "settings.json"), filepath.Join(p.Root, ".claude", "settings.local.json")} {
		var settings struct {
			Enabled map[string]bool `json:"enabledPlugins"`
		}
		if json.Unmarshal(install.Plain(readOrEmpty(file)), &settings) == nil {
			for id, on := range settings.Enabled {
				enabled[id] = on
			}
		}
	}
	var out []plugin
	for id, copies := range list.Plugins {
		if plain, _, _ := strings.Cut(id, "@"); plain != pluginName {
			continue
		}
		for _, c := range copies {
			if c.Project != "" && c.Project != p.Root && c.Project != setup.AgentProject(p) {
				continue
			}
			out = append(out, plugin{dir: c.Path, version: c.Version, servers: ".mcp.json", off: !enabled[id]})
		}
	}
	sorting.Func(out, func(x, y plugin) int { return strings.Compare(x.dir, y.dir) })
	return out
}

// geminiExtensions reads the extensions folder of Gemini CLI 0.61. A linked extension is
// elsewhere.
func (dac *doctorAgentsCommand) geminiExtensions() []plugin {
	home := dac.getenv("HOME")
	if home == "" {
		return nil
	}
	dir := filepath.Join(home, ".gemini", "extensions", pluginName)
	var link struct {
		Source string `json:"source"`
		Type   string `json:"type"`
	}
	if json.Unmarshal(readOrEmpty(filepath.Join(dir, ".gemini-extension-install.json")), &link) == nil && link.Type == "link" && filepath.IsAbs(link.Source) {
		dir = link.Source
	}
	var manifest struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(readOrEmpty(filepath.Join(dir, "gemini-extension.json")), &manifest) != nil {
		return nil
	}
	return []plugin{{dir: dir, version: manifest.Version, servers: "gemini-extension.json"}}
}
