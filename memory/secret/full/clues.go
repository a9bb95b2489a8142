package full

import (
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

// runsOf measures the longest runs of a text.
func runsOf(text string) runs {
	var longest, now runs
	sets := byteSets()
	for i := range len(text) {
		switch set := sets[text[i]]; {
		case set&inNarrow != 0:
			now.narrow++
			now.wide++
			longest.narrow = max(longest.narrow, now.narrow)
			longest.wide = max(longest.wide, now.wide)
		case set&inWide != 0:
			now.narrow = 0
			now.wide++
			longest.wide = max(longest.wide, now.wide)
		default:
			now = runs{}
		}
	}
	return longest
}

// keywords are those of all clues.
var keywords = sync.OnceValue(func() *literal.Set {
	var words []string
	for _, c := range clues() {
		words = append(words, c.keyword)
	}
	return literal.New(words)
})

// mayHold reports whether one of gitleaks' rules may match a text.
func mayHold(text string) bool {
	found, measured := false, false
	var have runs
	all := clues()
	keywords().Each(strings.ToLower(text), func(keyword int) bool {
		if !measured {
			have, measured = runsOf(text), true
		}
		for _, least := range all[keyword].runs {
			found = found || have.reaches(least)
		}
		return !found
	})
	return found
}
