package reviews

import (
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"manicule/hooks/observe/wording"
	"manicule/indexer/sorting"
)

//go:embed bots.txt
var builtInBots string

// Bots returns the built-in patterns of programs that comment.
func Bots() []string { return BotPatterns(builtInBots) }

// BotPatterns reads patterns, one a line; # begins a comment.
func BotPatterns(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// Reason says why a comment became nothing.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	ByBot     Reason = "bot"
	IsHTML    Reason = "html"
	IsPraise  Reason = "praise"
	IsReply   Reason = "reply"
	IsBare    Reason = "no_sentence" // code, a suggestion, a link
	IsOnce    Reason = "one_time"    // it is about this change alone
	IsSame    Reason = "said_twice"
	IsUnnamed Reason = "no_rule" // a failed check that names no rule
)

// Suggestion is a text of a review that says something beyond its change.
type Suggestion struct {
	Comment    Comment
	Key        string // identifies it when the same source is read again
	What       string // the reviewer's sentences
	Rule       bool   // it says what to do; else it tells a trap
	Confidence float64
}

// Found is what the comments of a source gave.
type Found struct {
	Comments    int
	Suggestions []Suggestion
	Left        map[Reason]int
}

// Confidence of a suggestion, before what speaks for it is added. A person decides in any case.
const (
	plainConfidence   = 0.5
	settledConfidence = 0.2 // the thread ended in a change
	memberConfidence  = 0.1
)

// Suggest finds the suggestions in comments. bots are patterns as in [Bots].
func Suggest(comments []Comment, bots []string) Found {
	out := Found{Comments: len(comments), Left: map[Reason]int{}}
	answered := map[string]bool{} // threads in which someone says that it is done
	for _, c := range comments {
		if c.Reply && done().MatchString(c.Body) {
			answered[c.Thread] = true
		}
	}
	seen := map[string]bool{}
	for _, c := range comments {
		c.Settled = c.Settled || answered[c.Thread]
		s, why := suggest(c, bots)
		switch {
		case why != "":
			out.Left[why]++
		case seen[strings.ToLower(s.What)]:
			out.Left[IsSame]++
		default:
			seen[strings.ToLower(s.What)] = true
			out.Suggestions = append(out.Suggestions, s)
		}
	}
	sorting.StableFunc(out.Suggestions, func(a, b Suggestion) int {
		switch {
		case a.Confidence > b.Confidence:
			return -1
		case a.Confidence < b.Confidence:
			return 1
		}
		return 0
	})
	return out
}

func suggest(c Comment, bots []string) (s Suggestion, why Reason) {
	if !c.Check && (c.Bot || isBot(c, bots)) {
		return s, ByBot
	}
	body, html := plain(c.Body)
	switch {
	case html:
		return s, IsHTML
	case c.Reply:
		return s, IsReply // what it answers says it
	case praise().MatchString(body):
		return s, IsPraise
	case len(strings.Fields(body)) < 4:
		return s, IsBare
	}
	s = Suggestion{Comment: c, Key: c.ID, Confidence: plainConfidence}
	if c.Settled {
		s.Confidence += settledConfidence
	}
	if c.Member {
		s.Confidence += memberConfidence
	}
	general := func(sentence string) bool { return holds(sentence, body, c) }
	if list := standing(wording.Rules(body, c.Settled), general); len(list) > 0 {
		s.What, s.Rule = strings.Join(list, " "), true
	} else if list := kept(reasoned(body), general); len(list) > 0 {
		s.What, s.Rule = strings.Join(list, " "), true
	} else if c.Inline || c.Check {
		s.What = trap(body)
	}
	switch {
	case s.What != "":
		return s, ""
	case c.Check:
		return s, IsUnnamed
	}
	return s, IsOnce
}

func kept(list []string, general func(string) bool) []string {
	return slices.DeleteFunc(list, func(s string) bool { return !general(s) })
}

func isBot(c Comment, patterns []string) bool {
	author := strings.ToLower(c.Author)
	for _, p := range patterns {
		if sign, ok := strings.CutPrefix(p, "text:"); ok {
			if strings.Contains(strings.ToLower(c.Body), strings.ToLower(sign)) {
				return true
			}
			continue
		}
		if ok, err := path.Match(strings.NewReplacer("[", `\[`, "]", `\]`).Replace(strings.ToLower(p)), author); err == nil && ok {
			return true
		}
	}
	return false
}

