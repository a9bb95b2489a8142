// Package junk recognises texts that are no memory: the output of a tool that was
// copied whole, an account of a session, a fragment. It judges the form of a text
// alone. It must not know memories, where they are kept, or who writes them.
package junk

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode"

	"manicule/memory/gate/junk/likely"
	"manicule/memory/gate/junk/speech"
	"manicule/memory/lazyregexp"
)

// forms are the regular expressions of the kinds. Most texts are one line, and meet few of them.
type forms struct {
	frames    *lazyregexp.Regexp
	diffHeads *lazyregexp.Regexp
	diffStat  *lazyregexp.Regexp
	diffLine  *lazyregexp.Regexp
	logHeads  *lazyregexp.Regexp
	logLine   *lazyregexp.Regexp
	oneCommit *lazyregexp.Regexp
	ranWith   *lazyregexp.Regexp
	path      *lazyregexp.Regexp
	name      *lazyregexp.Regexp // one word that may name a file
	session   *lazyregexp.Regexp
	heading   *lazyregexp.Regexp
	reason    *lazyregexp.Regexp
	printed   *lazyregexp.Regexp
	thrown    *lazyregexp.Regexp
	counts    *lazyregexp.Regexp
	tree      *lazyregexp.Regexp
	numstat   *lazyregexp.Regexp
	codeDiff  *lazyregexp.Regexp
	treeEntry *lazyregexp.Regexp
	counted   *lazyregexp.Regexp
	ran       *lazyregexp.Regexp
	did       *lazyregexp.Regexp
	label     *lazyregexp.Regexp
	passed    *lazyregexp.Regexp
	because   *lazyregexp.Regexp
	cut       *lazyregexp.Regexp
	only      *lazyregexp.Regexp
	stranded  *lazyregexp.Regexp // ends with a word that belongs to its verb
	forbids   *lazyregexp.Regexp // begins like a rule
	asks      *lazyregexp.Regexp // has the words of a question
	form      *lazyregexp.Regexp // a label and what is to be filled in
	labels    *lazyregexp.Regexp // several labels in a line
	linked    *lazyregexp.Regexp // a label and links
	mailed    *lazyregexp.Regexp // the head of a commit as a mail
	middle    *lazyregexp.Regexp // begins in the middle of a sentence
	markup    *lazyregexp.Regexp // one line of markup or code
	where     *lazyregexp.Regexp // a label and a place
	placed    *lazyregexp.Regexp
	recap     *lazyregexp.Regexp
	ticked    *lazyregexp.Regexp
	shortlog  *lazyregexp.Regexp
	inTree    *lazyregexp.Regexp
	usage     *lazyregexp.Regexp
	section   *lazyregexp.Regexp
	merges    *lazyregexp.Regexp
	starred   *lazyregexp.Regexp
	listed    *lazyregexp.Regexp
	rule      *lazyregexp.Regexp
	blank     *lazyregexp.Regexp
	tags      *lazyregexp.Regexp
}

