package anchor

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// MakeDependency ties an anchor to a dependency in a manifest: a line of go.mod,
// package.json, requirements.txt, Cargo.toml or any other file that lists one
// dependency a line. ok is false if the manifest does not name it.
func MakeDependency(path, name string, src []byte) (a Anchor, ok bool) {
	t := newLineTable(src)
	line, ok := t.dependency(name)
	if !ok {
		return Anchor{}, false
	}
	lines := LineRange{Start: line, End: line}
	return Anchor{Kind: KindDependency, Path: path, Symbol: name, Lines: &lines, Quote: t.quote(lines)}, true
}

// dependency finds the first line that names a dependency as a whole word: "react"
// does not match "react-dom".
func (t lineTable) dependency(name string) (int, bool) {
	if name == "" {
		return 0, false
	}
	word, err := regexp.Compile(`(?:^|[\s"'(=])` + regexp.QuoteMeta(name) + `(?:$|[\s"'=<>~!;@\[,)])`)
	if err != nil {
		return 0, false
	}
	for line := 1; line <= t.count(); line++ {
		if word.MatchString(t.text(line)) {
			return line, true
		}
	}
	return 0, false
}

// dependency resolves a dependency of a manifest: drifted if its line changed.
func (r *resolver) dependency() Resolution {
	line, ok := r.lines.dependency(r.anchor.Symbol)
	if !ok {
		return r.at(Orphaned, fmt.Sprintf("%s does not name %s any more", r.anchor.Path, r.anchor.Symbol), 0, 0, 0)
	}
	lines := LineRange{Start: line, End: line}
	if r.anchor.Quote != "" && !r.lines.quoteAt(quoteLines(r.anchor.Quote), line) {
		return r.atLines(Drifted, fmt.Sprintf("the line of %s changed", r.anchor.Symbol), lines, sureDrifted)
	}
	return r.atLines(Fresh, "", lines, sureExact)
}

// ResolveGlob reports whether the pattern of a glob anchor still matches a file. The
// paths are all files of the workspace, relative to its root.
func ResolveGlob(a Anchor, paths []string) Resolution {
	matches := func(path string) bool {
		ok, err := doublestar.Match(a.Path, path)
		return err == nil && ok
	}
	r := Resolution{State: Fresh, Path: a.Path, Rung: RungPlace, Line: 1, EndLine: 1, Confidence: sureExact}
	if !slices.ContainsFunc(paths, matches) {
		r.State, r.Rung, r.Confidence = Orphaned, RungNone, 0
		r.Reason = "no file matches " + a.Path + " any more"
	}
	return r
}
