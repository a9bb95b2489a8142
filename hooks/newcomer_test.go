package hooks

import (
	"bytes"
	"context"
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
	}{
		"of others":              {[]string{"Ada", "Ada"}, "Ben", true},
		"some of others":         {[]string{"Ben", "Ada"}, "Ben", true},
		"the person's own":       {[]string{"Ben", "Ben"}, "Ben", false},
		"nobody knows who it is": {[]string{"", "Ada"}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.roots[w.root] = nil
			for i, writer := range tc.writers {
				m := mem("n"+string(rune('1'+i)), file.Convention, "rule number "+string(rune('1'+i)))
				m.Confidence, m.Contributor = .9, writer
				w.roots[w.root] = append(w.roots[w.root], m)
			}
			var out bytes.Buffer
			o := w.options("claude-code", `{"hook_event_name":"SessionStart","session_id":"s1","cwd":"`+w.root+`","source":"startup"}`, &out)
			o.Author = func(string) string { return tc.person }
			Run(context.Background(), o)
			got := unescaped(out.String())
			if !strings.Contains(got, "rule number 1") || strings.Contains(got, nudge.Newcomer) != tc.told {
				t.Errorf("%s", got)
			}
		})
	}
}