var compiled = sync.OnceValue(func() *forms {
	return &forms{
		frames: lazyregexp.New(`^\s*(?:` + strings.Join([]string{
			"at\\s+[\\w.$<>\\[\\]/@ #|`-]+\\(.*\\)|--- End of stack trace from previous location ---", // JavaScript, Java, C#
			`at\s+(?:async\s+)?(?:[\w.<>$ ]+\s)?\(?[^\s()]+:\d+:\d+\)?`,                               // JavaScript without a name
			`File "[^"]+", line \d+`, // Python
			`Traceback \(most recent call last\)`,
			`goroutine \d+ \[[^\]]*\]:`,
			`(?:[\w/-]+\.)+[\w.*()/-]+\((?:0x[0-9a-f?, .x{}]*|\.\.\.)?\)|created by [\w.*()/-]+.*`, // Go
			`\S+\.(?:go|rs|rb|php|py|js|ts|c|cc|cpp|h|swift|kt|java|ex|exs):\d+(?::\d+)?(?:\s+\+0x[0-9a-f]+|:in .*)?\s*$`,
			`\d+:\s+(?:0x[0-9a-f]+ - )?[\w:<>{}$]+::.*`,                         // Rust
			`#\d+\s+(?:0x[0-9a-f]+\s+in\s+\S.*|\S+\(\d+\): .*|\S.* at \S+:\d+)`, // gdb, PHP
			`Caused by: [\w.$]+`,
			`(?:panic|[Ff]atal error|Exception in thread "[^"]*"|thread '[^']*'(?: \(\d+\))? panicked at|panicked at)\b.*`,
			"note: run with `?RUST_BACKTRACE",                                   // Rust
			`(?:PHP )?(?:Fatal error: +Uncaught |Stack trace:$)|#\d+ \{main\}$`, // PHP
			`\(\w+ \d[\w.-]*\) \S+\.exs?:\d+: `,                                 // Elixir
			`\.\.\. \d+ more`,
			`.*\(\w+\.(?:java|kt|scala|groovy):\d+\)\s*$`,           // Guice, JUnit
			`(?:==\d+==\s+)?(?:at|by) 0x[0-9A-Fa-f]+: \S`,           // Valgrind
			`(?:> ?)?0x[0-9a-f]{6,}:? \S.*(?:\?\?|\bat \S+:\d+|\()`, // addr2line
			`\d+\s+\S+\s+0x[0-9a-f]{8,} .*\+ \d+`,                   // macOS
		}, "|") + `)`),
		diffHeads: lazyregexp.New(`^(?:diff --(?:git|cc|combined) |index [0-9a-f]{6,}\.\.[0-9a-f]{6,}|--- (?:a/|/dev/null)|\+\+\+ (?:b/|/dev/null)|@@@? -\d+(?:,\d+)? (?:-\d+(?:,\d+)? )?\+\d+(?:,\d+)? @@|(?:old|new|new file|deleted file) mode [01]\d{5}$)`),
		diffStat:  lazyregexp.New(`^\s*\S.*\|\s+(?:\d+ [+-]*|Bin .*)\s*$|^\s*\d+ files? changed\b`),
		diffLine:  lazyregexp.New(`^[+-](?:[^+-]|$)`),
		logHeads:  lazyregexp.New(`^(?:[*|\\/ ]*commit [0-9a-f]{7,40}\b|Author:\s+.+<.*>|(?:Author|Commit)?Date:\s+\w{3} \w{3}|Merge: [0-9a-f]{6,} )`),
		logLine:   lazyregexp.New(`^[*|\\/ ]*[0-9a-f]{7,12}\s+(?:\([^)]+\)\s+)?\S`),
		oneCommit: lazyregexp.New(`^[0-9a-f]{7,40}\s+(?:\([^)]+\)\s+)?(?:\w+(?:\([^)]*\))?!?: |Merge (?:pull request|branch|remote) |Checkpoint: )|^[0-9a-f]{40}\s+\S`),
		ranWith:   lazyregexp.New(`^(?:Error: )?Exit code \d+\b|^(?:> ?)?(?:\S*[~/:@]\S*\s?|[\w-]+ )?\$ \S+|^% \S+`),
		path:      lazyregexp.New(`^(?:[-*•]\s+|\d+[.)]\s+|[MADRCU?]{1,2}\s+|[│├└─|` + "`" + `+ -]+\s*)?` + "`?" + `(?:\.{0,2}/)?(?:[\w@.+{}<>*\[\]()$-]+/)*[\w@.+{}<>*\[\]()$-]+(?:/|\.\w{1,12})` + "`?" + `$`),
		name:      lazyregexp.New(`^\s*[\w@.+\[\]()$-]+(?:/[\w@.+\[\]()$-]+)*/?$`),
		session:   lazyregexp.New(`(?i)^(?:#+\s*)?(?:(?:session|work|task|final|implementation|progress)\s+(?:summary|report|recap)\b|summary of (?:the |this |our )?(?:session|work|changes|conversation)\b|in this session\b|(?:during|throughout) (?:this|the|our) session\b|this session\b|here(?:'|’)?s (?:a |the )?(?:summary|recap|what (?:i|we)(?:'ve| have)? (?:did|done|changed|implemented))\b|here is (?:a |the )?(?:summary|recap)\b|(?:i|we)(?:'ve|’ve| have) (?:now |just |successfully |also )?(?:implemented|fixed|added|updated|created|completed|refactored|finished|removed|moved|committed|pushed|written|verified|reviewed|resolved|addressed|made)\b|(?:all|both) (?:the |\d+ )?(?:tests|changes|tasks|items|checks|todos)\b.{0,60}\b(?:pass|passed|passing|done|complete|completed|green)\b|done[.!:]|what (?:was|i) (?:done|did|changed)\b|(?:excellent|great|good|nice) (?:catch|question|point|idea)\b|you(?:'|’)?re (?:absolutely |completely )?right\b|exactly(?: right)?[ .!,-]+|want me to\b|let me (?:summari[sz]e|clarify|check|know|walk|look|explain)\b|now (?:i|let me)\b|i can see\b|i(?:'|’)m confused\b|i(?:'|’)ll (?:now )?\w+\b)`),
		// What has a reason, or a rule, is more than a report.
		reason: lazyregexp.New(`(?i)\b(?:because|since|so that|otherwise|instead of|must|never|always|do not|don't)\b|\w: \w`),
		// What programs print line by line.
		printed: lazyregexp.New(`^\s*(?:` + strings.Join([]string{
			`\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d[.,Z+\d\] ]`, // a log
			`==\d+==`,
			`\S+:\d+(?::\d+)?: (?:fatal )?(?:error|warning|note)\b`, // a compiler
			`(?:ld|gcc|g\+\+|cc|clang|make|configure|cmake|npm|cargo|go|error|warning|note)(?:\[\w+\])?(?::\d+)*: \S`,
			`(?:gcc|g\+\+|cc|clang|libtool) .*\s-\w`,
			`npm ERR!`,
			`On branch \S+$|Changes (?:not staged for commit|to be committed):|(?:modified|new file|deleted|renamed|both modified): +\S|\(use "git `, // git's status
			`>>> `,
			`(?:LL|\d*) ?\|`, // source under a message
			`[|^~ ]*\^[~^]*\s*$`,
			`\S.*?(?:\s*,?\s{2,},?\s*\S*\d\S*){2,}\s*$`,            // a table of numbers
			`[A-Z][\w ]{2,30}:\s{3,}\S`,                            // aligned names and values
			`(?:ok|FAIL|PASS|XFAIL|SKIP|---|===|\*{3,})[!:]?\s+\S`, // tests
			`test \S+ \.\.\. \w+`,
			`.*\.{3,}\s+\**(?:Passed|Failed|ok|yes|no|done)\b`,
			`[-dlbcps][-rwxsStT]{9}[+@.]?\s`, // ls
			`total \d+\s*$`,
			`\S+ (?:=> \S+ )?\((?:0x[0-9a-f]+|compatibility version .*)\)`, // ldd, otool
			`HTTP/\d`,
			`\{"[@\w-]+":`,
			`\w+=\S+\s{2,}\w+=\S`,
			`"[\w-]+": (?:"|\[|\{|[\d.]+,?$|true|false|null)`, // JSON
			`[\]\[{}]+,?\s*$`,
			`"(?:\\.|[^"\\])*",?\s*$`,
			`[-=*_~]{5,}\s*$`,
			`\[[\w.: -]+\]\s+\S`, // a log with its source
			`(?:INFO|WARN|DEBUG|ERROR|FATAL|FATA|TRACE)\b[\[: ]`,
			`WARNING: .*`,
			`(?i:usage):\s+\S`,
			`-{1,2}\w[\w-]*(?:[ ,=]\S+)*\s{2,}\S`, // an option
			`\d{2,}\s+\S+\s*$`,
			`[✓✗✔✘➜❯⚠→]\s*\S`,
			`(?:PLAY|TASK|RUNNING HANDLER) \[`,
			`(?:fatal|ok|changed|skipping|failed): \[`,
			`--> \S+:\d+`,
			`= (?:note|help): `,
			`\S+@\S+:\S*[#$](?:\s|$)`, // a prompt
			`v?\d+(?:\.\d+)+\s*$`,
			`.*\blistening (?:at|on):? \S`,
			`(?:event|data|id): (?:\{|\w+\s*$)`, // a stream of events
			`::(?:error|warning|notice|group)\b`,
			`[A-Z][A-Z ]+:\s*$`, // a heading of a help text
			`.*\bready in \d+ ?m?s\b`,
			`(?:Local|Network): +https?://`,
			`(?:Compiling|Downloading|Downloaded|Installing|Installed|Fetching|Fetched|Resolving|Resolved|Unpacking|Collecting|Building|Finished|Checking|Updating|Created|Analyzing)\s\S+(?:\s\S+){0,3}\s*$`,
			`.*\b\d+ (?:passed|failed|tests?|failures?|errors?|skipped|examples)\b`,
			`\*\* \(`,
		}, "|") + `)`),
		thrown:  lazyregexp.New(`^\s*(?:[\w.]+(?:Error|Exception|Interrupt)\b(?::|$)|\[?\.\.\.\s*(?:$|\w+\s*\.*\]$)|\*\* \(\w|stacktrace:$|\d+\) test .*\)$|ELIFECYCLE\b|\w+(?:\.\w+)+: \S|while locating |\\_ |during handling of )`),
		counts:  lazyregexp.New(`^\s*\d+\t\S`),
		tree:    lazyregexp.New(`^\d{6} (?:blob|tree|commit) [0-9a-f]{40}\t`),
		heading: lazyregexp.New(`^#{1,6}\s+\S+(?:\s+\S+){0,11}$`),

		listed: lazyregexp.New(`^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\[[ xX]\]\s+)?`),

		recap:    lazyregexp.New(`(?i)^(?:#+ |\*\*)(?:\d+[.)] )?(?:summary of (?:this|the) (?:run|session|work)|files (?:created|modified|changed)|accomplish(?:ed|ments)|what (?:was|i) (?:done|did|changed)|completed (?:this session|work|tasks?)|session \d+|handoff\b|hand-off\b)`),
		ticked:   lazyregexp.New(`[✅✓☑] (?:\w+ing\b|.*\b(?:fixed|documented|verified|created|added|updated|done|working|complete|passing|tested|functional|provided|implemented|deployed)\W*$)`),
		merges:   lazyregexp.New(`^[*|\\/ ]+(?:Merge (?:pull request #\d|branch '|remote-tracking )|\S.* \(#\d+\) \([^()]+\)$)`),
		starred:  lazyregexp.New(`^[*|\\/ ]+\S.*`),
		usage:    lazyregexp.New(`^(?i:usage):\s+\S`),
		section:  lazyregexp.New(`^(?:NAME|USAGE|VERSION|COMMANDS|(?:GLOBAL )?OPTIONS|FLAGS|ARGUMENTS|SYNOPSIS):\s*$`),
		inTree:   lazyregexp.New(`^[0-9a-f]{40}:\S+$|^[\s│|]+$`),
		shortlog: lazyregexp.New(`^\S.* \(\d+\):$`),
		// A frame that names its line.
		placed: lazyregexp.New(`^\s*(?:at .*:\d+\)?|File "[^"]+", line \d+.*|Traceback \(most recent.*|goroutine \d+ \[.*|Caused by: [\w.$]+.*|thread '[^']*' panicked at.*|\(?\w*\)? ?\S+\.(?:exs?|erl|rb|py|go|java):\d+.*)$`),

		numstat: lazyregexp.New(`^(?:\d+|-)\t(?:\d+|-)\t\S|^:\d{6} \d{6} [0-9a-f]{7}`),
		// A changed line of code: a list has one space after its mark.
		codeDiff:  lazyregexp.New(`^[+-](?:\s{2,}\S|\t|[^\s\w+-]|\w{3,}\b)`),
		treeEntry: lazyregexp.New(`^[\s│|]*(?:[├└]──?|\|--|` + "`" + `--)\s*\S+$`),
		counted:   lazyregexp.New(`^[-*+\s]*` + "`?" + `[\w@./+-]+[/.][\w@./+-]*` + "`?" + `\s+\((?:NEW|DELETED|MODIFIED|UPDATED|rewrite|\+?\d+)\b.*\)$`),
		ran:       lazyregexp.New(`^(?:> ?)?\$ \S`),
		// What somebody did, as the first word of a line.
		did:     lazyregexp.New(`^(?i:successfully )?(?:Add|Address|Adjust|Bump|Clean|Commit|Complet|Configur|Convert|Creat|Deploy|Document|Enabl|Execut|Expand|Extend|Extract|Finish|Fix|Implement|Improv|Introduc|Investigat|Measur|Merg|Migrat|Mov|Normali[sz]|Persist|Push|Rebas|Refactor|Refresh|Register|Remov|Renam|Replac|Resolv|Review|Seed|Updat|Upgrad|Validat|Verifi|Wir)(?:t?ed|d)\b|^(?:Built|Ran|Wrote|Made|Shipped|Successfully \w+ed)\b`),
		label:   lazyregexp.New(`(?i)^\**(?:Session(?: \w+)?|Status|Date|Duration|Completed|Started|Finished|Branch|Agent|Tasks|Files (?:created|modified|changed|touched)|Commits?|Tests?|Test Count|Coverage|Pass Rate|PR|URL|Checks|Verdict|Progress|Objective|Quality Grade|Validations?)\**:\**\s+\S`),
		passed:  lazyregexp.New(`(?i)\b\d[\d,]*(?:/\d[\d,]*)?(?: \w+)? (?:pass(?:ed|ing)?|green)\b|^all (?:\d+ )?\w+ (?:pass|green|done|complete)|: ✅$|✅ (?:complete|done|passed)\b`),
		because: lazyregexp.New(`(?i)\b(?:because|since|so that|otherwise|instead of|must|never|always|do not|don't|cannot|can't|only|unless|requires?|use|needs?|where|when|whenever|deprecated|breaking|in (?:version )?v?\d+\.)\b` + stateOfThings),
		rule:    lazyregexp.New(`(?i)\b(?:must|never|always|do not|don't|avoid|instead of)\b`),
		blank:   lazyregexp.New(`['"` + "`" + `](?:\.{3,}|…)['"` + "`" + `]$`), // a form to fill in
		tags:    lazyregexp.New(`(?i)^\**tags\**:\**(?:\s+#[\w-]+)+$`),
		cut:     lazyregexp.New(`^\S+ (?:.*,|(?:.*[^\pL\pM\d_])?(?:an?|the|and|or|nor|of|their|your|its|our|whose|than|because|although|by|to|under|into|via|per))$`),
		// A clause of "that" may end so, after a verb that takes the word with it: "versions that tool stubs refer to".
		stranded: lazyregexp.New(`(?i)^(.*)\b(?:that|which|what|who|whom|where) (.*)\b(?:appl(?:y|ies)|attach(?:es)?|belongs?|binds?|compiles?|connects?|corresponds?|delegates?|expands?|leads?|links?|listens?|maps?|migrates?|points?|redirects?|refers?|relates?|replies|reply|resolves?|responds?|sends?|subscribes?|switch(?:es)?|talks?|writes?)(?: back)? to$`),
		forbids:  lazyregexp.New(`^(?i:never|avoid) (?:\S+ ){2,}\S+$`),
		asks:     lazyregexp.New(`(?i)^never mind\b|\b(?:any(?:body|one)|are|can|could|did|do|does|has|have|how|is|right|shall|should|was|were|what|when|where|which|who|why|will|would)\b|,`),
		form:     lazyregexp.New(`^(?:[-*+] )?\**[\pL ]+\**:\** *\[[^\]()]+\]$`),
		labels:   lazyregexp.New(`^\*\*[\pL ]+:\*\* [^|*]{1,40}(?: [|·] \*\*[\pL ]+:\*\* [^|*]{1,60})+$`),
		linked:   lazyregexp.New(`^\**[\pL ]{2,20}\**:\** *(?:\[[^\]]*\]\([^)]*\)[\s·,|]*)+$`),
		mailed:   lazyregexp.New(`^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001$`),
		middle:   lazyregexp.New(`^(?:and|or|nor|which|whose) `),
		markup:   lazyregexp.New(`^(?:</?[a-z][^<>]*>(?:</\w+>)?|\.\. [\w-]+::.*|\[[^\]]+\]: \S+|\$\w+ = .*;|.*\{\{ ?[\w.]+ ?\}\})$`),
		where:    lazyregexp.New("(?i)^\\**(?:affects|archivo|arquivo|files?|link|location|path|related|references?|source|source file|url)\\**:\\** *`?\\S+`?$"),
		only: lazyregexp.New(`^(?:` + strings.Join([]string{
			`(?:[-*+]\s+|\d+\.\s+)?\**!?\[[^\]]*\]\([^)]*\)\**[.,]?`, // a link
			`[\w.$]+\([^()]*\);?`, // a call
			`\.\w+\(.*\)`,
			`(?:import|return|export|const|let|var|package)\s.*;`,
			`(?:[-*+]\s+|\d+\.\s+)?\*\*[\w'&/-]+(?: [\w'&/-]+){0,2}\*\*`, // a label
		}, "|") + `)$`),
	}
})

