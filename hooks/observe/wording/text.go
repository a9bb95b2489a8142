// Package wording knows how people and agents write: what of a text is prose, which sentences are rules for later,
// what an agent's words announce, and whether two texts say the same. It must not know sessions.
package wording

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"manicule/indexer/clip"
	"manicule/memory/gate/injection"
)

// starts reports whether a text begins with one of some words.
func starts(low string, heads ...string) bool {
	return slices.ContainsFunc(heads, func(h string) bool { return strings.HasPrefix(low, h) })
}

// Has reports whether a text has one of some signs.
func Has(low string, signs ...string) bool {
	return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(low, s) })
}

// SameLetters reports whether two texts have the same letters and digits, whatever stands between them.
func SameLetters(a, b string) bool { return letters(a) == letters(b) }

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// Prose returns the lines of a message without its code and tables.
func Prose(text string) (out []string) {
	code, skip := false, false
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "’", "'"), "\n") {
		line = strings.TrimSpace(line)
		if skip || line == "…" { // the log has no room for a part: the lines at its ends are cut, too
			if !skip && len(out) > 0 {
				out = out[:len(out)-1]
			}
			skip, code = !skip, false
			continue
		}
		if strings.HasPrefix(line, "```") {
			code = !code
			continue
		}
		if n := len(out) - 1; code && n >= 0 && AsksToRun().MatchString(out[n]) && line != "" && !strings.HasPrefix(line, "#") && len(out[n]) < MaxQuoted {
			out[n] += " `" + strings.ReplaceAll(line, "`", "'") + "`"
		}
		if code || line == "" || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "::") || strings.HasPrefix(line, ">") || strings.HasPrefix(line, "<") || strings.HasPrefix(line, `"`) || strings.HasPrefix(line, "{") {
			continue
		}
		out = append(out, line)
	}
	return out
}

// Clauses splits a line into sentences and their parts.
func Clauses(line string) (out []string) {
	line = strings.TrimSpace(Mark().ReplaceAllString(line, ""))
	for _, s := range clauseEnd().Split(line, -1) {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// stop are words that say nothing about the subject of a text.
func stop(w string) bool {
	switch w {
	case "the", "a", "an", "of", "to", "in", "is", "are", "and", "or", "for", "with", "it", "its", "this", "that", "on", "at", "by", "as", "be", "was", "not", "from", "here":
		return true
	}
	return false
}

// Similarity is the cosine of two texts by their words, from 0 to 1. It stands in for
// embeddings, which a hook can't load.
func Similarity(a, b string) float64 { return Cosine(Bag(a), Bag(b)) }

// Bag counts the telling words of a text.
func Bag(s string) map[string]int {
	out := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		if !stop(w) {
			out[w]++
		}
	}
	return out
}

// Cosine is the similarity of two texts by their counted words.
func Cosine(a, b map[string]int) float64 {
	dot, na, nb := 0, 0, 0
	for w, n := range a {
		dot += n * b[w]
		na += n * n
	}
	for _, n := range b {
		nb += n * n
	}
	if na == 0 || nb == 0 {
		return 0
	}
	return float64(dot) / (math.Sqrt(float64(na)) * math.Sqrt(float64(nb)))
}

// MaxQuoted bounds the runes of what is quoted of a message.
const MaxQuoted = 160

// OneLine folds white space and cuts a text to a number of characters.
func OneLine(s string, limit int) string {
	return clip.MarkedChars(strings.Join(strings.Fields(s), " "), limit)
}

// Injected reports whether Manicule has put the text before an agent. Such text must
// never be learned.
func Injected(s string) bool {
	return injection.Echo(s) || strings.Contains(s, "manicule recall") // the observer sees commands too
}

var (
	// clauseEnd matches the end of a clause.
	clauseEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[.!]\s+|;\s+|。`) })
	// ListItem matches an item of a list.
	ListItem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[-*•]|\d+[.)]|☐|\[ \])\s*\S`) })
	// AsksToRun matches a line that asks a person to run the commands below it.
	AsksToRun = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bplease run\b|を実行してください`)
	})
)

// UsableItem reports whether an item may be told to others.
func UsableItem(text string) bool {
	return text != "" && !Injected(text) && injection.Find(text) == ""
}

// Mark is the Markdown at the start of a line, and emphasis.
var Mark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\s>#*+-]*(?:\d+[.)]\s+)?|[*_]{2,}`) })
