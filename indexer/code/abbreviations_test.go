package code

import (
	"testing"

	"manicule/indexer/words"
)

func TestAbbreviations(t *testing.T) {
	for text, want := range map[string]string{
		"runs commands":  `"runs" OR ("commands" OR "cmd")`,
		"ctx":            `("ctx" OR "context")`,
		"parse cmdFlags": `"parse" OR ("cmdFlags" OR "cmd Flags")`, // an identifier is what it is
		"configuration":  `("configuration" OR "config" OR "conf" OR "cfg")`,
		"":               "",
	} {
		if got := newAbbreviations().allow(words.ParseQuery(text, 8)).MatchAny(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