// Find returns what a text is, where it is no memory.
func Find(text string) (Kind, bool) {
	text = strings.ReplaceAll(text, "\u00a0", " ")
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = nonEmpty(lines)
	switch {
	case len(lines) == 0:
		return Fragment, true
	case isDiff(lines):
		return Diff, true
	case isTrace(lines):
		return StackTrace, true
	case isLog(lines), isCommits(lines), isMessage(text):
		return GitLog, true
	case isPathList(lines), isTree(lines):
		return PathList, true
	case isReport(text, lines), isAccount(text, lines):
		return Session, true
	case isOutput(text, lines):
		return Output, true
	case isFragment(text, lines):
		return Fragment, true
	}
	return "", false
}

func isLog(lines []string) bool {
	f := compiled()
	if f.mailed.MatchString(lines[0]) {
		return true
	}
	if entries := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.Trim(l, "|/\\_ ") == "" }); len(entries) > 0 { // without what only draws the graph
		lines = entries
	}
	switch {
	case share(lines, f.oneCommit.MatchString) == 1,
		has(lines[:min(4, len(lines))], f.logHeads.MatchString, 3):
		return true
	case has(lines, f.logHeads.MatchString, 2):
		return share(lines, f.logHeads.MatchString) >= .3
	case has(lines, f.logLine.MatchString, 3):
		return share(lines, f.logLine.MatchString) >= .6
	}
	if has(lines, f.merges.MatchString, 1) && has(lines, f.starred.MatchString, 3) && share(lines, f.starred.MatchString) == 1 {
		return true
	}
	if f.shortlog.MatchString(lines[0]) && has(lines, func(l string) bool { return strings.HasPrefix(l, "      ") }, 1) {
		return share(lines, func(l string) bool { return f.shortlog.MatchString(l) || strings.HasPrefix(l, "      ") }) >= .9
	}
	return has(lines, f.counts.MatchString, 2) && share(lines, f.counts.MatchString) >= .8
}

