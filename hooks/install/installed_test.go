package install

import (
	"slices"
	"testing"

	"manicule/indexer/must"
)

func TestInstalled(t *testing.T) {
	for _, name := range Agents() {
		command, err := Command(name, "/opt/manicule", false)
		must.OK(t, err)
		text, err := Add(name, nil, command)
		must.OK(t, err)
		if got := Installed(name, text); !slices.Contains(got, command) {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, text := range []string{"", "{", "[]", `{"hooks": 1}`, `{"hooks": {"a": ["echo manicule"]}}`} {
		if got := Installed("claude-code", []byte(text)); got != nil {
			t.Errorf("%q: %q", text, got)
		}
	}
}
