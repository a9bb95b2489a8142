package wording

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Limits for quotes of a person, in characters.
const (
	minSaid   = 18
	minRule   = 10 // of a sentence worded as a rule
	MaxSaid   = 220
	MaxPrompt = 700 // a longer text is a plan or a paste, not a correction
)

// Said is a rule in a text, with the sentences that belong to it.
type Said struct {
	Rule      string
	Sentences []string
}

// RulesIn finds the rules that a person says in a text. strong is set if it is the reason for an interruption.
func RulesIn(text string, strong bool) []Said {
	list := Sentences(text)
	weights := make([]int, len(list))
	for i, sentence := range list {
		weights[i] = ruleWeight(sentence)
		if strong && weights[i] == 1 && directive(sentence) {
			weights[i]++
		}
	}
	var out []Said
	for i := 0; i < len(list); i++ {
		if weights[i] < 2 {
			continue
		}
		from, to := i, i
		for from > 0 && belongs(list[from-1]) {
			from--
		}
		for to+1 < len(list) && (weights[to+1] >= 2 || belongs(list[to+1])) {
			to++
		}
		if len([]rune(strings.Join(list[from:to+1], " "))) > MaxSaid {
			from, to = i, i
		}
		out = append(out, Said{list[i], list[from : to+1]})
		i = to
	}
	return out
}

// Rules returns the rules that a person says in a text, each with the sentences that belong to it. strong is set
// if something was changed because of it.
func Rules(text string, strong bool) []string {
	var out []string
	for _, r := range RulesIn(text, strong) {
		out = append(out, strings.Join(r.Sentences, " "))
	}
	return out
}

// belongs reports whether a sentence is part of the correction beside it: it also forbids
// or demands something, or gives the reason.
func belongs(sentence string) bool {
	low := " " + plainHead(sentence) + " "
	if strings.HasSuffix(strings.TrimSpace(low), "?") {
		return false
	}
	return starts(low, " always ", " never ", " don't ", " do not ", " prefer ", " avoid ", " use ", " not ", " no ", " we use ", " we don't ", " we never ", " because ", " otherwise ", " that's because ", " it's because ",
		" the reason ", " instead ", " only ")
}

// General reports whether a sentence is worded as a rule, not as an instruction for the
// current task.
func General(sentence string) bool {
	low := " " + plainHead(sentence) + " "
	return starts(low, " always ", " never ", " we don't ", " we do not ", " we use ", " we always ", " we never ", " we prefer ", " prefer ", " remember ", " every ", " whenever ") ||
		Has(low, " always ", " never ", " from now on", " going forward", " in general", " as a rule", " every time ", " in the future", " wherever ", " whenever ", " everywhere", " by default", " convention",
			" in this repo", " in this project", " in this codebase", " in our ", " we never ", " we always ")
}

// Sentences splits a text that a person wrote. Too short and too long ones are left out.
func Sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "-*•>0123456789.) "))
		start := 0
		for i := 0; i < len(line); i++ {
			end := i+1 == len(line)
			if !end && !(strings.IndexByte(".!?;", line[i]) >= 0 && line[i+1] == ' ') {
				continue
			}
			s := strings.TrimSpace(line[start : i+1])
			start = i + 1
			if n := len([]rune(s)); n <= MaxSaid && (n >= minSaid || n >= minRule && General(s)) {
				out = append(out, s)
			}
		}
	}
	return out
}

// plainHead returns a sentence in lower case without introductory words.
func plainHead(sentence string) string {
	low := strings.Trim(strings.ToLower(strings.ReplaceAll(sentence, "’", "'")), "() ")
	low = Praised().ReplaceAllString(low, "")
	for again := true; again; { // in whatever order: "and please", "please, also"
		again = false
		for _, head := range []string{"please ", "please, ", "no, ", "no - ", "no. ", "ok, ", "okay, ", "yes, ", "also ", "also, ", "and ", "hmm, ", "hmm ", "hey ", "in general, ", "generally, ", "btw "} {
			if rest, ok := strings.CutPrefix(low, head); ok {
				low, again = rest, true
			}
		}
	}
	return low
}

// Praised matches what a person says before a rule about what was done: "good, but always …".
var Praised = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:that |it )?(?:looks?|is|'s) )?(?:good|great|nice|fine|perfect|cool|lgtm|thanks|thank you|ok|okay|yes)(?: (?:work|job|so far))?[,.!]? but,? `)
})