func isPathList(lines []string) bool {
	f := compiled()
	if has(lines, f.tree.MatchString, 2) {
		return true
	}
	of := func(l string) bool {
		return isPath(l) || f.treeEntry.MatchString(l) || f.counted.MatchString(l) || f.inTree.MatchString(l)
	}
	if has(lines, of, 2) && share(lines, of) >= .6 && !has(lines, isProse, 1) {
		return true
	}
	// Names without an ending, such as bin/run and LICENSE, count where nothing else is there.
	name := func(l string) bool { return compiled().name.MatchString(l) }
	slashed := func(l string) bool { return strings.Contains(l, "/") || isPath(l) }
	return len(lines) > 2 && share(lines, name) == 1 && share(lines, slashed) >= .6
}

// isProse reports whether a line says something to a person: most of it are words.
func isProse(line string) bool {
	words, other := 0, 0
	for _, w := range strings.Fields(line) {
		w = strings.Trim(w, ".,;:!?()*_\"'“”’")
		switch {
		case w == "":
		case strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' }) < 0:
			words++
		default:
			other++
		}
	}
	return words >= 4 && words > other || unspaced(line)
}

// isReport reports whether a text tells what somebody did.
func isReport(text string, lines []string) bool {
	f := compiled()
	if f.session.MatchString(unmarked(lines[0])) && !f.reason.MatchString(text) || f.recap.MatchString(lines[0]) {
		return true
	}
	for len(lines) > 1 && strings.HasPrefix(lines[0], "#") { // the heading of what follows
		lines = lines[1:]
	}
	first := unmarked(lines[0])
	did := func(l string) bool {
		return (f.did.MatchString(l) || f.passed.MatchString(l)) && !f.because.MatchString(l)
	}
	switch {
	case isDone(lines[0]) && len(lines) == 1:
		return true
	case len(lines) == 1:
		return did(first) && (!strings.Contains(first, ": ") || strings.Contains(lines[0], "✅"))
	case f.did.MatchString(first) && (strings.HasSuffix(first, ":") && !f.because.MatchString(first) || !f.because.MatchString(text)):
		return true
	}
	items := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { // what goes on in the next line
		return strings.HasPrefix(l, "  ") && f.listed.FindString(l) == strings.Repeat(" ", len(l)-len(strings.TrimLeft(l, " ")))
	})
	of := func(l string) bool {
		u := unmarked(l)
		return isDone(l) || did(u) || f.label.MatchString(u) && !f.because.MatchString(u) || f.ticked.MatchString(l)
	}
	return has(items, of, 2) && share(items, of) >= .5
}

