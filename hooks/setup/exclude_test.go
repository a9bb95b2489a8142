package setup

import "testing"

func TestExclude(t *testing.T) {
	const note = excludeNote + "\n"
	own := []string{"/.claude/settings.local.json"}
	for _, c := range []struct{ name, before, after string }{
		{"no file", "", note + own[0] + "\n\n"},
		{"a file of git's", "# of git\n*.swp\n", "# of git\n*.swp\n" + note + own[0] + "\n\n"},
		{"without a last newline", "*.swp", "*.swp\n" + note + own[0] + "\n\n"},
		{"there already", own[0] + "\n*.swp\n", own[0] + "\n*.swp\n"},
		{"another agent's is there", "*.swp\n" + note + "/other\n\n/mine\n", "*.swp\n" + note + own[0] + "\n/other\n\n/mine\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			after := exclude([]byte(c.before), own)
			if string(after) != c.after {
				t.Errorf("got %q, want %q", after, c.after)
			}
			if again := exclude(after, own); string(again) != c.after {
				t.Errorf("a second time: %q", again)
			}
		})
	}
	for _, before := range []string{"", "# of git\n*.swp\n"} {
		if got := include(exclude([]byte(before), own)); string(got) != before {
			t.Errorf("taken back: %q, want %q", got, before)
		}
	}
	two := "*.swp\n" + note + "/.codex/hooks.json\n/.codex/config.toml\n\n/mine\n"
	if got := readmit([]byte(two), []string{"/.codex/hooks.json", "/mine"}); string(got) != "*.swp\n"+note+"/.codex/config.toml\n\n/mine\n" {
		t.Errorf("one is for everybody now: %q", got)
	}
	if got := readmit([]byte(two), []string{"/.codex/config.toml", "/.codex/hooks.json"}); string(got) != "*.swp\n/mine\n" {
		t.Errorf("both are: %q", got)
	}
	if got := readmit([]byte(two), []string{"/mine"}); string(got) != two {
		t.Errorf("what somebody wrote is gone: %q", got)
	}
	if got := include([]byte("*.swp\n" + note + own[0] + "\n\n/mine\n")); string(got) != "*.swp\n/mine\n" {
		t.Errorf("taken back: %q", got)
	}
	// An editor took the empty line away, or wrote other line ends.
	for before, want := range map[string]string{
		"*.swp\n" + note + own[0] + "\n/mine\n\n*.log\n":                 "*.swp\n/mine\n\n*.log\n",
		"*.swp\n" + note + own[0]:                                        "*.swp\n",
		"*.swp\r\n" + excludeNote + "\r\n" + own[0] + "\r\n\r\nmine\r\n": "*.swp\r\nmine\r\n",
		note + "/tools/.claude/settings.local.json\n*.log\n":             "*.log\n",
	} {
		if got := string(include([]byte(before))); got != want {
			t.Errorf("%q without ours is %q, want %q", before, got, want)
		}
	}
}
