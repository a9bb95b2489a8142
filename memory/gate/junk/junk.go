// Package junk recognises texts that are no memory: the output of a tool that was
// copied whole, an account of a session, a fragment. It judges the form of a text
// alone. It must not know memories, where they are kept, or who writes them.
package junk

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

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
		return "Write a whole sentence that can be understood by itself."
	}
	return ""
}

// forms are the regular expressions of the kinds. They are compiled at the first text:
// most programs that link this package see none.
type forms struct {
	frames    *regexp.Regexp
	diffHeads *regexp.Regexp
	diffStat  *regexp.Regexp
	diffLine  *regexp.Regexp
	logHeads  *regexp.Regexp
	logLine   *regexp.Regexp
	oneCommit *regexp.Regexp
	ranWith   *regexp.Regexp
	path      *regexp.Regexp
	session   *regexp.Regexp
	heading   *regexp.Regexp
	reason    *regexp.Regexp
	printed   *regexp.Regexp
	thrown    *regexp.Regexp
	counts    *regexp.Regexp
	tree      *regexp.Regexp
}

var compiled = sync.OnceValue(func() *forms {
	return &forms{
		frames: regexp.MustCompile(`^\s*(?:` + strings.Join([]string{
			`at\s+[\w.$<>\[\]/@ #-]+\(.*\)`,                             // JavaScript, Java, C#
			`at\s+(?:async\s+)?(?:[\w.<>$ ]+\s)?\(?[^\s()]+:\d+:\d+\)?`, // JavaScript without a name
			`File "[^"]+", line \d+`,                                    // Python
			`Traceback \(most recent call last\)`,
			`goroutine \d+ \[[^\]]*\]:`,
			`(?:[\w/-]+\.)+[\w.*()/-]+\((?:0x[0-9a-f?, .x{}]*|\.\.\.)?\)|created by [\w.*()/-]+.*`, // Go
			`\S+\.(?:go|rs|rb|php|py|js|ts|c|cc|cpp|h|swift|kt|java|ex|exs):\d+(?::\d+)?(?:\s+\+0x[0-9a-f]+|:in .*)?\s*$`,
			`\d+:\s+(?:0x[0-9a-f]+ - )?[\w:<>{}$]+::.*`,                         // Rust
			`#\d+\s+(?:0x[0-9a-f]+\s+in\s+\S.*|\S+\(\d+\): .*|\S.* at \S+:\d+)`, // gdb, PHP
			`Caused by: [\w.$]+`,
			`(?:panic|fatal error|Exception in thread "[^"]*"|thread '[^']*' panicked at)\b.*`,
			`\.\.\. \d+ more`,
			`.*\(\w+\.(?:java|kt|scala|groovy):\d+\)\s*$`,           // Guice, JUnit
			`(?:==\d+==\s+)?(?:at|by) 0x[0-9A-Fa-f]+: \S`,           // Valgrind
			`(?:> ?)?0x[0-9a-f]{6,}:? \S.*(?:\?\?|\bat \S+:\d+|\()`, // addr2line
			`\d+\s+\S+\s+0x[0-9a-f]{8,} .*\+ \d+`,                   // macOS
		}, "|") + `)`),
		diffHeads: regexp.MustCompile(`^(?:diff --(?:git|cc|combined) |index [0-9a-f]{6,}\.\.[0-9a-f]{6,}|--- (?:a/|/dev/null)|\+\+\+ (?:b/|/dev/null)|@@@? -\d+(?:,\d+)? (?:-\d+(?:,\d+)? )?\+\d+(?:,\d+)? @@)`),
		diffStat:  regexp.MustCompile(`^\s*\S.*\|\s+(?:\d+ [+-]*|Bin .*)\s*$|^\s*\d+ files? changed\b`),
		diffLine:  regexp.MustCompile(`^[+-](?:[^+-]|$)`),
		logHeads:  regexp.MustCompile(`^(?:[*|\\/ ]*commit [0-9a-f]{7,40}\b|Author:\s+.+<.*>|(?:Author|Commit)?Date:\s+\w{3} \w{3}|Merge: [0-9a-f]{6,} )`),
		logLine:   regexp.MustCompile(`^[*|\\/ ]*[0-9a-f]{7,12}\s+(?:\([^)]+\)\s+)?\S`),
		oneCommit: regexp.MustCompile(`^[0-9a-f]{7,40}\s+(?:\([^)]+\)\s+)?(?:\w+(?:\([^)]*\))?!?: |Merge (?:pull request|branch|remote) |Checkpoint: )|^[0-9a-f]{40}\s+\S`),
		ranWith:   regexp.MustCompile(`^(?:Error: )?Exit code \d+\b|^(?:> ?)?(?:\S*[~/:@]\S*\s?|[\w-]+ )?\$ \S+|^% \S+`),
		path:      regexp.MustCompile(`^(?:[-*•]\s+|\d+[.)]\s+|[MADRCU?]{1,2}\s+|[│├└─|` + "`" + `+ -]+\s*)?` + "`?" + `(?:\.{0,2}/)?(?:[\w@.+-]+/)*[\w@.+-]+(?:/|\.\w{1,8})` + "`?" + `$`),
		session:   regexp.MustCompile(`(?i)^(?:#+\s*)?(?:(?:session|work|task|final|implementation|progress)\s+(?:summary|report|recap)\b|summary of (?:the |this |our )?(?:session|work|changes|conversation)\b|in this session\b|(?:during|throughout) (?:this|the|our) session\b|this session\b|here(?:'|’)?s (?:a |the )?(?:summary|recap|what (?:i|we)(?:'ve| have)? (?:did|done|changed|implemented))\b|here is (?:a |the )?(?:summary|recap)\b|(?:i|we)(?:'ve|’ve| have) (?:now |just |successfully |also )?(?:implemented|fixed|added|updated|created|completed|refactored|finished|removed|moved|committed|pushed|written|verified|reviewed|resolved|addressed|made)\b|(?:all|both) (?:the |\d+ )?(?:tests|changes|tasks|items|checks|todos)\b.{0,60}\b(?:pass|passed|passing|done|complete|completed|green)\b|done[.!:]|what (?:was|i) (?:done|did|changed)\b|(?:excellent|great|good|nice) (?:catch|question|point|idea)\b|you(?:'|’)?re (?:absolutely |completely )?right\b|exactly(?: right)?[ .!,-]+|want me to\b|let me (?:summari[sz]e|clarify|check|know|walk|look|explain)\b|now (?:i|let me)\b|i can see\b|i(?:'|’)m confused\b|i(?:'|’)ll (?:now )?\w+\b)`),
		// What has a reason, or a rule, is more than a report.
		reason: regexp.MustCompile(`(?i)\b(?:because|since|so that|otherwise|instead of|must|never|always|do not|don't)\b|\w: \w`),
		// What programs print line by line.
		printed: regexp.MustCompile(`^\s*(?:` + strings.Join([]string{
			`\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d[.,Z+\d\] ]`, // a log
			`==\d+==`,
			`\S+:\d+(?::\d+)?: (?:fatal )?(?:error|warning|note)\b`, // a compiler
			`(?:ld|gcc|g\+\+|cc|clang|make|configure|cmake|npm|cargo|go|error|warning|note)(?:\[\w+\])?(?::\d+)*: \S`,
			`(?:gcc|g\+\+|cc|clang|libtool) .*\s-\w`,
			`npm ERR!`,
			`>>> `,
			`\d* ?\|`, // source under a message
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
			`"[\w-]+": (?:"|\[|\{|[\d.]+,?$|true|false|null)`, // JSON
			`[\]\[{}]+,?\s*$`,
			`"(?:\\.|[^"\\])*",?\s*$`,
		}, "|") + `)`),
		thrown:  regexp.MustCompile(`^\s*(?:[\w.]+(?:Error|Exception|Interrupt)\b(?::|$)|\.\.\.\s*$|while locating |\\_ |during handling of )`),
		counts:  regexp.MustCompile(`^\s*\d+\t\S`),
		tree:    regexp.MustCompile(`^\d{6} (?:blob|tree|commit) [0-9a-f]{40}\t`),
		heading: regexp.MustCompile(`^#{1,6}\s+\S+(?:\s+\S+){0,5}$`),
	}
})

