package anchoring_test

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

// TestLinesInStrings holds where cited lines of a string of several lines go when other
// lines of it change.
func TestLinesInStrings(t *testing.T) {
	const was = `def first(path):
    """Reads a file.

    Missing files are no error.
    """
    return read(path)


def second(path):
    """Writes a file.

    Missing files are no error.
    """
    return write(path)
`
	deprecated := strings.NewReplacer("Writes a file.\n", "Writes a file.\n\n    Deprecated since 2.\n", "    return write(path)\n", "    warn()\n    return write(path)\n")
	rewritten := strings.NewReplacer("Writes a file.\n", "Stores a path.\n")
	const end = "    \"\"\"\n    return write(path)"
	moved := strings.NewReplacer("Writes a file.\n", "Writes a file.\n    And more.\n", end, "    One.\n    Two.\n    Three.\n"+end)
	tests := []struct {
		name  string
		edit  *strings.Replacer
		line  int
		want  int
		state anchor.State
	}{
		{"the first line of a string that grew", deprecated, 10, 10, anchor.Fresh},
		{"the first line of a string, changed", rewritten, 10, 10, anchor.Stale},
		{"a line inside, which other functions have too", moved, 12, 13, anchor.Fresh},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			is := test.edit.Replace(was)
			w := &anchoring.World{
				Old: func(string) *anchoring.Source { return anchoring.TextSource("a.py", "python", "1", []byte(was)) },
				New: func(string) *anchoring.Source { return anchoring.TextSource("a.py", "python", "2", []byte(is)) },
			}
			r := w.Resolve(anchor.Anchor{Kind: anchor.KindLines, Path: "a.py", Language: "python", Blob: "1", Lines: &anchor.LineRange{Start: test.line, End: test.line}})
			if r.State != test.state || r.Line != test.want {
				t.Errorf("%s at %d (%s), want %s at %d", r.State, r.Line, r.Reason, test.state, test.want)
			}
		})
	}
}

// TestLinesInDollars has a cited line of a function of SQL, whose body is text between marks.
func TestLinesInDollars(t *testing.T) {
	was := "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n  PERFORM g(1);\n  UPDATE sales SET total = total + 1 WHERE id = 2;\n  RETURN;\nEND\n$$;\n"
	is := strings.NewReplacer("  PERFORM g(1);\n", "  PERFORM g(1); -- it's new\n  PERFORM h(2);\n", "RETURN", "RETURN NULL").Replace(was)
	w := &anchoring.World{
		Old: func(string) *anchoring.Source { return anchoring.TextSource("a.sql", "sql", "1", []byte(was)) },
		New: func(string) *anchoring.Source { return anchoring.TextSource("a.sql", "sql", "2", []byte(is)) },
	}
	r := w.Resolve(anchor.Anchor{Kind: anchor.KindLines, Path: "a.sql", Language: "sql", Lines: &anchor.LineRange{Start: 4, End: 4}, Blob: "1"})
	if r.Line != 5 || r.State == anchor.Orphaned || r.State == anchor.Stale {
		t.Errorf("%+v", r)
	}
}
