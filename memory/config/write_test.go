package config

import (
	"os"
	"path/filepath"
	"testing"

	"manicule/indexer/must"
)

func TestWrite(t *testing.T) {
	const key = "hooks.trust_level"
	tests := []struct{ name, before, after string }{
		{"no file", "", "hooks.trust_level = 1\n"},
		{"in a table", "# mine\n[hooks]\ntrust_level = 3 # sure\nflush = true\n", "# mine\n[hooks]\ntrust_level = 1 # sure\nflush = true\n"},
		{"dotted", "hooks.flush = true\nhooks.trust_level=3\n", "hooks.flush = true\nhooks.trust_level = 1\n"},
		{"a table without it", "[hooks]\nflush = true\n", "[hooks]\ntrust_level = 1\nflush = true\n"},
		{"other tables", "[user]\nname = \"x\"\n", "hooks.trust_level = 1\n[user]\nname = \"x\"\n"},
		{"of the same name elsewhere", "[other]\ntrust_level = 3\n", "hooks.trust_level = 1\n[other]\ntrust_level = 3\n"},
		{"a byte order mark", "\ufeff[hooks]\nflush = true\n", "[hooks]\ntrust_level = 1\nflush = true\n"},
		{"no line end", "[hooks]\ntrust_level = 3", "[hooks]\ntrust_level = 1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "manicule", "config.toml")
			if tt.before != "" {
				must.Write(t, path, tt.before)
			}
			must.OK(t, Write(path, key, 1))
			got, err := os.ReadFile(path)
			if err != nil || string(got) != tt.after {
				t.Errorf("got %q %v, want %q", got, err, tt.after)
			}
		})
	}
	for name, text := range map[string]string{"broken": "hooks = [", "inline": "hooks = { trust_level = 3 }\n"} {
		path := filepath.Join(t.TempDir(), "config.toml")
		must.Write(t, path, text)
		if err := Write(path, key, 1); err == nil {
			t.Errorf("%s: it was written", name)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s: the file is %q now %v", name, got, err)
		}
	}
}
