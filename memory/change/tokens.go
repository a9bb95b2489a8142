package change

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/indexer/treefile"
)

// Compare parses the changed files, as they were and as they are. Afterwards Symbols leaves
// out declarations in which only comments or white space changed. A file that can't be
// compared counts as changed where its lines did.
func (c *Change) Compare(ctx context.Context, root string, old []graph.OldFile) error {
	c.versions = make(map[string]*versions, len(old))
	for _, o := range old {
		if o.Now == "" {
			continue
		}
		text, err := treefile.ReadWithin(root, o.Now, maxRead)
		if err != nil {
			continue
		}
		was, ok := parse(ctx, o.Path, o.Text)
		if !ok {
			continue
		}
		if is, ok := parse(ctx, o.Now, text); ok {
			c.versions[o.Now] = &versions{was: was, is: is}
		}
	}
	return ctx.Err()
}

// Unjudged returns how many changed files are neither counted by Cosmetic nor have a symbol among the
// changed or deleted ones: those of no known language, renamed ones, new modes.
func (c *Change) Unjudged(changed []*resolve.Symbol, deleted []graph.Deletion) int {
	seen, lost := map[string]bool{}, map[string]bool{}
	for _, d := range deleted {
		lost[d.File] = true
	}
	for _, s := range changed {
		seen[s.File.Path] = true
	}
	n := 0
	for _, f := range c.files {
		if v := c.versions[f.NewName]; !seen[f.NewName] && !lost[f.OldName] && (v == nil || len(f.TextFragments) == 0 || !v.equal()) {
			n++
		}
	}
	for _, name := range c.untracked {
		if !seen[name] {
			n++
		}
	}
	return n
}

// Cosmetic returns how many files changed in comments and white space alone.
func (c *Change) Cosmetic() int {
	n := 0
	for _, f := range c.files {
		if v := c.versions[f.NewName]; v != nil && len(f.TextFragments) > 0 && v.equal() {
			n++
		}
	}
	return n
}

// versions are a file as it was and as it is.
type versions struct {
	was, is version
}

// version is a parsed text.
type version struct {
	text []byte
	file *extract.File
	tree *extract.Tree
}

func parse(ctx context.Context, name string, text []byte) (version, bool) {
	l, known := grammars.ForPath(name)
	if !known {
		return version{}, false
	}
	file, tree, err := extract.ParseTree(ctx, l.ID, text)
	// What does not parse has no tokens that could be relied on.
	return version{text, file, tree}, err == nil && len(file.Errors) == 0
}

// equal reports whether both versions have the same tokens.
func (v *versions) equal() bool {
	return v.was.file.Language == v.is.file.Language && v.was.digest(0, len(v.was.text)) == v.is.digest(0, len(v.is.text))
}

// same reports whether the declarations of a path have the tokens that they had; for the
// path "", the code outside of all declarations.
func (v *versions) same(path string) bool {
	if v == nil || v.was.file.Language != v.is.file.Language {
		return false
	}
	was := v.was.digests(path)
	return len(was) > 0 && slices.Equal(was, v.is.digests(path))
}

// digest is the same for spans that mean the same to the language and its tools: the same tokens, put
// together in the same way, with the same comments that tools obey.
func (v *version) digest(start, end int) string {
	var b strings.Builder
	b.WriteString(v.tree.Digest(v.text, extract.Span{Start: start, End: end}))
	first, last := v.tree.Range(extract.Span{Start: start, End: end})
	// Where white space means something (a line's end after return, a space in a shell), the
	// same tokens are another tree.
	for _, n := range v.tree.Nodes {
		if n.Parent >= 0 && int(n.First) >= first && int(n.Last) <= last && n.First < n.Last {
			fmt.Fprintf(&b, " %d:%d-%d", n.Kind, int(n.First)-first, int(n.Last)-first)
		}
	}
	verbatim := v.verbatim()
	cgo := v.file.Language == "go" && bytes.Contains(v.text, []byte(`"C"`))
	at := start
	for i := first; i <= last; i++ {
		next := end
		if i < last {
			next = int(v.tree.Tokens[i].Start)
		}
		if next > at {
			gap := v.text[at:next]
			preamble := cgo && i < last && string(v.text[next:v.tree.Tokens[i].End]) == "import"
			if preamble || directive.Match(gap) {
				fmt.Fprintf(&b, " %d %q", i-first, bytes.Join(bytes.Fields(gap), []byte(" ")))
			}
			if i > first && i < last && v.spaceInMarkup(at, next) {
				fmt.Fprintf(&b, " %d _", i-first)
			}
			if i > first && i < last && (v.inString(i-1, next) || slices.ContainsFunc(verbatim, func(s extract.Span) bool { return at < s.End && next > s.Start })) {
				fmt.Fprintf(&b, " %d %q", i-first, gap)
			}
		}
		if i < last {
			at = max(at, int(v.tree.Tokens[i].End))
		}
	}
	return b.String()
}

