// Package fold breaks lines of text for a person between words. It knows the width of characters, and nothing of what
// the text says.
package fold

import (
	"bytes"
	"io"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Writer breaks the lines of a text that are longer than a terminal is wide, between words and below where their text
// begins. A terminal would break them within words.
type Writer struct {
	To      io.Writer
	Columns func() int
	AsItIs  func() bool // the text is for programs
	// Copied reports whether a line is copied by people: the terminal breaks it then, and it is copied whole.
	Copied func(line string) bool

	begun bool // the last line has not ended yet
}

// Write writes text. The rest of a line that came in parts, such as a question, is left as it is.
func (f *Writer) Write(p []byte) (int, error) {
	width := f.Columns()
	if width < leastFolded || f.AsItIs() {
		return f.To.Write(p)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(p) {
		text, ended := bytes.CutSuffix(line, []byte{'\n'})
		if !ended || f.begun || f.Copied != nil && f.Copied(string(text)) {
			out.Write(line)
		} else {
			out.WriteString(Line(string(text), width))
			out.WriteByte('\n')
		}
		f.begun = !ended
	}
	if _, err := f.To.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// leastFolded is the width of a terminal below which nothing is folded.
const leastFolded = 30

// Line breaks a line, which may have colours, into lines of at most so many columns. What stands between backquotes, which
// people copy, is kept together, and so is a word that is longer than a line.
func Line(line string, width int) string {
	if !strings.Contains(line, "\t") && len(line) <= width || columnAfter(0, line) <= width {
		return line
	}
	guide, text := cutGuide(ansi.Strip(line))
	wide := ansi.StringWidth(guide)
	hang := wide + hangOf(text, width-wide)
	next := "\n" + guide + strings.Repeat(" ", hang-wide)
	var out strings.Builder
	column, spaces := 0, 0
	for _, part := range wholes(line, width-hang) {
		if part == " " {
			spaces++
			continue
		}
		if column > hang && columnAfter(column+spaces, part) > width {
			out.WriteString(next)
			column, spaces = hang, 0
		}
		out.WriteString(strings.Repeat(" ", spaces) + part)
		column, spaces = columnAfter(column+spaces, part), 0
	}
	return out.String()
}

// cutGuide cuts the lines that lead to a branch of a drawn tree off its text. They are returned as they go on below it.
func cutGuide(line string) (guide, text string) {
	text = strings.TrimLeft(line, " │├└─")
	guide = line[:len(line)-len(text)]
	if !strings.ContainsAny(guide, "│├└") {
		return "", line
	}
	return strings.NewReplacer("├", "│", "└", " ", "─", " ").Replace(guide), text
}

// columnAfter returns the column behind a text that begins at a column. A tab leads to the next multiple of eight.
func columnAfter(column int, text string) int {
	for {
		before, rest, isTab := strings.Cut(text, "\t")
		column += ansi.StringWidth(before)
		if !isTab {
			return column
		}
		column += 8 - column%8
		text = rest
	}
}

// wholes returns the parts of a line between which it may be broken: single spaces, words, text between backquotes, and
// the characters of scripts that have no spaces. A path of at most so many columns, which people copy, is kept together.
func wholes(line string, most int) (parts []string) {
	var state byte
	part, wide, opened, quoted := "", false, false, false
	word := 0 // where it begins in parts
	end := func() {
		if part != "" {
			parts = append(parts, part)
		}
		part, wide, opened = "", false, false
	}
	endWord := func() {
		end()
		if text := strings.Join(parts[word:], ""); strings.Contains(ansi.Strip(text), "/") && columnAfter(0, text) <= most {
			parts = append(parts[:word], text)
		}
	}
	for line != "" {
		seq, w, n, next := ansi.DecodeSequence(line, state, nil)
		line, state = line[n:], next
		switch {
		case seq == " " && !quoted:
			endWord()
			parts = append(parts, " ")
			word = len(parts)
			continue
		case w == 2 && !quoted && !strings.ContainsAny(seq, closing): // no line begins with these
			if wide && !opened && !strings.ContainsFunc(seq, isHangul) {
				end()
			}
		case seq == "`":
			quoted = !quoted && strings.Contains(line, "`")
		}
		if w > 0 {
			wide, opened = w == 2, strings.ContainsAny(seq, opening)
		}
		part += seq
	}
	endWord()
	return parts
}

// The punctuation of Chinese and Japanese that ends something, with what else no line begins with, and that begins something.
const (
	closing = "、。，．：；！？）」』】〉》ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
	opening = "（「『【〈《"
)

// isHangul reports whether a character is of Korean, which has spaces.
func isHangul(r rune) bool { return unicode.Is(unicode.Hangul, r) }

// hangOf returns the column at which a line goes on: below the text behind a column, a mark, a number or a label such as "try:", else
// below its own beginning.
func hangOf(line string, width int) int {
	most := width * 2 / 5 // what is left has to be read
	rest := strings.TrimLeft(line, " ")
	hang := len(line) - len(rest)
	if hang > most {
		return 0
	}
	word, text, _ := strings.Cut(rest, " ")
	number := word != "" && strings.Trim(word, "0123456789") == ""                                                // of a line of code
	mark := ansi.StringWidth(word) == 1 && (hang > 0 || !strings.ContainsFunc(word, unicode.IsLetter))            // "A person decides" is a sentence
	item := strings.HasSuffix(word, ".") && len(word) > 1 && strings.Trim(word[:len(word)-1], "0123456789") == "" // of a numbered list
	if mark || item || hang > 0 && (number || strings.HasSuffix(word, ":") && len(word) <= len("why:")) {
		if behind := hang + ansi.StringWidth(word) + 1 + len(text) - len(strings.TrimLeft(text, " ")); behind <= most {
			hang = behind
		}
	}
	column, gap := 0, 0
	for _, r := range line {
		if column > most {
			break
		}
		if r == ' ' {
			gap++
			column++
			continue
		}
		if gap > 1 {
			hang = max(hang, column)
		}
		gap = 0
		column += ansi.StringWidth(string(r))
	}
	return hang
}
