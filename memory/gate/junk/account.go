package junk

import (
	"slices"
	"strings"
	"sync"

	"manicule/memory/lazyregexp"
)

// accounts are the regular expressions of accounts of what was done.
type accounts struct {
	release *lazyregexp.Regexp // the heading of a release's changes
	did     *lazyregexp.Regexp // a past tense with its object
	holds   *lazyregexp.Regexp // verbs of what is so: the participle before them is no verb
	state   *lazyregexp.Regexp // a thing that is complete
	began   *lazyregexp.Regexp
	counted *lazyregexp.Regexp // numbers of tests
	waits   *lazyregexp.Regexp // words of a condition, and of what is not so
	labels  *lazyregexp.Regexp // a label of a report
	ticks   *lazyregexp.Regexp
	tagged  *lazyregexp.Regexp // the kind of a change in brackets
	past    *lazyregexp.Regexp // a past tense
	mine    *lazyregexp.Regexp // what the writer did or didn't do
	ready   *lazyregexp.Regexp
	over    *lazyregexp.Regexp // work that is over
	scores  *lazyregexp.Regexp // a label and how many of how many
	logged  *lazyregexp.Regexp // an entry of a log of work
	mark    *lazyregexp.Regexp // the state of a thing, as a sign
	file    *lazyregexp.Regexp // a file before what was done to it
	ended   *lazyregexp.Regexp // a command and how it ended
	report  *lazyregexp.Regexp // a label with a number, a date or a state
	dated   *lazyregexp.Regexp // the date of a report
	// labelled is any line that begins with a label.
	labelled *lazyregexp.Regexp
}

var told = sync.OnceValue(func() *accounts {
	return &accounts{
		release:  lazyregexp.New(`^#{1,6} (?:(?:\[?v?\d+\.\d+\.\d+\S*|\[?Unreleased\]?)(?:[\s:(.-].*)?|(?:Added|Changed|Fixed|Removed)(?:[:(].*| v?\d.*)?)$`),
		did:      lazyregexp.New("^(\\w+ed)(?: (?:\\+|and) \\w+ed)? (?:the|an?|all|our|this|that|its|his|her|my|both|every|new|two|three|\\d+|`|\")"),
		holds:    lazyregexp.New(`\b(?:is|are|was|were|has|have|stays?|lives?|needs?|must|may|can)\b`),
		state:    lazyregexp.New(`(?i)\b(?:complete|completed|done|finished|implemented|deployed)[.!]?$`),
		began:    lazyregexp.New(`(?i)^(?:the|this|our|my|last|previous) session (?:began|started|ended|focused|covered)\b|^(?:session|daily|work) (?:summary|recap|report|log)(?: of [^:]+)?: `),
		counted:  lazyregexp.New(`(?i)\btests? \(\d+ new\)|\b\d+ new (?:\w+ )?tests\b|→ \d+ passed\b|^\d+ (?:\w+ )?tests \(\d+ \w+`),
		waits:    lazyregexp.New(`(?i)\b(?:until|after|before|once|if|when|whether|while|by|should|will|to be|not|no|never|half|partly|only|cannot)\b|n['’]t\b`),
		labels:   lazyregexp.New(`(?i)^(?:Status|Overall status|Duration|Completed|Started|Finished|Verdict|Progress|Quality Grade|Pass Rate|Next steps?|Last updated|Tests? passing|Tests? (?:results?|status)|Build status|Files (?:audited|changed|reviewed)|Generated (?:at|on)|Date)\**:\**\s+\S`),
		tagged:   lazyregexp.New(`^(?:\[[A-Za-z]+\] ?){1,3}`),
		past:     lazyregexp.New(`^([A-Z]\w+ed)(?: (?:\+|and|or) \w+ed)? \S+ \S`),
		mine:     lazyregexp.New(`^(?:I|We) (?:also |then |now |only )?(?:added|did|didn['’]t|fixed|followed|implemented|moved|ran|refactored|removed|renamed|replaced|tested|updated|verified|wrote)\b`),
		ready:    lazyregexp.New(`(?i)^(?:it is |now |all )?ready (?:for|to) (?:be )?(?:deploy\w*|merged?|production|release|review|ship|testing|use)\b`),
		over:     lazyregexp.New(`(?i)^(?:the )?(?:implementation|migration|refactor(?:ing)?|rollout|integration|setup|phase \d+|task \d+|step \d+|work)(?: is| was| has been)? (?:now )?(?:complete|completed|done|finished)\b`),
		scores:   lazyregexp.New(`^[\pL ]{3,40}\**:\** *(?:✅ )?\d+ ?/ ?\d+(?: \(\d+ ?%\))?\W*$`),
		logged:   lazyregexp.New(`^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z? \S`),
		mark:     lazyregexp.New(`^(?:[-*+]\s+)?(?:✅|☑|✔|✓|❌|✗|⚠️|⚠|🔄|⏳)\x{fe0f}?\s*`),
		file:     lazyregexp.New("^`[^`]+[/.][^`]+` (?:-|–|—|:) "),
		ended:    lazyregexp.New("^`[^`]+` ?(?:-|–|—|:|→) (?:all )?(?:passed|passes|failed|green|ok|clean)\\W*$"),
		report:   lazyregexp.New(`(?i)^[\pL][\pL _-]{2,30}\**:\** *(?:[~≈]?\d[\d.,:TZ/ -]*%?(?: ?\(.*\))?|yes|no|none|n/a|[🟢🟡🔴✅❌🔄⏳].*|(?:\w+=\d+,? ?)+)(?: \(.*\))?$`),
		dated:    lazyregexp.New(`^\*{0,2}(?:Date|Datum|Fecha)(?::\*{0,2}|\*{0,2}:) \S*\d{4}`),
		labelled: lazyregexp.New(`^\*{0,2}\pL[\pL\d ]{1,20}(?::\*{0,2}|\*{0,2}:) \S`),
		ticks:    lazyregexp.New(`(?i)^\s*(?:[-*+]\s+)?(?:✅|☑|✔|✓)\s*\S`),
	}
})

