package injection

import (
	"regexp"
	"sync"
)

// onceAtLeast is from which sum of its signs a short order is an errand for one occasion.
const onceAtLeast = 3

// sign is a form that speaks for an order for one occasion.
type sign struct {
	weight  int
	pattern *regexp.Regexp
}

// signs of an order to make one text, for whoever asks. A rule of a project has few of them: it speaks of kinds of things ("Write short
// sentences"), and of no one's own.
var signs = sync.OnceValue(func() []sign {
	const makes = `(?:brainstorm|calculate|compose|convert|create|draft|find|generate|invent|list|make|name|plan|recommend|sing|suggest|write)`
	return []sign{
		{1, regexp.MustCompile(`^(?:help me (?:` + makes + `|with)|i need|` + makes + `) `)},
		{1, regexp.MustCompile(`^(?:help me|` + makes + ` me) `)},
		{1, regexp.MustCompile(`^(?:help me |i need )?(?:\w+ )?(?:me )?(?:an?|some|two|three|four|five|six|seven|eight|nine|ten|\d+) `)},
		{1, regexp.MustCompile(`\bmy\b`)},
		{1, regexp.MustCompile(`\b(?:articles?|essays?|facts?|haikus?|jokes?|letters?|lyrics|poems?|riddles?|slogans?|songs?|speech|stor(?:y|ies)|tales?) (?:about|on) \w+`)},
		{1, regexp.MustCompile(`^brainstorm `)},
		// a text that isn't there
		{onceAtLeast, regexp.MustCompile(`^(?:correct|paraphrase|polish|proofread|rephrase|rewrite|shorten|summari[sz]e|translate) .*\bthis (?:article|email|essay|letter|message|paragraph|passage|poem|sentence|speech|story|text)\b`)},
	}
})

// forOnce adds up the signs of an order for one occasion.
func forOnce(plain string) (sum int) {
	for _, s := range signs() {
		if s.pattern.MatchString(plain) {
			sum += s.weight
		}
	}
	return sum
}
