package junk

import (
	"slices"
	"strings"
	"sync"

	"manicule/memory/gate/junk/likely"
	"manicule/memory/gate/junk/named"
	"manicule/memory/gate/junk/speech"
	"manicule/memory/lazyregexp"
)

// mostNamed is up to how many words a line without a verb seems to be a name.
const mostNamed = 8

// says matches what makes a line a statement: a verb that is common in rules and facts, a condition, a reason.
var says = sync.OnceValue(func() *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)\b(?:` + strings.Join([]string{
		`is|are|was|were|be|been|has|have|had|must|should|shall|can|cannot|will|would|may|might|does?|did|needs?|never|always|not|no|only|without|because|since|so|if|when|unless|until|before|after|instead|otherwise|than`,
		`\w+n['’]t|it['’]s|there['’]s`,
		`says?|tells?|uses?|runs?|returns?|requires?|handles?|stores?|reads?|writes?|calls?|takes?|gives?|makes?|means|lives?|holds?|contains?|includes?|provides?|supports?|sets?|creates?|defines?|manages?|depends?|expects?|accepts?|fails?|breaks?|works?|ignores?|skips?|throws?|matches|points?|loads?|saves?|sends?|opens?|closes?|applies|resolves?|validates?|generates?|wraps?|hides?|keeps?|adds?|removes?|deletes?|updates?|starts?|stops?|comes|goes|happens|causes?|prevents?|allows?|blocks?|affects?|overrides?|inherits?|extends?|implements?|represents?|shows?|gets?|puts?|fires?|triggers?|emits?|exists?|belongs?|produces?|consumes?|counts?|exits?|treats?|assumes?`,
		`avoid|prefer|check|ensure|follow|import|tests?|verify|install|configure|deploy|commit|push|name|place|mock|log|catch|fix|ask|wait|retry|document|consider|remember|note|see|refer|limit|split|copy|rename|mark|register|expose|enable|disable|exclude|format|lint|parse|escape|pin|rely|query|fetch|select|convert|restart|reset|clear|flush|rebuild|replace|change|filter|pull|try|don`,
	}, "|") + `)\b`)
})

// Doubt returns what a text that Find lets pass reads like by its form. It is less sure, so nothing is refused for it: a person is
// told, and what nobody wrote or read waits for one.
func Doubt(text string) (Kind, bool) {
	lines := nonEmpty(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }))
	if len(lines) == 0 {
		return "", false
	}
	first := unmarked(lines[0])
	a := told()
	did := a.did.FindStringSubmatch(first)
	switch {
	case listed().subject.MatchString(lines[0]):
		return GitLog, true
	case did != nil && isCapital(first) && !slices.Contains(decided, strings.ToLower(did[1])), compiled().session.MatchString(first), a.counted.MatchString(first), a.ticks.MatchString(lines[0]):
		return Session, true
	case strings.ContainsAny(text, "├└"):
		return PathList, true
	case tellsDeeds(lines), doubtForms().talk.MatchString(lines[0]), tellsState(text, lines), plans(lines), isOfMoment(text, lines):
		return Session, true
	case listsTouched(lines), listsFiles(lines):
		return PathList, true
	case isUnfilled(text, lines), pointsAway(lines):
		return Fragment, true
	case len(lines) == 1 && warnsOf(first):
		return "", false
	case len(lines) == 1 && (namesOnly(first) || vague(first)):
		return Fragment, true
	case len(lines) == 1 && describes(first):
		return Fragment, true
	case len(lines) == 1 && seemsName(first), isFrontMatter(lines), introduces(text, lines):
		return Fragment, true
	case len(lines) == 1:
		return easternDoubt(first)
	}
	return "", false
}

// doubts are the regular expressions of forms that Doubt alone knows.
type doubts struct {
	talk     *lazyregexp.Regexp // an agent's announcement of what it does
	describe *lazyregexp.Regexp // what a project or a part of it is, without its name
	ticked   *lazyregexp.Regexp // the mark of a task that is done, and its label
}

