package importer

import (
	"strings"
	"unicode/utf8"

	"manicule/memory/lazyregexp"
)

// noise matches sentences of a rule file that are useless later: talk to contributors, temporary
// status, steps that apply to every repository. A sentence with code is usually no noise.
var noise = []struct {
	reason string
	code   bool // also with code in it
	re     *lazyregexp.Regexp
}{
	{"talk", false, lazyregexp.New(`(?i)\b(?:thank(?:s| you)\b|welcome\b|feel free|happy to|we(?:['’]re| are) (?:glad|happy|grateful|excited|thrilled|open)|we(?:['’]d| would)? (?:love|appreciate|value|encourage you|hope|understand|know|aim to|believe|try to|have limited|reserve)|hopefully|no contribution is|reach out|don['’]t hesitate|good first issue|join (?:our|the|us)|code of conduct|if you(?:['’]re| are)? (?:(?:not sure|unsure|stuck|interested|looking)|have (?:a |an |any )?(?:questions?|ideas?|suggestions?))|you(?:['’]re| are) (?:good|ready) to go|star (?:us|the repo)|enjoy|have fun|open[- ]source project|help us|bear with us|excited)\b`)},
	{"talk", false, lazyregexp.New(`(?i)^(?:when|once|before) (?:you|your)\b.{0,60}\b(?:review(?:er|ed)?|maintainers?|merged|approved)\b.{0,120}\b(?:will|may|might)\b`)},
	{"talk", true, lazyregexp.New(`(?i)^(?:this|the) (?:file|document|guide|page|section|readme|list|chapter|rule)(?: below)? (?:is|are|was|will|should be|has|describes?|contains?|explains?|covers?|lists?|provides?|defines?|documents?|outlines?|applies|serves|summari[sz]es|captures|helps)\b`)},
	{"talk", true, lazyregexp.New(`(?i)^(?:these|the following) (?:guidelines|rules|instructions|notes|conventions|sections?|documents?) (?:are|is|apply|applies|describe|help|should|cover|explain)\b`)},
	{"about the file itself", true, lazyregexp.New(`(?i)\b(?:this|these) (?:rules? )?(?:table|list|section|page|document|guide|file|instructions|checklist|index|overview)\b|^(?:context document|instructions) for (?:github |claude|copilot|ai\b|agents)|\b(?:provide|give)s? (?:claude|copilot|the (?:ai|assistant|agent)|ai \w+)\b.{0,30}\bcontext\b`)},
	{"talk", true, lazyregexp.New(`(?i)^(?:contributing: )?contributions? (?:are|is) (?:always )?welcome\b`)},
	{"status", true, lazyregexp.New(`(?i)^(?:current (?:version|state|status|phase|focus)|last (?:updated|modified|reviewed|verified)|status|generated(?: on| at)?|updated|date|authors?|phase|progress|version|maintainers?|owner|effort|priority)\s*(?:\([^)]*\))?\s*[:=]`)},
	{"status", true, lazyregexp.New(`(?i)^(?:\[x\]|✅|☑|✔️?)\s*(?:done|complete|implemented|fixed|added)?\b.{0,80}\b(?:done|completed?|implemented|shipped|fixed|landed|merged)\b`)},
	{"status", true, lazyregexp.New(`(?i)\b(?:\d[\d,]* symbols, |overall average|as of (?:this writing|today)|not (?:yet )?implemented\b.{0,20}$|coming soon|to be (?:done|written|decided)\b|work in progress)`)},
	{"slash commands", true, lazyregexp.New("^`?/[a-z][\\w:-]+(?: [^`/]*)?`?\\s*(?:[:—–→-]|$)")},
	{"known to all", true, lazyregexp.New("(?i)^(?:\\W*)(?:\\w[\\w ]{0,40}:\\s*)?(?:go ahead and |first,? )?(?:fork(?:ing)? (?:the|this|our)|clone (?:the|your|this)|push (?:the changes|your|to (?:your|the))|commit your changes|create a (?:new )?(?:feature )?branch (?:for|from|in|to|with|and)|create a new branch\\b|(?:open|submit|create) (?:a|your) (?:pull request|pr)\\b|make your changes|open your browser|install (?:the )?dependencies$)[^`]{0,120}$")},
	{"talk", true, lazyregexp.New(`(?i)\bI(?:['’]ll| will| can| have|['’]m| am)\b|^(?:great|sure|certainly|absolutely|got it|ask yourself)\b|\b(?:find|looking for) something to (?:fix|work on)|\b(?:is|are) the (?:easiest|fastest|simplest) way\b`)},
	{"lead-in without its block", true, lazyregexp.New(`(?i)^(?:please )?(?:consider|note|follow|keep in mind|remember|use|observe|check) the following\b[^:;]{0,80}$`)},
	{"about the file itself", true, lazyregexp.New(`(?i)^(?:automatically )?(?:loaded|read|picked up) (?:automatically )?by (?:claude|copilot|cursor|codex|gemini|agents|ai)\b|\bprovides? project (?:context|guidance)\b`)},
	{"status", true, lazyregexp.New(`(?i)\b(?:was|were) added (?:after|because of|following|in response to)\b|^changes? (?:in|since) v?\d|\bnot (?:yet )?implemented\)|\((?:future|planned)\b`)},
	{"persona", true, lazyregexp.New(`(?i)^(?:act as|you are|agent persona|persona)\b`)},
	{"status", true, lazyregexp.New(`^(?:✅|☑|✔️?|\[x\])\s*[A-Z][a-z]+ed\b`)},
	{"code", true, lazyregexp.New(`^@\w+[.\w]* (?:def|class|async)\b|\b(?:def|function) \w*\([^)]*\)\s*[:{]|^import \w+ (?:as|from)\b`)},
	{"links", true, lazyregexp.New("(?i)^see (?:also )?(?:the )?`[^`]+`[^;]{0,80}$")},
	{"fragment", true, lazyregexp.New(`^[^.!]*\?$`)},
	{"about the file itself", true, lazyregexp.New(`(?i)\b(?:see|listed|described|shown|in) the (?:table|list|section|diagram|example|code|snippet) (?:above|below)\b`)},
	{"links", false, lazyregexp.New(`(?i)^(?:please )?(?:see|review|check(?: out)?|read|visit) our\b`)},
	{"refers to what stands elsewhere", true, lazyregexp.New(`(?i)\b(?:that|those|the (?:above|previous|preceding|same)) (?:document|file|list|table|section|guide|cookie|branch|image|step|rule)s?\b`)},
	{"talk", false, lazyregexp.New(`(?i)^(?:your|you|we|that|now|all|it)\b[^.?]*!$`)},
	{"says nothing", true, lazyregexp.New(`(?i)^\W*(?:in (?:summary|short|conclusion)|overall|to (?:summari[sz]e|sum up)|bottom line|tl;?dr)\b`)},
	{"says nothing", false, lazyregexp.New(`(?i)^\W*(?:\w[\w &/,-]{0,40}: )?we (?:can|could|might|may|plan to|intend to|will likely)\b`)},
	{"refers to what stands elsewhere", true, lazyregexp.New(`(?i)\b(?:return|go|back|repeat|skip|proceed|continue|from|until|after|in|see|per)\b(?: to| with| at)? steps? \d`)},
	{"known to all", false, lazyregexp.New(`(?i)(?:^|: )(?:stage|commit|add|push|pull) (?:files|(?:the |your )?changes|your|the latest)\b.{0,60}$`)},
	{"links", true, lazyregexp.New(`(?i)^(?:for|to)\b.{0,220}\b(?:see|refer to|visit|check out|consult|take a look at|have a look at)\b[^;]{0,120}$`)},
	{"talk", false, lazyregexp.New(`(?i)\b(?:mailing list|issue triage|bug report|maintainers? (?:will|may|might|can|would|have to)|(?:file|open|create|submit|report|raise) (?:a|an|the|any) (?:new |github )*(?:bug|issue|bug report|feature request|discussion|ticket)\b)`)},
	{"says nothing", false, lazyregexp.New(`(?i)^(?:[\w -]{1,30}:\s*)?(?:write|keep|use|follow|ensure|make|maintain|produce|strive|aim)\b.{0,60}\b(?:clean|readable|maintainable|easy to (?:read|understand)|best practices|high[- ]quality|well[- ]structured)\b.{0,50}$`)},
	{"known to all", false, lazyregexp.New(`(?i)^(?:create a github account|choose what to work on|write or update tests|write tests (?:for your|as)|run (?:the |all )?tests\b.{0,60}$|make sure (?:that )?(?:all |the )*tests\b.{0,30}\bpass|a (?:clone|fork|branch|commit) is )`)},
	{"links", true, lazyregexp.New(`(?i)^(?:[\w’' -]{1,40}:\s*)?(?:see|refer to|read|consult|check(?: out)?|follow|documented in|described in|details? (?:in|are in|live in)|more (?:in|at))\s+(?:the\s+|our\s+)?(?:[\w’' -]{0,40}\s)?(?:§|sections?\b|bullets?\b|above|below)[^;]{0,80}$`)},
	{"links", true, lazyregexp.New("(?i)^(?:[\\w’'/&, -]{1,50}:\\s*)?(?:see |read |contract: |docs?: |details?: |source: |spec: |refer to )?`[^`\\s]+\\.(?:md|mdx|mdc|rst|adoc|txt)`(?:\\s*\\([^)]*\\))?(?:(?:,| and|;)\\s*`[^`\\s]+\\.(?:md|mdx|mdc|rst)`(?:\\s*\\([^)]*\\))?)*\\.?$")},
	{"links", true, lazyregexp.New(`(?i)^(?:for|to learn)\b[^.;]{0,90}\b(?:see|refer to|visit|check out|consult|read)\b[^.;]{0,90}\.?$`)},
	{"links", false, lazyregexp.New(`(?i)^(?:you can (?:find|read|also use)|more (?:information|details|about)|take a look|have a look|check out|learn more|the (?:full|complete) \w+ (?:is|are)\b|(?:repository|homepage|website|docs|documentation|url|links?|wiki)\s*:)`)},
}

