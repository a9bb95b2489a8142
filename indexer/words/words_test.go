package words

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
)

func TestSplit(t *testing.T) {
	for in, want := range map[string]string{
		"parseHTTPRequest2": "parse HTTP Request2",
		"token":             "token",
		"ID":                "ID",
		"getÄnderung":       "get Änderung",
	} {
		if got := strings.Join(SplitIdentifier(in), " "); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestSpread(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "",
		"parseHTTPRequest2(theBody)\n\tx_y": "parse HTTP Request2(the Body)\n\tx_y",
		"getÄnderung: \"日本\" \xff.":         "get Änderung: \"日本\" \xff.",
	} {
		if got := Spread(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// FuzzSpread: nothing is added but spaces, and nothing is lost.
func FuzzSpread(f *testing.F) {
	f.Add("parseHTTPRequest2(x) \xff _aB")
	f.Fuzz(func(t *testing.T, text string) {
		without := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := Spread(text); without(got) != without(text) || Spread(got) != got {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}

// FuzzIdentifierWords compares with the words of each field.
func FuzzIdentifierWords(f *testing.F) {
	f.Add("parseHTTPRequest2(theBody) getÄnderung ID aBÄc \xffaB é日本A x2Y ABc")
	f.Fuzz(func(t *testing.T, text string) {
		var want strings.Builder
		for _, w := range Fields(text) {
			if parts := SplitIdentifier(w); len(parts) > 1 {
				want.WriteString(strings.Join(parts, " ") + " ")
			}
		}
		if got := IdentifierWords(text); got != want.String() {
			t.Errorf("%q: %q, want %q", text, got, want.String())
		}
	})
}

func TestTerms(t *testing.T) {
	got := Terms("Why does the refreshTokens of src/auth fail? It fails when refreshing.")
	if want := []string{"refresh", "token", "src", "auth", "fail"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestStem: the forms of a word have one stem, which Porter's rules miss where the word itself ends in
// two equal consonants.
func TestEach(t *testing.T) {
	text := "Opening the HTTPServer opens a socket; parseHTTPRequest2 reopens it, the socket"
	var s, other Stemmer
	var got []string
	for term := range s.Each(text) {
		if !slices.Contains(got, term) {
			got = append(got, term)
		}
	}
	if want := other.Terms(text); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := testing.AllocsPerRun(10, func() {
		for range s.Each(text) {
			continue
		}
	}); n > 0 {
		t.Errorf("known words take %v allocations", n)
	}
}

func TestStem(t *testing.T) {
	for _, forms := range [][]string{
		{"add", "adds", "added", "adding"}, {"diff", "diffs", "diffed", "diffing"}, {"err", "errs", "erred"},
		{"run", "running"}, {"call", "calling"}, {"pass", "passed"}, {"plan", "planned"},
	} {
		for _, w := range forms[1:] {
			if Stem(w) != Stem(forms[0]) {
				t.Errorf("%s: %s, %s: %s", forms[0], Stem(forms[0]), w, Stem(w))
			}
		}
	}
}

func TestAsk(t *testing.T) {
	for in, want := range map[string]string{
		"the token of the user": `"token" OR "user"`,
		"what is it":            `"what" OR "is" OR "it"`,
		"loadUser loadUser":     `("loadUser" OR "load User")`,
		`quote " and -minus`:    `"quote" OR "minus"`,
		"":                      "",
		"a1 b2 c3 d4 e5":        `"a1" OR "b2" OR "c3" OR "d4"`,
		"add a flag":            `("add" OR "adding") OR "flag"`,
		"Adding it, diffed":     `("Adding" OR "add") OR ("diffed" OR "diff")`,
		"falling passed speed":  `"falling" OR "passed" OR "speed"`,
	} {
		if got := ParseQuery(in, 4).MatchAny(); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
	if got, want := ParseQuery("token user", 4).MatchAll(), `"token" AND "user"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestPhrases(t *testing.T) {
	q := ParseQuery("loadUser fails", 9)
	if got := [][]string{Phrases(q[0]), Phrases(q[1])}; !slices.Equal(got[0], []string{"loadUser", "load User"}) || !slices.Equal(got[1], []string{"fails"}) {
		t.Errorf("%q: %q", q, got)
	}
}

func TestRarest(t *testing.T) {
	rows := map[string]int{`"x"`: 900, `"b"`: 5, `"c"`: 40, `"d"`: 300}
	having := func(term string, most int) (int, error) { return min(rows[term], most), nil }
	for _, c := range []struct {
		ask  string
		rows int
		want string
	}{
		{"x b c d", 5000, "x b c d"},
		{"x b c d", 400, "b c d"},
		{"d c b x", 400, "d c b"}, // as they were asked
		{"x b c d", 50, "b c"},
		{"x d", 50, "x d"},   // two in any case
		{"x d c", 50, "x c"}, // of two that are in more than all may be, the first
		{"", 50, ""},
	} {
		got, err := ParseQuery(c.ask, 9).Rarest(c.rows, having)
		must.OK(t, err)
		if text := strings.Join(got, " "); text != `"`+strings.ReplaceAll(c.want, " ", `" "`)+`"` && (c.want != "" || len(got) > 0) {
			t.Errorf("%q in %d rows: %s, want %s", c.ask, c.rows, text, c.want)
		}
	}
	fails := errors.New("no index")
	if _, err := ParseQuery("x b c", 9).Rarest(1, func(string, int) (int, error) { return 0, fails }); !errors.Is(err, fails) {
		t.Errorf("error %v, want %v", err, fails)
	}
}

func TestJoined(t *testing.T) {
	if got := slices.Collect(Joined("the ETag of GitHub's Requests, parseHTTPBody and änderungAn")); strings.Join(got, " ") != "etag github parsehttpbodi änderungan" {
		t.Errorf("%q", got)
	}
}
