package resolve

import (
	"slices"
	"strings"
)

// acceptingArguments drops the methods that a call can't mean because of the number of
// its arguments; given is one more than that, 0 if unknown. In TypeScript a method
// with overloads stays as a whole, as its declarations are one.
func acceptingArguments(all []*Symbol, file *File, given int) []*Symbol {
	if given == 0 {
		return all
	}
	accepts := func(s *Symbol) bool {
		least, most, ok := parameters(s)
		return !ok || least < given && given-1 <= most
	}
	if !slices.ContainsFunc(all, func(s *Symbol) bool { return !accepts(s) }) {
		return all
	}
	var out []*Symbol
	for _, s := range all {
		if accepts(s) || file.Lang != "java" && slices.ContainsFunc(all, func(o *Symbol) bool { return o.Path == s.Path && o.File == s.File && accepts(o) }) {
			out = append(out, s)
		}
	}
	return out
}

// manyParameters is more than any call passes.
const manyParameters = 1 << 10

// parameters returns how many arguments a method takes, if its language counts them and
// its signature says so.
func parameters(s *Symbol) (least, most int, ok bool) {
	if s.Kind != "method" && s.Kind != "function" || s.Arity < 0 {
		return 0, 0, false
	}
	typescript := s.File.typeScript()
	if !typescript && s.File.Lang != "java" {
		return 0, 0, false
	}
	if s.Arity == 0 {
		return 0, 0, true
	}
	i := strings.Index(s.Sig, s.Name)
	if i < 0 {
		return 0, 0, false
	}
	p := &parser{s: s.Sig, i: i + len(s.Name)}
	if p.space(); p.has("<") {
		p.skipAngle()
	}
	if !p.has("(") {
		return 0, 0, false
	}
	list := splitTop(p.skip(), ',')
	if len(list) != s.Arity { // the signature was cut, or something in it is not plain
		return 0, 0, false
	}
	for _, one := range list {
		switch {
		case typescript && strings.HasPrefix(one, "this:"):
			continue
		case strings.Contains(one, "..."):
			return least, manyParameters, true
		case typescript && optionalParameter(one):
		default:
			least++
		}
		most++
	}
	return least, most, true
}

// optionalParameter reports whether a parameter of TypeScript may be left out.
func optionalParameter(one string) bool {
	depth := 0
	for i := 0; i < len(one); i++ {
		switch c := one[i]; c {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}':
			depth--
		case '>':
			if one[max(i-1, 0)] != '=' {
				depth--
			}
		case '?', '=':
			if depth == 0 && (i+1 == len(one) || one[i+1] != '>') {
				return true
			}
		}
	}
	return false
}
