package event

import (
	"strings"

	"manicule/indexer/clip"
	"manicule/indexer/sorting"
)

// ErrorSummary shortens the output of a failed tool to the most informative lines, in
// order, within a number of bytes.
func ErrorSummary(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	type line struct {
		at, weight int
		text       string
	}
	var lines []line
	for l := range strings.Lines(text) {
		l = strings.TrimRight(PlainText(l), " \t\r\n")
		if strings.TrimSpace(l) == "" {
			continue
		}
		lines = append(lines, line{len(lines), LineWeight(l), clip.Bytes(l, 240)})
	}
	sorting.StableFunc(lines, func(a, b line) int { return b.weight - a.weight })
	kept, left := lines[:0:0], limit
	for _, l := range lines {
		if len(l.text)+1 > left {
			continue
		}
		left -= len(l.text) + 1
		kept = append(kept, l)
	}
	sorting.Func(kept, func(a, b line) int { return a.at - b.at })
	var b strings.Builder
	for i, l := range kept {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// ErrorLine returns the most informative line about a failure, the first of equal ones,
// or "".
func ErrorLine(text string) string {
	best, weight := "", -1
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(PlainText(l))
		if l == "" {
			continue
		}
		if w := LineWeight(l); w > weight {
			best, weight = l, w
		}
	}
	if cause(best) {
		best = strings.TrimPrefix(best, "> ")
	}
	return strings.TrimPrefix(best, "→ ") // of vitest
}

// The weights of lines.
const (
	weightEcho    = 0 // an exit code, an echoed command, a rule of dashes
	weightPlain   = 1
	weightGeneric = 2 // says that something failed, not what
	weightSaying  = 4 // names what is wrong
)

// LineWeight rates how much a line of a tool's output says about a failure.
func LineWeight(line string) int {
	low := strings.ToLower(strings.TrimSpace(line))
	if mark, rest, ok := strings.Cut(low, ": "); ok && strings.HasPrefix(rest, "$ ") && !strings.Contains(mark, " ") { // a runner's mark: web:test: $ vitest
		return weightEcho
	}
	switch {
	case low == "" || strings.Trim(low, "-=_*~━─ ^|") == "":
		return weightEcho
	case cause(strings.TrimSpace(line)) && !generic(low), strings.HasPrefix(low, "e: "): // of Gradle; of Kotlin's compiler
		return weightSaying
	case strings.HasPrefix(low, "$ "), strings.HasPrefix(low, "exit code"), strings.HasPrefix(low, "error: exit code"),
		strings.HasPrefix(low, "exit status"), strings.HasPrefix(low, "> "), strings.HasPrefix(low, "make:"), strings.HasPrefix(low, "husky -"):
		return weightEcho
	case passed(low):
		return weightEcho
	case generic(low), framed(low), total(low):
		return weightGeneric
	}
	for _, sign := range []string{"error", "fatal:", "fail", "undefined", "not found", "no such", "unexpected", "unrecognized", "unknown",
		"cannot ", "can't ", "could not", "denied", "panic:", "invalid", "missing", "illegal", "unable to", "does not exist", "is not ", "not a ", "refused",
		"timed out", "timeout", "exception", "conflict", "must ", "ignored by"} {
		if strings.Contains(low, sign) {
			return weightSaying
		}
	}
	return weightPlain
}

// cause reports whether a line is one of those in which Gradle tells what went wrong: "> API check failed for project shop." Its
// tasks, its advice, and what npm echoes as the script that it runs, begin likewise.
func cause(line string) bool {
	said, ok := strings.CutPrefix(line, "> ")
	words := strings.Fields(said)
	if !ok || len(words) < 3 || words[0][0] < 'A' || words[0][0] > 'Z' || !letters(words[0]) {
		return false
	}
	return words[0] != "Task" && words[0] != "Transform" && !strings.HasPrefix(said, "Run with ") && !strings.HasPrefix(said, "Run gradlew ") && !strings.HasPrefix(said, "Get more help ") && !strings.HasPrefix(said, "Configure project ")
}

func letters(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) < 0
}

// framed reports whether a line is a heading of a report: "===== FAILURES =====".
func framed(low string) bool {
	const frame = "=_-*#"
	head := len(low) - len(strings.TrimLeft(low, frame))
	tail := len(low) - len(strings.TrimRight(low, frame))
	return head >= 4 && tail >= 4
}

// total reports whether a line counts what failed: "2 failed, 3 passed in 1.20s", "1 error in 0.46s".
func total(low string) bool {
	if strings.HasPrefix(low, "❯ ") && strings.Contains(low, " | ") && strings.Contains(low, " failed") { // vitest: ❯ a.test.ts (4 tests | 1 failed) 6ms
		return true
	}
	words := strings.Fields(low)
	if len(words) < 2 || len(words) > 12 || strings.Trim(words[0], "0123456789") != "" {
		return false
	}
	switch strings.TrimRight(words[1], ",;.") {
	case "failed", "error", "errors", "failure", "failures", "failing":
		return len(words) == 2 || strings.HasSuffix(words[1], ",") || words[2] == "in"
	}
	return false
}

func passed(low string) bool {
	for _, sign := range []string{"--- pass", "=== run", "(pass)", "ok  \t", "? \t", "?   \t", "✓", "✔", "√", "0 fail", "0 errors", "[no test files]"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

// generic reports whether a line only says that something failed.
func generic(low string) bool {
	for _, sign := range []string{"error task failed", "[build failed]", "exit status", "exited with code", "script \"", "sibling tool call", "elifecycle",
		"pre-commit script failed", "pre-commit hook", "errors were found", "issues:", "run failed", "command failed with",
		"errors were emitted", "test suites:", "test files ", "failed tests", "npm err!", "err_pnpm_recursive_run", "snapshots:", "could not be parsed by", "task failed",
		"build failed with an exception", "execution failed for task", "build failed in ", "there were failing tests", "could not determine the dependencies of task", "compilation error. see log", "tests completed, "} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	words := strings.Fields(low)
	if strings.HasPrefix(low, "found ") && len(words) <= 4 { // Found 2 errors.
		return true
	}
	if low == "undefined" { // what pnpm prints in place of a message that it does not have, above its error
		return true
	}
	return len(words) <= 2 && (strings.HasPrefix(low, "fail") || strings.HasPrefix(low, "error"))
}

// PlainText removes the escape sequences with which programs colour their output.
func PlainText(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != 0x1b {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '[' {
			for i += 2; i < len(s) && (s[i] < 0x40 || s[i] > 0x7e); i++ {
			}
			continue
		}
		i++
	}
	return b.String()
}