var (
	tags      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--.*?-->|</?[a-zA-Z][^<>]{0,400}>`) })
	spaces    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\S)[ \t]{2,}`) })
	fences    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?s)```.*?(```|$)") })
	quotes    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*>.*$`) })
	links     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!?\[([^\]\n]*)\]\([^)\n]*\)`) })
	headLabel = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\W*(nit(pick)?|minor|blocking|non-blocking|suggestion|issue|todo|praise|question|thought|chore|note|optional|low|medium|high|p[0-3])\s*(\([^)]*\))?\s*[:：]\s*`)
	})
	praise = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\W*(lgtm|looks good|nice|great|awesome|thanks|thank you|good catch|love (it|this)|perfect|cool|\+1|👍|approved?|ship it|excellent)\b[^.]{0,60}[.!]?\W*$`)
	})
	done = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\W*(done|fixed|addressed|good (catch|point)|updated|removed|changed|renamed|will do|makes sense|ah,? (yes|right)|you'?re right|agreed|applied|resolved)\b`)
	})
	trapSign = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(dead ?locks?|data race|race conditions?|leaks?|panics?|crash(es)?|hangs?|overflows?|assertion fail(s|ure)?|not thread[- ]safe|never (returns|called|closed|freed|released)|breaks? (on|when|if|for|in)|fails? (on|when|if|for|in|silently)|silently|injection|not (guaranteed|safe)|` +
			`quadratic|o\(n\^?2\)|must (be held|not (be|hold|call|block))|only safe)\b`)
	})
	reason = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(because|since|otherwise|when|if|as|so that|unless|before|after|whenever|for)\b`)
	})
	moment = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(this|that|these|those|here|above|below|it|it's|its|they|them|you|your|you're|i|i'm|i'd|i've|i'll|we'll|let's|could|maybe|perhaps|nit|pr|lgtm|now|still|line|my|me|he|she)\b|\?`)
	})
)

// plain returns a comment's text without markup, quotes and code blocks. html is set if most of it was markup.
func plain(body string) (text string, html bool) {
	body = strings.ReplaceAll(body, "\r\n", "\n")
	without := withoutTags(body)
	text = fences().ReplaceAllString(without, "\n")
	text = quotes().ReplaceAllString(text, "")
	text = links().ReplaceAllString(text, "$1")
	text = strings.TrimSpace(text)
	for {
		cut := headLabel().ReplaceAllString(text, "")
		if cut == text {
			break
		}
		text = strings.TrimSpace(cut)
	}
	return text, len(strings.TrimSpace(without))*2 < len(strings.TrimSpace(body)) && len(body) > 200
}

// The tags that leave nothing behind, that mark code, and that part a text.
const (
	tagsInside = " a abbr b big del em font g-emoji i ins mark s small span strike strong sub sup u "
	tagsOfCode = " code kbd samp tt var "
	tagsAround = " article aside blockquote br center col colgroup dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr img input li main ol p picture pre section source summary table tbody td tfoot th thead tr ul video "
)

// withoutTags returns a text without the tags of HTML. What stands in backquotes and what only looks like a tag, such as the
// parameters of a type, is code.
func withoutTags(body string) string {
	var out strings.Builder
	last := 0
	for _, at := range tags().FindAllStringIndex(body, -1) {
		tag := body[at[0]:at[1]]
		line := body[strings.LastIndexByte(body[:at[0]], '\n')+1 : at[0]]
		if strings.HasPrefix(tag, "<!") {
			out.WriteString(body[last:at[0]] + " ")
			last = at[1]
			continue
		}
		name := strings.Trim(tag, "</>")
		name, rest, _ := strings.Cut(name, " ")
		known := " " + strings.ToLower(strings.TrimSuffix(name, "/")) + " "
		with := ""
		switch {
		case strings.Count(line, "`")%2 == 1:
			continue
		case strings.Contains(tagsInside, known):
		case strings.Contains(tagsOfCode, known):
			with = "`"
		case strings.Contains(tagsAround, known), strings.Contains(rest, "="):
			with = " "
		default:
			continue
		}
		out.WriteString(body[last:at[0]] + with)
		last = at[1]
	}
	out.WriteString(body[last:])
	return spaces().ReplaceAllString(out.String(), "$1 ")
}

