package full

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"

	"github.com/go-json-experiment/json"
)

func readLines[T any](t testing.TB, set string, each func(T)) {
	t.Helper()
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		dir = "../../../../shared/data"
	}
	f, err := os.Open(filepath.Join(dir, "secrets", "dev", set))
	if err != nil {
		t.Skip("the sets are not here")
	}
	defer func() { _ = f.Close() }() // it was only read
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var v T
		must.OK(t, json.Unmarshal(lines.Bytes(), &v))
		each(v)
	}
	must.OK(t, lines.Err())
}

// TestAllow: no comment in a text switches the scan off, and what was masked
// holds nothing more.
func TestAllow(t *testing.T) {
	token := "ghp" + "_wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
	for _, s := range []string{token + " gitleaks:allow", "x = " + token + " #gitleaks:allow", "pscale_tkn_" + strings.Repeat("aB3dE5fG7h", 4) + " // gitleaks:allow"} {
		kind, err := First(s)
		if err != nil || kind == "" {
			t.Errorf("%s: %q, %v", s, kind, err)
		}
		masked, err := Mask(s)
		if err != nil || masked == s || strings.Contains(masked, "aB3dE5fG7h") {
			t.Errorf("%s: %s, %v", s, masked, err)
		}
		if again, err := Mask(masked); err != nil || again != masked {
			t.Errorf("%s becomes %s, %v", masked, again, err)
		}
	}
}

// TestNotes: the full rules find nothing in notes about code.
func TestNotes(t *testing.T) {
	readLines(t, "../../memory-notes/dev/notes.jsonl", func(n struct {
		Text string `json:"text"`
	}) {
		if kind, err := First(n.Text); err != nil || kind != "" {
			t.Errorf("%s %v: %s", kind, err, n.Text)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	must.OK(b, Load())
	s := strings.Repeat("The token refresh fails when Redis is down: see src/auth/token.go:41 and retry(3).\n", 50)[:4096]
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if _, err := Mask(s); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLongTexts: a token is found wherever in a long text it stands.
func TestLongTexts(t *testing.T) {
	const token = "glptt-0123456789abcdef0123456789abcdef01234567" // one that gitleaks alone knows
	if kind, err := First("the key is " + token); err != nil || kind == "" {
		t.Fatalf("%q, %v", kind, err)
	}
	filler := strings.Repeat("nothing to see here\n", 1000)
	for at := 0; at < 2*piece; at += 37 {
		if kind, err := First(filler[:at] + " " + token + "\n" + filler[at:]); err != nil || kind == "" {
			t.Fatalf("after %d bytes: %q, %v", at, kind, err)
		}
	}
}
