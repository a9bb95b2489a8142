package asking

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
)

// Limits of what counts as pasted.
const (
	minLogLines  = 6   // of a prompt that is a log
	minDocument  = 600 // bytes of a prompt that has a document
	minDocLines  = 12
	cutMark      = "\n…\n" // where the log has no room for a prompt's middle
	maxDocTitle  = 66      // runes of the beginning, where the request is at the end
	maxLogLooked = 16      // lines that are looked at
)

// logText returns the task of a prompt that is a program's output without a word of a person: the line that says most about
// what is wrong. It returns "" for all else.
func logText(text string) string {
	lines, logs := 0, 0
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) == "" {
			continue
		}
		if lines == 0 && speaks().MatchString(line) {
			return ""
		}
		if lines++; lines > maxLogLooked {
			break
		}
		if logLine().MatchString(line) {
			logs++
		}
	}
	if lines < minLogLines || 2*logs < lines {
		return ""
	}
	last := strings.TrimSpace(text[strings.LastIndexByte(strings.TrimSpace(text), '\n')+1:])
	if speaks().MatchString(last) && isSentence(last) {
		return wording.OneLine(last, MaxTask)
	}
	said := event.ErrorLine(text)
	if said == "" || event.LineWeight(said) <= event.LineWeight("x") {
		return ""
	}
	return wording.OneLine("a pasted log: "+said, MaxTask)
}

// closing returns what a long prompt asks for at its end, behind a document that was pasted; "" if it doesn't.
func closing(text string) string {
	text = strings.TrimSpace(text)
	middle := strings.Index(text, cutMark)
	if middle < 0 && (len(text) < minDocument || strings.Count(text, "\n") < minDocLines) {
		return ""
	}
	at := max(strings.LastIndex(text, "\n\n"), middle+len(cutMark)-1)
	if at < 0 {
		at = strings.LastIndexByte(text, '\n')
	}
	end := strings.TrimSpace(text[min(at, len(text)):])
	if strings.HasPrefix(end, "#") || strings.HasPrefix(end, "```") || strings.HasPrefix(end, "<") || strings.HasPrefix(end, "|") || wording.ListItem().MatchString(end) {
		return ""
	}
	if !strings.Contains(end, "\n") || len(end) > wording.MaxPrompt { // the end of a paragraph
		end = strings.TrimSpace(end[strings.LastIndexByte(end, '\n')+1:])
		if parts := pieces().Split(strings.TrimRight(end, ".!… "), -1); len(parts) > 0 && !strings.HasSuffix(end, "?") {
			end = strings.TrimSpace(parts[len(parts)-1])
		}
	} else if middle >= 0 && otherScript(end) { // its first line may have been cut
		_, end, _ = strings.Cut(end, "\n")
	}
	if otherScript(end) && !otherScript(text[:at]) || asksFor().MatchString(end) {
		return end
	}
	return ""
}

// otherScript reports whether most letters of a text are of another script than Latin's.
func otherScript(text string) bool {
	latin, other := 0, 0
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
		case unicode.Is(unicode.Latin, r):
			latin++
		default:
			other++
		}
	}
	return other >= MinUnspaced && other > latin
}

var (
	// logLine matches a line of a program's log.
	logLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|\[[\w.-]+[ :]|(?:info|warn(?:ing)?|error|fail|dbug|debug|trace|crit|fatal)\b ?[:\[(]|(?:npm|pnpm|yarn) (?:err|warn|notice)|#\d+ |at [\w.$<>\[\]]+[ (]|\d+>|---> |(?:passed|failed|pass|fail|ok) +\S|caused by:)|^(?: {4,}|\t)\S`)
	})
	// speaks matches a line that a person wrote.
	speaks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:i|i'm|i've|we|you|my|our|this|these|please|can|why|how|what|help|fix|got|getting|following|here)\b|[:?]\s*$`)
	})
	// pieces matches the end of a sentence of a person in a hurry.
	pieces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[.!?]\s+|\.{2,}\s*|…\s*`) })
	// asksFor matches a request.
	asksFor = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:please|can you|could you|let'?s|i want(?: you)?|i need|i'd like|i would like|help me|tell me|what do you|how (?:do|should|can) (?:i|we|you))\b`)
	})
)
