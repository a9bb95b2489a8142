package change

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gitleaks/go-gitdiff/gitdiff"

	"manicule/grammars"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/indexer/treefile"
	"manicule/memory"
	"manicule/memory/lint"
)

// maxRead is the size in bytes above which no file is read.
const maxRead = 64 << 20

// Change is the difference between a commit and the working tree.
type Change struct {
	files     []*gitdiff.File
	untracked []string
	own       map[string]bool      // Manicule's files that are new or differ
	versions  map[string]*versions // by the present name; see Compare
}

// Since compares the files below root with a commit.
func Since(ctx context.Context, root, commit string) (*Change, error) {
	// The flags override the person's settings for diffs.
	out, err := runGit(ctx, root, nil, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--full-index", "--find-renames", "--submodule=short",
		"--ignore-submodules=dirty", // otherwise git starts another process in each, which uses their settings
		"--src-prefix=a/", "--dst-prefix=b/", "-U0", commit, "--")
	if err != nil {
		return nil, gitFault(err)
	}
	files, err := gitdiff.Parse(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("read the difference from %s: %w", commit, err)
	}
	c := &Change{own: map[string]bool{}}
	for f := range files {
		if !ours(f.OldName) && !ours(f.NewName) {
			c.files = append(c.files, f)
		} else if ours(f.NewName) {
			c.own[f.NewName] = true
		}
	}
	names, err := runGit(ctx, root, nil, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, gitFault(err)
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		switch {
		case name == "":
		case ours(name):
			c.own[name] = true
		default:
			c.untracked = append(c.untracked, name)
		}
	}
	return c, nil
}

// IsOwn reports whether nothing differs but files of Manicule.
func (c *Change) IsOwn() bool { return len(c.files) == 0 && len(c.untracked) == 0 }

// BroughtOwn reports whether a file of Manicule, such as a memory's, came with the change or differs by it.
func (c *Change) BroughtOwn(name string) bool { return c.own[name] }

// Lines is what a change did to the lines of a file.
type Lines struct {
	New     bool // the file was not there before
	added   map[int]bool
	removed []string
}

// Brought reports whether a violation came with the change: its line did, or what the file must have was taken away, or the
// file is new.
func (l Lines) Brought(v memory.Violation) bool {
	if l.New || !v.Missing {
		return l.New || l.added[v.Line]
	}
	r, _, _ := lint.Of(v.Memory)
	return slices.ContainsFunc(l.removed, r.Requires)
}

// Lines returns what the change did to each file that is there, by name.
func (c *Change) Lines() map[string]Lines {
	out := map[string]Lines{}
	for _, name := range c.untracked {
		out[name] = Lines{New: true}
	}
	for _, f := range c.files {
		if f.IsDelete || f.NewName == "" {
			continue
		}
		l := Lines{New: f.IsNew, added: map[int]bool{}}
		for _, fr := range f.TextFragments {
			at := int(fr.NewPosition)
			for _, line := range fr.Lines {
				switch line.Op {
				case gitdiff.OpAdd:
					l.added[at] = true
				case gitdiff.OpDelete:
					l.removed = append(l.removed, line.Line)
				}
				if line.New() {
					at++
				}
			}
		}
		out[f.NewName] = l
	}
	return out
}

// ours reports whether a file is Manicule's own: a memory or a setting, which is no code that
// changed. A folder below may have memories, too.
func ours(name string) bool {
	return strings.HasPrefix(name, treefile.Folder+"/") || strings.Contains(name, "/"+treefile.Folder+"/")
}

func gitFault(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &memory.UserError{Msg: err.Error(), Err: err, Hint: "--diff needs git and a repository that it can read."}
}

// Old reads the old versions of the changed files.
func (c *Change) Old(ctx context.Context, root string) ([]graph.OldFile, error) {
	var files, read []graph.OldFile
	var ids strings.Builder
	for _, f := range c.files {
		if _, known := grammars.ForPath(f.OldName); !known || f.IsNew || f.IsCopy || f.IsBinary || f.OldName == "" {
			continue
		}
		o := graph.OldFile{Path: f.OldName, Now: f.NewName}
		if f.IsDelete {
			o.Now = ""
		}
		switch {
		case f.OldOIDPrefix != "":
			files = append(files, o)
			ids.WriteString(f.OldOIDPrefix + "\n")
		case f.IsRename: // and nothing else
			path := filepath.Join(root, filepath.FromSlash(o.Now))
			if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() {
				continue // a link's text is no code
			}
			text, err := treefile.ReadWithin(root, o.Now, maxRead)
			if err != nil {
				return nil, fmt.Errorf("read a renamed file: %w", err)
			}
			o.Text = text
			read = append(read, o)
		}
	}
	if len(files) == 0 {
		return read, nil
	}
	out, err := runGit(ctx, root, strings.NewReader(ids.String()), "cat-file", "--batch")
	if err != nil {
		return nil, gitFault(err)
	}
	r := bufio.NewReader(bytes.NewReader(out))
	for _, o := range files {
		var id, kind string
		var size int
		if _, err := fmt.Fscanf(r, "%s %s %d\n", &id, &kind, &size); err != nil {
			return nil, fmt.Errorf("read %s as it was: %w", o.Path, err)
		}
		o.Text = make([]byte, size)
		if _, err := io.ReadFull(r, o.Text); err != nil {
			return nil, fmt.Errorf("read %s as it was: %w", o.Path, err)
		}
		if _, err := r.Discard(1); err != nil { // the line end
			return nil, fmt.Errorf("read %s as it was: %w", o.Path, err)
		}
		if kind == "blob" { // not a submodule
			read = append(read, o)
		}
	}
	return read, nil
}

// Symbols returns the changed symbols, without those of which Compare knows that only
// comments or white space changed. All symbols of untracked files count as changed.
func (c *Change) Symbols(g *graph.Graph, deleted []graph.Deletion) []*resolve.Symbol {
	var all []*resolve.Symbol
	for _, f := range c.files {
		if f.NewName == "" || f.IsDelete {
			continue
		}
		for _, fr := range f.TextFragments {
			ranges := [][2]int{{int(fr.NewPosition), int(fr.NewPosition + fr.NewLines - 1)}}
			if fr.NewLines == 0 { // lines were only removed
				ranges[0] = [2]int{int(fr.NewPosition) + 1, int(fr.NewPosition)}
			}
			for _, s := range g.SymbolsAt(f.NewName, ranges) {
				if s.Kind == "file" && fr.NewLines == 0 && coveredBy(deleted, f.OldName, fr) {
					continue // the file's own code is unchanged
				}
				if c.versions[f.NewName].same(s.Path) {
					continue
				}
				all = append(all, s)
			}
		}
	}
	for _, name := range c.untracked {
		all = append(all, g.Find(name, "")...)
	}
	return Unique(all)
}

// coveredBy reports whether a removed symbol began or ended in the lines that a fragment removes.
func coveredBy(deleted []graph.Deletion, file string, fr *gitdiff.TextFragment) bool {
	for _, d := range deleted {
		if d.File == file && d.Line < int(fr.OldPosition+fr.OldLines) && d.EndLine >= int(fr.OldPosition) {
			return true
		}
	}
	return false
}

// Unique removes repeated symbols and keeps the order.
func Unique(all []*resolve.Symbol) []*resolve.Symbol {
	seen := make(map[*resolve.Symbol]bool, len(all))
	out := all[:0]
	for _, s := range all {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
