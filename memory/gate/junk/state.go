package junk

import (
	"slices"
	"strings"
	"sync"

	"manicule/memory/gate/junk/speech"
	"manicule/memory/lazyregexp"
)

// states are the regular expressions of lines that tell how far something is, and of lines that hold a place or only name things.
type states struct {
	label   *lazyregexp.Regexp // the label of a report, with any text behind it
	thing   *lazyregexp.Regexp // the name of what something was done to
	counted *lazyregexp.Regexp // how many things were made, changed or passed
	merge   *lazyregexp.Regexp // the state of a change on its way
	change  *lazyregexp.Regexp // a pull request, a commit or a branch by its name
	place   *lazyregexp.Regexp // a text that holds a place for another
	chain   *lazyregexp.Regexp // names of code and what joins them
	value   *lazyregexp.Regexp // a name and its value
	choice  *lazyregexp.Regexp // the heading of a record of a decision
	table   *lazyregexp.Regexp // what stands below the head of a table
	decided *lazyregexp.Regexp // what was decided, among what is done
	touched *lazyregexp.Regexp // a file and what is done to it, as in a plan
	box     *lazyregexp.Regexp // a task of a list
	release *lazyregexp.Regexp // what a release or a change is
	changed *lazyregexp.Regexp // a change of a release, told as one
}

var stated = sync.OnceValue(func() *states {
	const code = "`[^`\\s]+`"
	return &states{
		label: lazyregexp.New(`(?i)^\W*(?:Status|Overall status|Current (?:status|focus|phase|task|work)|Branch|Blockers?|Blocked (?:by|on)|Next (?:steps?|up|actions?|session)|In progress|Remaining(?: work)?|Completed|Last (?:session|updated|commit)|Progress|Verdict|Handoff|Left to do)(?: \([^)]*\))?\**:\**\s+\S`),
		thing: lazyregexp.New("^(?:\\*\\*[^*]+\\*\\*|`[^`]+`)(?: \\([^)]*\\))?\\s*(?:-|–|—|:|→)\\s+(?:✅ ?)?(?:(?:Already|Also|Just|Now) )?"),
		counted: lazyregexp.New(`(?i)\b\d[\d,]* (?:new |of \d+ )?(?:[\w-]+ )?(?:files?|tests?|endpoints?|components?|commits?|issues?|bugs?|findings|tasks?|items?|pages?|errors?|warnings?)(?:/\w+)? (?:were |was |have been |are |all )?` +
			`(?:added|changed|created|closed|deleted|done|fixed|green|merged|migrated|modified|passed|passing|pass|removed|resolved|updated|written)\b`),
		merge:   lazyregexp.New(`(?i)\b(?:(?:not yet|now|was|were|been|is|all) (?:merged|pushed|shipped|deployed|green)|(?:merged|pushed|landed|shipped|committed) (?:to|on|in|into|as|at|via) |ready (?:for|to) (?:review|merge)|CI (?:is )?green|awaiting (?:review|merge))`),
		change:  lazyregexp.New("(?i)\\bPRs? ?#?\\d|\\(#\\d+\\)|\\bcommits? `?[0-9a-f]{7}|\\bbranch\\b|`[0-9a-f]{7,12}`|\\b20\\d\\d-\\d\\d-\\d\\d\\b"),
		place:   lazyregexp.New(`^\W*\[(?:[^\]\[()]+)\]\W*$|^\W*<[a-z][\w -]+>\W*$`),
		chain:   lazyregexp.New("^(?:" + code + "(?:\\s*\\([^)]*\\))?\\s*(?:→|->|=>|,|;|·|\\||/|&|\\+|and|or)\\s*)+" + code + "\\W*$"),
		value:   lazyregexp.New(`^\**[A-Z][a-zA-Z ]{1,30}\**:\**\s+\W?\pL`),
		choice:  lazyregexp.New(`^#{1,6} ADR[- ]?\d+`),
		decided: lazyregexp.New(`\b(?:DECIDED|Decided|Decision): \S|(?i)^#+ [^\n]*\b(?:criteria|requirements|must[- ]haves?|goals)\b`),
		table:   lazyregexp.New(`(?m)^\s*\|(?: *:?-+:? *\|)+ *$`),
		touched: lazyregexp.New("^\\s*[-*+] +\\**(?:Add|Create|Created|Delete|Deleted|Edit|Extend|Modified|Modify|Move|Moved|New|Remove|Rename|Replace|Rewrite|Test|Update|Updated)\\**:\\**(?: (?:Create|Modify|Test):)? +`[^`]+`"),
		box:     lazyregexp.New(`^\s*[-*+] +\[[ xX~/-]\] `),
		release: lazyregexp.New(`^This (?:commit|patch|PR|pull request|release|update|version) (?:adds|also|brings|changes|contains|fixes|improves|includes|introduces|is a|moves|removes|strengthens|updates)\b`),
		changed: lazyregexp.New(`(?i)\bno longer\b|\bnow\b|\b(?:is|are|was|were|been) (?:now )?(?:added|changed|created|deprecated|fixed|introduced|moved|removed|renamed|replaced|updated|upgraded)\b|\b(?:unified|upgraded|replaced|renamed|moved|changed|migrated|switched) (?:from|to|with|by|—)|(?:移除|删除|新增|修复|重构|替换为)|^\W*(?:Add|Fix|Remov|Chang|Updat|Improv|Refactor|Renam|Extract)(?:ed|ing)\b`),
	}
})

