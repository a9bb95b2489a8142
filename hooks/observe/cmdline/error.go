package cmdline

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
)

// Unreachable matches what git says of a remote that it does not reach, or may not write to.
var Unreachable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)could not resolve host|operation timed out|connection (?:timed out|refused)|could not read from remote repository|permission to \S+ denied|unable to access '|authentication failed for`)
})

// NoCommand matches what pnpm and yarn say of a program that a package does not have.
var NoCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bcommand "[^"\n]+" not found`) })

// NoTests reports whether a runner found no test where it looked: it was called with a wrong path or filter, or in a wrong folder.
func NoTests(text string) bool {
	return wording.Has(strings.ToLower(text), "no test files found", "no tests found, exiting", "no tests ran in", "matched no packages\nno packages to test", "no test files matched")
}

// NoModule matches what Python says of a module that it was to run (-m) and does not have.
var NoModule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`python[\d.]*(?:\.exe)?: no module named`) })

// Offline reports whether an error says that a network is not reached: a state of one machine on one day.
func Offline(line string) bool {
	return wording.Has(strings.ToLower(line), "could not resolve", "timed out", "error connecting to", "network is unreachable", "enotfound")
}

// NoNetwork reports whether an error says that the machine has no network, whatever ran: other words of [Offline] are also those of tests
// that hang and of bundlers.
func NoNetwork(line string) bool {
	return wording.Has(strings.ToLower(line), "getaddrinfo enotfound", "getaddrinfo eai_again", "could not resolve host", "temporary failure in name resolution", "network is unreachable")
}

