package eventlog

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"manicule/indexer/linefile"
	"manicule/indexer/must"
)

// TestLargeBatchIsMasked: a batch of large calls is masked as far as there is time for it, and nothing of
// it is kept unmasked.
func TestLargeBatchIsMasked(t *testing.T) {
	r := Record{Kind: "post_tool_batch"}
	for range 20 {
		r.Calls = append(r.Calls, Call{Tool: "Bash", Command: strings.Repeat("echo aaaa; ", 2000), Error: "token ghp_" + strings.Repeat("b", 36)})
	}
	line, err := Encode(r)
	if err != nil || strings.Contains(string(line), "ghp_") || !strings.Contains(string(line), `"cut":true`) {
		t.Errorf("%s, %v", line, err)
	}
}

func TestAppendAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	ok := true
	for i := range 3 {
		err := Append(dir, Record{Time: int64(i), Agent: "claude-code", Kind: "post_tool", Session: "A/../b", Prompt: "use " + "ghp_" + strings.Repeat("aB3dE5fG7hI9", 3),
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
	if err != nil || len(line) > linefile.MaxLine-2 {
		t.Errorf("%d bytes, %v", len(line), err)
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
	ends := func(when string) {
		t.Helper()
		if first, last, ok := FirstAndLast(dir, "s-x"); !ok || first.Turn != "" || last.Turn != "tttt" {
			t.Errorf("%s: %q, %q, %t", when, first.Turn, last.Turn, ok)
		}
	}
	ends("rotated, before the next line")
	must.Write(t, path, "")
	ends("where the next line is just to be written")
	if err := Append(dir, Record{Session: "x", Kind: "k", Turn: "new"}); err != nil {
		t.Fatal(err)
	}
	if first, last, ok := FirstAndLast(dir, "s-x"); !ok || first.Turn != "" || last.Turn != "new" {
		t.Errorf("rotated: %q, %q, %t", first.Turn, last.Turn, ok)
	}
	since, err := Since(dir, "x", `"turn":"ttt"`, 1<<20, func(Record) bool { return true })
	if err != nil || len(since) != 3 || !strings.Contains(string(since[2]), `"new"`) {
		t.Errorf("since a line of the rotated file: %q, %v", since, err)
	}
	for bytes, want := range map[int64]string{100: "new", 1200: "tttt new", 2400: "ttt tttt new", 1 << 20: " t tt ttt tttt new"} {
		list, more, err := Tail(dir, "x", bytes)
		var turns []string
		for _, r := range list {
			turns = append(turns, r.Turn)
		}
		if got := strings.Join(turns, " "); got != want || more != (bytes < 1<<20) || err != nil {
			t.Errorf("the last %d bytes: %q, more: %t, %v", bytes, got, more, err)
		}
	}
}

func TestLedger(t *testing.T) {
	dir, now := t.TempDir(), time.UnixMilli(1_000_000)
	claim := func(mark, agent string, keys ...string) string {
		t.Helper()
		won, err := Conversation{StateDir: dir, Session: "s", Agent: agent}.Dedupe(mark).Claim(now, keys)
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
	if err := (Conversation{StateDir: dir, Session: "s"}).Dedupe("p5").Reset(now); err != nil {
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
		got, err := Conversation{StateDir: dir, Session: "s"}.Dedupe(fmt.Sprint("p", i)).First(now.Add(tc.at), tc.key, 5*time.Second)
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
			l := Conversation{StateDir: dir, Session: "s"}.Dedupe(fmt.Sprint("p", p))
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
