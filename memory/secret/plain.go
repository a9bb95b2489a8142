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

// knownWords are all words that mean something to this package where a space, a comma or a full stop follows them.
var knownWords = sync.OnceValue(func() *wordSet {
	var set wordSet
	for _, w := range telling {
		set.add(w)
	}
	for _, list := range foreignWords() {
		for _, w := range list {
			n := 0
			for n < len(w.text) && letter(w.text[n]) {
				n++
			}
			set.add(w.text[:n])
		}
	}
	for i, lengths := range programWords() {
		set[i] |= lengths
	}
	for _, w := range [...]string{netrcEntry[0], "bearer", "basic"} {
		set.add(w)
	}
	return &set
})

// programWords are programs.
var programWords = sync.OnceValue(func() *wordSet {
	var set wordSet
	for _, w := range programs {
		set.add(w)
	}
	return &set
})

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
	known := knownWords()
	for at := i; ; {
		end := at
		for end < len(s) && letter(s[end]) {
			end++
		}
		word := s[at:end]
		if word == "" || len(word) > longestPlain || known.may(word) {
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
