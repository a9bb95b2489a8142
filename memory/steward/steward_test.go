package steward_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
	"manicule/memory/steward"
)

const owners = `# who decides
*            @everyone
/src/auth/   @security @bea
*.sql        dba@example.org
src/auth/ugly[ @broken
[Section] @nobody
/src/auth/free/
`

func write(t *testing.T, path, text string) string {
	t.Helper()
	root := t.TempDir()
	must.Write(t, filepath.Join(root, filepath.FromSlash(path)), text)
	return root
}

func TestOf(t *testing.T) {
	for _, place := range []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"} {
		rules, err := steward.Read(write(t, place, owners))
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			paths, want []string
		}{
			"a file":           {[]string{"src/auth/token.go"}, []string{"@security", "@bea"}},
			"the last rule":    {[]string{"src/auth/token.sql"}, []string{"dba@example.org"}},
			"the default":      {[]string{"README.md"}, []string{"@everyone"}},
			"several, once":    {[]string{"src/auth/a.go", "src/auth/b.go", "x.sql"}, []string{"@security", "@bea", "dba@example.org"}},
			"freed of owners":  {[]string{"src/auth/free/a.go"}, nil},
			"no path, nobody":  {nil, nil},
			"below any folder": {[]string{"db/x/y.sql"}, []string{"dba@example.org"}},
		} {
			if got := rules.Of(c.paths); !slices.Equal(got, c.want) {
				t.Errorf("%s in %s: %q, want %q", name, place, got, c.want)
			}
		}
	}
}

func TestRead(t *testing.T) {
	rules, err := steward.Read(t.TempDir())
	if err != nil || rules.Of([]string{"a"}) != nil {
		t.Errorf("without a file: %v", err)
	}
	outside := write(t, "secret", "* @outside\n")
	root := t.TempDir()
	if err := os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "CODEOWNERS")); err != nil {
		t.Skip(err)
	}
	if rules, err := steward.Read(root); err == nil || rules.Of([]string{"a"}) != nil {
		t.Errorf("a link out of the repository was read: %v", rules.Of([]string{"a"}))
	}
	if _, err := steward.Read(write(t, "CODEOWNERS", strings.Repeat("#", 3<<20+1))); err == nil {
		t.Error("a file of any size is read")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(owners, "src/auth/token.go")
	f.Add("/ @a\n\\ @b\n** @c\n! @d", "")
	f.Fuzz(func(t *testing.T, text, path string) {
		rules, err := steward.Read(write(t, "CODEOWNERS", text))
		if err == nil {
			rules.Of([]string{path})
		}
	})
}

// TestName: the owners of the code that a memory is about decide, else its author.
func TestName(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "CODEOWNERS"), []byte("/src/auth/ @security @bea\n/src/db @db\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		m    *file.Memory
		want string
	}{
		"a scope":     {&file.Memory{Scope: file.Scope{"src/auth/**/*.go", "!src/db/**"}, Contributor: "ada"}, "@security, @bea"},
		"a file":      {&file.Memory{Scope: file.Scope{"src/db/x.go"}, Contributor: "ada"}, "@db"},
		"elsewhere":   {&file.Memory{Scope: file.Scope{"lib/**"}, Contributor: "ada"}, "ada"},
		"the project": {&file.Memory{Contributor: "ada"}, "ada"},
		"nobody":      {&file.Memory{}, ""},
	} {
		if got, err := steward.Name(root, c.m); err != nil || got != c.want {
			t.Errorf("%s: %q, want %q (%v)", name, got, c.want, err)
		}
	}
}

// TestLongLine: a long line costs no other rule.
func TestLongLine(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "CODEOWNERS"), []byte("# "+strings.Repeat("x", 100<<10)+"\n*.go @owners\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rules, err := steward.Read(root)
	if err != nil || !slices.Equal(rules.Of([]string{"a.go"}), []string{"@owners"}) {
		t.Errorf("%v, %v", rules.Of([]string{"a.go"}), err)
	}
}
