package anchors

import (
	"strings"
	"unicode"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
)

// wordLines returns the cited lines that have a word outside of comments: braces and comments stand
// everywhere.
func wordLines(f *anchoring.Source, cited anchor.LineRange) []string {
	var out []string
	for line := cited.Start; line <= cited.End; line++ {
		text := target{lines: anchor.LineRange{Start: line, End: line}}.bare(f)
		if strings.ContainsFunc(text, unicode.IsLetter) {
			out = append(out, text)
		}
	}
	return out
}

// keepsMost reports whether three quarters of cited lines stand in a declaration in their order: then
// they were copied out of it.
func keepsMost(o *anchoring.Source, cited anchor.LineRange, now *anchoring.Source, t extract.Symbol) bool {
	want := wordLines(o, cited)
	have := wordLines(now, anchor.LineRange{Start: now.Line(t.Start), End: now.Line(t.End - 1)})
	return 4*common(want, have) >= 3*len(want)
}

// common is the length of the longest common subsequence of lines.
func common(want, have []string) int {
	row := make([]int, len(have)+1)
	for _, w := range want {
		before := 0 // of the row above, one column to the left
		for j, h := range have {
			above := row[j+1]
			if w == h {
				row[j+1] = before + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			before = above
		}
	}
	return row[len(have)]
}

// onlyOnce reports whether lines stand only once in their file, but for white space.
func onlyOnce(f *anchoring.Source, lines anchor.LineRange) bool {
	return strings.Count(bareText(string(f.Text())), bareText(strings.Join(trimmedLines(f.Text(), lines), ""))) == 1
}

func bareText(s string) string { return blanks.ReplaceAllString(s, "") }