// Find returns what a text is, where it is no memory.
func Find(text string) (Kind, bool) {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = nonEmpty(lines)
	switch {
	case len(lines) == 0:
		return Fragment, true
	case isDiff(lines):
		return Diff, true
	case isTrace(lines):
		return StackTrace, true
	case isOutput(text, lines):
		return Output, true
	case share(lines, compiled().oneCommit.MatchString) == 1, share(lines, compiled().logHeads.MatchString) >= .3 && has(lines, compiled().logHeads.MatchString, 2), has(lines, compiled().logLine.MatchString, 3) && share(lines, compiled().logLine.MatchString) >= .6,
		has(lines[:min(4, len(lines))], compiled().logHeads.MatchString, 3), has(lines, compiled().counts.MatchString, 2) && share(lines, compiled().counts.MatchString) >= .8:
		return GitLog, true
	case has(lines, compiled().tree.MatchString, 2):
		return PathList, true
	case has(lines, isPath, 2) && share(lines, isPath) >= .6:
		return PathList, true
	case compiled().session.MatchString(strings.TrimLeft(strings.TrimSpace(lines[0]), "*_>- ✅☑✔️🎉")) && !compiled().reason.MatchString(text):
		return Session, true
	case isFragment(text, lines):
		return Fragment, true
	}
	return "", false
}

func nonEmpty(lines []string) []string {
	var out []string
	for _, l := range lines {
		if t := strings.TrimSpace(l); t != "" && !strings.HasPrefix(t, "```") {
			out = append(out, l)
		}
	}
	return out
}

// has reports whether at least n lines match.
func has(lines []string, match func(string) bool, n int) bool {
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
	return has(lines, of, 3) && share(lines, of) >= .3
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
	return has(lines, f.frames.MatchString, 1) && has(lines, of, 2) && share(lines, of) >= .75
}

// isOutput reports whether a text is what a program printed: a JSON document, or what
// follows a prompt or an exit code.
func isOutput(text string, lines []string) bool {
	if t := strings.TrimSpace(text); len(lines) > 1 && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(t)) {
		return true
	}
	if len(lines) > 1 && compiled().ranWith.MatchString(strings.TrimSpace(lines[0])) {
		return true
	}
	return has(lines, compiled().printed.MatchString, 2) && share(lines, compiled().printed.MatchString) >= .6
}

// isPath reports whether a line is a path and nothing else.
func isPath(line string) bool {
	line = strings.TrimSpace(line)
	return strings.ContainsAny(line, "/.") && !strings.HasSuffix(line, ".") && compiled().path.MatchString(line)
}

// isFragment reports whether nobody could learn anything from a text by itself.
func isFragment(text string, lines []string) bool {
	if wordsWithLetters(text) == 0 || len(lines) == 1 && isPath(text) {
		return true
	}
	last := strings.TrimRight(strings.TrimSpace(lines[len(lines)-1]), "*_` ")
	return len(lines) == 1 && (strings.HasSuffix(last, ":") || strings.HasSuffix(last, "：") || compiled().heading.MatchString(last))
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
