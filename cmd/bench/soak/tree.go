package soak

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/sandbox"
	"manicule/grammars"
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
	"manicule/indexer/gitinfo"
	"manicule/memory/file"
)

// tree is the repository under work, with its memories.
type tree struct {
	box    *sandbox.Sandbox
	root   string
	rng    *rand.Rand
	commit string
	files  []string // sources in the order of work, relative with slashes
	about  []string // those with memories
}

// newTree copies a source tree, makes it a repository with two branches that differ in
// some hundred files, and writes memories.
func newTree(ctx context.Context, box *sandbox.Sandbox, from string, memories int) (*tree, error) {
	t := &tree{box: box, root: filepath.Join(box.Dir, "tree"), rng: rand.New(rand.NewPCG(7, 11))}
	if err := os.CopyFS(t.root, os.DirFS(from)); err != nil {
		return nil, fmt.Errorf("copy %s: %w", from, err)
	}
	if err := t.list(); err != nil {
		return nil, err
	}
	if git, err := box.Repository(ctx, t.root); err != nil || !git {
		return nil, errors.Join(err, errors.New("prepare the tree: there is no git"))
	}
	out, err := t.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	t.commit = strings.TrimSpace(out)
	if out, err := box.Manicule(ctx, t.root, "init").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("manicule init: %w\n%s", err, out)
	}
	for i := range memories {
		if err := t.remember(ctx, i); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{{"add", "--all"}, {"commit", "--quiet", "--message=Memories"}, {"checkout", "--quiet", "-b", "side"}} {
		if _, err := t.git(ctx, args...); err != nil {
			return nil, err
		}
	}
	for _, p := range t.files[:min(300, len(t.files)/4)] {
		if err := t.rewrite(p, func(text []byte) []byte { return append(text, "\n"+comment(p)+" on the other branch\n"...) }); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{{"commit", "--quiet", "--all", "--message=Side"}, {"checkout", "--quiet", "main"}} {
		if _, err := t.git(ctx, args...); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// maxSource is the size in bytes above which a file is skipped.
const maxSource = 256 << 10

// list finds the sources and shuffles them.
func (t *tree) list() error {
	err := filepath.WalkDir(t.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() { // a module's files are read-only
			return os.Chmod(path, 0o755)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if l, ok := grammars.ForPath(path); ok && comment(path) != "" && l.ID != "" && d.Type().IsRegular() && info.Size() < maxSource {
			rel, err := filepath.Rel(t.root, path)
			if err != nil {
				return err
			}
			t.files = append(t.files, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("list the sources: %w", err)
	}
	if len(t.files) < 20 {
		return fmt.Errorf("list the sources: there are only %d", len(t.files))
	}
	t.rng.Shuffle(len(t.files), func(i, j int) { t.files[i], t.files[j] = t.files[j], t.files[i] })
	return nil
}

// comment returns the prefix of a line comment in the language of a path, or "" if that
// is unknown.
func comment(path string) string {
	switch filepath.Ext(path) {
	case ".go", ".js", ".ts", ".tsx", ".java", ".rs", ".c", ".h", ".cpp", ".kt", ".scala", ".swift":
		return "//"
	case ".py", ".rb", ".sh", ".yaml", ".yml", ".toml", ".tf", ".hcl":
		return "#"
	}
	return ""
}

// remember writes one memory as a file. Every other one is at a declaration, the rest are
// for a file or its folder.
func (t *tree) remember(ctx context.Context, i int) error {
	now := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).Add(time.Duration(i) * 7 * time.Minute)
	path := t.files[t.rng.IntN(len(t.files))]
	m := &file.Memory{
		Format: file.Format, UUID: evalkit.UUID(t.rng, now), Type: file.Gotcha, What: fmt.Sprintf("What holds for %s, noted as number %d", filepath.Base(path), i),
		Why: "it was found when " + filepath.Base(filepath.Dir(path)) + " was changed last", Visibility: file.Project, Importance: file.Medium, Confidence: 1,
		Trust: file.Trust{Origin: file.UserTaught}, Contributor: "Ada", Lineage: file.Lineage{Version: 1, ChangeKind: "create"},
		CreatedAt: file.At(now), UpdatedAt: file.At(now), Scope: file.Scope{path},
	}
	if i%2 == 0 {
		if a, ok := t.anchor(ctx, path); ok {
			m.Anchors, m.Scope = []anchor.Anchor{a}, nil
		}
	} else if i%3 == 0 {
		m.Scope = file.Scope{filepath.ToSlash(filepath.Dir(path)) + "/**"}
	}
	t.about = append(t.about, path)
	m.Layer = m.Type.DefaultLayer(true)
	_, err := file.Write(filepath.Join(t.root, ".manicule", "memories"), m)
	return err
}

// anchor returns an anchor to one of the declarations of a file, or false if it has none.
func (t *tree) anchor(ctx context.Context, path string) (anchor.Anchor, bool) {
	text, err := os.ReadFile(filepath.Join(t.root, filepath.FromSlash(path)))
	lang, ok := grammars.ForPath(path)
	if err != nil || !ok {
		return anchor.Anchor{}, false
	}
	f, err := extract.Parse(ctx, lang.ID, text)
	if err != nil || len(f.Symbols) == 0 {
		return anchor.Anchor{}, false
	}
	s := f.Symbols[t.rng.IntN(len(f.Symbols))]
	a, err := anchoring.Make(ctx, anchor.Place{Path: path, Symbol: s.Path, Ordinal: s.Ordinal}, lang.ID, text)
	if err != nil {
		return anchor.Anchor{}, false
	}
	a.Blob, a.Commit = gitinfo.BlobID(text), t.commit
	return a, true
}

// rewrite changes a file on disk.
func (t *tree) rewrite(rel string, change func([]byte) []byte) error {
	name := filepath.Join(t.root, filepath.FromSlash(rel))
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("change %s: %w", rel, err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("change %s: %w", rel, err)
	}
	if err := os.WriteFile(name, change(bytes.Clone(text)), 0o644); err != nil {
		return fmt.Errorf("change %s: %w", rel, err)
	}
	return nil
}

// git runs git in the tree.
func (t *tree) git(ctx context.Context, args ...string) (string, error) {
	out, err := t.box.Command(ctx, t.root, "git", append([]string{"-c", "user.name=You", "-c", "user.email=you@example.test", "-c", "gc.auto=0"}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return string(out), nil
}

// command runs the program in the tree.
func (t *tree) command(ctx context.Context, args ...string) error {
	if out, err := t.box.Manicule(ctx, t.root, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("manicule %s: %w\n%s", args[0], err, out)
	}
	return nil
}
