package anchoring_test

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

// TestSpace holds that the white space of a docstring is no code, nor is a backslash at the end of a line, but
// the words of a docstring are, and the white space of other strings.
func TestSpace(t *testing.T) {
	const before = "class Syntax:\n    def guess(self, path):\n        \"\"\"Guesses.\n\n        Args:\n             path: the file\n        \"\"\"\n        text = \"\"\"\n          a\n        b\"\"\"\n        if path:\n            text = \"\"\"c\n              d\"\"\"\n        return path + text\n"
	tests := map[string]struct {
		from, to string
		state    anchor.State
	}{
		"indented anew":        {"             path:", "            path:", anchor.Fresh},
		"a space at its end":   {"Args:", "Args: ", anchor.Fresh},
		"a line joined":        {"path + text", "path + \\\n            text", anchor.Fresh},
		"a neighbour":          {"text\n", "text\n\n    def other(self):\n        return 1\n", anchor.Fresh},
		"another word":         {"the file", "a file", anchor.Drifted},
		"white space of data":  {"          a\n", "         a\n", anchor.Drifted},
		"of data in a branch":  {"              d", "            d", anchor.Drifted},
		"and the code changed": {"return path + text", "return path", anchor.Drifted},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			at := strings.LastIndex(before, test.from)
			after := before[:at] + test.to + before[at+len(test.from):]
			w := &anchoring.World{
				Old: one(anchoring.TextSource("a.py", "python", "old", []byte(before))),
				New: one(anchoring.TextSource("a.py", "python", "new", []byte(after))),
			}
			r := w.Resolve(anchor.Anchor{Kind: anchor.KindSymbol, Path: "a.py", Language: "python", Symbol: "Syntax.guess", Blob: "old"})
			if r.State != test.state {
				t.Errorf("%s (%s), want %s", r.State, r.Reason, test.state)
			}
		})
	}
}
