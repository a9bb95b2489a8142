package phase

import (
	"testing"

	"manicule/hooks/event"
	"manicule/memory/retrieve"
)

func TestUsual(t *testing.T) {
	read, edit := Step{Class: event.Read}, Step{Class: event.Edit}
	pass := Step{Class: event.Shell, Command: "go test ./..."}
	fail := Step{Class: event.Shell, Command: "cd web && npm test", Failed: true}
	prompt := func(s string) Step { return Step{Prompt: s} }
	many := func(s Step, n int) (out []Step) {
		for range n {
			out = append(out, s)
		}
		return out
	}
	for name, c := range map[string]struct {
		steps []Step
		want  retrieve.Phase
	}{
		"nothing":             {nil, retrieve.NoPhase},
		"one look":            {[]Step{read}, retrieve.NoPhase},
		"looking around":      {many(read, 4), retrieve.Explore},
		"a plan":              {[]Step{prompt("Propose a design for the cache"), read}, retrieve.Define},
		"a plan to carry out": {append([]Step{prompt("Implement the following plan")}, many(read, 3)...), retrieve.Explore},
		"changing":            {append(many(read, 4), edit), retrieve.Implement},
		"checking":            {[]Step{edit, pass}, retrieve.Validate},
		"mending":             {[]Step{edit, fail, read}, retrieve.Refine},
		"mended":              {[]Step{edit, fail, edit, pass}, retrieve.Validate},
		"done":                {[]Step{edit, pass, {Class: event.Shell, Command: "git commit -am x"}}, retrieve.Reflect},
		"long ago":            {append([]Step{edit}, many(read, 12)...), retrieve.Explore},
		"only a word of it":   {[]Step{edit, {Class: event.Shell, Command: "cat contest.txt"}}, retrieve.Implement},
	} {
		if got := (Usual{}).Phase(c.steps); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
