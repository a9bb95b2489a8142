package importer

import (
	"slices"
	"strings"

	"manicule/memory/file"
	"manicule/memory/lazyregexp"
)

// part is a part of a chunk in which a sign is searched for.
type part int

const (
	inWhat part = 1 << iota
	inWhy
	inHeads // the headings and the lead-in line
	inLabel // the emphasised first words
	inProse // the what without code: a state that is called `stuck` is no trap
)

// signs types a rule: each matching sign adds its weight to its type, and the heaviest type wins,
// in a tie the first in the table. It is tuned on the labels in testdata.
var signs = []struct {
	typ    file.Type
	in     part
	weight int
	re     *lazyregexp.Regexp
}{
	// Prohibitions and pitfalls.
	{file.Gotcha, inWhat, 6, lazyregexp.New(`(?:\b(?:NEVER|DO NOT|Do NOT|do NOT|NOT)\b|❌|⚠)`)},
	{file.Gotcha, inWhat, 5, lazyregexp.New(`(?i)^\W*(?:\w[\w /&-]{0,40}:\s*)?(?:never|do not|don['’]t|avoid|beware|careful|warning|watch out|caution)\b`)},
	{file.Gotcha, inWhat, 3, lazyregexp.New(`(?i)\b(?:never|must not|do not|don['’]t|cannot|can['’]t|should not)\b`)},
	{file.Gotcha, inWhat, 2, lazyregexp.New(`(?i)\b(?:silently|otherwise|will fail|artifact|benign|before .{0,30} first)`)},
	{file.Gotcha, inProse, 2, lazyregexp.New(bites)},
	{file.Gotcha, inWhy, 1, lazyregexp.New(bites)},
	{file.Gotcha, inHeads, 4, lazyregexp.New(`(?i)(?:anti-?patterns?|pitfalls?|gotchas?|common mistakes|(?:do not|don['’]t|avoid|never|prohibited|forbidden)\b|silent failure|warning|caveats?|#1 mistake|not to\b|known issues?|\btraps\b|\bquirks\b|\bsharp edges\b|\bfoot-?guns?\b)`)},
	{file.Gotcha, inLabel, 3, lazyregexp.New(`(?i)\b(?:caveat|gotcha|warning|pitfall|never|not|don['’]t|beware)\b`)},
	// Meanings of errors.
	{file.ErrorPattern, inWhat, 5, lazyregexp.New(`(?i)^(?:if|when) .{0,60}\b(?:error|fails? with|failure|exception)\b.{0,120}\b(?:run|rebuild|build|check|set|install|restart|delete|rerun)\b`)},
	{file.ErrorPattern, inHeads, 3, lazyregexp.New(`(?i)\b(?:troubleshooting|common errors|error messages? and)\b`)},
	// Failed attempts.
	{file.DeadEnd, inWhat, 6, lazyregexp.New(`(?i)\b(?:we tried|was tried|did not work|didn['’]t work|abandoned|dead end|tried .{0,40}\bbut\b)`)},
	// Decisions.
	{file.Decision, inWhat, 6, lazyregexp.New(`(?i)\b(?:we (?:decided|chose|use .{0,40}\b(?:because|over|instead of))|was chosen|chosen over)\b|\bdecision:`)},
	{file.Decision, inHeads, 4, lazyregexp.New(`(?i)^(?:\W*)(?:(?:key |design |technical |architecture )?decisions?)\b`)},
	{file.Decision, inWhat | inLabel, 4, lazyregexp.New(`(?i)\b(?:single entry point|there is (?:only )?one)\b`)},
	// Preferences.
	{file.Preference, inWhat, 7, lazyregexp.New(`(?i)^\W*(?:prefer|favou?r|preferably)\b`)},
	{file.Preference, inWhat, 5, lazyregexp.New(`(?i)\b(?:prefer\b.{1,80}\b(?:over|to|instead)\b|(?:is|are) preferred)`)},
	{file.Preference, inHeads, 2, lazyregexp.New(`(?i)\bpreferences?\b`)},
	// Requirements of the product.
	{file.Requirement, inWhat, 4, lazyregexp.New(`(?:\bMUST\b|\bSHALL\b|\bREQUIRED\b|\bFORBIDDEN\b)`)},
	{file.Requirement, inWhat, 3, lazyregexp.New(`(?i)\b(?:must|shall|is required|are required)\b`)},
	{file.Requirement, inHeads, 3, lazyregexp.New(`(?i)\b(?:requirements?|acceptance criteria|criteria)\b`)},
	// Procedures.
	{file.WorkflowRecipe, inWhat, 4, lazyregexp.New("^(?:\\W*[\\w /-]{2,40}(?:\\([^)]*\\))?:)?\\s*`(?:\\./)?(?:npm|npx|yarn|pnpm|bun|bunx|make|go|cargo|git|gh|bd|mise|docker|python3?|pip|pytest|uv|poetry|gradle|mvn|dotnet|bash|sh|just|task|deno|node|cmake|terraform|kubectl|rake|bundle|composer|php)(?:\\s[^`]|`)|^\\W*`(?:\\./)?scripts/[^`]+`")},
	{file.WorkflowRecipe, inWhat, 4, lazyregexp.New("(?i)\\b(?:run|runs|running|install|build|launch|execute|rerun|use)\\b[^.]{0,30}`(?:\\./)?(?:npm|npx|yarn|pnpm|bun|make|go|cargo|bd|mise|docker|python3?|pytest|uv|gradle|mvn|dotnet|scripts/|just|golangci-lint)\\b")},
	{file.WorkflowRecipe, inHeads, 2, lazyregexp.New(`(?i)\b(?:workflow|steps?|procedure|checklist|how to|running|run|build(?:ing)?|commands?|install(?:ation|ing)?|deploy(?:ment|ing)?|releas(?:e|ing)|setup|set up|debug harness|verif(?:y|ying|ication))\b`)},
	{file.WorkflowRecipe, inWhat, 2, lazyregexp.New(`(?i)^\W*(?:run|to (?:add|run|build|test|create|deploy|release|install))\b`)},
	{file.WorkflowRecipe, inLabel, 1, lazyregexp.New(`(?i)\b(?:build|test|tests|run|install|launch|clean|format|lint|checks?|bundle|watch|deploy|debug|dev)\b`)},
	// Rules for writing code.
	{file.Convention, inWhat, 4, lazyregexp.New(`(?i)^\W*(?:\w[\w /&-]{0,40}:\s*)?(?:always|use|follow|keep|write|add|include|name|put|place|make|ensure|move|format|document|update|extract|group|define|handle|wrap|return|test|link|stay|treat|reference|focus|show|provide|be|check|verify|create|require|solve|assume|suggest|read|hide|isolate|review|remove|explain|prioriti[sz]e|present|ask|import|sanitize|stop|comment|mark|mirror|pass|set|choose|call|consider|look up|resolve|apply|adopt|store|split|emit|limit|treat|mock|name|register|implement|escape|log|validate|encapsulate|declare|specify|order|sort|attach)\b`)},
	{file.Convention, inWhat, 3, orders},
	{file.Convention, inWhat, 3, lazyregexp.New(`(?i)^in [^,.]{2,40}, (?:use|show|prefer|keep|write|avoid|put|add|include|call|name|do|don['’]t|make|ensure|place|treat|document)\b`)},
	{file.Convention, inWhat, 3, lazyregexp.New(`(?i)\b(?:always|should|update|let|belong to|convention|naming|style|camelCase|PascalCase|snake_case|kebab-case|belongs? in|follow(?:s|ing)?|indent|quotes|ensure|make sure|please)\b`)},
	{file.Convention, inWhat, 4, lazyregexp.New(`(?i)\((?:never|not|no)\b|^\W*instead\b|\b(?:please|, not )\b`)},
	{file.Convention, inHeads, 3, lazyregexp.New(`(?i)^\W*(?:always|use|follow|keep)\b`)},
	{file.Convention, inHeads, 3, lazyregexp.New(`(?i)\b(?:conventions?|style|naming|guidelines?|rules?|principles?|standards?|practices?|format(?:ting)?|patterns to follow|do this|criteria|invariants|prefer|priorities|types|thresholds)\b`)},
	// Descriptions.
	{file.ModuleInsight, inHeads, 4, lazyregexp.New(`(?i)\b(?:architecture|overview|structure|components?|modules?|directories|layout|what this is|how it works|features|tech(?:nology)? stack|abstractions|data (?:model|types)|scope|packages?|key types|internals|tiers|layers|design)\b`)},
	{file.ModuleInsight, inWhat, 3, lazyregexp.New("^\\W*`[^`]+`(?:\\s*\\([^)]*\\))?\\s*(?::|—|–|-|→)\\s")},
	{file.ModuleInsight, inWhat, 3, lazyregexp.New(`(?i)^\W*(?:the|this|a|an|each|all|both|every|it|these|\w+)\s[^.:;]{0,60}\b(?:is|are|runs|lives?|contains?|holds?|provides?|consists?|works|owns|talks|uses|stores?|supports?|translates|maps|stays)\b`)},
	// Recurring code patterns.
	{file.Pattern, inHeads, 2, lazyregexp.New(`(?i)\b(?:design patterns?|example patterns?)\b`)},
}

