package hooks

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/hooks/nudge"
	"manicule/memory/file"
)

// TestNewcomer: who first works here is told what a newcomer needs, unless the memories are that person's own.
func TestNewcomer(t *testing.T) {
	for name, tc := range map[string]struct {
		writers []string
		person  string
		told    bool
		scope   []string
		from    string // the rule file that the first was imported from, which the agent has read anyway
	}{
		"of others":                        {[]string{"Ada", "Ada"}, "Ben", true, nil, ""},
		"some of others":                   {[]string{"Ben", "Ada"}, "Ben", true, nil, ""},
		"the person's own":                 {[]string{"Ben", "Ben"}, "Ben", false, nil, ""},
		"nobody knows who it is":           {[]string{"", "Ada"}, "", true, nil, ""},
		"some of others, all about code":   {[]string{"Ben", "Ada"}, "Ben", true, []string{"src/**"}, ""},
		"the person's own, all about code": {[]string{"Ben", "Ben"}, "Ben", false, []string{"src/**"}, ""},
		"of others, one of a rule file":    {[]string{"Ada", "Ada"}, "Ben", true, nil, "CLAUDE.md"},
		"own, one of a rule file":          {[]string{"Ben", "Ben"}, "Ben", false, nil, "CLAUDE.md"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.roots[w.root] = nil
			for i, writer := range tc.writers {
				m := mem("n"+string(rune('1'+i)), file.Convention, "rule number "+string(rune('1'+i)))
				m.Confidence, m.Contributor, m.Scope = .9, writer, tc.scope
				if i == 0 && tc.from != "" {
					m.Provenance = &file.Provenance{Import: &file.ImportOrigin{File: tc.from, Line: 1}}
				}
				w.roots[w.root] = append(w.roots[w.root], m)
			}
			if tc.from != "" {
				if err := os.WriteFile(filepath.Join(w.root, tc.from), []byte("Rules.\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var out bytes.Buffer
			o := w.options("claude-code", `{"hook_event_name":"SessionStart","session_id":"s1","cwd":"`+w.root+`","source":"startup"}`, &out)
			o.Author = func(string) string { return tc.person }
			Run(context.Background(), o)
			got := unescaped(out.String())
			if strings.Contains(got, "rule number 2") != (tc.scope == nil) || strings.Contains(got, "rule number 1") != (tc.scope == nil && tc.from == "") || strings.Contains(got, nudge.Newcomer) != tc.told {
				t.Errorf("%s", got)
			}
		})
	}
}
