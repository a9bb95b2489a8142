package importer

import (
	"strings"

	"manicule/memory/lazyregexp"
)

// dropSections are sections without rules, by their heading. Their text is dropped with the reason,
// unless it is an instruction.
var dropSections = []struct {
	reason string
	re     *lazyregexp.Regexp
}{
	{"links", lazyregexp.New(`(?i)^(?:see also|references?|further reading|related(?: \w+)*|cross-references?|(?:best practices )?cross-reference|additional resources|resources|read first|links|guides|key (?:files|documentation|sections|references)|authoritative references|documentation links|more information|learn more)$`)},
	{"links", lazyregexp.New(`(?i)\bnot always-loaded\b`)},
	{"contents", lazyregexp.New(`(?i)^(?:table of )?contents$|^toc$`)},
	{"commands", lazyregexp.New(`(?i)\b(?:quick reference|cheat ?sheet)\b`)},
	{"changes", lazyregexp.New(`(?i)^(?:change ?log|revision history|version history|history|origins?|provenance|navigation|lessons learned (?:log|history)|(?:what )?changed? (?:in|since) v?\d.*)$`)},
	{"license", lazyregexp.New(`(?i)^(?:licen[cs]e|copyright|credits|acknowledg(?:e)?ments|authors)$`)},
	{"status", lazyregexp.New(`(?i)^(?:roadmap|to-?dos?(?: list)?|remaining (?:tasks|work|items)|future (?:work|enhancements?|plans|improvements?|considerations|features|ideas)|next steps|(?:current |project )?(?:status|state|progress)|(?:implementation|development|feature) (?:status|progress)|recent(?:ly)? (?:changes|updates|work|completed.*)|completed(?: \w+)*|what['’]s new|milestones?|backlog|(?:current )?version|.*\(?(?:future|planned|not (?:yet )?(?:implemented|started|done)|coming soon|wip|todo)\)?)(?:\s*[(:–—-].*)?$`)},
	{"talk", lazyregexp.New(`(?i)^(?:who am i|about me|identity|persona|getting help|get help|support|community|contact(?: us)?|questions\??|need help\??|welcome.*|thank(?:s| you).*|code of conduct|(?:how to use|about) this (?:file|document|guide)|maintainers?|sponsors?|donat.*|reporting (?:bugs|issues|a bug|an issue|security.*)|report (?:bugs|issues)|feature requests?|(?:suggesting|requesting) (?:features|enhancements).*|how can i (?:help|contribute)\??|ways to contribute|token (?:savings|usage).*|assist others.*)$`)},
	{"slash commands", lazyregexp.New(`(?i)^(?:(?:available|installed|bundled|custom|claude code|agent|project|mandatory) )*(?:slash commands|custom commands|skills|claude code commands|mcp tools|subagents)(?: \(.*|:.*)?$|^(?:available|installed|bundled) (?:\w+ )?(?:skills|commands|agents|tools)\b`)},
	{"status", lazyregexp.New(`(?i)\b(?:task list|to-?do list|task breakdown|implementation (?:plan|tasks))\b|^tasks? \d+\b`)},
	{"example", lazyregexp.New(`(?i)^(?:examples?|samples?) .{0,30}\b(?:comments?|outputs?|messages?|responses?|prompts?|conversations?|reviews?|sessions?|dialog(?:ue)?s?)$`)},
	{"talk", lazyregexp.New(`(?i)\b(?:communication|response|conversation)(?: and \w+)? (?:style|guidelines?|preferences?|rules?|format)$|^(?:communication|tone)$`)},
	{"example", lazyregexp.New(`(?i)^(?:worked )?examples?: \S|^examples? \d+\b|^(?:quick )?examples? (?:and templates|to include.*|prompts?.*)$`)},
	{"talk", lazyregexp.New(`(?i)^(?:(?:project|our) )?(?:vision|mission)(?: statement)?$|^(?:agent )?persona\b.*`)},
	{"name", lazyregexp.New(`(?i)^rule name\b`)},
	{"response template", lazyregexp.New(`(?i)^response templates?$`)},
}

// rationale matches sections with reasons. They belong to the rule that they explain.
var rationale = lazyregexp.New(`(?i)^(?:rationale|benefits?|why\b.*|motivation|reasons?|background|purpose|error prevention)[?:]?$`)

