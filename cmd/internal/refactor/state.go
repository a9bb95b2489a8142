// Package refactor makes cases whose truth is known: two states of real code,
// with a refactoring between them that a tool or a script did, and where each
// piece of code went. It owns the refactorings, the maps from one state to the next, and
// the tools that it asks. It must not know how an anchor is judged.
package refactor

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

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
func Load(ctx context.Context, dir, commit, lang string) (State, error) {
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "ls-tree", "-r", "-l", "-z", commit).Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of %s at %s: %w", dir, commit, err)
	}
	var paths []string
	var ask strings.Builder
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		meta, path, _ := strings.Cut(entry, "\t")
		f := strings.Fields(meta)
		size := 0
		if len(f) != 4 || f[1] != "blob" || language(path) != lang || generated(path) {
			continue
		}
		if _, err := fmt.Sscan(f[3], &size); err != nil || size > maxFile {
			continue
		}
		paths = append(paths, path)
		fmt.Fprintln(&ask, f[2])
	}
	cmd := exec.CommandContext(ctx, "git", "-C", dir, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(ask.String())
	if out, err = cmd.Output(); err != nil {
		return nil, fmt.Errorf("read the files of %s at %s: %w", dir, commit, err)
	}
	s := make(State, len(paths))
	for _, path := range paths {
		head, rest, _ := strings.Cut(string(out), "\n")
		size := 0
		if f := strings.Fields(head); len(f) == 3 {
			if _, err := fmt.Sscan(f[2], &size); err != nil {
				return nil, fmt.Errorf("read %s at %s: %w", path, commit, err)
			}
		}
		s[path], out = rest[:size], out[len(head)+1+size+1:]
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
