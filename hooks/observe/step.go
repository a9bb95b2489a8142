package observe

import (
	"cmp"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/wording"
	"manicule/memory/fingerprint"
)

// step is one tool call with its result.
type step struct {
	n       int   // number of its first event in the log, from 1
	at      int64 // Unix milliseconds
	agent   string
	prompt  int  // the prompt that it belongs to, from 0
	tainted bool // untrusted text came in before it
	request
	result
	failure
}

// succeeded reports that the call has ended, and well.
func (s *step) succeeded() bool { return s.done && s.ok }

// edits reports a call that edits or creates files.
func (s *step) edits() bool { return s.class == event.Edit || s.class == event.Create }

// commits reports a call with a command that commits, whatever it runs git by.
func (s *step) commits() bool {
	return slices.ContainsFunc(s.keys, func(key string) bool { return strings.HasSuffix(key, "git commit") })
}

// request is what a call asked for.
type request struct {
	id      string
	tool    string
	class   event.Class
	paths   []string // below the root, with forward slashes
	command string
	simple  [][]string // the simple commands of command
	keys    []string   // see [Keys]
	dir     string     // where command runs: below the root, "." for it, "" if unknown
	rel     func(path string) (string, bool)
	query   string
	url     string
	before  string // an edit's texts
	after   string
}

// result is what came of a call.
type result struct {
	done   bool
	ok     bool
	ended  int // number of the event with the result
	bytes  int
	found  *int
	edited int // the first line that it changed, 0 if unknown
	look   look
	took   int64 // milliseconds, 0 if unknown
	// measured is set if the agent reports the duration. Otherwise it is the time between
	// two events, which includes waiting for a person.
	measured   bool
	background bool // it went on in the background: its result comes by another event, if at all
}

// failure is why a call failed.
type failure struct {
	kind  FailKind
	text  string         // the error, as in the log
	line  string         // its most informative line
	print string         // the fingerprint of line
	key   string         // the command that caused it
	rules []cmdline.Rule // rules of linters and compilers that it broke
	said  string         // by the person who refused it
}

// FailKind is the way in which a call failed.
type FailKind string

// The kinds of failures. Only the first four are about the project; the others are the
// agent's own housekeeping or a person's decision.
const (
	CommandFailed FailKind = "command_failed"
	FileMissing   FailKind = "file_missing"
	IsFolder      FailKind = "is_folder"
	OtherFailure  FailKind = "other"
	EditMismatch  FailKind = "edit_mismatch"
	NotRead       FailKind = "not_read"
	ChangedSince  FailKind = "changed_since"
	BadCall       FailKind = "bad_call" // the agent called its own tool wrongly
	Rejected      FailKind = "rejected"
	Cancelled     FailKind = "cancelled"
	Withheld      FailKind = "withheld" // the person has not allowed it yet, or a rule forbids it
)

// Unmade reports whether the call was not made: what it would have done is unknown.
func (k FailKind) Unmade() bool { return k == Rejected || k == Cancelled || k == Withheld }

// specific reports whether a memory about the project can prevent the failure.
func (k FailKind) specific() bool {
	return k == CommandFailed || k == FileMissing || k == IsFolder || k == OtherFailure
}

// fails records what a failed call printed.
func (s *step) fails(text string) {
	s.kind, s.said = failKind(s.class, text)
	if wording.Injected(text) {
		s.kind = Cancelled
	}
	s.text = text
	s.key = cmdline.FailedCommand(s.keys, text)
	s.line = cmdline.Unquoted(cmdline.ErrorLine(cmdline.OwnLines(text, s.key, s.keys)), s.command)
	s.print = fingerprint.Line(s.line)
	s.key = cmp.Or(cmdline.Refuser(s.simple, s.keys, s.line), s.key)
	if s.kind == CommandFailed && s.key != "" {
		s.rules = cmdline.Rules(text)
		if i := slices.IndexFunc(s.keys, cmdline.Linter); len(s.rules) > 0 && i >= 0 && !cmdline.Linter(s.key) {
			s.key = s.keys[i]
		}
	}
}

// failKind classifies failures by the phrases that agents use for them.
func failKind(class event.Class, text string) (FailKind, string) {
	low := strings.ToLower(text)
	switch {
	case event.Withheld(text):
		return Withheld, ""
	case strings.Contains(low, "doesn't want to proceed"), strings.Contains(low, "user rejected"), strings.Contains(low, "permission for this tool use was denied"):
		_, said, _ := strings.Cut(text, "the user said:")
		return Rejected, strings.TrimSpace(said)
	case strings.Contains(low, "sibling tool call"), strings.Contains(low, "request interrupted"), strings.Contains(low, "cancelled"):
		return Cancelled, ""
	case strings.Contains(low, "has not been read yet"), strings.Contains(low, "must read the file"):
		return NotRead, ""
	case strings.Contains(low, "modified since read"), strings.Contains(low, "unexpectedly modified"):
		return ChangedSince, ""
	case class == event.Edit && (strings.Contains(low, "string to replace") || strings.Contains(low, "not found in file") || strings.Contains(low, "matches of the string")),
		strings.Contains(low, "old_string and new_string"):
		return EditMismatch, ""
	case class != event.Shell && (strings.Contains(low, "validationerror") || strings.Contains(low, "validation error") || strings.Contains(low, "posix_spawn") ||
		strings.Contains(low, "maximum allowed tokens") || strings.Contains(low, "maximum allowed size") || strings.Contains(low, "unknown skill")):
		return BadCall, ""
	case class != event.Shell && strings.Contains(low, "eisdir"):
		return IsFolder, ""
	case class != event.Shell && (strings.Contains(low, "does not exist") || strings.Contains(low, "no such file") || strings.Contains(low, "enoent") || strings.Contains(low, "file not found")):
		return FileMissing, ""
	case class == event.Shell:
		return CommandFailed, ""
	}
	return OtherFailure, ""
}
