package spec

import "strings"

// Timeouts that agents are told, in seconds: far longer than a hook takes, but short
// enough for a person to wait on a machine in trouble.
const (
	QuickSeconds  = 3
	PromptSeconds = 10 // a prompt may be a memory, which is worth the wait
	AsyncSeconds  = 10
)

// File is a configuration file, relative to the repository or to the home folder. Env
// names the variable that replaces the home folder. The zero File is none.
type File struct {
	Path string
	Home bool
	Env  string
}

// InRepository returns a file below the repository's root.
func InRepository(path string) File { return File{Path: path} }

// InHome returns a file below the home folder.
func InHome(path string) File { return File{Path: path, Home: true} }

// ByProject reports whether the file groups its servers by the folder of a project.
func (f File) ByProject() bool { return f.Env != "" }

// Hooks describes the configuration of an agent's hooks and our entries in it.
type Hooks struct {
	Private, Shared File
	Version         bool // the file has the member "version": 1
	EmptyJSON       bool // the agent requires JSON even if the program is missing
	// Events returns the entries for a command line.
	Events func(command string) []Registration
	// Plugin is the source of a plugin, for an agent without command hooks. The whole file
	// is ours. It begins with PluginMark and names the command line as `const command =
	// "manicule hook ID"`.
	Plugin string
}

// PluginMark identifies a plugin file that Manicule wrote.
const PluginMark = "// Written by `manicule init`"

// Registration is one entry under the name of an event.
type Registration struct {
	Event string
	Entry Object
}

// On registers an entry for an event.
func On(event string, entry Object) Registration { return Registration{Event: event, Entry: entry} }

// Grouped registers a handler in the format that Claude Code introduced and others
// adopted. An empty matcher is left out.
func Grouped(event, matcher string, handler Object) Registration {
	var o Object
	if matcher != "" {
		o = Object{{"matcher", matcher}}
	}
	return On(event, append(o, Member{"hooks", []Object{handler}}))
}

// Servers describes the configuration of an agent's servers and our entries in it.
type Servers struct {
	Private File
	Shared  File // the zero File if the agent reads none from the repository
	// Entries returns the values to set, for the program and the folder by which the agent
	// knows the project.
	Entries func(program, project string) []Entry
	TOML    bool
	// Keep leaves the object of our server in place when it becomes empty, because the agent
	// writes it itself.
	Keep bool
	// Session is the member of a call's metadata that names the session, "" for none.
	Session string
}

// Entry is an object under a path of member names.
type Entry struct {
	Path  []string
	Value Object
}

// Under makes the entry of one server below the named objects.
func Under(value func(program string) Object, names ...string) func(program, project string) []Entry {
	return func(program, _ string) []Entry {
		return []Entry{{Path: append(names[:len(names):len(names)], Server), Value: value(program)}}
	}
}

// Stdio is the usual format of a server on standard input and output.
func Stdio(program string) Object {
	return Object{{"command", program}, {"args", []string{WordMCP}}}
}

// Typed is [Stdio] with a type.
func Typed(kind string) func(program string) Object {
	return func(program string) Object { return append(Object{{"type", kind}}, Stdio(program)...) }
}

// Rule is a file with a standing rule, for agents whose hooks may not reach the model.
// The whole file is ours. The zero Rule is none.
type Rule struct {
	File File
	Head string // text for the agent itself, before the rule
}

// Package describes the agent's folder below extensions, apart from handwritten README
// files. The zero Package contains what `init --shared` writes.
type Package struct {
	// Dir is the folder; empty for the agent's ID.
	Dir string
	// Plugin lists the files of a plugin, given a version of three numbers. If it is set,
	// the package is a plugin, and Hooks and Servers are the paths of those files in it. An
	// empty path leaves the file out.
	Plugin         func(version string) []PackageFile
	Hooks, Servers string
}

// PackageFile is a file of a package: a JSON object, or a text.
type PackageFile struct {
	Path string
	JSON Object
	Text string
}

// The license and description of packages.
const (
	PackageText = "What this codebase has taught, where it applies: memories tied to code, told when they matter."
	License     = "Apache-2.0"
)

// PowerShell returns a hook's command line for PowerShell, which has no "command -v".
func PowerShell(command string) string {
	guarded, ok := strings.CutPrefix(command, "if command -v ")
	if !ok {
		command = strings.TrimSuffix(command, " || true") // its exit code for a failure is 1
		if strings.HasPrefix(command, "'") {
			return "& " + command
		}
		return command
	}
	_, line, _ := strings.Cut(guarded, "; then ")
	line, _, _ = strings.Cut(line, " || ")
	program, _, _ := strings.Cut(guarded, " >/dev/null")
	if strings.HasPrefix(line, "'") {
		line = "& " + line
	}
	return "if (Get-Command " + program + " -ErrorAction SilentlyContinue) { " + line + " } else { '{}' }"
}
