package install

import (
	"fmt"
	"path"
	"strings"

	"manicule/hooks/agent"
	"manicule/hooks/agent/spec"
	"manicule/indexer/typo"
)

// Where is a configuration file.
type Where = spec.File

// Agents lists the installable agents.
func Agents() []string { return agent.All().IDs() }

// HomeFolder returns the folder that an agent makes in the user's home folder, with slashes, or "".
func HomeFolder(name string) string {
	a, _ := agent.Lookup(name)
	return a.Home
}

// UnknownAgentError means that no agent has a name.
type UnknownAgentError struct {
	Name  string
	Meant string // the agent that may be meant, "" if none
}

// Error names what was asked for.
func (e *UnknownAgentError) Error() string { return fmt.Sprintf("unknown agent %q", e.Name) }

// Hint says which agent may be meant, or which there are.
func (e *UnknownAgentError) Hint() string {
	if e.Meant != "" {
		return "Did you mean " + e.Meant + "?"
	}
	return "Use one of: " + strings.Join(Agents(), ", ") + "."
}

func lookup(name string) (spec.Agent, error) {
	a, ok := agent.Lookup(name)
	if !ok {
		return a, &UnknownAgentError{name, meant(name)}
	}
	return a, nil
}

// meant returns the agent that somebody may have meant by a name that no agent has, "" if none.
func meant(name string) string {
	best, least := "", 0
	for _, id := range Agents() {
		if far, ok := typo.Meant(id, name); ok && (best == "" || far < least) {
			best, least = id, far
		}
	}
	return best
}

// File returns the configuration file of an agent's hooks: the user's, or the one shared
// with everybody who clones the repository.
func File(name string, shared bool) (Where, error) {
	a, err := lookup(name)
	if err != nil {
		return Where{}, err
	}
	if shared {
		return a.Hooks.Shared, nil
	}
	return a.Hooks.Private, nil
}

// Command returns the line to install, for a POSIX shell. binary is the program's name or path. The shared
// form does nothing if the program isn't installed. Neither fails: a program that the system
// ends before it begins, for want of threads, exits with 2, by which most agents refuse the tool call.
func Command(name, binary string, shared bool) (string, error) {
	a, err := lookup(name)
	if err != nil {
		return "", err
	}
	return command(a, binary, shared), nil
}

// BareCommand is the private form of [Command] for systems with other shells. Earlier versions wrote it everywhere.
func BareCommand(name, binary string) (string, error) {
	a, err := lookup(name)
	if err != nil {
		return "", err
	}
	return bareCommand(a, binary), nil
}

func bareCommand(a spec.Agent, binary string) string { return ShellQuote(binary) + " hook " + a.ID }

func command(a spec.Agent, binary string, shared bool) string {
	program, line := ShellQuote(binary), bareCommand(a, binary)
	if !shared {
		return line + " || true"
	}
	// Use "if" instead of "&&" and "||", so that the empty answer never follows a real one.
	line = "if command -v " + program + " >/dev/null 2>&1; then " + line + " || true; "
	if a.Hooks.EmptyJSON {
		line += "else echo '{}'; "
	}
	return line + "fi"
}

// ShellQuote quotes a word for a POSIX shell.
func ShellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ours reports whether Command wrote a configured command, in any version and with any
// path of the program.
func ours(name, command string) bool {
	before, after, ok := strings.Cut(command, " hook "+name)
	if !ok || after != "" && after[0] != ' ' {
		return false
	}
	if _, guarded, ok := strings.Cut(before, "; then "); ok && strings.HasPrefix(before, "if command -v ") {
		before = guarded
	}
	program := strings.ToLower(path.Base(strings.ReplaceAll(strings.Trim(before, `'"& `), `\`, "/")))
	program = strings.TrimSuffix(program, ".exe")
	return program == Server || program == HookProgram
}
