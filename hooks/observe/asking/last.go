package asking

import (
	"regexp"
	"strings"
	"sync"

	"manicule/hooks/observe/wording"
)

// OnlyRule reports whether a person's text is a rule for how to work and nothing else.
func OnlyRule(text string) bool {
	rules := wording.Rules(text, false)
	return len(rules) == 1 && len(rules[0]) >= len(strings.TrimSpace(text))-1 // but for an end mark
}

// WantsNothing reports whether last words want no answer: they agree, thank or say goodbye, and nothing behind that asks for something
// ("ok, save it in the repository").
func WantsNothing(text string) bool { return closes().MatchString(text) && !AsksFurther(text) }

// AsksFurther reports whether a request stands behind the word of thanks or agreement that a text begins with.
func AsksFurther(text string) bool {
	rest := courtesy().ReplaceAllString(text, "")
	return rest != text && (imperative().MatchString(rest) || letUs().MatchString(rest)) && len(Words(rest)) > 0
}

var (
	// courtesy matches the words of thanks and agreement at the beginning of a text.
	courtesy = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\W*(?:(?:ok(?:ay)?|cool|nice|great|good|perfect|awesome|excellent|thanks?(?: (?:you|a lot|so much))?|thx|got it|done|lgtm|looks good|yes|works)\b\W*)+`)
	})
	// letUs matches a proposal, which asks as an imperative does.
	letUs = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:(?:now|then|so|and|but)\b\W*)*let['’]?s\b`)
	})
)

// closes matches last words that want no answer, or begin so.
var closes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:ok(?:ay)?|cool|nice|great|good|perfect|awesome|excellent|thanks?|thank you|thx|got it|understood|never ?mind|nvm|bye|done|lgtm|yes|no|exit|quit)\b.{0,40}$`)
})

// LastSentence is what follows the last end of a sentence or line within a text.
func LastSentence(text string) string {
	parts := pieces().Split(strings.TrimRight(text[strings.LastIndexByte(text, '\n')+1:], ".!? "), -1)
	return strings.TrimSpace(parts[len(parts)-1])
}

// Asks matches a request or a question, whose "this is not" is no complaint.
var Asks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:can|could|would|will|please|is|are|does|do|did|how|what|why|should|if)\b`)
})

// Wonders matches a question that wants to know, and nothing more: "why does this fail?".
var Wonders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:why|what|where|when|who|which)\b`)
})

var complains = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(still (fail\w*|broken|doesn'?t|does not|not|wrong|get\w*|see\w*|the same)|(does|did|do)(n'?t| not) (work|help|fix|compile|build)|not working|is (wrong|broken)|that'?s (wrong|not (right|what|it|correct))|` +
		`this is not|revert\b|undo (this|that|it|the)|you (broke|deleted|removed|missed|forgot)|why (did|are|do) you|stop\b|wrong (file|branch|approach|place)|makes no sense)`)
})

// Complains reports whether a person says that something did not work.
func Complains(text string) bool {
	return len(text) <= wording.MaxPrompt && complains().MatchString(strings.ReplaceAll(text, "’", "'"))
}

var praises = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(thanks|thank you|great|perfect|awesome|nice|excellent|lgtm|looks good|works|it works|that works|good job|well done|cool)\b`)
})

// Praise reports whether a person's words begin with that they are content.
func Praise(text string) bool { return len(text) <= 200 && praises().MatchString(text) }

// IsQuestion reports whether a text ends with a question mark, also one of Chinese or Japanese.
func IsQuestion(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
}
