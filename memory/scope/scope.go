// Package scope decides where a memory applies: it matches glob patterns with paths
// of the workspace. It is pure: it never looks at the disk, so a file that does not
// exist yet matches like any other. It must not know memories.
//
// The rules:
//
//   - A pattern without a wildcard names a file, or a folder with everything below it.
//   - A pattern without a slash ("*.go") matches at any depth; a leading slash
//     ties it to the root ("/*.go").
//   - The last of several matching patterns decides; a leading "!" excludes. If the
//     first pattern excludes, everything else is included.
//   - Paths outside the workspace match nothing.
package scope

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Match is the relation of a scope to a queried path.
type Match int

// The relations, weakest first.
const (
	None   Match = iota
	Parent       // the scope lies within, or reaches into, the queried folder
	In           // the path lies under the scope
)

// errPattern is wrapped by every error about a malformed pattern.
var errPattern = errors.New("malformed scope pattern")

// Options are the path rules of a platform.
type Options struct {
	FoldCase bool // paths that differ only in case are the same file
}

// Platform returns the usual rules of the running operating system.
func Platform() Options {
	return Options{FoldCase: runtime.GOOS == "darwin" || runtime.GOOS == "windows"}
}

// Scope is a compiled list of patterns. It is immutable and safe for concurrent use.
type Scope struct {
	rules []rule
	opts  Options
}

type rule struct {
	glob     string // slash separated, relative to the root, no leading slash
	segments []string
	prefix   string // literal folder, "" or ending in "/"
	literal  bool   // no wildcard
	negative bool
	nested   bool // braces contain a slash, so segments can't be separated

	// What most patterns are is decided by comparing strings: a pattern has thousands of files to answer for.
	below  bool   // "prefix/**"
	ending string // "prefix/*ending" or "prefix/**/*ending"; "" for other patterns
	deep   bool   // the latter
}

// Compile checks and compiles patterns. An empty list is an error: a project-wide memory has no
// scope.
func Compile(patterns []string, opts Options) (*Scope, error) {
	if len(patterns) == 0 {
		return nil, fmt.Errorf("%w: no pattern", errPattern)
	}
	s := &Scope{opts: opts}
	for _, p := range patterns {
		r, err := compile(p, opts)
		if err != nil {
			return nil, err
		}
		s.rules = append(s.rules, r)
	}
	return s, nil
}

