package learn

import (
	"strings"
	"testing"

	"manicule/hooks/eventlog"
	"manicule/memory/file"
)

// TestFailedSession: what a session tried in vain waits for a review as a dead end, once. If the session goes on and ends
// well, it is withdrawn. Where nothing was changed, or nobody says that it failed, nothing is proposed.
func TestFailedSession(t *testing.T) {
	p := newPlace(t)
	ctx := t.Context()
	prompt := func(text string) eventlog.Record { return eventlog.Record{Kind: "prompt", Prompt: text} }
	change := func(f string) eventlog.Record {
		return eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Edit", Class: "edit", ID: f, Paths: []string{p.w.Root() + "/" + f}}}}
	}
	run := func(id string, records ...eventlog.Record) {
		t.Helper()
		for _, r := range records {
			p.log(id, r)
			p.tick()
		}
		must(Session(ctx, p.options(), id))(t)
	}
	waiting := func() (out []string) {
		t.Helper()
		for _, d := range must(p.w.State().Drafts().All(ctx))(t) {
			if d.Memory.Type == file.DeadEnd {
				out = append(out, d.Memory.What+" | "+d.Memory.Why+" | "+strings.Join(d.Memory.Scope, " "))
			}
		}
		return out
	}
	vain := "that still doesn't work, the token is not refreshed"
	run("asked", prompt("Why is the token not refreshed?"), sh("cat src/token.go", ""), prompt(vain), end())
	run("well", prompt("Refresh the token before it expires"), change("src/token.go"), sh("go test ./...", ""), end())
	if got := waiting(); len(got) != 0 {
		t.Errorf("proposed %q", got)
	}
	run("bad", prompt("Refresh the token before it expires"), change("src/token.go"), change("src/clock.go"), sh("go test ./...", "FAIL token_test.go:9"), prompt(vain), end())
	got := waiting()
	want := "Tried in vain for \"Refresh the token before it expires\": changes to `src/token.go`, `src/clock.go`."
	if len(got) != 1 || !strings.HasPrefix(got[0], want) || !strings.Contains(got[0], "still doesn't work") || !strings.Contains(got[0], "Failed at their last run: `go test ./...`") || !strings.HasSuffix(got[0], "src/token.go src/clock.go") {
		t.Fatalf("proposed %q, want %q", got, want)
	}
	must(Session(ctx, p.options(), "bad"))(t)
	if got := waiting(); len(got) != 1 {
		t.Errorf("read again: %q", got)
	}
	run("bad", prompt("use the server's clock"), change("src/clock.go"), sh("go test ./...", ""), prompt("great, that works, thanks"), end())
	if got := waiting(); len(got) != 0 {
		t.Errorf("it went on and worked: %q", got)
	}
}
