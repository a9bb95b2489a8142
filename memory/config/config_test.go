package config

import (
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

func load(t *testing.T, repo, user string, env map[string]string) (*Config, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"repo.toml": repo, "user.toml": user} {
		must.Write(t, filepath.Join(dir, name), text)
	}
	c, ws := Load(Files{filepath.Join(dir, "repo.toml"), filepath.Join(dir, "user.toml"), filepath.Join(dir, "local.toml")}, func(k string) string { return env[k] })
	var lines []string
	for _, w := range ws {
		lines = append(lines, strings.ReplaceAll(w.String(), dir+string(filepath.Separator), ""))
	}
	return c, strings.Join(lines, "\n")
}

func TestPrecedence(t *testing.T) {
	c, ws := load(t, "[recall]\nlimit = 5\n[editor]\nhover = false\nseverity = \"hint\"\n", "[recall]\nlimit = 7\n[user]\nname = \"Ada\"",
		map[string]string{"MANICULE_EDITOR_SEVERITY": "error"})
	if ws != "" {
		t.Errorf("warnings: %s", ws)
	}
	if c.Int("recall.limit") != 7 || c.Bool("editor.hover") || c.String("editor.severity") != "error" || c.String("user.name") != "Ada" || !c.Bool("hooks.nudge") {
		t.Errorf("values %v", c.values)
	}
	if c.From("recall.limit") != User || c.From("editor.severity") != Env || c.From("hooks.nudge") != Default {
		t.Errorf("sources %v", c.from)
	}
}

// TestLocalSettings: a person's settings for one repository go before those for all, and may be private.
func TestLocalSettings(t *testing.T) {
	dir := t.TempDir()
	f := Files{User: filepath.Join(dir, "user.toml"), Local: filepath.Join(dir, "local.toml")}
	for path, level := range map[string]int{f.User: 3, f.Local: 2} {
		must.OK(t, Write(path, "hooks.trust_level", level))
	}
	env := ""
	for _, tt := range []struct {
		env  string
		want int
		from Source
	}{{"", 2, Local}, {"4", 2, Local}, {"1", 1, Env}} {
		env = tt.env
		c, ws := Load(f, func(k string) string {
			if k == "MANICULE_HOOKS_TRUST_LEVEL" {
				return env
			}
			return ""
		})
		if c.Int("hooks.trust_level") != tt.want || c.From("hooks.trust_level") != tt.from || len(ws) > 0 {
			t.Errorf("level %d from %s, warnings %v", c.Int("hooks.trust_level"), c.From("hooks.trust_level"), ws)
		}
	}
}

func TestWarnings(t *testing.T) {
	tests := []struct{ repo, want string }{
		{"[editor]\nhovr = false", `repo.toml: unknown setting "editor.hovr"; did you mean "editor.hover"?`},
		{"[editor]\ncodeLens = \"yes\"", `repo.toml: unknown setting "editor.codeLens"; did you mean "editor.code_lens"?`},
		{"[editor]\ncode_lens = \"yes\"", `repo.toml: editor.code_lens: want true or false, not yes`},
		{"hover = false", `repo.toml: unknown setting "hover"; did you mean "editor.hover"?`},
		{"[zzz]\nqqq = 1", `repo.toml: unknown setting "zzz.qqq"`},
		{"[recall]\nlimit = 0", `repo.toml: recall.limit: want a whole number from 1 to 1000, not 0`},
		{"[editor]\nseverity = \"loud\"", `repo.toml: editor.severity: want one of error, warning, information, hint, not loud`},
		{"[user]\nname = \"Mallory\"", `repo.toml: user.name can't be set by a repository; set it in your own configuration`},
	}
	for _, tt := range tests {
		c, ws := load(t, tt.repo, "", nil)
		if ws != tt.want {
			t.Errorf("%q:\n got %s\nwant %s", tt.repo, ws, tt.want)
		}
		for _, s := range Settings() {
			if c.values[s.Key] != s.Default {
				t.Errorf("%q changed %s", tt.repo, s.Key)
			}
		}
	}
	if _, ws := load(t, "[editor\n", "", nil); !strings.HasPrefix(ws, "repo.toml:1:") {
		t.Errorf("broken TOML: %q", ws)
	}
}

// TestRepositoryNamesNoServer: no section that names a model or a server can
// be set by a repository's file.
func TestRepositoryNamesNoServer(t *testing.T) {
	for _, s := range Settings() {
		section, _, _ := strings.Cut(s.Key, ".")
		if (section == "embedding" || section == "rerank" || section == "model") && !s.Private {
			t.Errorf("%s can be set by a repository", s.Key)
		}
	}
	c, ws := load(t, "[rerank]\nprovider = \"openai\"\nendpoint = \"https://collect.example/v1\"\n[model]\nprovider = \"openai\"\nendpoint = \"https://collect.example/v1\"", "", nil)
	if strings.Count(ws, "can't be set by a repository") != 4 || c.String("rerank.endpoint") != "" || c.String("model.provider") != "off" {
		t.Errorf("%s\n%v", ws, c.values)
	}
}

func TestSchemaIsSound(t *testing.T) {
	c := Defaults()
	for _, s := range Settings() {
		if _, err := s.convert(s.Default); err != nil || s.Doc == "" || !strings.Contains(s.Key, ".") {
			t.Errorf("%s: %v", s.Key, err)
		}
		switch s.Default.(type) {
		case bool:
			c.Bool(s.Key)
		case int:
			c.Int(s.Key)
		default:
			_ = c.String(s.Key)
		}
	}
}

// TestHomeIsAFile: settings below a file, as where HOME is /dev/null, are none.
func TestHomeIsAFile(t *testing.T) {
	home := filepath.Join(t.TempDir(), "null")
	must.Write(t, home, "")
	if _, ws := Load(Files{User: filepath.Join(home, "config.toml")}, func(string) string { return "" }); len(ws) > 0 {
		t.Errorf("warnings %v", ws)
	}
}
