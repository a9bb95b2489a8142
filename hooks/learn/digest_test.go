package learn

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/hooks/eventlog"
	"manicule/memory/file"
)

// visit is a session that changes files.
func (p *place) visit(session string, files ...string) []Outcome {
	p.t.Helper()
	list := []eventlog.Record{{Kind: "prompt", Prompt: "Task of its own number " + session + " about " + strings.Repeat(session, 3)}}
	for i, f := range files {
		c := eventlog.Call{Tool: "Edit", Class: "edit", ID: fmt.Sprint(session, i), Paths: []string{filepath.Join(p.w.Root(), f)}}
		ok := true
		after := c
		after.OK = &ok
		list = append(list, eventlog.Record{Kind: "pre_tool", Calls: []eventlog.Call{c}}, eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{after}})
	}
	p.log(session, append(list, end())...)
	out := must(Pending(p.t.Context(), p.options(), 0))(p.t)
	p.now = p.now.Add(2 * time.Hour)
	return out
}

// TestDigest: at the tenth session of a module the files that most of its sessions touch are proposed, as a
// candidate, once. The log says when a digest was made, of the module and, once a week, of all modules.
func TestDigest(t *testing.T) {
	p := newPlace(t)
	for _, f := range []string{"queue/job.go", "queue/job_test.go", "queue/gone.go"} {
		path := filepath.Join(p.w.Root(), f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("package queue\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 { // others, so that the files are not those of every session
		p.visit(fmt.Sprint("other", i), fmt.Sprintf("src%d/x.go", i))
	}
	var found []file.Type
	for i := range 20 {
		for _, o := range p.visit(fmt.Sprint("s", i), "queue/job.go", "queue/job_test.go") {
			for _, r := range o.Procedures {
				if !r.Accepted || r.Deduped || r.Memory.Type != file.PrefetchPattern {
					continue
				}
				found = append(found, r.Memory.Type)
				if i != 9 {
					t.Errorf("proposed at session %d of the module", i+1)
				}
				d, err := r.Memory.ReadDetails()
				if err != nil || len(d.Always) != 2 || r.Memory.Scope[0] != "queue/**" {
					t.Errorf("%+v of %s, %v", d, r.Memory.What, err)
				}
			}
		}
	}
	if len(found) != 1 {
		t.Errorf("%d were proposed", len(found))
	}
	marks := map[string]int{}
	for _, d := range must(p.w.State().Digests().Latest(t.Context(), 50))(t) {
		marks[fmt.Sprint(d.Module, d.Mark)]++
	}
	for _, want := range []string{"queue5", "queue10", "queue20"} {
		if marks[want] != 1 {
			t.Errorf("%s was made %d times: %v", want, marks[want], marks)
		}
	}
	weeks := 0
	for k := range marks {
		if strings.HasPrefix(k, "20") {
			weeks++
		}
	}
	if weeks == 0 || weeks > 2 {
		t.Errorf("%d digests of all modules in three days: %v", weeks, marks)
	}
	// A session that is read again is no other session.
	before := len(marks)
	must(Session(t.Context(), p.options(), "s19"))(t)
	if after := must(p.w.State().Digests().Latest(t.Context(), 50))(t); len(after) != before {
		t.Errorf("%d digests after one was read again, before %d", len(after), before)
	}
}

// TestDigestOfGone: a list with a file that is gone is not proposed.
func TestDigestOfGone(t *testing.T) {
	p := newPlace(t)
	for i := range 12 {
		p.visit(fmt.Sprint("other", i), fmt.Sprintf("src%d/x.go", i))
	}
	for i := range 10 {
		for _, o := range p.visit(fmt.Sprint("s", i), "queue/job.go", "queue/gone.go") {
			for _, r := range o.Procedures {
				t.Errorf("proposed %s", r.Memory.What)
			}
		}
	}
}

// TestDigestOfMost: what the folder of most sessions has in common is a figure, and is not proposed.
func TestDigestOfMost(t *testing.T) {
	p := newPlace(t)
	for _, f := range []string{"queue/job.go", "queue/job_test.go"} {
		path := filepath.Join(p.w.Root(), f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("package queue\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		p.visit(fmt.Sprint("other", i), fmt.Sprintf("src%d/x.go", i))
	}
	for i := range 10 {
		for _, o := range p.visit(fmt.Sprint("s", i), "queue/job.go", "queue/job_test.go") {
			for _, r := range o.Procedures {
				if r.Memory != nil && r.Memory.Type == file.PrefetchPattern {
					t.Errorf("proposed %s", r.Memory.What)
				}
			}
		}
	}
	for _, d := range must(p.w.State().Digests().Latest(t.Context(), 50))(t) {
		if d.Module == "queue" && d.Mark == 10 && len(d.Findings) > 0 {
			return
		}
	}
	t.Error("there is no figure of the tenth session")
}