// decided are past tenses that tell what was found or decided, and words that look like one.
var decided = []string{"adopted", "agreed", "allowed", "breed", "chosen", "confirmed", "decided", "deferred", "deprecated", "discovered", "dropped", "embed", "exceed", "expected", "feed", "heed", "indeed", "learned", "measured", "need", "needed", "noticed",
	"observed", "preferred", "proceed", "rejected", "related", "required", "seed", "shed", "speed", "succeed", "switched", "weed"}

// fewestDone is from how many words after a past tense a line is an account: fewer may be a state.
const fewestDone = 4

// isAccount reports whether a text tells what was done or how far it is.
func isAccount(text string, lines []string) bool {
	a, because := told(), compiled().because
	if a.release.MatchString(lines[0]) && len(lines) > 1 && share(lines[1:], because.MatchString) < .3 {
		return true
	}
	for len(lines) > 1 && strings.HasPrefix(lines[0], "#") {
		lines = lines[1:]
	}
	if len(lines) > 2 && share(lines, a.ticks.MatchString) >= .75 && !because.MatchString(text) {
		return true
	}
	first := unmarked(lines[0])
	if len(lines) == 1 && (strings.HasPrefix(lines[0], "[x] ") || strings.HasPrefix(lines[0], "[X] ")) {
		return true // a task that was done, whatever it was for
	}
	if len(lines) > 1 && has(lines, a.dated.MatchString, 1) && share(lines, a.labelled.MatchString) == 1 {
		return true
	}
	if because.MatchString(text) {
		return false
	}
	if len(lines) > 1 && share(lines, func(l string) bool { return a.report.MatchString(unmarked(l)) }) == 1 {
		return true
	}
	if a.began.MatchString(first) || a.counted.MatchString(first) {
		return true
	}
	if len(lines) > 1 {
		return false
	}
	if sign := a.mark.FindString(lines[0]); sign != "" {
		if rest := strings.TrimLeft(strings.TrimPrefix(lines[0], sign), "* "); rest != "" && isName(rest) && !isPlural(rest) {
			return true
		}
	}
	if rest := a.file.ReplaceAllString(first, ""); rest != first && compiled().did.MatchString(rest) {
		return true
	}
	if a.logged.MatchString(first) || a.ended.MatchString(first) || a.mine.MatchString(first) || a.ready.MatchString(first) || a.scores.MatchString(first) || a.over.MatchString(first) && !a.waits.MatchString(first) {
		return true
	}
	first = a.tagged.ReplaceAllString(first, "")
	if m := a.past.FindStringSubmatch(first); m != nil && !strings.Contains(lines[0], "[ ]") && !slices.Contains(decided, strings.ToLower(m[1])) {
		// "Expired tokens crash the worker": a participle may belong to the subject.
		if of := strings.TrimSpace(first[len(m[1]):]); wordsWithLetters(of) >= fewestDone && !says().MatchString(of) && !a.holds.MatchString(of) && !hasVerb(of) && !isPlural(of) {
			return true
		}
	}
	if m := a.did.FindStringSubmatch(first); m != nil && !slices.Contains(decided, strings.ToLower(m[1])) && isCapital(first) {
		return !strings.Contains(first, ". ") && !strings.Contains(first, ": ") && !a.holds.MatchString(first)
	}
	switch {
	case a.labels.MatchString(first) && wordsWithLetters(first) < 12:
		return true
	case a.waits.MatchString(first):
		return false
	case compiled().ticked.MatchString(lines[0]):
		return true
	}
	return a.state.MatchString(first) && wordsWithLetters(first) <= 12
}

func isCapital(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }
