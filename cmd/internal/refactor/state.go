// Package refactor makes cases whose truth is known: two states of real code,
// with a refactoring between them that a tool or a script did, and where each
// piece of code went. It owns the refactorings, the maps from one state to the next, and
// the tools that it asks. It must not know how an anchor is judged.
package refactor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"manicule/cmd/internal/gitread"
	"manicule/grammars"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
	"manicule/indexer/gitinfo"
)

// State is the content of the files of one language, by path.
type State map[string]string

// maxFile is the largest size in bytes of a file that takes part.
const maxFile = 200_000

// Load reads the files of a language at a commit.
func Load(ctx context.Context, dir, commit, lang string) (s State, err error) {
	list, err := gitread.List(ctx, dir, commit)
	if err != nil {
		return nil, err
	}
	objects, err := gitread.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, objects.Close()) }()
	s = State{}
	for _, e := range list {
		if e.Kind != "blob" || language(e.Path) != lang || generated(e.Path) {
			continue
		}
		_, text, ok, err := objects.Read(e.ID)
		if err != nil {
			return nil, err
		}
		if ok && len(text) <= maxFile {
			s[e.Path] = string(text)
		}
	}
	return s, nil
}

func generated(path string) bool {
	for _, part := range []string{"vendor/", "node_modules/", "third_party/", "/generated/", "dist/", ".d.ts", ".pb.go", "_gen.go", "zz_generated"} {
		if strings.Contains(path, part) {
			return true
		}
	}
	return false
}

func language(path string) string {
	l, _ := grammars.ForPath(path) // no tree has no symbols
	return l.ID
}

// paths lists the files in order.
func (s State) paths() []string { return slices.Sorted(maps.Keys(s)) }

// with returns the state with some files replaced. An empty text removes the file.
func (s State) with(files map[string]string) State {
	n := maps.Clone(s)
	for path, text := range files {
		if text == "" {
			delete(n, path)
		} else {
			n[path] = text
		}
	}
	return n
}

// Differing lists the files that differ between two states.
func (s State) Differing(n State) []string {
	var all []string
	for path, text := range s {
		if n[path] != text {
			all = append(all, path)
		}
	}
	for path := range n {
		if _, ok := s[path]; !ok {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

// Source returns a file of a state, or nil.
func (s State) Source(path string) *anchoring.Source {
	text, ok := s[path]
	if !ok {
		return nil
	}
	return anchoring.TextSource(path, language(path), gitinfo.BlobID([]byte(text)), []byte(text))
}

// symbols returns the declarations of a file.
func (s State) symbols(path string) []extract.Symbol {
	if src := s.Source(path); src != nil {
		return src.Symbols()
	}
	return nil
}

// lines splits a file.
func (s State) lines(path string) []string { return strings.Split(s[path], "\n") }

// names lists the identifiers of a file with their offsets.
func names(path, text string) []extract.Span {
	_, tree, err := extract.ParseTree(context.Background(), language(path), []byte(text))
	if err != nil {
		return nil
	}
	var all []extract.Span
	for _, t := range tree.Tokens {
		if t.Class == extract.ClassName {
			all = append(all, extract.Span{Start: int(t.Start), End: int(t.End)})
		}
	}
	return all
}
