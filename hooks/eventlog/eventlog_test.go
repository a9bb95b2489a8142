package eventlog

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake puts a secret together at run time, so that this file holds none.
func fake(prefix string, n int) string {
	const chars = "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW"
	return prefix + strings.Repeat(chars, n/len(chars)+1)[:n]
}

func TestMask(t *testing.T) {
	jwt := fake("eyJ", 20) + "." + fake("eyJ", 30) + "." + fake("", 43)
	for _, tc := range []struct{ in, want string }{
		{"nothing here: just = text", "nothing here: just = text"},
		{"AK" + "IA" + "IOSFODNN7EXAMPLQ.", "[aws key]."},
		{"export X=" + fake("ghp_", 36) + " y", "export X=[github token] y"},
		{fake("github_pat_", 82), "[github token]"},
		{"slack " + "xox" + "b-1234567890-" + fake("", 24), "slack [slack token]"},
		{fake("AIza", 35), "[google key]"},
		{"k " + fake("sk-ant-api03-", 80) + ",", "k [anthropic key],"},
		{jwt, "[jwt]"},
		{"Authorization: Bearer " + fake("", 40), "Authorization: Bearer [credentials]"},
		{"a\n-----BEGIN RSA PRIVATE" + " KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "a\n[private key]\nb"},
		{"-----BEGIN PRIVATE" + " KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF", "[private key]"},
		{"-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----"},
		{"postgres://bob:" + fake("", 12) + "@host/db", "postgres://bob:[password]@host/db"},
		{"https://host:8080/a@b", "https://host:8080/a@b"},
		{`{"api_key": "` + fake("", 32) + `"}`, `{"api_key": "[secret]"}`},
		{"AWS_SECRET_ACCESS_KEY=" + fake("", 40), "AWS_SECRET_ACCESS_KEY=[secret]"},
		{`password = "hunter22"`, `password = "[password]"`},
		{"password = os.environ['DB']", "password = os.environ['DB']"},
		{"token: ${TOKEN}", "token: ${TOKEN}"},
		{"token = getToken(ctx)", "token = getToken(ctx)"},
		{"the token: refreshed silently", "the token: refreshed silently"},
		{"tokenHash := sha256.Sum256(b)", "tokenHash := sha256.Sum256(b)"},
		{"commit 3f2a1c9d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b", "commit 3f2a1c9d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b"},
	} {
		if got := Mask(tc.in); got != tc.want {
			t.Errorf("Mask(%q)\n got %q\nwant %q", tc.in, got, tc.want)
		}
	}
}

func TestMaskAcrossTokens(t *testing.T) {
	if got := Mask("x-eyJ" + strings.Repeat("a", 60) + "-ghp_" + strings.Repeat("b", 36) + " y"); strings.Contains(got, "ghp_") {
		t.Errorf("a token behind what is none: %s", got)
	}
	// A batch of large calls is masked as far as there is time for it, and nothing of
	// it is kept unmasked.
	r := Record{Kind: "post_tool_batch"}
	for range 20 {
		r.Calls = append(r.Calls, Call{Tool: "Bash", Command: strings.Repeat("echo aaaa; ", 2000), Error: "token ghp_" + strings.Repeat("b", 36)})
	}
	line, err := Encode(r)
	if err != nil || strings.Contains(string(line), "ghp_") || !strings.Contains(string(line), `"cut":true`) {
		t.Errorf("%s, %v", line, err)
	}
}

func FuzzMask(f *testing.F) {
	f.Add("password=\"abc123def\" AKIA -----BEGIN PRIVATE KEY----- ://a:bcd@ bearer ")
	f.Fuzz(func(t *testing.T, s string) {
		if got := Mask(s); len(got) > len(s)+20*strings.Count(got, "[") {
			t.Errorf("Mask(%q) = %q", s, got)
		}
	})
}

func BenchmarkMask4K(b *testing.B) {
	s := strings.Repeat(`func (s *Store) Validate(ctx context.Context) error { token := s.next(); return fmt.Errorf("x: %w", err) } // `, 40)[:4096]
	b.SetBytes(4096)
	for b.Loop() {
		Mask(s)
	}
}

func TestAppendAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	ok := true
	for i := range 3 {
		err := Append(dir, Record{Time: int64(i), Agent: "claude-code", Kind: "post_tool", Session: "A/../b", Prompt: "use " + fake("ghp_", 36),
			Calls: []Call{{Tool: "Bash", Class: "shell", Command: strings.Repeat("é", 5000), OK: &ok, Paths: []string{"a"}}}, Facts: map[string]string{"model": "m"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	path := Path(dir, "A/../b")
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	// A torn line, then one more event.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"v":1,"t":9,"agent":"cl`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Append(dir, Record{Time: 10, Session: "A/../b"}); err != nil {
		t.Fatal(err)
	}
	records, bad, err := Read(dir, "A/../b")
	if err != nil || bad != 1 || len(records) != 4 {
		t.Fatalf("%d records, %d bad, %v", len(records), bad, err)
	}
	r := records[0]
	if r.Prompt != "use [github token]" || !r.Cut || !*r.Calls[0].OK || r.Facts["model"] != "m" || records[3].Time != 10 {
		t.Errorf("%+v", r)
	}
	if records, bad, err := Read(dir, "other"); err != nil || bad != 0 || records != nil {
		t.Errorf("of a session that never was: %v %d %v", records, bad, err)
	}
}

func TestLinesFit(t *testing.T) {
	huge := strings.Repeat("\x01\"é", 100_000)
	r := Record{Agent: huge, Kind: huge, Name: huge, Session: huge, AgentID: huge, Turn: huge, CWD: huge, Source: huge, Prompt: huge, Facts: map[string]string{}}
	for i := range 100 {
		r.Facts[fmt.Sprint(i, huge)] = huge
		r.Calls = append(r.Calls, Call{Tool: huge, ID: huge, Class: huge, Paths: []string{huge, huge, huge}, Command: huge, Query: huge, URL: huge, Error: huge})
	}
	line, err := Encode(r)
	if err != nil || len(line) > MaxLine-2 {
		t.Errorf("%d bytes, %v", len(line), err)
	}
}

func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	for i := range 10 {
		if err := AppendLine(path, 40, fmt.Appendf(nil, "line %d 0123456789", i)); err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	if err := ReadLines(path, func(l []byte) { lines = append(lines, string(l)) }); err != nil {
		t.Fatal(err)
	}
	if n := len(lines); n < 3 || n > 6 || !strings.HasPrefix(lines[n-1], "line 9") {
		t.Errorf("%q", lines)
	}
	if err := AppendLine(path, 40, bytes.Repeat([]byte("x"), MaxLine)); err == nil {
		t.Error("a line that is too long was written")
	}
}

func TestSafeName(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"5b1e-a", "", ".", "..", "a/b", `a\b`, "A", "a", "con", strings.Repeat("x", 300), "a\x00b", "é", "a.b"} {
		name := SafeName(id)
		if strings.ContainsAny(name, "/\\.\x00") || len(name) > 70 || seen[strings.ToLower(name)] != "" {
			t.Errorf("SafeName(%q) = %q", id, name)
		}
		seen[strings.ToLower(name)] = id + "!"
	}
}

// TestEnds reads the first and the last line of a log, rotated or not.
func TestEnds(t *testing.T) {
	dir := t.TempDir()
	if _, _, ok := FirstAndLast(dir, "s-x"); ok {
		t.Error("a log that is not there has ends")
	}
	for i := range 5 {
		if err := Append(dir, Record{Session: "x", Kind: "k", Turn: strings.Repeat("t", i), Prompt: strings.Repeat("p", 900)}); err != nil {
			t.Fatal(err)
		}
		first, last, ok := FirstAndLast(dir, "s-x")
		if !ok || first.Turn != "" || last.Turn != strings.Repeat("t", i) {
			t.Errorf("after %d: %q, %q, %t", i+1, first.Turn, last.Turn, ok)
		}
	}
	path := Path(dir, "x")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := Append(dir, Record{Session: "x", Kind: "k", Turn: "new"}); err != nil {
		t.Fatal(err)
	}
	if first, last, ok := FirstAndLast(dir, "s-x"); !ok || first.Turn != "" || last.Turn != "new" {
		t.Errorf("rotated: %q, %q, %t", first.Turn, last.Turn, ok)
	}
}

func TestLedger(t *testing.T) {
	dir, now := t.TempDir(), time.UnixMilli(1_000_000)
	claim := func(mark, agent string, keys ...string) string {
		t.Helper()
		won, err := OpenDedupe(dir, "s", agent, mark).Claim(now, keys)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(won, " ")
	}
	if got := claim("p1", "", "a", "b"); got != "a b" {
		t.Errorf("first: %q", got)
	}
	if got := claim("p2", "", "b", "c"); got != "c" {
		t.Errorf("second: %q", got)
	}
	if got := claim("p3", "sub", "a"); got != "a" {
		t.Errorf("a subagent: %q", got)
	}
	if err := OpenDedupe(dir, "s", "", "p5").Reset(now); err != nil {
		t.Fatal(err)
	}
	if got := claim("p6", "", "a", "b"); got != "a b" {
		t.Errorf("after a reset: %q", got)
	}
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i))
	}
	if got := claim("p7", "", many...); len(strings.Fields(got)) != 500 {
		t.Errorf("many: %d", len(strings.Fields(got)))
	}
}

