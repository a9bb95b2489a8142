package restate

import (
	"slices"
	"strings"
)

// exclusive are sets of words of which a statement means one: a text with one of a set contradicts
// a text with another one in its place.
var exclusiveOnce lazy[[]map[string]bool]

func exclusive() []map[string]bool {
	return exclusiveOnce.get(func() []map[string]bool {
		var out []map[string]bool
		for _, line := range []string{
			"hourly nightly daily weekly monthly quarterly yearly annually annual",
			"monday tuesday wednesday thursday friday saturday sunday",
			"utc gmt local cet est pst",
			"once twice thrice",
			"millisecond second minute hour day night week month quarter year request deploy",
			"bit byte kilobyte megabyte gigabyte kb mb gb",
			"always never sometimes often",
			"must may", "all some none", "every some", "single multiple", "everybody nobody",
			"debug info warning error fatal trace",
			"stdin stdout stderr", "uppercase lowercase", "sync async", "synchronous asynchronous",
			"include exclude", "inclusive exclusive", "enable disable", "ascending descending", "lock unlock", "signed unsigned",
			"primary secondary replica", "leader follower", "eager lazy", "head tail", "top bottom", "front back", "frontend backend",
			"forward backward", "online offline", "raise lower", "grow shrink", "commit rollback", "merge rebase squash", "tab tabs space",
			"json yaml xml toml csv", "main master develop release", "in out", "from to", "from into", "over under", "before during after", "linux windows macos darwin", "row column", "width height",
		} {
			set := map[string]bool{}
			for w := range strings.FieldsSeq(line) {
				set[stem(w)] = true
			}
			out = append(out, set)
		}
		return out
	})
}

// excludes reports whether each text has a word of a set that the other lacks.
func (t *Text) excludes(o *Text) bool {
	for _, set := range exclusive() {
		mine, theirs := false, false
		for w := range set {
			mine = mine || t.has[w] && !o.has[w]
			theirs = theirs || o.has[w] && !t.has[w]
		}
		if mine && theirs {
			return true
		}
	}
	return false
}

// fillers are words that carry no content of their own.
const fillers = ` a an the this that these those it its is are was were be been being am do does did done has have had having
 will would shall should can could of to in on at by for from with into onto as and or so then than also just please really
 very quite simply actually always ever there here which who whom whose we you they i he she our your their my us them all each every
 when while if because since about over out up off s t must need needs needed has get gets got makes make made let via per own
 take takes taken again in fact exactly one both any such like well too now still only yet already `

// filler reports whether a stem is a word without content.
func filler(w string) bool { return fillerStems()[w] }

var fillerStemsOnce lazy[map[string]bool]

func fillerStems() map[string]bool {
	return fillerStemsOnce.get(func() map[string]bool {
		out := map[string]bool{}
		for w := range strings.FieldsSeq(fillers) {
			out[w], out[stem(w)] = true, true
		}
		return out
	})
}

// synonyms are words that people use for one another in such sentences.
var synonymsOnce lazy[map[string]string]

func synonyms() map[string]string {
	return synonymsOnce.get(func() map[string]string {
		out := map[string]string{}
		for _, line := range []string{
			"use employ utilize", "remove delete erase drop", "fail break", "begin start launch", "create build generate", "require expect",
			"execute run", "repository repo", "folder directory dir", "configuration config settings", "function func", "argument arg parameter param",
			"document doc documentation docs", "environment env", "variable var", "database db", "error failure", "reachable available", "manually hand",
			"prior before", "change modify edit", "quick fast", "big large", "small little", "show display", "store keep save persist", "call invoke", "send emit", "check verify validate",
		} {
			set := strings.Fields(line)
			for _, w := range set {
				out[stem(w)] = stem(set[0])
			}
		}
		return out
	})
}

// content returns the words of a text that carry its meaning, in order, synonyms as one.
func (t *Text) content() []string {
	var out []string
	for _, w := range t.Words {
		if filler(w) || strings.Contains(negators, " "+w+" ") || len(t.Numbers) > 0 && unitStems()[w] {
			continue
		}
		if s, ok := synonyms()[w]; ok {
			w = s
		}
		out = append(out, w)
	}
	return out
}

// unitStems are the stems of units, which the numbers of a text hold.
var unitStemsOnce lazy[map[string]bool]

func unitStems() map[string]bool {
	return unitStemsOnce.get(func() map[string]bool {
		out := map[string]bool{}
		for w := range units() {
			out[stem(w)] = true
		}
		return out
	})
}

// The shape of sentences of which one replaces a word of the other.
const (
	mostSlots  = 2  // places in which they differ
	mostInSlot = 3  // words of content in such a place
	leastAlike = .4 // share of the words that are aligned
)

// replaces reports whether one text is the other with a few words in place of others: the same
// sentence about something else, or a correction. A paraphrase changes more of a sentence.
func (t *Text) replaces(o *Text) bool {
	a, b := t.content(), o.content()
	slots, same := align(a, b)
	replaced := 0
	for _, s := range slots {
		if len(s[0]) == 0 || len(s[1]) == 0 {
			continue // said in addition
		}
		if len(s[0]) > mostInSlot || len(s[1]) > mostInSlot {
			return false
		}
		if !inflected(s[0], s[1]) {
			replaced++
		}
	}
	return replaced > 0 && replaced <= mostSlots && float64(same) >= leastAlike*float64(max(len(a), len(b)))
}

// swapped reports whether two texts have the same words of content, of which two changed places.
func (t *Text) swapped(o *Text) bool {
	a, b := t.content(), o.content()
	if len(a) != len(b) || slices.Equal(a, b) || !sameSet(a, b) {
		return false
	}
	var at []int
	for i := range a {
		if a[i] != b[i] {
			at = append(at, i)
		}
	}
	return len(at) == 2 && a[at[0]] == b[at[1]] && a[at[1]] == b[at[0]] && !t.sameCompound(o, a[at[0]], a[at[1]])
}

