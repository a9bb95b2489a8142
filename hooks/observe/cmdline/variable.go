package cmdline

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
)

// VariableError matches an error about an unset environment variable.
var VariableError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b`) })

// assignment matches a variable that is set for a command, or exported.
var assignment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[;&|]\s*|\s)(?:export\s+)?([A-Z][A-Z0-9_]{2,})=("[^"]*"|'[^']*'|[^\s;&|]*)`)
})

// Assigned lists the variables that a command line sets before a program.
func Assigned(command string) []string {
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

// Unassigned returns a command without its variable assignments.
func Unassigned(command string) string {
	return strings.Join(strings.Fields(assignment().ReplaceAllString(PlainCommand(command), " ")), " ")
}

// ServiceStart returns the command of a line that starts a service, or "".
func ServiceStart(line string) string {
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
