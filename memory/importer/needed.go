package importer

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/memory/literal"
)

// longS is the one character that expressions fold to a letter of ASCII and that lower case keeps.
const longS = "\u017f"

// mayMatch reports whether a text contains one of the words that a pattern needs.
func mayMatch(needed *literal.Set, text string) bool {
	if needed == nil || strings.Contains(text, longS) {
		return true
	}
	found := false
	needed.Each(strings.ToLower(text), func(int, int) bool {
		found = true
		return false
	})
	return found
}

// neededBy returns words in lower case of which each match of an expression contains at least one,
// or nil if there are none.
func neededBy(expr string) *literal.Set {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil // compiling it reports the error
	}
	words := needed(re.Simplify())
	if words == nil {
		return nil
	}
	return literal.New(words)
}

// shortest is the length of the shortest word that is worth a search, and mostNeeded the number of
// words up to which there is one.
const shortest, mostNeeded = 2, 200

func needed(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		word := strings.ToLower(string(re.Rune))
		if len(word) < shortest || strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return nil
		}
		return []string{word}
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if words := needed(sub); words != nil && (best == nil || rarer(words, best)) {
				best = words
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			words := needed(sub)
			if words == nil || len(all)+len(words) > mostNeeded {
				return nil
			}
			all = append(all, words...)
		}
		return all
	default: // it may match without any fixed text
	}
	return nil
}

// rarer reports whether fewer texts are likely to contain one of a than of b: its shortest word is
// longer.
func rarer(a, b []string) bool {
	return len(slices.MinFunc(a, byLength)) > len(slices.MinFunc(b, byLength))
}

func byLength(a, b string) int { return len(a) - len(b) }