// noiseReason says why a sentence is useless, or "".
func noiseReason(text string) string {
	if utf8.RuneCountInString(text) > 250 {
		if text, _ = sentence(text); utf8.RuneCountInString(text) > 400 {
			return ""
		}
	}
	coded := strings.Contains(text, "`")
	for _, a := range noise {
		if (a.code || !coded) && a.re.MatchString(text) {
			return a.reason
		}
	}
	return ""
}

// dangling matches the start of a sentence that refers to something named before it.
var dangling = lazyregexp.New(`(?i)^\W*(?:(?:this|these|that|those|it|they|such|both|here|below|there|its|their|he|she)\b|(?:also|and|but|so|or|then|thus|hence|therefore|otherwise|instead|however|alternatively|additionally|furthermore|moreover|similarly|likewise|conversely|finally|next|afterwards?|besides|meanwhile|further|again|in addition|as a result|for (?:example|instance|this|that)|in (?:this|that|such|these) (?:case|cases|way)|note that (?:this|it)|to do (?:this|so)|if (?:so|not|it|this|they|that|none of|nothing of)|when (?:it|they|this|present)|not to be confused|same (?:for|applies|as|here)|with (?:this|that|these)|because of (?:this|that)|the (?:latter|former|above|rest|other|others|same|two|first|second|third|reason|result|output|following|remaining)|all (?:of (?:this|these|them)|other|others)|each of (?:these|them)|any other|one (?:such|of (?:these|them))|e\.g\.|i\.e\.|as (?:above|before|such|mentioned|described))(?:[\s,:]|$))`)

