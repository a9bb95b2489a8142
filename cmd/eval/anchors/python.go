package anchors

import "strings"

// barePython returns Python code without comments and without the white space that means nothing. A
// logical line that is indented more or less than the one before it is marked. White space in a string
// stays, unless the string has several lines: such strings are mostly documentation.
func barePython(text string) string {
	var b strings.Builder
	depth := 0          // open brackets
	levels := []int{-1} // of indentation; the first line may begin anywhere
	begins, column := true, 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			if depth == 0 {
				begins, column = true, 0
			}
			i++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			column++
			i++
			continue
		case c == '\\' && i+1 < len(text) && text[i+1] == '\n':
			i += 2
			continue
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		}
		if begins {
			begins = false
			levels = markIndent(&b, levels, column)
		}
		if c == '"' || c == '\'' {
			end := endOfString(text, i)
			if s := text[i:end]; strings.Contains(s, "\n") {
				b.WriteString(blanks.ReplaceAllString(s, ""))
			} else {
				b.WriteString(s)
			}
			i = end
			continue
		}
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
		b.WriteByte(c)
		i++
	}
	return b.String()
}

// markIndent writes how the indentation of a line differs from the one before, and returns the open
// levels.
func markIndent(b *strings.Builder, levels []int, column int) []int {
	if len(levels) == 1 && levels[0] < 0 {
		return []int{column}
	}
	if column > levels[len(levels)-1] {
		b.WriteByte('\x01')
		return append(levels, column)
	}
	for len(levels) > 1 && levels[len(levels)-1] > column {
		b.WriteByte('\x02')
		levels = levels[:len(levels)-1]
	}
	b.WriteByte('\n')
	return levels
}

// endOfString returns where a string that begins at a quote ends.
func endOfString(text string, at int) int {
	quote := text[at : at+1]
	if strings.HasPrefix(text[at:], strings.Repeat(quote, 3)) {
		quote = text[at : at+3]
	}
	for i := at + len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case text[i] == '\n' && len(quote) == 1:
			return i
		}
	}
	return len(text)
}
