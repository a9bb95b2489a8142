package junk

import (
	"strings"
	"sync"
	"unicode"

	"manicule/memory/lazyregexp"
)

// warns are the words by which somebody warns, praises or complains without saying of what, and those between them.
const warns = " a an and at be been before beware bit careful carefully caution changing code complex complicated critical danger dangerous delicate don't dragons editing " +
	"extra file fragile function hack hacky hairy handle here i important in is it it's just keep kind legacy line little look magic messy method mind modifying needs not of old out part please " +
	"really risky scary sensitive some something special stuff take the there thing this to touching touchy tricky ugly unsafe very warning watch watchful weird when while with wip work " +
	"care attention heed special-cased caveat gotcha note todo fixme hmm wow "

// vague reports whether a line warns of nothing that it names: "Be careful here", "This is important". What to write is no
// warning: "Complex code needs a note".
func vague(line string) bool {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(line, "’", "'")), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' })
	for _, w := range words {
		if !strings.Contains(warns, " "+w+" ") {
			return false
		}
	}
	return len(words) > 0 && !strings.Contains(" "+strings.Join(words, " ")+" ", " needs a note ") && strings.IndexFunc(line, unicode.IsDigit) < 0 && !strings.ContainsAny(line, "`\"“")
}

// cautions matches how a warning begins that goes on with its object.
var cautions = sync.OnceValue(func() *lazyregexp.Regexp {
	return lazyregexp.New(`^(?i:(?:be )?(?:careful|cautious) (?:about|around|of|when|with)|caution with|beware of|mind the|watch out for) `)
})

// fewestOfWarning is how many words a warning has that says of what.
const fewestOfWarning = 4

// warnsOf reports whether a line warns of something that it names, which needs no verb: "Careful with floats in prices".
func warnsOf(line string) bool {
	return cautions().MatchString(line) && wordsWithLetters(line) >= fewestOfWarning && !leadsIn(line) && !vague(line)
}
