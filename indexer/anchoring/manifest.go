package anchoring

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"manicule/indexer/anchor"
)

// MakeDependency ties an anchor to a dependency in a manifest: a line of go.mod,
// package.json, requirements.txt, Cargo.toml or any other file that lists one
// dependency a line. ok is false if the manifest does not name it.
func MakeDependency(path, name string, src []byte) (a anchor.Anchor, ok bool) {
	t := newLineTable(src)
	line, ok := t.dependency(name)
	if !ok {
		return anchor.Anchor{}, false
	}
	lines := anchor.LineRange{Start: line, End: line}
	return anchor.Anchor{Kind: anchor.KindDependency, Path: path, Symbol: name, Lines: &lines, Quote: t.quote(lines)}, true
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
		return r.at(anchor.Orphaned, fmt.Sprintf("%s does not name %s any more", r.anchor.Path, r.anchor.Symbol), 0, 0, 0)
	}
	lines := anchor.LineRange{Start: line, End: line}
	if r.anchor.Quote != "" && !r.lines.quoteAt(quoteLines(r.anchor.Quote), line) {
		return r.atLines(anchor.Drifted, fmt.Sprintf("the line of %s changed", r.anchor.Symbol), lines, sureDrifted)
	}
	return r.atLines(anchor.Fresh, "", lines, sureExact)
}

// ResolveGlob reports whether the pattern of a glob anchor still matches a file. The
// paths are all files of the workspace, relative to its root.
func ResolveGlob(a anchor.Anchor, paths []string) Resolution {
	matches := func(path string) bool {
		ok, err := doublestar.Match(a.Path, path)
		return err == nil && ok
	}
	r := Resolution{State: anchor.Fresh, Path: a.Path, Rung: anchor.RungPlace, Line: 1, EndLine: 1, Confidence: sureExact}
	if !slices.ContainsFunc(paths, matches) {
		r.State, r.Rung, r.Confidence = anchor.Orphaned, anchor.RungNone, 0
		r.Reason = "no file matches " + a.Path + " any more"
	}
	return r
}
