package importer

import (
	"strings"
	"unicode/utf8"
)

// headings are the open headings above a block, outermost first.
type headings []block

// opened returns the headings below which a block stands that follows a heading.
func (hs headings) opened(b block) headings {
	for len(hs) > 0 && hs[len(hs)-1].level >= b.level {
		hs = hs[:len(hs)-1]
	}
	return append(hs, b)
}

// section returns the reason to drop everything under the open headings, or "".
func (hs headings) section() string {
	for _, h := range hs {
		if r := sectionReason(h.text); r != "" {
			return r
		}
	}
	return ""
}

// innermost returns the text of the innermost heading, "" without one.
func (hs headings) innermost() string {
	if len(hs) == 0 {
		return ""
	}
	return hs[len(hs)-1].text
}

// areRationale reports whether the innermost heading announces reasons.
func (hs headings) areRationale() bool { return rationale.MatchString(hs.innermost()) }

// overview reports whether the text stands under the file's title or in its overview.
func (hs headings) overview() bool {
	return len(hs) <= 1 || len(hs) == 2 && generic.MatchString(headingText(hs.innermost()))
}

// topic returns the innermost heading that names the topic of the text.
func (hs headings) topic() string {
	for i := len(hs) - 1; i >= 0; i-- {
		h := headingText(hs[i].text)
		if hs[i].level == 1 || utf8.RuneCountInString(h) > 70 {
			return ""
		}
		if i < len(hs)-1 && negativeHead.MatchString(h) {
			return "" // it would reverse what stands below "Do" in "Anti-patterns"
		}
		if h != "" && !generic.MatchString(h) && !warns.MatchString(h) {
			return h
		}
	}
	return ""
}

// label returns the path of headings, without the file's title.
func (hs headings) label() string {
	var names []string
	for i, h := range hs {
		if i == 0 && h.level == 1 && len(hs) > 1 {
			continue
		}
		names = append(names, strings.TrimSpace(numbered.ReplaceAllString(h.text, "")))
	}
	if len(names) > 2 {
		names = names[len(names)-2:]
	}
	return clip(strings.Join(names, " › "), 100)
}

// text returns all headings without the file's title, one a line.
func (hs headings) text() string {
	var names []string
	for i, h := range hs {
		if i == 0 && h.level == 1 && len(hs) > 1 {
			continue
		}
		names = append(names, h.text)
	}
	return strings.Join(names, "\n")
}

// onlyTitle reports whether the text stands below the file's title, which announces rules, not a procedure.
func (hs headings) onlyTitle() bool {
	return len(hs) == 1 && hs[0].level == 1
}

// listTitle returns the title of a list: its lead-in, else its headings.
func (hs headings) listTitle(lead block) string {
	head := headingText(hs.innermost())
	if t := strings.TrimRight(lead.text, " :：."); words(t) >= 2 && !dangles(t) {
		if topic := hs.topic(); words(t) <= 5 && topic != "" && !shares(t, topic) && !normative.MatchString(t) {
			return topic + " › " + t
		}
		return t
	}
	if head == "" || len(hs) == 1 && hs[0].level == 1 && words(head) > 6 {
		return ""
	}
	if lead.text != "" && !dangles(lead.text) {
		head += " › " + strings.TrimRight(lead.text, ":.")
	}
	if topic := hs.topic(); topic != "" && generic.MatchString(head) && topic != head {
		return topic + " › " + head
	}
	return head
}

// prefixed returns the text of a rule, preceded by the heading or lead-in if the text alone would
// be meaningless or reversed.
func (hs headings) prefixed(r rawRule) string {
	head := strings.TrimRight(r.lead, ":.")
	if head == "" {
		head = strings.TrimRight(strings.TrimSpace(numbered.ReplaceAllString(hs.innermost(), "")), ".:")
	}
	if r.whole {
		head = "" // the title says it
	}
	bare := !negativeHead.MatchString(r.text) && !strings.Contains(strings.ToLower(r.text), "not ")
	if head != "" && utf8.RuneCountInString(head) < 80 && bare && negativeHead.MatchString(head) {
		return head + ": " + r.text
	}
	led := words(r.lead) >= 4 && words(r.lead) <= 12 && r.label == "" && r.subject == "" && !normative.MatchString(r.text)
	if led && !strings.ContainsAny(lastChar(r.text), ".!") {
		return head + ": " + r.text
	}
	if r.whole {
		return r.text
	}
	if goesOn(r) || r.lead == "" && conditional.MatchString(head) && words(head) <= 8 && !shares(r.text, head) {
		return head + ": " + r.text
	}
	if topic := hs.topic(); topic != "" && fieldLabel.MatchString(r.text) && r.subject == "" {
		return topic + ": " + r.text
	}
	if words(r.text) <= 3 && r.subject == "" && !normative.MatchString(r.text) && head != "" && utf8.RuneCountInString(head) < 80 {
		return head + ": " + r.text
	}
	need := words(r.text) <= needTopic || words(r.label) > 0 && words(r.label) <= 2 && words(r.text) <= 2*needTopic
	if topic := hs.topic(); topic != "" && need && r.subject == "" && !shares(r.text, topic) {
		return topic + ": " + r.text
	}
	return r.text
}
