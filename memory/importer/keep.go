package importer

import (
	"path"
	"strings"

	"manicule/memory/file"
)

// ownerOf returns whose a rule file is if it isn't this repository's: skills that were copied in,
// templates for other projects, data of tests. It returns "" for the repository's own.
func ownerOf(name string) string {
	dirs := strings.Split(path.Dir(name), "/")
	for i, d := range dirs {
		switch strings.ToLower(d) {
		case "skills":
			if i > 0 && strings.HasPrefix(dirs[i-1], ".") {
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

// specific matches what ties a sentence to its repository: code, a path, a number, an identifier,
// a quotation, a name in capitals.
var specific = newPattern("[`\"“_<>{}@#$]|\\w/\\w+/|\\d|\\b[A-Z]{2,}\\b|\\b[a-z]+[A-Z]\\w|\\w\\.\\w|\\b[A-Z][a-z]+[A-Z]|[^.:;!?—–-]\\s[A-Z][a-z]+|[^\\x00-\\x{2fff}]")

// advice matches the words of advice that holds in every repository.
var advice = newPattern(`(?i)\b(?:clean|readab\w+|maintainab\w+|concise(?:ly)?|simple|simplicity|small|focused|meaningful|descriptive|self-(?:documenting|explanatory)|comprehensive|well-\w+|thorough(?:ly)?|modular|reusab\w+|edge cases|nesting|early returns?|magic (?:numbers?|strings?)|duplicat\w+|repetition|separation of concerns|single[- ]responsibility|composition over inheritance|best practices|code (?:quality|smells?)|test coverage|high coverage|unit tests|tests? (?:pass|for (?:all |any |every )?(?:new|bug))|clear(?:ly)? (?:and|names?|messages?|code|comments?|error|variable|commit|describe|intent)|(?:describe|explain) (?:the|your) (?:changes?|code)|appropriate(?:ly)?|properly|proper (?:error|types?|handling|naming|indentation)|gracefully|complex logic|obvious|over-?engineer\w*|premature|existing (?:patterns?|code|style|conventions?)|consisten(?:t|cy|tly)|surrounding code|efficient(?:ly)?|robust|idiomatic|intuitive|understandab\w+|sensible|unnecessary|independent|isolated|deterministic|sensitive data|user input|hardcod\w+ (?:secrets?|credentials?|passwords?|values)|secrets? (?:in|to) (?:code|git|the repo\w*|version control|source control)|pure functions?|immutab\w+|accessib\w+|responsive|user experience|performance implications|assumptions|ask (?:for|when|if|clarifying)|clarif\w+|aids readability|thoughtful|step[- ]by[- ]step|type hints|docstrings?|public apis? (?:have|has|should)|dependency injection|functional components|be (?:sure|certain)|state (?:it|this|that) explicitly|non-obvious|raise the bar|excellence|prepared statements|parameteri[sz]ed queries|too much|hard(?:er)? to (?:debug|read|test)|run (?:the tests?|quickly)|high[- ]quality|add or update tests|unrelated (?:refactor\w*|changes)|optional chaining|contextual information|regressions|hypothes[ei]s|paramount|quality over)\b`)

// adviceWords is the number of words up to which a sentence without specifics can be advice.
const adviceWords = 16

// classic matches advice that needs no second look, with or without specifics.
var classic = newPattern(`(?i)(?:^|: )(?:follow (?:the )?(?:SOLID|DRY|KISS|YAGNI|clean code|(?:standard |common |official )?(?:\w+ )?(?:naming conventions|best practices|community (?:style|conventions)))\b|apply (?:the )?(?:SOLID|DRY|KISS)\b|(?:DRY|KISS|YAGNI|SOLID)\b|use (?:PascalCase|camelCase|snake_case|ALL_CAPS|UPPER_SNAKE_CASE|SCREAMING_SNAKE_CASE) for (?:classes|constants|variables|functions|methods|types|components?|component names)[^.;` + "`" + `]{0,60}$|don['’]t repeat yourself|keep it simple)`)

// slogan matches exclamations and mottos.
var slogan = newPattern(`(?i)^(?:[^.` + "`" + `]{1,60}! ){2,}|\b(?:is king|is key|matters|first, always|above all else)[.!]?$`)

// guarded matches what a short order may protect.
var guarded = newPattern(`(?i)\b(?:push\w*|merg\w+|rebas\w+|commit\w*|branch\w*|deploy\w*|releas\w+|generated|vendor\w*|migrat\w+|secrets?|production|main|rewrite|force)\b`)

// half matches a condition.
var half = newPattern(`(?i)^(?:[\w &/-]{1,40}: )?(?:if|when|whenever|unless|because|although|while|since) `)

// whole matches the end of a condition, after which its consequence follows.
var consequence = newPattern(`(?i),|;|:|—|–| - |→|=>|\bthen\b|\b(?:always|never|must|should|do not|don['’]t|use|run|add|update|call|set|check|see|ask|prefer|avoid|activate|consult)\b`)

// sampleText matches a label of an example or of an observation without its answer.
var sampleText = newPattern(`(?i)^(?:[\w &/-]{1,40}: )?(?:(?:quick |good |bad |more )?examples?(?: \w+){0,4}|e\.g\.|for example|(?:in)?correct(?:ly)?|problems?|symptoms?|question|answer|before|after|input|sample|scenario|user|assistant|output)(?:\s*\([^)]*\))?\s*[:：]`)

// bareValue matches an entry that is only code, which says nothing unless it is a command.
var bareValue = newPattern("^(?:[^`]{1,90}: )?`[^`]+`[.;]?$")

// described matches a project's description, which its README has too.
var described = newPattern(`(?i)^(?:\*\*)?(?:this (?:is|repo\w*|project) |[\w.@/ +-]{1,40} is )(?:an? |the )`)

// leftover matches the visible remains of a cut: a sentence that stops in the middle.
var leftover = newPattern("(?i)(?:\\b(?:the|a|an|of|to|with|without|for|and|or|by|in|on|at|from|into|via|that|which|when|where|than|as|is|are|exist|f|including|namely|either|prefer)|[,(=&|\\[{])\\s*[.…]?$")

// headless matches a sentence without its subject.
var headless = newPattern(`^(?:should|must|shall|can|cannot|may|will|would|is|are|was|were|has|have|had|does|of|which|that|than|and|or|but|nor)\b`)

// agentTalk matches orders to an assistant about how it talks.
var agentTalk = newPattern(`(?i)\b(?:apologi[sz]\w+|summari[sz]ing what|be (?:succ?inct|concise|brief|polite|helpful|honest|direct)\b|(?:you are|as) (?:an? )?(?:ai|llm|large language)|your (?:response|answer|reply|replies|responses|answers|tone)\b|sub-?agents?\b.{0,40}\bdelegat\w+|delegat\w+.{0,60}@\w+|→ ` + "`?" + `@[\w-]+|emojis? in (?:your )?responses?|ultrathink|think (?:hard|deeply|step))`)

// pointsAway matches an entry that is a topic with the document to read.
var pointsAway = newPattern("(?i)^[^`.;]{0,140}(?::|—|–|→|->| - |\\bin|\\bsee|\\bread)\\s*(?:the\\s+)?`?[\\w./~@-]+\\.(?:md|mdx|mdc|rst|adoc)`?(?:#[\\w-]+)?(?:\\s*\\([^)]*\\))?\\.?$")

// doubtful says why a memory is left out although it is a sentence of a rule file, or "".
func doubtful(what, why string, typ file.Type, overview bool) string {
	plain := !isSpecific(what)
	switch {
	case agentTalk.MatchString(what):
		return "talk"
	case typ == file.WorkflowRecipe && why != "":
		return ""
	case sampleText.MatchString(what) && !normative.MatchString(what):
		return "example"
	case bareValue.MatchString(what) && !command.MatchString(what) && why == "" && !instructs(what):
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
	case overview && !strings.Contains(what, "`") && !clause.MatchString(what) && !instructs(what) && words(what) > 4 && body(what) == what:
		return "description of the project"
	case overview && described.MatchString(what) && !strings.Contains(what, "`") && !normative.MatchString(what):
		return "description of the project"
	}
	return ""
}

// emphatic matches words in capitals that name nothing.
var emphatic = newPattern(`\b(?:NEVER|ALWAYS|MUST|NOT|DO|DON['’]T|ONLY|ALL|NO|MANDATORY|IMPORTANT|CRITICAL|REQUIRED|SHOULD|APIs?|PRs?|AI|OK|CI|UI)\b`)

func isSpecific(text string) bool {
	return specific.MatchString(emphatic.ReplaceAllString(body(text), "x"))
}

// body returns a text without the topic in front and its first capital, which says nothing about
// whether the text is specific.
func body(text string) string {
	if topic, after, ok := strings.Cut(text, ": "); ok && words(topic) <= 6 && !strings.Contains(topic, "`") {
		text = after
	}
	return strings.TrimLeft(text, "*•-– ")
}
