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

// headingPath matches a path in a heading: "### Sessions (`cmd/session/`)".
var headingPath = lazyregexp.New("`([^`\\s]*/[^`\\s]*)`")

// paths knows what the paths in rules stand for.
type paths struct {
	bases []string // the folders to which they may be relative
	opts  Options
}

// pathsBelow are the paths in rules that stand below headings: relative to a folder in the headings, to the file's
// folder, or to the root.
func pathsBelow(heads headings, src Source, opts Options) paths {
	own := src.Dir
	if dir := path.Dir(src.Path); own == "" && !strings.HasPrefix(dir, ".") {
		own = dir
	}
	var bases []string
	for i := len(heads) - 1; i >= 0; i-- {
		if m := headingPath.FindStringSubmatch(heads[i].text); m != nil {
			bases = append(bases, path.Join(own, m[1]), m[1])
			break // the innermost heading with a path
		}
	}
	return paths{append(bases, own, ""), opts}
}

// scope returns the only path that a rule is about, as a scope, if the path exists relative to one of the bases.
func (p paths) scope(subject string) []string {
	name := strings.TrimSuffix(strings.TrimPrefix(subject, "./"), "/")
	if name == "" || strings.HasPrefix(name, "..") || strings.HasPrefix(name, "/") || !strings.ContainsAny(subject, "./") {
		return nil
	}
	for _, base := range p.bases {
		candidate := path.Join(base, name)
		if !p.opts.exists(candidate) {
			continue
		}
		if p.opts.isDir(candidate) {
			return []string{escape(candidate) + "/**"}
		}
		return []string{escape(candidate)}
	}
	return nil
}

// subjectPath matches a rule that starts with its subject, a path: "`src/agent/`: agent sessions",
// "**`cmd/`** – entry points".
var subjectPath = lazyregexp.New("^(?:\\*\\*)?`([^`\\s]+)[^`]*`(?:\\*\\*)?\\s*(?::|—|–|-)(?:\\s|\\*|$)")

// openingPath matches a sentence that begins with the path that it is about: "`list.go` caches heights",
// "When you change `web/`, …", "Files in `gen/` are …".
var openingPath = lazyregexp.New("(?i)^(?:\\*\\*)?(?:(?:(?:all |the )?(?:files|code|everything|types|tests) )?(?:in|inside|within|under|below)|the|when(?:ever)? (?:you )?(?:edit|editing|change|changing|touch|touching|modify|modifying|work(?:ing)? (?:on|in))|before (?:editing|changing|touching|modifying))?\\s*`([^`\\s]+)`")

// spanned matches each code span.
var spanned = lazyregexp.New("`([^`\\s]+)`")

// opening returns the scope of the path with which a rule's text begins, if it is the only one in it.
func (p paths) opening(text string) []string {
	m := openingPath.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	scope := p.scope(m[1])
	for _, other := range spanned.FindAllStringSubmatch(text, -1) {
		if n := p.scope(other[1]); n != nil && !slices.Equal(n, scope) {
			return nil
		}
	}
	return scope
}

// placing matches a lead-in that only says where the rules below it hold: "In the `web` folder:", "When working on `api/`:".
var placing = lazyregexp.New("(?i)^(?:in|inside|within|under|for|when(?:ever)? (?:you )?(?:edit|editing|change|changing|work(?:ing)? (?:on|in))) (?:the )?`?([\\w.@/-]+)`?(?: (?:folder|directory|dir|crate|package|module|project|app|workspace))?(?: where [^.;:]{1,50})?[:：]$")

// ledBy returns the scope that a lead-in names, nil unless naming it is all that the lead-in does.
func (p paths) ledBy(lead block) []string {
	m := placing.FindStringSubmatch(lead.text)
	if m == nil {
		return nil
	}
	name := m[1]
	if !strings.Contains(name, ".") {
		name += "/" // a bare word is a folder
	}
	return p.scope(name)
}

// barePath matches a heading that consists of a path.
var barePath = lazyregexp.New(`^[\w.@-]+(?:/[\w.@-]+)+/?$|^[\w.@-]+/$`)

// inHeadings returns the scope of the path in the innermost heading that has one. The text below is about it.
func (p paths) inHeadings(heads headings) []string {
	for i := len(heads) - 1; i >= 0 && heads[i].level > 1; i-- {
		h := headingText(heads[i].text)
		name := ""
		if all := headingPath.FindAllStringSubmatch(h, -1); len(all) == 1 {
			name = all[0][1]
		} else if barePath.MatchString(h) {
			name = h
		}
		if name != "" {
			return p.scope(name)
		}
	}
	return nil
}

// common returns the folder of all paths with which the entries start, nil if an entry starts
// with none.
func (p paths) common(items []item) []string {
	var dirs []string
	for _, it := range items {
		n := p.scope(it.subject)
		if n == nil {
			return nil
		}
		dir := strings.TrimSuffix(n[0], "/**")
		if dir == n[0] {
			dir = path.Dir(dir)
		}
		dirs = append(dirs, dir)
	}
	common := dirs[0]
	for _, d := range dirs {
		for common != "." && d != common && !strings.HasPrefix(d, common+"/") {
			common = path.Dir(common)
		}
	}
	if common == "." {
		return nil
	}
	return []string{common + "/**"}
}

// areAll reports whether all entries of a list start with existing files.
func (p paths) areAll(b block) bool {
	for _, it := range b.items {
		if p.scope(it.subject) == nil {
			return false
		}
	}
	return true
}
