package observe

import (
	"math"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"manicule/hooks/event"
	"manicule/memory/gate/injection"
)

// errorLine returns the line of an error that a person would quote.
func errorLine(text string) string {
	line := event.ErrorLine(text)
	for _, head := range []string{"Error: ", "error: ", "ERROR: ", "Error:"} {
		line = strings.TrimPrefix(line, head)
	}
	return strings.TrimSpace(line)
}

// The least bytes of a command that count as quoted: a whole first line, and the beginning of one that was cut.
const (
	leastQuoted = 12
	cutQuoted   = 24
)

// unquoted replaces the command's own text in a line of its error by <command>: what denies a call, or runs it for another, quotes it, and
// the same error of two calls would not look the same.
func unquoted(line, command string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(command), "\n")
	if len(first) < leastQuoted || !strings.Contains(first, " ") {
		return line
	}
	i := strings.Index(line, first[:min(len(first), cutQuoted)])
	if i < 0 {
		return line
	}
	n := 0
	for n < len(first) && i+n < len(line) && line[i+n] == first[n] {
		n++
	}
	if n < len(first) && i+n < len(line) && line[i+n] != '\\' { // another text with the same beginning; a quote may be escaped from here on
		return line
	}
	return line[:i] + "<command>" + line[i+n:]
}

// stop are words that say nothing about the subject of a text.
func stop(w string) bool {
	switch w {
	case "the", "a", "an", "of", "to", "in", "is", "are", "and", "or", "for", "with", "it", "its", "this", "that", "on", "at", "by", "as", "be", "was", "not", "from", "here":
		return true
	}
	return false
}

// Similarity is the cosine of two texts by their words, from 0 to 1. It stands in for
// embeddings, which a hook can't load.
func Similarity(a, b string) float64 { return cosine(bag(a), bag(b)) }

func bag(s string) map[string]int {
	out := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if !stop(w) {
			out[w]++
		}
	}
	return out
}

func cosine(a, b map[string]int) float64 {
	dot, na, nb := 0, 0, 0
	for w, n := range a {
		dot += n * b[w]
		na += n * n
	}
	for _, n := range b {
		nb += n * n
	}
	if na == 0 || nb == 0 {
		return 0
	}
	return float64(dot) / (math.Sqrt(float64(na)) * math.Sqrt(float64(nb)))
}

// maxQuoted bounds the runes of what is quoted of a message.
const maxQuoted = 160

// oneLine folds white space and cuts a text to a number of characters.
func oneLine(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	return strings.TrimSpace(string(r[:limit-1])) + "…"
}

// Injected reports whether Manicule has put the text before an agent. Such text must
// never be learned.
func Injected(s string) bool {
	return injection.Echo(s) || strings.Contains(s, "manicule recall") // the observer sees commands too
}

// rule is a rule of a linter or a compiler, with its message.
type rule struct{ name, text string }

// rules finds the rules that an output names: golangci-lint's "(nilerr)" at the end of a
// line, ESLint's last word, Biome's lint/style/useConst. A compile error (Rust's E0308) is
// no rule of the project.
func rules(text string) []rule {
	var out []rule
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(event.PlainText(line))
		name := ruleName(line)
		if name == "" || seen[name] || len(out) == 6 {
			continue
		}
		seen[name] = true
		out = append(out, rule{name, message(line, name)})
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

var (
	// clauseEnd matches the end of a clause.
	clauseEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[.!]\s+|;\s+|。`) })
	// listItem matches an item of a list.
	listItem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[-*•]|\d+[.)]|☐|\[ \])\s*\S`) })
	// asksToRun matches a line that asks a person to run the commands below it.
	asksToRun = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bplease run\b|を実行してください`)
	})
)
