// Package speech guesses the parts of speech of a short English text, and with them whether it has a verb that makes it a
// statement or an order. It is a hidden Markov model over twelve classes: how often a word has a class, and how often a class
// follows another, was counted on Markdown pages of public repositories. It must not know what junk is.
package speech

import (
	_ "embed"
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Class is a class of words.
type Class int

// The classes.
const (
	Noun       Class = iota
	Base             // a verb as in an order, or of several: "use", "they use"
	Third            // a verb of one: "uses"
	Past             // "used", also as a participle
	Ing              // "using"
	Adjective        // "public"
	Adverb           // "only"
	Determiner       // "the", "its", "three"
	Joiner           // "of", "in", "and"
	To               // "to"
	Pronoun          // "it", "who"
	Modal            // "must"
	Classes
)

// The form of lexicon.bin: a matrix of bytes, how often (of 255) the second class follows the first; then entries in the order of
// their hashes: four bytes of the hash of a word in lower case, and of each class how often (of 15) the word has it.
const (
	hashSize  = 4
	entrySize = hashSize + int(Classes)/2
)

//go:embed lexicon.bin
var lexicon string

// start is how often a class begins a line or what follows a mark. Pages of rules and lists begin with orders more often than prose,
// from which the matrix is.
func start(c Class) float64 {
	switch c {
	case Noun, Base:
		return .28
	case Adjective, Determiner:
		return .1
	case Ing, Joiner, Pronoun, Past:
		return .05
	case Third, Adverb, To, Modal, Classes:
	}
	return .015
}

// often is how often a class is met: what a word's classes are divided by.
func often(c Class) float64 {
	switch c {
	case Noun:
		return .36
	case Adjective, Determiner:
		return .1
	case Joiner:
		return .14
	case Base:
		return .06
	case Past, Third, Adverb:
		return .045
	case Ing, To, Pronoun, Modal, Classes:
	}
	return .025
}

// odds are probabilities of the classes of a word.
type odds [Classes]float64

// Guess are the parts of speech of a text.
type Guess struct {
	Words     int
	FirstBase float64 // the probability that the text begins with an order
	First     odds    // of the first word
	Last      odds
	Finite    float64 // the greatest probability that a word is a verb with a subject before it
	Verbs     float64 // the number of verbs with a subject, modals included
	Order     float64 // the greatest probability that a part behind a mark begins with an order
	Tail      float64 // the probability of a statement or an order in what follows the first mark, -1 if there is no mark
	Share     odds    // of all words
}

// mostWords is how many words of a text are looked at.
const mostWords = 80

// Of guesses the parts of speech of a text.
func Of(text string) Guess {
	var g Guess
	g.Tail = -1
	parts := split(text)
	for n, part := range parts {
		at := posteriors(part)
		stated := at[0][Base]
		for i, p := range at {
			for c, x := range p {
				g.Share[c] += x
			}
			verb := p[Modal]
			if i > 0 {
				before := at[i-1]
				subject := before[Noun] + before[Pronoun] + before[Adverb]
				verb += p[Third]*(subject+before[Past]*.3) + p[Base]*(subject-before[Adverb]*.5)
				if i > 1 && before[Adverb] > .5 {
					verb *= at[i-2][Noun] + at[i-2][Pronoun]
				}
			}
			verb = min(verb, 1)
			g.Verbs += verb
			g.Finite = max(g.Finite, verb)
			stated = max(stated, verb)
		}
		if n == 0 {
			g.First, g.FirstBase = at[0], at[0][Base]
		} else {
			g.Order = max(g.Order, at[0][Base])
			g.Tail = max(g.Tail, stated)
		}
		g.Words += len(at)
		g.Last = at[len(at)-1]
	}
	for c := range g.Share {
		g.Share[c] /= max(float64(g.Words), 1)
	}
	return g
}

// split returns the words of each part of a text between marks. Code and links are one word.
func split(text string) (out [][]string) {
	text = plain(text)
	var part []string
	end := func() {
		if len(part) > 0 {
			out = append(out, part)
			part = nil
		}
	}
	for n, word := range strings.Fields(text) {
		if n == mostWords {
			break
		}
		w := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if strings.HasPrefix(word, "(") {
			end()
		}
		if w == "" {
			end()
			continue
		}
		part = append(part, w)
		last, _ := utf8.DecodeLastRuneInString(word)
		if strings.ContainsRune(".:;,)!?", last) {
			end()
		}
	}
	end()
	return out
}

// plain removes the marks of Markdown, and puts a name in the place of code.
func plain(text string) string {
	text = strings.NewReplacer("**", "", "__", "", "[ ]", "", "[x]", "", "’", "'").Replace(text)
	var b strings.Builder
	for i, piece := range strings.Split(text, "`") {
		if i%2 == 1 {
			b.WriteString("Code")
			continue
		}
		b.WriteString(piece)
	}
	text = b.String()
	for {
		i := strings.Index(text, "](")
		if i < 0 {
			return text
		}
		j := strings.IndexByte(text[i:], ')')
		if j < 0 {
			return text
		}
		text = text[:i] + text[i+j+1:]
	}
}

// posteriors returns the probabilities of the classes of each word, in sight of the others.
func posteriors(words []string) []odds {
	at, ahead := make([]odds, len(words)), make([]odds, len(words))
	seen := make([]odds, len(words))
	for i, w := range words {
		seen[i] = classes(w)
		for c := range Classes {
			seen[i][c] /= often(c)
		}
	}
	for c := range Classes {
		at[0][c] = start(c) * seen[0][c]
	}
	at[0].scale()
	for i := 1; i < len(words); i++ {
		for c := range Classes {
			sum := 0.
			for b := range Classes {
				sum += at[i-1][b] * follows(b, c)
			}
			at[i][c] = sum * seen[i][c]
		}
		at[i].scale()
	}
	last := len(words) - 1
	for c := range Classes {
		ahead[last][c] = 1
	}
	for i := last - 1; i >= 0; i-- {
		for c := range Classes {
			for d := range Classes {
				ahead[i][c] += follows(c, d) * seen[i+1][d] * ahead[i+1][d]
			}
		}
		ahead[i].scale()
	}
	for i := range at {
		for c := range Classes {
			at[i][c] *= ahead[i][c]
		}
		at[i].scale()
	}
	return at
}

func (o *odds) scale() {
	sum := 0.
	for _, x := range o {
		sum += x
	}
	for c := range o {
		o[c] /= max(sum, 1e-300)
	}
}

// follows is how often a class follows another.
func follows(a, b Class) float64 {
	return (float64(lexicon[int(a)*int(Classes)+int(b)]) + .25) / 255
}

// classes returns how often a word has each class.
func classes(word string) (o odds) {
	lower := strings.ToLower(word)
	if at := find(lower); at >= 0 {
		entry := lexicon[at+hashSize : at+entrySize]
		for c := range Classes {
			x := entry[int(c)/2]
			if c%2 == 0 {
				x >>= 4
			}
			o[c] = float64(x&15) + .05
		}
	} else {
		o = unknown(lower)
	}
	if lower != word && word[1:] != strings.ToLower(word[1:]) { // an acronym, or a name such as NestJS
		o = odds{Noun: 15}
		for c := range o {
			o[c] += .05
		}
	}
	o.scale()
	return o
}

// unknown guesses the classes of a word that is not in the lexicon by its end.
func unknown(w string) (o odds) {
	o = odds{Noun: 9, Base: 1.5, Adjective: 1.5}
	ends := func(with ...string) bool {
		for _, e := range with {
			if strings.HasSuffix(w, e) && len(w) > len(e)+2 {
				return true
			}
		}
		return false
	}
	switch {
	case w[0] >= '0' && w[0] <= '9':
		o = odds{Determiner: 10, Noun: 4}
	case strings.ContainsAny(w, "_./{}<>=()"):
		o = odds{Noun: 14}
	case ends("ing"):
		o = odds{Ing: 11, Noun: 3}
	case ends("ed"):
		o = odds{Past: 12, Adjective: 2}
	case ends("ly"):
		o = odds{Adverb: 13, Adjective: 1}
	case ends("tion", "ment", "ness", "ity", "ance", "ence", "ism", "ship"):
		o = odds{Noun: 14}
	case ends("able", "ible", "ous", "ive", "ful", "less", "ic", "al"):
		o = odds{Adjective: 11, Noun: 3}
	case ends("ize", "ise", "ify"):
		o = odds{Base: 12, Noun: 1}
	case ends("izes", "ises", "ifies"):
		o = odds{Third: 12, Noun: 1}
	case ends("s") && !ends("ss"):
		o = odds{Noun: 11, Third: 3}
	}
	for c := range o {
		o[c] += .1
	}
	return o
}

// find returns where the entry of a word begins, -1 if there is none.
func find(word string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(word)) // never fails
	want := h.Sum32()
	low, high := 0, (len(lexicon)-int(Classes)*int(Classes))/entrySize
	for low < high {
		mid := (low + high) / 2
		at := int(Classes)*int(Classes) + mid*entrySize
		got := uint32(lexicon[at])<<24 | uint32(lexicon[at+1])<<16 | uint32(lexicon[at+2])<<8 | uint32(lexicon[at+3])
		switch {
		case got == want:
			return at
		case got < want:
			low = mid + 1
		default:
			high = mid
		}
	}
	return -1
}
