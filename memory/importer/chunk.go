package importer

import (
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/memory/file"
	"manicule/memory/lazyregexp"
)

// chunker turns the blocks of one file into chunks.
type chunker struct {
	src   Source
	name  string // the file being read: the source, or one that it imports
	opts  Options
	rep   *Report
	meta  meta
	scope []string
	led   []string // the scope that the lead-in of the open list gives, nil without one

	heads  headings
	out    []Chunk
	last   int // chunk that the next block may continue, -1 if none
	parent int // chunk that the section's rationale belongs to, -1 if none
	prev   int // previous chunk under the same heading, -1 if none
}

// rawRule is a rule before it is cut to size.
type rawRule struct {
	line    int
	text    string // what it says
	rest    string // what follows: entries, code
	lead    string // the lead-in of its list
	label   string // its emphasized first words
	subject string // the path with which it starts
	steps   bool
	scope   []string  // its narrowed scope; nil if its text decides
	whole   bool      // a list with its title
	typ     file.Type // set if the rule's form decides its type
	former  string    // its words by earlier versions, if they read it otherwise
}

func (c *chunker) run(doc document) []Chunk {
	c.last, c.parent, c.prev = -1, -1, -1
	for i := 0; i < len(doc.blocks); i++ {
		b := doc.blocks[i]
		switch b.kind {
		case heading:
			c.enter(b)
		case rule:
			c.last = -1
		case html:
			c.drop(b, "comment")
		case code:
			c.code(b)
		case table:
			c.table(b)
		case list:
			if takesCode(&b, doc.blocks[i+1:]) {
				i++
			}
			c.list(b, block{})
		case paragraph:
			i += c.paragraph(b, doc.blocks[i+1:])
		}
	}
	return c.out
}

func (c *chunker) drop(b block, reason string) { c.rep.drop(c.name, b.line, reason, b.text) }

func (c *chunker) enter(b block) {
	b.text = strings.TrimRight(b.text, ":")
	c.heads = c.heads.opened(b)
	c.last, c.prev = -1, -1
	if !rationale.MatchString(b.text) && b.level <= 2 {
		c.parent = -1
	}
}

// code attaches a code block to the paragraph above it, or drops it.
func (c *chunker) code(b block) {
	if c.last >= 0 {
		c.append(c.last, "```"+b.lang+"\n"+b.text+"\n```")
		return
	}
	c.drop(b, codeReason(b))
}

func (c *chunker) table(b block) {
	if c.last >= 0 && c.heads.section() == "" {
		c.append(c.last, b.text)
		return
	}
	c.drop(b, "table")
}

// append adds to the reasons of a chunk, within the limit.
func (c *chunker) append(i int, text string) {
	why := c.out[i].Why
	if why != "" {
		why += "\n"
	}
	c.out[i].Why = clip(why+text, maxWhy)
}

// continues matches the start of a paragraph that continues the one above.
var continues = lazyregexp.New(`(?i)^(?:this (?:practice|ensures|validates|also|keeps|means|is (?:why|because))|these patterns|here,? we|violations of|otherwise|or combined|in other words|such exceptions|missing one|if this|to fix|fix:|symptom|note that|for example|example)\b`)

// concludes matches the start of a paragraph with the section's rationale.
var concludes = lazyregexp.New(`(?i)^(?:this (?:practice|approach|ensures)|these (?:patterns|rules|practices)|by following)\b`)

// paragraph handles a paragraph and the block that it leads in. It returns the number of following
// blocks that it consumed.
func (c *chunker) paragraph(b block, next []block) int {
	switch reason := c.heads.section(); {
	case b.images:
		c.drop(b, "badge")
		return 0
	case b.imported:
		c.drop(b, "import")
		return 0
	case reason != "" && (reason != "commands" || leads(b, next)):
		c.drop(b, reason)
		return c.skipLed(b, next, reason)
	case c.heads.areRationale():
		return c.rationale(b, next)
	case titles(b, next):
		b.level = boldLevel
		c.enter(b)
		return 0
	}
	if leads(b, next) {
		return c.lead(b, next[0])
	}
	if reason := dropReason(b.text, b.links); reason != "" {
		c.drop(b, reason)
		c.last = -1
		return 0
	}
	if len(b.lines) >= 3 && sentences(b.lines) {
		for i, l := range b.lines {
			c.add(rawRule{line: b.line + i, text: l})
		}
		c.last = -1
		return 0
	}
	if words(b.text) < 4 && !normative.MatchString(b.text) {
		c.drop(b, "fragment")
		c.last = -1
		return 0
	}
	if c.last < 0 && c.parent >= 0 && concludes.MatchString(b.text) {
		c.drop(b, "rationale")
		c.append(c.parent, b.text)
		return 0
	}
	if c.last >= 0 && continues.MatchString(b.text) {
		c.append(c.last, b.text)
		return 0
	}
	c.last = c.add(rawRule{line: b.line, text: b.text, subject: b.subject, label: label(b)})
	return 0
}

