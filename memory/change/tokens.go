package change

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
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

// Count counts in an impact the changed files that have no symbol among the changed or deleted ones: those of which only comments
// or white space changed, those that were only renamed, and those that can't be judged, which are of no known language or have a
// new mode.
func (c *Change) Count(im *graph.Impact, changed []*resolve.Symbol, deleted []graph.Deletion) {
	im.Cosmetic, im.Renamed, im.Unjudged = 0, 0, 0
	seen, lost := map[string]bool{}, map[string]bool{}
	for _, d := range deleted {
		lost[d.File] = true
	}
	for _, s := range changed {
		seen[s.File.Path] = true
	}
	for _, f := range c.files {
		v := c.versions[f.NewName]
		as := v != nil && v.equal()
		switch {
		case as && len(f.TextFragments) > 0:
			im.Cosmetic++
		case seen[f.NewName] || lost[f.OldName]:
		case as && f.IsRename:
			im.Renamed++
		default:
			im.Unjudged++
		}
	}
	for _, name := range c.untracked {
		if !seen[name] {
			im.Unjudged++
		}
	}
}

// Quiet says why a difference that changes no symbol changes none, from what Count counted.
func Quiet(im graph.Impact) string {
	var parts []string
	if im.Cosmetic > 0 {
		parts = append(parts, "only comments or white space changed in "+files(im.Cosmetic, ""))
	}
	if im.Renamed > 0 {
		parts = append(parts, files(im.Renamed, "")+" only got another name, which no code here depends on")
	}
	switch {
	case im.Unjudged > 0 && len(parts) > 0:
		parts = append(parts, "what changed in "+files(im.Unjudged, "other ")+" is not known as code")
	case im.Unjudged > 0:
		parts = append(parts, "what changed in "+files(im.Unjudged, "")+" is not known as code")
	case len(parts) > 0:
		return "nothing may break: " + strings.Join(parts, "; ")
	default:
		return "nothing has changed"
	}
	return strings.Join(parts, "; ")
}

func files(n int, other string) string {
	if n == 1 {
		return "1 " + other + "file"
	}
	return fmt.Sprintf("%d %sfiles", n, other)
}

// versions are a file as it was and as it is.
type versions struct {
	was, is version
}

// version is a parsed text.
type version struct {
	text   []byte
	file   *extract.File
	tree   *extract.Tree
	layout layout
}

func parse(ctx context.Context, name string, text []byte) (version, bool) {
	l, known := grammars.ForFile(name, text)
	if !known {
		return version{}, false
	}
	file, tree, err := extract.ParseTree(ctx, l.ID, text)
	// What does not parse has no tokens that could be relied on.
	if err != nil || len(file.Errors) > 0 {
		return version{}, false
	}
	return version{text, file, tree, layoutOf(file.Language, text)}, true
}

// equal reports whether both versions mean the same; see digest.
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
	nodes := v.tree.Nodes // in the order of their starts
	from, _ := slices.BinarySearchFunc(nodes, start, func(n extract.Node, start int) int { return cmp.Compare(int(n.Start), start) })
	for _, n := range nodes[from:] {
		if int(n.Start) >= end {
			break
		}
		if n.Parent >= 0 && int(n.First) >= first && int(n.Last) <= last && n.First < n.Last {
			fmt.Fprintf(&b, " %d:%d-%d", n.Kind, int(n.First)-first, int(n.Last)-first)
		}
	}
	at := start
	for i := first; i <= last; i++ {
		next := end
		if i < last {
			next = int(v.tree.Tokens[i].Start)
		}
		if next > at {
			gap := v.text[at:next]
			preamble := v.layout.cgo && i < last && string(v.text[next:v.tree.Tokens[i].End]) == "import"
			read := gap
			if !preamble {
				read = v.obeyed(gap)
			}
			if len(read) > 0 {
				fmt.Fprintf(&b, " %d %q", i-first, bytes.Join(bytes.Fields(read), []byte(" ")))
			}
			if i > first && i < last && v.spaceInMarkup(at, next) {
				fmt.Fprintf(&b, " %d _", i-first)
			}
			if i > first && i < last && (v.inString(i-1, next) || v.layout.isVerbatim(at, next)) {
				fmt.Fprintf(&b, " %d %q", i-first, gap)
			}
		}
		if i < last {
			at = max(at, int(v.tree.Tokens[i].End))
		}
	}
	return b.String()
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
