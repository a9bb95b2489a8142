package importer

import (
	"path"
	"strings"
	"unicode/utf8"

	"manicule/memory/file"
	"manicule/memory/lazyregexp"
)

// Guides about a language or a tool are copied from project to project. What they say holds
// everywhere, and nothing in them names a file of this one.

const (
	// guideLength is the fewest memories of a file that is told to be such a guide.
	guideLength = 12
	// shortestName is the length from which a file's name is hardly ever another word.
	shortestName = 4
)

// namesOf returns the names of files and folders, with and without their extension, in lower case.
func namesOf(known map[string]bool) map[string]bool {
	names := make(map[string]bool, 2*len(known))
	for p := range known {
		name := strings.ToLower(path.Base(p))
		names[name] = true
		names[strings.TrimSuffix(name, path.Ext(name))] = true
	}
	return names
}

// inCode matches a span of code.
var inCode = lazyregexp.New("`([^`]+)`")

// isGuide reports whether none of a file's many memories names a file or folder of the workspace.
// Decisions and procedures are always the project's own.
func (o Options) isGuide(chunks []Chunk) bool {
	if len(chunks) < guideLength || len(o.known) == 0 {
		return false
	}
	for _, c := range chunks {
		if c.Memory != nil || c.Type == file.Decision || o.namesFile(c.What+"\n"+c.Why) {
			return false
		}
	}
	return true
}

// namesFile reports whether a text has the name of a file or folder in code, or one that is written
// like code.
func (o Options) namesFile(text string) bool {
	for _, span := range inCode.FindAllStringSubmatch(text, -1) {
		if o.hasName(span[1]) {
			return true
		}
	}
	for w := range strings.FieldsSeq(text) {
		_, n := utf8.DecodeRuneInString(w)
		if inner := w[n:]; (strings.ContainsAny(w, "_./-") || strings.ToLower(inner) != inner) && o.hasName(w) {
			return true
		}
	}
	return false
}

func (o Options) hasName(text string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !isNameRune(r) }) {
		if w = strings.Trim(w, "."); len(w) >= shortestName && o.names[w] {
			return true
		}
	}
	return false
}

func isNameRune(r rune) bool {
	return r == '_' || r == '.' || r == '-' || r == '@' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || r > 127
}