// stateOfThings are further forms of a sentence that begins with a participle and yet tells of no deed: the participle
// describes several things that do something ("Merged branches get deleted nightly"), or one whose name is left out ("Backed
// by an in-memory map").
const stateOfThings = `|^\W*\w+ed (?:[\w-]+ ){0,2}?[\w-]*[^\Ws]s (?:also |still )?(?:are|become|belong|block|break|cause|come|contain|count|crash|depend|do|don['’]t|drop|end|expire|fail|get|go|have|hold|inherit|keep|leak|live|lose|make|may|might|need|outlive|override|point|retry|return|run|share|show|skip|stay|survive|take|time|work)\b` +
	`|^\W*(?:Backed|Cached|Called|Compressed|Encrypted|Guarded|Hashed|Owned|Protected|Served|Signed|Sorted|Stored|Used|Written) (?:at|by|from|in|on|per|with)\b`

// isDone reports whether a line is a task that was done.
func isDone(line string) bool {
	l := strings.TrimSpace(line)
	return strings.HasPrefix(l, "- [x] ") || strings.HasPrefix(l, "- [X] ") || strings.HasPrefix(l, "* [x] ")
}

// unmarked returns a line without the marks before its first word.
func unmarked(line string) string {
	line = compiled().listed.ReplaceAllString(line, "")
	return strings.TrimLeft(line, "*_>#- \t✅☑✔️🎉")
}

