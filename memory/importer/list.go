package importer

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"manicule/memory/lazyregexp"
)

// procedural matches headings and lead-ins of sequential steps.
var procedural = lazyregexp.New(`(?i)\b(?:workflow|steps?|how to|process|procedure|checklist|releas(?:e|ing)|adding|set ?up|install(?:ation|ing)?|before|after|when|while|session completion|verification|to (?:add|create|run|fix|update|deploy))\b`)

// kinds matches lead-ins of enumerations.
var kinds = lazyregexp.New(`(?i)\b(?:kinds|types|layers|components|reasons|parts|categories|options|variants|modes)\b[^.]*:$`)

// principles matches headings of lists whose numbers have no order.
var principles = lazyregexp.New(`(?i)\b(?:principles?|guidelines?|conventions?|rules?|requirements?|standards?|practices?|invariants?|overview|architecture|structure|when to show)\b`)

// list handles a list and its lead-in, which may be zero.
func (c *chunker) list(b, lead block) {
	if reason := c.heads.section(); reason != "" && !(reason == "slash commands" && c.paths().areAll(b)) {
		c.dropList(b, lead, reason)
		return
	}
	if c.heads.areRationale() {
		c.rationale(b, nil)
		return
	}
	if rationale.MatchString(strings.Trim(lead.text, ":*")) {
		c.drop(lead, "rationale")
		if c.last >= 0 {
			c.append(c.last, itemsText(b))
		}
		return
	}
	if reason := sectionReason(lead.text); reason != "" {
		c.dropList(b, lead, reason)
		return
	}
	b.items = withRemarks(b.items)
	if reason := listReason(b); reason != "" {
		c.dropList(b, lead, reason)
		return
	}
	if b.ordered && known(b) {
		c.dropList(b, lead, "known to all")
		return
	}
	if c.led = c.paths().ledBy(lead); c.led != nil {
		lead = block{} // the scope says it
		defer func() { c.led = nil }()
	}
	if dangles(lead.text) && ownRules(b) {
		c.drop(lead, "refers to what stands elsewhere")
		lead = block{}
	}
	switch {
	case b.ordered && isSteps(b, lead, c.heads), allTasks(b):
		c.whole(b, lead, true)
	case isFragments(b, lead, c.paths()), depends(b, lead):
		c.whole(b, lead, false)
	default:
		if rest, ok := c.catalogue(b, lead); ok {
			b.items = rest
		}
		c.items(b, lead)
	}
}

// ownRules reports whether all entries of a list are rules that need no lead-in.
func ownRules(b block) bool {
	for _, it := range b.items {
		if !normative.MatchString(it.text) || dangles(it.text) || words(it.text) < 4 {
			return false
		}
	}
	return true
}

// withRemarks gives each entry the exceptions, examples and reasons that follow it as entries.
func withRemarks(items []item) []item {
	var out []item
	for _, it := range items {
		if len(out) == 0 || !remark.MatchString(it.text) || it.task {
			out = append(out, it)
			continue
		}
		last := &out[len(out)-1]
		last.rest = strings.TrimSpace(last.rest + "\n- " + it.text)
		if it.rest != "" {
			last.rest += "\n" + indentBy(it.rest, "  ")
		}
	}
	return out
}

// takesCode gives the last entry of a list the code that it leads in and that is not indented. It
// reports whether there is such code.
func takesCode(b *block, next []block) bool {
	last := &b.items[len(b.items)-1]
	if len(next) == 0 || next[0].kind != code || !endsInColon(last.text) || last.rest != "" {
		return false
	}
	last.rest = "```" + next[0].lang + "\n" + next[0].text + "\n```"
	return true
}

func (c *chunker) dropList(b, lead block, reason string) {
	if lead.text != "" {
		c.drop(lead, reason)
	}
	for _, it := range b.items {
		c.drop(it.block, reason)
	}
	c.last = -1
}

// listReason detects tables of contents and lists of links.
func listReason(b block) string {
	links, chars := 0, 0
	for _, it := range b.items {
		links += it.links
		chars += len(it.text)
	}
	if chars == 0 {
		return "empty"
	}
	if links*10 >= chars*7 {
		return "links"
	}
	return ""
}

func allTasks(b block) bool {
	for _, it := range b.items {
		if !it.task {
			return false
		}
	}
	return len(b.items) > 0
}

