package secret

import (
	"strings"
	"sync"
)

// wordSet is a quick look at words before the exact one: lengths by the first two bytes of the words,
// of which five bits count.
type wordSet [32 * 32]uint32

func (w *wordSet) add(word string) {
	if word != "" && len(word) < 32 {
		w[firstTwo(word)] |= 1 << len(word)
	}
}

// may reports whether a word can be in the set, in any case of its letters.
func (w *wordSet) may(word string) bool {
	return word != "" && len(word) < 32 && w[firstTwo(word)]&(1<<len(word)) != 0
}

func firstTwo(word string) int {
	second := byte(0)
	if len(word) > 1 {
		second = word[1]
	}
	return int(word[0]&31)<<5 | int(second&31)
}

// They are filled at their first use: a hook starts for each call of a tool, and few need them.
var (
	wordsOnce    sync.Once
	programWords wordSet             // guarded by wordsOnce; programs
	knownWords   wordSet             // guarded by wordsOnce; the words of known
	known        map[string]struct{} // guarded by wordsOnce; all words that mean something to this package where a space or a mark of a sentence follows them
)

func fillWords() {
	known = make(map[string]struct{}, 400)
	add := func(word string) {
		knownWords.add(word)
		known[strings.ToLower(word)] = struct{}{}
	}
	for _, w := range programs {
		programWords.add(w)
		add(w)
	}
	for _, w := range englishWords {
		add(w)
	}
	for _, list := range foreignWords() {
		for _, w := range list {
			n := 0
			for n < len(w.text) && letter(w.text[n]) {
				n++
			}
			add(w.text[:n])
		}
	}
	for _, w := range [...]string{netrcEntry[0], "bearer", "basic", "config", "configure", "secrets", "generic", "put", "patch", "write"} { // others of commandLine.word are among telling
		add(w)
	}
}

// longestPlain is the length of the longest words that are passed over. No token of a service is as short.
const longestPlain = 16

// ordinary reports a word of letters that means nothing to this package.
func ordinary(word string) bool {
	if word == "" || len(word) > longestPlain {
		return false
	}
	if !knownWords.may(word) {
		return true
	}
	var folded [longestPlain]byte
	for i := range len(word) {
		folded[i] = word[i] | 0x20
	}
	_, is := known[string(folded[:len(word)])]
	return !is
}

// skipPlain passes over words that mean nothing to this package, each of letters, with space or an
// opening mark before it and a closing mark or space behind it: nothing begins in them, and they
// change nothing that is known of a command line. The byte at i begins the text, or is the first one
// that was not looked at yet. What it returns is where to look on.
func (l *commandLine) skipPlain(s string, i int) int {
	if l.strict || l.netrc != 0 || l.afterSecret() || i < l.noPlain || i > 0 && !space(s[i-1]) {
		return i
	}
	wordsOnce.Do(fillWords)
	quote := l.quote
	for at := i; ; {
		for at < len(s) && opensWord(s, at) {
			if s[at] == '\n' { // a command ends, and what quotes held
				if l.program != "" {
					return i
				}
				quote = 0
			}
			at++
		}
		l.noPlain = at // a run of these marks is looked at once
		end := at
		for end < len(s) && letter(s[end]) {
			end++
		}
		if !ordinary(s[at:end]) {
			return i
		}
		end = closesWord(s, end)
		if end == len(s) || !space(s[end]) || s[end-1] == ';' && l.program != "" {
			return i
		}
		// The space itself is still to be looked at: the next word may be a value.
		l.quote, l.last = quote, ""
		i, at = end, end
	}
}

// opensWord reports a byte that may stand between space and a word, and says nothing of a secret there.
func opensWord(s string, i int) bool {
	switch s[i] {
	case '`': // behind a word and a single space it may open that word's value
		return i < 2 || s[i-1] != ' ' || !wordByte(s[i-2]) && s[i-2] != '-'
	case ' ', '\n', '\t', '\r', '(', '[', '*', '#':
		return true
	case '-': // of a list
		return i+1 < len(s) && s[i+1] == ' '
	}
	return false
}

// closesWord passes over marks between a word of letters, which ends at i, and space. A comma behind
// quotes or brackets is none of them: it may give a value to what they hold.
func closesWord(s string, i int) int {
	if i < len(s) && s[i] == ',' {
		return i + 1
	}
	for i < len(s) && (s[i] == ')' || s[i] == ']' || s[i] == '`' || s[i] == '*') {
		i++
	}
	if i < len(s) && (s[i] == '.' || s[i] == ';' || s[i] == '!' || s[i] == '?') {
		i++
	}
	return i
}