// Refused reports whether a program did not accept a call: it knows no such option, field, act or target, or has no use for it
// here. The same words are refused whenever they come again, whatever the code is like by then.
func Refused(line string) bool {
	low := strings.ToLower(line)
	for _, sign := range []string{"unknown option", "unknown flag", "unknown shorthand", "unknown json field", "unknown field", "unknown argument", "unknown command", "unknown subcommand", "unknown switch",
		"unrecognized option", "unrecognized argument", "unrecognized arguments", "unrecognized flag", "unrecognized subcommand", "unexpected argument", "illegal option", "invalid option", "invalid flag",
		"no such option", "no such command", "no such subcommand", "flag provided but not defined", "unknown or unexpected option", "unsupported option", "is not a valid option", "cannot be used with", "can't be used with",
		"accepts at most", "accepts between", "no library targets found", "no bin target", "no test target", "no example target", "is not allowed for this repository", "protected branch"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

// Misused reports whether an error is about the call of a command, not about its
// findings. Only then another command is the solution.
func Misused(line string) bool {
	if Refused(line) || NoTests(line) {
		return true
	}
	low := strings.ToLower(line)
	if strings.HasPrefix(low, "fatal: ") { // git's word for a call that it cannot carry out
		return true
	}
	for _, sign := range []string{"unknown ", "unrecognized", "unexpected argument", "illegal option", "invalid option", "invalid argument", "command not found", "not found", "no such", "usage:", "parse error",
		"syntax error", "permission denied", "ambiguous", "not a git", "did you mean", "missing script", "not supported", "unsupported", "requires ", "required", "could not resolve", "no module", "cannot find module", "ignored by", "must be", "bad substitution", "not a valid", "does not contain main module"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

// OfTheDay reports whether an error is about something that is not so any more the next day: a finding in the code as it was (a
// place in a file, a line of a test's report, the line of source that raised), or the state of the working tree. A warning is not why a
// call failed. Told to later sessions, such failures came true in one of five.
func OfTheDay(line string) bool {
	low := strings.ToLower(strings.TrimSpace(line))
	for _, sign := range []string{"unstaged changes", "uncommitted changes", "untracked working tree files", "fix conflicts", "local changes", "would be overwritten", "non-fast-forward", "fetch first", "index.lock",
		"unhandled error between tests", "assertionerror", "assert ", "expected:", "expect(", " | 1 failed", "tests failed", "uploading..."} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	for _, start := range []string{"e  ", "e assert", "raise ", "throw ", "pass ", "fail ", "--- fail", "❯ ", "✗ ", "× ", "✕ "} {
		if strings.HasPrefix(low, start) {
			return true
		}
	}
	return hasPlace(low) || strings.HasPrefix(strings.TrimLeft(low, "▲⚠!*[ \ufe0f"), "warning")
}

// hasPlace reports whether a line begins with a place in a file: "main.go:12:5: …", "src/a.ts(3,4): …".
func hasPlace(low string) bool {
	word, _, _ := strings.Cut(low, " ")
	name, rest, ok := strings.Cut(word, ":")
	if !ok || rest == "" {
		name, rest, ok = strings.Cut(word, "(")
	}
	if !ok || rest == "" || rest[0] < '0' || rest[0] > '9' {
		return false
	}
	ext := path.Ext(name)
	return len(ext) > 1 && len(ext) <= 5 && strings.Trim(ext[1:], "0123456789") != ""
}

// SignsIn reports whether ssh itself failed, before anything was run on the other machine.
func SignsIn(line string) bool {
	return wording.Has(strings.ToLower(line), "ssh_askpass", "permission denied (", "host key verification failed", "ssh: connect to host", "ssh: could not resolve hostname")
}

// SaysWhy reports whether a line in which no usual word of an error occurs still says what was wrong with a call or a machine: "Unsupported
// environment", "directory prefix . does not contain main module". The heading of a help text is the same for all errors, and a
// question for a person's permission is none.
func SaysWhy(line string) bool {
	return (Misused(line) || OfTheMachine(line)) && !wording.Has(strings.ToLower(line), "usage:", "requires approval", "requires confirmation")
}

// MissingProgram returns the program that a shell did not find, by its error, or "".
func MissingProgram(line string) string {
	low := strings.TrimSpace(line)
	name := ""
	if _, rest, ok := strings.Cut(low, "command not found: "); ok { // zsh
		name = rest
	} else if head, ok := strings.CutSuffix(low, ": command not found"); ok { // bash
		name = head[strings.LastIndex(head, " ")+1:]
	} else if head, ok := strings.CutSuffix(low, ": not found"); ok && strings.Contains(head, "sh: ") { // dash
		name = head[strings.LastIndex(head, " ")+1:]
	} else if head, _, ok := strings.Cut(low, "' could not be found in this "); ok { // WSL
		name = head[strings.LastIndexByte(head, '\'')+1:]
	}
	if name == "" || len(name) > 40 || strings.ContainsAny(name, " =/'\"`") {
		return ""
	}
	return name
}

// OfTheMachine reports whether an error is about what a machine or its sandbox has and allows, not about the code: a program, a module
// or a server that is not there, what is not permitted, or an account that is not signed in.
func OfTheMachine(line string) bool {
	low := strings.ToLower(line)
	return MissingProgram(line) != "" || Absent(line) || Denied(line) || wording.Has(low, "could not resolve host", "operation timed out", "error connecting to", "operation not permitted", "permission denied", "read-only file system",
		"no module named", "network is unreachable", "x509:", "failed to verify certificate", "certificate verify failed", "self-signed certificate", "self signed certificate", "local issuer certificate", "host key verification failed", "index.lock': file exists", "enotfound", "eacces", "eperm",
		"failed to log in", "not logged in", "gh auth login", "authentication failed", "could not read username", "bad credentials", "not authenticated", "remote: permission to")
}

// Denied reports whether an error is the word of a person's hook that did not let a call through.
func Denied(line string) bool {
	return wording.Has(strings.ToLower(line), "tooluse:bash hook error: ", "hook pretooluse:bash denied this tool")
}

// Absent reports whether an error is about something that does not run or answer.
func Absent(line string) bool {
	return wording.Has(strings.ToLower(line), "connection refused", "econnrefused", "could not connect", "cannot connect", "can't connect", "failed to connect", "is the server running", "is the docker daemon running",
		"connect: no such file", "no connection could be made", "connection reset", "not reachable")
}

// LacksModule reports whether an error is about a module, or its types, that is not there: it may have to be built, installed or
// generated first.
func LacksModule(line string) bool {
	return wording.Has(strings.ToLower(line), "cannot find module", "cannot find package", "could not find a declaration file", "failed to resolve import", "failed to resolve entry for package", "module not found", "no module named", "modulenotfounderror", "could not resolve \"")
}

// ErrorLine returns the line of an error that a person would quote.
func ErrorLine(text string) string {
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

// Unquoted replaces the command's own text in a line of its error by <command>: what denies a call, or runs it for another, quotes it, and
// the same error of two calls would not look the same.
func Unquoted(line, command string) string {
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
