package change

import (
	"context"
	"slices"
	"strings"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/graph"
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

func (v *version) digest(start, end int) string {
	return v.tree.Digest(v.text, extract.Span{Start: start, End: end})
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
			out = append(out, v.digest(s.Start, s.End))
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
