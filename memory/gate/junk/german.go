package junk

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"manicule/memory/lazyregexp"
)

// german are the regular expressions of a line in German, of words that English has seldom.
type german struct {
	says *lazyregexp.Regexp // what makes a line a statement or an order
	is   *lazyregexp.Regexp // words that are in most lines
}

var germanForms = sync.OnceValue(func() *german {
	return &german{
		says: lazyregexp.New(`(?:^|\s)(?i:ist|sind|wird|werden|wurden?|haben|muss|müssen|muß|darf|dürfen|soll|sollen|kann|können|nicht|nie|niemals|keine?[nmrs]?|ohne|weil|wenn|sonst|statt|bevor|nachdem|damit|` +
			`kommt|kommen|endet|enden|gelten|gibt|geht|liegt|liegen|steht|stehen|bleibt|bleiben|braucht|brauchen|läuft|liest|schreibt|nutzt|nutzen|ruft|rufen|prüft|prüfen|startet|fehlt|fehlen)(?:[\s,.;:!?]|$)`),
		is: lazyregexp.New(`(?:^|\s)(?:der|das|dem|den|und|oder|mit|nach|vor|beim|bei|im|zum|zur|für|auf|aus|vom|ein|eine[mnrs]?|sich|über|als|Der|Das|Ein|Eine|Beim|Im|Vor|Nach|Für)\s`),
	}
})

// saysInGerman reports whether a line is German and says something of what it names: it has a word that only statements have, or one
// that may be a verb. German writes its nouns with a capital, so that no part of a name is small but what joins two, and adjectives.
func saysInGerman(line string) bool {
	g := germanForms()
	if g.says.MatchString(line) {
		return true
	}
	fields := strings.Fields(line)
	return g.is.MatchString(line) && len(fields) > 2 && slices.ContainsFunc(fields[1:], mayBeGermanVerb)
}

// mayBeGermanVerb reports whether a word of a German line has the form of a verb: "endet", "gefüllt".
func mayBeGermanVerb(word string) bool {
	word = strings.TrimRight(word, ".,;:!?")
	if r, _ := utf8.DecodeRuneInString(word); !unicode.IsLower(r) || utf8.RuneCountInString(word) < 4 || strings.ContainsAny(word, "_./`(") {
		return false
	}
	return strings.HasSuffix(word, "t") || strings.HasSuffix(word, "ieren") || strings.HasSuffix(word, "ern") || strings.HasSuffix(word, "eln")
}