func compile(pattern string, opts Options) (rule, error) {
	var r rule
	g := strings.TrimSpace(pattern)
	if rest, ok := strings.CutPrefix(g, "!"); ok {
		r.negative, g = true, rest
	}
	g = slashes(g)
	if opts.FoldCase {
		g = strings.ToLower(g)
	}
	rooted := strings.HasPrefix(g, "/")
	for strings.HasPrefix(g, "./") || strings.HasPrefix(g, "/") {
		g = strings.TrimPrefix(strings.TrimPrefix(g, "."), "/")
	}
	folder := strings.HasSuffix(g, "/")
	g = strings.TrimRight(g, "/")
	switch {
	case g == "" || g == ".":
		if !rooted && !folder {
			return r, fmt.Errorf("%w: %q is empty", errPattern, pattern)
		}
		g = "**"
	case hasDotDot(g):
		return r, fmt.Errorf("%w: %q leaves the workspace", errPattern, pattern)
	case !doublestar.ValidatePattern(g):
		return r, fmt.Errorf("%w: %q", errPattern, pattern)
	}
	if strings.Contains(g, "//") {
		return r, fmt.Errorf("%w: %q has an empty folder name", errPattern, pattern)
	}
	r.literal = !strings.ContainsAny(g, `*?[{\`)
	switch {
	case r.literal:
	case folder:
		g += "/**"
	}
	if !r.literal && !rooted && !folder && !strings.Contains(g, "/") && g != "**" {
		g = "**/" + g
	}
	r.glob = g
	r.segments = strings.Split(g, "/")
	r.nested = slashInBraces(g)
	r.prefix = literalPrefix(r)
	r.simplify()
	return r, nil
}

// simplify recognises patterns that need no matcher.
func (r *rule) simplify() {
	if r.literal {
		return
	}
	rest, ok := strings.CutPrefix(r.glob, r.prefix)
	if !ok {
		return
	}
	if r.below = rest == "**" && r.prefix != ""; r.below {
		return
	}
	rest, r.deep = strings.CutPrefix(rest, "**/")
	if rest, ok = strings.CutPrefix(rest, "*"); ok && !strings.ContainsAny(rest, `*?[]{}\/`) {
		r.ending = rest
	}
}

// slashes turns Windows separators into slashes. A backslash before a wildcard is an escape, unless
// the pattern is clearly a Windows path: no slash, and a backslash before a letter.
func slashes(g string) string {
	if !strings.Contains(g, `\`) {
		return g
	}
	if !strings.Contains(g, "/") && windowsPath(g) {
		return strings.ReplaceAll(g, `\`, "/")
	}
	var b strings.Builder
	for i := 0; i < len(g); i++ {
		if g[i] == '\\' && !escapes(g, i) {
			b.WriteByte('/')
			continue
		}
		b.WriteByte(g[i])
		if g[i] == '\\' {
			i++
			b.WriteByte(g[i])
		}
	}
	return b.String()
}

func escapes(g string, i int) bool {
	return i+1 < len(g) && strings.IndexByte(`*?[]{}!\`, g[i+1]) >= 0
}

func windowsPath(g string) bool {
	for i := range len(g) {
		if g[i] == '\\' && !escapes(g, i) {
			return true
		}
	}
	return false
}

func hasDotDot(p string) bool {
	for s := range strings.SplitSeq(p, "/") {
		if s == ".." {
			return true
		}
	}
	return false
}

func slashInBraces(g string) bool {
	depth := 0
	for _, c := range g {
		switch c {
		case '{':
			depth++
		case '}':
			depth--
		case '/':
			if depth > 0 {
				return true
			}
		}
	}
	return false
}

func literalPrefix(r rule) string {
	if r.literal {
		return r.glob + "/"
	}
	base, _ := doublestar.SplitPattern(r.glob)
	if base == "." || strings.ContainsAny(base, `\`) {
		return ""
	}
	return base + "/"
}

// Clean normalizes a queried path: slashes, relative to the root, no "." parts. It returns false
// for a path that is absolute or leaves the root. The root itself is "".
func Clean(p string) (string, bool) {
	p = strings.ReplaceAll(p, `\`, "/")
	if strings.HasPrefix(p, "/") || (len(p) > 1 && p[1] == ':') {
		return "", false
	}
	p = path.Clean(p)
	if p == "." {
		return "", true
	}
	if p == ".." || strings.HasPrefix(p, "../") {
		return "", false
	}
	return p, true
}

// Match relates the scope to a path relative to the workspace root. The path is a folder if isDir
// is true or it has a trailing slash.
func (s *Scope) Match(p string, isDir bool) Match {
	isDir = isDir || strings.HasSuffix(p, "/") || strings.HasSuffix(p, `\`)
	p, ok := Clean(p)
	if !ok {
		return None
	}
	isDir = isDir || p == ""
	if s.opts.FoldCase {
		p = strings.ToLower(p)
	}
	if s.in(p) {
		return In
	}
	if isDir && s.reaches(p) {
		return Parent
	}
	return None
}

// in applies the rules in order; the last match decides.
func (s *Scope) in(p string) bool {
	in := s.rules[0].negative
	for _, r := range s.rules {
		if r.negative != in {
			continue // it would not change the result
		}
		if r.covers(p) {
			in = !in
		}
	}
	return in && (p != "" || s.coversRoot())
}

func (s *Scope) coversRoot() bool {
	for _, r := range s.rules {
		if !r.negative && r.glob == "**" {
			return true
		}
	}
	return s.rules[0].negative
}

func (r rule) covers(p string) bool {
	if r.literal {
		return p == r.glob || strings.HasPrefix(p, r.prefix)
	}
	inside, ok := strings.CutPrefix(p, r.prefix)
	if !ok && p+"/" != r.prefix {
		return false
	}
	switch {
	case r.below:
		return true
	case r.ending != "":
		return ok && strings.HasSuffix(inside, r.ending) && (r.deep || !strings.Contains(inside, "/"))
	}
	return doublestar.MatchUnvalidated(r.glob, p)
}

// reaches reports whether a path below the folder could match.
func (s *Scope) reaches(dir string) bool {
	may := false
	for _, r := range s.rules {
		switch {
		case r.negative:
			if r.covers(dir) && (r.literal || strings.HasSuffix(r.glob, "/**")) {
				may = false
			}
		case r.reaches(dir):
			may = true
		}
	}
	return may
}

func (r rule) reaches(dir string) bool {
	if dir == "" {
		return true
	}
	below := strings.HasPrefix(r.prefix, dir+"/")
	if r.literal || r.nested {
		return below || (r.nested && strings.HasPrefix(dir+"/", r.prefix))
	}
	if below {
		return true
	}
	parts := strings.Split(dir, "/")
	for i, part := range parts {
		if i >= len(r.segments)-1 {
			return r.segments[min(i, len(r.segments)-1)] == "**"
		}
		if r.segments[i] == "**" {
			return true
		}
		if !doublestar.MatchUnvalidated(r.segments[i], part) {
			return false
		}
	}
	return true
}

// Prefixes returns the literal folders to which matches are limited, each "" (anywhere) or with a
// trailing slash. They serve an index: a path can match only if one of them is a prefix of path +
// "/".
func (s *Scope) Prefixes() []string {
	if s.rules[0].negative {
		return []string{""}
	}
	var out []string
	for _, r := range s.rules {
		if !r.negative {
			out = append(out, r.prefix)
		}
	}
	return out
}

// Specificity grows with the depth of the literal folder, and is higher for patterns that name a
// file than for folders. It orders memories, deeper first.
func (s *Scope) Specificity() int {
	best := 0
	for _, r := range s.rules {
		if r.negative {
			continue
		}
		n := 4 * strings.Count(r.prefix, "/")
		switch {
		case r.literal:
			n += 2
		case !strings.Contains(r.glob, "**"):
			n++
		}
		best = max(best, n)
	}
	return best
}

// Folded returns p in the form in which prefixes are compared.
func (o Options) Folded(p string) string {
	if o.FoldCase {
		return strings.ToLower(p)
	}
	return p
}
