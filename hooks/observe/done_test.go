package observe

import (
	"testing"

	"manicule/hooks/eventlog"
)

// TestDoneSettles: what a session left in words is settled by what a later one runs, commits or says, and not by what it
// says is left, or by other work at the same file.
func TestDoneSettles(t *testing.T) {
	const push, wire, doc = "run `git push origin main`", "Wire the retry flag into `cmd/main.go`", "Document the retry flag for operators"
	said := func(text string) eventlog.Record { return eventlog.Record{Kind: "stop", Text: text} }
	for _, tt := range []struct {
		name, left string
		play       func(p *play)
		want       bool
	}{
		{"the command worked", push, func(p *play) { p.sh("git push origin main", "") }, true},
		{"the command failed", push, func(p *play) { p.sh("git push origin main", "error: rejected") }, false},
		{"another command", push, func(p *play) { p.sh("git push origin other", "") }, false},
		{"a commit says it", doc, func(p *play) { p.sh(`git commit -m "docs: document the retry flag for operators"`, "") }, true},
		{"another commit", doc, func(p *play) { p.sh(`git commit -m "docs: the retry of uploads"`, "") }, false},
		{"its last message says it", doc, func(p *play) { p.event(said("I documented the retry flag for operators.")) }, true},
		{"its last message says that it is left", doc, func(p *play) { p.event(said("The retry flag still has to be documented for operators.")) }, false},
		{"its last message asks", doc, func(p *play) { p.event(said("Document the retry flag for operators?")) }, false},
		{"the file and half of the words", wire, func(p *play) {
			p.edit("cmd/main.go", "1", "2")
			p.sh("go test ./...", "")
			p.event(said("The retry flag reaches main now."))
		}, true},
		{"the file alone", wire, func(p *play) { p.edit("cmd/main.go", "1", "2"); p.sh("go test ./...", "") }, false},
		{"the file, and nothing passed", wire, func(p *play) {
			p.edit("cmd/main.go", "1", "2")
			p.event(said("The retry flag reaches main now."))
		}, false},
		{"too few words", "Docs", func(p *play) { p.event(said("Docs.")) }, false},
	} {
		p := newPlay()
		tt.play(p)
		if got := p.f.Report().Done.Settles(tt.left); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