// boldLevel is the level of an emphasized line that serves as a heading.
const boldLevel = 7

// titles reports whether a block is an emphasized line that serves as a heading.
func titles(b block, next []block) bool {
	return b.bold && len(next) > 0 && next[0].kind != heading && !leads(b, next) && words(b.text) <= 10 && !normative.MatchString(b.text)
}

// skipLed drops the block that a dropped paragraph leads in.
func (c *chunker) skipLed(b block, next []block, reason string) int {
	c.last = -1
	if !leads(b, next) {
		return 0
	}
	c.drop(next[0], reason)
	return 1
}

// rationale adds the reasons to the rule that they explain.
func (c *chunker) rationale(b block, next []block) int {
	used := 0
	text := b.text
	if b.kind == list {
		text = itemsText(b)
	}
	if leads(b, next) {
		used = 1
		if next[0].kind == list {
			text += "\n" + itemsText(next[0])
		}
	}
	c.drop(b, "rationale")
	if c.parent >= 0 && text != "" {
		c.append(c.parent, text)
	}
	return used
}

// leads reports whether a paragraph leads in the next block: it ends with a colon, or is a few
// words without an end before a list.
func leads(b block, next []block) bool {
	if len(next) == 0 || b.kind != paragraph {
		return false
	}
	switch next[0].kind {
	case list:
		return strings.HasSuffix(b.text, ":") || strings.HasSuffix(b.text, "：") ||
			(words(b.text) <= 6 && !strings.ContainsAny(lastChar(b.text), ".!?;,") && next[0].line <= b.line+1)
	case code, table:
		return strings.HasSuffix(b.text, ":")
	}
	return false
}

func lastChar(s string) string {
	_, n := utf8.DecodeLastRuneInString(s)
	return s[len(s)-n:]
}

// sentences reports whether each line is a rule, as in plain-text rule files.
func sentences(lines []string) bool {
	for _, l := range lines {
		if words(l) < 3 || !strings.ContainsAny(lastChar(l), ".!") {
			return false
		}
	}
	return true
}

// lead handles a paragraph that leads in a list, code or a table.
func (c *chunker) lead(b, next block) int {
	switch next.kind {
	case list:
		c.list(next, c.lastSentence(b))
	case code:
		c.leadCode(b, next)
	case table:
		if dropReason(b.text, b.links) != "" || words(b.text) < 4 {
			c.drop(b, "fragment")
			c.drop(next, "table")
			c.last = -1
			break
		}
		c.last = c.add(rawRule{line: b.line, text: b.text, rest: next.text})
	}
	return 1
}

// add makes a chunk of a rule and returns its index. If the rule says nothing alone, it is attached
// to the rule above or dropped, and add returns -1.
func (c *chunker) add(r rawRule) int {
	full := strings.TrimSpace(r.text + "\n" + r.rest)
	if c.turnedAway(&r) {
		return -1
	}
	r.text = titled(r)
	what, rest := split(c.heads.prefixed(r))
	if trimmed, led := lastLead(what); led != "" && r.rest != "" && rest == "" {
		what, r.rest = trimmed, led+"\n"+r.rest
	}
	var why []string
	for _, s := range []string{rest, r.rest} {
		if s = strings.TrimSpace(s); s != "" {
			why = append(why, s)
		}
	}
	scope := c.scopeOf(r)
	ch := Chunk{
		What: what, Why: clip(strings.Join(why, "\n"), maxWhy), Scope: scope,
		Label: c.heads.label(), Tags: tagsOf(c.meta, c.heads), Personal: c.src.personal(),
		Origin: file.ImportOrigin{File: c.name, Heading: c.heads.innermost(), Line: r.line, Key: keyOf("rules", full, c.scope)},
	}
	if r.former != "" {
		ch.Former = keyOf("rules", strings.TrimSpace(r.former), c.scope)
	}
	if ch.Type = r.typ; ch.Type == "" {
		ch.Type = typeOf(subject{what: first(r.text), why: ch.Why, heads: c.heads.text() + "\n" + r.lead, label: r.label, path: len(scope) == 1 && r.subject != "", steps: r.steps}, nil)
	}
	if reason := (ruleSentence{what: ch.What, why: ch.Why, typ: ch.Type, heading: c.heads.innermost(), wholeProject: len(scope) == 0, overview: len(scope) == 0 && c.heads.overview()}).doubt(); reason != "" {
		c.rep.drop(c.name, r.line, reason, ch.What)
		c.prev = -1
		return -1
	}
	c.out = append(c.out, ch)
	c.prev = len(c.out) - 1
	if c.parent < 0 {
		c.parent = c.prev
	}
	return c.prev
}

