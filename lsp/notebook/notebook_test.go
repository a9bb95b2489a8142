package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const sample = `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# A title"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "\"source\": [\n"
     ]
    }
   ],
   "source": [
    "def f(x):\n",
    "    return \"é😀\" + x\n",
    "\n",
    "# a\\nb"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": null,
   "metadata": {},
   "outputs": [],
   "source": []
  }
 ],
 "metadata": {},
 "nbformat": 4
}
`

// sources returns the texts of the cells as any reader of JSON finds them.
func sources(t *testing.T, file []byte) (texts, types []string) {
	t.Helper()
	var nb struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source any
		}
	}
	if err := json.Unmarshal(bytes.TrimPrefix(file, []byte(bom)), &nb); err != nil {
		t.Fatalf("%v in:\n%s", err, file)
	}
	for _, c := range nb.Cells {
		text := ""
		switch s := c.Source.(type) {
		case string:
			text = s
		case []any:
			for _, line := range s {
				text += line.(string)
			}
		}
		texts, types = append(texts, text), append(types, c.Type)
	}
	return texts, types
}

func parse(t *testing.T, file []byte) *Layout {
	t.Helper()
	l, err := Parse(file)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, file)
	}
	return l
}

func sourceOf(file []byte, l *Layout, cell int) *Source {
	at := l.Cells[cell].Source
	return NewSource(file[at.Start:at.End])
}

func apply(file []byte, edits ...Edit) []byte {
	for _, e := range slices.Backward(edits) {
		file = slices.Concat(file[:e.Start], e.Text, file[e.End:])
	}
	return file
}

// check compares a layout with what the text says.
func check(t *testing.T, file []byte, l *Layout, want []string) {
	t.Helper()
	got, types := sources(t, file)
	if !slices.Equal(got, want) {
		t.Fatalf("cells are %q, want %q in:\n%s", got, want, file)
	}
	again := parse(t, file)
	if fmt.Sprint(again) != fmt.Sprint(l) {
		t.Fatalf("followed %v, parsed %v in:\n%s", l, again, file)
	}
	for i, text := range want {
		if got := string(sourceOf(file, l, i).Text()); got != text {
			t.Fatalf("cell %d reads %q, want %q", i, got, text)
		}
		if l.Cells[i].Code != (types[i] == "code") {
			t.Fatalf("cell %d is of type %s", i, types[i])
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"as notebooks are written": sample,
		"with CRLF":                strings.ReplaceAll(sample, "\n", "\r\n"),
		"with a BOM":               bom + sample,
		"on one line":              strings.ReplaceAll(strings.ReplaceAll(sample, "\n ", " "), "\n", " "),
		"indented by four":         strings.ReplaceAll(sample, " ", "    "),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, _ := sources(t, []byte(file))
			check(t, []byte(file), parse(t, []byte(file)), want)
		})
	}
	for _, bad := range []string{"", "{}", "[]", `{"cells": 1}`, `{"cells": [{"source": []}]}`, `{"cells": [{"cell_type": "code"}]}`, sample[:200]} {
		if l, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%q is %v", bad, l)
		}
	}
}

// TestSource reads values as other programs may write them.
func TestSource(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		raw     string
		lines   int
		regular bool
	}{
		{`[]`, 1, true},
		{`""`, 1, true},
		{`[""]`, 1, true},
		{`"a\nb\n"`, 3, true},
		{`["a\n", "b\n"]`, 3, true},
		{`["a\r\n", "\u00e9\t\ud83d\ude00\\n"]`, 2, true},
		{`["a", "b"]`, 1, false},
		{`["a\nb", "c"]`, 2, false},
	} {
		s := NewSource([]byte(test.raw))
		want, _ := sources(t, []byte(`{"cells": [{"cell_type": "code", "source": `+test.raw+`}]}`))
		if got := s.Text(); !SameText(got, []byte(want[0])) || s.Count() != test.lines || s.Regular != test.regular {
			t.Errorf("%s is %q in %d lines, regular %v", test.raw, got, s.Count(), s.Regular)
		}
	}
}

// TestPlaces: a byte of a cell's line and its place in the file lead to each other.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`["def \"f\"(\ud83d\ude00é):\n", "\tb\\n\n", "\n", "x"]`, `"a\n\u00e9\n"`, `["a\n"]`, `[]`} {
		s := NewSource([]byte(raw))
		for line, text := range bytes.Split(s.Text(), []byte("\n")) {
			for column := range string(text) + " " {
				offset := s.Offset(line, column)
				if l, c := s.Place(offset); l != line || c != column {
					t.Errorf("%s: byte %d of line %d is at %d, which is byte %d of line %d", raw, column, line, offset, c, l)
				}
			}
		}
		for offset := range len(raw) + 1 { // never outside of it
			line, column := s.Place(offset)
			if again := s.Offset(line, column); again < 0 || again > len(raw) {
				t.Errorf("%s: %d became %d", raw, offset, again)
			}
		}
	}
}