// fronts begin a clause that may stand before or after what it is about; by their stems.
const fronts = " befor after when whil if unless until during in on at for with without onc "

// turnsAround reports whether a clause that begins the one text ends the other ("Before a commit run the tests", "Run the
// tests before a commit"), and all else is the same.
func (t *Text) turnsAround(o *Text) bool {
	return slices.ContainsFunc(turns(o.Words), func(words []string) bool { return slices.Equal(t.Words, words) })
}

// turns returns the orders in which a clause at the beginning or the end of a text is at the other end.
func turns(words []string) [][]string {
	var out [][]string
	for i := 1; i < len(words); i++ {
		if front := func(w string) bool { return strings.Contains(fronts, " "+w+" ") }; front(words[0]) || front(words[i]) {
			out = append(out, slices.Concat(words[i:], words[:i]))
		}
	}
	return out
}

// mostArranged bounds the words of texts whose arrangements are compared: the work grows with their fourth power, and a
// text may be made to cost time. A sentence has fewer.
const mostArranged = 30

// listedOtherwise reports whether two texts differ only in which side of an "and" or "or" comes first, wherever a clause
// stands. "Stop it and start it" is another order of acts, and "the linter and the tests" is none, so they neither say the
// same nor contradict each other.
func (t *Text) listedOtherwise(o *Text) bool {
	if len(t.Words) > mostArranged || len(t.Words) != len(o.Words) || slices.Equal(t.Words, o.Words) || !sameSet(t.Words, o.Words) {
		return false
	}
	return slices.ContainsFunc(append(turns(o.Words), o.Words), func(words []string) bool { return sidesSwapped(t.Words, words) })
}

// sidesSwapped reports whether b is a with the words on both sides of an "and" or "or" swapped.
func sidesSwapped(a, b []string) bool {
	before := 0 // words that both begin with
	for before < len(a) && a[before] == b[before] {
		before++
	}
	after := 0
	for after < len(a)-before && a[len(a)-1-after] == b[len(b)-1-after] {
		after++
	}
	for k, w := range a {
		if w != "and" && w != "or" {
			continue
		}
		for from := range min(before, k-1) + 1 {
			for to := len(a); to >= len(a)-after && to > k+1; to-- {
				if swapped := slices.Concat(a[k+1:to], a[k:k+1], a[from:k]); slices.Equal(swapped, b[from:to]) {
					return true
				}
			}
		}
	}
	return false
}

// sameCompound reports whether a follows b at once in one text and b a in the other ("fails silently", "silently fails"), or both
// name one thing with and without an "of" ("a pool of connections", "a connection pool").
func (t *Text) sameCompound(o *Text, a, b string) bool {
	return t.adjoin(a, b) && o.adjoin(b, a) || t.of(a, b) && o.adjoin(b, a) || t.adjoin(a, b) && o.of(b, a)
}

// articles may stand before a noun; by their stems.
const articles = " th a an all "

// of reports whether the text says "a of b", with or without an article.
func (t *Text) of(a, b string) bool {
	for i := 2; i < len(t.Words); i++ {
		if t.Words[i] != b {
			continue
		}
		at := i - 1
		if strings.Contains(articles, " "+t.Words[at]+" ") {
			at--
		}
		if at > 0 && t.Words[at] == "of" && t.Words[at-1] == a {
			return true
		}
	}
	return false
}

// adjoin reports whether one word follows another at once, as in "fails silently".
func (t *Text) adjoin(a, b string) bool {
	for i := 1; i < len(t.Words); i++ {
		if t.Words[i-1] == a && t.Words[i] == b {
			return true
		}
	}
	return false
}

// inflected reports whether the words of two slots are forms of each other.
func inflected(a, b []string) bool {
	if len(a) != len(b) {
		return strings.Join(a, "") == strings.Join(b, "")
	}
	for i := range a {
		x, y := a[i], b[i]
		n := 0
		for n < len(x) && n < len(y) && x[n] == y[n] {
			n++
		}
		if x != y && (n < 4 || n+3 < max(len(x), len(y))) {
			return false
		}
	}
	return true
}

// maxAligned is how many words of a text are aligned.
const maxAligned = 200

// align finds the longest common subsequence of two lists of words. It returns what lies between
// the common words, and their number.
func align(a, b []string) (slots [][2][]string, same int) {
	a, b = a[:min(len(a), maxAligned)], b[:min(len(b), maxAligned)]
	lens := make([][]int16, len(a)+1)
	for i := range lens {
		lens[i] = make([]int16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lens[i][j] = lens[i+1][j+1] + 1
			} else {
				lens[i][j] = max(lens[i+1][j], lens[i][j+1])
			}
		}
	}
	i, j, fromA, fromB := 0, 0, 0, 0
	flush := func() {
		if fromA < i || fromB < j {
			slots = append(slots, [2][]string{a[fromA:i], b[fromB:j]})
		}
	}
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			flush()
			same++
			i, j = i+1, j+1
			fromA, fromB = i, j
		case lens[i+1][j] >= lens[i][j+1]:
			i++
		default:
			j++
		}
	}
	i, j = len(a), len(b)
	flush()
	return slots, same
}

// contrary are the stems that have an opposite or exclude another word.
var contraryOnce lazy[map[string]bool]

func contrary() map[string]bool {
	return contraryOnce.get(func() map[string]bool {
		out := map[string]bool{}
		for _, p := range opposites() {
			out[p[0]], out[p[1]] = true, true
		}
		for _, set := range exclusive() {
			for w := range set {
				out[w] = true
			}
		}
		return out
	})
}
