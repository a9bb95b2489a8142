package observe

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
	"manicule/memory/file"
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

// variableError matches an error about an unset environment variable.
var variableError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b`) })

// remedyOf finds what a failed call lacked, from the calls up to the one that worked.
func remedyOf(failed, worked step, between []step) (remedy, bool) {
	if m := manager(failed.command); m != "" {
		if n := manager(worked.command); n != "" && n != m && managed(failed.command) == managed(worked.command) {
			return remedy{NeedsManager, n}, true
		}
	}
	if name := newVariable(failed, worked, between); name != "" {
		return remedy{NeedsVariable, name}, true
	}
	if plainCommand(failed.command) != plainCommand(worked.command) {
		return remedy{}, false
	}
	if absent(failed.line) {
		for _, s := range between {
			if !s.done || !s.ok || s.class != event.Shell {
				continue
			}
			if start := serviceStart(s.command); start != "" {
				return remedy{NeedsService, start}, true
			}
		}
	}
	if lacksModule(failed.line) && !edits(between) {
		if made := maker(between); made != "" {
			return remedy{NeedsBefore, made}, true
		}
	}
	if from, to := folderOf(failed), folderOf(worked); to != from && to != "" && !edits(between) {
		return remedy{NeedsFolder, to}, true
	}
	return remedy{}, false
}

func edits(list []step) bool {
	return slices.ContainsFunc(list, func(s step) bool { return s.edits() })
}

// newVariable returns the variable of the working command that the failed one lacked: one
// that the error names, else one that is set right before the program.
func newVariable(failed, worked step, between []step) string {
	had := assigned(failed.command)
	for _, s := range append(slices.Clone(between), worked) {
		if s.class != event.Shell {
			continue
		}
		for _, name := range assigned(s.command) {
			if slices.Contains(had, name) {
				continue
			}
			named := slices.Contains(variableError().FindAllString(failed.text, -1), name)
			if named || s.n == worked.n && unassigned(worked.command) == unassigned(failed.command) {
				return name
			}
		}
	}
	return ""
}

// assignment matches a variable that is set for a command, or exported.
var assignment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[;&|]\s*|\s)(?:export\s+)?([A-Z][A-Z0-9_]{2,})=("[^"]*"|'[^']*'|[^\s;&|]*)`)
})

