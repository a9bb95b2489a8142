package words

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for in, want := range map[string]string{
		"parseHTTPRequest2": "parse HTTP Request2",
		"token":             "token",
		"ID":                "ID",
		"getÄnderung":       "get Änderung",
	} {
		if got := strings.Join(Split(in), " "); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestTerms(t *testing.T) {
	got := Terms("Why does the refreshTokens of src/auth fail? It fails when refreshing.")
	if want := []string{"refresh", "token", "src", "auth", "fail"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMatch(t *testing.T) {
	for in, want := range map[string]string{
		"the token of the user": `"token" OR "user"`,
		"what is it":            `"what" OR "is" OR "it"`,
		"loadUser loadUser":     `("loadUser" OR "load User")`,
		`quote " and -minus`:    `"quote" OR "minus"`,
		"":                      "",
		"a1 b2 c3 d4 e5":        `"a1" OR "b2" OR "c3" OR "d4"`,
	} {
		if got := Match(in, "OR", 4); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