// ownSubject matches the start of a sentence that names its subject although it begins with a
// pronoun or article.
var ownSubject = lazyregexp.New(`(?i)^\W*(?:(?:this|the|both|these|all of this) (?:is an? )?(?:[\w.+#-]+ ){0,2}(?:repo(?:sitory)?|projects?|codebase|monorepo|workspace|package|library|crate|gem|module|app|application|sdk|plugin|extension|service|website|site|framework|tool|cli|server|client|product|firmware|directory|folder|fork|system|team|organi[sz]ation)\b|there (?:is|are|must|should|can|may|will)\b|it(?:['’]s| is) (?:recommended|required|important|forbidden|not allowed|critical|essential|possible|mandatory|better|best)\b|instead of\b|otherwise\W*$|and/or\b|all other\b|any other\b|both ` + "`" + `)`)

func dangles(text string) bool {
	return remark.MatchString(text) || dangling.MatchString(text) && !ownSubject.MatchString(text) || definite.MatchString(text) || replacement.MatchString(text)
}

// remark matches an exception, example or reason, which says nothing without its rule.
var remark = lazyregexp.New(`(?i)^\W*(?:(?:the only )?exceptions?(?: to (?:this|that|the rule))?|(?:for )?examples?|e\.g\.|rationale|reasons?|why)\W*:`)

// definite matches a sentence about a thing that the sentence before it names.
var definite = lazyregexp.New("(?i)^\\W*the (?:helpers?|functions?|methods?|wrapper|hook|decision|snippet|block|example|flag|option|field|value|call|callback|script|macro|class|struct|pattern|approach) (?:is|are|was|returns?|takes?|must|should|will|does|has|runs?|can|accepts?|reads?|writes?|handles?|uses?)\\b")

// replacement matches an order to do something else than what the sentence before it forbids.
var replacement = lazyregexp.New(`(?i)^[^.;,—(:]*\binstead\.?$|^[^.;—(:]{1,120}\binstead\. `)

// namesOne matches a start that is complete with a topic in front. A plural reference ("These
// prevent …") is not.
var namesOne = lazyregexp.New(`(?i)^\W*(?:it|its|the)\b`)

