package anchoring_test

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

const random = `class Random {
	static String random(int count,
			Object random) {
		int gap = count;
		while (count-- != 0) {
			gap += random.hashCode();
		}
		return gap + "";
	}
}
`

// TestFocus holds that the word that is meant keeps its line, whatever comes
// before it or becomes of its name.
func TestFocus(t *testing.T) {
	one := strings.Replace(random, ",\n\t\t\tObject", ", Object", 1)
	tests := map[string]struct {
		before, after string
		line          int
		focus         string
		want          string // the line's text, and the word
		state         anchor.State
	}{
		"the file is as it was":       {random, random, 3, "random", "Object random) {|random", anchor.Fresh},
		"the function has its name":   {one, random, 2, "random", "Object random) {|random", anchor.Drifted},
		"an annotation before it":     {one, strings.Replace(one, "static", "@Deprecated\n\tstatic", 1), 2, "count", "static String random(int count, Object random) {|count", anchor.Fresh},
		"renamed":                     {random, strings.ReplaceAll(random, "gap", "space"), 4, "gap", "int space = count;|space", anchor.Drifted},
		"renamed with its type":       {random, strings.Replace(random, "Object random", "Source source", 1), 3, "random", "Source source) {|source", anchor.Drifted},
		"gone, between what is there": {random, strings.Replace(random, "\t\tint gap = count;\n", "", 1), 4, "gap", "while (count-- != 0) {|", anchor.Stale},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := anchoring.TextSource("a.java", "java", "old", []byte(test.before))
			blob := "new"
			if test.before == test.after {
				blob = "old"
			}
			n := anchoring.TextSource("a.java", "java", blob, []byte(test.after))
			a := anchor.Anchor{Kind: anchor.KindLines, Path: "a.java", Language: "java", Lines: &anchor.LineRange{Start: test.line, End: test.line}, Focus: test.focus, Blob: "old"}
			at := func(s *anchoring.Source) func(string) *anchoring.Source {
				return func(string) *anchoring.Source { return s }
			}
			r := (&anchoring.World{Old: at(o), New: at(n)}).Resolve(a)
			got := strings.TrimSpace(strings.Split(test.after, "\n")[r.Line-1]) + "|" + r.Focus
			if got != test.want || r.State != test.state {
				t.Errorf("%s at %q by %q (%s), want %s at %q", r.State, got, r.Rung, r.Reason, test.state, test.want)
			}
		})
	}
}
