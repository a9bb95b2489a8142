package code

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEmbeddingText(t *testing.T) {
	body := "// Load reads a user by its name.\nfunc (s *Store) LoadUser(id string) (*User, error) {\n" +
		"\trow := s.db.QueryRow(selectUser, id)\n\tif errors.Is(row.Err(), sql.ErrNoRows) {\n\t\treturn nil, ErrNoUser\n\t}\n\treturn scanUser(row), nil\n}"
	got := EmbeddingText("a/long/way/store/user.go", "method", "file a/long/way/store/user.go, method Store.LoadUser", body)
	want := "file store/user.go, method Store.Load User\n" +
		"// Load reads a user by its name.\nfunc (s *Store) Load User(id string) (*User, error) {\n\trow := s.db.Query Row(select User, id)\n\tif errors.Is(row.Err(), sql.Err No Rows) {\n\t\n" +
		"return nil errnouser scan scanuser"
	if got != want {
		t.Errorf("a function:\n%q\nwant\n%q", got, want)
	}
	if got := EmbeddingText("user.go", "function", "file user.go, function f", "f(){}"); got != "file user.go, function f\nf(){}" {
		t.Errorf("a short function in the root: %q", got)
	}
	if got := EmbeddingText("docs/a/b.md", "text", "file docs/a/b.md", "word word aWord"); got != "file docs/a/b.md\nword word a Word" {
		t.Errorf("no function: %q", got)
	}
	long := EmbeddingText("a.py", "function", "file a.py, function f", strings.Repeat("é", 120)+strings.Repeat(" λόγος", 300))
	if !utf8.ValidString(long) || strings.Count(long, "λόγος") != 1 {
		t.Errorf("a long function: %q", long)
	}
}
