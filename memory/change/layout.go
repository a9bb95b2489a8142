package change

import (
	"bytes"
	"regexp"
	"slices"
	"sync"

	"manicule/indexer/extract"
)

// layout is where the white space and the comments of a text mean something.
type layout struct {
	cgo      bool           // the comment before `import "C"` is C
	markup   bool           // there may be JSX
	verbatim []extract.Span // heredocs
}

func layoutOf(language string, text []byte) (l layout) {
	switch language {
	case "go":
		l.cgo = bytes.Contains(text, []byte(`"C"`))
	case "javascript", "tsx":
		l.markup = bytes.Contains(text, []byte("</")) || bytes.Contains(text, []byte("/>"))
	case "vue", "svelte", "astro":
		l.markup = true
	case "bash", "ruby", "php":
		l.verbatim = verbatim(text)
	}
	return l
}

// directive matches what compilers, test runners, linters and documentation tools read in comments.
var directive = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`//go:|//export |// ?\+build|(?i:// ?(unordered )?output:)|//line |#!|coding[:=]|frozen_string_literal|warn_indent` +
		`|@ts-|/// *<(?:reference|amd-)|@jsx|@flow|eslint|prettier-ignore|biome-ignore|istanbul|c8 ignore|webpack\w*:|@vite-ignore|__PURE__|sourceMappingURL` +
		`|type: ?|noqa|nolint|pylint|mypy|pyright|fmt: ?(off|on|skip)|pragma|rubocop|swiftlint|shellcheck|clang-format|NOLINT|NOSONAR|@formatter|-\*-`)
})

// typed matches what a comment says of types, where a checker of types reads it.
var typed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`@(?:phpstan|psalm|var|param|returns?|type|typedef|template|class|field|alias|generic)\b`)
})

// obeyed returns what a tool reads of the comments between two tokens for more than to show it, if there
// is such a part: compilers, test runners, linters, checkers of types. Of the documentation of a Rust
// function it is the blocks of code, which are run.
func (v *version) obeyed(comment []byte) []byte {
	if directive().Match(comment) {
		return comment
	}
	switch v.file.Language {
	case "rust":
		return fenced(comment)
	case "php", "javascript", "typescript", "tsx", "vue", "svelte", "astro", "lua":
		if typed().Match(comment) {
			return comment
		}
	}
	return nil
}

// fenced returns the blocks of code in Rust's documentation, with the lines around them.
func fenced(comment []byte) (code []byte) {
	inside := false
	for line := range bytes.Lines(comment) {
		text := bytes.TrimSpace(line)
		if bytes.HasPrefix(text, []byte("//")) && !bytes.HasPrefix(text, []byte("///")) && !bytes.HasPrefix(text, []byte("//!")) {
			continue // no documentation
		}
		fence := bytes.HasPrefix(bytes.TrimLeft(text, "/!* "), []byte("```")) || bytes.HasPrefix(bytes.TrimLeft(text, "/!* "), []byte("~~~"))
		if fence || inside {
			code = append(code, line...)
		}
		inside = inside != fence
	}
	return code
}

// spaceInMarkup reports whether the white space between two tokens is text of JSX: spaces beside a
// tag or an expression are, line ends are not.
func (v *version) spaceInMarkup(at, next int) bool {
	if !v.layout.markup {
		return false
	}
	const marks = "<>{}"
	beside := bytes.IndexByte([]byte(marks), v.text[at-1]) >= 0 || bytes.IndexByte([]byte(marks), v.text[next]) >= 0
	return beside && len(bytes.TrimLeft(v.text[at:next], " \t")) == 0
}

// inString reports whether the gap between a token and a later byte is in a string with parts, whose
// spaces belong to it. An expression that begins with a string counts as one.
func (v *version) inString(token, next int) bool {
	for n := v.tree.Tokens[token].Node; n >= 0; n = v.tree.Nodes[n].Parent {
		node := v.tree.Nodes[n]
		if int(node.End) < next {
			continue
		}
		text := bytes.TrimLeft(v.text[node.Start:node.End], "$@abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		if int(node.End)-int(node.Start)-len(text) <= 3 && len(text) > 0 && bytes.IndexByte([]byte("\"'`"), text[0]) >= 0 {
			return true
		}
	}
	return false
}

// heredoc matches the beginning of a text that ends at a line with its tag.
var heredoc = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("<<[-~<]?[ \t]*[\"'`]?([A-Za-z_][A-Za-z_0-9]*)[\"'`]?[^\n]*\n")
})

// verbatim returns the texts that a shell, Ruby or PHP takes with all their white space.
func verbatim(text []byte) (out []extract.Span) {
	for _, m := range heredoc().FindAllSubmatchIndex(text, -1) {
		tag, end := text[m[2]:m[3]], m[1]
		for line := range bytes.Lines(text[m[1]:]) {
			end += len(line)
			if bytes.HasPrefix(bytes.TrimSpace(line), tag) {
				break
			}
		}
		out = append(out, extract.Span{Start: m[1], End: end})
	}
	return out
}

// isVerbatim reports whether white space belongs to a text that is taken with all of it.
func (l layout) isVerbatim(start, end int) bool {
	return slices.ContainsFunc(l.verbatim, func(s extract.Span) bool { return start < s.End && end > s.Start })
}
