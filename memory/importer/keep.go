package importer

import (
	"path"
	"strings"
	"unicode"

	"manicule/memory/file"
	"manicule/memory/lazyregexp"
)

// ownerOf returns whose a rule file is if it isn't this repository's: skills that were copied in,
// templates for other projects, data of tests. It returns "" for the repository's own.
func ownerOf(name string) string {
	dirs := strings.Split(path.Dir(name), "/")
	for i, d := range dirs {
		switch strings.ToLower(d) {
		case "skills":
			if i > 0 && strings.HasPrefix(dirs[i-1], ".") || i+2 < len(dirs) && skillPart(dirs[i+2]) {
				return "a skill's file"
			}
		case "template", "templates", "boilerplate", "scaffold", "scaffolds", "{{cookiecutter.project_slug}}":
			return "a template for other projects"
		case "testdata", "fixtures", "__fixtures__", "test-fixtures":
			return "data of tests"
		}
	}
	return ""
}

// skillPart reports whether a folder of a skill holds what the skill tells its users, as the specification of agent skills
// names them.
func skillPart(dir string) bool {
	switch strings.ToLower(dir) {
	case "references", "reference", "resources", "assets", "examples":
		return true
	}
	return false
}

// specific matches what ties a sentence to its repository: code, a path, a number, an identifier,
// a quotation, a name in capitals.
var specific = lazyregexp.New("[`\"“_<>{}@#$]|\\w/\\w+/|\\d|\\b[A-Z]{2,}\\b|\\b[a-z]+[A-Z]\\w|\\w\\.\\w|\\b[A-Z][a-z]+[A-Z]|[^.:;!?—–-]\\s[A-Z][a-z]+|[^\\x00-\\x{2fff}]\\s*[A-Za-z]{2,}|[A-Za-z]{2,}\\s*[^\\x00-\\x{2fff}]")

// advice matches the words of advice that holds in every repository.
var advice = lazyregexp.New(`(?i)\b(?:clean|readab\w+|maintainab\w+|concise(?:ly)?|simple|simplicity|small|focused|meaningful|descriptive|self-(?:documenting|explanatory)|comprehensive|well-\w+|thorough(?:ly)?|modular|reusab\w+|edge cases|nesting|early returns?|magic (?:numbers?|strings?)|duplicat\w+|repetition|separation of concerns|single[- ]responsibility|composition over inheritance|best practices|code (?:quality|smells?)|test coverage|high coverage|unit tests|tests? (?:pass|for (?:all |any |every )?(?:new|bug))|clear(?:ly)? (?:and|names?|messages?|code|comments?|error|variable|commit|describe|intent)|(?:describe|explain) (?:the|your) (?:changes?|code)|appropriate(?:ly)?|properly|proper (?:error|types?|handling|naming|indentation)|gracefully|complex logic|obvious|over-?engineer\w*|premature|existing (?:patterns?|code|style|conventions?)|consisten(?:t|cy|tly)|surrounding code|efficient(?:ly)?|robust|idiomatic|intuitive|understandab\w+|sensible|unnecessary|independent|isolated|deterministic|sensitive data|user input|hardcod\w+ (?:secrets?|credentials?|passwords?|values)|secrets? (?:in|to) (?:code|git|the repo\w*|version control|source control)|pure functions?|immutab\w+|accessib\w+|responsive|user experience|performance implications|assumptions|ask (?:for|when|if|clarifying)|clarif\w+|aids readability|thoughtful|step[- ]by[- ]step|type hints|docstrings?|best practice|good practice|industry standards?|public apis? (?:have|has|should)|dependency injection|functional components|be (?:sure|certain)|state (?:it|this|that) explicitly|non-obvious|raise the bar|excellence|works? as (?:intended|expected)|meets? (?:the|all) requirements|idiomatic \w+|hacks?|(?:leak|output|log|commit|expos)\w*(?: or \w+)? (?:any )?(?:secrets?|sensitive|credentials?|passwords?|(?:api )?keys?)|prepared statements|parameteri[sz]ed queries|too much|hard(?:er)? to (?:debug|read|test)|run (?:the tests?|quickly)|high[- ]quality|add or update tests|unrelated (?:refactor\w*|changes)|optional chaining|contextual information|regressions|hypothes[ei]s|paramount|quality over)\b`)

