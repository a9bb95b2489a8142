package secret

import (
	"bufio"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"manicule/indexer/must"

	"github.com/go-json-experiment/json"
)

// line is a labelled line of a repository: T holds a secret, F none, X an example.
type line struct {
	Repo     string `json:"repo_id"`
	Label    string `json:"gt"`
	Category string `json:"category"`
	Ext      string `json:"ext"`
	Text     string `json:"text"`
	Start    int    `json:"value_start"`
	End      int    `json:"value_end"`
}

// folder is where the sets are, the test is skipped where they are not.
func folder(t testing.TB) string {
	dir := os.Getenv("EVAL_DATA")
	if dir == "" {
		dir = "../../../shared/data"
	}
	if _, err := os.Stat(filepath.Join(dir, "secrets")); err != nil {
		t.Skip("the sets are not here")
	}
	return dir
}

func readJSON[T any](t testing.TB, path string, each func(T)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var v T
		must.OK(t, json.Unmarshal(lines.Bytes(), &v))
		each(v)
	}
	must.OK(t, lines.Err())
}

// labelled are the lines of real repositories, with offsets in bytes.
func labelled(t testing.TB) []line {
	var out []line
	readJSON(t, filepath.Join(folder(t), "secrets", "dev", "creddata_lines.jsonl"), func(l line) {
		l.Start, l.End = byteAt(l.Text, l.Start), byteAt(l.Text, l.End)
		out = append(out, l)
	})
	return out
}

func byteAt(s string, n int) int {
	if n < 0 {
		return n
	}
	at := 0
	for ; n > 0 && at < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

// harmless are texts of sets in which no secret was found by hand: by set.
func harmless(t testing.TB) map[string][]string {
	dir := folder(t)
	out := map[string][]string{}
	readJSON(t, filepath.Join(dir, "memory-notes", "dev", "notes.jsonl"), func(n struct {
		Text string `json:"text"`
	}) {
		out["memory-notes"] = append(out["memory-notes"], n.Text)
	})
	err := filepath.WalkDir(filepath.Join(dir, "agent-rules", "dev"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out["agent-rules"] = append(out["agent-rules"], string(data))
		return err
	})
	must.OK(t, err)
	names, _ := filepath.Glob(filepath.Join(dir, "agent-sessions", "dev", "*.gz"))
	for _, name := range names {
		readJSON(t, name, func(e struct {
			Text   string         `json:"text"`
			Prompt string         `json:"prompt"`
			Input  map[string]any `json:"tool_input"`
			Result any            `json:"tool_response"`
		}) {
			for _, s := range []string{e.Text, e.Prompt} {
				if s != "" {
					out["agent-sessions"] = append(out["agent-sessions"], s)
				}
			}
			flat(e.Input, func(s string) { out["agent-sessions calls"] = append(out["agent-sessions calls"], s) })
			flat(e.Result, func(s string) { out["agent-sessions results"] = append(out["agent-sessions results"], s) })
		})
	}
	return out
}

func flat(v any, each func(string)) {
	switch v := v.(type) {
	case string:
		each(v)
	case []any:
		for _, x := range v {
			flat(x, each)
		}
	case map[string]any:
		for _, x := range v {
			flat(x, each)
		}
	}
}