// directive matches what compilers, test runners, linters and documentation tools read in comments.
var directive = regexp.MustCompile(`//go:|//export |// ?\+build|(?i:// ?(unordered )?output:)|//line |#!|coding[:=]|frozen_string_literal|warn_indent` +
	`|@ts-|///|//!|/\*\*?!|@jsx|@flow|eslint|prettier-ignore|biome-ignore|istanbul|c8 ignore|webpack\w*:|@vite-ignore|__PURE__|sourceMappingURL` +
	`|type: ?|noqa|nolint|pylint|mypy|pyright|fmt: ?(off|on|skip)|pragma|rubocop|swiftlint|shellcheck|clang-format|NOLINT|NOSONAR|@formatter|@phpstan|@psalm|@var|@param|@return|-\*-`)

// spaceInMarkup reports whether the white space between two tokens is text of JSX: spaces beside a
// tag or an expression are, line ends are not.
func (v *version) spaceInMarkup(at, next int) bool {
	if l := v.file.Language; l != "javascript" && l != "tsx" {
		return false
	}
	if !bytes.Contains(v.text, []byte("</")) && !bytes.Contains(v.text, []byte("/>")) {
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
var heredoc = regexp.MustCompile("<<[-~<]?[ \t]*[\"'`]?([A-Za-z_][A-Za-z_0-9]*)[\"'`]?[^\n]*\n")

// verbatim returns the texts that a shell, Ruby or PHP takes with all their white space.
func (v *version) verbatim() (out []extract.Span) {
	if l := v.file.Language; l != "bash" && l != "ruby" && l != "php" {
		return nil
	}
	for _, m := range heredoc.FindAllSubmatchIndex(v.text, -1) {
		tag, end := v.text[m[2]:m[3]], m[1]
		for line := range bytes.Lines(v.text[m[1]:]) {
			end += len(line)
			if bytes.HasPrefix(bytes.TrimSpace(line), tag) {
				break
			}
		}
		out = append(out, extract.Span{Start: m[1], End: end})
	}
	return out
}

// commentsBefore returns where the comments before a declaration begin.
func (v *version) commentsBefore(start int) int {
	if first, _ := v.tree.Range(extract.Span{Start: start, End: len(v.text)}); first > 0 {
		return min(start, int(v.tree.Tokens[first-1].End))
	}
	return 0
}

// digests hashes the declarations of a path, or what is between the outer ones. A change
// of decorators, which are between them, is one of the file's own code.
func (v *version) digests(path string) []string {
	var out []string
	end := 0
	gap := func(to int) {
		if to > end && strings.TrimSpace(string(v.text[end:to])) != "" {
			if d := v.digest(end, to); d != v.digest(0, 0) {
				out = append(out, d)
			}
		}
	}
	for _, s := range v.file.Symbols {
		switch {
		case path != "" && s.Path == path:
			out = append(out, v.digest(v.commentsBefore(s.Start), s.End))
		case path == "" && s.Parent < 0:
			gap(s.Start)
			end = max(end, s.End)
		}
	}
	if path == "" {
		gap(len(v.text))
		out = append(out, "") // code outside of declarations may have been and be none
	}
	return out
}