// adviceWords is the number of words up to which a sentence without specifics can be advice.
const adviceWords = 16

// classic matches advice that needs no second look, with or without specifics.
var classic = lazyregexp.New(`(?i)(?:^|: )(?:follow (?:the )?(?:SOLID|DRY|KISS|YAGNI|clean code|(?:standard |common |official )?(?:\w+ )?(?:naming conventions|best practices|community (?:style|conventions)))\b|apply (?:the )?(?:SOLID|DRY|KISS)\b|(?:DRY|KISS|YAGNI|SOLID)\b|use (?:PascalCase|camelCase|snake_case|ALL_CAPS|UPPER_SNAKE_CASE|SCREAMING_SNAKE_CASE) for (?:classes|constants|variables|functions|methods|types|components?|component names)[^.;` + "`" + `]{0,60}$|don['’]t repeat yourself|keep it simple)`)

// slogan matches exclamations and mottos.
var slogan = lazyregexp.New(`(?i)^(?:[^.` + "`" + `]{1,60}! ){2,}|\b(?:is king|is key|matters|first, always|above all else)[.!]?$`)

// guarded matches what a short order may protect.
var guarded = lazyregexp.New(`(?i)\b(?:push\w*|merg\w+|rebas\w+|commit\w*|branch\w*|deploy\w*|releas\w+|generated|vendor\w*|migrat\w+|secrets?|production|main|rewrite|force)\b`)

// half matches a condition.
var half = lazyregexp.New(`(?i)^(?:[\w &/-]{1,40}: )?(?:if|when|whenever|unless|because|although|while|since) `)

// whole matches the end of a condition, after which its consequence follows.
var consequence = lazyregexp.New(`(?i),|;|:|—|–| - |→|=>|\bthen\b|\b(?:always|never|must|should|do not|don['’]t|use|run|add|update|call|set|check|see|ask|prefer|avoid|activate|consult)\b`)

// sampleText matches a label of an example or of an observation without its answer.
var sampleText = lazyregexp.New(`(?i)^(?:[\w &/-]{1,40}: )?(?:(?:quick |good |bad |more )?examples?(?: \w+){0,4}|e\.g\.|for example|(?:in)?correct(?:ly)?|problems?|symptoms?|question|answer|before|after|input|sample|scenario|user|assistant|output)(?:\s*\([^)]*\))?\s*[:：]`)

// quoted matches a text that is only what somebody says.
var quoted = lazyregexp.New(`^["“][^"“”]{20,}["”][.!]?$`)

// bareValue matches an entry that is only code, which says nothing unless it is a command.
var bareValue = lazyregexp.New("^(?:[^`]{1,90}: )?`[^`]+`[.;]?$")

// namedValue matches the value of something that its topic does not name alone: "Running: Binary entry point: `x`".
var namedValue = lazyregexp.New("^[^`:]{1,60}: [^`: ]+(?: [^`: ]+){1,2}: `[^`]+`[.;]?$")

// described matches a project's description, which its README has too.
var described = lazyregexp.New(`(?i)^(?:\*\*)?(?:this (?:is|repo\w*|project) |[\w.@/ +-]{1,40} is )(?:an? |the )|^(?:the )?[\w.@/ +-]{1,40} (?:aims to|strives to|is designed to|enables|empowers|offers)\b`)

// product matches a sentence that says what kind of program a project is.
var product = lazyregexp.New(`^(?:[A-Z][\w.@+-]*(?: [A-Z][\w.+-]*){0,3})(?: is|:? —| –| -) an? [^.;` + "`" + `]{0,90}\b(?:app|application|library|framework|ORM|tool|toolkit|platform|service|server|client|SDK|CLI|engine|plugin|extension|website|site|manager|package|system|game|bot|compiler|database|wrapper|monorepo|suite|dashboard|assistant)\b`)