// paths are the paths that the open headings allow.
func (c *chunker) paths() paths { return pathsBelow(c.heads, c.src, c.opts) }

// scopeOf returns what a rule is about, by the nearest that says it, else the scope of the whole file.
func (c *chunker) scopeOf(r rawRule) []string {
	named := c.paths()
	if n := named.scope(r.subject); n != nil {
		return n
	}
	if r.scope != nil {
		return r.scope
	}
	if n := named.opening(r.text); n != nil {
		return n
	}
	if c.led != nil {
		return c.led
	}
	if n := named.inHeadings(c.heads); n != nil {
		return n
	}
	return c.scope
}

// titled joins an emphasized title that is no sentence to the sentence after it.
func titled(r rawRule) string {
	if r.label != "" {
		r.text, r.label = strings.Replace(r.text, ".: ", ": ", 1), strings.TrimSuffix(r.label, ":")
	}
	after, ok := strings.CutPrefix(r.text, r.label)
	if r.label == "" || !ok || !strings.HasSuffix(r.label, ".") || clause.MatchString(r.label) || orders.MatchString(r.label) || normative.MatchString(r.label) || strings.TrimSpace(after) == "" {
		return r.text
	}
	return strings.TrimSuffix(r.label, ".") + ": " + strings.TrimSpace(after)
}

// lastLead cuts off a last sentence that leads in what follows.
func lastLead(text string) (before, led string) {
	if before, led = lastOf(text); announces.MatchString(led) && words(before) >= 4 {
		return before, led
	}
	return text, ""
}

// lastOf splits off the last sentence.
func lastOf(text string) (before, last string) {
	at := 0
	for rest := text; ; {
		_, more := sentence(rest)
		if more == "" {
			return strings.TrimSpace(text[:at]), text[at:]
		}
		at, rest = len(text)-len(more), more
	}
}

// announces matches a sentence that only leads in what follows.
var announces = lazyregexp.New(`(?i)(?:[:：]|^(?:\w+ ){0,5}(?:exist|apply|follow|remain|matter)|^(?:there are|it (?:has|supports|uses)|use|here are) (?:two|three|four|five|several|some|these|the following)\b[^.]*)$`)

// turnedAway tries to make a rule standalone, and reports whether that failed.
func (c *chunker) turnedAway(r *rawRule) bool {
	r.text = footnote.ReplaceAllString(backward.ReplaceAllString(pointers.ReplaceAllString(r.text, ""), ""), "")
	reason := ""
	if !r.whole && !r.steps {
		reason = noiseReason(r.text)
	}
	topic := c.heads.topic()
	switch {
	case reason != "":
	case subjectless.MatchString(first(r.text)) && !half.MatchString(r.text) && r.subject == "" && !strings.Contains(topic, "`"):
		reason = "half a sentence"
	case endsInColon(r.text) && r.rest == "" && complete(r.text):
		r.text = strings.TrimRight(r.text, ":： ") + "."
	case endsInColon(r.text) && r.rest == "":
		reason = "lead-in without its block"
	case !r.whole && dangles(r.text) && c.prev >= 0:
		c.append(c.prev, strings.TrimSpace(r.text+"\n"+r.rest))
		return true
	case !r.whole && dangles(r.text) && (topic == "" || !namesOne.MatchString(r.text)):
		reason = "refers to what stands elsewhere"
	case !r.whole && dangles(r.text):
		r.text = topic + ": " + r.text
	}
	if reason != "" {
		c.rep.drop(c.name, r.line, reason, r.text)
		return true
	}
	if endsInColon(r.text) {
		r.text = colons(r.text)
	}
	return false
}

