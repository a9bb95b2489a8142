package reviews

import (
	"regexp"
	"strings"
	"sync"

	"manicule/hooks/observe/wording"
)

// fewestOfReasoned is how many words a rule with its reason has.
const fewestOfReasoned = 8

// reasonedForms are the regular expressions of a rule that is said together with its reason: "Never cache an answer beyond its TTL,
// because the balancer moves hosts".
var reasonedForms = sync.OnceValue(func() (f struct{ joint, order, step, duty, custom, general, away, moment *regexp.Regexp }) {
	// joint is where the reason begins.
	f.joint = regexp.MustCompile(`(?i),? (?:because|since|otherwise|so that|or else)[ ,]|, as (?:the|it|its|we|they|there|a|an|every|each|most|all|some|otherwise)\b|: (?:otherwise|the|a|an|we|it|they|there|clients?|callers?|users?|most|some)\b`)
	// order and duty are how a rule begins: what to do, or what things of a kind have to do.
	f.order = regexp.MustCompile(`^(?:always|never|prefer|avoid|do not|don't|use|keep)\b`)
	// step is what a program has to do at a time, whenever it comes to that.
	f.step = regexp.MustCompile(`^(?:await|call|cancel|close|copy|drain|escape|flush|free|hold|lock|release|reset|run|sort|stop|unlock|validate|wait) .*\b(?:before|after|until|whenever|while|as long as|(?:for|on|in|of) (?:each|every|all|any))\b`)
	f.duty = regexp.MustCompile(`^(?:(?:all|any|each|every|most|new|no|public|private|both) )?(?:[\w` + "`" + `'-]+ ){0,3}?(?:[\w` + "`" + `-]+[^\Ws]s|(?:each|every|any|no) [\w-]+) (?:must|have to|may not|must not|mustn't|should never|should always) `)
	f.custom = regexp.MustCompile(`^we (?:(?:always|never|usually|generally|try to|prefer|avoid|don't|do not|only)\b|(?:call|check|close|copy|escape|hold|keep|lock|log|name|parse|pass|pin|put|read|return|run|send|sort|store|test|use|validate|wrap|write) .*\b(?:not|never|only|instead of|rather than) )`)
	// general is what makes "don't", "use" and "keep" hold for more than one place.
	f.general = regexp.MustCompile(`\b(?:always|never|any|all|each|every|whenever|when|if|before|after|until|without|beyond|unless|instead of|rather than|over|outside|inside|across|between|from|on|for|in|as) (?:an? )?[\w` + "`" + `.()-]+`)
	// away are words of a rule that point to what isn't in it.
	f.away = regexp.MustCompile(`\b(?:it|them|they|that|those|one|ones|there|so|such|both|either|other|others)\b`)
	// moment are words of a reason that is about the change, the talk or what somebody thinks.
	f.moment = regexp.MustCompile(`\b(?:this|these|here|above|below|you|your|you're|i|i'm|i've|i'd|my|me|pr|prs|now|currently|yet|was|were|could|might|maybe|perhaps|think|merge[ds]?|rebased?|already|still|again|else|diff|commits?|patch|review\w*|later|today|same|first|second|another|not sure|seems?|looks?)\b|\?|@\w|#\d|https?://`)
	return f
})

// reasoned returns the sentences of a text that are a rule with its reason and stand on their own. The rule points to nothing at hand;
// what its reason points to may be the rule.
func reasoned(body string) (out []string) {
	f := reasonedForms()
	list := wording.Sentences(body)
	for i, sentence := range list {
		if strings.HasSuffix(sentence, ";") && i+1 < len(list) {
			sentence += " " + list[i+1] // its other half
		}
		low := strings.ToLower(strings.ReplaceAll(sentence, "’", "'"))
		low = codeName().ReplaceAllString(thisProject().ReplaceAllString(strings.TrimPrefix(strings.TrimPrefix(low, "please, "), "please "), ""), "`x`")
		at := f.joint.FindStringIndex(low)
		if at == nil || len(strings.Fields(low)) < fewestOfReasoned || startsLow(sentence) || strings.ContainsAny(low, "*\"“") {
			continue
		}
		rule, why := low[:at[0]], low[at[0]:]
		switch {
		case f.custom.MatchString(rule), f.step.MatchString(rule), f.duty.MatchString(rule):
		case !f.order.MatchString(rule) || !f.general.MatchString(rule):
			continue
		}
		if len(strings.Fields(why)) < 4 || mental().MatchString(rule) || forAuthor().MatchString(rule) || atHand().MatchString(withoutMergeCode(rule)) || f.away.MatchString(rule) || f.moment.MatchString(why) {
			continue
		}
		out = append(out, sentence)
	}
	return out
}
