package extract

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"

	"manicule/grammars"
)

const (
	// maxBroken is the size in bytes up to which broken text is always queried.
	maxBroken = 32 << 10
	// maxChildren limits the children of an error node in a longer one.
	maxChildren = 500
	// maxClosed is how many bytes of broken pieces the closers are tried on. Each
	// piece counts for at least minClosed, because every parse has a fixed cost.
	maxClosed = 64 << 10
	minClosed = 64
)

// header is a compiled grammars.Header.
type header struct {
	kind    string
	pattern *regexp.Regexp
}

func compileHeaders(data []grammars.Header) ([]header, error) {
	var all []header
	for _, h := range data {
		pattern, err := regexp.Compile(h.Pattern)
		if err != nil {
			return nil, err
		}
		all = append(all, header{kind: h.Kind, pattern: pattern})
	}
	return all, nil
}

// recover improves the facts of a source with broken syntax. One unclosed bracket can
// make a grammar swallow everything behind it, so the broken part is cut where a
// declaration begins in the first column, and each piece is scanned alone.
func (l *language) recover(ctx context.Context, src []byte, whole *facts) (*facts, error) {
	if l.keys != nil {
		return l.keysByIndent(src, whole), nil
	}
	pieces := l.splitPieces(src)
	bad := brokenPieces(pieces, whole, l.flat)
	kept := whole.excluding(bad, l.flat)
	budget := maxClosed
	if len(pieces) == 1 && len(src) > maxBroken { // it would be scanned again unchanged, and no closer is tried
		whole.definitions = l.addFrame(src, whole.definitions)
		return whole, nil
	}
	for _, piece := range bad {
		text := src[piece.Start:piece.End]
		if n := len(l.opener); piece.Start >= n && n > 0 { // it replaces preceding bytes, so that offsets agree
			text = slices.Concat([]byte(l.opener), text)
			piece.Start -= n
		}
		found, err := l.scanPiece(ctx, text, &budget)
		if err != nil {
			return nil, err
		}
		kept.merge(found, piece)
	}
	return kept, nil
}

// splitPieces cuts a source where declarations begin. A decorator belongs to what
// follows.
func (l *language) splitPieces(src []byte) spanSet {
	var cuts []int
	decorated := false
	for at := 0; at < len(src); {
		line := src[at:]
		if n := bytes.IndexByte(line, '\n'); n >= 0 {
			line = line[:n+1]
		}
		if l.startsDeclaration(line) {
			if !decorated {
				cuts = append(cuts, at)
			}
			decorated = line[0] == '@' || line[0] == '[' || bytes.HasPrefix(line, []byte("#[")) || bytes.HasPrefix(line, []byte("//"))
		}
		at += len(line)
	}
	if len(cuts) == 0 || cuts[0] != 0 {
		cuts = slices.Insert(cuts, 0, 0)
	}
	pieces := make(spanSet, 0, len(cuts))
	for i, start := range cuts {
		end := len(src)
		if i+1 < len(cuts) {
			end = cuts[i+1]
		}
		pieces = append(pieces, Span{Start: start, End: end})
	}
	return pieces
}

func (l *language) startsDeclaration(line []byte) bool {
	return slices.ContainsFunc(l.starts, func(s string) bool { return bytes.HasPrefix(line, []byte(s)) })
}

// spanSet is a sorted list of spans that do not overlap.
type spanSet []Span

// touched returns the index range of the spans that share a byte with s, or, for an
// empty s, contain or adjoin it.
func (set spanSet) touched(s Span) (from, to int) {
	from, _ = slices.BinarySearchFunc(set, s, func(a, s Span) int {
		if a.End < s.Start || a.End == s.Start && a.Start < a.End && s.Start < s.End {
			return -1
		}
		return 1
	})
	to = from
	for to < len(set) && (set[to].Start < s.End || set[to].Start == s.End && (s.Start == s.End || set[to].Start == set[to].End)) {
		to++
	}
	return from, to
}

func (set spanSet) touches(s Span) bool {
	from, to := set.touched(s)
	return from < to
}