// ruleWeight rates how much a sentence reads like a rule for later sessions: 2 or more is
// a rule, 0 is none. A rule says what to do and is understandable without the text before
// it.
func ruleWeight(sentence string) int {
	low := plainHead(sentence)
	if strings.HasSuffix(strings.TrimSpace(low), "?") || strings.ContainsAny(low, "<>|{}•→") {
		return 0
	}
	low = " " + low + " "
	named := low // with the project that it names
	if at := atProject().FindStringIndex(low); at != nil {
		low = " " + low[at[1]:]
	}
	if starts(low, " but ", " for ", " because ", " so ", " it's ", " not ", " as ") || !LetterFirst(low) || ofProduct(low) || ofTask(low) {
		return 0
	}
	w := 0
	if starts(low, " if ", " when ") && Has(low, " do not ", " don't ", " always ", " never ", " must ", ", use ", ", run ") {
		w++
	}
	if starts(low, " always ", " never ", " don't ", " do not ", " prefer ", " use ", " avoid ", " keep ", " make sure ", " remember ", " we should ", " we shouldn't ", " we don't ", " we use ", " we always ",
		" we never ", " we prefer ", " you should ", " you must ", " before ", " every ", " only ", " run ", " stop ", " whenever ", " from now on", " going forward", " must ", " let's always ", " let's never ") {
		w++
	}
	if Has(named, " always ", " never ", " from now on", " going forward", " in general", " as a rule", " every time ", " in the future", " wherever ", " whenever ", " everywhere", " by default", " convention", " in all ", " in this repo", " in this project") {
		w++
		if len(strings.Fields(low)) <= 8 && starts(low, " always ", " never ") {
			w++ // short, and nothing but a rule
		}
	}
	if Has(low, " instead of ", " rather than ", " not ", " don't ", " only ", " must ", " should ", " prefer ", " avoid ") {
		w++
	}
	if w > 0 && !Has(low, " always ", " never ", " wherever ", " whenever ", " everywhere", " prefer ", " instead of ", " rather than ", " convention", " don't ", " do not ", " avoid ", " in general", " every time ", " from now on", " going forward", " must ", " we use ") {
		w = 1 // a task, not a rule
	}
	if strings.ContainsAny(low, "\"“") || strings.Contains(low, "error:") || Has(low, " we should update", " we should add", " we should have", " we should remove", " we should rename", " we should fix") {
		w -= 2
	}
	// What refers to the moment is no rule; the project is no moment.
	low = strings.NewReplacer(" in this repo", " ", " in this project", " ", " in this codebase", " ").Replace(low)
	if Has(low, " this ", " that ", " these ", " those ", " it ", " it's ", " its ", " here ", " now ", " there ", " above", " below", " the following", " last ", " let's ", " i ", " i'm ", " i'd ", " i've ", " my ", " me ",
		" looks ", " seems ", " option ", " maybe ", " step ", " the pr", " the plan", " you did", " was ", " were ", " the fix", " the issue", " still ", " current ", " the button", " they ", " them ", " he ", " can we ", " can you ", " stash ", " same ", " for the first", " then ") {
		w -= 2
	}
	return w
}

// atProject matches the words before a rule that say where it holds: "in this repository we always …".
var atProject = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^ in (?:this|our) (?:repo|repository|project|code ?base),? `)
})

// ofProduct reports whether a sentence says what the program that is worked on does or shall do ("the list should always be sorted"):
// a wish or a bug, not how to work on it.
func ofProduct(low string) bool {
	if starts(low, " only the ", " only a ") {
		return true
	}
	if starts(low, " always ", " never ", " don't ", " do not ", " prefer ", " use ", " avoid ", " keep ", " make sure ", " remember ", " we ", " you ", " let's ") || Has(low, " you should ", " we should ", " agents should ", " tests should ", " commits should ",
		" in this repo", " in this project", " in this codebase", " convention", " from now on", " going forward") {
		return false
	}
	return Has(low, " should always ", " should never ", " should only ", " never loads", " never shows", " never works", " always shows", " is always ", " is never ", " are always ", " are never ")
}

// ofTask reports whether a sentence bounds one request, which is said again with the next request of its kind: that it only reads, or
// what it need not do.
func ofTask(low string) bool {
	return starts(low, " we don't need to ", " we do not need to ", " we don't have time", " we don't have a lot of time", " we don't have much time") ||
		starts(low, " do not ", " don't ") && len(strings.Fields(low)) <= 10 && Has(low, " edit files", " edit any", " modify files", " modify any", " change files", " change any", " make changes", " make any changes", " write code", " edit or ")
}

// directive reports whether a sentence begins by telling what to do.
func directive(sentence string) bool {
	return starts(" "+strings.ToLower(strings.ReplaceAll(sentence, "’", "'"))+" ", " always ", " never ", " don't ", " do not ", " prefer ", " use ", " avoid ", " keep ", " make sure ", " please don't ", " no, don't ", " we don't ", " we use ")
}

// LetterFirst reports whether a text begins with a letter, in lower case.
func LetterFirst(low string) bool {
	low = strings.TrimSpace(low)
	return low != "" && low[0] >= 'a' && low[0] <= 'z'
}

// SortedWords lists the telling words of a text.
func SortedWords(s string) []string {
	return slices.Sorted(maps.Keys(Bag(s)))
}