// standing keeps of the rules in a text those that hold beyond its change: they tell what to do, or what
// the project does, name something of the code, and point to nothing at hand. Of each it leaves out the
// sentences before the first that does so.
func standing(list []string, general func(string) bool) []string {
	var out []string
	for _, piece := range list {
		all := wording.Sentences(piece)
		for i, sentence := range all {
			if i+1 < len(all) {
				sentence = strings.TrimSuffix(sentence, ";") // what follows is its other half
			}
			if stands(sentence) && general(sentence) {
				out = append(out, strings.Join(all[i:], " "))
				break
			}
		}
	}
	return out
}

func stands(sentence string) bool {
	low := strings.TrimSpace(strings.ToLower(strings.ReplaceAll(sentence, "’", "'")))
	low = thisProject().ReplaceAllString(strings.TrimPrefix(strings.TrimPrefix(low, "please "), "please, "), "")
	switch {
	case strings.HasSuffix(low, ":"), strings.HasSuffix(low, ";"), strings.HasSuffix(low, ")") && !strings.Contains(low, "("), strings.Contains(low, "**"), strings.Contains(low, ":)"), len(strings.Fields(low)) < 4:
		return false // the lead-in of something, or a part of it
	case ofTalk().MatchString(low), twoOrders().MatchString(sentence), strings.HasSuffix(low, "!") && !strings.HasPrefix(low, "never ") && !strings.HasPrefix(low, "always "):
		return false
	case mental().MatchString(low), atHand().MatchString(withoutMergeCode(codeName().ReplaceAllString(low, "x"))):
		return false
	case startsLow(sentence), strings.HasPrefix(low, "("): // the rest of a sentence, an aside, or a note for the author
		return false
	}
	return tells().MatchString(low) || project().MatchString(low)
}

// withoutMergeCode removes the code that merges something ("the merge code", "a merge policy"), which is no merge of the change.
func withoutMergeCode(low string) string {
	return mergeCode().ReplaceAllStringFunc(low, func(found string) string {
		switch of := found[strings.LastIndexByte(found, ' ')+1:]; strings.TrimSuffix(of, "s") {
		case "base", "button", "commit", "conflict", "message", "queue", "request", "train", "window":
			return found
		}
		return ""
	})
}

// holds reports whether a rule is likely to hold beyond the place at which it was said. In the talk about
// a change as a whole it has to be a member's, and worded for everybody; at a line, "use X" is about that
// line unless it names what X replaces, or why.
func holds(sentence, body string, c Comment) bool {
	low := strings.ToLower(strings.ReplaceAll(sentence, "’", "'"))
	switch {
	case c.Check:
		return true
	case strings.Count(sentence, "`")%2 == 1, inCode(sentence, body):
		return false
	case forAuthor().MatchString(low):
		return false
	case !c.Inline:
		return c.Member && everybody().MatchString(low) && !(listed(sentence, body) && tells().MatchString(low))
	case strings.HasPrefix(strings.TrimPrefix(low, "please "), "use "):
		return replaces().MatchString(low) || because().MatchString(low)
	}
	return true
}

// inCode reports whether a sentence is part of a span of code, such as a commit's title.
func inCode(sentence, body string) bool {
	bare := strings.Trim(sentence, "` .")
	return bare != "" && (strings.HasPrefix(sentence, "`") && strings.HasSuffix(strings.TrimRight(sentence, "."), "`") && strings.Count(sentence, "`") == 2 ||
		strings.Contains(body, "`"+bare+"`"))
}

// listed reports whether a sentence is an entry of a list, as in a summary of what was done.
func listed(sentence, body string) bool {
	entries := 0
	own := false
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") {
			entries++
			own = own || strings.Contains(line, sentence[:min(len(sentence), 20)])
		}
	}
	return own && entries > 1
}

// startsLow reports whether a sentence begins like the rest of one, or with a number.
func startsLow(sentence string) bool {
	r, _ := utf8.DecodeRuneInString(sentence)
	return unicode.IsLower(r) || unicode.IsDigit(r)
}

