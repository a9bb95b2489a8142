package gfm

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// dump writes a syntax tree out.
func dump(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		if !entering {
			b.WriteString(")")
			return ast.WalkContinue, nil
		}
		fmt.Fprintf(&b, "\n(%s %d", n.Kind(), n.Pos())
		if n.Type() != ast.TypeInline && n.Lines() != nil {
			for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
				fmt.Fprintf(&b, " %d-%d+%d", s.Start, s.Stop, s.Padding)
			}
		}
		switch n := n.(type) {
		case *ast.Text:
			fmt.Fprint(&b, " ", n.Segment, n.IsRaw(), n.SoftLineBreak(), n.HardLineBreak())
		case *east.Table:
			fmt.Fprint(&b, " ", n.Alignments)
		case *east.TableRow:
			fmt.Fprint(&b, " ", n.Alignments)
		case *east.TableHeader:
			fmt.Fprint(&b, " ", n.Alignments)
		case *east.TableCell:
			fmt.Fprint(&b, " ", n.Alignment)
		case *east.TaskCheckBox:
			fmt.Fprint(&b, " ", n.IsChecked)
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

func same(t *testing.T, src string) {
	t.Helper()
	theirs := goldmark.New(goldmark.WithExtensions(extension.Table, extension.TaskList, extension.Strikethrough)).Parser()
	if got, want := dump(Parse([]byte(src))), dump(theirs.Parse(text.NewReader([]byte(src)))); got != want {
		t.Errorf("%q:\n%s\nwant\n%s", src, got, want)
	}
}

var texts = []string{
	"a | b\n--|:-:\n1 | 2\n3\n4 | 5 | 6\n", "|a|\n|-|\n", "text\n| a | b |\n| :-- | --: |\n| `x \\| y` | \\| |\n", "|a|b|\n|-|\n", "a\n-\n", "| a |\n|::-|\n", "| a |\n|:|\n", "a|b\n-|-\n`\\|`|`a\\|b\\|c` d \\| `e`\nx\n\nc|d\n-|-\n",
	"- [ ] a\n- [x] b\n- [X]  c\n- [] d\n- [\t] e\n- f [ ] g\n- [ ]\n", "1. [x] a\n\n   b\n", "~~a~~ ~b~ ~~~c~~~ a~~b ~~c ~~", "> | a |\n> |---|\n> | b |\n", "    | a |\n    |---|\n", "| a |\n    |---|\n",
	"- | a |\n  |---|\n  | **b** ~~c~~ [d](e) |\n", "|\n|-|\n", "||\n|-|-|\n", "| a |\n|--- -|\n", "[x]: y\n| a |\n|---|\n",
}

func TestSameTree(t *testing.T) {
	for _, src := range texts {
		same(t, src)
	}
	root := filepath.Join("..", "..", "..")
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "bin") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".md") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err == nil {
			n++
			same(t, string(data))
		}
		return err
	})
	if err != nil || n < 10 {
		t.Errorf("%d files: %v", n, err)
	}
}

// TestAtOnce: the parser is shared.
func TestAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				for _, src := range texts {
					same(t, src)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzSameTree(f *testing.F) {
	for _, src := range texts {
		f.Add(src)
	}
	f.Fuzz(same)
}

// TestFilledCells: short lines below a wide table are no table of a million cells.
func TestFilledCells(t *testing.T) {
	const columns, rows = 2000, 4000
	src := strings.Repeat("|a", columns) + "\n" + strings.Repeat("|-", columns) + "\n" + strings.Repeat("x\n", rows)
	cells := 0
	_ = ast.Walk(Parse([]byte(src)), func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		if n.Kind() == east.KindTableCell && entering {
			cells++
		}
		return ast.WalkContinue, nil
	})
	if most := 100_000 + columns + rows; cells < columns+rows || cells > most {
		t.Errorf("%d cells, want %d to %d", cells, columns+rows, most)
	}
}
