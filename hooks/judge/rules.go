// Package judge decides whether an agent followed, overrode or ignored a memory that
// it was shown, from its later actions in the same conversation. It is pure: events
// and memories in, verdicts out. Where the events don't tell, which is often, the
// verdict is "unknown". The package must not know databases or agents' formats.
package judge

import (
	"slices"

	"manicule/memory/file"
	"manicule/memory/ledger"
)

// Rule is one rule for judging. The first rule whose condition holds gives the verdict.
type Rule struct {
	ID      string
	Verdict ledger.Verdict
	Types   []file.Type // types that it applies to; nil for all
	When    string      // for people
	Why     string

	holds func(*evidence) bool
}

// Rules returns all rules in the order in which they are tried. This is the only place
// that defines following and overriding.
func Rules() []Rule {
	return []Rule{
		{
			ID: "gone", Verdict: ledger.Unknown,
			When: "The memory was deleted before the session was judged.", Why: "What it said can't be compared with what was done.",
			holds: func(e *evidence) bool { return e.gone },
		},
		{
			ID: "no session", Verdict: ledger.Unknown,
			When: "It was shown over MCP or by a command, and no session of that agent was calling Manicule at that moment.", Why: "There are no events to judge by.",
			holds: func(e *evidence) bool { return e.noSession },
		},
		{
			ID: "nothing came after", Verdict: ledger.Unknown,
			When: "The conversation made no tool call after it was shown.", Why: "There was no occasion to do anything about it.",
			holds: func(e *evidence) bool { return e.calls == 0 },
		},
		{
			ID: "did what it warns of", Verdict: ledger.Overridden,
			When: "A command that the memory warns of was run, or a path that it warns of was changed, or opened in vain.", Why: "It is the very thing that was to be avoided; that it may have been meant does not matter.",
			holds: func(e *evidence) bool { return e.ranWarned || e.usedWarned },
		},
		{
			ID: "said again", Verdict: ledger.Overridden, Types: tellingTypes(),
			When: "A person corrected the agent later, in words that are mostly the memory's.", Why: "Nobody says anew what is being done.",
			holds: func(e *evidence) bool { return e.saidAgain },
		},
		{
			ID: "opened what goes with it", Verdict: ledger.Followed, Types: groupTypes(),
			When: "Another file that the memory names was opened or changed than the one it was shown for.", Why: "That these files go together is all that it says.",
			holds: func(e *evidence) bool { return len(e.had) > 1 },
		},
		{
			ID: "changed one alone", Verdict: ledger.Overridden, Types: []file.Type{file.CausalDependency},
			When: "One of the files that depend on each other was changed, and none of the others was looked at.", Why: "A change there without the others is what it warns of.",
			holds: func(e *evidence) bool { return e.changedOne && len(e.had) == 1 },
		},
		{
			ID: "did what it tells", Verdict: ledger.Followed,
			When: "A command that the memory tells to use was run, or a path that it points to was opened.", Why: "It need not be because of the memory; it is what the memory wanted.",
			holds: func(e *evidence) bool { return e.ranTold || e.openedTold },
		},
		{
			ID: "kept clear", Verdict: ledger.Followed, Types: warningTypes(),
			When: "The same kind of command was run in another way than the one that the memory warns of, which is short enough to be a way (two words beside its kind).", Why: "There was an occasion for the wrong way, and it was not taken.",
			holds: func(e *evidence) bool { return e.ranOtherwise },
		},
		{
			ID: "worked there", Verdict: ledger.Unknown,
			When: "Its files were read or changed, or a command that it names was run, and none of the rules above holds.", Why: "Events show that the work touched it, not whether it was heeded: what was written is not compared with what it says.",
			holds: func(e *evidence) bool { return e.touched },
		},
		{
			ID: "says nothing to be seen", Verdict: ledger.Unknown,
			When: "The memory names no command and no path, and applies to the whole project.", Why: "Following and ignoring it would look alike.",
			holds: func(e *evidence) bool { return !e.visible },
		},
		{
			ID: "nothing touched it", Verdict: ledger.Ignored,
			When: "No later call had to do with its files or commands.", Why: "It cost its tokens and had no bearing. That is no blame: often the work went on elsewhere.",
			holds: func(*evidence) bool { return true },
		},
	}
}

// warningTypes are the types that warn against something.
func warningTypes() []file.Type { return []file.Type{file.DeadEnd, file.Gotcha, file.ErrorPattern} }

// tellingTypes are the types that tell how to do something: a command that they name without
// approval or warning is one to use.
func tellingTypes() []file.Type {
	return []file.Type{file.Convention, file.Preference, file.WorkflowRecipe, file.Pattern, file.Requirement, file.Decision}
}

// groupTypes are the types that name files that belong together.
func groupTypes() []file.Type { return []file.Type{file.CausalDependency, file.PrefetchPattern} }

func tells(t file.Type) bool { return slices.Contains(tellingTypes(), t) }

// Warns reports whether memories of a type warn against something, so that following one
// saves a failing call.
func Warns(t file.Type) bool { return slices.Contains(warningTypes(), t) }

func (r Rule) applies(t file.Type) bool { return r.Types == nil || slices.Contains(r.Types, t) }
