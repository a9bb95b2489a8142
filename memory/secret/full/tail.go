package full

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/memory/lazydfa"
)

// tail is the part of a rule's pattern from one of the rule's keywords on. Each match of the rule
// has a match of it at an occurrence of a keyword. It is far cheaper to follow than the pattern, as
// it has to be followed only at those places, mostly for a few bytes. It is safe for concurrent use.
type tail struct {
	*lazydfa.Matcher
}

// tailOf returns nil if the keywords don't begin a part of the pattern.
func tailOf(pattern string, keywords []string) *tail {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	if re = fromKeyword(re, keywords); re == nil {
		return nil
	}
	m, err := lazydfa.NewAnchored(re)
	if err != nil {
		return nil
	}
	return &tail{m}
}

// fromKeyword returns the end of an expression that begins with a keyword, nil if there is none. That of
// alternatives are the ends of each.
func fromKeyword(re *syntax.Regexp, keywords []string) *syntax.Regexp {
	parts := row(re)
	for n := range parts {
		begins, _ := headsOf(parts[n:])
		if slices.ContainsFunc(begins, func(b string) bool {
			return !slices.ContainsFunc(keywords, func(k string) bool { return strings.HasPrefix(b, k) })
		}) {
			continue
		}
		return &syntax.Regexp{Op: syntax.OpConcat, Sub: parts[n:]}
	}
	if len(parts) != 1 || parts[0].Op != syntax.OpAlternate {
		return nil
	}
	ends := &syntax.Regexp{Op: syntax.OpAlternate}
	for _, sub := range parts[0].Sub {
		end := fromKeyword(sub, keywords)
		if end == nil {
			return nil
		}
		ends.Sub = append(ends.Sub, end)
	}
	return ends
}

// row is the parts of an expression that follow each other.
func row(re *syntax.Regexp) []*syntax.Regexp {
	switch re.Op {
	case syntax.OpCapture:
		return row(re.Sub[0])
	case syntax.OpConcat:
		var out []*syntax.Regexp
		for _, sub := range re.Sub {
			out = append(out, row(sub)...)
		}
		return out
	}
	return []*syntax.Regexp{re}
}

// They bound how many beginnings of an expression are listed, and how many characters of a class.
const (
	mostHeads   = 64
	mostOfClass = 8
)

// headsOf returns texts in lower case of which each match of some parts begins with one. whole
// reports that the matches are no longer than these.
func headsOf(parts []*syntax.Regexp) (heads []string, whole bool) {
	heads = []string{""}
	for _, p := range parts {
		more, whole := headsOfOne(p)
		if len(heads)*len(more) > mostHeads {
			return heads, false
		}
		var longer []string
		for _, h := range heads {
			for _, m := range more {
				longer = append(longer, h+m)
			}
		}
		if heads = longer; !whole {
			return heads, false
		}
	}
	return heads, true
}

func headsOfOne(re *syntax.Regexp) (heads []string, whole bool) {
	unknown := []string{""}
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return unknown, true
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r >= utf8.RuneSelf {
				return unknown, false
			}
		}
		return []string{strings.ToLower(string(re.Rune))}, true
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if r >= utf8.RuneSelf || len(heads) >= mostOfClass {
					return unknown, false
				}
				heads = append(heads, strings.ToLower(string(r)))
			}
		}
		slices.Sort(heads)
		return slices.Compact(heads), true
	case syntax.OpCapture, syntax.OpConcat:
		return headsOf(row(re))
	case syntax.OpAlternate:
		whole = true
		for _, sub := range re.Sub {
			more, all := headsOfOne(sub)
			heads, whole = append(heads, more...), whole && all
		}
		if len(heads) > mostHeads {
			return unknown, false
		}
		return heads, whole
	case syntax.OpPlus:
		heads, _ = headsOfOne(re.Sub[0])
		return heads, false
	case syntax.OpRepeat:
		if re.Min > 0 {
			heads, _ = headsOfOne(re.Sub[0])
			return heads, false
		}
	case syntax.OpQuest:
		heads, whole = headsOfOne(re.Sub[0])
		return append(slices.Clone(heads), ""), whole
	case syntax.OpNoMatch, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpStar:
	}
	return unknown, false
}

// in reports whether the tail may match in a text at an offset.
func (t *tail) in(text string, at int) bool { return t.Match(text, at) != lazydfa.No }
