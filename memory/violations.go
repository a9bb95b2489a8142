package memory

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"manicule/indexer/ignore"
	"manicule/indexer/treefile"
	"manicule/memory/file"
	"manicule/memory/lint"
)

// maxViolations is how many violations of one memory a file has.
const maxViolations = 100

// Violation is a place in a file that goes against a memory.
type Violation struct {
	Hit
	File string // relative to the root
	lint.Violation
}

// Rule is a memory with what it says of the text of its files.
type Rule struct {
	Hit
	lint.Rule
}

// Rules returns the memories that apply to a file and say what its text may not have, or must have. Those that people
// disagree about, and those from outside that nobody has confirmed, say nothing.
func (v *View) Rules(rel string) []Rule {
	if !v.rules {
		return nil
	}
	return rulesFor(v, rel, map[string]lint.Rule{})
}

// rulesFor is [View.Rules]. known are those that were made of memories, by uuid.
func rulesFor(v *View, rel string, known map[string]lint.Rule) (out []Rule) {
	for _, h := range v.ForPath(rel, false) {
		m := h.Memory
		if forbids, requires := m.Checks(); forbids+requires == "" || h.Unjudged || m.Trust.Disputed() || m.Trust.Tainted && m.Trust.VerifiedBy == "" {
			continue
		}
		r, ok := known[m.UUID]
		if !ok {
			r, _, _ = lint.Of(m) // an expression that can't be read, which came by git, forbids nothing
			known[m.UUID] = r
		}
		out = append(out, Rule{h, r})
	}
	return out
}

// BadRules returns the memories whose expressions can't be read, with the reasons: nothing goes against them.
func (v *View) BadRules() (list []Hit, why []error) {
	for _, h := range v.Live() {
		if _, _, err := lint.Of(h.Memory); err != nil {
			list, why = append(list, h), append(why, err)
		}
	}
	return list, why
}

// mayCheck reports whether a memory may say what the text of its files may not have, or must have. It is asked of all, and so
// does not read the details.
func mayCheck(m *file.Memory) bool {
	return bytes.Contains(m.Details, []byte(`"forbids"`)) || bytes.Contains(m.Details, []byte(`"requires"`))
}

// Violations finds what goes against memories in the files below a root, without those that are ignored: in those for
// which wanted is true, all if it is nil. They are sorted by file and line.
func (v *View) Violations(ctx context.Context, root string, wanted func(rel string) bool) (out []Violation, err error) {
	if !v.rules {
		return nil, nil
	}
	known := map[string]lint.Rule{}
	ignored, err := ignore.New(root)
	if err != nil {
		return nil, fmt.Errorf("look for what goes against memories: %w", err)
	}
	err = lintFolder(ctx, root, "", ignored, func(rel string) error {
		if wanted != nil && !wanted(rel) {
			return nil
		}
		rules := rulesFor(v, rel, known)
		if len(rules) == 0 {
			return nil
		}
		text, err := treefile.ReadWithin(root, rel, lint.MaxSize)
		if err != nil || !lint.IsText(text) {
			return nil // vanished, too large, or no text
		}
		for _, r := range rules {
			for _, x := range r.In(text, maxViolations) {
				out = append(out, Violation{r.Hit, rel, x})
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for what goes against memories: %w", err)
	}
	return out, nil
}

// lintFolder calls visit for the regular files of a folder and all below it, in order. It skips what can't be read, and what
// belongs to another repository.
func lintFolder(ctx context.Context, root, rel string, ignored *ignore.Matcher, visit func(rel string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(rel)))
	if err != nil && rel == "" {
		return err
	}
	if rel != "" && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" && e.IsDir() }) {
		return nil
	}
	folder := ignored.Folder(rel, entries)
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == ".git" || name == ".manicule" || folder.Ignored(name, e.IsDir()):
		case e.IsDir():
			err = lintFolder(ctx, root, path.Join(rel, name), ignored, visit)
		case e.Type().IsRegular():
			err = visit(path.Join(rel, name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
