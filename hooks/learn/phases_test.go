package learn

import (
	"fmt"
	"strings"
	"testing"

	"manicule/hooks/eventlog"
	"manicule/memory/file"
	"manicule/memory/ledger"
)

// TestLearnedPhases: the sessions here, told a gotcha while they change code and while they look around, follow it in the
// first case alone. With enough sessions it weighs more there and less here; a reset begins anew.
func TestLearnedPhases(t *testing.T) {
	p := newPlace(t)
	ctx := t.Context()
	gotcha := p.remember(file.Gotcha, "`rtk bun run test` does not work here; `bun run test` does.")
	other := p.remember(file.ErrorPattern, "`npx jest` fails here without a database; `make jest` works.")
	session := 0
	run := func(edits bool, told, command string) {
		session++
		id := fmt.Sprint("s", session)
		for i := range 3 {
			c := eventlog.Call{Tool: "Read", Class: "read", ID: fmt.Sprint(i), Paths: []string{fmt.Sprintf("%s/src/f%d.ts", p.w.Root(), i)}}
			if edits {
				c.Tool, c.Class = "Edit", "edit"
			}
			p.log(id, eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{c}})
			p.tick()
		}
		p.show(hook(id, told))
		p.tick()
		p.log(id, sh(command, ""))
		p.tick()
		p.log(id, end())
		must(Session(ctx, p.options(), id))(t)
	}
	weights := func() string {
		var out []string
		for _, w := range must(ledger.WeightsOf(ctx, p.w))(t) {
			line := fmt.Sprintf("%s %.2f", w.Type, w.Weight)
			for _, x := range w.Phases {
				line += fmt.Sprintf(" %s %.2f (%d of %d)", x.Phase, x.Weight, x.Followed, x.Decided)
			}
			out = append(out, line)
		}
		return strings.Join(out, ", ")
	}
	rounds := func(n int) {
		for range n {
			run(true, gotcha, "bun run test")
			run(false, gotcha, "rtk bun run test")
			run(true, other, "make jest")
			run(false, other, "make jest")
		}
	}
	rounds(7)
	if got := weights(); got != "" {
		t.Errorf("after 28 sessions: %s", got)
	}
	rounds(4)
	want := "error_pattern 1.17 implement 0.80 (11 of 11) explore 1.20 (11 of 11), gotcha 0.83 implement 1.20 (11 of 11) explore 0.80 (0 of 11)"
	if got := weights(); got != want {
		t.Errorf("after 44 sessions: %s, want %s", got, want)
	}
	changes := must(ledger.WeightChanges(ctx, p.w.State().Weights()))(t)
	if len(changes) < 4 {
		t.Fatalf("changes %+v", changes)
	}
	for _, c := range changes {
		if c.Was == c.Weight || c.Weight < .8 || c.Weight > 1.2 || c.Decided < 10 {
			t.Errorf("a change %+v", c)
		}
	}
	before := len(changes)
	if err := ledger.NoteWeights(ctx, p.w); err != nil || len(must(ledger.WeightChanges(ctx, p.w.State().Weights()))(t)) != before {
		t.Errorf("without another session: %v", err)
	}

	if err := ledger.ResetWeights(ctx, p.w); err != nil {
		t.Fatal(err)
	}
	rounds(1)
	if got := weights(); got != "" || len(must(ledger.WeightChanges(ctx, p.w.State().Weights()))(t)) != 0 {
		t.Errorf("after a reset: %s", got)
	}
	rounds(10)
	if got := weights(); got != want {
		t.Errorf("44 sessions after a reset: %s, want %s", got, want)
	}
}