var (
	tells = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(always|never|prefer|avoid|use|do not|don't|only|make sure|remember|keep|whenever|every|you should (use|not|never|always)|you must)\b`)
	})
	project = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\bwe (always|never|usually|generally|typically|normally|prefer|try to|use|don't|do not|avoid|only|require|strive|tend to|expose|name|put)\b|\bshould (always|never)\b|\bmust (always|never|not)\b|` +
			`\b(as a rule|by convention|our (style|convention|policy|guideline)s?|style guide|developer notes|coding style|contributing\.md)\b`)
	})
	// everybody are words of a rule for all that work on a project.
	everybody = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(please|always|never)\b|\bwe (always|never|usually|generally|typically|normally|prefer|try to|use|don't|do not|avoid|only|require|strive)\b|\bshould (always|never)\b|\bmust (always|never)\b|` +
			`\b(as a rule|by convention|our (style|convention|policy|guideline)s?|style guide|developer notes|coding style|contributing\.md)\b`)
	})
	// forAuthor are words of an order to the author of a change, and sayings.
	forAuthor = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(please )?(make sure (you|to)\b|you must\b)|\blet the perfect\b|\bwe (don't|do not) (build|tend to)\b|\bif a user\b`)
	})
	// replaces matches code that a rule puts in the place of something else.
	replaces = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("`[^`]+`[^`]*\\b(instead of|rather than|over) \\S|`[^`]+`[^`]*\\bnot\\b[^`]*`[^`]+`|\\bwe\\b")
	})
	// because are words of a reason.
	because = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(because|since|otherwise|so that|to avoid|it (gives|is|avoids|makes|has)|as it|which (is|avoids|makes)|developer notes|guidelines?|rationale|convention|whenever|everywhere|elsewhere|always|legacy)\b`)
	})
	// mental are words after which a sentence is about what people know, want or have, not about code.
	mental = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(don't|do not|never|always) (really |actually |even |just )?(know|think|want|feel|worry|mind|forget|hesitate|see|believe|care|understand|need|have|merge|get|like|agree|bother|recall|remember|be|hit|look|seem|mean|say|wait|happy|glad|trust|plan|hurt|welcome|safer|optimal|remove|revert|drop|waste|feed|troll|throw ad)\b|^never ?mind`)
	})
	// ofTalk matches an opinion, an order about a text at hand, and a sentence about what was just said.
	ofTalk = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^always (?:better|fun|good|great|happy|hard|nice|possible|tricky|worth)(?:[^\w-]|$)|^only (?:add|change|explain|leave|list|mention|say|show|update)\b|\b(?:do|did|does|doing|done|has|have|say|saying) that\b`)
	})
	// twoOrders matches a sentence into which a proposal for another one has run.
	twoOrders = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\pL,? (?:Always|Do not|Don['’]t|Never) \pL`) })
	// mergeCode matches code by the name of what it does.
	mergeCode = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(the|a|any|each|every|our) merge [a-z]+`)
	})
	// thisProject names the project, which is not at hand as a change is, with what is before a rule.
	thisProject = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^in this (?:repo|repository|project|code ?base),? | in this (?:repo|repository|project|code ?base)\b`)
	})
	// codeName is code in a sentence, whose words point to nothing: `time.Now()`, `this.state`.
	codeName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("`[^`\n]*`" + `|\b\w+(?:(?:\.|::|->)\w+)+(?:\(\))?|\b\w+\(\)`)
	})
	// atHand are words that point to the change, the talk or the moment.
	atHand = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(this|these|those|here|above|below|your|you're|yours|i|i'm|i'd|i've|i'll|my|me|he|she|they|pr|prs|lgtm|now|merge|merged|rebase|rebased|squash|maybe|perhaps|probably|seems?|think|imo|imho|iiuc|afaik|currently|anymore|yet|soon|too|their|not sure|feel free|if we|let's|sorry|thanks|` +
			`already|still|again|you are|use it|first|second|another|same|that's|he's|it's|was|were|would|could|later|moment|today|review(ed|ing)?|if you|in general would|of them)\b|\?|@\w|#\d|https?://`)
	})
	// loose are words of a trap that is about the change, or not sure.
	loose = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(seems?|commits?|post-merge|almost|was|were|would|could|probably|used to|first|second|and the given|so far|previously|before returning|post-|anyway|next|replaced|concern|wasn't|isn't|the (deadlock|crash|leak|race|bug|problem|issue|undefined behaviou?r|new))\b|:\)|@\w`)
	})
)

// trap returns the sentence of a text that tells how code fails and stands on its own, or "".
func trap(body string) string {
	for _, s := range wording.Sentences(body) {
		if trapSign().MatchString(s) && reason().MatchString(s) && strings.Contains(s, "`") && !moment().MatchString(strings.ReplaceAll(s, "’", "'")) && !loose().MatchString(s) && !startsLow(s) && !strings.HasSuffix(s, ":") && len(strings.Fields(s)) >= 6 {
			return s
		}
	}
	return ""
}
