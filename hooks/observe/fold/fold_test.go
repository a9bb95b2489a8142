package fold_test

import (
	"slices"
	"testing"

	"manicule/hooks/eventlog"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/fold/foldtest"
)

// TestFailureKinds: why a call failed decides whether anybody can learn from it.
func TestFailureKinds(t *testing.T) {
	for _, c := range []struct {
		line string
		want fold.FailKind
		made bool // the call was made
	}{
		{"fail go test ./...", fold.CommandFailed, true},
		{"refuse git push", fold.Rejected, false},
		{"deny main.go", fold.Withheld, false},
		{"fail go vet ./... => Sibling tool call errored", fold.Cancelled, false},
	} {
		steps := foldtest.Play("ask Fix it", c.line).Steps
		if len(steps) != 1 {
			t.Fatalf("%s: %d steps", c.line, len(steps))
		}
		if s := steps[0]; s.Succeeded() || s.Kind != c.want || s.Kind.Unmade() == c.made {
			t.Errorf("%s: %s, unmade is %t, want %s", c.line, s.Kind, s.Kind.Unmade(), c.want)
		}
	}
}

// TestTurns: a person's requests are turns; what programs put between them is none.
func TestTurns(t *testing.T) {
	ses := foldtest.Play("ask Add a flag", "run go build ./...", "stop", "ask <system-reminder>x</system-reminder>", "ask Use another name", "said Done.")
	if len(ses.Turns) != 2 || ses.Turns[0].Interrupted || !ses.Turns[1].Interrupted || ses.Turns[1].Text != "Use another name" {
		t.Errorf("turns are %+v", ses.Turns)
	}
	if ses.LastMessage != "Done." || !ses.AnsweredLast() || ses.Stopped {
		t.Errorf("the last message is %q, answered %t, stopped %t", ses.LastMessage, ses.AnsweredLast(), ses.Stopped)
	}
}

// TestTaint: what follows a stranger's text is marked, and nothing before it is.
func TestTaint(t *testing.T) {
	ses := foldtest.Play("ask Look it up", "run go version", "fetch https://example.org/page", "run go test ./...", "ask And now?")
	var tainted []bool
	for _, s := range ses.Steps {
		tainted = append(tainted, s.Tainted)
	}
	if !slices.Equal(tainted, []bool{false, false, true}) || ses.Turns[0].Tainted || !ses.Turns[1].Tainted {
		t.Errorf("steps %v, turns %+v", tainted, ses.Turns)
	}
	if ses.TaintedBy != "WebFetch example.org" {
		t.Errorf("it came in by %q", ses.TaintedBy)
	}
}

// TestTodo follows an agent's list, which it sends as a whole.
func TestTodo(t *testing.T) {
	ses := foldtest.Play("todo write the parser", "todo [x] write the parser", "todo test the parser")
	if open := ses.Todo.Open(); !slices.Equal(open, []string{"test the parser"}) {
		t.Errorf("open are %q", open)
	}
	if closed := ses.Todo.Closed(); !slices.Equal(closed, []string{"write the parser"}) {
		t.Errorf("closed are %q", closed)
	}
}

// TestEvict: a session without end keeps a bounded number of steps, and results still find their calls.
func TestEvict(t *testing.T) {
	f := fold.New("/repo")
	ok := true
	open := eventlog.Call{ID: "last", Tool: "Bash", Class: "shell", Command: "go test ./..."}
	for range fold.MaxSteps - 1 {
		f.Add(eventlog.Record{Kind: "post_tool", CWD: "/repo", Calls: []eventlog.Call{{Tool: "Read", Class: "read", Paths: []string{"/repo/a.go"}}}})
	}
	f.Add(eventlog.Record{Kind: "pre_tool", CWD: "/repo", Calls: []eventlog.Call{open}})
	f.Add(eventlog.Record{Kind: "pre_tool", CWD: "/repo", Calls: []eventlog.Call{{ID: "more", Tool: "Read", Class: "read"}}})
	open.OK = &ok
	f.Add(eventlog.Record{Kind: "post_tool", CWD: "/repo", Calls: []eventlog.Call{open}})
	n := len(f.Steps)
	if n > fold.MaxSteps || f.Dropped+n != fold.MaxSteps+1 {
		t.Errorf("%d steps are kept, %d dropped", n, f.Dropped)
	}
	if s := f.Steps[n-2]; s.ID != "last" || !s.Succeeded() {
		t.Errorf("the result of a call went elsewhere: %s, succeeded %t", s.ID, s.Succeeded())
	}
}
