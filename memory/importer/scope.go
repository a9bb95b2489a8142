package importer

import (
	"path"
	"slices"
	"strings"
)

// scopeOf is the scope that a file gives to all its rules: the globs of its
// front matter, as their owner wrote them, or the folder it lies in.
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

// everything reports a glob that every file matches.
func everything(glob string) bool {
	return slices.Contains([]string{"*", "**", "**/*", "/**", "/**/*", "./**", "./**/*"}, glob)
}

// under makes the glob of a nested file relative to the root.
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

// escape protects a folder's name from being read as a pattern.
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

// subjectPath is a rule that opens with one path and goes on to speak about
// it: "`src/agent/`: agent sessions", "**`cmd/`** – entry points".
var subjectPath = newPattern("^(?:\\*\\*)?`([^`\\s]+)[^`]*`(?:\\*\\*)?\\s*(?::|—|–|-)(?:\\s|\\*|$)")

// headingPath is a path that a heading names: "### Sessions (`cmd/session/`)".
var headingPath = newPattern("`([^`\\s]*/[^`\\s]*)`")

// bases are the folders that a rule's path may be seen from: those that its
// headings name, the folder of the file, and the root.
func (c *chunker) bases() []string {
	own := c.src.Dir
	if dir := path.Dir(c.src.Path); own == "" && !strings.HasPrefix(dir, ".") {
		own = dir
	}
	var out []string
	for i := len(c.heads) - 1; i >= 0; i-- {
		if m := headingPath.FindStringSubmatch(c.heads[i].text); m != nil {
			out = append(out, path.Join(own, m[1]), m[1])
			break // the innermost heading that names one
		}
	}
	return append(out, own, "")
}

// barePath is a heading that is a path and nothing else.
var barePath = newPattern(`^[\w.@-]+(?:/[\w.@-]+)+/?$|^[\w.@-]+/$`)

// headingScope is the path that the innermost heading with one names: what
// stands below is about it.
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

// narrow finds the one path that a rule is about. The path counts when it
// exists, seen from one of the bases.
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
