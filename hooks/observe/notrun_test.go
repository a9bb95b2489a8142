package observe

import "testing"

// TestNotRun: a check whose program is not on the machine is left, unless something else checked the work.
func TestNotRun(t *testing.T) {
	const zsh = "zsh:1: command not found: pytest"
	for _, tt := range []struct {
		name string
		play func(*play)
		want string
	}{
		{"no such program", func(p *play) { p.edit("a.py", "1", "2").sh("pytest -q", zsh) }, "pytest -q: " + zsh},
		{"below other words", func(p *play) {
			p.edit("a.py", "1", "2").sh("pytest -q", "shellenv.sh: line 18: /bin/ps: Operation not permitted\n"+zsh)
		}, "pytest -q: " + zsh},
		{"before the last edit", func(p *play) { p.sh("pytest -q", zsh).edit("a.py", "1", "2") }, "pytest -q: " + zsh},
		{"nothing was changed", func(p *play) { p.sh("pytest -q", zsh) }, ""},
		{"run in another way", func(p *play) { p.edit("a.py", "1", "2").sh("pytest -q", zsh).sh("uv run pytest -q", "") }, ""},
		{"another check passed", func(p *play) { p.edit("a.py", "1", "2").sh("pytest -q", zsh).sh("ruff check .", "") }, ""},
		{"committed all the same", func(p *play) { p.edit("a.py", "1", "2").sh("pytest -q", zsh).sh("git commit -m x", "") }, ""},
		{"no check", func(p *play) { p.edit("a.py", "1", "2").sh("jq . a.json", "zsh:1: command not found: jq") }, ""},
	} {
		p := newPlay().say("Change it")
		tt.play(p)
		got := ""
		for _, b := range p.f.Report().Work.Fails {
			got += b.Command + ": " + b.Line
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
