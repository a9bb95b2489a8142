package full

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"manicule/memory/literal"
)

// clue is what a text needs for one of gitleaks' rules to match it: the rule's
// keyword, and runs of the bytes that tokens are made of. Both follow from the
// rule, see the test that writes the table: a text without any clue holds nothing
// that the rules find, and they need not even be loaded.
type clue struct {
	keyword string // in lower case
	runs    []runs // of the keyword's rules: one of them has to be reached
}

// runs are lengths of the longest runs of token bytes, of the narrow and of the
// wide set.
type runs struct{ narrow, wide int }

// reaches reports whether runs are at least as long as those of a rule.
func (r runs) reaches(least runs) bool { return r.narrow >= least.narrow && r.wide >= least.wide }

// The sets of token bytes. What is not ASCII is in both: without regard to case a
// pattern takes such letters for "s" and "k".
const (
	narrowSigns = "_-"
	wideSigns   = narrowSigns + "=.+/%~:@\\"
)

// The bits of a byte in byteSets.
const (
	inNarrow = 1 << iota
	inWide
)

var byteSets = sync.OnceValue(func() *[256]byte {
	var set [256]byte
	for c := range 256 {
		b := byte(c)
		plain := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b >= utf8.RuneSelf
		if plain || strings.IndexByte(narrowSigns, b) >= 0 {
			set[c] |= inNarrow
		}
		if plain || strings.IndexByte(wideSigns, b) >= 0 {
			set[c] |= inWide
		}
	}
	return &set
})

// leastLong is the length of the shortest runs of wide bytes that are looked for. A rule that
// matches shorter ones is tried wherever its keyword is.
const leastLong = 12

// longRun is a run of at least leastLong bytes of the wide set that no such byte precedes or
// follows: text[from:to]. narrow is the longest run of bytes of the narrow set in it.
type longRun struct{ from, to, narrow int }

// found are the clues of a text.
type found struct {
	keywords []bool // by their index in clues; nil for none
	places   []occurrence
	folds    bool // it has characters that ASCII letters stand for without regard to case: the places are not right
	long     []longRun
	most     runs // of all runs; those below leastLong count as reached
}

// occurrence is a keyword in a text, by its index in clues.
type occurrence struct{ keyword, at int }

// cluesIn looks for the clues of a text in a single pass over its keywords, and a look at a few of
// its bytes for its runs.
func cluesIn(text string) found {
	var f found
	mark := func(keyword, at int) bool {
		if f.keywords == nil {
			f.keywords = make([]bool, len(clues()))
		}
		f.keywords[keyword] = true
		f.places = append(f.places, occurrence{keyword, at})
		return true
	}
	if foldsToASCII(text) {
		f.folds, text = true, strings.ToLower(text)
	}
	keywords().Each(text, mark)
	f.folds = f.folds || f.keywords != nil && strings.Contains(text, "ſ") // patterns take it for an s
	return f
}

// foldsToASCII reports whether a text has one of the two characters that are ASCII in lower case.
func foldsToASCII(text string) bool {
	return strings.Contains(text, "\u212a") || strings.Contains(text, "\u0130")
}

// measure finds the runs of a text.
func (f *found) measure(text string) {
	f.most = runs{leastLong - 1, leastLong - 1}
	sets := byteSets()
	for i := 0; i+leastLong <= len(text); {
		end := i + leastLong - 1 // a run that begins at i or before it has this byte
		for end >= i && sets[text[end]]&inWide != 0 {
			end--
		}
		if end >= i {
			i = end + 1
			continue
		}
		run := longRun{i, i + leastLong, 0}
		for run.to < len(text) && sets[text[run.to]]&inWide != 0 {
			run.to++
		}
		narrow := 0
		for j := run.from; j < run.to; j++ {
			if sets[text[j]]&inNarrow == 0 {
				narrow = 0
				continue
			}
			narrow++
			run.narrow = max(run.narrow, narrow)
		}
		f.most = runs{max(f.most.narrow, run.narrow), max(f.most.wide, run.to-run.from)}
		f.long = append(f.long, run)
		i = run.to + 1
	}
}

// keywords are those of all clues.
var keywords = sync.OnceValue(func() *literal.Set {
	var words []string
	for _, c := range clues() {
		words = append(words, c.keyword)
	}
	return literal.NewFolded(words)
})

// lookAt returns the clues of a text. may is false if none of gitleaks' rules can match it.
func lookAt(text string) (f found, may bool) {
	if f = cluesIn(text); f.keywords == nil {
		return f, false
	}
	f.measure(text)
	for keyword, there := range f.keywords {
		if there && slices.ContainsFunc(clues()[keyword].runs, f.most.reaches) {
			return f, true
		}
	}
	return f, false
}