// bites matches words for what goes wrong.
const bites = `(?i)\b(?:silently|fails?\b|breaks?\b|broken|crash(?:es)?|pitfall|trap\b|bug\b|hang(?:s)?\b|deadlock|data loss|out of sync|stuck|leaks?\b|workaround|stale|misleading|caveat|gotcha|not work|bypass(?:es)?)`

// trap tells a prohibition with a consequence from a mere rule.
var trap = lazyregexp.New(`(?i)\b(?:silent(?:ly)?|fail(?:s|ed|ing|ures?)?|break(?:s|ing)?|broken|crash(?:es|ed)?|pitfalls?|traps?|bugs?|hangs?|deadlocks?|corrupt\w*|data loss|los(?:t|es|ing)|overwr\w+|out of sync|stuck|leaks?|stale|misleading|caveats?|gotchas?|not work|bypass\w*|panics?|errors?|wrong(?:ly)?|mistakes?|known issues?|warnings?|anti-?patterns?|troubleshooting|cannot|can['’]t|won['’]t|doesn['’]t|surpris\w+|despite|races?|undefined|forbid|raises?|throws?)\b`)

// noun matches starts whose first word only looks like an instruction ("Test is …").
var noun = lazyregexp.New("(?i)^\\W*[\\w'’-]+(?:\\s+\\w+)?\\s+(?:is|are|was|has|have|uses?|runs?|lives?|contains?|holds?|means?|goes|go|returns?|supports?)\\b|^\\W*[\\w -]+(?::|—|–|\\s-)\\s")