// TestRandomEdits: after any edits of cells the file has their texts, and the followed layout is what it says.
func TestRandomEdits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		file := []byte(sample)
		switch seed % 4 {
		case 1:
			file = []byte(strings.ReplaceAll(sample, "\n", "\r\n"))
		case 2:
			file = []byte(strings.ReplaceAll(strings.ReplaceAll(sample, "\n ", " "), "\n", " "))
		case 3:
			file = []byte(strings.Replace(sample, "[\n    \"# A title\"\n   ]", `"# A title\nand more"`, 1))
		}
		l := parse(t, file)
		texts, _ := sources(t, file)
		for range 40 {
			if len(texts) > 0 && random.IntN(4) > 0 {
				file, l = randomChange(random, file, l, texts)
			} else {
				file, l, texts = randomOrder(random, file, l, texts)
			}
			check(t, file, l, texts)
		}
	}
}

func randomChange(random *rand.Rand, file []byte, l *Layout, texts []string) ([]byte, *Layout) {
	cell := random.IntN(len(texts))
	text := texts[cell]
	at := make([]int, 0, len(text)+1)
	for i := range text + " " {
		at = append(at, i)
	}
	from := random.IntN(len(at))
	to := min(len(at)-1, from+random.IntN(4))
	insert := []string{"", "x", "é\"\\n", "\n", "a\n", "\n\nb", "\\", "\t"}[random.IntN(8)]
	place := func(offset int) (line, column int) {
		before := text[:offset]
		return strings.Count(before, "\n"), offset - strings.LastIndex(before, "\n") - 1
	}
	c := Change{Text: []byte(insert)}
	c.StartLine, c.StartColumn = place(at[from])
	c.EndLine, c.EndColumn = place(at[to])
	texts[cell] = text[:at[from]] + insert + text[at[to]:]
	e := l.Change(cell, sourceOf(file, l, cell), c, []byte(texts[cell]))
	file, l = apply(file, e), l.Applied(e)
	if random.IntN(6) == 0 {
		e := l.Retype(cell, !l.Cells[cell].Code)
		file, l = apply(file, e), l.Applied(e).Typed(cell, !l.Cells[cell].Code)
	}
	return file, l
}

func randomOrder(random *rand.Rand, file []byte, l *Layout, texts []string) ([]byte, *Layout, []string) {
	var items []Item
	for i := range texts {
		if random.IntN(8) > 0 {
			items = append(items, Item{Old: i})
		}
	}
	if random.IntN(2) == 0 {
		random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	}
	for range random.IntN(3) {
		items = slices.Insert(items, random.IntN(len(items)+1), Item{Old: -1, Code: random.IntN(2) == 0, Text: []byte("new\n\"cell\"")})
	}
	var now []string
	for _, item := range items {
		if item.Old >= 0 {
			now = append(now, texts[item.Old])
		} else {
			now = append(now, string(item.Text))
		}
	}
	edits, l := l.Arrange(file, items)
	return apply(file, edits...), l, now
}

// TestArrangeKeeps: a cell that moves is the only one whose text is touched.
func TestArrangeKeeps(t *testing.T) {
	t.Parallel()
	file := []byte(sample)
	l := parse(t, file)
	edits, _ := l.Arrange(file, []Item{{Old: 2}, {Old: 0}, {Old: 1}})
	for _, e := range edits {
		if e.End > l.Cells[0].Object.Start && e.Start < l.Cells[1].Object.End {
			t.Errorf("%v touches the cells that stay", e.Span)
		}
	}
	if edits, _ := l.Arrange(file, []Item{{Old: 0}, {Old: 1}, {Old: 2}}); len(edits) != 0 {
		t.Errorf("the same order is %v", edits)
	}
}

// TestTwoLists: of two lists of cells in a file the last one counts, and edits are in order whatever is kept of it.
func TestTwoLists(t *testing.T) {
	t.Parallel()
	file := []byte(`{"cells": [{"cell_type": "code", "source": ["a"]}], "cells": [{"cell_type": "code", "source": ["b"]}, {"cell_type": "code", "source": ["c"]}]}`)
	l := parse(t, file)
	if len(l.Cells) != 2 {
		t.Fatalf("it has %d cells, want those of the second list", len(l.Cells))
	}
	edits, next := l.Arrange(file, []Item{{Old: -1, Code: true, Text: []byte("n")}, {Old: 0}, {Old: 1}})
	check(t, apply(file, edits...), next, []string{"n", "b", "c"})
}

// TestMatchMany: the matrix of many texts would take gigabytes.
func TestMatchMany(t *testing.T) {
	t.Parallel()
	old, now := make([]string, 20_000), make([]string, 20_000)
	for i := range old {
		old[i], now[i] = "old "+strconv.Itoa(i), "new "+strconv.Itoa(i)
	}
	for i, is := range Match(old, now) {
		if is != i {
			t.Fatalf("text %d is %d, want the one at its place", i, is)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		old, now string
		want     []int
	}{
		{"a b c", "a b c", []int{0, 1, 2}},
		{"a b c", "a x c", []int{0, 1, 2}},
		{"a b c", "a n b c", []int{0, -1, 1, 2}},
		{"a b c", "c", []int{2}},
		{"a b c d", "a d", []int{0, 3}},
		{"a b c d", "b x y d", []int{1, 2, -1, 3}},
		{"", "a", []int{-1}},
	} {
		if got := Match(strings.Fields(test.old), strings.Fields(test.now)); !slices.Equal(got, test.want) {
			t.Errorf("%s → %s: %v, want %v", test.old, test.now, got, test.want)
		}
	}
}
