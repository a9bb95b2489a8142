package hookfile

import "strings"

// stem returns the stem of a lower-case word by Martin Porter's algorithm ("An algorithm for suffix
// stripping", 1980), as the tokenizer "porter" of SQLite's FTS5 applies it: to words of 3 to 64
// bytes, the suffixes "bli" and "logi" included, bytes above 127 being consonants.
func stem(w string) string {
	if len(w) < 3 || len(w) > 64 {
		return w
	}
	b := []byte(w)
	b = step1(b)
	for _, step := range [...][]rule{step2, step3} {
		b = replaceFirst(b, step)
	}
	b = step4(b)
	// Step 5.
	if n := len(b) - 1; b[n] == 'e' {
		if m := measure(b[:n]); m > 1 || m == 1 && !endsShort(b[:n]) {
			b = b[:n]
		}
	}
	if n := len(b); n > 1 && b[n-1] == 'l' && b[n-2] == 'l' && measure(b[:n-1]) > 1 {
		b = b[:n-1]
	}
	return string(b)
}

// vowel reports whether the letter i of a word is a vowel. A y is one after a consonant.
func vowel(b []byte, i int) bool {
	switch b[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	case 'y':
		return i > 0 && !vowel(b, i-1)
	}
	return false
}

func hasVowel(b []byte) bool {
	for i := range b {
		if vowel(b, i) {
			return true
		}
	}
	return false
}

// measure is Porter's m: how often a consonant follows a vowel.
func measure(b []byte) (m int) {
	for i := 1; i < len(b); i++ {
		if vowel(b, i-1) && !vowel(b, i) {
			m++
		}
	}
	return m
}

// endsShort is Porter's *o: consonant, vowel, consonant other than w, x and y.
func endsShort(b []byte) bool {
	n := len(b)
	if n < 3 || vowel(b, n-3) || !vowel(b, n-2) || vowel(b, n-1) {
		return false
	}
	return b[n-1] != 'w' && b[n-1] != 'x' && b[n-1] != 'y'
}

func hasSuffix(b []byte, suffix string) bool {
	return len(b) > len(suffix) && string(b[len(b)-len(suffix):]) == suffix
}

func step1(b []byte) []byte {
	if b[len(b)-1] == 's' {
		switch {
		case hasSuffix(b, "sses"), hasSuffix(b, "ies"):
			b = b[:len(b)-2]
		case b[len(b)-2] != 's':
			b = b[:len(b)-1]
		}
	}
	cut := 0
	switch {
	case hasSuffix(b, "eed"):
		if measure(b[:len(b)-3]) > 0 {
			b = b[:len(b)-1]
		}
	case hasSuffix(b, "ed") && hasVowel(b[:len(b)-2]):
		cut = 2
	case hasSuffix(b, "ing") && hasVowel(b[:len(b)-3]):
		cut = 3
	}
	if cut > 0 {
		b = b[:len(b)-cut]
		n := len(b)
		switch {
		case hasSuffix(b, "at"), hasSuffix(b, "bl"), hasSuffix(b, "iz"):
			b = append(b, 'e')
		case n > 1 && b[n-1] == b[n-2] && !strings.ContainsRune("aeioulsz", rune(b[n-1])):
			b = b[:n-1]
		case measure(b) == 1 && endsShort(b):
			b = append(b, 'e')
		}
	}
	if n := len(b) - 1; b[n] == 'y' && n > 0 && hasVowel(b[:n]) {
		b[n] = 'i'
	}
	return b
}

type rule struct{ suffix, by string }

var (
	step2 = []rule{
		{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"logi", "log"}, {"bli", "ble"},
		{"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"}, {"ization", "ize"}, {"ation", "ate"}, {"ator", "ate"},
		{"alism", "al"}, {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"},
	}
	step3 = []rule{
		{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""},
	}
)

// replaceFirst applies the first rule whose suffix the word has, if what is left has a measure
// above 0.
func replaceFirst(b []byte, rules []rule) []byte {
	for _, r := range rules {
		if hasSuffix(b, r.suffix) {
			if left := b[:len(b)-len(r.suffix)]; measure(left) > 0 {
				return append(left, r.by...)
			}
			return b
		}
	}
	return b
}

var step4Suffixes = []string{
	"al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
}

func step4(b []byte) []byte {
	for _, suffix := range step4Suffixes {
		if !hasSuffix(b, suffix) {
			continue
		}
		left := b[:len(b)-len(suffix)]
		if suffix == "ion" && left[len(left)-1] != 's' && left[len(left)-1] != 't' {
			return b
		}
		if measure(left) > 1 {
			return left
		}
		return b
	}
	return b
}