// dropTexts are paragraphs and entries that are no rules.
var dropTexts = []struct {
	reason string
	re     *lazyregexp.Regexp
}{
	{"boilerplate", lazyregexp.New(`(?i)^this (?:file|document) (?:provides|contains|gives) (?:guidance|instructions|context)`)},
	{"boilerplate", lazyregexp.New(`(?i)^(?:project context for agents|this file exists for compatibility|the marker above|these instructions are verified|this repo(?:sitory)? contains the)`)},
	{"boilerplate", lazyregexp.New(`(?i)^(?:guidelines|guidance|best practices|standards|this (?:guide|guideline|rule|document|section) (?:outlines|describes|covers|explains|directs|provides))\b`)},
	{"persona", lazyregexp.New(`(?i)^you are (?:an?|the) .*\b(?:expert|engineer|developer|assistant|agent|architect)\b`)},
	{"links", lazyregexp.New(`(?i)^(?:-\s*)?(?:see(?: also)?|refer to|for (?:more|full|further|detailed|depth|the full|additional|onboarding)\b.*\b(?:see|read|refer)|please (?:see|read|refer))\b[^;]*$`)},
	{"links", lazyregexp.New(`(?i)^(?:important|note|detailed \w+|additional instructions[^:]*|full documentation|documentation)?:?\s*(?:see|@|read)\s*\S+(?: for [^.]*)?\.?$`)},
	{"links", lazyregexp.New(`(?i)^[\w.'’\s-]{0,60}\b(?:guidance|design system|details?|documentation|docs?|reference|policy|instructions)\b (?:lives?|live|is|are|can be found) (?:in|at)\b`)},
	{"links", lazyregexp.New(`(?i)^quick-reference for\b`)},
	{"links", lazyregexp.New("^`?[A-Z][A-Z_]+\\.md`?\\s+(?:-|–|—)\\s")},
	{"persona", lazyregexp.New(`(?i)^you (?:implement|write|review|fix|build|act as|are responsible for)\b[^.;]{0,80}[.]?$`)},
	{"fragment", lazyregexp.New(`^(?:=|\*|_|~|#|-){3,}.*(?:=|\*|_|~|#|-){3,}$`)},
	{"code", lazyregexp.New("^[^`]*(?:\\w::\\w+|\\w->\\w+|\\))\\s*(?:->\\w+)?\\([^`]*(?:->|=>)[^`]*(?:[,;)\\]}]|\\);?)$")},
	{"generated", lazyregexp.New(`(?i)^(?:<!--)?\s*(?:generated by|auto-?generated|do not edit)\b.{0,80}$`)},
}

// normative matches words of an instruction. A text with one is a rule anywhere.
var normative = lazyregexp.New(`(?i)\b(?:must|shall|should|never|always|do not|don['’]t|does not|doesn['’]t|cannot|can['’]t|avoid|required?|requires|ensure|prefer|only|forbidden|prohibited|instead|make sure)\b`)

// dropReason says why a text is no rule, or "".
func dropReason(text string, links int) string {
	bare := strings.TrimSpace(text)
	if bare == "" {
		return "empty"
	}
	for _, d := range dropTexts {
		if d.re.MatchString(bare) && len(bare) < 320 {
			return d.reason
		}
	}
	if links > 0 && links*10 >= len(bare)*6 {
		return "links"
	}
	return ""
}

func sectionReason(title string) string {
	if taskBox.MatchString(title) {
		return "status"
	}
	title = strings.TrimSpace(strings.TrimRight(numbered.ReplaceAllString(ornament.ReplaceAllString(title, ""), ""), ":"))
	for _, d := range dropSections {
		if d.re.MatchString(title) {
			return d.reason
		}
	}
	return ""
}

// taskBox matches a heading that is ticked off when its work is done.
var taskBox = lazyregexp.New(`^\W*(?:[⬜☐☑🔲🔳]|\[[ xX]\])`)

// ornament matches pictures and marks in front of a heading's words.
var ornament = lazyregexp.New(`^[^\pL\pN(` + "`" + `"']+`)

// numbered matches the number of a heading.
var numbered = lazyregexp.New(`^(?:step\s+)?\d+(?:\.\d+)*[.):]?\s+`)

var (
	treeArt = lazyregexp.New(`[├└│]──|^\s*\|--`)
	shell   = lazyregexp.New(`(?i)^(?:bash|sh|shell|zsh|console|powershell|fish|cmd|shell-session)$`)
	diagram = lazyregexp.New(`(?i)^(?:mermaid|plantuml|dot|graphviz|d2)$`)
)

// codeReason classifies a code block without a rule.
func codeReason(b block) string {
	switch {
	case treeArt.MatchString(b.text):
		return "file tree"
	case diagram.MatchString(b.lang), strings.ContainsAny(b.text, "▼▶┌┐↓↑"):
		return "diagram"
	case shell.MatchString(b.lang):
		return "commands"
	}
	return "code"
}