// assigned lists the variables that a command line sets before a program.
func assigned(command string) []string {
	var out []string
	for _, m := range assignment().FindAllStringSubmatchIndex(command, -1) {
		before := strings.TrimSpace(command[:m[2]])
		if i := strings.LastIndexAny(before, ";&|"); i >= 0 {
			before = strings.TrimSpace(before[i+1:])
		}
		before = strings.TrimSpace(assignment().ReplaceAllString(before, " "))
		if before != "" && before != "export" && before != "env" {
			continue // an argument of the program: --define X=1
		}
		if name := command[m[2]:m[3]]; !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// unassigned returns a command without its variable assignments.
func unassigned(command string) string {
	return strings.Join(strings.Fields(assignment().ReplaceAllString(plainCommand(command), " ")), " ")
}

// absent reports whether an error is about something that does not run or answer.
func absent(line string) bool {
	return wording.Has(strings.ToLower(line), "connection refused", "econnrefused", "could not connect", "cannot connect", "can't connect", "failed to connect", "is the server running", "is the docker daemon running",
		"connect: no such file", "no connection could be made", "connection reset", "not reachable")
}

// lacksModule reports whether an error is about a module, or its types, that is not there: it may have to be built, installed or
// generated first.
func lacksModule(line string) bool {
	return wording.Has(strings.ToLower(line), "cannot find module", "cannot find package", "could not find a declaration file", "failed to resolve import", "failed to resolve entry for package", "module not found", "no module named", "modulenotfounderror", "could not resolve \"")
}

// maker returns the last of some calls that built, installed or generated something and worked, as its command; "" if there is none, or
// it does that for what its text holds.
func maker(between []step) string {
	for _, s := range slices.Backward(between) {
		if !s.done || !s.ok || s.class != event.Shell {
			continue
		}
		for _, args := range s.simple {
			for w := range strings.FieldsSeq(keyOf(args)) {
				switch {
				case w == "build", w == "install", w == "ci", w == "generate", w == "codegen", w == "prepare", w == "compile", w == "sync", w == "bootstrap", strings.HasPrefix(w, "build:"), strings.HasPrefix(w, "generate:"):
					if command := strings.Join(args, " "); len(command) <= maxMaker {
						return command
					}
				}
			}
		}
	}
	return ""
}

// maxMaker bounds such a command.
const maxMaker = 80

// serviceStart returns the command of a line that starts a service, or "".
func serviceStart(line string) string {
	for _, args := range event.SimpleCommands(line) {
		command := strings.Join(args, " ")
		low := " " + strings.ToLower(command) + " "
		if wording.Has(low, " compose up", "-compose up", "compose start", "docker start", "docker run ", "systemctl start", "service start", "brew services start", "pg_ctl start", "pg_ctlcluster", "redis-server", "colima start",
			"podman start", " up -d", ":up ", " db:start", " db:up", " services:up", "supabase start", "minikube start", "emulators:start") {
			return command
		}
	}
	return ""
}

// folderOf returns the folder below the root in which a call's command runs, "." for the
// root.
func folderOf(s step) string {
	dir := s.dir
	if rest, ok := strings.CutPrefix(strings.TrimSpace(s.command), "cd "); ok {
		to, _, chained := strings.Cut(rest, "&&")
		to = strings.Trim(strings.TrimSpace(to), `"'`)
		if !chained || strings.ContainsAny(to, "$~` ") {
			return ""
		}
		if s.rel != nil {
			rel, ok := s.rel(to)
			if !ok {
				return ""
			}
			return rel
		}
	}
	return dir
}

// manager returns the package manager at the start of a command.
func manager(command string) string {
	words := strings.Fields(plainCommand(command))
	if len(words) < 2 {
		return ""
	}
	switch words[0] {
	case "npm", "pnpm", "yarn", "bun", "pip", "pip3", "uv", "poetry", "pipenv", "npx", "pnpx", "bunx":
		return words[0]
	}
	return ""
}

// managed returns the instruction to a package manager in words that all managers share.
func managed(command string) string {
	words := strings.Fields(plainCommand(command))[1:]
	words = slices.DeleteFunc(words, func(w string) bool { return w == "run" || w == "pip" || w == "exec" || w == "--" })
	for i, w := range words {
		if w == "i" || w == "add" || w == "ci" {
			words[i] = "install"
		}
	}
	return strings.Join(words, " ")
}

func (d UnmetNeed) sentence(e extent) (what, why string, typ file.Type) {
	said := wording.OneLine(d.Message, 120)
	why = fmt.Sprintf("Without it, it failed with “%s” in %s; with it, it worked.", said, e.seen())
	switch d.Need {
	case NeedsVariable:
		return fmt.Sprintf("`%s` needs the environment variable `%s`.", d.Command, d.Name), why, file.ErrorPattern
	case NeedsService:
		return fmt.Sprintf("`%s` needs what `%s` starts.", d.Command, d.Name), why, file.ErrorPattern
	case NeedsBefore:
		return fmt.Sprintf("`%s` needs `%s` before it.", d.Command, d.Name), fmt.Sprintf("Without it, it failed with “%s” in %s; after it, it worked, and nothing was edited.", said, e.seen()), file.ErrorPattern
	case NeedsFolder:
		where := "in `" + d.Name + "/`"
		if d.Name == "." {
			where = "at the root"
		}
		return fmt.Sprintf("Run `%s` %s.", d.Command, where), fmt.Sprintf("Elsewhere it failed with “%s” in %s; there it worked.", said, e.seen()), file.Gotcha
	case NeedsManager:
		return fmt.Sprintf("Use `%s` here, not `%s`.", d.Name, path.Base(strings.Fields(d.Command)[0])), fmt.Sprintf("`%s` failed with “%s” in %s; the same by the other worked.", d.Command, said, e.seen()), file.ErrorPattern
	}
	return "", "", ""
}
