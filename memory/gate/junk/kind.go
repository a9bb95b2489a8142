package junk

import "strings"

// Kind is what a text is instead of a memory.
type Kind string

// The kinds.
const (
	StackTrace Kind = "stack_trace"
	Diff       Kind = "diff"
	GitLog     Kind = "git_log"
	PathList   Kind = "path_list"
	Output     Kind = "tool_output"
	Session    Kind = "session_summary"
	Fragment   Kind = "fragment"
)

// Kinds lists them.
func Kinds() []Kind {
	return []Kind{StackTrace, Diff, GitLog, PathList, Output, Session, Fragment}
}

// Reason says what a text of the kind is, for a person.
func (k Kind) Reason() string {
	switch k {
	case StackTrace:
		return "it is a stack trace"
	case Diff:
		return "it is a diff"
	case GitLog:
		return "it is git's log"
	case PathList:
		return "it is a list of paths"
	case Output:
		return "it is the output of a program"
	case Session:
		return "it tells what a session did"
	case Fragment:
		return "it is a fragment: nothing is said"
	}
	return ""
}

// Likeness says what a text reads like, for a person.
func (k Kind) Likeness() string {
	switch k {
	case GitLog:
		return "it reads like the message of a commit"
	case Session:
		return "it reads like an account of work"
	case Fragment:
		return "it says little by itself"
	case PathList:
		return "it reads like a list of files"
	case Output:
		return "it reads like a table, or what a program printed"
	case StackTrace:
		return "it reads like a stack trace"
	case Diff:
		return "it reads like a diff"
	}
	return "it reads like junk"
}

// Instead says in a few words what to write instead, for a message of one line.
func (k Kind) Instead() string {
	switch k {
	case GitLog:
		return "say what it decided"
	case Session:
		return "say what was learned"
	case Fragment:
		return "write a sentence"
	case StackTrace, Diff, PathList, Output:
	}
	return "say what it means"
}

// Hint says what to write instead.
func (k Kind) Hint() string {
	switch k {
	case StackTrace:
		return "Say when it fails, why, and what to do instead; quote the one line of the error that somebody would search for."
	case Diff:
		return "Git keeps the change. Say why it had to be made, or what to mind in that code."
	case GitLog:
		return "Git keeps its log. Say what the commits decided, and why."
	case PathList:
		return "Say what holds for these files, and give them as the scope."
	case Output:
		return "Say what the output means, when it comes, and what to do then."
	case Session:
		return "Say what the next person must know, not what was done: the trap, the decision and its reason."
	case Fragment:
		return "Say what is so, or what to do, so that it can be understood by itself."
	}
	return ""
}

// ReasonFor says what a text of the kind is, as Reason does, and which form it has if it is a fragment.
func (k Kind) ReasonFor(text string) string {
	switch line := strings.TrimSpace(text); {
	case k != Fragment || line == "" || strings.ContainsAny(line, "\r\n"):
	case isQuestion(line):
		return "it only asks"
	case compiled().heading.MatchString(line):
		return "it is a heading: nothing is said"
	case leadsIn(line):
		return "it leads in what is not there"
	case strings.HasPrefix(line, "|"):
		return "it is a row of a table: nothing is said"
	}
	return k.Reason()
}

// HintFor says what to write instead of a text of the kind.
func (k Kind) HintFor(text string) string {
	if line := strings.TrimSpace(text); k == Fragment && line != "" && !strings.ContainsAny(line, "\r\n") && isQuestion(line) {
		return "Write the answer once it is known, and until then an issue or a task."
	}
	return k.Hint()
}
