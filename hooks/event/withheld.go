package event

import "strings"

// Withheld reports whether the answer to a call says that it was not made, as the person has not allowed it yet or a rule
// forbids it: the sentences of Claude Code, which stand for themselves. What a program prints may hold the same words further on.
func Withheld(answer string) bool {
	line, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	switch {
	case strings.HasPrefix(line, "Claude requested permissions to "):
		return strings.Contains(line, "you haven't granted it yet")
	case strings.HasPrefix(line, "Permission to use "):
		return strings.Contains(line, "has been denied")
	case strings.HasPrefix(line, "This Bash command contains multiple operations."):
		return strings.Contains(line, "requires approval") || strings.Contains(line, "require approval")
	}
	return line == "This command requires approval" || strings.HasPrefix(line, "Permission for this action was denied by ")
}