// isSteps tells the steps of a procedure from numbered rules.
func isSteps(b, lead block, heads headings) bool {
	if len(b.items) < 2 {
		return false
	}
	total, bold, code := 0, 0, 0
	for _, it := range b.items {
		total += utf8.RuneCountInString(it.text) + utf8.RuneCountInString(it.rest)
		if it.lead || it.bold {
			bold++
		}
		if strings.Contains(it.rest, "```") {
			code++
		}
	}
	if total > 2*maxWhy {
		return false
	}
	if kinds.MatchString(lead.text) || !mostlyOrders(b) {
		return false
	}
	title := strings.TrimSpace(numbered.ReplaceAllString(heads.innermost(), ""))
	if lead.text != "" && procedural.MatchString(lead.text) && bold == 0 {
		return true
	}
	if bold*2 > len(b.items) {
		return (procedural.MatchString(title) || procedural.MatchString(lead.text)) &&
			!principles.MatchString(title) && total < 1500 && code*2 <= len(b.items) && !heads.onlyTitle()
	}
	if principles.MatchString(title) && lead.text == "" {
		return false
	}
	return procedural.MatchString(title) || lead.text != "" || total/len(b.items) < 120
}

// mostlyOrders reports whether half of the entries, or of their labels, tell what to do.
func mostlyOrders(b block) bool {
	n := 0
	for _, it := range b.items {
		text := it.text
		if l := label(it.block); l != "" && !orders.MatchString(l) {
			text = strings.TrimLeft(strings.TrimPrefix(text, l), ":.—–- ")
		}
		if orders.MatchString(adverb.ReplaceAllString(text, "")) || command.MatchString(text) || strings.Contains(it.rest, "```") {
			n++
		}
	}
	return n*2 >= len(b.items)
}

// isFragments reports whether a list's short entries make one statement with their lead-in or
// heading.
func isFragments(b, lead block, named paths) bool {
	if len(b.items) < 2 {
		return false
	}
	chars, orders := 0, 0
	for _, it := range b.items {
		n := utf8.RuneCountInString(it.text)
		if n > 90 || it.rest != "" || named.scope(it.subject) != nil {
			return false
		}
		chars += n
		if normative.MatchString(it.text) {
			orders++
		}
	}
	mean := chars / len(b.items)
	if orders > 0 {
		return false
	}
	if words(strings.TrimSuffix(lead.text, ":")) >= 4 {
		return mean < 60
	}
	return lead.text != "" && mean < 36
}

// known reports whether the steps apply to every repository.
func known(b block) bool {
	n := 0
	for _, it := range b.items {
		if noiseReason(it.text) == "known to all" {
			n++
		}
	}
	return n*2 >= len(b.items) && n >= 2
}

// open matches the end of a lead-in that the entries continue.
var open = lazyregexp.New(`(?i)\b(?:when|if|where|whether|that|which|unless|whenever|because|following|to|are|is|by|for|with|includes?|including|should|must|can|may|and|or|as|it|you|we|cases?|situations?|conditions?)\W*$`)

// depends reports whether a list's entries continue its lead-in, or the list is short enough to be
// one statement with it.
func depends(b, lead block) bool {
	if len(b.items) < 2 || !endsInColon(lead.text) || words(lead.text) < 3 {
		return false
	}
	total := 0
	for _, it := range b.items {
		if strings.Contains(it.rest, "```") || it.subject != "" {
			return false
		}
		total += utf8.RuneCountInString(it.text) + utf8.RuneCountInString(it.rest)
	}
	return total <= maxWhy-200 && (open.MatchString(lead.text) || total <= 110*len(b.items) && total <= 700)
}

// whole makes one chunk of a list.
func (c *chunker) whole(b, lead block, steps bool) {
	line, text := b.line, lead.text
	if lead.text != "" {
		line = lead.line
	}
	rest := itemsText(b)
	if text == "" {
		text = strings.TrimSpace(numbered.ReplaceAllString(c.heads.innermost(), ""))
		if text == "" && len(b.items) > 0 {
			text = b.items[0].text
		}
		if steps || text == "" {
			text = firstSteps(text, b)
		}
	} else if steps && endsInColon(text) {
		text = firstSteps(strings.TrimRight(text, " :："), b)
	} else if endsInColon(text) && utf8.RuneCountInString(text) < maxWhat/2 && utf8.RuneCountInString(text)+utf8.RuneCountInString(rest) >= maxWhat-20 {
		text = firstSteps(strings.TrimRight(text, " :："), b)
	}
	if !steps && utf8.RuneCountInString(text)+utf8.RuneCountInString(rest) < maxWhat-20 {
		text, rest = strings.TrimRight(text, " :：")+": "+joined(b), ""
	}
	c.last = c.add(rawRule{line: line, text: text, rest: rest, label: label(lead), steps: steps})
}

