package wording

import (
	"regexp"
	"strings"
	"sync"
)

// corrected are phrases with which an agent corrects itself.
func corrected() []string {
	return []string{"i was wrong", "my mistake", "that's not right", "i misunderstood", "i misread", "i incorrectly", "i assumed", "turns out", "i see the problem", "i see the issue", "actually, ", "i should have"}
}

// deadEnds are phrases for a failed approach.
func deadEnds() []string {
	return []string{"didn't work", "doesn't work", "won't work", "that approach", "different approach", "try another", "dead end", "reverting", "revert this", "not possible", "isn't supported", "not supported"}
}

// WeakSentences returns the sentences of an agent that correct itself or note a dead end,
// name code and give a reason. They are weak evidence: they count only
// right after a failed call.
func WeakSentences(text string) []string {
	var out []string
	if !strings.Contains(text, "`") || Injected(text) {
		return nil
	}
	for _, sentence := range Sentences(text) {
		if weak, _ := WeakRule(sentence); weak {
			out = append(out, sentence)
		}
	}
	return out
}

// WeakRule rates one sentence. dead is set if it is about a dead end.
func WeakRule(sentence string) (weak, dead bool) {
	low := strings.ToLower(sentence)
	dead = Has(low, deadEnds()...)
	return (dead || Has(low, corrected()...)) && strings.Contains(sentence, "`") && explains(low), dead
}

func explains(low string) bool {
	for _, sign := range []string{"because", "since ", "needs ", "requires ", "only ", "instead", "doesn't ", "not ", "must ", "expects", "already"} {
		if strings.Contains(low, sign) {
			return true
		}
	}
	return false
}

// BeforeIt matches words of an agent about what failed before its work, or not because of it.
var BeforeIt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bpre-?existing\b|\bunrelated (?:existing |\w+ )?(?:failures?|errors?)\b|\b(?:no|zero) new (?:\w+[ /]+(?:or |and )?){0,3}(?:errors?|failures?|issues?|warnings?)\b`)
})

// Announces reports whether an agent's words end with what it is about to do.
func Announces(text string) bool {
	text = strings.TrimSpace(strings.ReplaceAll(text, "’", "'"))
	if strings.HasSuffix(text, ":") || willDo().MatchString(text[strings.LastIndexByte(text, '\n')+1:]) {
		return true
	}
	all := Sentences(text[strings.LastIndexByte(text, '\n')+1:])
	if len(all) == 0 {
		return false
	}
	if len(all) > 1 && !waits().MatchString(all[len(all)-2]) {
		before := all[len(all)-2]
		if _, so, ok := strings.Cut(before, ", so "); ok && strings.HasPrefix(so, "I'm ") {
			before = so
		}
		if busy().MatchString(before) {
			return true
		}
	}
	last := all[len(all)-1]
	if _, further, ok := strings.Cut(last, ", and "); ok && strings.HasPrefix(further, "I'll ") {
		last = further
	}
	return announcement().MatchString(last) && !waits().MatchString(last)
}

var (
	announcement = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:(?:now|next|first|then|so|okay|ok|good|great|perfect|excellent|all ?right)[,!.]? +)?(?:let me|i'll|i will|i'm (?:now )?\w+ing|i am (?:now )?\w+ing|now i need to|i plan to|let's (?:proceed|begin|start|get going|get started|dig|dive|look|take a look|see|check|search|find|explore|inspect)) `)
	})
	// willDo matches a short announcement at the end of a line, which is no sentence of its own elsewhere.
	willDo = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[.!] )(?:i'll|i will|let me) (?:now )?(?:add|change|check|create|do|fix|look|move|remove|rename|replace|run|test|update|write)\b[^.!?]{0,20}[.!]?$`)
	})
	// busy matches what an agent says that it does while it goes on.
	busy = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:i'm|i am) (?:also |now |still )?(?:checking|looking|running|reading|committing|pushing|staging|making|testing|fixing|adding|updating|writing|tracing|inspecting|attaching)\b|^i'll let (?:it|that|this)\b`)
	})
	// waits matches what an agent announces after its work, or for another day.
	waits = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:let me know|wait|waiting (?:for|on) you\w*|stop|stand by|hold off|leav(?:e|ing)|exit\w*|be (?:here|happy|glad)|when|once|if|until|remember|keep in mind)\b|\?$`)
	})
)

// OfProgram reports whether a message in the agent's name is one of the program that runs it: no model answered, as the
// service failed, nobody is signed in, or a quota is used up. What was asked for is then still to be done, and such words name no step of it.
func OfProgram(text string) bool { return programWords().MatchString(strings.TrimSpace(text)) }

// programWords matches messages that consist of nothing else, as Claude Code words them.
var programWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Failed to authenticate\. |Please run /login · )?API Error\b` +
		`|^[^\n]{0,80} · Please run /login$` +
		`|^You(?:'ve hit your [^\n]{0,30}limit|'re out of extra usage) · resets [^\n]{0,40}$` +
		`|^Claude (?:AI )?usage limit reached\b` +
		`|^(?:Request timed out\.?|Prompt is too long|Credit balance is too low)$` +
		`|^Your organization does not have access to Claude\.`)
})