func TestLedgerOnce(t *testing.T) {
	dir, now := t.TempDir(), time.UnixMilli(1_000_000)
	for i, tc := range []struct {
		at   time.Duration
		key  string
		want bool
	}{{0, "k", true}, {time.Second, "k", false}, {time.Second, "other", true}, {10 * time.Second, "k", true}, {-time.Hour, "k", true}} {
		got, err := OpenDedupe(dir, "s", "", fmt.Sprint("p", i)).First(now.Add(tc.at), tc.key, 5*time.Second)
		if err != nil || got != tc.want {
			t.Errorf("%d: %v %v", i, got, err)
		}
	}
}

// TestLedgerRace has many claim the same at once: each key has one winner.
func TestLedgerRace(t *testing.T) {
	dir, now := t.TempDir(), time.UnixMilli(1)
	var mu sync.Mutex
	var wg sync.WaitGroup
	wins, firsts := map[string]int{}, 0
	for p := range 16 {
		wg.Go(func() {
			l := OpenDedupe(dir, "s", "", fmt.Sprint("p", p))
			won, err := l.Claim(now, []string{"a", "b", fmt.Sprint("own", p)})
			first, onceErr := l.First(now, "event", time.Second)
			mu.Lock()
			defer mu.Unlock()
			if err != nil || onceErr != nil {
				t.Error(err, onceErr)
			}
			for _, k := range won {
				wins[k]++
			}
			if first {
				firsts++
			}
		})
	}
	wg.Wait()
	for k, n := range wins {
		if n != 1 {
			t.Errorf("%s was won %d times", k, n)
		}
	}
	if len(wins) != 18 || firsts != 1 {
		t.Errorf("%d keys were won, %d were first", len(wins), firsts)
	}
}

func TestPrune(t *testing.T) {
	dir := t.TempDir()
	if err := Prune(dir, time.Now()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"old", "new"} {
		if err := Append(dir, Record{Session: s}); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-100 * time.Hour)
	if err := os.Chtimes(Path(dir, "old"), old, old); err != nil {
		t.Fatal(err)
	}
	if err := Prune(dir, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(Path(dir, "old")); !os.IsNotExist(err) {
		t.Error("the old session is still there")
	}
	if _, err := os.Stat(Path(dir, "new")); err != nil {
		t.Error(err)
	}
}