// obliges matches a sentence that states an obligation.
var obliges = lazyregexp.New(`(?i)^[^.;]{0,120}(?:\b(?:must|shall|(?:is|are) (?:required|expected|forbidden|mandatory)|requires? (?:a|an|the|explicit)|needs? to|ha(?:s|ve) to|expect you to)\b|必须|不得|禁止)`)

// adverb matches what may precede an instruction.
var adverb = lazyregexp.New(`(?i)^(?:please|\w+ly|first(?: and foremost)?,?|also|simply|just|when [^,]{3,60},|if [^,]{3,60},|before [^,]{3,60},|after [^,]{3,60},|for [^,]{3,60},|in [^,]{3,60},|on [^,]{3,60},|at [^,]{3,60},|to [^,]{3,60},|with [^,]{3,60},|while [^,]{3,60},|unless [^,]{3,60},)\s+`)

// subject is the classifier's view of a chunk.
type subject struct {
	what, why, heads, label string
	path                    bool // it starts with a path
	steps                   bool
}

// prohibited matches a prohibition up to its verb, whose words name no consequence.
var prohibited = lazyregexp.New(`(?i)\b(?:never|do not|don['’]t|must not|should not|avoid)(?: \w+){1,2}`)

// harm matches consequences that make what they explain a trap.
var harm = lazyregexp.New(`(?i)\b(?:silent(?:ly)?|break(?:s|ing)?|crash(?:es|ed)?|hangs?|deadlocks?|corrupt\w*|data loss|overwr\w+|out of sync|leaks?|race conditions?|panics?|will fail|fails (?:to|with|at)|bugs?)\b`)