func nonEmpty(lines []string) []string {
	var out []string
	for _, l := range lines {
		if t := strings.TrimSpace(l); t != "" && !strings.HasPrefix(t, "```") && !(strings.HasPrefix(t, "<!--") && strings.HasSuffix(t, "-->")) {
			out = append(out, l)
		}
	}
	return out
}

// has reports whether at least n lines match.
func has(lines []string, match func(string) bool, n int) bool {
	if len(lines) < n { // an expression that never runs is never compiled
		return false
	}
	for _, l := range lines {
		if match(l) {
			if n--; n == 0 {
				return true
			}
		}
	}
	return false
}

// share is how many of the lines match, in 0 to 1.
func share(lines []string, match func(string) bool) float64 {
	n := 0
	for _, l := range lines {
		if match(l) {
			n++
		}
	}
	return float64(n) / float64(len(lines))
}

func isDiff(lines []string) bool {
	f := compiled()
	if numbers := share(lines, f.numstat.MatchString); numbers == 1 || numbers >= .6 && len(lines) > 2 {
		return true
	}
	changed := func(l string) bool { return f.codeDiff.MatchString(l) }
	around := func(l string) bool { return strings.ContainsAny(l[:1], "+- \t\\@") }
	both := has(lines, func(l string) bool { return l[0] == '+' && changed(l) }, 1) && has(lines, func(l string) bool { return l[0] == '-' && changed(l) }, 1)
	if share(lines, around) == 1 && (both || has(lines, changed, 3) && share(lines, changed) >= .5) && !has(lines, func(l string) bool { return strings.HasPrefix(l, "- ") && isProse(l) }, 1) {
		return true
	}
	if has(lines, compiled().diffStat.MatchString, 2) && share(lines, compiled().diffStat.MatchString) >= .5 {
		return true
	}
	if !has(lines, compiled().diffHeads.MatchString, 1) {
		return false
	}
	if has(lines, compiled().diffHeads.MatchString, 2) {
		return true
	}
	of := func(l string) bool { return compiled().diffHeads.MatchString(l) || compiled().diffLine.MatchString(l) }
	return has(lines, of, 3) && share(lines, of) >= .3 || has(lines, func(l string) bool { return strings.HasPrefix(l, "@@ -") }, 1) && has(lines, of, 2)
}

