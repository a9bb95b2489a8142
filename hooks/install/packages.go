package install

import (
	"fmt"
	"strings"

	"manicule/hooks/claude"
	"manicule/hooks/copilot"
	"manicule/hooks/gemini"
	"manicule/hooks/guide"
	"manicule/hooks/vscode"
)

// What the packages say of themselves.
const (
	packageText = "What this codebase has taught, where it applies: memories tied to code, told when they matter."
	licence     = "Apache-2.0"
)

// Packages lists the files of the agents' packages that follow from the tables
// of this package, by their path below the folder of extensions. For most
// agents they are what `manicule init --agent X --shared` writes, at the same
// places; Claude Code and Gemini take a plugin. version is the program's.
func Packages(version string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, name := range Agents() {
		if name == claude.Agent || name == gemini.Agent {
			continue
		}
		if err := addFiles(out, name); err != nil {
			return nil, fmt.Errorf("the package of %s: %w", name, err)
		}
	}
	// A plugin's version has no part behind a dash: agents compare three numbers.
	version, _, _ = strings.Cut(version, "-")
	for _, f := range []func(map[string][]byte, string) error{claudePlugin, geminiExtension} {
		if err := f(out, version); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addFiles adds what an agent reads from a repository.
func addFiles(out map[string][]byte, name string) error {
	command, err := Command(name, "manicule", true)
	if err != nil {
		return err
	}
	dir := name
	if name == vscode.Agent {
		dir = copilot.Agent // the folder of this name holds the editor's extension
	}
	at := func(w Where) string { return dir + "/" + w.Path }
	hooks, err := File(name, true)
	if err != nil {
		return err
	}
	if out[at(hooks)], err = Add(name, nil, command); err != nil {
		return err
	}
	if rules, ok := RulesFile(name); ok {
		if out[at(rules)], err = AddRules(name, nil); err != nil {
			return err
		}
	}
	servers, ok, err := ServersFile(name, true)
	if err != nil {
		return err
	}
	if !ok { // one that goes into the home folder
		if servers, _, err = ServersFile(name, false); err != nil {
			return err
		}
		servers.Path = servers.Path[strings.LastIndexByte(servers.Path, '/')+1:]
	}
	out[at(servers)], err = AddServers(name, out[at(servers)], "manicule", "")
	return err
}

// written is a JSON file.
func written(v object) []byte { return []byte(render(v, "", "  ", "\n", false) + "\n") }

func claudePlugin(out map[string][]byte, version string) error {
	const dir = claude.Agent + "/"
	command, err := Command(claude.Agent, "manicule", true)
	if err != nil {
		return err
	}
	if out[dir+"hooks/hooks.json"], err = Add(claude.Agent, nil, command); err != nil {
		return err
	}
	if out[dir+".mcp.json"], err = AddServers(claude.Agent, nil, "manicule", ""); err != nil {
		return err
	}
	owner := object{{"name", "Manicule"}}
	out[dir+".claude-plugin/plugin.json"] = written(object{
		{"name", Server}, {"displayName", "Manicule"}, {"version", version}, {"description", packageText},
		{"author", owner}, {"license", licence}, {"keywords", []string{"memory", "knowledge", "code"}},
	})
	out[dir+".claude-plugin/marketplace.json"] = written(object{
		{"name", Server}, {"owner", owner}, {"metadata", object{{"description", packageText}}},
		{"plugins", []object{
			{{"name", Server}, {"source", "./"}, {"description", packageText}},
			goplsPlugin(version),
		}},
	})
	out[dir+"skills/memories/SKILL.md"] = []byte("---\nname: memories\ndescription: \"" + guide.When() + "\"\n---\n\n" + guide.Skill())
	return nil
}

// goplsPlugin is a plugin of its own: Claude Code runs one language server for
// a file type, so Manicule's own would keep gopls from starting.
func goplsPlugin(version string) object {
	return object{
		{"name", Server + "-gopls"}, {"source", "./gopls"}, {"version", version}, {"strict", false},
		{"description", "gopls with what Manicule knows in its hovers and problems. It takes the place of another plugin for Go."},
		{"lspServers", object{{"gopls", object{
			{"command", "manicule"}, {"args", []string{wordLSP, "--wrap", "gopls"}},
			{"extensionToLanguage", object{{".go", "go"}, {".mod", "go.mod"}, {".sum", "go.sum"}, {".work", "go.work"}}},
		}}}},
	}
}

func geminiExtension(out map[string][]byte, version string) error {
	const dir = gemini.Agent + "/"
	command, err := Command(gemini.Agent, "manicule", true)
	if err != nil {
		return err
	}
	if out[dir+"hooks/hooks.json"], err = Add(gemini.Agent, nil, command); err != nil {
		return err
	}
	// The server's instructions reach the model, so there is no context file.
	out[dir+"gemini-extension.json"] = written(object{
		{"name", Server}, {"version", version}, {"description", packageText},
		{"mcpServers", object{{Server, object{{"command", "manicule"}, {"args", []string{wordMCP}}}}}},
	})
	return nil
}
