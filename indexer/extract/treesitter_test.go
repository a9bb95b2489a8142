package extract

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"

	"manicule/grammars"
	"manicule/indexer/extract/syntax"
)

// more is how many matches tree-sitter's own matcher does not report in the
// samples: of several children that fit the same field it drops some.
var more = map[string]int{"scala": 3, "lua": 7}

// quicker is a pattern over which tree-sitter's compiler thinks for ten seconds,
// and one that says the same of the samples.
var quicker = strings.NewReplacer(`(_ condition: (pattern bound`, `(if_statement condition: (pattern bound`)

// TestAgainstTreeSitter holds the matches of all queries in all samples to
// those of tree-sitter's own matcher.
func TestAgainstTreeSitter(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds, most of them for their compiler of queries")
	}
	for _, data := range grammars.All() {
		texts := data.Queries()
		text := texts.Definitions + "\n" + texts.Imports + "\n" + texts.References
		samples, err := filepath.Glob(filepath.Join("..", "..", "grammars", data.ID, "testdata", "*"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		t.Run(data.ID, func(t *testing.T) {
			l, err := languageFor(data.ID)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := sitter.NewQuery([]byte(quicker.Replace(text)), l.grammar)
			if err != nil {
				t.Fatal(err)
			}
			defer theirs.Close()
			ours, err := l.whole()
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			var extra []string
			for _, name := range samples {
				if ext := filepath.Ext(name); ext == ".snap" || ext == ".refs" {
					continue
				}
				src, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				src = l.blankOut(src)
				tree, err := l.parseText(context.Background(), nil, src)
				if err != nil {
					t.Fatal(err)
				}
				want := theirMatches(theirs, tree, src)
				flat, err := l.names.Flatten(tree, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := ourMatches(t, ours.compiled, flat, src)
				seen += len(got)
				for _, m := range without(want, got) {
					t.Errorf("%s: missing %s", filepath.Base(name), m)
				}
				extra = append(extra, without(got, want)...)
				tree.Close()
			}
			if len(extra) != more[data.ID] {
				t.Errorf("%d matches more, want %d:\n%s", len(extra), more[data.ID], strings.Join(extra, "\n"))
			}
			if seen == 0 {
				t.Error("no sample has a match")
			}
		})
	}
}

func theirMatches(q *sitter.Query, tree *sitter.Tree, src []byte) []string {
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	cursor.Exec(q, tree.RootNode())
	var out []string
	for {
		m, ok := cursor.NextMatch()
		if !ok {
			slices.Sort(out)
			return out
		}
		if len(q.PredicatesForPattern(uint32(m.PatternIndex))) > 0 {
			if m = cursor.FilterPredicates(m, src); len(m.Captures) == 0 {
				continue
			}
		}
		line := fmt.Sprint(m.PatternIndex)
		for _, c := range m.Captures {
			line += fmt.Sprintf(" %s %d-%d", q.CaptureNameForId(c.Index), c.Node.StartByte(), c.Node.EndByte())
		}
		out = append(out, line)
	}
}

func ourMatches(t *testing.T, q *syntax.Query, tree *syntax.Tree, src []byte) []string {
	var out []string
	err := q.Each(context.Background(), tree, src, func(m syntax.Match) {
		line := fmt.Sprint(m.Pattern)
		for _, c := range m.Captures {
			line += fmt.Sprintf(" %s %d-%d", q.Captures[c.ID], tree.Nodes[c.Node].Start, tree.Nodes[c.Node].End)
		}
		out = append(out, line)
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// without lists what one sorted list has more than another.
func without(a, b []string) []string {
	var out []string
	for len(a) > 0 {
		switch {
		case len(b) > 0 && b[0] == a[0]:
			a, b = a[1:], b[1:]
		case len(b) > 0 && b[0] < a[0]:
			b = b[1:]
		default:
			out = append(out, a[0])
			a = a[1:]
		}
	}
	return out
}
