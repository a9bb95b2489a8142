package fold

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/wording"
	"manicule/memory/fingerprint"
)

// NeverRan reports whether a check failed before it looked at anything, as there is no such program, it has no such
// option, or there is no test where it looked: that says nothing of the work.
func NeverRan(s Step) bool {
	if s.OK {
		return false
	}
	text := strings.ToLower(s.Line + "\n" + s.Text)
	return strings.Contains(text, "command not found") || strings.Contains(text, "unknown option") || strings.Contains(text, "unrecognized option") || cmdline.NoModule().MatchString(text) ||
		cmdline.NoCommand().MatchString(text) || cmdline.NoTests(text)
}

// Refused reports whether a commit or a push was refused by a hook or by the remote's rules, for which the work
// must change, or did not reach the remote. Its error then says more than git says of itself.
func Refused(text string) bool {
	return cmdline.Unreachable().MatchString(text) || strings.Contains(text, "[remote rejected]") || strings.Count(strings.TrimSpace(text), "\n") > 3 && !strings.Contains(text, "nothing to commit") && !strings.Contains(text, "no changes added")
}

// Runs reports whether a command line begins with a text, or has it behind another command. A path that a command is given is not run.
func (s Step) Runs(text string) bool {
	at := strings.Index(s.Command, text)
	if at < 0 {
		return false
	}
	before := strings.TrimRight(s.Command[:at], " \t(")
	return before == "" || strings.ContainsRune("\n;&|", rune(before[len(before)-1]))
}

// Look is what a browser's tool showed.
type Look struct {
	Page   string
	Fault  event.Fault
	Showed string
}

// Step is one tool call with its result.
type Step struct {
	N       int   // number of its first event in the log, from 1
	At      int64 // Unix milliseconds
	Agent   string
	Prompt  int  // the prompt that it belongs to, from 0
	Tainted bool // untrusted text came in before it
	Input
	Result
	Cause
}

// Succeeded reports that the call has ended, and well.
func (s *Step) Succeeded() bool { return s.Done && s.OK }

// Edits reports a call that edits or creates files.
func (s *Step) Edits() bool { return s.Class == event.Edit || s.Class == event.Create }

// Commits reports a call with a command that commits, whatever it runs git by.
func (s *Step) Commits() bool {
	return slices.ContainsFunc(s.Keys, func(key string) bool { return strings.HasSuffix(key, "git commit") })
}

// Input is what a call asked for.
type Input struct {
	ID      string
	Tool    string
	Class   event.Class
	Paths   []string // below the root, with forward slashes
	Command string
	Simple  [][]string // the simple commands of command
	Keys    []string   // see [cmdline.Keys]
	Dir     string     // where command runs: below the root, "." for it, "" if unknown
	Rel     func(path string) (string, bool)
	Query   string
	URL     string
	Before  string // an edit's texts
	After   string
}

// Result is what came of a call.
type Result struct {
	Done       bool
	OK         bool
	Ended      int // number of the event with the result
	Bytes      int
	Found      *int
	EditedLine int // the first line that it changed, 0 if unknown
	Look       Look
	Took       int64 // milliseconds, 0 if unknown
	// measured is set if the agent reports the duration. Otherwise it is the time between
	// two events, which includes waiting for a person.
	Measured   bool
	Background bool // it went on in the background: its result comes by another event, if at all
}

// Cause is why a call failed.
type Cause struct {
	Kind  FailKind
	Text  string         // the error, as in the log
	Line  string         // its most informative line
	Print string         // the fingerprint of line
	Key   string         // the command that caused it
	Rules []cmdline.Rule // rules of linters and compilers that it broke
	Said  string         // by the person who refused it
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

// Specific reports whether a memory about the project can prevent the failure.
func (k FailKind) Specific() bool {
	return k == CommandFailed || k == FileMissing || k == IsFolder || k == OtherFailure
}

// fails records what a failed call printed.
func (s *Step) fails(text string) {
	s.Kind, s.Said = KindOf(s.Class, text)
	if wording.Injected(text) {
		s.Kind = Cancelled
	}
	s.Text = text
	s.Key = cmdline.FailedCommand(s.Keys, text)
	s.Line = cmdline.Unquoted(cmdline.ErrorLine(cmdline.OwnLines(text, s.Key, s.Keys)), s.Command)
	s.Print = fingerprint.Line(s.Line)
	s.Key = cmp.Or(cmdline.Refuser(s.Simple, s.Keys, s.Line), s.Key)
	if s.Kind == CommandFailed && s.Key != "" {
		s.Rules = cmdline.Rules(text)
		if i := slices.IndexFunc(s.Keys, cmdline.Linter); len(s.Rules) > 0 && i >= 0 && !cmdline.Linter(s.Key) {
			s.Key = s.Keys[i]
		}
	}
}

// KindOf classifies failures by the phrases that agents use for them.
func KindOf(class event.Class, text string) (FailKind, string) {
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

// InProgress reports whether a call commits work of which the commit itself says that it is not done.
func InProgress(s Step) bool {
	return slices.ContainsFunc(s.Simple, func(args []string) bool {
		return slices.ContainsFunc(cmdline.TitlesOf(args), func(title string) bool { return wip().MatchString(title) })
	})
}

// wip matches the title of a commit of work in progress: "wip: the parser", "WIP(api)", "feat: parser [wip]".
var wip = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:wip\b|work in progress\b)|[\[(]wip[\])]`) })
