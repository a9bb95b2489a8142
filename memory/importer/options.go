package importer

import (
	"strings"

	"manicule/memory/lazyregexp"
)

// The options of a decision record, and a decision that only names one by its number or letter.
var (
	optionsHead  = lazyregexp.New(`(?i)\b(?:options|alternatives|approaches)\b`)
	optionName   = lazyregexp.New(`(?i)^(?:(?:option|alternative|approach|solution|variant)\s+#?(\d{1,2}|[A-H])|#?(\d{1,2}))\s*(?:\([^)]{1,20}\))?\s*[-–—:.)]*\s+(\S.*)$`)
	optionChosen = lazyregexp.New(`(?i)^(?:we\s+)?(?:(?:will|have|shall)\s+)?(?:use|choose|chose|chosen|go with|went with|pick|picked|select|selected|adopt|adopted|accept|accepted|implement|implemented|take|took)?:?\s*(?:the\s+)?(?:(?:option|alternative|approach|solution|variant)\s*:?\s*#?(\d{1,2}|[A-H])|#(\d{1,2}))\W*$`)
)

// maxOption is the longest text that an option is told by.
const maxOption = 200

// optionsOf returns what the options of a record are, by their numbers or letters.
func optionsOf(doc document) map[string]string {
	out := map[string]string{}
	level := 0 // of the heading above the options, 0 outside of them
	note := func(text string) {
		text, _, _ = strings.Cut(text, "\n")
		m := optionName.FindStringSubmatch(text)
		if m == nil {
			return
		}
		name := strings.ToUpper(m[1] + m[2])
		if first, _ := sentence(m[3]); out[name] == "" && len(first) <= maxOption {
			out[name] = strings.TrimRight(first, ".:")
		}
	}
	for _, b := range doc.blocks {
		switch {
		case b.kind == heading && level > 0 && b.level > level, b.kind == paragraph && level > 0:
			note(b.text)
		case b.kind == heading:
			level = 0
			if optionsHead.MatchString(b.text) {
				level = b.level
			}
		case b.kind == list && level > 0:
			for line := range strings.SplitSeq(itemsText(b), "\n") {
				note(strings.TrimPrefix(line, "- "))
			}
		}
	}
	return out
}

// chosen returns the option that a sentence names by its number or letter and by nothing else: "5" of
// "We use #5."
func chosen(first string) (name string, ok bool) {
	m := optionChosen.FindStringSubmatch(first)
	if m == nil {
		return "", false
	}
	return strings.ToUpper(m[1] + m[2]), true
}

// dependencies matches a line that lists what something depends on.
var (
	dependencies = lazyregexp.New(`(?i)(?:^|: )(?:\w+ )?dependencies:\s+(.+)$`)
	beside       = lazyregexp.New("`[^`]*`|\\([^)]*\\)")
)

// onlyDependencies reports whether a text lists names of packages and says nothing else: what the
// manifest of the package says better.
func onlyDependencies(text string) bool {
	m := dependencies.FindStringSubmatch(text)
	if m == nil || !strings.Contains(m[1], "`") {
		return false
	}
	const few = 4 // words: "for structured logging"
	for part := range strings.FieldsFuncSeq(beside.ReplaceAllString(m[1], ""), func(r rune) bool { return strings.ContainsRune(",;.", r) }) {
		if words(part) > few || normative.MatchString(part) {
			return false
		}
	}
	return true
}
