package cmdline

import "testing"

func TestRules(t *testing.T) {
	for _, tt := range []struct{ line, name, text string }{
		{"cmd/a.go:12:3: error is not nil (line 10) but it returns nil (nilerr)", "nilerr", "error is not nil (line 10) but it returns nil"},
		{"  12:5  error  Unexpected any. Specify a different type  @typescript-eslint/no-explicit-any", "@typescript-eslint/no-explicit-any", "Unexpected any. Specify a different type"},
		{"a.go:3:1: undefined: x (typecheck)", "", ""},
		{"see the notes (appendix)", "", ""},
	} {
		got := Rules(tt.line)
		if tt.name == "" {
			if len(got) > 0 {
				t.Errorf("%q: %+v", tt.line, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Name != tt.name || got[0].Text != tt.text {
			t.Errorf("%q: %+v", tt.line, got)
		}
	}
}