func isTrace(lines []string) bool {
	f := compiled()
	if has(lines, f.frames.MatchString, 2) && share(lines, f.frames.MatchString) >= .5 {
		return true
	}
	// A short trace is a frame, what was thrown, and the source between them.
	python := strings.Contains(lines[0], "Traceback (most recent call last)")
	of := func(l string) bool {
		return f.frames.MatchString(l) || f.thrown.MatchString(l) || python && strings.HasPrefix(l, "  ")
	}
	if has(lines, f.frames.MatchString, 1) && has(lines, of, 2) && share(lines, of) >= .75 {
		return true
	}
	at := func(l string) bool { return f.placed.MatchString(l) || of(l) }
	if has(lines, f.placed.MatchString, 1) && has(lines, at, 2) && share(lines, at) >= .5 {
		return true
	}
	if has(lines, f.inTree.MatchString, 1) { // git's grep
		return false
	}
	return len(lines) > 1 && has(lines, f.placed.MatchString, 1) && !has(lines, func(l string) bool { return isProse(l) && !of(l) && !f.printed.MatchString(l) }, 1)
}

// isOutput reports whether a text is what a program printed: a JSON document, or what
// follows a prompt or an exit code.
func isOutput(text string, lines []string) bool {
	if t := strings.TrimSpace(text); len(lines) > 1 && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(t)) {
		return true
	}
	f := compiled()
	if len(lines) > 1 && f.ranWith.MatchString(strings.TrimSpace(lines[0])) && share(lines, func(l string) bool { return f.ran.MatchString(strings.TrimSpace(l)) }) < 1 {
		return true
	}
	if len(lines) > 2 && f.usage.MatchString(lines[0]) || has(lines, f.section.MatchString, 2) {
		return true
	}
	if isProse(lines[0]) && !f.printed.MatchString(lines[0]) {
		return false
	}
	of := func(l string) bool { return f.printed.MatchString(l) || strings.HasPrefix(l, strings.Repeat(" ", 16)) }
	return has(lines, f.printed.MatchString, 2) && share(lines, of) >= .6
}

// isPath reports whether a line is a path and nothing else.
func isPath(line string) bool {
	line = strings.TrimSpace(line)
	return strings.ContainsAny(line, "/.") && !strings.HasSuffix(line, ".") && compiled().path.MatchString(line)
}

// isFragment reports whether nobody could learn anything from a text by itself.
func isFragment(text string, lines []string) bool {
	if wordsWithLetters(text) == 0 || isScrap(text) || len(lines) == 1 && isPath(text) {
		return true
	}
	f := compiled()
	if len(lines) > 1 && share(lines, func(l string) bool { return f.form.MatchString(l) || f.heading.MatchString(l) }) >= .75 && has(lines, f.form.MatchString, 2) {
		return true
	}
	if len(lines) > 1 {
		return leadsIn(lines[len(lines)-1]) && wordsWithLetters(text) <= fewWords && !f.because.MatchString(text)
	}
	l := strings.TrimSpace(lines[0])
	switch {
	case isToken(l), f.blank.MatchString(l), f.tags.MatchString(l):
		return true
	case leadsIn(l):
		return !saysARule(l) && !mayBeARule(l) && (wordsWithLetters(l) <= fewWords || !strings.Contains(l, ". ") && !f.because.MatchString(l))
	case f.heading.MatchString(l) && !strings.HasSuffix(l, "."):
		return !saysARule(l) && !mayBeARule(l) && (!f.rule.MatchString(l) || wordsWithLetters(l) < 5) && !(strings.Contains(l, " — ") && hasVerb(l))
	case strings.HasPrefix(l, "|") && strings.HasSuffix(l, "|"): // a row of a table
		return true
	case f.only.MatchString(l):
		return !f.because.MatchString(l)
	case f.middle.MatchString(l), f.markup.MatchString(l), f.where.MatchString(unmarked(l)), f.labels.MatchString(l), f.linked.MatchString(unmarked(l)), isQuestion(l), isTail(l):
		return true
	}
	return f.cut.MatchString(l) && !endsWhole(l)
}

