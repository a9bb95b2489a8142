// Package junk recognises texts that are no memory: the output of a tool that was
// copied whole, an account of a session, a fragment. It judges the form of a text
// alone. It must not know memories, where they are kept, or who writes them.
package junk

import (
	"slices"
	"strings"
	"unicode"
)

// Find returns what a text is, where it is no memory.
func Find(text string) (Kind, bool) {
	text = strings.ReplaceAll(text, "\u00a0", " ")
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = nonEmpty(lines)
	switch {
	case len(lines) == 0:
		return Fragment, true
	case isDiff(lines):
		return Diff, true
	case isTrace(lines):
		return StackTrace, true
	case isLog(lines), isCommits(lines), isMessage(text):
		return GitLog, true
	case isPathList(lines), isTree(lines):
		return PathList, true
	case isReport(text, lines), isAccount(text, lines):
		return Session, true
	case isOutput(text, lines):
		return Output, true
	case isFragment(text, lines):
		return Fragment, true
	}
	return "", false
}

// isProse reports whether a line says something to a person: most of it are words.
func isProse(line string) bool {
	words, other := 0, 0
	for _, w := range strings.Fields(line) {
		w = strings.Trim(w, ".,;:!?()*_\"'“”’")
		switch {
		case w == "":
		case strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' }) < 0:
			words++
		default:
			other++
		}
	}
	return words >= 4 && words > other || unspaced(line)
}

// isReport reports whether a text tells what somebody did.
func isReport(text string, lines []string) bool {
	f := compiled()
	if f.session.MatchString(unmarked(lines[0])) && !f.reason.MatchString(text) || f.recap.MatchString(lines[0]) {
		return true
	}
	for len(lines) > 1 && strings.HasPrefix(lines[0], "#") { // the heading of what follows
		lines = lines[1:]
	}
	first := unmarked(lines[0])
	did := func(l string) bool {
		return (f.did.MatchString(l) || f.passed.MatchString(l)) && !f.because.MatchString(l)
	}
	switch {
	case isDone(lines[0]) && len(lines) == 1:
		return true
	case len(lines) == 1:
		return did(first) && (!strings.Contains(first, ": ") || strings.Contains(lines[0], "✅"))
	case f.did.MatchString(first) && (strings.HasSuffix(first, ":") && !f.because.MatchString(first) || !f.because.MatchString(text)):
		return true
	}
	items := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { // what goes on in the next line
		return strings.HasPrefix(l, "  ") && f.listed.FindString(l) == strings.Repeat(" ", len(l)-len(strings.TrimLeft(l, " ")))
	})
	of := func(l string) bool {
		u := unmarked(l)
		return isDone(l) || did(u) || f.label.MatchString(u) && !f.because.MatchString(u) || f.ticked.MatchString(l)
	}
	return has(items, of, 2) && share(items, of) >= .5
}

// stateOfThings are further forms of a sentence that begins with a participle and yet tells of no deed: the participle
// describes several things that do something ("Merged branches get deleted nightly"), or one whose name is left out ("Backed
// by an in-memory map").
const stateOfThings = `|^\W*\w+ed (?:[\w-]+ ){0,2}?[\w-]*[^\Ws]s (?:also |still )?(?:are|become|belong|block|break|cause|come|contain|count|crash|depend|do|don['’]t|drop|end|expire|fail|get|go|have|hold|inherit|keep|leak|live|lose|make|may|might|need|outlive|override|point|retry|return|run|share|show|skip|stay|survive|take|time|work)\b` +
	`|^\W*(?:Backed|Cached|Called|Compressed|Encrypted|Guarded|Hashed|Owned|Protected|Served|Signed|Sorted|Stored|Used|Written) (?:at|by|from|in|on|per|with)\b`

// isDone reports whether a line is a task that was done.
func isDone(line string) bool {
	l := strings.TrimSpace(line)
	return strings.HasPrefix(l, "- [x] ") || strings.HasPrefix(l, "- [X] ") || strings.HasPrefix(l, "* [x] ")
}

// unmarked returns a line without the marks before its first word.
func unmarked(line string) string {
	line = compiled().listed.ReplaceAllString(line, "")
	return strings.TrimLeft(line, "*_>#- \t✅☑✔️🎉")
}

func nonEmpty(lines []string) []string {
	var out []string
	for _, l := range lines {
		if t := strings.TrimSpace(l); t != "" && !strings.HasPrefix(t, "```") && !(strings.HasPrefix(t, "<!--") && strings.HasSuffix(t, "-->")) {
			out = append(out, l)
		}
	}
	return out
}

// Thin reports whether a text has too few words to say something: a person may mean it,
// a program doesn't.
func Thin(text string) bool { return wordsWithLetters(text) < 3 && !unspaced(text) }

func wordsWithLetters(text string) (n int) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '_' }) {
		if strings.IndexFunc(w, unicode.IsLetter) >= 0 {
			n++
		}
	}
	return n
}

// unspaced reports whether a text is in a script that puts no spaces between words.
func unspaced(text string) bool {
	n := 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			n++
		}
	}
	return n >= 4
}
