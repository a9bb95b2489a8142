package secret

import "sync"

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
	programWords wordSet // guarded by wordsOnce; programs
	knownWords   wordSet // guarded by wordsOnce; all words that mean something to this package where a space, a comma or a full stop follows them
)

func fillWords() {
	for _, w := range programs {
		programWords.add(w)
	}
	knownWords = programWords
	for _, w := range telling {
		knownWords.add(w)
	}
	for _, list := range foreignWords() {
		for _, w := range list {
			n := 0
			for n < len(w.text) && letter(w.text[n]) {
				n++
			}
			knownWords.add(w.text[:n])
		}
	}
	for _, w := range [...]string{netrcEntry[0], "bearer", "basic"} {
		knownWords.add(w)
	}
}

// longestPlain is the length of the longest words that are passed over. No token of a service is as short.
const longestPlain = 16

// skipPlain passes over words that mean nothing to this package, each of letters and with a space
// behind it: nothing begins in them, and they change nothing that is known of a command line. The
// byte at i begins the text, or is the first one that was not looked at yet. What it returns is where
// to look on.
func (l *commandLine) skipPlain(s string, i int) int {
	if l.strict || l.program != "" || l.netrc != 0 || i > 0 && s[i-1] != ' ' {
		return i
	}
	wordsOnce.Do(fillWords)
	for at := i; ; {
		end := at
		for end < len(s) && letter(s[end]) {
			end++
		}
		word := s[at:end]
		if word == "" || len(word) > longestPlain || knownWords.may(word) {
			return i
		}
		if end < len(s) && (s[end] == ',' || s[end] == '.') {
			end++
		}
		if end == len(s) || s[end] != ' ' {
			return i
		}
		i, at = end, end+1
	}
}
