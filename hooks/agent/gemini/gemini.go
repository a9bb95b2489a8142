// Package gemini owns everything about Gemini CLI: its hook payloads and answers, its
// configuration file, its transcripts and its extension. It is pure. It must not know
// memories, the disk or other agents.
package gemini

import "manicule/hooks/agent/spec"

const id = "gemini"

const perSecond = 1000 // Gemini CLI counts in milliseconds

// Agent describes Gemini CLI.
func Agent() spec.Agent {
	settings := spec.InRepository(".gemini/settings.json")
	return spec.Agent{
		ID:         id,
		Home:       ".gemini",
		Wire:       spec.Wire{Parse: parse, Render: render, Evidence: evidence, Probe: spec.SessionStart},
		Env:        spec.Env{Project: "GEMINI_PROJECT_DIR", Shell: []string{"GEMINI_CLI"}},
		Hooks:      spec.Hooks{Private: settings, Shared: settings, EmptyJSON: true, Events: events},
		Servers:    spec.Servers{Private: settings, Shared: settings, Entries: spec.Under(spec.Stdio, "mcpServers")},
		Package:    spec.Package{Plugin: extension, Hooks: "hooks/hooks.json"},
		Transcript: spec.Transcript{Format: format()},
		Loads:      spec.Loads{Files: []string{"**/GEMINI.md"}},
		Clients:    []string{"gemini"},
		Authors:    []string{"gemini-cli", "gemini cli", "gemini-code-assist"},
	}
}

func events(command string) []spec.Registration {
	timed := func(seconds int) spec.Object {
		return spec.Object{{"type", "command"}, {"name", "manicule"}, {"command", command}, {"timeout", seconds * perSecond}}
	}
	handler := timed(spec.QuickSeconds)
	return []spec.Registration{
		spec.Grouped("SessionStart", "", handler),
		spec.Grouped("BeforeAgent", "", timed(spec.PromptSeconds)),
		spec.Grouped("AfterTool", "read_file|read_many_files|replace|write_file|grep_search|glob|list_directory|run_shell_command|web_fetch|google_web_search|mcp_.*", handler),
		spec.Grouped("PreCompress", "manual", handler),
		spec.Grouped("SessionEnd", "", handler),
	}
}

// extension is the package. It has no context file, because the server's instructions
// reach the model.
func extension(version string) []spec.PackageFile {
	return []spec.PackageFile{{Path: "gemini-extension.json", JSON: spec.Object{
		{"name", spec.Server}, {"version", version}, {"description", spec.PackageText},
		{"mcpServers", spec.Object{{spec.Server, spec.Stdio("manicule")}}},
	}}}
}