// ownContents matches a sentence on what the repository is for.
var ownContents = lazyregexp.New(`(?i)^this (?:repo(?:sitory)?|project|codebase) (?:contains|is|holds|hosts|provides|implements) `)

// leftover matches the visible remains of a cut: a sentence that stops in the middle. A preposition or a verb with
// a full stop may end a whole one: "Mask what is passed in."
var leftover = lazyregexp.New("(?i)(?:\\b(?:the|a|an|and|or|into|via|which|when|where|than|f|including|namely|either|prefer)\\s*[.…]?" +
	"|\\b(?:of|to|with|without|for|by|in|on|at|from|that|as|is|are|exist)\\s*…?|[,(=&|\\[{]\\s*[.…]?)$")

// headless matches a sentence without its subject.
var headless = lazyregexp.New(`^(?:should|must|shall|can|cannot|may|will|would|is|are|was|were|has|have|had|does|of|which|that|than|and|or|but|nor)\b`)

// agentTalk matches orders to an assistant about how it talks.
var agentTalk = lazyregexp.New("`/(?:memory|compact|clear|init|help|mcp)\\b|" + `(?i)\b(?:apologi[sz]\w+|summari[sz]ing what|be (?:succ?inct|concise|brief|polite|helpful|honest|direct)\b|(?:you are|as) (?:an? )?(?:ai|llm|large language)|your (?:response|answer|reply|replies|responses|answers|tone)\b|sub-?agents?\b.{0,40}\bdelegat\w+|delegat\w+.{0,60}@\w+|→ ` + "`?" + `@[\w-]+|emojis? in (?:your )?responses?|ultrathink|think (?:hard|deeply|step))`)

// pointsAway matches an entry that is a topic with the document to read.
var pointsAway = lazyregexp.New("(?i)^[^`.;]{0,140}(?::|—|–|→|->| - |\\bin|\\bsee|\\bread)\\s*(?:the\\s+)?`?[\\w./~@-]+\\.(?:md|mdx|mdc|rst|adoc)`?(?:#[\\w-]+)?(?:\\s*\\([^)]*\\))?\\.?$")

// persona matches a text that tells an assistant who it is.
var persona = lazyregexp.New(`(?i)^as (?:github copilot|copilot|claude|gemini|cursor|codex|an? [\w -]{2,40}),? (?:you|your)\b|\byour (?:mission|goal|role|job|task) is to\b`)

// agentTool matches orders to use a tool that only an assistant has.
var agentTool = lazyregexp.New("(?i)\\b(?:use|using|call|calling|via|with|to) `?(?:the )?`?(?:TodoWrite|TaskCreate|TaskUpdate|TaskList|AskUserQuestion|ExitPlanMode|WebSearch|WebFetch|update_plan)\\b")

// skillUse matches an order to use a skill, all of which an assistant knows from their own files.
var skillUse = lazyregexp.New("(?i)\\b(?:use|invoke|load|run|activate|via) (?:the )?[`$/\"][\\w:/-]+[`\"]? skill\\b")

// skillWords is the number of words up to which an order to use a skill says nothing else.
const skillWords = 18

// symbols reports whether a text is mostly no words.
func symbols(text string) bool {
	letters, all := 0, 0
	for _, r := range body(text) {
		switch {
		case unicode.IsSpace(r):
			continue
		case unicode.IsLetter(r):
			letters++
		}
		all++
	}
	return letters*5 < all*2
}

// finished matches a heading of what was done.
var finished = lazyregexp.New(`(?i)\b(?:completed?|done|finished|shipped)\b|✅`)

// keyOnly matches a key with a few words, an entry that says nothing without its list.
var keyOnly = lazyregexp.New("^`[\\w-]+`(?:\\s*\\([^)]*\\))?\\s*(?:-|–|—|:)\\s*(?:[^\\s`]+\\s*){1,3}$")

// keywords reports whether a text is a title and single words without anything of a repository
// ("Philosophy: Learn; Build; Look something up").
func keywords(text string) bool {
	_, after, ok := strings.Cut(text, ": ")
	parts := strings.Split(after, "; ")
	return ok && len(parts) > 2 && words(after) <= 3*len(parts) && !strings.Contains(text, "`") && !isSpecific(after) && !strict.MatchString(text) && !guarded.MatchString(text)
}