// complete reports whether a lead-in says all that is to be done, with its code: "When running tests, use the `--watch false` flag to
// avoid watch mode:" needs no block.
func complete(text string) bool {
	return words(text) >= 6 && strings.Count(text, "`") > 1 && demands.MatchString(text) && !pointsOn.MatchString(text)
}

var (
	// demands matches an order to use or do something that is named.
	demands = lazyregexp.New("(?i)(?:^|[,;] |\\b(?:please|always|must|should) )(?:use|run|call|pass|set|add|prefer|import|start|avoid|do not|don['’]t|never)\\b[^:]*`")
	// pointsOn matches words about what follows.
	pointsOn = lazyregexp.New(`(?i)\b(?:this|these|follow\w*|below|such as|e\.g\.|like|examples?|as|one of|either|includ\w+|any of|with)\b[^` + "`" + `]*[:：]?\s*$|\b(?:these|following|below)\b`)
)

// subjectless matches a statement without its subject, as in a checklist ("Implements `Serialize`").
var subjectless = lazyregexp.New(`^(?:\[[ x]\] )?(?:Implements|Provides|Uses|Ensures|Maintains|Creates|Contains|Handles|Supports|Includes|Manages|Defines|Stores|Returns|Wraps|Located|Built|Based|Prioritizes|Avoids|Numbers|Validates|Covers|Exposes|Exports|Accepts|Generates|Follows|Represents|Responsible|Runs|Reads|Writes|Loads|Has|Is|Are|Was|Can|Should|Must|Needs|Requires|Allows|Enables|Prevents|Automatically|Currently)\s+(?:[^:;]|: )*$`)

// first returns the part of a rule that becomes its what.
func first(text string) string {
	what, _ := split(text)
	return what
}

// negativeHead matches headings and lead-ins that turn what follows into what not to do.
var negativeHead = lazyregexp.New(`(?i)\b(?:anti-?patterns?|avoid|do not|don['’]t|never|prohibited|forbidden|not to|mistakes|exceptions?|not do|non-?goals?|out[- ]of[- ]scope|not (?:allowed|permitted|supported|acceptable)|must not|should not|mustn['’]t|shouldn['’]t|disallowed|banned|unacceptable|red flags?|(?:is|are) not|bad (?:practices?|patterns?|examples?)|reject(?:ed)?)\b`)

// conditional matches a heading on which all that stands below it depends.
var conditional = lazyregexp.New(`(?i)^(?:if|when(?:ever)?|before|after|unless)\b`)

// fieldLabel matches an entry that is a field of the thing in the heading.
var fieldLabel = lazyregexp.New(`(?i)^\W*(?:purpose|location|key (?:features|classes|functions|files)|dependencies|triggers?|permissions|responsibilit(?:y|ies)|inputs?|outputs?|type|description|exports?|entry points?)\s*:`)

// goesOn reports whether an entry starts in lower case and so continues the line above its list.
func goesOn(r rawRule) bool {
	first, _ := utf8.DecodeRuneInString(r.text)
	n := utf8.RuneCountInString(r.lead)
	return first >= 'a' && first <= 'z' && n > 0 && n <= 160 && r.label == "" && r.subject == ""
}

// needTopic is the maximum number of words of a rule that gets its topic in front.
const needTopic = 9

// tagsOf returns the tags of a file's front matter, and one for the innermost heading.
func tagsOf(m meta, heads headings) []string {
	tags := slices.Clone(m.tags)
	if s := slug(numbered.ReplaceAllString(heads.innermost(), "")); s != "" {
		tags = append(tags, s)
	}
	return unique(tags)
}

func unique(in []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, s := range in {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// label returns the emphasized start of a rule.
func label(b block) string {
	if !b.lead {
		return ""
	}
	first, _, ok := strings.Cut(b.text, ":")
	if !ok || words(first) > 8 {
		first, _ = sentence(b.text)
	}
	if words(first) > 10 {
		return ""
	}
	return first
}

// personal reports whether the file's owner keeps it out of git.
func (s Source) personal() bool {
	return strings.HasSuffix(strings.ToLower(s.Path), "claude.local.md")
}
