package extract

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/indexer/clip"
)

// maxSignature is the length in bytes after which a signature is cut.
const maxSignature = 240

// oneLine returns a part of the source on one line, cut if long.
func (b *builder) oneLine(s Span) string {
	return fold(b.src[s.Start:min(s.End, s.Start+maxExpression)])
}

// outermost follows the wrappers of a declaration: export, decorators, a keyword.
func (b *builder) outermost(span Span) Span {
	for {
		outer, ok := b.facts.wraps[span]
		if !ok {
			return span
		}
		span = outer
	}
}

// skipDocs returns the first offset at or behind start where no decorator or comment
// begins.
func (b *builder) skipDocs(start int) int {
	docs := b.facts.docs
	i, _ := slices.BinarySearchFunc(docs, start, func(s Span, at int) int { return s.Start - at })
	for ; i < len(docs) && docs[i].Start == start; i++ {
		start = skipSpace(b.src, docs[i].End)
	}
	return start
}

// docStart walks up from start over the comments and decorators on lines of their own,
// up to a blank line.
func (b *builder) docStart(start int) int {
	docs := b.facts.docs
	i, _ := slices.BinarySearchFunc(docs, start, func(s Span, at int) int { return s.Start - at })
	for i--; i >= 0; i-- {
		doc := docs[i]
		if doc.End > start || !ownLine(b.src, doc.Start) || !adjacent(b.src[doc.End:start]) {
			break
		}
		start = doc.Start
	}
	return start
}

// ownLine reports whether only white space precedes offset on its line.
func ownLine(src []byte, offset int) bool {
	line := src[bytes.LastIndexByte(src[:offset], '\n')+1 : offset]
	return len(bytes.TrimSpace(line)) == 0
}

// adjacent reports whether gap is white space with at most one line end.
func adjacent(gap []byte) bool {
	return len(bytes.TrimSpace(gap)) == 0 && bytes.Count(gap, []byte{'\n'}) <= 1
}

func skipSpace(src []byte, at int) int {
	for at < len(src) && (src[at] == ' ' || src[at] == '\t' || src[at] == '\n' || src[at] == '\r') {
		at++
	}
	return at
}

// cleanName folds white space, and strips the quotes of a quoted name and the colon of
// an atom or a keyword (":a", "a: ").
func cleanName(name []byte) string {
	s := string(name)
	if slices.ContainsFunc(name, func(c byte) bool { return c <= ' ' || c >= utf8.RuneSelf }) {
		s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	}
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	if colon := strings.Trim(s, ":"); len(colon) == len(s)-1 {
		s = colon
	}
	return s
}

// signature returns the declaration up to its body, on one line.
func signature(src []byte, def *definition, s Symbol) string {
	end := s.End
	if def.role == roleOwn { // its span is the name alone: the method owns the statement
		end = max(end, def.result.End, def.value.End)
	}
	if def.body > s.Start {
		end = min(end, def.body)
	}
	text := src[s.Start:end]
	if i := bytes.IndexByte(text, '\n'); i > 0 && (def.kind == "key" || def.kind == "section") {
		text = text[:i]
	}
	if s.Arity < 0 && def.body < 0 && def.prop.End == def.prop.Start {
		if i := bytes.IndexByte(text, '{'); i > 0 {
			text = text[:i]
		}
	}
	text = text[:min(len(text), 4*maxSignature)]
	line := strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "")), " ")
	for _, suffix := range []string{"=>", ":", ";", ",", "="} {
		line = strings.TrimSpace(strings.TrimSuffix(line, suffix))
	}
	return clip.MarkedBytes(line, maxSignature)
}
