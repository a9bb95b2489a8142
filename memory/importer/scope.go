package importer

import (
	"path"
	"slices"
	"strings"

	"manicule/memory/lazyregexp"
)

// scopeOf returns the scope of all rules in a file: the globs of its front matter, unchanged, or
// its folder.
func scopeOf(src Source, m meta) []string {
	if len(m.globs) == 0 || slices.ContainsFunc(m.globs, everything) {
		if src.Dir == "" {
			return nil
		}
		return []string{escape(src.Dir) + "/**"}
	}
	out := make([]string, len(m.globs))
	for i, g := range m.globs {
		out[i] = under(src.Dir, g)
	}
	return out
}

// everything reports whether a glob matches every file.
func everything(glob string) bool {
	return slices.Contains([]string{"*", "**", "**/*", "/**", "/**/*", "./**", "./**/*"}, glob)
}

// under makes a nested file's glob relative to the root.
func under(dir, glob string) string {
	if dir == "" {
		return glob
	}
	not := ""
	if rest, ok := strings.CutPrefix(glob, "!"); ok {
		not, glob = "!", rest
	}
	rooted := strings.HasPrefix(glob, "/")
	glob = strings.TrimPrefix(strings.TrimPrefix(glob, "./"), "/")
	if !strings.Contains(glob, "/") && glob != "**" && !rooted {
		glob = "**/" + glob
	}
	return not + escape(dir) + "/" + glob
}

// escape escapes wildcards in a folder's name.
func escape(dir string) string {
	if !strings.ContainsAny(dir, `*?[]{}`) {
		return dir
	}
	var b strings.Builder
	for _, r := range dir {
		if strings.ContainsRune(`*?[]{}`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// subjectPath matches a rule that starts with its subject, a path: "`src/agent/`: agent sessions",
// "**`cmd/`** – entry points".
var subjectPath = lazyregexp.New("^(?:\\*\\*)?`([^`\\s]+)[^`]*`(?:\\*\\*)?\\s*(?::|—|–|-)(?:\\s|\\*|$)")

// openingPath matches a sentence that begins with the path that it is about: "`list.go` caches heights",
// "When you change `web/`, …", "Files in `gen/` are …".
var openingPath = lazyregexp.New("(?i)^(?:\\*\\*)?(?:(?:(?:all |the )?(?:files|code|everything|types|tests) )?(?:in|inside|within|under|below)|the|when(?:ever)? (?:you )?(?:edit|editing|change|changing|touch|touching|modify|modifying|work(?:ing)? (?:on|in))|before (?:editing|changing|touching|modifying))?\\s*`([^`\\s]+)`")

// spanned matches each code span.
var spanned = lazyregexp.New("`([^`\\s]+)`")

// openingScope returns the path with which a rule's text begins, if it is the only one in it.
func (c *chunker) openingScope(text string) []string {
	m := openingPath.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	scope := narrow(m[1], c.bases(), c.opts)
	for _, other := range spanned.FindAllStringSubmatch(text, -1) {
		if n := narrow(other[1], c.bases(), c.opts); n != nil && !slices.Equal(n, scope) {
			return nil
		}
	}
	return scope
}

// placing matches a lead-in that only says where the rules below it hold: "In the `web` folder:", "When working on `api/`:".
var placing = lazyregexp.New("(?i)^(?:in|inside|within|under|for|when(?:ever)? (?:you )?(?:edit|editing|change|changing|work(?:ing)? (?:on|in))) (?:the )?`?([\\w.@/-]+)`?(?: (?:folder|directory|dir|crate|package|module|project|app|workspace))?(?: where [^.;:]{1,50})?[:：]$")

// leadScope returns the folder or file that a lead-in names, nil unless naming it is all that the lead-in does.
func (c *chunker) leadScope(lead block) []string {
	m := placing.FindStringSubmatch(lead.text)
	if m == nil {
		return nil
	}
	name := m[1]
	if !strings.Contains(name, ".") {
		name += "/" // a bare word is a folder
	}
	return narrow(name, c.bases(), c.opts)
}

// headingPath matches a path in a heading: "### Sessions (`cmd/session/`)".
var headingPath = lazyregexp.New("`([^`\\s]*/[^`\\s]*)`")

// bases returns the folders to which a rule's path may be relative: those in its headings, the
// file's folder, and the root.
func (c *chunker) bases() []string {
	own := c.src.Dir
	if dir := path.Dir(c.src.Path); own == "" && !strings.HasPrefix(dir, ".") {
		own = dir
	}
	var out []string
	for i := len(c.heads) - 1; i >= 0; i-- {
		if m := headingPath.FindStringSubmatch(c.heads[i].text); m != nil {
			out = append(out, path.Join(own, m[1]), m[1])
			break // the innermost heading with a path
		}
	}
	return append(out, own, "")
}

// barePath matches a heading that consists of a path.
var barePath = lazyregexp.New(`^[\w.@-]+(?:/[\w.@-]+)+/?$|^[\w.@-]+/$`)

// headingScope returns the path in the innermost heading that has one. The text below is about it.
func (c *chunker) headingScope() []string {
	for i := len(c.heads) - 1; i >= 0 && c.heads[i].level > 1; i-- {
		h := headingText(c.heads[i].text)
		p := ""
		if all := headingPath.FindAllStringSubmatch(h, -1); len(all) == 1 {
			p = all[0][1]
		} else if barePath.MatchString(h) {
			p = h
		}
		if p != "" {
			return narrow(p, c.bases(), c.opts)
		}
	}
	return nil
}

// narrow returns the only path that a rule is about, if the path exists relative to one of the
// bases.
func narrow(subject string, bases []string, opts Options) []string {
	p := strings.TrimSuffix(strings.TrimPrefix(subject, "./"), "/")
	if p == "" || strings.HasPrefix(p, "..") || strings.HasPrefix(p, "/") || !strings.ContainsAny(subject, "./") {
		return nil
	}
	for _, base := range bases {
		candidate := path.Join(base, p)
		if !opts.exists(candidate) {
			continue
		}
		if opts.isDir(candidate) {
			return []string{escape(candidate) + "/**"}
		}
		return []string{escape(candidate)}
	}
	return nil
}
