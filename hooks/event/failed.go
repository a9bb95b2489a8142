package event

import (
	"regexp"
	"strings"
)

// lastWords matches the last lines of a program that failed.
func lastWords() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:error\b|fatal:|panic:|npm err!|npm error|make(?:\[\d+\])?: \*\*\*|fail(?:ed|ure)?\b|exit status [1-9]|exit code:? [1-9]|.*: command not found$|.*: no such file or directory$|error: script .* exited with code|.*elifecycle|traceback \(most|[a-z]*error: |\w+exception: )`)
}

// lastLines is the number of lines at the end of an output that are examined.
const lastLines = 4

// LooksFailed reports whether an output ends like that of a failed program, for agents that don't report
// how a command ended.
func LooksFailed(output string) bool {
	lines := strings.Split(strings.TrimSpace(PlainText(output)), "\n")
	failed := lastWords()
	for _, l := range lines[max(0, len(lines)-lastLines):] {
		if failed.MatchString(strings.TrimSpace(l)) {
			return true
		}
	}
	return false
}

// Shows reports whether a command line ends in a command that prints files or commits.
// That text is not the program's own.
func Shows(command string) bool {
	list := SimpleCommands(command)
	if len(list) == 0 || len(list[len(list)-1]) == 0 {
		return true
	}
	last := list[len(list)-1]
	switch last[0] {
	case "cat", "sed", "nl", "less", "rg", "grep", "egrep", "jq", "awk", "bat", "echo", "printf", "curl", "gh", "diff":
		return true
	case "git":
		return len(last) > 1 && (last[1] == "log" || last[1] == "show" || last[1] == "diff" || last[1] == "grep" || last[1] == "blame")
	}
	return false
}