// brokenPieces returns the pieces that contain part of an error, or of a definition
// with an error in it, whose end is unreliable. A flat namespace contains a whole file
// and only frames the pieces.
func brokenPieces(pieces spanSet, whole *facts, flat bool) spanSet {
	errors := spanSet(whole.errors)
	doubtful := slices.Clone(whole.errors)
	for _, def := range whole.definitions {
		if !(flat && def.kind == "module") && errors.touches(def.span) {
			doubtful = append(doubtful, def.span)
		}
	}
	marked := make([]bool, len(pieces))
	for _, d := range doubtful {
		from, to := pieces.touched(d)
		for i := from; i < to; i++ {
			marked[i] = true
		}
	}
	var bad spanSet
	for i, piece := range pieces {
		if marked[i] {
			bad = append(bad, piece)
		}
	}
	return bad
}

// excluding returns the facts outside of spans, and all comments.
func (f *facts) excluding(bad spanSet, flat bool) *facts {
	kept := newFacts()
	kept.docs = f.docs
	for _, def := range f.definitions {
		if flat && def.kind == "module" || !bad.touches(def.span) {
			kept.definitions = append(kept.definitions, def)
		}
	}
	kept.scopes = slices.DeleteFunc(slices.Clone(f.scopes), bad.touches)
	kept.inside = slices.DeleteFunc(slices.Clone(f.inside), func(i extensionBody) bool { return bad.touches(i.span) })
	kept.objects = slices.DeleteFunc(slices.Clone(f.objects), bad.touches)
	kept.imports = slices.DeleteFunc(slices.Clone(f.imports), bad.touches)
	kept.errors = slices.DeleteFunc(slices.Clone(f.errors), bad.touches)
	for inner, outer := range f.wraps {
		if !bad.touches(outer) {
			kept.wraps[inner] = outer
		}
	}
	for span, p := range f.parts {
		if !bad.touches(span) {
			kept.parts[span] = p
		}
	}
	return kept
}

// scanPiece scans one piece. It tries closers as long as the budget of bytes lasts,
// and keeps the scan with the most definitions.
func (l *language) scanPiece(ctx context.Context, text []byte, budget *int) (*facts, error) {
	best, err := l.scan(ctx, text, nil)
	if err != nil || len(best.errors) == 0 {
		return best, err
	}
	errors := best.errors
	*budget -= max(len(text), minClosed)
	if len(text) <= maxBroken && *budget >= 0 {
		hopeful := !l.braced || unclosed(text)
		for _, closer := range l.closers {
			if bare := strings.TrimSpace(closer); !hopeful && len(bare) > 1 && bare != deepest {
				continue
			}
			found, err := l.scan(ctx, slices.Concat(text, []byte(closer)), nil)
			if err != nil {
				return nil, err
			}
			if better(found, best, len(text)) {
				best, hopeful = found, true
			}
		}
	}
	best.errors = errors
	best.definitions = l.addFrame(text, best.definitions)
	return best, nil
}

// deepest is the closer that is also tried where no bracket is open: behind a macro that
// the grammar does not know, three braces end whatever it took the macro for.
const deepest = "}}}"

// unclosed reports whether a text has more opening brackets than closing ones. Where
// it has not, closers of several brackets improve nothing, and trying each of them
// took half of the time of a broken file.
func unclosed(text []byte) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(depth-1, 0)
		case '"', '\'':
			if c == '\'' && i > 0 && text[i-1] >= '0' && text[i-1] <= '9' { // 1'000
				continue
			}
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i = skipComment(text, i)
		}
	}
	return depth > 0
}

// skipComment returns the last offset of a comment, or the given offset if none begins
// there.
func skipComment(text []byte, at int) int {
	end, size := "", 0
	switch {
	case bytes.HasPrefix(text[at:], []byte("//")):
		end = "\n"
	case bytes.HasPrefix(text[at:], []byte("/*")):
		end, size = "*/", 1
	default:
		return at
	}
	n := bytes.Index(text[at+2:], []byte(end))
	if n < 0 {
		return len(text)
	}
	return at + 2 + n + size
}

// addFrame adds the declaration at the start of a piece to those found in it, if its
// own syntax is not understood.
func (l *language) addFrame(text []byte, found []definition) []definition {
	all := l.declarationsByHeader(text)
	if all == nil {
		return found
	}
	head := all[0]
	for _, def := range found {
		if def.name.Start <= head.name.Start && head.kind != "" {
			return found
		}
		if atMargin(text, def.span.Start) && def.span.Start > head.name.Start {
			head.span.End = min(head.span.End, def.span.Start)
		}
	}
	if head.kind != "" {
		return append([]definition{head}, found...)
	}
	for i, def := range found { // a frame that is no symbol, as Rust's impl
		if def.container != "" || !holds(head.span, def.span) || atMargin(text, def.span.Start) {
			continue
		}
		switch def.kind {
		case "function":
			found[i].kind = "method"
		case "const", "type":
		default:
			continue
		}
		found[i].container = string(text[head.name.Start:head.name.End])
	}
	return found
}