// manner matches headings under which a fact says how things are done.
var manner = lazyregexp.New(`(?i)\b(?:conventions?|style|naming|format(?:ting)?|etiquette|do not|don['’]t|never|always|invariants?|constraints?|anti-?patterns?)\b`)

// statement matches labels after which an order-like word is none ("Purpose: generate …").
var statement = lazyregexp.New(`(?i)^\W*(?:purpose|goal|overview|description|role|inputs?|outputs?|results?|responsibilit(?:y|ies)|location|used (?:for|by)|features?|example)\s*:`)

// modal matches words that make a sentence a rule.
var modal = lazyregexp.New(`(?i)\b(?:is|are) (?:added|placed|put|kept|registered|defined|stored|written|made|done)\b[^.;]{0,60}\b(?:only|not|never)\b|\b(?:must|shall|should|never|always|avoid|forbidden|prohibited|make sure|ensure|required to|needs? to|ha(?:s|ve) to|prefer(?:red)?|not allowed|imperative|you (?:do not|don['’]t|cannot|can['’]t)|(?:do not|don['’]t|only) (?:use|call|add|run|when|if|via|through)|belongs? (?:in|to)|go(?:es)? (?:in|into|under|through))\b|必须|不得|禁止`)

// weDo matches a sentence on what the project's people do.
var weDo = lazyregexp.New(`(?i)^\W*(?:[\w &/-]{1,40}: )?we (?:use|branch|prefer|write|keep|put|do not|don['’]t|follow|name|commit|merge|avoid|test|release|only)\b|\b(?:repo(?:sitory)?|project|codebase) follows\b`)

// instructs reports whether one of a text's sentences is a rule: it has a modal word, or it starts
// with an order, perhaps after a label or a condition.
func instructs(text string) bool {
	if statement.MatchString(text) {
		return false
	}
	if modal.MatchString(text) || weDo.MatchString(text) {
		return true
	}
	for rest := text; rest != ""; {
		var s string
		s, rest = sentence(rest)
		if slices.ContainsFunc(strings.Split(s, ";"), isOrder) {
			return true
		}
	}
	return false
}

// isOrder reports whether a part of a sentence starts with an order, perhaps after a label or a condition.
func isOrder(part string) bool {
	part = strings.TrimSpace(part)
	for after := ""; after != part; part = body(part) {
		if after = part; commands(part) {
			return true
		}
	}
	if half.MatchString(part) || leadsOn.MatchString(part) {
		for _, after, ok := strings.Cut(part, ", "); ok; _, after, ok = strings.Cut(after, ", ") {
			if commands(after) {
				return true
			}
		}
	}
	return slices.ContainsFunc([]string{" — ", " – ", ", then ", ", so "}, func(dash string) bool {
		_, after, ok := strings.Cut(part, dash)
		return ok && commands(after) && afterDash.MatchString(after)
	})
}

// afterDash matches verbs that are hardly ever nouns, as remarks after a dash often are ("no build step", "list view").
var afterDash = lazyregexp.New(`(?i)^(?:use|do|don['’]t|never|always|avoid|run|add|put|update|keep|prefer|call|make|check|verify|ask|treat|write|read|pass|go|edit|regenerate|rerun|remove|move|create|ensure|follow|import|let|wrap|register|return|throw|stop|leave|take|choose|pick|apply|include|delete|replace|convert|define|declare|implement|extend|reuse|skip|fix|send|open|close|install|restart|rebuild|commit|push|bump|extract|split|inject|assert|mock|narrow|pin|fall back)\b`)

// leadsOn matches the start of a clause after which an order may follow.
var leadsOn = lazyregexp.New(`(?i)^(?:[\w &/-]{1,40}: )?(?:(?:every|each|any) time|as soon as|before|after|for|to|in|on|at|during|once) `)

