// Package asking reads what a person asks an agent for: the task of a text in one line, also behind a document, a log
// or a role, whether it asks for anything at all, and whether last words praise, complain or agree. It must not know
// sessions.
package asking

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
	"manicule/memory/episode"
)

// planHeads are what programs and people write before the text of a plan.
var planHeads = []string{"implement the following plan", "implement this plan", "here is the plan", "execute this plan", "execute the following plan"}

// MaxTask bounds the runes of a task.
const MaxTask = 160

// Task returns what a typed text asks for, in one line; "" if it says nothing by itself.
func Task(text string) string {
	if wording.Injected(text) || OfMemories(text) {
		return ""
	}
	if asked, ok := inTemplate(text); ok {
		text = asked
	}
	if barePath(text) {
		return ""
	}
	if line := planLine(text); line != "" {
		return wording.OneLine(line, MaxTask)
	}
	if log := logText(text); log != "" {
		return log
	}
	text = behindLook(behindMentions(strings.TrimSpace(text)))
	if said := objective(text); said != text {
		text = said
	} else if said := beyondRole(text); said != "" {
		text = said
	} else if end := closing(text); end != "" {
		return behindDocument(text, end)
	}
	first := firstLines(text)
	if asked := wording.OneLine(behindContext(text, first), maxAsked); asked != "" {
		return strings.TrimRight(wording.OneLine(first, MaxTask-len([]rune(asked))-3), "…") + " … " + asked
	}
	return first
}

// barePath reports whether a text is the path of a folder and nothing else: it answers a question. A file may be the plan to carry out.
func barePath(text string) bool {
	text = strings.TrimSpace(text)
	other := func(r rune) bool {
		return r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/._-~", r)
	}
	return strings.Contains(text, "/") && !strings.HasPrefix(text, "/") && path.Ext(text) == "" && !strings.ContainsFunc(text, other)
}

// Where the request behind a context is looked for, and how much of it a task has.
const (
	maxContext      = 1500 // bytes
	maxContextLines = 12
	maxAsked        = 90 // runes
)

// behindContext returns the first sentence of a text that asks for something, where what was taken for its task only says
// how things are; "" if that asks already, if it tells of a fault, or if nothing does.
func behindContext(text, first string) string {
	if first == "" || Faulty().MatchString(first) || Unspaced(first) >= MinUnspaced || role().MatchString(first) || slices.ContainsFunc(sentenceEnds().Split(first, -1), Requests) {
		return ""
	}
	lines := 0
	for line := range strings.Lines(strings.ToValidUTF8(text[:min(len(text), maxContext)], "")) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if lines++; lines > maxContextLines || logLine().MatchString(line) || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "<") {
			return "" // what a program wrote, or an example, is no request
		}
		if strings.HasPrefix(line, "#") || wording.ListItem().MatchString(line) {
			continue
		}
		for _, s := range pieces().Split(line, -1) {
			s = strings.TrimSpace(s)
			if head := wording.OneLine(s, maxDocTitle); strings.Contains(first, strings.TrimRight(head, "…")) || forbids().MatchString(s) || len(Words(s)) < MinFurther {
				continue
			}
			if Requests(s) || strings.Contains(line, s+"?") {
				return s
			}
		}
	}
	return ""
}

// Requests reports whether a sentence of a person asks for something.
func Requests(s string) bool {
	return strings.Contains(s, "?") || asksFor().MatchString(s) || wishes().MatchString(s) || imperative().MatchString(s)
}

