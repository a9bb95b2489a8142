package retrieval

import (
	"slices"
	"strings"
	"testing"
)

func TestBullets(t *testing.T) {
	got := bullets("1.0\n---\n\n-   Keep the tree.\n    It is slow. :issue:`5639`\n- Fix [#12](u) (#123)\n\ntext (#99)\n")
	if want := []string{"Keep the tree. It is slow. :issue:`5639`", "Fix [#12](u) (#123)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := numbers(strings.Join(got, " ") + " {pr}`77`"); !slices.Equal(n, []string{"5639", "12", "123", "77"}) {
		t.Errorf("numbers %q", n)
	}
	if c := clean(got[0]); c != "Keep the tree. It is slow." {
		t.Errorf("cleaned %q", c)
	}
}

// TestFunctionsOf: a function is asked for without the words of its name.
func TestFunctionsOf(t *testing.T) {
	for file, text := range map[string]string{
		"a.go": "// LoadUser loads what the table of accounts has of yesterday orders. It may fail.\nfunc (s *S) LoadUser(id string) {}\n",
		"a.py": "def load_user(id):\n    \"\"\"Loads what the table of accounts has of yesterday orders. It may fail.\"\"\"\n    return 1\n",
		"a.rs": "/// Loads what the table of accounts has of yesterday orders.\n#[inline]\npub fn load_user(id: u8) {}\n",
	} {
		got := functionsOf(file, text)
		if len(got) != 1 || got[0].text != "what the table of accounts has of yesterday orders" && got[0].text != "what the table of accounts has of yesterday orders." {
			t.Errorf("%s: %+v", file, got)
		}
	}
	if got := functionsOf("a_test.go", "// F is what the table of accounts has of yesterday orders.\nfunc F() {}\n"); len(got) > 0 {
		t.Errorf("of a test: %+v", got)
	}
}