var doubtForms = sync.OnceValue(func() *doubts {
	return &doubts{
		talk:     lazyregexp.New(`^["“'*_>\s]*(?:Let me [a-z]|(?:I|We)(?:['’]ve| have) (?:now |just |also )?successfully )`),
		describe: lazyregexp.New(`^(?:An? |(?:A )?(?:[Ff]ast|[Ll]ightweight|[Mm]inimal|[Mm]odern|[Ss]imple|[Ss]mall|[Tt]hin) )[\w/@-]+(?: [\w/@-]+){0,3} (?:around|for|of|to|with)\s`),
		ticked:   lazyregexp.New(`^\s*(?:[-*+]\s+)?(?:\[[xX]\]|[✅✓☑✔])\s+(?:\*\*[^*]+\*\*:?\s+)?`),
	}
})

// describes reports whether a line says what something is without naming it, as the first line of a page does: "A web client for media
// servers".
func describes(line string) bool {
	return doubtForms().describe.MatchString(line) && !strings.ContainsAny(line, ";→=—–:") && !strings.Contains(line, ". ") && !compiled().because.MatchString(line) &&
		speech.Of(line).Finite < .5 && !says().MatchString(line)
}

// The probabilities of junk, as package likely tells them, from which a person is advised, what nobody wrote or read waits for a
// person, and is refused. They were chosen on the draws D to N, each judged by a fit without it and its repositories: from .96 no
// good text of 672 was refused, and from .55 one text in eight waits. From .30, of draws O to U, which no fit has seen, 15 junk
// texts of 742 fewer would pass, but 41 more good ones of 459 wait.
const (
	Advised = .75
	Held    = .55
	Sure    = .96
)

// agreed is the probability from which the judge agrees with a rule of form that has exceptions. Of the draws to W
// three of 1,461 good texts and 17 of 1,939 junk ones are between .5 and .75; of X and Y both limits refuse the same number of good ones.
const agreed = .5

// Certain reports whether a text is surely of the kind that Find says. A heading, a line that leads in and an account of one line may
// be a rule by their words ("Used `uv` to run all tools (`uv run pytest`)."): from a few words on they are certain only if
// the judge agrees, which knows neither other languages nor several lines. An account that says what holds since is never certain.
func Certain(text string, k Kind) bool {
	line := strings.TrimSpace(text)
	switch {
	case k == Session && (tellsWhatHolds(line) || stated().decided.MatchString(line)), (k == Fragment || k == Session) && stated().choice.MatchString(line):
		return false
	case k == Output && stated().table.MatchString(line):
		return false
	case strings.ContainsAny(line, "\r\n"), wordsWithLetters(line) < fewestOfRule && !unspaced(line):
		return true
	case k == Fragment && !leadsIn(line) && !compiled().heading.MatchString(line), k != Fragment && k != Session:
		return true
	}
	return likely.Of(line).Probability >= agreed
}

// tellsWhatHolds reports whether an account of one line also says what holds since: a ticked task that is a statement ("[x] `GET /health`
// returns 200"), or a change with what it is for ("Replaced the queue by a table so jobs survive a restart").
func tellsWhatHolds(line string) bool {
	if strings.ContainsAny(line, "\r\n") || leadsIn(line) {
		return false
	}
	if task := doubtForms().ticked.FindString(line); task != "" {
		g := speech.Of(line[len(task):])
		return g.Finite >= .5 && g.FirstBase < .5
	}
	_, purpose, found := strings.Cut(line, " so ")
	return found && wordsWithLetters(purpose) >= fewestOfPurpose && !strings.HasPrefix(purpose, "far ")
}

// fewestOfPurpose is from how many words what follows "so" is a purpose.
const fewestOfPurpose = 3

// hardlyJunk is the probability below which a heading or a line that leads in is let pass.
const hardlyJunk = .25

