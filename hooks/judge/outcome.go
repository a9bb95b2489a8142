package judge

import (
	"slices"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/memory/ledger"
)

// OutcomeRule is one rule for judging what came of following a memory. The first rule whose condition
// holds gives the outcome.
type OutcomeRule struct {
	ID      string
	Outcome ledger.Outcome
	When    string // for people

	holds func(*aftermath) bool
}

// OutcomeRules returns the rules for what came of following a memory, in the order in which they are tried.
func OutcomeRules() []OutcomeRule {
	return []OutcomeRule{
		{
			ID: "taken back", Outcome: ledger.Failed,
			When:  "Files were changed after it was followed, and git then took changes back, without a commit later.",
			holds: func(a *aftermath) bool { return a.undone },
		},
		{
			ID: "complained of", Outcome: ledger.Failed,
			When:  "The person's next message says that something did not work, or is not what was asked.",
			holds: func(a *aftermath) bool { return a.complained },
		},
		{
			ID: "its way failed", Outcome: ledger.Failed,
			When:  "The command of its way failed at its last run.",
			holds: func(a *aftermath) bool { return a.ran && !a.ownPassed },
		},
		{
			ID: "a check broke", Outcome: ledger.Failed,
			When:  "A check fails at its last run, and did not fail before the memory was followed.",
			holds: func(a *aftermath) bool { return a.broke },
		},
		{
			ID: "its way passed", Outcome: ledger.Worked,
			When:  "The command of its way passed at its last run.",
			holds: func(a *aftermath) bool { return a.ran },
		},
		{
			ID: "checks pass", Outcome: ledger.Worked,
			When:  "Checks ran after it was followed, and all pass at their last run.",
			holds: func(a *aftermath) bool { return a.passed },
		},
		{
			ID: "committed", Outcome: ledger.Worked,
			When:  "The work was committed after it was followed.",
			holds: func(a *aftermath) bool { return a.committed },
		},
		{
			ID: "nothing shows it", Outcome: ledger.Untold,
			When:  "None of the rules above holds.",
			holds: func(*aftermath) bool { return true },
		},
	}
}

// aftermath is what happened since a memory was followed.
type aftermath struct {
	undone     bool // and not committed since
	complained bool
	ran        bool // a command of its way
	ownPassed  bool // at its last run
	broke      bool
	passed     bool
	committed  bool // and not undone since
}

// applied judges what came of a memory that a conversation followed.
func applied(s Session, ev *evidence) ledger.Applied {
	if ev.first < 0 {
		return ledger.Applied{}
	}
	a := after(s, ev)
	for _, r := range OutcomeRules() {
		if r.holds(a) {
			return ledger.Applied{At: time.UnixMilli(s.Calls[ev.first].At), Outcome: r.Outcome, Rule: r.ID}
		}
	}
	return ledger.Applied{}
}

func after(s Session, ev *evidence) *aftermath {
	a := &aftermath{}
	before, since := map[string]bool{}, map[string]bool{} // results of checks
	edits := 0
	for i, c := range s.Calls {
		if i >= ev.first && (c.Class == event.Edit || c.Class == event.Create) && (!c.Done || c.OK) {
			edits++
		}
		if c.Class != event.Shell || !c.Done || c.Kind.Unmade() {
			continue
		}
		if slices.Contains(ev.own, i) {
			a.ran, a.ownPassed = true, c.OK
		}
		for _, k := range c.Keys {
			switch {
			case cmdline.Checks(k) && i < ev.first:
				before[k] = c.Passed(k)
			case i < ev.first:
			case cmdline.Checks(k):
				since[k] = c.Passed(k)
			case !c.OK:
			case cmdline.Commits(k):
				a.committed, a.undone = true, false
			case cmdline.Undoes(c.Command, k) && edits > 0:
				a.undone, a.committed = true, false
			}
		}
	}
	a.passed = len(since) > 0
	for k, ok := range since {
		was, known := before[k]
		a.passed = a.passed && ok
		a.broke = a.broke || !ok && (!known || was)
	}
	if i := slices.IndexFunc(s.Turns, func(t fold.Turn) bool { return t.N > s.Calls[ev.first].N }); i >= 0 {
		a.complained = asking.Complains(s.Turns[i].Text)
	}
	return a
}