var (
	wishes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:i|we)(?:'d| would)? (?:want|need|wish|like|love|prefer|dearly like|have) (?:to|you|it|this|that|a|an|the)\b|\b(?:we|you|it|they|there|this) (?:should|must|needs? to|has to)\b|\bmake sure\b|\b(?:your|the) (?:task|job|goal) is\b`)
	})
	// sentenceEnds matches the end of a sentence, or of a heading on its line.
	sentenceEnds = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`[.!?:]\s+|\.{2,}\s*|…\s*|[—–]\s*|,\s+(?:so|but|then)\s+`)
	})
	// forbids matches a sentence about what is not to be done, or about a case.
	forbids = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\W*(?:please )?(?:do not|don['’]?t|never|avoid|if|when)\b|[:>|]$|^[>|$]`)
	})
	// imperative matches a sentence that begins with what is to be done.
	imperative = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\W*(?:(?:please|now|then|so|and|ok|okay|also|first|next|just|kindly|go ahead and|try (?:to|and))[, ]+)*(?:add|adjust|allow|analy[sz]e|answer|apply|approve|audit|avoid|build|bump|change|check|clean|clone|close|commit|compare|complete|configure|continue|convert|copy|create|debug|delete|deploy|describe|design|develop|disable|display|do|document|don't|draft|drop|enable|ensure|evaluate|execute|experiment|explain|explore|extend|extract|find|finish|fix|follow|format|generate|get|give|go through|handle|help|hide|identify|implement|import|improve|increase|insert|inspect|install|integrate|introduce|investigate|keep|list|load|look|make|merge|migrate|move|open|optimi[sz]e|plan|prepare|process|propose|provide|publish|pull|push|put|read|rebase|redesign|reduce|refactor|release|remove|rename|reorgani[sz]e|replace|research|resolve|restart|restore|review|revert|rewrite|run|save|scan|search|send|set|show|simplify|solve|sort|split|start|suggest|summari[sz]e|switch|take|tell|test|translate|turn|undo|update|upgrade|use|validate|verify|walk|wire|work on|write)\b`)
	})
	// Faulty matches a sentence that tells what is wrong, which asks for its repair.
	Faulty = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:errors?|fail\w*|bugs?|broken|wrong|issues?|problems?|crash\w*|missing|(?:does|do|is|are|did|was|can|could|will|would)(?:n['’]?t| not)|cannot|not working|stuck|unable|instead of|no longer|too (?:big|small|slow|long|much|many))\b`)
	})
)

// planLine returns the first line of a plan that the person asks to carry out, "" if the text is no such request.
func planLine(text string) string {
	low := strings.TrimSpace(strings.ToLower(text))
	for _, head := range planHeads {
		if !strings.HasPrefix(low, head) {
			continue
		}
		for line := range strings.Lines(text[min(len(text), len(head)):]) {
			if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#:* ")); len(line) > 8 {
				return line
			}
		}
	}
	return ""
}

// PlanAsked returns the title of the plan that the person asks to carry out, as [event.PlanTitle] has it.
func PlanAsked(text string) string { return event.PlanTitle(planLine(text)) }

// behindDocument is the task of a prompt that begins with a document and ends with what to do with it.
func behindDocument(text, end string) string {
	first := strings.TrimRight(wording.OneLine(cmp.Or(firstLines(text), "a text"), maxDocTitle), "…")
	return wording.OneLine(strings.TrimSpace(first)+" … "+end, MaxTask)
}

// firstLines returns the task that the beginning of a text tells, in one line; "" for an answer
// or an order to go on, which tell none.
func firstLines(text string) string {
	out := leadingText(text)
	switch {
	case strings.HasPrefix(out, "@") && !strings.ContainsAny(out, " \t") && strings.ContainsAny(out, "./"): // a file that says what to do
		return wording.OneLine(out, MaxTask)
	case agrees().MatchString(out) && len(strings.Fields(out)) <= 5: // "yes, the second one"
		return ""
	case Unspaced(out) < MinUnspaced && isNoTask(out):
		return ""
	}
	return wording.OneLine(out, MaxTask)
}

// leadingText joins the first lines of a text up to the end of what they say.
func leadingText(text string) string {
	var out string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(wording.Mark().ReplaceAllString(line, ""))
		if strings.Trim(line, "=-_*#~") == "" && len(line) > 3 {
			continue // a rule of a frame
		}
		if line == "" || strings.HasPrefix(line, "```") || strings.HasPrefix(line, "<") || strings.HasPrefix(line, "[Image") {
			if strings.HasSuffix(out, ":") || len(strings.Fields(out)) < 4 || acknowledges(out) {
				continue // a heading, or the lead-in of what follows
			}
			if dangles().MatchString(out) {
				continue // "can you look at", and then the files
			}
			if !pointsAhead().MatchString(out) {
				return out
			}
			// "it prints this", and then what to do about it
			if last := strings.TrimSpace(text[strings.LastIndexByte(strings.TrimSpace(text), '\n')+1:]); isSentence(last) {
				return out + " … " + last
			}
			continue
		}
		out = strings.TrimSpace(out + " " + line)
		if len(out) > 60 && !strings.HasSuffix(out, ":") && !strings.HasSuffix(out, "，") && !strings.HasSuffix(out, "、") && !pointsAhead().MatchString(out) {
			return out
		}
	}
	return out
}

// isNoTask reports a text with too few telling words for a task: "continue", "yes", "ok do it".
func isNoTask(text string) bool {
	words := len(Words(text))
	if (strings.Contains(text, "://") || mentions(text)) && words > 0 {
		words++ // an address is what the words are about
	}
	if numbered().MatchString(text) || filePath().MatchString(text) && (words > 0 || Unspaced(text) > 1) {
		words += 2 // "start with #12", "optimise src/menu.tsx 36-43"
	}
	return words == 0 && len(text) < 60 || words == 1 && len(strings.Fields(text)) < 4 || words <= 2 && atHand().MatchString(text)
}

