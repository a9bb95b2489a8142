package memory

import (
	"slices"
	"strings"
	"unicode"

	"manicule/memory/file"
)

// StillSays returns a name that a memory's words have of a symbol that is called otherwise now, "" if they have none. Anchors
// follow a renamed symbol, and words stay what a person wrote. was and now are the symbol's paths, such as "Store.Validate".
func StillSays(m *file.Memory, was, now string) string {
	texts := []string{m.What, m.Why}
	if d, err := m.ReadDetails(); err == nil {
		texts = append(texts, d.Instead)
		for _, s := range d.Steps {
			texts = append(texts, s.Do)
		}
	}
	current := namesOf(now)
	for _, name := range namesOf(was) {
		if !slices.Contains(current, name) && slices.ContainsFunc(texts, func(text string) bool { return namesInCode(text, name) }) {
			return name
		}
	}
	return ""
}

// namesOf splits a symbol's path into its names.
func namesOf(symbol string) []string {
	return strings.FieldsFunc(symbol, func(r rune) bool { return !isNameRune(r) })
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// namesInCode reports whether a text has a name as a word of its own. One that may be a word of the language counts in backticks,
// or as a call.
func namesInCode(text, name string) bool {
	plain := strings.ToLower(name) == name && !strings.ContainsAny(name, "_$0123456789")
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		before, after := text[:from+i], text[from+i+len(name):]
		from += i + len(name)
		whole := strings.TrimRightFunc(before, isNameRune) == before && strings.TrimLeftFunc(after, isNameRune) == after
		if whole && (!plain || strings.HasPrefix(after, "(") || strings.Count(before, "`")%2 == 1) {
			return true
		}
	}
}