// atMargin reports whether a line begins at an offset. Declarations from a closer lie
// behind the text.
func atMargin(text []byte, at int) bool { return at == 0 || at <= len(text) && text[at-1] == '\n' }

// better reports whether a scan has more definitions than another, or as many that
// reach further.
func better(a, b *facts, limit int) bool {
	reach := func(f *facts) int {
		end := 0
		for _, def := range f.definitions {
			end = max(end, min(def.span.End, limit))
		}
		return end
	}
	if len(a.definitions) != len(b.definitions) {
		return len(a.definitions) > len(b.definitions)
	}
	return reach(a) > reach(b)
}

// keysByIndent finds the keys of a broken data file by its lines: after one missing
// bracket a grammar misreads everything behind it.
func (l *language) keysByIndent(src []byte, whole *facts) *facts {
	found := newFacts()
	found.docs, found.errors = whole.docs, whole.errors
	type open struct{ indent, def int }
	var stack []open
	closeUntil := func(indent, at int) {
		for len(stack) > 0 && stack[len(stack)-1].indent >= indent {
			found.definitions[stack[len(stack)-1].def].span.End = at
			stack = stack[:len(stack)-1]
		}
	}
	for _, m := range l.keys.FindAllSubmatchIndex(src, -1) {
		line := bytes.LastIndexByte(src[:m[2]], '\n') + 1
		closeUntil(m[2]-line, line)
		stack = append(stack, open{m[2] - line, len(found.definitions)})
		found.definitions = append(found.definitions, definition{
			role: roleDef, kind: "key", name: Span{Start: m[2], End: m[3]}, arity: -1, body: -1, span: Span{Start: m[2], End: len(src)},
		})
	}
	closeUntil(0, len(src))
	if 2*len(found.definitions) < len(whole.definitions) {
		return whole // most keys are not on lines of their own
	}
	return found
}

// declarationsByHeader finds at least the name of a declaration.
func (l *language) declarationsByHeader(text []byte) []definition {
	for _, h := range l.headers {
		m := h.pattern.FindSubmatchIndex(text)
		if m == nil {
			continue
		}
		name := Span{Start: m[2], End: m[3]}
		body := len(text)
		if n := bytes.IndexByte(text[name.End:], '\n'); n >= 0 {
			body = name.End + n
		}
		return []definition{{
			role: roleDef, kind: h.kind, name: name, arity: -1, body: body,
			span: Span{Start: m[0], End: len(bytes.TrimRight(text, " \t\r\n"))},
		}}
	}
	return nil
}

// merge adds the facts of a piece, shifted to its place and clipped to its text.
func (f *facts) merge(found *facts, piece Span) {
	move := func(s Span) Span {
		return Span{Start: min(s.Start+piece.Start, piece.End), End: min(s.End+piece.Start, piece.End)}
	}
	moveAll := func(spans []Span) []Span {
		moved := make([]Span, 0, len(spans))
		for _, s := range spans {
			moved = append(moved, move(s))
		}
		return moved
	}
	for _, def := range found.definitions {
		for _, s := range []*Span{&def.span, &def.name, &def.value, &def.members, &def.result, &def.from, &def.prop} {
			*s = move(*s)
		}
		if def.body >= 0 {
			def.body = min(def.body+piece.Start, piece.End)
		}
		if def.name.Start < def.name.End {
			f.definitions = append(f.definitions, def)
		}
	}
	f.scopes = append(f.scopes, moveAll(found.scopes)...)
	for _, i := range found.inside {
		f.inside = append(f.inside, extensionBody{move(i.span), i.container})
	}
	f.objects = append(f.objects, moveAll(found.objects)...)
	f.docs = append(f.docs, moveAll(found.docs)...)
	f.imports = append(f.imports, moveAll(found.imports)...)
	f.errors = append(f.errors, moveAll(found.errors)...)
	for inner, outer := range found.wraps {
		f.wraps[move(inner)] = move(outer)
	}
	for span, p := range found.parts {
		if p.body >= 0 {
			p.body = min(p.body+piece.Start, piece.End)
		}
		p.members, p.result = move(p.members), move(p.result)
		f.parts[move(span)] = p
	}
}