// agrees matches the start of an answer; atHand matches a short request about what only its talk shows
// ("can we fix this?", "fix this issue").
var (
	agrees = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:yes|yep|yeah|nope?|ok|okay|sure)\b`) })
	atHand = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:can|could|would|will|please)\b(?: (?:we|you|i))?(?: please)? \w+ (?:this|that|it|these|those)\W*$|^(?:please )?(?:fix|solve|resolve|debug|check) (?:(?:this|that|it|these|those)|(?:this|that|these|those|the) (?:issue|bug|error|problem)s?)\W*$`)
	})
)

// numbered matches an item of a list of work that is named by its number.
var numbered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|\s)#\d+\b|\b(?:task|issue|ticket|story)s? ?#?\d`)
})

// filePath matches a file of the project by its path.
var filePath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\s)[\w.@~-]*/(?:[\w.@()\[\]-]+/)*[\w.@()\[\]-]+\.\w{1,5}(?:$|\s)`)
})

// MinUnspaced is the number of characters from which a request in a script without spaces says something by itself.
const MinUnspaced = 8

// Unspaced counts the characters of scripts that put no spaces between words.
func Unspaced(text string) int {
	n := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			n++
		}
	}
	return n
}

// pointsAhead matches a line that speaks of what stands below it.
var pointsAhead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:this|these|following|below|like)\W*$`)
})

// acknowledges reports whether a line is a short word about what was, before what is asked for now.
func acknowledges(line string) bool {
	return len(strings.Fields(line)) <= 5 && strings.HasSuffix(line, ".") && len(line) < 40
}

// dangles matches the beginning of a sentence that goes on below.
var dangles = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:at|with|of|for|from|to|in|on|using|and|or|the|an?)$|[,+&]$`)
})

// isSentence reports whether a line is of somebody's own words: it begins with four.
func isSentence(line string) bool {
	words := strings.Fields(line)
	if len(words) < 4 {
		return false
	}
	for i, w := range words[:4] {
		odd := func(r rune) bool {
			return !unicode.IsLetter(r) && !strings.ContainsRune(`'"`, r) && (i == 0 || !unicode.IsDigit(r) && !strings.ContainsRune("’./_-", r))
		}
		if strings.ContainsFunc(strings.TrimRight(w, ",.!?;:"), odd) {
			return false
		}
	}
	return true
}

var (
	// aboutTheAgent matches the title of instructions that tell an agent what it is.
	aboutTheAgent = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^#+ (?:\w+ )?(?:agent|instructions?|context|prompt|system|role|rules)\b`)
	})
	objectiveHeading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?im)^#{1,4} (?:(?:your|the|my|user) )?(?:objective|goal|tasks?|request|mission):?[ \t]*$`)
	})
)

// objective returns the part of an agent's instructions that says what it is to do, or the text.
func objective(text string) string {
	text = strings.TrimSpace(text)
	if !aboutTheAgent().MatchString(text) {
		return text
	}
	if at := objectiveHeading().FindStringIndex(text); at != nil && strings.TrimSpace(text[at[1]:]) != "" {
		return text[at[1]:]
	}
	return text
}

// role matches a first line that tells an agent what it is; ofRole matches a line that says what it is to do.
var (
	role   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^you(?: are|'re) (?:an?|the) `) })
	ofRole = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:your (?:task|job|goal) is to |(?:please )?(?:analy[sz]e|review|implement|fix|write|add|investigate|find|check|create|update|evaluate|assess|summari[sz]e|resolve|refactor|test|debug|extract|generate|decide|determine|compare|translate|answer|given)\b)`)
	})
)

// beyondRole returns what a text asks for that begins by telling an agent what it is, from there on; "" if it
// does not begin so, or nothing of that form follows.
func beyondRole(text string) string {
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || !role().MatchString(first) {
		return ""
	}
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		switch line = strings.TrimSpace(line); {
		case strings.EqualFold(strings.Trim(line, "#* "), "task:"):
			return strings.TrimSpace(after)
		case ofRole().MatchString(line):
			return rest
		}
		rest = after
	}
	return ""
}

// behindMentions leaves out the files that a person handed to an agent before a request, unless the request is them.
// A single file on the request's own line is what it speaks of.
func behindMentions(text string) string {
	rest, files, lines, quoted := text, 0, false, false
	for strings.HasPrefix(rest, "@") {
		i := strings.IndexAny(rest, " \t\n")
		if end := strings.IndexByte(strings.TrimPrefix(rest, `@"`), '"'); strings.HasPrefix(rest, `@"`) && end >= 0 {
			i, quoted = end+len(`@""`), true
		}
		if i < 0 || i >= len(rest) {
			return text
		}
		after := strings.TrimLeft(rest[i:], " \t\n")
		lines = strings.Contains(rest[:len(rest)-len(after)], "\n")
		rest = after
		files++
	}
	if files < 2 && !lines && !quoted || len(Words(rest)) == 0 {
		return text
	}
	return rest
}

