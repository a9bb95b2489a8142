package install

import (
	"fmt"
	"path"
	"strings"

	"manicule/hooks/agent"
	"manicule/hooks/agent/spec"
)

// Packages lists the files of the agents' packages by their path below the extensions
// folder. Most agents get the files that `manicule init --agent X --shared` writes;
// others get a plugin. version is the program's.
func Packages(version string) (map[string][]byte, error) { return packages(agent.All(), version) }

func packages(agents agent.List, version string) (map[string][]byte, error) {
	// A plugin's version has no suffix after a dash, because agents compare three numbers.
	version, _, _ = strings.Cut(version, "-")
	out := map[string][]byte{}
	for _, a := range agents {
		p := pack{files: out, agent: a, dir: a.Package.Dir}
		if p.dir == "" {
			p.dir = a.ID
		}
		write := p.shared
		if a.Package.Plugin != nil {
			write = func() error { return p.plugin(version) }
		}
		if err := write(); err != nil {
			return nil, fmt.Errorf("the package of %s: %w", a.ID, err)
		}
	}
	return out, nil
}

// pack builds the package of one agent.
type pack struct {
	files map[string][]byte
	agent spec.Agent
	dir   string
}

// shared adds the files that the agent reads from a repository.
func (p pack) shared() error {
	a := p.agent
	if err := p.hooks(a.Hooks.Shared.Path); err != nil {
		return err
	}
	if a.Rule != (spec.Rule{}) {
		rules, err := addRules(a, nil)
		if err != nil {
			return err
		}
		p.files[p.at(a.Rule.File.Path)] = rules
	}
	servers := a.Servers.Shared.Path
	if servers == "" { // a file for the home folder
		servers = path.Base(a.Servers.Private.Path)
	}
	return p.servers(servers)
}

// plugin adds the files of the agent's plugin.
func (p pack) plugin(version string) error {
	for _, f := range p.agent.Package.Plugin(version) {
		data := []byte(f.Text)
		if f.JSON != nil {
			data = []byte(spec.Render(f.JSON, spec.Layout{Unit: "  ", Newline: "\n"}) + "\n")
		}
		p.files[p.at(f.Path)] = data
	}
	if err := p.hooks(p.agent.Package.Hooks); err != nil {
		return err
	}
	return p.servers(p.agent.Package.Servers)
}

func (p pack) at(name string) string { return p.dir + "/" + name }

func (p pack) hooks(name string) (err error) {
	if name != "" {
		p.files[p.at(name)], err = addHooks(p.agent, p.files[p.at(name)], command(p.agent, spec.Server, true))
	}
	return err
}

func (p pack) servers(name string) (err error) {
	if name != "" {
		p.files[p.at(name)], err = addServers(p.agent, p.files[p.at(name)], spec.Server, "")
	}
	return err
}
