package junk

import (
	"strings"
	"sync"

	"manicule/memory/gate/junk/speech"
	"manicule/memory/lazyregexp"
)

// moments are the regular expressions of texts that are true for a moment only: they tell what is not as it was, or what comes next,
// and of forms that nobody has filled in.
type moments struct {
	turned  *lazyregexp.Regexp // what is not as it was
	lasting *lazyregexp.Regexp // what holds from then on
	ahead   *lazyregexp.Regexp // the heading of what comes next or was done last
	named   *lazyregexp.Regexp // the same in bold
	hollow  *lazyregexp.Regexp // a remark for whoever fills in a form
	blank   *lazyregexp.Regexp // a label whose value is a placeholder
	example *lazyregexp.Regexp // a label whose value is an example
	files   *lazyregexp.Regexp // the heading of a list of files
	file    *lazyregexp.Regexp // a file with a remark
	points  *lazyregexp.Regexp // a line that leads in by pointing to what follows
	deed    *lazyregexp.Regexp // a sentence behind the first without a subject, which tells a deed
	deeds   *lazyregexp.Regexp // two such sentences, of whatever
	branch  *lazyregexp.Regexp // how far a branch is
	total   *lazyregexp.Regexp // how many of something there are in all
	after   *lazyregexp.Regexp // a step that follows one that isn't there
	touches *lazyregexp.Regexp // the label of a list of files
	notes   *lazyregexp.Regexp // the heading of what a release changed
	added   *lazyregexp.Regexp // an item of what a change does
	recipe  *lazyregexp.Regexp // what the steps that follow are for
}

var ofMoment = sync.OnceValue(func() *moments {
	return &moments{
		turned:  lazyregexp.New(`(?i)\bno longer\b|\b(?:is|are) now\b|\b(?:is|are|was|were) (?:bumped|changed|migrated|moved|raised|renamed|switched|upgraded) from\b|\bcut from\b|\bnot yet \w+(?:ed|en)\b|\balready in place\b|\bnow (?:has|have|is|are|\w+[^\Ws]s)\b|\b(?:had|was|were) previously\b|^\W*previously \w+ed\b`),
		lasting: lazyregexp.New(`(?i)^\W*(?:we|i|users?|clients?|everyone|nobody) |\bno longer (?:be )?(?:allowed|applies|apply|exists?|holds?|maintained|needed|required|supported|true|used|valid|works?)\b|\b(?:deprecated|instead|must|never|always|don['’]t|do not)\b`),
		ahead:   lazyregexp.New(`(?i)^#+ (?:next|outstanding|pending|recent(?:ly)?|remaining|upcoming|left(?: to do)?|backlog)(?: (?:arc|session|steps?|up|work|tasks?|items?|changes|activity|actions?))?(?: \(.*\))?\W*$`),
		named:   lazyregexp.New(`(?i)^\W*\*\*(?:next session\b[^*]*|next up|next|outstanding|remaining|left to do|\w+ residual)(?::\*\*|\*\*:?) `),
		hollow:  lazyregexp.New(`<!-- *(?:TODO|FIXME|TBD|e\.g\.|Required:|Optional:|Describe |One line )`),
		blank:   lazyregexp.New(`^\W*\pL[\pL /_-]*\**:\** *(?:\[[A-Za-z][^\]]+\]|<[a-z][a-z _-]+>)\s*$`),
		example: lazyregexp.New(`^\W*\pL[\pL /_-]*\**:\** *\((?:e\.g\.|` + "`" + `)[^)]*\)\s*$`),
		files:   lazyregexp.New(`(?i)^#+ (?:key |relevant )?files? (?:to |affected|changed|modified|touched)`),
		file:    lazyregexp.New("^\\s*(?:[-*+]|\\d+\\.)\\s+\\**`[^`\\s]+[./][^`\\s]*`\\**(?: *(?:[-–—:←(]|$))"),
		points:  lazyregexp.New(`(?i)\b(?:these|the following)\b`),
		deed:    lazyregexp.New(`[.;!] (?:Added|Bumped|Cleaned|Deleted|Dropped|Extracted|Fixed|Implemented|Introduced|Moved|Refactored|Removed|Renamed|Replaced|Rewrote|Switched|Updated) (?:(?:an?|all|both|its|old|several|the|two|unused) |` + "`" + `)`),
		deeds:   lazyregexp.New(`[.;!] (?:Added|Fixed|Moved|Removed|Renamed|Replaced|Updated) .*[.;!] (?:Added|Fixed|Moved|Removed|Renamed|Replaced|Updated) `),
		branch:  lazyregexp.New("(?i)\\b\\d+ commits? (?:ahead|behind)\\b|\\bahead of `?(?:origin|main|master)\\b"),
		total:   lazyregexp.New(`(?i)^\W*(?:in )?total\W.*\d+ [\w/ ]*(?:commits|files|lines|tests)\b`),
		after:   lazyregexp.New(`(?i)^\W*only then\b`),
		notes:   lazyregexp.New(`(?i)^#+ (?:(?:added|changed|fixed|removed)\W*$|\[?v?\d+\.\d+(?:\.\d+)?\]? *(?:[-–—(] *)?20\d\d\b|what['’]s new\b)`),
		added:   lazyregexp.New(`^\s*[-*•] (?:Add|Added|Auto-\w+|Bump|Clean|Deduplicate|Delete|Drop|Extend|Extract|Fix|Fixed|Handle|Implement|Improve|Improved|Introduce|Mark|Merge|Migrate|Move|Refactor|Remove|Rename|Replace|Rewrite|Simplify|Split|Support|Switch|Update|Upgrade|Wire)(?:s|ed)? \S`),
		recipe:  lazyregexp.New(`(?i)^\W*(?:after|before|for|if|to|when(?:ever)?)\b`),
		touches: lazyregexp.New(`(?i)^\W*(?:affected (?:code|files?)|files?(?: (?:changed|touched))?|specs?|sources?|references?)\**:\**\s`),
	}
})