// pointers matches final sentences that only refer to another text.
var pointers = lazyregexp.New("(?i)\\s+(?:\\()?(?:please )?(?:see|refer to|read|check(?: out)?|consult|visit)\\b[^.`]{0,120}\\bfor (?:more|further|full|additional|detail|the full|an? )[^.`]{0,60}\\.\\)?$")

// hollow matches the end of a lead-in that only announces a block.
var hollow = lazyregexp.New(`(?i)(?:[,;]\s*|\s+)(?:[—–-]\s*)?(?:(?:for|an?|some|see the)? ?examples?(?: \w+)?|for instance|e\.g\.?|i\.e\.?|such as|including|namely|like (?:this|so|these)|as (?:follows|shown below|below|described below|shown here)|(?:(?:with|using|by|via|in|on|of|to|from|follow|follows|use|run|running|do|see|has|have|are|is|contains?|provides?|includes?|supports?)\s+)*(?:the following|these|those|one of|any of|this|all of|the below|that)(?: [\w-]+){0,3}|solutions?|fix|cause|symptoms?|(?:is|are|it|with|from|at|in|by|run|below|here(?:['’]s| is| are)?|that|where|when|and|or|to|do|running|can run|you can|use|using))\s*[:：]$`)

// colons removes the colon from a lead-in whose block follows, with the words that only announce
// the block.
func colons(text string) string {
	if cut := hollow.ReplaceAllString(text, ""); words(cut) >= 3 {
		if before, last := lastOf(cut); before != "" && words(last) <= 2 {
			return before
		}
		return strings.TrimRight(cut, " ,;:")
	}
	return strings.TrimRight(text, " :：")
}

func endsInColon(text string) bool {
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

// backward matches remarks in parentheses that refer to another place in the file.
var backward = lazyregexp.New(`(?i)\s*\((?:see|as|cf\.?|described|explained|listed|shown|noted|e\.g\. see)\b[^()` + "`" + `]{0,80}\b(?:above|below|section|earlier|later|next)\b[^()]{0,30}\)`)

// generic matches headings that name a kind of text instead of a topic.
var generic = lazyregexp.New(`(?i)^(?:\W*)(?:(?:key|general|generic|quality|[\w]+-specific|technical|important|core|main|basic|critical|common|additional|other|more|project|repo(?:sitory)?|coding|code|development|dev|agent|ai|team|global|quick|standing|absolute|hard|golden|strict|mandatory|essential|specific|working|operating|design|architectur(?:e|al))\s+)*(?:rules?|notes?|guidelines?|guidance|overview|introduction|intro|summary|background|context|about|tips?|information|info|details?|basics?|general|important|essentials?|conventions?|style|best practices|practices|principles?|requirements?|standards?|instructions?|do|do not|don['’]ts?|dos|never(?: do)?|always(?: do)?|must(?: do)?|avoid|not|misc(?:ellaneous)?|other|usage|examples?|description|reminders?|policy|policies|expectations?|considerations?|features|concepts|patterns|how (?:it works|to use)|workflow|process|steps|guardrails|constraints|what|why|when|how|claude|agents?|claude\.md|agents\.md|idioms|loop|facts|behaviou?r)(?:\s*(?:\([^)]*\)|[-–—].*|&.*|and .*))?\W*$`)

// warns matches headings that only say that what follows is easily done wrong. The type of the memory
// says that. "Pitfalls" and "Mistakes" are left in front of what they name: it may be the mistake.
var warns = lazyregexp.New(`(?i)^\W*(?:[\w/-]+ ){0,2}(?:gotchas?|caveats?|quirks?|traps|sharp edges|foot-?guns?)(?:\s*(?:\([^)]*\)|[-–—].*|(?:&|and|or) (?:notes|gotchas|caveats|quirks|traps|tips)))?\W*$`)

// annotation matches additions to a heading: anchors, priorities.
var annotation = lazyregexp.New(`\s*(?:\{#[^}]*\}|\((?i:critical|important|mandatory|must read|read this|high priority|required|optional|recommended|critical[^)]*)\)|[⚠🚨❗️]+)\s*`)

func headingText(s string) string {
	return strings.Trim(strings.TrimSpace(annotation.ReplaceAllString(numbered.ReplaceAllString(s, ""), " ")), ":. ")
}

// shares reports whether two texts share a word of some length.
func shares(text, topic string) bool {
	text = strings.ToLower(text)
	for w := range strings.FieldsFuncSeq(strings.ToLower(topic), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127) }) {
		if len(w) >= 4 && strings.Contains(text, w[:min(len(w), 6)]) {
			return true
		}
	}
	return false
}

// footnote matches footnote marks.
var footnote = lazyregexp.New(`^\[\^\w+\]:\s*|\[\^\w+\]`)