// purposeField matches a field that says what something is for and names nothing else.
var purposeField = lazyregexp.New(`(?i)(?:^|^[^:]{1,90}: )(?:purpose|goal|objective|contains|triggers?|philosophy|principle|permissions|mission|artifacts|pro[- ]tips?|benefits?|rationale|intent|audience|target (?:audience|users?)|aesthetic|mood|tagline|motivation|responsibilit(?:y|ies))\s*:`)

// strict matches words of a rule that leaves no choice.
var strict = lazyregexp.New(`(?i)\b(?:never|always|must|shall|do not|does not|don['’]t|doesn['’]t|cannot|can['’]t|avoid|only|not|no|nothing|none|over|required|forbidden|instead of|rather than|without|unless|except|until)\b|必须|不得|禁止|不要|しない`)

// readsOnly matches an order to read a document that says nothing of its content.
var readsOnly = lazyregexp.New("(?i)^(?:[\\w &/-]{1,40}: )?(?:please )?(?:(?:always|first|then|also) )?(?:read|follow|see|consult|check|review|refer to|read and follow|start with)(?: and (?:follow|apply))?(?: the| our)? ?[`*]*[~\\w./@{},-]+\\.mdx?[`*]*(?:$|[^\\w.][^.;:]{0,100}$|[^\\w.][^.;:]{0,60}[.;—(:-]|\\.)")

// documentName matches a document's name with its description.
var documentName = lazyregexp.New("^`?[\\w./@-]+\\.(?:md|mdx|mdc|rst|adoc)`?\\s*(?:\\([^)]*\\)\\s*)?(?::|—|–|-|→)\\s")

// elsewhere matches references to another place of the file.
var elsewhere = lazyregexp.New(`(?i)\((?:see )?(?:below|above)\)|\b(?:listed|described|defined|shown|mentioned|outlined|noted|given|stated) (?:above|below)\b|\b(?:rules?|steps?|sections?|table|list|commands?|examples?|checklist|format|template|pattern|order|diagram|snippet) (?:above|below)\b`)

// foreignScript matches scripts in which orders and strict words are not recognised.
var foreignScript = lazyregexp.New(`[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}\p{Cyrillic}\p{Arabic}\p{Thai}]{2}`)

// featureList matches a heading of what a program offers to its users.
var featureList = lazyregexp.New(`(?i)^\W*(?:(?:key|main|core|product|app|major|current|supported) )*(?:features?|capabilit(?:y|ies)|highlights|use cases|roadmap)\W*$`)

// specifics are the fewest signs of its repository that a fact needs.
const specifics = 2

// fewWords is the number of words up to which an order without specifics says too little.
const fewWords = 9

// toolOf matches a sentence that names what the repository uses.
var toolOf = lazyregexp.New(`(?i)^\W*(?:[\w &/-]{1,40}: )?(?:this|the) (?:repo\w*|project|codebase|package|workspace) (?:uses|follows|targets|supports)\b`)

// vague reports whether a text has hardly anything of its repository: a fact, or advice, or a short
// order that is no strict rule.
func vague(what, why string, typ file.Type) bool {
	if strings.Contains(what+why, "`") || strict.MatchString(what) || negativeHead.MatchString(what) || typ == file.Gotcha && trap.MatchString(what) || typ == file.DeadEnd {
		return false
	}
	if foreignScript.MatchString(what) && !isSpecific(what) {
		return true
	}
	n := len(specific.FindAllStringSubmatch(emphatic.ReplaceAllString(body(what), "x"), specifics))
	if isSpecific(why) {
		n++
	}
	if instructs(what) || half.MatchString(what) || toolOf.MatchString(what) {
		return n < specifics && advice.MatchString(what) || n == 0 && words(body(what)) <= fewWords
	}
	return n < specifics
}

// ruleSentence is a sentence of a rule file, with where it stands.
type ruleSentence struct {
	what, why    string
	typ          file.Type
	heading      string
	wholeProject bool // it has no scope
	overview     bool // besides, it is under the file's title or in its overview
}

