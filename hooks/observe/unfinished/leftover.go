package unfinished

import (
	"regexp"
	"strings"
	"sync"

	"manicule/hooks/observe/wording"
	"manicule/memory/gate/injection"
)

// maxLastWords bounds the runes of the sentence of a last message.
const maxLastWords = 220

// leftSign is narrow: of the four sentences that a wider one found in 221 sessions none was
// about unfinished work.
var leftSign = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(next steps?|remaining (work|steps|tasks|items)|left to do|still (open|to do|failing|missing)|not (yet )?done|to-?do|unfinished)\b|` +
		`\b(still (fails?|failing|broken)|not (yet )?(implemented|done|finished)|(has|have) not been \w+ yet|haven't \w+ yet)\b`)
})

var noneLeft = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(no|nothing|none|zero|without any|not any|all)\b[^.]{0,40}\b(remain|left|todo|open|pending|blocked|next steps?)`)
})

// checkbox matches an item of a list with boxes, and what its box has: a space or a dash is open, all else was done or given up.
var checkbox = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*[-*+] \[(.)\]\s+(.*\S)`) })

// uncheckedBelow returns the first open item of the list with boxes that lines begin with, "" if there is none, and whether there is such a list.
func uncheckedBelow(lines []string) (item string, isList bool) {
	for _, line := range lines {
		m := checkbox().FindStringSubmatch(line)
		switch {
		case m == nil && strings.TrimSpace(line) == "" && !isList:
		case m == nil:
			return "", isList
		case m[1] == " " || m[1] == "-":
			return m[2], true
		default:
			isList = true
		}
	}
	return "", isList
}

// leftOver returns the sentence of a message that says what is left to do, or "".
func leftOver(text string) string {
	if text == "" || wording.Injected(text) || injection.Find(text) != "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(wording.Mark().ReplaceAllString(line, ""))
		if strings.HasPrefix(line, "```") {
			return ""
		}
		for sentence := range strings.SplitSeq(line, ". ") {
			if !leftSign().MatchString(sentence) || noneLeft().MatchString(sentence) || strings.HasSuffix(sentence, "?") || strings.HasPrefix(sentence, "If ") { // an offer
				continue
			}
			if !strings.HasSuffix(sentence, ":") && len(sentence) >= 20 {
				return wording.OneLine(strings.TrimRight(sentence, "."), maxLastWords)
			}
			// It is a heading: what follows says it.
			if item := leftBelow(lines[i+1:]); item != "" {
				return wording.OneLine(strings.TrimRight(sentence, ":")+": "+item, maxLastWords)
			}
		}
	}
	return ""
}

// leftBelow returns what lines below a heading say first, of a list the first item that is not done.
func leftBelow(lines []string) string {
	if item, isList := uncheckedBelow(lines); isList {
		return item
	}
	for _, line := range lines[:min(len(lines), 3)] {
		if line = strings.TrimSpace(wording.Mark().ReplaceAllString(line, "")); line != "" {
			return line
		}
	}
	return ""
}
