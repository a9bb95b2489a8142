package asking

import (
	"regexp"
	"strings"
)

// SaysLittle reports whether a request has no word about the work itself ("commit and push these changes", "ok save it in the repo"). A
// session that reads it later learns nothing from it, and the state of the repository shows what is not committed.
func SaysLittle(request string) bool {
	for _, w := range wordsOnly(request) {
		switch w {
		case "commit", "push", "save", "changes", "change", "these", "those", "this", "that", "it", "all", "everything", "and", "then", "the", "a", "to", "in", "into", "on", "up", "now", "please", "only", "again",
			"ok", "okay", "yes", "repo", "repository", "git", "remote", "main", "master", "branch", "go", "ahead", "continue", "proceed", "start", "resume", "run", "do", "can", "could", "we", "you", "i", "let's", "lets", "my", "your", "with", "for", "me", "next", "step", "x":
		default:
			return false
		}
	}
	return true
}

// wordsOnly splits a text into its words in lower case, without signs and digits.
func wordsOnly(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && r != '\'' && r < 0x80 })
}

// looksUp matches a request to be shown or told something, which is made again by who still wants to know.
func looksUp() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:please|can you|could you|now|just|ok|okay|so)[ ,]+)*(?:take a screenshot|point me to\b|give me (?:all |some )*(?:the )?(?:details?|info|information|an? (?:overview|explanation|summary))\b|check (?:why|how|whether|if)\b|explain\b|tell me\b|montre)|(?:^|\bet )montre[- ]moi\b|^(?:請|请)?(?:幫我|帮我)?查(?:一下|找|看)|(?:吗|嗎|呢|ですか|ますか)[。？?]?\s*$`)
}

// looksOnly matches a question, and a request to be shown something.
func looksOnly() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:please |can you |could you |now )*(?:show|list|print|display|open|explain|describe|tell me|cd|ls|cat)\b|\bshow me\b|^(?:what|why|how|is|are|does|do|did|should|which|where|who|when)\b[^\n]*\?\s*$`)
}

// OnlyAsks reports whether a request is a question, or wants to be shown something.
func OnlyAsks(request string) bool {
	return (looksOnly().MatchString(request) || looksUp().MatchString(request)) && !thenActs().MatchString(request)
}

// thenActs matches work that is asked for behind a look: "check why the build fails and fix it".
func thenActs() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:and|then|,) (?:then |please )?(?:fix|correct|repair|change|update|implement|remove|refactor|rename|replace|adapt|apply|commit)\b[^?]*$`)
}
