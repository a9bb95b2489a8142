package code

import (
	"path"
	"strings"

	"manicule/indexer/words"
)

// What is embedded of a function: the beginning of its text, which has the comment and the signature, and
// then each further word once. A model reads only the first tokens of a text, and code repeats its names and
// spends a third of its tokens on punctuation.
const (
	headBytes = 170
	maxOthers = 80 // words after the beginning
	minOther  = 3  // bytes of such a word
)

// IsFunction reports whether a piece of this kind does something when it is called.
func IsFunction(kind string) bool { return kind == "function" || kind == "method" }

// EmbeddingText returns the text of a piece that is embedded: where it is and what it is called, then its
// text, with the words of camelCase apart. prefix is that of its chunk.
func EmbeddingText(file, kind, prefix, text string) string {
	if !IsFunction(kind) {
		return words.Spread(prefix + "\n" + text)
	}
	var b strings.Builder
	b.WriteString(words.Spread(strings.Replace(prefix, file, endOfPath(file), 1)))
	b.WriteByte('\n')
	head, rest := cut(text)
	b.WriteString(words.Spread(head))
	seen := make(map[string]bool)
	for range wordsOf(head, seen) { //nolint:revive // they are there already: only marked as seen
	}
	n := 0
	sep := byte('\n')
	for w := range wordsOf(rest, seen) {
		if n == maxOthers {
			break
		}
		n++
		b.WriteByte(sep)
		b.WriteString(w)
		sep = ' '
	}
	return b.String()
}

// cut returns the beginning of a text and the rest, between two words.
func cut(text string) (head, rest string) {
	if len(text) <= headBytes {
		return text, ""
	}
	end := strings.LastIndexFunc(text[:headBytes], func(r rune) bool { return !isNameRune(r) })
	if end <= 0 {
		return "", text
	}
	return text[:end], text[end:]
}

// endOfPath returns the folder and the name of a file. The folders above are the same for many files.
func endOfPath(file string) string {
	dir, base := path.Split(file)
	if dir == "" {
		return base
	}
	return path.Base(dir) + "/" + base
}

// wordsOf yields the words of a text that are not seen yet, in lower case: those that make up a name, then
// the name itself. Short and common ones are left out.
func wordsOf(text string, seen map[string]bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for name := range words.FieldsSeq(text) {
			parts := words.SplitIdentifier(name)
			if len(parts) > 1 {
				parts = append(parts, name)
			}
			for _, w := range parts {
				w = strings.ToLower(w)
				if len(w) < minOther || seen[w] || words.IsStopWord(w) {
					continue
				}
				seen[w] = true
				if !yield(w) {
					return
				}
			}
		}
	}
}
