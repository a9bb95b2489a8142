package junk

import (
	"strings"
	"sync"

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
			`(?:panic[:(]|[Ff]atal error:|Exception in thread "[^"]*"|thread '[^']*'(?: \(\d+\))? panicked at\b|panicked at\b)`,
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
			`On branch \S+$|Changes (?:not staged for commit|to be committed):|(?:modified|new file|deleted|renamed|both modified):(?: +\S+(?: -> \S+)?\s*$| {3,}\S)|\(use "git `, // git's status
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