// tellsDeeds reports whether most lines of a text begin with what was done: "Hardened the API", "- Rebuilt the index". Lines that go
// on in the next one count once.
func tellsDeeds(lines []string) bool {
	deeds, items := 0, 0
	for i, l := range lines {
		if i > 0 && compiled().listed.FindString(l) == strings.Repeat(" ", len(l)-len(strings.TrimLeft(l, " "))) {
			continue
		}
		items++
		l = unmarked(l)
		word, _, _ := strings.Cut(l, " ")
		if word = strings.ToLower(word); slices.Contains(decided, word) || !isCapital(l) || strings.Contains(l, ":") || wordsWithLetters(l) < fewestDone {
			continue
		}
		if g := speech.Of(l); g.First[speech.Past] >= .6 && g.Finite < .5 && !compiled().because.MatchString(l) {
			deeds++
		}
	}
	return deeds > 0 && 2*deeds > items
}

// isFrontMatter reports whether lines are the head of a page: names and values, and a line of dashes.
func isFrontMatter(lines []string) bool {
	fence, named := 0, 0
	for _, l := range lines {
		name, _, value := strings.Cut(l, ":")
		switch {
		case strings.TrimSpace(l) == "---":
			fence++
		case value && !strings.Contains(strings.TrimSpace(name), " "):
			named++
		}
	}
	return fence > 0 && named > 0 && fence+named == len(lines)
}

// introduces reports whether a text is a heading or leads in what is not there, and may all the same say something by itself.
func introduces(text string, lines []string) bool {
	last := lines[len(lines)-1]
	if wordsWithLetters(text) > fewWords || saysARule(text) {
		return false
	}
	return leadsIn(last) || len(lines) == 1 && compiled().heading.MatchString(strings.TrimSpace(last))
}

// SurestOfLines is the most that is said of a text of several lines: it may wait, but isn't refused. Of 102 good ones of
// the draws O to W that no rule decides the surest has .90, and only 4 of 40 junk ones have more.
const SurestOfLines = .9

// Likely returns what a text that Find lets pass is, if it is junk, and how probable that is by its words and measures. A text of
// several lines is judged as if it were one, and by the shape of its lines.
func Likely(text string) (Kind, float64) {
	line := AsLine(text)
	if first := unmarked(line); unspaced(line) || isPlural(first) || isPlaced(first) || isOrder(line) || warnsOf(first) || saysInGerman(line) { // short sentences without a verb, or in words that the judge has not learned
		return "", 0
	}
	var a likely.Answer
	if line == text {
		a = likely.Of(text)
	} else {
		a = likely.OfLines(text)
		a.Probability = min(a.Probability, SurestOfLines)
	}
	switch {
	case a.Probability == 0:
		return "", 0
	case a.Account:
		return Session, a.Probability
	}
	return Fragment, a.Probability
}

