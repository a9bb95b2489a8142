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

// phrases are what a person is told of a text of a kind.
type phrases struct {
	reason   string // what it is
	likeness string // what it reads like
	instead  string // what to write instead, in a few words
	hint     string // what to write instead
}

func (k Kind) phrases() phrases {
	const means = "say what it means"
	switch k {
	case StackTrace:
		return phrases{"it is a stack trace", "it reads like a stack trace", means,
			"Say when it fails, why, and what to do instead; quote the one line of the error that somebody would search for."}
	case Diff:
		return phrases{"it is a diff", "it reads like a diff", means, "Git keeps the change. Say why it had to be made, or what to mind in that code."}
	case GitLog:
		return phrases{"it is git's log", "it reads like the message of a commit", "say what it decided", "Git keeps its log. Say what the commits decided, and why."}
	case PathList:
		return phrases{"it is a list of paths", "it reads like a list of files", means, "Say what holds for these files, and give them as the scope."}
	case Output:
		return phrases{"it is the output of a program", "it reads like a table, or what a program printed", means, "Say what the output means, when it comes, and what to do then."}
	case Session:
		return phrases{"it tells what a session did", "it reads like an account of work", "say what was learned",
			"Say what the next person must know, not what was done: the trap, the decision and its reason."}
	case Fragment:
		return phrases{"it is a fragment: nothing is said", "it says little by itself", "write a sentence", "Say what is so, or what to do, so that it can be understood by itself."}
	}
	return phrases{"", "it reads like junk", means, ""}
}

// Reason says what a text of the kind is, for a person.
func (k Kind) Reason() string { return k.phrases().reason }

// Likeness says what a text reads like, for a person.
func (k Kind) Likeness() string { return k.phrases().likeness }

// Instead says in a few words what to write instead, for a message of one line.
func (k Kind) Instead() string { return k.phrases().instead }

// Hint says what to write instead.
func (k Kind) Hint() string { return k.phrases().hint }

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
