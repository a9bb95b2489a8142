// Package steward finds who decides about the code that a memory is about: the owners that the
// repository's CODEOWNERS file names. Nothing that hooks link may import it: the library compiles its
// patterns when the program starts.
package steward

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/hmarr/codeowners"
)

// maxSize is GitHub's limit of the file.
const maxSize = 3 << 20

// places are where the file may be; the first one counts.
func places() []string {
	return []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"}
}

// Rules are the rules of a CODEOWNERS file. The zero value has none.
type Rules struct{ set codeowners.Ruleset }

// Read reads the rules of a repository. Without a file there are none. The file may not be reached
// through a link that leaves the repository.
func Read(root string) (Rules, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return Rules{}, fmt.Errorf("read CODEOWNERS: %w", err)
	}
	defer func() { _ = dir.Close() }() // only read
	for _, p := range places() {
		info, err := dir.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Rules{}, fmt.Errorf("read CODEOWNERS: %w", err)
		}
		if !info.Mode().IsRegular() || info.Size() > maxSize {
			return Rules{}, fmt.Errorf("read CODEOWNERS: %s is no regular file of at most %d bytes", p, maxSize)
		}
		f, err := dir.Open(p)
		if err != nil {
			return Rules{}, fmt.Errorf("read CODEOWNERS: %w", err)
		}
		defer func() { _ = f.Close() }() // only read
		return parse(io.LimitReader(f, maxSize))
	}
	return Rules{}, nil
}

// parse reads rules line by line, so that one that nobody can read costs no other: GitHub skips it,
// too. Headings of GitLab's sections are no rules.
func parse(r io.Reader) (rules Rules, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxSize+1) // a line may be as long as the file
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "[") || strings.HasPrefix(line, "^[") {
			continue
		}
		set, err := codeowners.ParseFile(strings.NewReader(line))
		if err != nil || len(set) == 0 || set[0].RawPattern() == "/" { // which names no file, and ends the library's match
			continue
		}
		rules.set = append(rules.set, set...)
	}
	if err := lines.Err(); err != nil {
		return Rules{}, fmt.Errorf("read CODEOWNERS: %w", err)
	}
	return rules, nil
}

// Of returns the owners of some paths, which are relative to the root with forward slashes, each
// once.
func (r Rules) Of(paths []string) (owners []string) {
	for _, p := range paths {
		rule, err := r.set.Match(p)
		if err != nil || rule == nil {
			continue // a pattern that matches nothing owns nothing
		}
		for _, o := range rule.Owners {
			if name := o.String(); !slices.Contains(owners, name) {
				owners = append(owners, name)
			}
		}
	}
	return owners
}