// commands reports whether a clause starts with an order.
func commands(clause string) bool {
	clause = adverb.ReplaceAllString(clause, "")
	return !strings.HasPrefix(clause, "`") && !oneLabel.MatchString(clause) && orders.MatchString(clause) && !subjectVerb.MatchString(clause)
}

// oneLabel matches a label of one word, which is no order ("Work: …").
var oneLabel = lazyregexp.New(`^\W*\w+:`)

// subjectVerb matches a clause whose first words are its subject ("Test is …").
var subjectVerb = lazyregexp.New("(?i)^\\W*[\\w'’-]+(?:\\s+\\w+)?\\s+(?:is|are|was|has|have|uses?|runs?|lives?|contains?|holds?|means?|goes|go|returns?|supports?)\\b")

// consequent matches what to run after a change: "`go.mod` → `make tidy`".
var consequent = lazyregexp.New("^[^→]{1,80}(?:→|->|=>) (?:run )?`(?:\\./)?(?:npm|npx|yarn|pnpm|bunx?|make|go|cargo|mise|docker|uv|just|task|nx|turbo|gradlew?|mvn|dotnet|scripts?/)\\b")

// lookAhead is how much of the reasons is examined, in characters.
const lookAhead = 400

// typeOf returns a rule's type, out of the allowed ones (all if nil).
func typeOf(s subject, allowed map[file.Type]bool) file.Type {
	score := map[file.Type]int{}
	prose := spanned.ReplaceAllString(s.what, "``")
	parts := []struct {
		part part
		text string
	}{{inWhat, s.what}, {inWhy, clip(s.why, lookAhead)}, {inHeads, s.heads}, {inLabel, s.label}, {inProse, prose}}
	for _, sign := range signs {
		for _, p := range parts {
			if sign.in&p.part != 0 && p.text != "" && sign.re.MatchString(p.text) {
				score[sign.typ] += sign.weight
				break
			}
		}
	}
	if s.steps {
		score[file.WorkflowRecipe] += 8
	}
	if s.path {
		score[file.ModuleInsight] += 4
	}
	best, top := file.Type(""), 0
	for _, sign := range signs {
		if n := score[sign.typ]; n > top && (allowed == nil || allowed[sign.typ]) {
			best, top = sign.typ, n
		}
	}
	if best == file.Gotcha && !trap.MatchString(prohibited.ReplaceAllString(prose, "")+"\n"+s.heads) && !harm.MatchString(clip(s.why, lookAhead)) && (allowed == nil || allowed[file.Convention]) {
		best = file.Convention // a prohibition is a convention; a gotcha names the consequence
	}
	if best == file.WorkflowRecipe && !s.steps && !command.MatchString(s.what) && !strings.Contains(s.why, "```") && !orders.MatchString(adverb.ReplaceAllString(s.what, "")) && (allowed == nil || allowed[file.ModuleInsight]) {
		best = file.ModuleInsight // no command and no step
	}
	if best == file.ModuleInsight && !s.path && allowed == nil && obliges.MatchString(s.what) {
		best = file.Requirement
	}
	if best == file.ModuleInsight && !s.path && orders.MatchString(adverb.ReplaceAllString(s.what, "")) && !noun.MatchString(s.what) && (allowed == nil || allowed[file.Convention]) {
		best = file.Convention // an instruction is a convention under any heading
	}
	if allowed == nil && consequent.MatchString(s.what) {
		best = file.WorkflowRecipe // what to run after a change
	}
	rule := instructs(s.what)
	switch {
	case allowed != nil || s.steps:
	case (best == file.Convention || best == file.Preference || best == file.Requirement) && !rule && !manner.MatchString(s.heads):
		best = file.ModuleInsight // a fact
	case (best == file.ModuleInsight || best == "") && rule && !s.path:
		best = file.Convention
	}
	if best != "" {
		return best
	}
	for _, t := range []file.Type{file.ModuleInsight, file.Convention, file.Pattern} {
		if allowed == nil || allowed[t] {
			return t
		}
	}
	return file.Preference
}
