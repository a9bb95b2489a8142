package spec

import "strings"

// Timeouts that agents are told, in seconds: far beyond what a hook takes, and
// short enough that a machine in trouble doesn't keep a person waiting.
const (
	QuickSeconds  = 3
	PromptSeconds = 10 // a prompt may be a memory, which is worth the wait
	AsyncSeconds  = 10
)

// File is a configuration file: relative to the repository, or to the home
// folder. Env names the variable that puts another folder in the home folder's
// place. The zero File is none.
type File struct {
	Path string
	Home bool
	Env  string
}

// InRepository is a file below the repository's root.
func InRepository(path string) File { return File{Path: path} }

// InHome is a file below the home folder.
func InHome(path string) File { return File{Path: path, Home: true} }

// ByProject reports whether the file names the projects that its servers are
// for, by their folder.
func (f File) ByProject() bool { return f.Env != "" }

// Hooks says where an agent's hooks are configured and what ours look like.
type Hooks struct {
	Private, Shared File
	Version         bool // the file says "version": 1
	EmptyJSON       bool // the agent wants JSON also where the program is missing
	// Events are the entries to write for a command line.
	Events func(command string) []Registration
	// Plugin is the source of a plugin, for an agent that has no command hooks:
	// the whole file is ours, begins with PluginMark and names the command line as
	// `const command = "manicule hook ID"`.
	Plugin string
}

// PluginMark is how a plugin file of ours is known.
const PluginMark = "// Written by `manicule init`"

// Registration is one entry under the name of an event.
type Registration struct {
	Event string
	Entry Object
}

// On registers an entry for an event.
func On(event string, entry Object) Registration { return Registration{Event: event, Entry: entry} }

// Grouped registers a handler in the form that Claude Code began and others took
// over. An empty matcher is left out.
func Grouped(event, matcher string, handler Object) Registration {
	var o Object
	if matcher != "" {
		o = Object{{"matcher", matcher}}
	}
	return On(event, append(o, Member{"hooks", []Object{handler}}))
}

// Servers says where an agent looks for servers and what ours look like.
type Servers struct {
	Private File
	Shared  File // the zero File where the agent reads none from the repository
	// Entries are the values to set, for the program and the folder by which the
	// agent knows the project.
	Entries func(program, project string) []Entry
	TOML    bool
	// Keep leaves an object that held our server in place when it is empty: the
	// agent writes it itself.
	Keep bool
}

// Entry is an object under a path of member names.
type Entry struct {
	Path  []string
	Value Object
}

// Under makes the entry of one server, which stands under names of objects.
func Under(value func(program string) Object, names ...string) func(program, project string) []Entry {
	return func(program, _ string) []Entry {
		return []Entry{{Path: append(names[:len(names):len(names)], Server), Value: value(program)}}
	}
}

// Stdio is the usual form of a server that speaks over standard input and output.
func Stdio(program string) Object {
	return Object{{"command", program}, {"args", []string{WordMCP}}}
}

// Typed is [Stdio] with a type.
func Typed(kind string) func(program string) Object {
	return func(program string) Object { return append(Object{{"type", kind}}, Stdio(program)...) }
}

// Rule is a file with a standing rule, for agents whose hooks may not reach the
// model. The whole file is ours. The zero Rule is none.
type Rule struct {
	File File
	Head string // what the agent reads of it, before the rule
}

// Package says what the agent's folder below extensions holds, beside README
// files, which are written by hand. The zero Package is what `init --shared`
// writes.
type Package struct {
	// Dir is the folder; empty for one of the agent's ID.
	Dir string
	// Plugin lists the files of a plugin, for a version of three numbers. Where it
	// is set, the package is a plugin, and Hooks and Servers are the paths at which
	// it has ours; an empty path leaves the file out.
	Plugin         func(version string) []PackageFile
	Hooks, Servers string
}

// PackageFile is a file of a package: a JSON object, or a text.
type PackageFile struct {
	Path string
	JSON Object
	Text string
}

// What packages say of themselves.
const (
	PackageText = "What this codebase has taught, where it applies: memories tied to code, told when they matter."
	License     = "Apache-2.0"
)

// PowerShell is a hook's command line for PowerShell, which knows nothing of
// "command -v".
func PowerShell(command string) string {
	guarded, ok := strings.CutPrefix(command, "if command -v ")
	if !ok {
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