// mentions reports whether a text names a file as agents' prompts do, with an @ before it.
func mentions(text string) bool {
	for w := range strings.FieldsSeq(text) {
		if strings.HasPrefix(w, "@") && strings.ContainsAny(w, "./") {
			return true
		}
	}
	return false
}

// whatNext matches the question what there is to do, in languages whose words for it are not told by [Words].
var whatNext = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:다음(?:에|으로)?|次(?:は|に|の)|下一步|接下来).{0,24}(?:무엇|뭐|뭘|何|なに|什么|做什么|怎么).{0,10}$`)
})

// leftOff matches a request to go on with what an earlier session did.
var leftOff = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bwhere (?:did )?(?:we|you|i) (?:last |had )?(?:left|leave|stopped|stop)\b|\bpick(?:ing)? (?:this |it )?(?:back )?up where\b`)
})

// lookAround matches a request to get to know the project.
var lookAround = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:learn about|get to know|familiari[sz]e yourself with|check out|look (?:at|around)|read through|understand|explore) (?:this |the |our |my )?(?:current |whole |entire )?(?:project|repo|repository|codebase|code base|it)\b`)
})

// looksFirst matches a line that only asks to look over the project. A review is none: it is a task.
var looksFirst = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:(?:please|first|now|can you) )*(?:scan|check|read|analy[sz]e|explore|understand|go through|look (?:at|over|through)) (?:(?:this|the|our|my|all|whole|entire|current|existing|folder|files?|and|of|in) )*(?:project|repo|repository|codebase|code base|folder|files)(?: (?:first|fully|carefully|completely))?\W*$`)
})

// behindLook leaves out a look over the project that a text begins with, where a request follows below it.
func behindLook(text string) string {
	first, rest, ok := strings.Cut(text, "\n")
	if rest = strings.TrimSpace(rest); ok && looksFirst().MatchString(first) && len(Words(rest)) >= MinFurther {
		return rest
	}
	return text
}

// setsUp matches the texts with which agents and programs have a rule file written (/init, Spec Kit's constitution).
var setsUp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Generate a file named AGENTS\.md that serves as a contributor guide|Please analyze this codebase and create a CLAUDE\.md file|You are updating the project constitution at )`)
})

// gitWords are what a request for nothing but an act of git is made of.
var gitWords = sync.OnceValue(func() []string {
	return episode.Words("commit commits push pushed pull merge merged rebase fetch stage staged git checkout check switch main master dev branch latest changes change file files origin remote status clean message everything all yeah yep worktree guess")
})

// gitUnspaced matches the same in Japanese and Chinese.
var gitUnspaced = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:git|コミット|プッシュ|マージ|プル|提交|推送|合并|commit|push|main|に|を|と|まで|して|ください|下さい|お願いします|请|并|代码|[\s。、,.!！])+$`)
})

// onlyGoesOn reports whether a request is to go on with what an earlier session did, and says nothing else.
func onlyGoesOn(task string) bool {
	at := leftOff().FindStringIndex(task)
	if at == nil {
		return false
	}
	_, further, _ := strings.Cut(task[at[1]:], ". ") // the next sentence
	return len(Words(further)) < MinFurther
}

// MinFurther is the number of telling words with which another sentence is a request of its own.
const MinFurther = 3

// Routine reports whether a task only goes on with an earlier session's, gets to know the project, has a rule file written, or asks git for
// something: what else a session was asked for says more.
func Routine(task string) bool {
	if gitUnspaced().MatchString(task) || whatNext().MatchString(task) || looksFirst().MatchString(task) || setsUp().MatchString(task) {
		return true
	}
	words := Words(task)
	if onlyGoesOn(task) && len(words) <= 8 || lookAround().MatchString(task) && len(words) <= 4 {
		return true
	}
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(gitWords(), w) }) && !strings.Contains(task, "`")
}

// Words are the words of a request that are not courtesy.
func Words(text string) []string {
	var out []string
	for _, w := range episode.Words(text) {
		switch w {
		case "continu", "go", "ahead", "yes", "ok", "okay", "proceed", "resum", "next", "step", "do", "keep", "sure", "thank", "great", "good", "hi", "hello", "try", "again", "no", "start", "finish", "perfect", "nice", "work", "look", "now":
		default:
			out = append(out, w)
		}
	}
	return out
}
