package anchoring_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/must"
)

// TestOtherEncodings: lines of a file in Latin-1 have a record in UTF-8, and are found
// in the file, in the text that an editor makes of it, and below new lines.
func TestOtherEncodings(t *testing.T) {
	t.Parallel()
	const latin1 = "Gr\xfc\xdfe\nan = alle # f\xfcr\nEnde \xe9\n"
	const decoded = "Gr\u00fc\u00dfe\nan = alle # f\u00fcr\nEnde \u00e9\n"
	a, err := anchoring.Make(t.Context(), anchor.Place{Path: "a.text", Lines: &anchor.LineRange{Start: 2, End: 2}}, "", []byte(latin1))
	must.OK(t, err)
	if !utf8.ValidString(a.Quote + a.Prefix + a.Suffix) {
		t.Errorf("the record is no UTF-8: %q %q %q", a.Prefix, a.Quote, a.Suffix)
	}
	old := anchoring.TextSource("a.text", "", "", []byte(latin1))
	for name, test := range map[string]struct {
		text string
		line int
		want anchor.State
	}{
		"itself":        {latin1, 2, anchor.Fresh},
		"in an editor":  {decoded, 2, anchor.Fresh},
		"below a line":  {"neu\n" + latin1, 3, anchor.Fresh},
		"another word":  {strings.Replace(latin1, "alle", "jeden", 1), 2, anchor.Stale},
		"saved as UTF8": {"neu\n" + decoded, 3, anchor.Fresh},
	} {
		now := anchoring.TextSource("a.text", "", "", []byte(test.text))
		w := &anchoring.World{
			Old: func(string) *anchoring.Source { return old },
			New: func(string) *anchoring.Source { return now },
		}
		if r := w.Resolve(a); r.State != test.want || r.Line != test.line {
			t.Errorf("%s: %s (%s) at %d, want %s at %d", name, r.State, r.Reason, r.Line, test.want, test.line)
		}
	}
}