// Least shares and numbers of lines of such texts.
const (
	fewestBlanks = 2
	mostAreFiles = .5
)

// isUnfilled reports whether a text is a form that nobody has filled in.
func isUnfilled(text string, lines []string) bool {
	m := ofMoment()
	return m.hollow.MatchString(text) || has(lines, func(l string) bool { return m.blank.MatchString(l) || m.example.MatchString(l) }, fewestBlanks)
}

// isOfMoment reports whether a text tells how far work is, by its heading, or what is not as it was, by its first sentence. What has a
// reason, or says what holds since, tells more than that.
func isOfMoment(text string, lines []string) bool {
	m := ofMoment()
	because := compiled().because.MatchString
	headed := len(lines) > 1 && (m.ahead.MatchString(lines[0]) || m.notes.MatchString(lines[0]) && share(lines[1:], because) < .5)
	if headed || m.named.MatchString(lines[0]) || m.branch.MatchString(text) && !because(text) || len(lines) == 1 && m.total.MatchString(lines[0]) {
		return true
	}
	if describesChange(lines) {
		return true
	}
	whole := strings.Join(strings.Fields(text), " ")
	if m.deed.MatchString(whole) || m.deeds.MatchString(whole) {
		return true
	}
	first, _, _ := strings.Cut(whole, ". ")
	return !strings.HasPrefix(lines[0], "#") && m.turned.MatchString(first) && !m.lasting.MatchString(first) && !because(first)
}

// How many items of a text list what a change does, and up to which share of rules.
const (
	fewestAdded  = 2
	mostAreAdded = .5
	mostAreRules = .5
)

// describesChange reports whether a text of several lines reads like the body of a change: it begins with what the change does, without
// saying what does it ("Adds a dialog that …"), or most of its items do.
func describesChange(lines []string) bool {
	if len(lines) < 2 || share(lines, rules) >= mostAreRules || leadsIn(lines[0]) && ofMoment().recipe.MatchString(lines[0]) {
		return false
	}
	items, added := itemsOf(lines), ofMoment().added.MatchString
	if has(items, added, fewestAdded) && share(items, added) > mostAreAdded {
		return true
	}
	first := lines[0]
	return isCapital(first) && !compiled().heading.MatchString(first) && !strings.Contains(first, ":") && speech.Of(first).First[speech.Third] >= surelyVerb
}

// surelyVerb is how probable it is that a first word is a verb that lacks its subject.
const surelyVerb = .6

// listsFiles reports whether a text is a list of files under a heading or behind a label that says so.
func listsFiles(lines []string) bool {
	m := ofMoment()
	if label := m.touches.FindString(lines[0]); label != "" {
		rest := strings.Fields(strings.Join(lines, " ")[len(label):])
		return share(rest, func(w string) bool { return strings.ContainsAny(w, "./`") }) >= mostAreFiles
	}
	return len(lines) > 2 && m.files.MatchString(lines[0]) && share(lines[1:], m.file.MatchString) >= mostAreFiles
}

// pointsAway reports whether a line points to what isn't there: "Keep these in sync when adding components:", "Only then proceed".
func pointsAway(lines []string) bool {
	m := ofMoment()
	return len(lines) == 1 && (leadsIn(lines[0]) && m.points.MatchString(lines[0]) || m.after.MatchString(lines[0]))
}
