package full

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"manicule/memory/secret"
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
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		each(v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestRules measures both speeds on the examples of gitleaks' own rules.
func TestRules(t *testing.T) {
	var n, quick, all, harmless, quickAlarms, alarms int
	readLines(t, "gitleaks_rules.jsonl", func(e struct {
		Rule   string `json:"rule"`
		Secret bool   `json:"secret"`
		Text   string `json:"text"`
	}) {
		kind, err := First(e.Text)
		if err != nil {
			t.Fatal(err)
		}
		fast := len(secret.Find(e.Text)) > 0
		if e.Secret {
			n++
			if fast {
				quick++
			}
			if kind != "" {
				all++
			}
			return
		}
		harmless++
		if fast {
			quickAlarms++
			t.Logf("%s: %s", e.Rule, secret.Mask(e.Text))
		}
		if kind != "" {
			alarms++
		}
	})
	t.Logf("secrets %d: quick %d, full %d; harmless %d: quick %d, full %d", n, quick, all, harmless, quickAlarms, alarms)
}

func TestLines(t *testing.T) {
	var n, quick, all, harmless, quickAlarms, alarms int
	readLines(t, "creddata_lines.jsonl", func(e struct {
		Label    string `json:"gt"`
		Category string `json:"category"`
		Text     string `json:"text"`
	}) {
		if strings.HasPrefix(e.Category, "UUID") || e.Label == "X" {
			return
		}
		kind, err := First(e.Text)
		if err != nil {
			t.Fatal(err)
		}
		fast := len(secret.Find(e.Text)) > 0
		if e.Label == "T" {
			n++
			if fast {
				quick++
			}
			if kind != "" {
				all++
			}
			return
		}
		harmless++
		if fast {
			quickAlarms++
		}
		if kind != "" {
			alarms++
			if !fast {
				t.Logf("%s: %s", kind, e.Text[:min(len(e.Text), 150)])
			}
		}
	})
	t.Logf("secrets %d: quick %d, full %d; harmless %d: quick %d, full %d", n, quick, all, harmless, quickAlarms, alarms)
}
