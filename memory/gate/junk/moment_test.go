package junk

import "testing"

// TestOfMoment: what is true for a moment only waits for a person: how far work is, what is not as it was, what comes next, a form that
// nobody has filled in, what points to a text that isn't there. A rule with the same words passes.
func TestOfMoment(t *testing.T) {
	for text, want := range map[string]Kind{
		"The `menu_bar` dropdown is now closed by Escape, as the other pickers are.":                             Session,
		"The dialog of rules no longer hangs.":                                                                   Session,
		"The required standard is upgraded from C++11 to C++17.":                                                 Session,
		"The section was previously gated by a flag of the history.":                                             Session,
		"The key binding was a stub. Removed the handler and its help, as nobody calls it.":                      Session,
		"## Next\n1. The old folder is deleted but not committed\n2. The new one is untracked":                   Session,
		"## Recent arc (last ten commits)\n- Bulk tooling, then a queue of issues":                               Session,
		"**NEXT SESSION — public release.** The owner will announce it":                                          Session,
		"Deploy analysis for 15 commits ahead of origin/master complete, verdict ready":                          Session,
		"Total: 115 unit/component tests, 6 E2E tests":                                                           Session,
		"## Files to read\n1. `lib/a.py` — the weights\n2. `lib/b.py` — the report\n3. `lib/c.py` — the signals": PathList,
		"**Files:** Create `tests/test_view/test_popover.py`":                                                    PathList,
		"**Spec**: TECH_SPEC_M1.md, TECH_SPEC_DEPLOYMENT.md":                                                     PathList,
		"Run all of them: <!-- TODO: e.g. `npm test` -->":                                                        Fragment,
		"ROLE: [the role of the worker]\nTASK: [one sentence]\nRun the tests behind each file":                   Fragment,
		"- OS: (e.g. Windows 11)\n- Python version: (`python --version`)\n- Client: (e.g. Cursor)":               Fragment,
		"**Keep these in sync when adding components or changing APIs:**":                                        Fragment,
		"Adds a dialog that asks before the restart.\n\n- dialog.py: the dialog, and its text":                   Session,
		"- Support -j for a person who judges\n- Add a loop in _run():\n  shows cards and scores":                Session,
		"## What's New - Version 1.1.6\n• Improved the faucet\n• Fixed the list":                                 Session,
		"Local is usually several commits ahead of the fork: push only when asked":                               "",
		"Returns null where no row is found.\nNever call it without a check.":                                    "",
		"- Add a test for every fix, because reviewers ask for it\n- Remove the flag when it is never read":      "",
		"### Data files\n- `budget.db` — the database, made on the first import\n- `plaid.json` — the keys":      "",
		"### Changed\n- Scripts resolve paths from their own folder":                                             Session,
		"## [1.0.0] — 2026-08-08\n\nThe first version with a tag":                                                Session,
		"### 2.3. Migrations\n- Never edit the schema by hand":                                                   "",
		"The list was cut from a hundred packages to three":                                                      Session,
		"The server is already in place, the panel not yet assembled":                                            Session,
		"The title was short; Added a second one. It is long; Removed it again":                                  Session,
		"Only then proceed with the change":                                                                      Fragment,
		"To add an endpoint:\n- Add the route to routes.go\n- Add a handler\n- Update openapi.yaml":              "",
		"## Changelog\n- Every visible change gets an entry":                                                     "",
		"Never rebase when a branch is 20 commits behind main":                                                   "",
		"We no longer support Node 16":                                                                           "",
		"Node 16 is no longer supported":                                                                         "",
		"`reset()` is now async: never call it in a constructor":                                                 "",
		"The hook may merge previously staged changes into the same commit":                                      "",
		"Deleted rows stay for 30 days. Removed columns are kept in the archive.":                                "",
		"## Next.js conventions\n- Never fetch in a client component":                                            "",
		"**File naming:** use lowercase with hyphens (`macro-guide.md`, not `MACRO-GUIDE.md`)":                   "",
		"`lib/weights.py` — the constants of the score, which two reports read":                                  "",
		"Commit messages have the form `type: subject`, where type is one of [feat, fix, docs]":                  "",
		"Check these before a release: the build, the version, the changelog":                                    "",
	} {
		if got, _ := Doubt(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCommitsWithMerges: a list of subjects is git's log if one of them is a merge's.
func TestCommitsWithMerges(t *testing.T) {
	for text, want := range map[string]Kind{
		"- Make the watchdog say where its dump went\n- Merge pull request #365 from a/b\n- Stop an upload that outlives its switch": GitLog,
		"- Fix the reload on imported trips\n- Merge feature/trips: shared trips, profiles":                                          GitLog,
		"Co-authored-by: Ada <ada@example.com>":                                                                      GitLog,
		"- Merge pull requests by squashing.\n- Merge branches of a release as they are.":                            "",
		"- Merge feature/* into develop by squashing\n- Rebase fix/* onto main\n- Delete the branch after the merge": "",
		"- Merge branch heads with --no-ff\n- Squash the rest":                                                       "",
	} {
		if got, _ := Find(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestDecisionsAreNotRefused: a record of a decision, or of several, with the marks of what is done waits at most.
func TestDecisionsAreNotRefused(t *testing.T) {
	for _, text := range []string{
		"# ADR-0029: Read-only card\n\n- Status: Accepted\n- Date: 2026-07-15\n- Deciders: the committee",
		"## Success criteria\n✅ Each card feels made for its metric\n✅ Cards can be read in any order\n✅ The analysis takes 5 s at most",
		"### Breakpoints\n| Name | Width |\n|------|-------|\n| Mobile | <600px |\n| Tablet | 640–768px |",
		"### Decisions\n✅ Errors of a batch - **DECIDED: per thought with logging**\n✅ Storage - **DECIDED: a table of its own**\n✅ Size - **DECIDED: 25**",
	} {
		if k, found := Find(text); found && Certain(text, k) {
			t.Errorf("%q is refused as %s", text, k)
		}
	}
}