// doubt says why a sentence of a rule file is no memory, or "".
func (s ruleSentence) doubt() string {
	what, why, heading := s.what, s.why, s.heading
	plain := !isSpecific(what)
	switch {
	case persona.MatchString(what), agentTool.MatchString(what):
		return "talk"
	case purposeField.MatchString(what) && !modal.MatchString(what):
		return "description of the project"
	case readsOnly.MatchString(what) && !half.MatchString(what), documentName.MatchString(what) && !instructs(what):
		return "links"
	case elsewhere.MatchString(what) && why == "":
		return "refers to what stands elsewhere"
	case skillUse.MatchString(what) && words(what) <= skillWords:
		return "slash commands"
	case strings.Contains(what, "✅") && finished.MatchString(heading):
		return "status"
	case symbols(what), keywords(what), keyOnly.MatchString(what) && why == "":
		return "fragment"
	case s.wholeProject && featureList.MatchString(heading) && !strings.Contains(what+why, "`") && !modal.MatchString(what):
		return "description of the project"
	case agentTalk.MatchString(what):
		return "talk"
	case s.typ == file.WorkflowRecipe && why != "":
		if vague(what, why, s.typ) && !guarded.MatchString(what) {
			return "says nothing specific"
		}
		return ""
	case quoted.MatchString(what), sampleText.MatchString(what) && !normative.MatchString(what):
		return "example"
	case bareValue.MatchString(what) && !namedValue.MatchString(what) && !command.MatchString(what) && why == "" && !instructs(what):
		return "fragment"
	case pointsAway.MatchString(what) && why == "" && !normative.MatchString(what) && !half.MatchString(what) && !orders.MatchString(what):
		return "links"
	case classic.MatchString(what), slogan.MatchString(what):
		return "known to all"
	case plain && words(body(what)) <= adviceWords && advice.MatchString(what) && !isSpecific(why):
		return "known to all"
	case plain && words(body(what)) <= 4 && why == "" && !guarded.MatchString(what):
		return "says nothing"
	case half.MatchString(what) && !consequence.MatchString(half.ReplaceAllString(what, "")):
		return "half a sentence"
	case headless.MatchString(body(what)):
		return "half a sentence"
	case leftover.MatchString(what) && !strings.HasSuffix(what, "…"):
		return "half a sentence"
	case s.overview && !strings.Contains(what, "`") && !clause.MatchString(what) && !instructs(what) && words(what) > 4 && body(what) == what:
		return "description of the project"
	case s.overview && ownContents.MatchString(what) && !instructs(what):
		return "description of the project"
	case s.overview && described.MatchString(what) && !strings.Contains(what, "`") && !normative.MatchString(what):
		return "description of the project"
	case s.wholeProject && !strings.Contains(what, "`") && product.MatchString(what) && !modal.MatchString(what):
		return "description of the project"
	case vague(what, why, s.typ) && !(s.typ == file.Gotcha && warns.MatchString(heading)):
		return "says nothing specific"
	}
	return ""
}

// emphatic matches words in capitals that name nothing.
var emphatic = lazyregexp.New(`\b(?:NEVER|ALWAYS|MUST|NOT|DO|DON['’]T|ONLY|ALL|NO|MANDATORY|IMPORTANT|CRITICAL|REQUIRED|SHOULD|APIs?|PRs?|AI|OK|CI|UI)\b`)

// ruleFirst matches a rule before its reason: "Never call Close twice: the pool panics."
var ruleFirst = lazyregexp.New(`(?i)^\W*(?:never|always|do not|don['’]t|avoid)(?: [^\s:]+){2}`)

func isSpecific(text string) bool {
	return specific.MatchString(emphatic.ReplaceAllString(body(text), "x"))
}

// body returns a text without the topic in front and its first capital, which says nothing about
// whether the text is specific.
func body(text string) string {
	if topic, after, ok := strings.Cut(text, ": "); ok && words(topic) <= 6 && !strings.Contains(topic, "`") && !ruleFirst.MatchString(topic) {
		text = after
	}
	return strings.TrimLeft(text, "*•-– ")
}