// mostOfSubject is how many words the subject of such a clause has.
const mostOfSubject = 4

// endsWhole reports whether a line is a whole sentence although its last word leads on: the word belongs to the verb of a clause.
func endsWhole(line string) bool {
	f := compiled()
	found := f.stranded.FindStringSubmatch(line)
	if found == nil {
		return false
	}
	subject := strings.Fields(strings.ToLower(found[2]))
	for _, w := range subject {
		if strings.HasSuffix(w, "ly") || slices.Contains([]string{"also", "and", "always", "can", "cannot", "could", "do", "does", "is", "are", "may", "might", "must", "never", "not", "only", "or", "should", "then", "to", "will", "would"}, w) {
			return false // "which may lead to" lacks what it leads to
		}
	}
	if len(subject) == 0 || len(subject) > mostOfSubject {
		return false
	}
	g := speech.Of(found[1])
	return f.rule.MatchString(found[1]) || max(g.FirstBase, g.Finite) >= .5
}

// fewestLetters is how many letters the shortest word has that a person may mean.
const fewestLetters = 3

// isScrap reports whether a text has fewer letters and digits than any word that says something, where words are written with letters.
func isScrap(text string) bool {
	n := 0
	for _, r := range text {
		switch {
		case r >= 0x1100 && unicode.IsLetter(r):
			return false // a sign of such a script is a syllable or a word
		case unicode.IsLetter(r), unicode.IsDigit(r):
			n++
		}
	}
	return n < fewestLetters
}

// isQuestion reports whether a line only asks.
func isQuestion(line string) bool {
	line = strings.TrimRight(line, "*_ \t")
	if f := compiled(); f.forbids.MatchString(line) && !f.asks.MatchString(line) { // what ends it is code, as `try?` is
		return false
	}
	return strings.HasSuffix(line, "?") && strings.Count(line, "?") == 1 && !strings.ContainsAny(line, ".:;→—–") && !unspaced(line)
}

// isTail reports whether a line is the end of a sentence that began elsewhere.
func isTail(line string) bool {
	return line[0] >= 'a' && line[0] <= 'z' && strings.HasSuffix(line, ".") && wordsWithLetters(line) <= 5 && !strings.ContainsAny(line, "`=:;,") && !says().MatchString(line)
}

// fewWords is up to how many words lead in what follows and say nothing else.
const fewWords = 14

// leadsIn reports whether a line ends as if something followed.
func leadsIn(line string) bool {
	line = strings.TrimRight(line, "*_ \t")
	return strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：")
}

// saysARule reports whether a heading, or a line that leads in, is by its words very probably a rule that can be understood by
// itself: "Before submitting a PR, make sure your code passes linting:".
func saysARule(line string) bool {
	line = strings.TrimLeft(line, "# ")
	return likely.Judges(line) && likely.Of(line).Probability < hardlyJunk
}

// fewestOfRule is from how many words a heading, or a line that leads in, may be a rule.
const fewestOfRule = 4

// mayBeARule reports whether a heading, or a line that leads in, has a verb that makes it a statement or an order: "The server is a
// thin bridge:". It is not refused for its form.
func mayBeARule(line string) bool {
	line = strings.TrimLeft(line, "# ")
	if wordsWithLetters(line) < fewestOfRule || isQuestion(line) {
		return false
	}
	g := speech.Of(line)
	return max(g.FirstBase, g.Finite) >= .5
}

// isToken reports whether a text is one name, address or mark of code. A single word may be meant.
func isToken(text string) bool {
	return !strings.ContainsAny(text, " \t") && !unspaced(text) && strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '\''
	}) >= 0
}

// Thin reports whether a text has too few words to say something: a person may mean it,
// a program doesn't.
func Thin(text string) bool { return wordsWithLetters(text) < 3 && !unspaced(text) }

func wordsWithLetters(text string) (n int) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '_' }) {
		if strings.IndexFunc(w, unicode.IsLetter) >= 0 {
			n++
		}
	}
	return n
}

// unspaced reports whether a text is in a script that puts no spaces between words.
func unspaced(text string) bool {
	n := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			n++
		}
	}
	return n >= 4
}
