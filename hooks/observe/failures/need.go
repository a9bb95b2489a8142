package failures

import (
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
)

// Need is what a command lacked when it failed.
type Need string

// The kinds of needs.
const (
	NeedsVariable Need = "variable"
	NeedsService  Need = "service"
	NeedsFolder   Need = "folder"
	NeedsManager  Need = "manager" // another package manager
	NeedsBefore   Need = "before"  // what another command builds, installs or generates
)

// remedy is the need that was met when a failed command then worked. It holds names only,
// never values.
type remedy struct {
	need Need
	name string // the variable, the command that starts a service, the folder, the manager
}

// remedyOf finds what a failed call lacked, from the calls up to the one that worked.
func remedyOf(failed, worked fold.Step, between []fold.Step) (remedy, bool) {
	if m := cmdline.Manager(failed.Command); m != "" {
		if n := cmdline.Manager(worked.Command); n != "" && n != m && cmdline.Managed(failed.Command) == cmdline.Managed(worked.Command) {
			return remedy{NeedsManager, n}, true
		}
	}
	if name := newVariable(failed, worked, between); name != "" {
		return remedy{NeedsVariable, name}, true
	}
	if cmdline.PlainCommand(failed.Command) != cmdline.PlainCommand(worked.Command) {
		return remedy{}, false
	}
	if cmdline.Absent(failed.Line) {
		for _, s := range between {
			if !s.Done || !s.OK || s.Class != event.Shell {
				continue
			}
			if start := cmdline.ServiceStart(s.Command); start != "" {
				return remedy{NeedsService, start}, true
			}
		}
	}
	if cmdline.LacksModule(failed.Line) && !edits(between) {
		if made := maker(between); made != "" {
			return remedy{NeedsBefore, made}, true
		}
	}
	if from, to := folderOf(failed), folderOf(worked); to != from && to != "" && !edits(between) {
		return remedy{NeedsFolder, to}, true
	}
	return remedy{}, false
}

func edits(list []fold.Step) bool {
	return slices.ContainsFunc(list, func(s fold.Step) bool { return s.Edits() })
}

// newVariable returns the variable of the working command that the failed one lacked: one
// that the error names, else one that is set right before the program.
func newVariable(failed, worked fold.Step, between []fold.Step) string {
	had := cmdline.Assigned(failed.Command)
	for _, s := range append(slices.Clone(between), worked) {
		if s.Class != event.Shell {
			continue
		}
		for _, name := range cmdline.Assigned(s.Command) {
			if slices.Contains(had, name) {
				continue
			}
			named := slices.Contains(cmdline.VariableError().FindAllString(failed.Text, -1), name)
			if named || s.N == worked.N && cmdline.Unassigned(worked.Command) == cmdline.Unassigned(failed.Command) {
				return name
			}
		}
	}
	return ""
}

// maker returns the last of some calls that built, installed or generated something and worked, as its command; "" if there is none, or
// it does that for what its text holds.
func maker(between []fold.Step) string {
	for _, s := range slices.Backward(between) {
		if !s.Done || !s.OK || s.Class != event.Shell {
			continue
		}
		for _, args := range s.Simple {
			if !slices.ContainsFunc(strings.Fields(cmdline.KeyOf(args)), makes) {
				continue
			}
			if command := strings.Join(args, " "); len(command) <= maxMaker {
				return command
			}
		}
	}
	return ""
}

// makes reports whether a word of a command says that it builds, installs or generates something.
func makes(word string) bool {
	switch word {
	case "build", "install", "ci", "generate", "codegen", "prepare", "compile", "sync", "bootstrap":
		return true
	}
	return strings.HasPrefix(word, "build:") || strings.HasPrefix(word, "generate:")
}

// maxMaker bounds such a command.
const maxMaker = 80

// folderOf returns the folder below the root in which a call's command runs, "." for the
// root.
func folderOf(s fold.Step) string {
	dir := s.Dir
	if rest, ok := strings.CutPrefix(strings.TrimSpace(s.Command), "cd "); ok {
		to, _, chained := strings.Cut(rest, "&&")
		to = strings.Trim(strings.TrimSpace(to), `"'`)
		if !chained || strings.ContainsAny(to, "$~` ") {
			return ""
		}
		if s.Rel != nil {
			rel, ok := s.Rel(to)
			if !ok {
				return ""
			}
			return rel
		}
	}
	return dir
}