// tellsState returns whether a text tells how far something is. What has a reason or says what holds tells more than that.
func tellsState(text string, lines []string) bool {
	s, because := stated(), compiled().because
	first := unmarked(lines[0])
	if listsChanges(lines) {
		return true
	}
	if because.MatchString(text) {
		return false
	}
	if s.label.MatchString(lines[0]) || s.release.MatchString(first) || s.merge.MatchString(text) && s.change.MatchString(text) {
		return true
	}
	if s.counted.MatchString(first) && !says().MatchString(first) {
		return true
	}
	if len(lines) > 1 {
		return false
	}
	line := strings.TrimSpace(strings.TrimPrefix(lines[0], "- "))
	name := s.thing.FindString(line)
	if name == "" {
		return false
	}
	deed := line[len(name):]
	word, _, _ := strings.Cut(deed, " ")
	if strings.Contains(name, "lready ") {
		return true
	}
	if slices.Contains(decided, strings.ToLower(word)) || !isCapital(deed) || strings.Contains(deed, ";") {
		return false
	}
	g := speech.Of(deed)
	return strings.HasSuffix(word, "ed") && g.First[speech.Past] >= .6 && g.Finite < .5
}

// fewestBoxes is from how many tasks a text is a list of them.
const fewestBoxes = 3

// plans reports whether a text is mostly a list of tasks with boxes, which say how far work is.
func plans(lines []string) bool {
	s := stated()
	return has(lines, s.box.MatchString, fewestBoxes) && share(lines, s.box.MatchString) >= .6
}

// listsTouched reports whether a text is mostly a list of files and what is to be done to them.
func listsTouched(lines []string) bool {
	return len(lines) > 1 && share(lines, stated().touched.MatchString) >= .5
}

// itemsOf returns the first lines of the items of a list, without the headings before it; what goes on in the next line counts once.
func itemsOf(lines []string) (out []string) {
	for _, l := range lines {
		if t := strings.TrimSpace(l); !strings.HasPrefix(t, "#") && (!strings.HasPrefix(l, " ") || t[0] == '-' || t[0] == '*') {
			out = append(out, l)
		}
	}
	return out
}

// listsChanges reports whether a list mostly tells what was changed. Rules in most items make it more.
func listsChanges(lines []string) bool {
	items := itemsOf(lines)
	if len(items) < 2 || share(items, rules) >= .5 {
		return false
	}
	return share(items, stated().changed.MatchString) >= .5
}

// rules reports whether a line says what to do or not to do.
func rules(line string) bool { return compiled().rule.MatchString(line) }

// namesOnly reports whether a line holds a place for a text, or only names code.
func namesOnly(line string) bool {
	s := stated()
	return s.place.MatchString(line) || s.chain.MatchString(strings.TrimSpace(line))
}

// mostOfValue is up to how many words a name with its value has.
const mostOfValue = 5

// IsValue reports whether a text is a short name with its value ("Background: blue"), which says something, however few its words are.
func IsValue(text string) bool {
	line := strings.TrimSpace(text)
	return !strings.ContainsAny(line, "\r\n") && wordsWithLetters(line) <= mostOfValue && stated().value.MatchString(line) && !told().labels.MatchString(unmarked(line))
}