// AsLine returns a text of more lines than the judge takes as one line, and any other as it is.
func AsLine(text string) string {
	if strings.Count(strings.TrimSpace(text), "\n") < 2 {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// The least probability of a name, as package named tells it, with which a line is taken for one; and that of a
// line whose form says otherwise. Nothing is refused for it: "Nobody else wrote this" has .8.
const (
	likelyName = .5
	nameAnyhow = .9
)

// seemsName reports whether a line is likely to name something without saying anything of it.
func seemsName(line string) bool {
	if hasPronoun(line) || isPlural(line) || isPlaced(line) || unspaced(line) || isEastern(line) || saysInGerman(line) || wordsWithLetters(line) > 2*mostNamed {
		return false
	}
	p := named.Of(line)
	return p >= likelyName && isName(line) || p >= nameAnyhow && !hasVerb(line) && !compiled().rule.MatchString(line) && !strings.ContainsAny(line, "=→")
}

// hasPronoun reports whether a line begins with whom a statement is about: "I like short names".
func hasPronoun(line string) bool {
	first, rest, _ := strings.Cut(line, " ")
	return slices.Contains([]string{"I", "We", "They", "You"}, first) && rest != "" && rest[0] >= 'a' && rest[0] <= 'z'
}

// isPlural reports whether a line begins like a short sentence of several things: "Sessions end early". In a
// name the first of two nouns is mostly a singular.
func isPlural(line string) bool {
	first, rest, _ := strings.Cut(line, " ")
	second, rest, _ := strings.Cut(rest, " ")
	for _, end := range []string{"ss", "us", "is"} {
		if strings.HasSuffix(first, end) {
			return false
		}
	}
	if second == "of" {
		return strings.HasSuffix(first, "s") && severalDo(rest)
	}
	for _, end := range []string{"ed", "ing", "ly", "s"} {
		if strings.HasSuffix(second, end) {
			return false
		}
	}
	return strings.HasSuffix(first, "s") && second != "" && strings.Trim(second, "abcdefghijklmnopqrstuvwxyz") == "" && !slices.Contains(relating, second)
}

// severalDo reports whether what follows "Sessions of" goes on with a verb of several things: "two tabs share one token".
func severalDo(rest string) bool {
	fields := strings.Fields(rest)
	for i, w := range fields[:min(len(fields), mostOfSubject+1)] {
		switch {
		case slices.Contains(ofSeveral, strings.TrimRight(w, ",;")):
			return i > 0 && len(fields) > i+1
		case slices.Contains(beginClause, w) || strings.ContainsAny(w, ",;:—–()"):
			return false
		}
	}
	return false
}

var (
	// ofSeveral are verbs of several things that are hardly ever nouns.
	ofSeveral = []string{"are", "arrive", "become", "belong", "can", "cannot", "come", "contain", "depend", "do", "don't", "expire", "fail", "get", "have", "inherit", "keep", "live", "lose", "may", "might", "must", "need",
		"never", "outlive", "overlap", "overwrite", "share", "should", "stay", "survive", "take", "use", "will"}
	// beginClause are words after which a verb belongs to a clause: "Names of things that need a review".
	beginClause = []string{"how", "i", "if", "it", "that", "they", "to", "we", "what", "when", "where", "which", "who", "why", "you"}
)

// relating are words that join two nouns.
var relating = []string{"and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "per", "to", "via", "vs", "with"}

// isPlaced reports whether a line says where something is or what goes before what, without a verb: "Secrets in
// Vault", "Tabs over spaces".
func isPlaced(line string) bool {
	fields := strings.Fields(line)
	return len(fields) > 2 && len(fields) < 6 && slices.Contains([]string{"in", "over", "on", "per"}, fields[1])
}

// isOrder reports whether a line without marks is a short order about one thing: "say the branch first". No heading has an article
// after its first word, unless it names a task.
func isOrder(line string) bool {
	fields := strings.Fields(line)
	if len(fields) < 3 || len(fields) > mostNamed || !slices.Contains([]string{"the", "a", "an", "its", "each", "every", "all", "your"}, fields[1]) {
		return false
	}
	verb := strings.ToLower(fields[0])
	if strings.Trim(verb, "abcdefghijklmnopqrstuvwxyz") != "" || slices.Contains(tasked, verb) || slices.Contains(relating, verb) {
		return false
	}
	for _, end := range []string{"ed", "ing", "s"} {
		if strings.HasSuffix(verb, end) {
			return false
		}
	}
	return true
}

// tasked are the verbs with which tasks, and the subjects of commits, mostly begin.
var tasked = []string{"add", "allow", "build", "bump", "change", "clean", "create", "delete", "disable", "drop", "enable", "extend", "fix", "handle", "implement", "improve", "install", "introduce", "merge", "move",
	"refactor", "remove", "rename", "replace", "revert", "see", "support", "update"}

// hasVerb reports whether a word in -s stands before another one, where it may be a verb.
func hasVerb(line string) bool {
	fields := strings.Fields(line)
	for i := 1; i < len(fields)-1; i++ {
		if w := fields[i]; strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && w[0] >= 'a' && w[0] <= 'z' {
			return true
		}
	}
	return false
}

// isName reports whether a line names something and says nothing about it.
func isName(line string) bool {
	words := wordsWithLetters(line)
	return !hasVerb(line) && words > 1 && words <= mostNamed && !unspaced(line) && !strings.ContainsAny(line, "=→:;`") && !strings.ContainsAny(line[len(line)-1:], ".!?") && !says().MatchString(line)
}