// hanCode matches a script without spaces between words.
var hanCode = lazyregexp.New(`[\p{Han}\p{Hiragana}\p{Katakana}]{4}`)

// onlyCode matches a rest that is one code block.
var onlyCode = lazyregexp.New("(?s)^```\\w*\n([^`]+)```$")

// items makes a chunk of each entry.
func (c *chunker) items(b, lead block) {
	for _, it := range b.items {
		text := it.text
		rest := it.rest
		if reason := dropReason(text, it.links); reason != "" {
			c.drop(it.block, reason)
			continue
		}
		text = strings.TrimLeft(text, ":;, ")
		if rest == "" && (words(text) < 2 || text != it.text && words(text) < 6 || question.MatchString(text)) && !hanCode.MatchString(text) {
			c.drop(it.block, "fragment")
			continue
		}
		former := ""
		// An entry that is only a label means its sub-entries.
		if m := onlyCode.FindStringSubmatch(rest); m != nil && words(text) <= 8 {
			code, before := inlined(m[1])
			with := strings.TrimRight(text, ":. ") + ": "
			switch {
			case code != "":
				text, former = runWith(text, with, code)
				rest = ""
			case before != "":
				former = with + before
			}
		}
		if rest != "" && (strings.HasSuffix(text, ":") || words(text) <= 6) && !strings.Contains(rest, "```") {
			flat := oneLine(nextEntry.ReplaceAllString(firstEntry.ReplaceAllString(rest, ""), "; "))
			switch whole := strings.TrimRight(colons(text), ".") + ": " + flat; {
			case utf8.RuneCountInString(whole) <= maxWhat && it.subs > 0:
				text, rest = whole, ""
			case words(text) < 4:
				text = upTo(strings.TrimRight(colons(text), ".")+": "+flat, maxWhat)
			default:
				text = strings.TrimRight(colons(text), ".")
			}
		}
		c.add(rawRule{line: it.line, text: text, rest: rest, lead: lead.text, label: label(it.block), subject: it.subject, former: former})
	}
	c.last = -1
}

// firstEntry and nextEntry match the marks of sub-entries.
var (
	firstEntry = lazyregexp.New(`^(?:-|\d+\.)\s+`)
	nextEntry  = lazyregexp.New(`\.?\n(?:-|\d+\.)\s+`)
)

// itemsText renders the entries of a list as plain text.
func itemsText(b block) string {
	var out []string
	for i, it := range b.items {
		mark := "- "
		if b.ordered {
			mark = strconv.Itoa(i+1) + ". "
		}
		s := mark + it.text
		if it.rest != "" {
			s += "\n" + indentBy(it.rest, "  ")
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

// upTo cuts a list in a sentence after the last entry that fits, or returns its first sentence.
func upTo(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	head := string([]rune(s)[:n-2])
	if at := strings.LastIndex(head, "; "); at > n/4 {
		return s[:at] + "; …"
	}
	first, _ := sentence(s)
	return clip(first, n)
}

func joined(b block) string {
	var out []string
	for _, it := range b.items {
		out = append(out, strings.TrimRight(it.text, ":;"))
	}
	return strings.Join(out, "; ")
}

// firstSteps returns a title with as many steps as fit, each as a whole.
func firstSteps(title string, b block) string {
	text, sep := title, ": "
	for i, it := range b.items {
		step := brief(it)
		more := "; " + strconv.Itoa(len(b.items)-i) + " more"
		if utf8.RuneCountInString(text+sep+step) > maxWhat-len(more) {
			if i == 0 {
				return clip(text+sep+step, maxWhat)
			}
			return text + more
		}
		text, sep = text+sep+step, "; "
	}
	return text
}

// mostStep is the length from which a step is shortened to its first clause.
const mostStep = 90

// brief returns a step without its details: its label, else its first sentence or clause.
func brief(it item) string {
	s := label(it.block)
	if s == "" || words(s) < 2 || !orders.MatchString(s) {
		s, _ = sentence(it.text)
	}
	if utf8.RuneCountInString(s) > mostStep {
		if m := details.FindStringIndex(s); m != nil && m[0] >= 20 && strings.Count(s[:m[0]], "`")%2 == 0 && command.MatchString(s[:m[0]]) == command.MatchString(s) {
			s = s[:m[0]]
		}
	}
	return strings.TrimRight(s, ".:; ")
}

// details matches the start of a clause that only adds to the one before it.
var details = lazyregexp.New(`\s(?:—|–|-|\()\s?|; |: |, (?:and|so|but|because|which|then) `)
