package extract

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	sitter "github.com/smacker/go-tree-sitter"

	"manicule/grammars"
	"manicule/indexer/extract/syntax"
	"manicule/indexer/must"
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
		must.OK(t, err)
		if strings.TrimSpace(text) == "" {
			continue
		}
		t.Run(data.ID, func(t *testing.T) {
			l, err := languageFor(data.ID)
			must.OK(t, err)
			theirs, err := sitter.NewQuery([]byte(quicker.Replace(text)), l.grammar)
			must.OK(t, err)
			defer theirs.Close()
			ours, err := l.whole()
			must.OK(t, err)
			seen := 0
			var extra []string
			for _, name := range samples {
				if ext := filepath.Ext(name); ext == ".snap" || ext == ".refs" {
					continue
				}
				src := must.Read(t, name)
				src = l.blankOut(src)
				tree, err := l.parseText(context.Background(), nil, src)
				must.OK(t, err)
				want := theirMatches(theirs, tree, src)
				flat, err := l.names.Flatten(tree, nil)
				must.OK(t, err)
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

// TestFlattenSamples holds the nodes of all samples to those of tree-sitter's own cursor.
func TestFlattenSamples(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, data := range grammars.All() {
		samples, err := filepath.Glob(filepath.Join("..", "..", "grammars", data.ID, "testdata", "*"))
		must.OK(t, err)
		for _, name := range samples {
			src := must.Read(t, name)
			l, err := languageFor(data.ID)
			must.OK(t, err)
			if l.grammar == nil {
				continue
			}
			for _, text := range [][]byte{src, src[:len(src)*2/3], src[len(src)/3:]} { // the others are broken
				tree, err := l.parseText(context.Background(), nil, l.blankOut(text))
				must.OK(t, err)
				flat, err := l.names.Flatten(tree, nil)
				must.OK(t, err)
				seen += len(flat.Nodes)
				if fault := unlike(flat, tree); fault != "" {
					t.Errorf("%s: %s", name, fault)
				}
				tree.Close()
			}
		}
	}
	if seen < 100_000 {
		t.Errorf("only %d nodes", seen)
	}
}

// TestLexing holds trees to those of the same texts that the runtime hands out one character at a time: lexers
// then ask it for each character, and read none by themselves.
func TestLexing(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, data := range grammars.All() {
		l, err := languageFor(data.ID)
		must.OK(t, err)
		samples, err := filepath.Glob(filepath.Join("..", "..", "grammars", data.ID, "testdata", "*"))
		must.OK(t, err)
		if l.grammar == nil || l.parseMutex != nil { // else what Lua's scanner keeps would have to be set back
			continue
		}
		for _, name := range samples {
			src := must.Read(t, name)
			src = src[:min(len(src), 8<<10)]
			for _, text := range [][]byte{src, strewn(src)} {
				text = l.blankOut(text)
				flat, err := l.names.Parse(t.Context(), text, nil)
				must.OK(t, err)
				seen += len(flat.Nodes)
				want := byCharacters(t, l, text)
				if fault := unlike(flat, want); fault != "" {
					t.Errorf("%s: %s", name, fault)
				}
				want.Close()
			}
		}
	}
	if seen < 30_000 {
		t.Errorf("only %d nodes", seen)
	}
}

// strewn returns a text with what lexers stumble over in between.
func strewn(text []byte) []byte {
	var out []byte
	for i, c := range text {
		if out = append(out, c); i%61 == 60 {
			out = append(out, []string{"é", "\r\n", "\x00", "\xff", "→", "\t", "\n", "\xe2\x82", "😀"}[i/61%9]...)
		}
	}
	return out
}

// byCharacters parses a text that is read one character at a time.
func byCharacters(t *testing.T, l *language, text []byte) *sitter.Tree {
	t.Helper()
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(l.grammar)
	tree, err := parser.ParseInputCtx(t.Context(), nil, sitter.Input{Encoding: sitter.InputEncodingUTF8, Read: func(offset uint32, _ sitter.Point) []byte {
		if int(offset) >= len(text) {
			return nil
		}
		_, size := utf8.DecodeRune(text[offset:])
		return text[offset : int(offset)+size]
	}})
	must.OK(t, err)
	return tree
}

// unlike says where a flat tree differs from what tree-sitter's own cursor walks over.
func unlike(flat *syntax.Tree, tree *sitter.Tree) string {
	cursor := sitter.NewTreeCursor(tree.RootNode())
	defer cursor.Close()
	at, parents := int32(0), []int32{-1}
	for {
		if int(at) == len(flat.Nodes) {
			return "nodes are missing"
		}
		n, got, parent := cursor.CurrentNode(), flat.Nodes[at], parents[len(parents)-1]
		field := uint16(0)
		if parent >= 0 {
			field = flat.Language.Field(cursor.CurrentFieldName())
		}
		if got.Start != n.StartByte() || got.End != n.EndByte() || flat.Type(at) != n.Type() || got.Parent != parent || got.Field != field ||
			got.Named() != n.IsNamed() || got.Missing() != n.IsMissing() || got.Extra() != n.IsExtra() || got.Error() != n.IsError() {
			return fmt.Sprintf("node %d is %s %+v, want %s %d-%d in %d, field %d", at, flat.Type(at), got, n.Type(), n.StartByte(), n.EndByte(), parent, field)
		}
		at++
		if cursor.GoToFirstChild() {
			parents = append(parents, at-1)
			continue
		}
		if got.Next != at {
			return fmt.Sprintf("node %d is no leaf", at-1)
		}
		for !cursor.GoToNextSibling() {
			if !cursor.GoToParent() {
				if int(at) != len(flat.Nodes) {
					return fmt.Sprintf("%d nodes, want %d", len(flat.Nodes), at)
				}
				return ""
			}
			if over := parents[len(parents)-1]; flat.Nodes[over].Next != at {
				return fmt.Sprintf("node %d ends before %d, want %d", over, flat.Nodes[over].Next, at)
			}
			parents = parents[:len(parents)-1]
		}
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
	must.OK(t, err)
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
