package associations

import (
	"context"
	"regexp"
	"strings"

	"manicule/cmd/eval/documented"
	"manicule/indexer/graph"
	"manicule/indexer/words"
)

// pair is what people say, and the code that they say it of, each as terms (package words).
type pair struct {
	repo       int // its place in the list
	said, code []string
}

// How many pairs of one repository are taken, so that none has all, and how many terms each side has.
const (
	mostFunctions = 6000
	mostPassages  = 3000
	leastTerms    = 3
	leastOfLine   = 4 // of a comment inside of a function
	mostSaid      = 30
	mostCode      = 100
	mostSentence  = 400 // bytes
)

// pairsOf returns the pairs of a repository: functions with the first sentence of their comment, and lines with the comment
// above them.
func pairsOf(ctx context.Context, dir, commit string) (out []pair, err error) {
	functions, passages := 0, 0
	seen := map[string]bool{}
	add := func(s *words.Stemmer, said, code string, least int) bool {
		p := pair{said: s.Terms(said), code: s.Terms(plain(code))}
		key := strings.Join(p.said, " ")
		if len(p.said) < least || len(p.said) > mostSaid || len(p.code) < least || seen[key] {
			return false
		}
		seen[key] = true
		p.code = p.code[:min(len(p.code), mostCode)]
		out = append(out, p)
		return true
	}
	err = documented.Code(ctx, dir, commit, func(file string, data []byte) error {
		if isForeign(file) || graph.IsTest(file) {
			return nil
		}
		s := new(words.Stemmer)
		for _, f := range documented.In(file, string(data)) {
			sentence := documented.Sentence(f.Comment)
			if functions < mostFunctions && add(s, sentence[:min(len(sentence), mostSentence)], f.Body, leastTerms) {
				functions++
			}
		}
		for _, m := range passage.FindAllStringSubmatch(string(data), -1) {
			said := strings.NewReplacer("//", " ", "#", " ").Replace(m[1])
			if passages < mostPassages && !isCode(said) && add(s, said, m[2], leastOfLine) {
				passages++
			}
		}
		return nil
	})
	return out, err
}

// isForeign reports whether a file is not the repository's own work, or is made by a program.
func isForeign(file string) bool {
	for _, part := range []string{"vendor/", "node_modules/", "third_party", "dist/", ".min.", ".pb.go"} {
		if strings.Contains(file, part) {
			return true
		}
	}
	return false
}

// passage is a comment inside of a function, and up to twelve lines after it.
var passage = regexp.MustCompile(`(?m)^[ \t]+((?:(?://|#) ?[A-Za-z].*\n[ \t]*){1,4})((?:[ \t]*[^\s/#].*\n){1,12})`)

// isCode reports whether a comment is code that was commented out, or an order to a tool.
func isCode(said string) bool {
	if strings.ContainsAny(said, "{};=<>") {
		return true
	}
	for _, mark := range []string{"TODO", "eslint", "noqa"} {
		if strings.Contains(said, mark) {
			return true
		}
	}
	return false
}

var comment = regexp.MustCompile(`(?m)(//|#).*$|/\*(?s:.*?)\*/`)

// plain returns code without its comments.
func plain(code string) string { return comment.ReplaceAllString(code, " ") }
