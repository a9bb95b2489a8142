// Package named tells by learned weights whether a line only names something, as a heading
// does, or says something of it. It is a logistic regression over hashed forms of the line's words. It must
// not know what is done with its answer.
package named

import (
	_ "embed"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Buckets is the number of weights that forms are hashed to.
const Buckets = 4096

// mostWords is how many words of a text are looked at.
const mostWords = 60

// weights are one signed byte each, in units of Unit: `go run ./cmd/eval gate train` makes them.
//
//go:embed weights.bin
var weights string

// Unit is the value of a weight of 1.
const Unit = 1. / 24

// spans are what is taken out of a text before its words are. A variable with a call would be work of every
// program that links this package.
var (
	spansOnce sync.Once
	spansOf   [4]*regexp.Regexp
)

func spans() [4]*regexp.Regexp {
	spansOnce.Do(func() {
		spansOf = [4]*regexp.Regexp{
			regexp.MustCompile(`^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?[*_>#✅☑✔️🎉\s-]*`),
			regexp.MustCompile("`[^`]*`"),
			regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`),
			regexp.MustCompile(`https?://\S+`),
		}
	})
	return spansOf
}

// tokens returns the words and marks of a text. Code is one word, and so is an address.
func tokens(text string) []string {
	s := spans()
	text = s[0].ReplaceAllString(text, "")
	text = s[1].ReplaceAllString(text, " CODE ")
	text = s[2].ReplaceAllString(text, "$1")
	text = s[3].ReplaceAllString(text, " URL ")
	text = strings.NewReplacer("**", "", "__", "", "’", "'").Replace(text)
	var out []string
	start := -1
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '_' {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			out = append(out, text[start:i])
			start = -1
		}
		if !unicode.IsSpace(r) {
			out = append(out, text[i:i+utf8.RuneLen(r)])
		}
		if len(out) >= mostWords {
			return out
		}
	}
	if start >= 0 {
		out = append(out, text[start:])
	}
	return out
}

// Forms returns the forms of a text that have a weight, such as "first use" for its first word.
func Forms(text string) []string {
	words := tokens(strings.ToValidUTF8(text, "\uFFFD"))
	var out []string
	n, caps := 0, 0
	before := "^"
	for i, word := range words {
		first, _ := utf8.DecodeRuneInString(word)
		if unicode.IsLetter(first) {
			n++
			if i > 0 && unicode.IsUpper(first) && word != "CODE" && word != "URL" {
				caps++
			}
		}
		w := strings.ToLower(word)
		if unicode.IsDigit(first) {
			w = "0"
		}
		out = append(out, "word "+w, "pair "+before+" "+w)
		end := w[max(0, len(w)-3):]
		if len(w) > 4 {
			out = append(out, "end "+end, "end "+end[1:])
		}
		switch i {
		case 0:
			out = append(out, "first "+w, "first end "+end)
		case 1:
			out = append(out, "second "+w, "second end "+end)
		}
		before = w
	}
	out = append(out, "pair "+before+" $", "last "+before)
	size := string(rune('a' + min(n, 15)))
	if n > 15 {
		size = "many"
	}
	return append(out, "size "+size, "capitals "+string(rune('0'+min(caps, 4)))+" "+size)
}

// bucket is the number of a form's weight.
func bucket(form string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(form)) // never fails
	return int(h.Sum32() % Buckets)
}

// BucketsOf returns the numbers of the weights of a text, each once.
func BucketsOf(text string) []int {
	forms := Forms(text)
	out := make([]int, 0, len(forms))
	for _, f := range forms {
		out = append(out, bucket(f))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Scale is what the sum of n weights is multiplied with, so that long texts don't count for more.
func Scale(n int) float64 { return 1 / math.Sqrt(float64(n+1)) }

// Of returns the probability that a text only names something.
func Of(text string) float64 {
	at := BucketsOf(text)
	sum := 0
	for _, i := range at {
		sum += int(int8(weights[i]))
	}
	return 1 / (1 + math.Exp(-float64(sum)*Unit*Scale(len(at))))
}
