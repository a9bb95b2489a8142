package cmdline

import (
	"strings"

	"manicule/hooks/event"
)

// Rule is a rule of a linter or a compiler, with its message.
type Rule struct{ Name, Text string }

// Rules finds the rules that an output names: golangci-lint's "(nilerr)" at the end of a
// line, ESLint's last word, Biome's lint/style/useConst. A compile error (Rust's E0308) is
// no rule of the project.
func Rules(text string) []Rule {
	var out []Rule
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(event.PlainText(line))
		name := ruleName(line)
		if name == "" || seen[name] || len(out) == 6 {
			continue
		}
		seen[name] = true
		out = append(out, Rule{name, message(line, name)})
	}
	return out
}

func ruleName(line string) string {
	if i := strings.LastIndexByte(line, '('); i > 0 && strings.HasSuffix(line, ")") && strings.Contains(line, ":") {
		name := line[i+1 : len(line)-1]
		if name != "typecheck" && name != "unused" && len(name) > 3 && len(name) < 24 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") == "" && place(line) {
			return name
		}
	}
	if w := strings.Fields(line); len(w) > 3 && eslint(w) {
		if name := w[len(w)-1]; len(name) > 3 && strings.Contains(name, "-") && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-/@") == "" {
			return name // ESLint
		}
	}
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ()[]:,'\"", r) }) {
		if strings.HasPrefix(w, "lint/") && strings.Count(w, "/") == 2 {
			return w
		}
	}
	return ""
}

// eslint returns the words of a line in ESLint's format: "12:5 error …".
func eslint(w []string) bool {
	return (w[1] == "error" || w[1] == "warning") && strings.Contains(w[0], ":") && strings.Trim(w[0], "0123456789:") == ""
}

// place reports whether a line begins with FILE:LINE.
func place(line string) bool {
	head, rest, ok := strings.Cut(line, ":")
	return ok && strings.Contains(head, ".") && !strings.Contains(head, " ") && len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9'
}

// message returns the message of a line about a rule, without its place.
func message(line, name string) string {
	line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(line, "("+name+")"), name))
	if w := strings.Fields(line); len(w) > 2 && eslint(w) {
		return strings.Join(w[2:], " ")
	}
	for place(line) || line != "" && line[0] >= '0' && line[0] <= '9' {
		_, rest, ok := strings.Cut(line, ":")
		if !ok {
			break
		}
		line = rest
	}
	return strings.TrimSpace(line)
}
