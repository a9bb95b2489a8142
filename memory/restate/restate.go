// Package restate judges whether one sentence says another one again, or corrects it. It
// compares words; a caller that has vectors may ask it for a veto. It must not know
// memories, models, or where texts are kept.
package restate

import (
	"slices"
	"strings"
	"unicode"
)

// Near is the share of common words (Jaccard) from which two texts say the same, unless they
// differ in something that matters.
const Near = .85

// Cosine is the similarity of vectors from which two texts say the same, unless they differ in
// something that matters. docs/consolidate.md has the measurements.
const Cosine = .86

// corrects is the share of common words, without those in which a correction differs, from which
// two texts are about the same thing.
const corrects = .6

// likely is the share of common words from which two texts about the same symbol are likely to say the same, unless they
// differ in something that matters: enough to tell a person, and too little to merge. cmd/eval/gate/FIGURES.md has the measurements.
const likely = .65

// Verdict is how two texts relate.
type Verdict int

// The verdicts.
const (
	Other    Verdict = iota // they say different things
	Same                    // one says the other again
	Corrects                // they contradict each other
)

// Judge compares the words of two texts. For Corrects, why says in what they differ.
func (t *Text) Judge(o *Text) (v Verdict, why string) { return t.judge(o, Near) }

// JudgeHere is Judge for two texts about one symbol, where [likely] is enough to tell a person.
func (t *Text) JudgeHere(o *Text) (v Verdict, why string) { return t.judge(o, likely) }

func (t *Text) judge(o *Text, near float64) (v Verdict, why string) {
	why = t.Differ(o)
	switch {
	case why == "" && max(t.Jaccard(o), t.common(o)) >= near:
		return Same, ""
	case t.contradicts(o, why):
		return Corrects, why
	}
	return Other, why
}

// contradicts reports whether two texts that differ are about the same thing.
func (t *Text) contradicts(o *Text, why string) bool {
	switch why {
	case otherNumbers, otherCompare, oneNegates, otherNegation, sayOpposite, otherOrder:
	default:
		return false
	}
	if why != otherOrder && t.lacks(o) && o.lacks(t) {
		return false // about other things
	}
	a, b := t.subject(o), o.subject(t)
	return len(a) > 0 && len(b) > 0 && jaccard(a, b) >= corrects
}

// subject returns the words of content without numbers, and without words that have opposites, unless the other text has
// them, too: "stored in UTC" and "stored in local time" differ in the times alone.
func (t *Text) subject(o *Text) map[string]bool {
	out, theirs := map[string]bool{}, setOf(o.content())
	for _, w := range t.content() {
		if n, _ := number(w); n == "" && numerals()[w] == "" && units()[w] == "" && (!contrary()[w] || theirs[w]) {
			out[w] = true
		}
	}
	return out
}

// adds reports whether o limits what t says, by a name or by a condition.
func (t *Text) adds(o *Text) bool {
	return slices.ContainsFunc(o.Words, func(w string) bool { return strings.Contains(conditions, " "+w+" ") && !t.has[w] }) && len(o.Words) > len(t.Words) || t.lacks(o)
}

// conditions begin what limits a statement to a case; by their stems.
const conditions = " if when until whil during on under within but "

// Jaccard returns the share of the words of two texts that both have.
func (t *Text) Jaccard(o *Text) float64 { return jaccard(t.has, o.has) }

// common returns the share of the words of content that both texts have. Few words say too little.
func (t *Text) common(o *Text) float64 {
	a, b := setOf(t.content()), setOf(o.content())
	if min(len(a), len(b)) < leastContent {
		return 0
	}
	return jaccard(a, b)
}

// leastContent is how many words of content decide whether two texts say the same.
const leastContent = 3

func setOf(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, w := range list {
		out[w] = true
	}
	return out
}

// MayRelate is a cheap test that texts which Judge relates pass.
func MayRelate(a, b map[string]bool) bool { return jaccard(a, b) >= .25 }

// WordSet returns the lower-case words of a text, for MayRelate.
func WordSet(s string) map[string]bool {
	return setOf(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

func jaccard(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	all := len(a) + len(b) - both
	if all == 0 {
		return 0
	}
	return float64(both) / float64(all)
}
